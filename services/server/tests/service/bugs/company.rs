//! LeelaChessZero/lc0#957, #1961, ollama/ollama#6187: what a position is worth depends on what else is evaluated, or the
//! answers come back to the wrong questions.

use futures_util::{StreamExt, stream};
use tabiya_api::v1::{
    self, Backend, batch_evaluate_response::Outcome, search_service_client::SearchServiceClient,
};
use tabiya_rules::{Board, MoveList};
use tonic::transport::Channel;

use crate::common;

/// Positions of games that wander about.
fn positions(count: usize) -> Vec<v1::Position> {
    let mut board = Board::startpos();
    let mut found = Vec::with_capacity(count);
    let mut turn = 0x9e37_79b9_7f4a_7c15_u64;
    while found.len() < count {
        let mut moves = MoveList::new();
        board.legal_moves(&mut moves);
        if moves.is_empty() || found.len() % 40 == 39 {
            board = Board::startpos();
            moves.clear();
            board.legal_moves(&mut moves);
        }
        turn ^= turn << 13;
        turn ^= turn >> 7;
        turn ^= turn << 17;
        board.play(moves[(turn >> 33) as usize % moves.len()]);
        found.push(v1::Position {
            fen: tabiya_rules::fen::xfen(&board),
            ..Default::default()
        });
    }
    found
}

async fn values(
    client: &SearchServiceClient<Channel>,
    backend: Backend,
    positions: Vec<v1::Position>,
) -> Vec<Option<v1::Score>> {
    let request = v1::EvaluateRequest {
        positions,
        backend: backend.into(),
        ..Default::default()
    };
    let answer = client.clone().evaluate(request).await.unwrap().into_inner();
    answer.evaluations.into_iter().map(|value| value.score).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_value_does_not_depend_on_its_company() {
    let server = common::start();
    let channel = common::channel(server.addr()).await;
    common::until_ready(&channel).await;
    let client = SearchServiceClient::new(channel);
    let positions = positions(200);
    let mut alone = Vec::new();
    for position in &positions {
        let mut value = values(&client, Backend::Scalar, vec![position.clone()]).await;
        alone.push(value.pop().unwrap());
    }
    assert!(alone.windows(2).any(|pair| pair[0] != pair[1]));

    for backend in [Backend::Cpu, Backend::Scalar, Backend::Auto] {
        // Together, in other orders, and twice.
        for step in [1, 3, 67, 199] {
            let order: Vec<usize> = (0..200).map(|index| index * step % 200).collect();
            let asked = order.iter().map(|&index| positions[index].clone()).collect();
            let told = values(&client, backend, asked).await;
            for (&index, value) in order.iter().zip(told) {
                assert_eq!(value, alone[index], "{backend:?}, step {step}");
            }
        }
        let twice: Vec<_> = positions
            .iter()
            .flat_map(|position| [position.clone(), position.clone()])
            .collect();
        let told = values(&client, backend, twice).await;
        assert!(
            told.chunks(2)
                .zip(&alone)
                .all(|(pair, value)| pair[0] == *value && pair[1] == *value)
        );
        // Beside 32 others.
        let calls = stream::iter(0..32).map(|caller: usize| {
            let (client, positions, alone) = (&client, &positions, &alone);
            async move {
                let order: Vec<usize> = (0..50).map(|index| (index * 7 + caller * 31) % 200).collect();
                let asked = order.iter().map(|&index| positions[index].clone()).collect();
                let told = values(client, backend, asked).await;
                for (index, value) in order.into_iter().zip(told) {
                    assert_eq!(value, alone[index], "{backend:?}, caller {caller}");
                }
            }
        });
        calls.buffer_unordered(32).for_each(async |()| {}).await;
    }

    // An item that is wrong changes nothing for those around it.
    let items: Vec<_> = positions
        .iter()
        .enumerate()
        .map(|(index, position)| v1::BatchEvaluateRequest {
            id: format!("number {index}"),
            position: Some(match index {
                100 => v1::Position {
                    fen: "banana".into(),
                    ..Default::default()
                },
                _ => position.clone(),
            }),
            ..Default::default()
        })
        .collect();
    let stream = client.clone().batch_evaluate(tokio_stream::iter(items)).await;
    let mut answers = stream.unwrap().into_inner();
    for (index, value) in alone.iter().enumerate() {
        let answer = answers.message().await.unwrap().unwrap();
        assert_eq!(answer.id, format!("number {index}"));
        match answer.outcome.unwrap() {
            Outcome::Response(answer) => assert_eq!(answer.evaluations[0].score, *value),
            Outcome::Error(_) => assert_eq!(index, 100),
        }
    }
}
