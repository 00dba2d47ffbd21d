//! JSON Lines: an object for each job, or for each result.

use serde::Serialize;
use tabiya_client::v1::{self, stream_results_response::Outcome};

use crate::{analyse::AnswerRow, choice::plain_name, failure::Refusal};

/// A job.
#[derive(Debug, Serialize)]
pub(super) struct JobRow<'a> {
    job_id: &'a str,
    /// `running`, `completed`, `completed_with_errors` or `cancelled`.
    state: String,
    items: u32,
    results: u32,
    errors: u32,
    /// Why nothing is being computed for it, if nothing is.
    #[serde(skip_serializing_if = "str::is_empty")]
    waiting_reason: &'a str,
    engine_version: &'a str,
    network_hash: &'a str,
    /// Hash of the endgame tables that answers are found with, if there are any.
    #[serde(skip_serializing_if = "str::is_empty")]
    tables_hash: &'a str,
    digest: &'a str,
    created: Option<String>,
    ended: Option<String>,
    expires: Option<String>,
}

impl<'a> JobRow<'a> {
    pub(super) fn new(job: &'a v1::Job) -> Self {
        let time = |time: &Option<prost_types::Timestamp>| time.as_ref().map(ToString::to_string);
        Self {
            job_id: &job.job_id,
            state: plain_name(job.state().as_str_name(), "JOB_STATE_"),
            items: job.items,
            results: job.results,
            errors: job.errors,
            waiting_reason: &job.waiting_reason,
            engine_version: &job.engine_version,
            network_hash: &job.network_hash,
            tables_hash: &job.tables_hash,
            digest: &job.digest,
            created: time(&job.create_time),
            ended: time(&job.end_time),
            expires: time(&job.expire_time),
        }
    }
}

/// A result.
#[derive(Debug, Serialize)]
pub(super) struct ResultRow<'a> {
    cursor: &'a str,
    item_id: &'a str,
    index: u32,
    fen: &'a str,
    #[serde(flatten)]
    answer: Option<AnswerRow<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl<'a> ResultRow<'a> {
    pub(super) fn new(result: &'a v1::StreamResultsResponse) -> Self {
        let (answer, error) = match &result.outcome {
            Some(Outcome::Response(response)) => {
                (Some(AnswerRow::new(response, response.lines.len() > 1)), None)
            }
            Some(Outcome::Error(error)) => (None, Some(Refusal::from(error.clone()).to_string())),
            None => (None, Some(Refusal::without_content().to_string())),
        };
        Self {
            cursor: &result.cursor,
            item_id: &result.item_id,
            index: result.index,
            fen: &result.fen,
            answer,
            error,
        }
    }

    /// Whether it is an error.
    pub(super) fn has_failed(&self) -> bool {
        self.error.is_some()
    }
}

#[cfg(test)]
mod tests {
    use tabiya_client::v1::{ItemError, Line, Score, SearchStats, score::Kind};

    use super::*;

    #[test]
    fn rows_have_the_names_of_the_contract() {
        let job = v1::Job {
            job_id: "j".into(),
            state: v1::JobState::CompletedWithErrors.into(),
            items: 2,
            results: 2,
            errors: 1,
            ..v1::Job::default()
        };
        let row = serde_json::to_value(JobRow::new(&job)).unwrap();
        assert_eq!(row["state"], "completed_with_errors");
        assert_eq!(row.get("waiting_reason"), None);

        let mut result = v1::StreamResultsResponse {
            cursor: "1.1".into(),
            item_id: "a".into(),
            outcome: Some(Outcome::Response(v1::AnalyzeResponse {
                best_move: "e2e4".into(),
                lines: vec![Line {
                    moves: vec!["e2e4".into()],
                    score: Some(Score {
                        kind: Some(Kind::Centipawns(31)),
                        ..Score::default()
                    }),
                    depth: 4,
                    ..Line::default()
                }],
                stats: Some(SearchStats {
                    nodes: 900,
                    ..SearchStats::default()
                }),
                ..v1::AnalyzeResponse::default()
            })),
            ..v1::StreamResultsResponse::default()
        };
        let row = ResultRow::new(&result);
        assert!(!row.has_failed());
        let row = serde_json::to_value(row).unwrap();
        assert_eq!((&row["best_move"], &row["nodes"]), (&"e2e4".into(), &900.into()));
        assert_eq!(row["score"], serde_json::json!({"cp": 31}));
        assert_eq!(row.get("error"), None);

        result.outcome = Some(Outcome::Error(ItemError {
            message: "given up".into(),
            ..ItemError::default()
        }));
        let row = ResultRow::new(&result);
        assert!(row.has_failed());
        let row = serde_json::to_value(row).unwrap();
        assert_eq!(row["error"], "given up");
        assert_eq!(row.get("best_move"), None);
    }
}
