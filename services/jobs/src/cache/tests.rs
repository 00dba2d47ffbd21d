use std::sync::{
    Mutex,
    atomic::{AtomicU32, Ordering},
};
use std::time::Duration;

use tabiya_api::v1::{ItemError, Limits, Position, SearchStats};

use super::*;
use crate::testing::pins;

/// An engine that answers with how many questions came before, after a while.
#[derive(Default)]
struct Engine {
    asked: Mutex<Vec<String>>,
    count: AtomicU32,
    tables: Mutex<String>,
    /// What it says of its answers.
    clocked: bool,
    fails: bool,
}

#[async_trait::async_trait]
impl Compute for Engine {
    async fn pins(&self) -> Result<Vec<Pins>, Fault> {
        let tables = || self.tables.lock().unwrap().clone();
        let with = |network: &str| Pins {
            network: network.into(),
            tables: tables(),
            ..pins("1")
        };
        Ok(vec![with("ab"), with("cd")])
    }

    fn analyse(&self, requests: Vec<BatchAnalyzeRequest>) -> Answers {
        let (clocked, fails) = (self.clocked, self.fails);
        let mut answers = Vec::new();
        for request in requests {
            let fen = request.position.unwrap_or_default().fen;
            self.asked.lock().unwrap().push(fen);
            let number = self.count.fetch_add(1, Ordering::Relaxed);
            let outcome = if fails {
                Outcome::Error(ItemError::default())
            } else {
                Outcome::Response(AnalyzeResponse {
                    best_move: number.to_string(),
                    stats: Some(SearchStats {
                        deterministic: !clocked,
                        ..SearchStats::default()
                    }),
                    ..AnalyzeResponse::default()
                })
            };
            answers.push(Ok(News::Answer(BatchAnalyzeResponse {
                id: request.id,
                outcome: Some(outcome),
                ..BatchAnalyzeResponse::default()
            })));
        }
        stream::iter(answers)
            .then(|answer| async {
                tokio::time::sleep(Duration::from_millis(30)).await;
                answer
            })
            .boxed()
    }
}

fn cached(engine: Engine) -> (Arc<Engine>, Cached) {
    let engine = Arc::new(engine);
    (engine.clone(), Cached::new(engine, 1 << 20))
}

fn request(id: &str, fen: &str) -> BatchAnalyzeRequest {
    BatchAnalyzeRequest {
        id: id.into(),
        position: Some(Position {
            fen: fen.into(),
            ..Position::default()
        }),
        limits: Some(Limits {
            nodes: 100,
            ..Limits::default()
        }),
        ..BatchAnalyzeRequest::default()
    }
}

async fn ask(cache: &Cached, requests: Vec<BatchAnalyzeRequest>) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut answers = cache.analyse(requests);
    while let Some(answer) = answers.next().await {
        let News::Answer(answer) = answer.unwrap() else {
            continue;
        };
        let text = match answer.outcome.unwrap() {
            Outcome::Response(response) => response.best_move,
            Outcome::Error(_) => "error".to_owned(),
        };
        found.push((answer.id, text));
    }
    found.sort();
    found
}

/// Hits, shared, misses, apart.
fn counts(cache: &Cached) -> [u64; 4] {
    cache.counts().by_result().map(|(_, count)| count)
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs
        .iter()
        .map(|&(id, text)| (id.to_owned(), text.to_owned()))
        .collect()
}

#[tokio::test]
async fn what_is_known_is_not_asked_again() {
    let (engine, cache) = cached(Engine::default());
    let first = ask(&cache, vec![request("a", "x"), request("b", "y")]).await;
    assert_eq!(first, pairs(&[("a", "0"), ("b", "1")]));
    let second = ask(
        &cache,
        vec![request("c", "y"), request("d", "z"), request("e", "x")],
    )
    .await;
    assert_eq!(second, pairs(&[("c", "1"), ("d", "2"), ("e", "0")]));
    assert_eq!(*engine.asked.lock().unwrap(), ["x", "y", "z"]);
    assert_eq!(counts(&cache), [2, 0, 3, 0]);
}

/// With other tables beside it the engine is another one, and its answers are, too.
#[tokio::test]
async fn an_engine_that_changes_is_asked_again() {
    let (engine, cache) = cached(Engine::default());
    let mut found = Vec::new();
    for tables in ["", "cc", "dd", "", "cc"] {
        tables.clone_into(&mut engine.tables.lock().unwrap());
        found.extend(ask(&cache, vec![request("a", "x")]).await);
    }
    let found: Vec<_> = found.into_iter().map(|(_, answer)| answer).collect();
    assert_eq!(found, ["0", "1", "2", "0", "1"]);
}

