//! Decisions that are long: in time, and in bytes.

use crate::common;

use std::time::{Duration, Instant};

use common::page::Page;
use tabiya_api::v1::{
    self, Color, adjudicate_request::Game, arbiter_service_client::ArbiterServiceClient,
    batch_adjudicate_request, batch_adjudicate_response::Outcome, event::Kind,
};
use tabiya_server::{Config, RunningServer, Server};
use tonic::{Code, Request, Status, transport::Channel};
use tonic_types::StatusExt;

/// One thread decides, so that a decision that goes on is felt by the next.
async fn client() -> (RunningServer, ArbiterServiceClient<Channel>) {
    let config = Config {
        rules_threads: 1,
        ..common::config()
    };
    let server = Server::start(config).unwrap();
    let client = ArbiterServiceClient::new(common::channel(server.addr()).await);
    (server, client)
}

fn event(actor: Color, kind: Kind) -> v1::Event {
    v1::Event {
        actor: actor.into(),
        kind: Some(kind),
        ..Default::default()
    }
}

fn disturbing() -> v1::Event {
    let breach = v1::BreachEvent {
        breach: v1::Breach::Disturbing.into(),
    };
    event(Color::White, Kind::Breach(breach))
}

/// As many events as there may be; the last of them correct the first, by turns into one that ends the game and back, which
/// changes the rulings on all the others.
fn many_events() -> Vec<v1::Event> {
    const EDITS: usize = 16;

    let resignation = event(Color::White, Kind::Resignation(v1::ResignationEvent {}));
    let mut events = vec![disturbing(); 4096 - EDITS];
    for turn in 0..EDITS {
        let replacement = [&resignation, &events[1]][turn % 2].clone();
        let correction = v1::CorrectionEvent {
            event: 0,
            replacement: Some(Box::new(replacement)),
        };
        events.push(event(Color::Unspecified, Kind::Correction(Box::new(correction))));
    }
    events
}

fn small() -> v1::AdjudicateRequest {
    v1::AdjudicateRequest {
        game: Some(Game::Position(v1::Position {
            moves: vec!["e2e4".into()],
            ..Default::default()
        })),
        ..Default::default()
    }
}

/// The field that the answer would be too long for.
fn too_long(status: &Status) -> (String, String) {
    assert_eq!(status.code(), Code::InvalidArgument, "{status:?}");
    let first = &status.get_details_bad_request().unwrap().field_violations[0];
    (first.field.clone(), first.description.clone())
}

const TOO_LONG: &str = "`4096`: the answer would be longer than 4194304 bytes; ask for less in one message";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_is_too_long_is_given_up_early() {
    let (server, mut client) = client().await;
    let expected = ("events".to_owned(), TOO_LONG.to_owned());
    let one = v1::AdjudicateRequest {
        events: many_events(),
        ..Default::default()
    };
    assert_eq!(too_long(&client.adjudicate(one).await.unwrap_err()), expected);
    let sixteen = v1::CompareRulingsRequest {
        rulesets: vec!["fide-2023".into(); 16],
        events: many_events(),
        ..Default::default()
    };
    assert_eq!(
        too_long(&client.compare_rulings(sixteen).await.unwrap_err()),
        expected
    );
    common::shutdown(server).await;
}

#[tokio::test]
async fn an_item_whose_answer_is_too_long_ends_alone() {
    let (server, mut client) = client().await;
    let item = |id: &str, events| v1::BatchAdjudicateRequest {
        id: id.into(),
        game: Some(batch_adjudicate_request::Game::Position(v1::Position::default())),
        events,
        ..Default::default()
    };
    let items = [
        item("first", Vec::new()),
        item("long", many_events()),
        item("last", vec![disturbing()]),
    ];
    let mut answers = client
        .batch_adjudicate(tokio_stream::iter(items))
        .await
        .unwrap()
        .into_inner();
    for (index, id) in ["first", "long", "last"].into_iter().enumerate() {
        let answer = answers.message().await.unwrap().unwrap();
        assert_eq!((answer.index, answer.id.as_str()), (index as u64, id));
        match answer.outcome.unwrap() {
            Outcome::Response(_) => assert_ne!(id, "long"),
            Outcome::Error(error) => {
                assert_eq!((id, error.code), ("long", Code::InvalidArgument as i32));
                assert_eq!(error.violations[0].field, "events");
                assert!(TOO_LONG.ends_with(&error.violations[0].reason));
            }
        }
    }
    assert!(answers.message().await.unwrap().is_none());
    common::shutdown(server).await;
}

