//! Bulk analysis along games: the same answers however a game is sent and whatever runs beside it.

use crate::common;

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use tabiya_api::v1::{
    self, AnalyzeResponse, BatchAnalyzeRequest, BatchAnalyzeResponse, BulkMode, Line,
    batch_analyze_response::Outcome, search_service_client::SearchServiceClient,
};
use tabiya_server::{Config, RunningServer, Server};
use tokio_stream::{StreamExt, wrappers::ReceiverStream};
use tonic::transport::Channel;

/// What a busy machine may take.
const PATIENCE: Duration = Duration::from_secs(60);

const SPANISH: &str = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7 f1e1 b7b5 a4b3 d7d6 c2c3 e8g8";
const QUEENS: &str = "d2d4 d7d5 c2c4 e7e6 b1c3 g8f6 c1g5 f8e7 e2e3 e8g8 g1f3 b8d7";
const MATE: &str = "f2f3 e7e5 g2g4 d8h4";

async fn client() -> (RunningServer, SearchServiceClient<Channel>) {
    let config = Config {
        bulk_threads: 2,
        ..common::config()
    };
    let server = Server::start(config).unwrap();
    let client = SearchServiceClient::new(common::channel(server.addr()).await);
    (server, client)
}

/// The positions of a game from the first on.
fn items(game: &str, moves: &str) -> Vec<BatchAnalyzeRequest> {
    let moves: Vec<String> = moves.split(' ').map(str::to_owned).collect();
    (0..=moves.len())
        .map(|ply| BatchAnalyzeRequest {
            id: format!("{} {ply}", moves[0]),
            position: Some(v1::Position {
                moves: moves[..ply].to_vec(),
                ..Default::default()
            }),
            limits: Some(v1::Limits {
                nodes: 2_000,
                ..Default::default()
            }),
            bulk_mode: BulkMode::AlongGame.into(),
            game: game.into(),
            ..Default::default()
        })
        .collect()
}

fn reversed(mut items: Vec<BatchAnalyzeRequest>) -> Vec<BatchAnalyzeRequest> {
    items.reverse();
    items
}

fn unwrap(answer: BatchAnalyzeResponse) -> AnalyzeResponse {
    match answer.outcome {
        Some(Outcome::Response(response)) => response,
        other => panic!("{}: {other:?}", answer.id),
    }
}

async fn ask(
    client: &SearchServiceClient<Channel>,
    items: Vec<BatchAnalyzeRequest>,
) -> Vec<BatchAnalyzeResponse> {
    let total = items.len();
    let answers = client
        .clone()
        .batch_analyze(tokio_stream::iter(items))
        .await
        .unwrap()
        .into_inner();
    let answers: Vec<_> = answers.map(Result::unwrap).collect().await;
    assert_eq!(answers.len(), total);
    answers
}

/// Everything about an answer but its times, by its item.
type Facts = BTreeMap<String, (Vec<Line>, u64, u64, u64)>;

fn facts(answers: Vec<BatchAnalyzeResponse>) -> Facts {
    let one = |answer: BatchAnalyzeResponse| {
        assert_eq!(answer.bulk_mode, i32::from(BulkMode::AlongGame));
        let id = answer.id.clone();
        let AnalyzeResponse { lines, stats, .. } = unwrap(answer);
        let stats = stats.unwrap();
        assert!(stats.deterministic, "{id}");
        (id, (lines, stats.nodes, stats.evaluations, stats.tt_hits))
    };
    answers.into_iter().map(one).collect()
}

#[tokio::test]
async fn an_answer_depends_on_its_game_alone() {
    let (_server, client) = client().await;
    let spanish = facts(ask(&client, items("", SPANISH)).await);
    // Again, from the last position to the first, by name, and beside other games.
    assert_eq!(facts(ask(&client, reversed(items("", SPANISH))).await), spanish);
    assert_eq!(facts(ask(&client, items("one", SPANISH)).await), spanish);
    let queens = facts(ask(&client, items("", QUEENS)).await);
    let mate = facts(ask(&client, items("", MATE)).await);
    for (first, second, third) in [("", "", ""), ("a", "b", "c")] {
        let mut all = items(first, QUEENS);
        all.extend(items(second, SPANISH));
        all.extend(items(third, MATE));
        all.extend(reversed(items("backwards", QUEENS)));
        let mut together = facts(ask(&client, all).await);
        for (game, moves) in [(&spanish, SPANISH), (&queens, QUEENS), (&mate, MATE)] {
            for (id, facts) in game {
                assert_eq!(together.remove(id).as_ref(), Some(facts), "{moves}: {id}");
            }
        }
    }
}

#[tokio::test]
async fn earlier_positions_use_what_later_ones_left() {
    let (_server, client) = client().await;
    let along = ask(&client, items("", SPANISH)).await;
    // From the last to the first.
    let order: Vec<u64> = along.iter().map(|answer| answer.index).collect();
    assert_eq!(order, (0..along.len() as u64).rev().collect::<Vec<_>>());
    let mut alone = items("", SPANISH);
    for item in &mut alone {
        item.bulk_mode = BulkMode::Independent.into();
    }
    let evaluations = |answers: Vec<BatchAnalyzeResponse>| -> u64 {
        let one = |answer| unwrap(answer).stats.unwrap().evaluations;
        answers.into_iter().map(one).sum()
    };
    let (along, alone) = (evaluations(along), evaluations(ask(&client, alone).await));
    assert!(along < alone, "{along} {alone}");
    // A game's last position, with nothing behind it, gets what it gets alone.
    let last = items("", QUEENS).pop().unwrap();
    let as_game = ask(&client, vec![last.clone()]).await.remove(0);
    let by_itself = BatchAnalyzeRequest {
        bulk_mode: BulkMode::Independent.into(),
        ..last
    };
    let by_itself = ask(&client, vec![by_itself]).await.remove(0);
    assert_eq!(unwrap(as_game).best_move, unwrap(by_itself).best_move);
}

