//! Jobs for the tests of this crate.

use std::time::SystemTime;

use tabiya_api::v1::{self, stream_results_response::Outcome};

use crate::{Intake, JobId, NewJob, Pins, Quotas, Row};

pub(crate) fn pins(engine: &str) -> Pins {
    Pins {
        engine: engine.into(),
        network: "ab".into(),
        tables: String::new(),
    }
}

pub(crate) fn id(name: &str) -> JobId {
    JobId::parse(name).unwrap()
}

/// A job of so many items, 16 a chunk, for engine `1`.
pub(crate) fn new_job(name: &str, items: u32) -> NewJob {
    let head = v1::SubmitJobRequest {
        job_id: name.into(),
        limits: Some(v1::Limits {
            nodes: 20_000,
            ..v1::Limits::default()
        }),
        ..v1::SubmitJobRequest::default()
    };
    let item = |index| v1::JobItem {
        item_id: format!("i{index}"),
        ..v1::JobItem::default()
    };
    let mut intake = Intake::begin(&head, pins("1"), Quotas::default()).unwrap();
    intake.add((0..items).map(item).collect(), "").unwrap();
    intake.finish(SystemTime::now()).unwrap()
}

pub(crate) fn row(index: u32, best_move: &str) -> Row {
    Row {
        item_id: format!("i{index}"),
        index,
        outcome: Some(Outcome::Response(v1::AnalyzeResponse {
            best_move: best_move.into(),
            ..v1::AnalyzeResponse::default()
        })),
        ..Row::default()
    }
}

pub(crate) fn failed(index: u32) -> Row {
    Row {
        outcome: Some(Outcome::Error(v1::ItemError::default())),
        ..row(index, "")
    }
}

pub(crate) fn best_move(row: &Row) -> &str {
    match &row.outcome {
        Some(Outcome::Response(response)) => &response.best_move,
        _ => "",
    }
}