/// A game with questions about who can still mate that take long to answer: the flag falls again and again, and each time the
/// position is another one.
fn long() -> v1::AdjudicateRequest {
    // Black is walled in, which takes more than 200,000 positions to see.
    let fen = "1k6/1P1p1p1p/BP1p1p1p/1P1p1p1p/8/3P1P1P/3P1P1P/3K4 w - - 0 1";
    let mv = |actor, text: &str| {
        let mv = v1::MoveEvent {
            text: text.into(),
            ..Default::default()
        };
        event(actor, Kind::Move(mv))
    };
    let flag = || {
        let flag = v1::FlagFallEvent {
            side: Color::White.into(),
            ..Default::default()
        };
        event(Color::Unspecified, Kind::FlagFall(flag))
    };
    let mut events = Vec::new();
    for (turn, pawn) in ["d5d4", "f5f4", "h5h4", "d6d5", "f6f5", "h6h5"]
        .into_iter()
        .enumerate()
    {
        events.push(flag());
        events.push(mv(Color::White, ["d1c1", "c1d1"][turn % 2]));
        events.push(mv(Color::Black, pawn));
    }
    v1::AdjudicateRequest {
        game: Some(Game::Position(v1::Position {
            fen: fen.into(),
            ..Default::default()
        })),
        events,
        ..Default::default()
    }
}

/// What a busy machine may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// Decisions at once that would keep the only thread busy for longer than a test waits.
const CROWD: usize = 12;

/// Whether the threads for single calls and for streams are soon free again.
async fn is_free(client: &mut ArbiterServiceClient<Channel>) {
    let asked = Instant::now();
    client.adjudicate(small()).await.unwrap();
    let item = tokio_stream::once(v1::BatchAdjudicateRequest::default());
    let mut answers = client.batch_adjudicate(item).await.unwrap().into_inner();
    assert!(answers.message().await.unwrap().is_some());
    assert!(asked.elapsed() < PATIENCE, "{:?}", asked.elapsed());
}

#[tokio::test]
async fn a_long_decision_goes_into_an_open_question() {
    let (server, mut client) = client().await;
    let answer = client.adjudicate(long()).await.unwrap().into_inner();
    let codes: Vec<_> = answer.rulings.iter().map(|ruling| ruling.code.as_str()).collect();
    assert_eq!(codes[0], "Undecided", "{codes:?}");
    common::shutdown(server).await;
}

#[tokio::test]
async fn decisions_end_at_their_deadline() {
    let (server, mut client) = client().await;
    let calls = (0..CROWD).map(|call| {
        let mut client = client.clone();
        tokio::spawn(async move {
            let timeout = Duration::from_millis(400);
            let ended = match call % 3 {
                0 => {
                    let mut request = Request::new(long());
                    request.set_timeout(timeout);
                    client.adjudicate(request).await.err()
                }
                1 => {
                    let long = long();
                    let Some(Game::Position(position)) = long.game else {
                        unreachable!("a position")
                    };
                    let mut request = Request::new(v1::CompareRulingsRequest {
                        rulesets: vec!["fide-2023".into(); 2],
                        game: Some(v1::compare_rulings_request::Game::Position(position)),
                        events: long.events,
                        ..Default::default()
                    });
                    request.set_timeout(timeout);
                    client.compare_rulings(request).await.err()
                }
                _ => {
                    let mut request = Request::new(tokio_stream::iter([item()]));
                    request.set_timeout(timeout);
                    match client.batch_adjudicate(request).await {
                        Ok(answers) => answers.into_inner().message().await.err(),
                        Err(status) => Some(status),
                    }
                }
            };
            ended.map(|status| status.code())
        })
    });
    for call in calls.collect::<Vec<_>>() {
        // The caller's own clock says CANCELLED when it is a little faster.
        let ended = call.await.unwrap();
        assert!(
            matches!(ended, Some(Code::DeadlineExceeded | Code::Cancelled)),
            "{ended:?}"
        );
    }
    is_free(&mut client).await;
    common::shutdown(server).await;
}

fn item() -> v1::BatchAdjudicateRequest {
    let long = long();
    let Some(Game::Position(position)) = long.game else {
        unreachable!("a position")
    };
    v1::BatchAdjudicateRequest {
        game: Some(batch_adjudicate_request::Game::Position(position)),
        events: long.events,
        ..Default::default()
    }
}

#[tokio::test]
async fn decisions_end_when_their_callers_leave() {
    let (server, mut client) = client().await;
    let calls: Vec<_> = (0..CROWD)
        .map(|_| {
            let mut client = client.clone();
            tokio::spawn(async move { client.adjudicate(long()).await })
        })
        .collect();
    let stream = client
        .batch_adjudicate(tokio_stream::iter(vec![item(); 40]))
        .await
        .unwrap();
    Page::until(server.admin_addr(), "tabiya_busy_threads", &[], 1.0).await;
    calls.iter().for_each(|call| call.abort());
    drop(stream);
    is_free(&mut client).await;
    common::shutdown(server).await;
}