#[tokio::test]
async fn wrong_items_and_other_modes_stand_between() {
    let (_server, client) = client().await;
    let clean = facts(ask(&client, items("g", SPANISH)).await);
    let mut mixed = items("g", SPANISH);
    let wrong = BatchAnalyzeRequest {
        id: "wrong".into(),
        position: Some(v1::Position {
            moves: vec!["e2e5".into()],
            ..Default::default()
        }),
        ..mixed[3].clone()
    };
    let independent = BatchAnalyzeRequest {
        id: "independent".into(),
        bulk_mode: BulkMode::Unspecified.into(),
        ..mixed[3].clone()
    };
    mixed.insert(5, wrong);
    mixed.push(independent);
    let mut answers = ask(&client, mixed).await;
    answers.retain(|answer| match answer.id.as_str() {
        "wrong" => {
            assert!(matches!(&answer.outcome, Some(Outcome::Error(error)) if error.code == 3));
            assert_eq!(answer.bulk_mode, i32::from(BulkMode::Unspecified));
            false
        }
        "independent" => {
            assert_eq!(answer.bulk_mode, i32::from(BulkMode::Independent));
            false
        }
        _ => true,
    });
    assert_eq!(facts(answers), clean);
}

/// Long games are cut where the move count says, so that an answer does not depend on where sending began.
#[tokio::test]
async fn a_long_game_is_cut_and_answered() {
    let (_server, client) = client().await;
    let shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"];
    let moves: Vec<&str> = shuffle.iter().copied().cycle().take(300).collect();
    let mut all = items("long", &moves.join(" "));
    for item in &mut all {
        item.limits = Some(v1::Limits {
            nodes: 50,
            ..Default::default()
        });
    }
    let whole = facts(ask(&client, all.clone()).await);
    assert_eq!(whole.len(), 301);
    let rest = facts(ask(&client, all.split_off(100)).await);
    for (id, facts) in rest {
        assert_eq!(whole.get(&id), Some(&facts), "{id}");
    }
}

/// A caller who waits for answers before a game is complete gets them after a pause, marked.
#[tokio::test]
async fn a_caller_who_waits_is_not_left_waiting() {
    let (_server, client) = client().await;
    let (sender, receiver) = tokio::sync::mpsc::channel(64);
    for item in items("", MATE) {
        sender.send(item).await.unwrap();
    }
    let asked = Instant::now();
    let mut answers = client
        .clone()
        .batch_analyze(ReceiverStream::new(receiver))
        .await
        .unwrap()
        .into_inner();
    for _ in items("", MATE) {
        let answer = answers.message().await.unwrap().unwrap();
        assert_eq!(answer.bulk_mode, i32::from(BulkMode::AlongGame));
        assert!(!unwrap(answer).stats.unwrap().deterministic);
    }
    assert!(asked.elapsed() < PATIENCE);
    drop(sender);
    assert!(answers.message().await.unwrap().is_none());
}

/// Dropping the call frees its threads in the middle of a game.
#[tokio::test]
async fn a_dropped_call_stops_its_games() {
    let (server, client) = client().await;
    let mut long = Vec::new();
    for game in ["a", "b", "c"] {
        for mut item in items(game, SPANISH) {
            item.limits = Some(v1::Limits {
                nodes: 1_000_000_000,
                ..Default::default()
            });
            long.push(item);
        }
    }
    let answers = client
        .clone()
        .batch_analyze(tokio_stream::iter(long))
        .await
        .unwrap();
    common::until_busy(server.admin_addr(), "search_bulk").await;
    drop(answers);
    let asked = Instant::now();
    assert_eq!(ask(&client, items("", MATE)).await.len(), 5);
    assert!(asked.elapsed() < PATIENCE, "{:?}", asked.elapsed());
}

/// With nothing but a deadline, each item of a game gets its share of the time.
#[tokio::test]
async fn a_deadline_is_shared_by_the_items_of_a_game() {
    let (_server, client) = client().await;
    let mut all = items("", QUEENS);
    for item in &mut all {
        item.limits = None;
    }
    let total = all.len();
    let answers = common::in_time(|| {
        let mut request = tonic::Request::new(tokio_stream::iter(all.clone()));
        request.set_timeout(Duration::from_secs(8));
        let mut client = client.clone();
        async move {
            let mut answers = client.batch_analyze(request).await?.into_inner();
            let mut all = Vec::new();
            while let Some(answer) = answers.message().await? {
                all.push(answer);
            }
            Ok(all)
        }
    });
    let answers = answers.await;
    assert_eq!(answers.len(), total);
    let depths: Vec<u32> = answers
        .into_iter()
        .map(|answer| {
            let answer = unwrap(answer);
            assert_eq!(answer.stopped_by(), v1::StoppedBy::Deadline);
            answer.depth
        })
        .collect();
    assert!(depths.iter().all(|depth| *depth > 0), "{depths:?}");
}