/// The networks of one engine are told apart.
#[tokio::test]
async fn another_network_has_answers_of_its_own() {
    let (_engine, cache) = cached(Engine::default());
    let mut found = Vec::new();
    for network in ["ab", "cd", "ab", "cd"] {
        let request = BatchAnalyzeRequest {
            network: network.into(),
            ..request("a", "x")
        };
        found.extend(ask(&cache, vec![request]).await);
    }
    let found: Vec<_> = found.into_iter().map(|(_, answer)| answer).collect();
    assert_eq!(found, ["0", "1", "0", "1"]);
}

#[tokio::test]
async fn equal_questions_under_way_are_asked_once() {
    let (engine, cache) = cached(Engine::default());
    let one = || vec![request("a", "x"), request("b", "x"), request("c", "y")];
    let two = || vec![request("d", "y"), request("e", "x")];
    let (one, two) = tokio::join!(ask(&cache, one()), ask(&cache, two()));
    assert_eq!(one, pairs(&[("a", "0"), ("b", "0"), ("c", "1")]));
    assert_eq!(two, pairs(&[("d", "1"), ("e", "0")]));
    assert_eq!(engine.count.load(Ordering::Relaxed), 2);
    assert_eq!(counts(&cache), [0, 3, 2, 0]);
}

#[tokio::test]
async fn whoever_waits_for_somebody_who_leaves_asks_himself() {
    let (engine, cache) = cached(Engine::default());
    let mut leaving = cache.analyse(vec![request("a", "x")]);
    let early = tokio::time::timeout(Duration::from_millis(5), leaving.next()).await;
    assert!(early.is_err());
    let staying = {
        let cache = cache.clone();
        tokio::spawn(async move { ask(&cache, vec![request("b", "x")]).await })
    };
    tokio::time::sleep(Duration::from_millis(5)).await;
    drop(leaving);
    assert_eq!(staying.await.unwrap(), pairs(&[("b", "1")]));
    assert_eq!(engine.count.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn only_what_everybody_would_answer_is_kept() {
    let mut timed = request("a", "x");
    timed.limits = Some(Limits {
        time: Some(prost_types::Duration { seconds: 1, nanos: 0 }),
        ..Limits::default()
    });
    let mut along = request("a", "x");
    along.bulk_mode = BulkMode::AlongGame.into();
    for request in [timed, along] {
        let (engine, cache) = cached(Engine::default());
        ask(&cache, vec![request.clone()]).await;
        ask(&cache, vec![request]).await;
        assert_eq!(engine.count.load(Ordering::Relaxed), 2);
        assert_eq!(counts(&cache), [0, 0, 0, 2]);
    }
    for engine in [
        Engine {
            clocked: true,
            ..Engine::default()
        },
        Engine {
            fails: true,
            ..Engine::default()
        },
    ] {
        let (engine, cache) = cached(engine);
        assert_eq!(ask(&cache, vec![request("a", "x")]).await.len(), 1);
        assert_eq!(
            ask(&cache, vec![request("a", "x"), request("b", "x")])
                .await
                .len(),
            2
        );
        assert_eq!(
            engine.count.load(Ordering::Relaxed),
            2,
            "once for those who ask together"
        );
        assert_eq!(counts(&cache), [0, 1, 2, 0]);
    }
}

#[test]
fn the_key_is_everything_that_an_answer_depends_on() {
    let base = request("a", "x");
    let same = BatchAnalyzeRequest {
        id: "other".into(),
        multipv: 1,
        backend: 3,
        bulk_mode: BulkMode::Independent.into(),
        ..base.clone()
    };
    let pins = pins("1");
    let second = Pins {
        network: "cd".into(),
        ..pins.clone()
    };
    let both = [pins.clone(), second];
    let key = |request: &BatchAnalyzeRequest| key(&both, request);
    assert_eq!(key(&same), key(&base));
    let mut others = vec![base.clone(); 6];
    others[0].multipv = 2;
    others[1].network = "cd".into();
    others[2].search_moves = vec!["e2e4".into()];
    others[3].limits.as_mut().unwrap().nodes = 101;
    others[4].position.as_mut().unwrap().moves = vec!["g1f3".into()];
    others[5].position.as_mut().unwrap().variant = 2;
    for other in &others {
        assert!(
            key(other).is_some_and(|other| Some(other) != key(&base)),
            "{other:?}"
        );
    }
    // The engine will say what it thinks of a network that it does not have.
    let unknown = BatchAnalyzeRequest {
        network: "n".into(),
        ..base.clone()
    };
    assert_eq!(key(&unknown), None);
    for other in [
        Pins {
            tables: "cc".into(),
            ..pins.clone()
        },
        Pins {
            network: "cd".into(),
            ..pins.clone()
        },
    ] {
        assert_ne!(
            super::key(std::slice::from_ref(&other), &base),
            key(&base),
            "{other}"
        );
    }
}
