//! `SearchService`: evaluations without search.

use crate::common;

use tabiya_api::v1::{
    self, Backend, batch_evaluate_response::Outcome, score::Kind, search_service_client::SearchServiceClient,
};
use tabiya_evaluator::{Network, evaluate_reference, pack};
use tabiya_rules::{Board, MoveList};
use tonic::{Code, transport::Channel};
use tonic_types::StatusExt;

async fn client() -> (tabiya_server::RunningServer, SearchServiceClient<Channel>) {
    let server = common::start();
    let client = SearchServiceClient::new(common::channel(server.addr()).await);
    (server, client)
}

/// Positions of random games, by a generator that always gives the same ones.
fn positions(count: usize) -> Vec<(v1::Position, i32)> {
    let network = Network::default_network();
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut board = Board::startpos();
    let mut out = vec![];
    while out.len() < count {
        let mut moves = MoveList::new();
        board.legal_moves(&mut moves);
        if moves.is_empty() || out.len() % 100 == 99 {
            board = Board::startpos();
            board.legal_moves(&mut moves);
            moves.clear();
            board.legal_moves(&mut moves);
        }
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        board.play(moves[(seed >> 33) as usize % moves.len()]);
        let value = network
            .scale()
            .to_centipawns(evaluate_reference(&network, &pack(&board)));
        let fen = tabiya_rules::fen::xfen(&board);
        out.push((
            v1::Position {
                fen,
                ..Default::default()
            },
            value,
        ));
    }
    out
}

fn value(evaluation: &v1::Evaluation) -> i32 {
    match evaluation.score.as_ref().unwrap().kind {
        Some(Kind::Centipawns(value)) => value,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn every_backend_gives_the_reference_value() {
    let (_server, mut client) = client().await;
    let expected = positions(1000);
    for backend in [Backend::Auto, Backend::Cpu, Backend::Scalar] {
        let request = v1::EvaluateRequest {
            positions: expected.iter().map(|(position, _)| position.clone()).collect(),
            backend: backend.into(),
            network: String::new(),
        };
        let response = client.evaluate(request).await.unwrap().into_inner();
        assert_eq!(response.backend() == Backend::Scalar, backend == Backend::Scalar);
        assert_eq!(response.evaluations.len(), expected.len());
        for (evaluation, (position, expected)) in response.evaluations.iter().zip(&expected) {
            assert_eq!(value(evaluation), *expected, "{}", position.fen);
        }
    }
    let none = client
        .evaluate(v1::EvaluateRequest::default())
        .await
        .unwrap()
        .into_inner();
    assert!(none.evaluations.is_empty());
}

#[tokio::test]
async fn wrong_positions_are_counted_and_named() {
    let (_server, mut client) = client().await;
    let wrong = |count: usize| v1::EvaluateRequest {
        positions: vec![
            v1::Position {
                fen: "x".repeat(500),
                ..Default::default()
            };
            count
        ],
        ..Default::default()
    };
    let status = client.evaluate(wrong(1000)).await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
    assert!(status.message().len() <= 1024 && status.details().len() <= 4096);
    let fields = status.get_details_bad_request().unwrap().field_violations;
    assert_eq!(fields[0].field, "positions[0].fen");
    assert!(fields.last().unwrap().description.starts_with("and "));

    let mut request = v1::EvaluateRequest {
        positions: vec![Default::default(); 18],
        ..Default::default()
    };
    request.positions[17].fen = "8/8/8/8/8/8/8/8 w - - 0 1".into();
    let status = client.evaluate(request).await.unwrap_err();
    assert_eq!(
        status.get_details_bad_request().unwrap().field_violations[0].field,
        "positions[17].fen"
    );

    let many = v1::EvaluateRequest {
        positions: vec![Default::default(); 5000],
        ..Default::default()
    };
    let status = client.evaluate(many).await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
    assert_eq!(
        status.get_details_bad_request().unwrap().field_violations[0].field,
        "positions"
    );

    // Above the size of a message nothing is read at all.
    let status = client.evaluate(wrong(10_000)).await.unwrap_err();
    too_long(&status, "message");
    // In a stream, what came before it has its answer.
    let small = v1::BatchEvaluateRequest {
        position: Some(v1::Position::default()),
        ..Default::default()
    };
    let mut large = small.clone();
    large.id = "x".repeat(5 << 20);
    let stream = client.batch_evaluate(tokio_stream::iter([small, large])).await;
    let mut answers = stream.unwrap().into_inner();
    assert!(answers.message().await.unwrap().unwrap().outcome.is_some());
    too_long(&answers.message().await.unwrap_err(), "item[1].message");

    let gpu = v1::EvaluateRequest {
        positions: vec![Default::default()],
        backend: Backend::Gpu.into(),
        network: String::new(),
    };
    assert_eq!(
        client.evaluate(gpu).await.unwrap_err().code(),
        Code::FailedPrecondition
    );
}

/// A message above 4 MiB is the caller's mistake, and said to be.
fn too_long(status: &tonic::Status, field: &str) {
    assert_eq!(status.code(), Code::InvalidArgument, "{status:?}");
    let details = status.get_details_bad_request().unwrap();
    assert_eq!(details.field_violations[0].field, field);
    assert!(
        status
            .message()
            .ends_with("more than 4194304 bytes in one message"),
        "{status:?}"
    );
}

#[tokio::test]
async fn a_stream_keeps_its_order_and_survives_wrong_items() {
    let (_server, mut client) = client().await;
    let expected = positions(3000);
    let items: Vec<_> = expected
        .iter()
        .enumerate()
        .map(|(index, (position, _))| v1::BatchEvaluateRequest {
            id: index.to_string(),
            position: Some(match index % 11 {
                5 => v1::Position {
                    fen: "?".into(),
                    ..Default::default()
                },
                _ => position.clone(),
            }),
            backend: if index % 3 == 0 {
                Backend::Scalar
            } else {
                Backend::Unspecified
            }
            .into(),
            network: String::new(),
        })
        .collect();
    let mut answers = client
        .batch_evaluate(tokio_stream::iter(items))
        .await
        .unwrap()
        .into_inner();
    for (index, (_, expected)) in expected.iter().enumerate() {
        let answer = answers.message().await.unwrap().unwrap();
        assert_eq!((answer.index, answer.id), (index as u64, index.to_string()));
        match answer.outcome.unwrap() {
            Outcome::Response(response) => {
                assert_ne!(index % 11, 5);
                assert_eq!(response.evaluations.len(), 1);
                assert_eq!(value(&response.evaluations[0]), *expected);
                assert_eq!(response.backend() == Backend::Scalar, index % 3 == 0);
            }
            Outcome::Error(error) => {
                assert_eq!((index % 11, error.code), (5, Code::InvalidArgument as i32));
            }
        }
    }
    assert!(answers.message().await.unwrap().is_none());
}
