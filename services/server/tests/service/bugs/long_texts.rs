//! grpc/grpc-rust#2216: what a caller sent comes back in an error, the trailers grow too long, and the connection's
//! protocol breaks instead of the call.

use std::collections::HashMap;

use tabiya_api::v1::{
    self, batch_legal_moves_response::Outcome, rules_service_client::RulesServiceClient,
    search_service_client::SearchServiceClient,
};
use tonic::{Code, Request, Status, transport::Channel};
use tonic_types::StatusExt;

use crate::common;

/// Thirty kilobytes: of ASCII, of what percent-encoding triples, of what has to be escaped, and of all together.
fn texts() -> [String; 4] {
    [
        "x".repeat(30_000),
        "马".repeat(10_000),
        "\u{7f}\n\t\"%".repeat(6000),
        "%马\u{202e}é\\ ".repeat(3000),
    ]
}

/// INVALID_ARGUMENT within all limits, in the message, in the details and on the wire.
fn bounded(status: &Status, field: &str) {
    assert_eq!(status.code(), Code::InvalidArgument, "{field}: {status:?}");
    let message = status.message();
    assert!(
        !message.is_empty() && message.len() <= 1024,
        "{field}: {}",
        message.len()
    );
    assert!(
        status.details().len() <= 4096,
        "{field}: {}",
        status.details().len()
    );
    let fields = status
        .get_details_bad_request()
        .expect("details")
        .field_violations;
    assert!(fields[0].field.starts_with(field), "{field}: {fields:?}");
    // At most sixteen, and how many more there are.
    assert!(fields.len() <= 17, "{field}: {}", fields.len());
    for violation in &fields {
        echoed_little(&violation.description);
    }
    echoed_little(message);
}

/// No more than 64 bytes of any of the texts.
fn echoed_little(told: &str) {
    for text in texts() {
        let mut start = text.floor_char_boundary(70);
        start = start.max(text.char_indices().nth(40).map_or(0, |(at, _)| at.max(65)));
        let start = text.ceil_char_boundary(start);
        assert!(!told.contains(&text[..start]), "{told}");
    }
}

fn position(fen: &str, moves: &[&str]) -> v1::Position {
    v1::Position {
        fen: fen.into(),
        moves: moves.iter().map(|&text| text.into()).collect(),
        ..Default::default()
    }
}

#[tokio::test]
async fn long_texts_come_back_short() {
    let server = common::start();
    let channel = common::channel(server.addr()).await;
    common::until_ready(&channel).await;
    let mut rules = RulesServiceClient::new(channel.clone());
    let mut search = SearchServiceClient::new(channel.clone());
    for text in texts() {
        let request = v1::LegalMovesRequest {
            position: Some(position(&text, &[])),
            ..Default::default()
        };
        bounded(&rules.legal_moves(request).await.unwrap_err(), "position.fen");
        let request = v1::LegalMovesRequest {
            position: Some(position("", &["e2e4", &text])),
            ..Default::default()
        };
        bounded(
            &rules.legal_moves(request).await.unwrap_err(),
            "position.moves[1]",
        );
        for notation in [
            v1::MoveNotation::Uci,
            v1::MoveNotation::San,
            v1::MoveNotation::Chinese,
        ] {
            let request = v1::PlayMovesRequest {
                moves: vec![text.clone()],
                notation: notation.into(),
                ..Default::default()
            };
            bounded(&rules.play_moves(request).await.unwrap_err(), "moves[0]");
        }
        let best = |change: &dyn Fn(&mut v1::BestMoveRequest)| {
            let mut request = v1::BestMoveRequest {
                limits: Some(v1::Limits {
                    nodes: 1,
                    ..Default::default()
                }),
                ..Default::default()
            };
            change(&mut request);
            request
        };
        let request = best(&|request| request.search_moves = vec![text.clone()]);
        bounded(&search.best_move(request).await.unwrap_err(), "search_moves[0]");
        let request = best(&|request| request.network = text.clone());
        bounded(&search.best_move(request).await.unwrap_err(), "network");
        let request = v1::EvaluateRequest {
            positions: vec![position(&text[..text.floor_char_boundary(3000)], &[]); 1000],
            ..Default::default()
        };
        bounded(&search.evaluate(request).await.unwrap_err(), "positions[0].fen");

        // A name that is too long has its own error, and is cut in the answer.
        let item = v1::BatchLegalMovesRequest {
            id: text.clone(),
            ..Default::default()
        };
        let stream = rules
            .batch_legal_moves(tokio_stream::iter([item, Default::default()]))
            .await;
        let mut answers = stream.unwrap().into_inner();
        let answer = answers.message().await.unwrap().unwrap();
        assert!(answer.id.len() <= 256);
        let Some(Outcome::Error(error)) = answer.outcome else {
            panic!("{answer:?}");
        };
        assert_eq!(error.code, Code::InvalidArgument as i32);
        assert_eq!(error.violations[0].field, "id");
        assert!(error.message.len() <= 1024 && error.violations[0].value.len() <= 64);
        let next = answers.message().await.unwrap().unwrap();
        assert!(matches!(next.outcome, Some(Outcome::Response(_))), "{next:?}");
    }
    still_good(&channel).await;
}

#[tokio::test]
async fn unknown_numbers_and_wrong_headers_come_back_short() {
    let server = common::start();
    let channel = common::channel(server.addr()).await;
    common::until_ready(&channel).await;
    let mut rules = RulesServiceClient::new(channel.clone());
    let mut search = SearchServiceClient::new(channel.clone());
    for number in [77, i32::MAX, i32::MIN, -1] {
        let mut wrong = position("", &[]);
        wrong.variant = number;
        let request = v1::LegalMovesRequest {
            position: Some(wrong),
            ..Default::default()
        };
        bounded(&rules.legal_moves(request).await.unwrap_err(), "position.variant");
        let request = v1::BestMoveRequest {
            backend: number,
            limits: Some(v1::Limits {
                nodes: 1,
                ..Default::default()
            }),
            ..Default::default()
        };
        bounded(&search.best_move(request).await.unwrap_err(), "backend");
        let request = v1::PlayMovesRequest {
            notation: number,
            ..Default::default()
        };
        bounded(&rules.play_moves(request).await.unwrap_err(), "notation");
    }
    let mut request = Request::new(v1::LegalMovesRequest::default());
    request
        .metadata_mut()
        .insert("grpc-timeout", "9".repeat(4000).parse().unwrap());
    bounded(&rules.legal_moves(request).await.unwrap_err(), "grpc-timeout");
    still_good(&channel).await;
}

/// The connection has not suffered.
async fn still_good(channel: &Channel) {
    let answer = RulesServiceClient::new(channel.clone())
        .legal_moves(v1::LegalMovesRequest::default())
        .await
        .unwrap()
        .into_inner();
    let moves: HashMap<_, _> = answer.moves.iter().map(|mv| (&mv.uci, &mv.san)).collect();
    assert_eq!(moves.len(), 20);
}
