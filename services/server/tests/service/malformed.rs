//! Requests that are no protobuf, or no message at all, are the caller's mistake and end no connection.

use crate::common;

use bytes::Bytes;
use common::wire::{self, framed};
use tabiya_api::v1::{self, rules_service_client::RulesServiceClient};
use tonic::{Code, Status, body::Body, transport::Channel};
use tonic_types::StatusExt;
use tower::{Service, ServiceExt};

/// How a call of this method ends.
async fn status(channel: &Channel, method: &str, body: Bytes) -> Status {
    let request = wire::request("", method, body).map(Body::new);
    let mut channel = channel.clone();
    let response = channel.ready().await.unwrap().call(request).await.unwrap();
    wire::status(response).await
}

#[tokio::test]
async fn what_is_no_request_is_the_callers_mistake() {
    let server = common::start();
    let channel = common::channel(server.addr()).await;
    let noise = [0xff; 40];
    let no_text = [0x0a, 0x04, 0x0a, 0x02, 0xc3, 0x28];
    let wrong_type = [0x09, 1, 2, 3, 4, 5, 6, 7, 8];
    for (what, body) in [
        ("noise", framed(0, 40, &noise)),
        ("no text", framed(0, 6, &no_text)),
        ("another type", framed(0, 9, &wrong_type)),
        ("cut short", framed(0, 100, &[0x0a])),
        ("a flag that is none", framed(7, 0, &[])),
        ("nothing", Bytes::new()),
    ] {
        for method in ["RulesService/LegalMoves", "RulesService/BatchLegalMoves"] {
            if what == "nothing" && method.contains("Batch") {
                // A stream without items.
                continue;
            }
            let status = status(&channel, method, body.clone()).await;
            assert_eq!(
                status.code(),
                Code::InvalidArgument,
                "{method}, {what}: {status:?}"
            );
            assert!(status.message().len() <= 1024, "{status:?}");
            let violations = status
                .get_details_bad_request()
                .expect("details")
                .field_violations;
            let field = if method.contains("Batch") {
                "item[0].message"
            } else {
                "message"
            };
            assert_eq!(violations[0].field, field, "{status:?}");
            assert!(status.message().starts_with(field), "{status:?}");
        }
    }
    // Of several, the one that it is.
    let second = [framed(0, 0, &[]), framed(0, 40, &noise)].concat();
    for method in [
        "RulesService/BatchLegalMoves",
        "SearchService/BatchEvaluate",
        "SearchService/BatchAnalyze",
    ] {
        let status = status(&channel, method, second.clone().into()).await;
        assert_eq!(status.code(), Code::InvalidArgument, "{method}: {status:?}");
        assert!(
            status.message().starts_with("item[1].message"),
            "{method}: {status:?}"
        );
    }
    let answer = RulesServiceClient::new(channel)
        .legal_moves(v1::LegalMovesRequest::default())
        .await
        .unwrap();
    assert_eq!(answer.into_inner().moves.len(), 20);
}

/// Two bytes each on the wire, some hundred in memory.
#[tokio::test]
async fn empty_values_by_the_million_are_refused_before_they_are_made() {
    let folder = tempfile::tempdir().unwrap();
    let server = tabiya_server::Server::start(tabiya_server::Config {
        jobs_dir: Some(folder.path().to_owned()),
        ..common::config()
    })
    .unwrap();
    let channel = common::channel(server.addr()).await;
    // All but the flag and the length: a key and no bytes, again and again.
    let empty = |field: u8| [field << 3 | 2, 0].repeat((4 << 20) / 2);
    for (method, number, field) in [
        ("ArbiterService/Adjudicate", 4, "events["),
        ("ArbiterService/BatchAdjudicate", 5, "events["),
        ("ArbiterService/CompareRulings", 4, "events["),
        ("SearchService/Evaluate", 1, "positions["),
        // Read they are no more than is allowed, but more moves than are.
        ("RulesService/PlayMoves", 2, "moves"),
        ("JobService/SubmitJob", 2, "items["),
    ] {
        let bytes = empty(number);
        let body = framed(0, bytes.len() as u32, &bytes);
        let status = status(&channel, method, body).await;
        assert_eq!(status.code(), Code::InvalidArgument, "{method}: {status:?}");
        let details = status.get_details_bad_request().expect("details");
        let told = &details.field_violations[0].field;
        let in_stream = format!("item[0].{field}");
        assert!(
            told.starts_with(field) || told.starts_with(&in_stream),
            "{method}: {told}"
        );
    }
    // The connection is none the worse.
    let answer = RulesServiceClient::new(channel)
        .legal_moves(v1::LegalMovesRequest::default())
        .await
        .unwrap();
    assert_eq!(answer.into_inner().moves.len(), 20);
}
