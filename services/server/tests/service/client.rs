//! The Rust client against a server that is busy, restarts, or refuses.

use crate::common;

use std::time::{Duration, Instant};

use common::{certificates::Folder, page::Page};
use tabiya_client::{Access, Client, ClientError, RetryPolicy, v1};
use tabiya_server::{Config, Server, auth::Token};
use tonic::Code;

fn item(index: usize) -> v1::BatchAnalyzeRequest {
    let limits = Some(v1::Limits {
        nodes: 3000,
        ..Default::default()
    });
    v1::BatchAnalyzeRequest {
        id: format!("item {index}"),
        limits,
        ..Default::default()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bulk_stream_outlives_a_restart_of_the_server() {
    const ITEMS: usize = 600;
    let server = Server::start(common::config()).unwrap();
    let listen = server.addr();
    let client = Client::connect(&listen.to_string()).await.unwrap();
    let mut results = client.analyze_many(tokio_stream::iter((0..ITEMS).map(item)), 32);

    let mut seen = vec![false; ITEMS];
    let mut server = Some(server);
    let mut count = 0;
    while let Some(result) = results.next().await {
        let answer = result.unwrap();
        let index = usize::try_from(answer.index).unwrap();
        assert_eq!(answer.id, format!("item {index}"));
        assert!(
            !std::mem::replace(&mut seen[index], true),
            "item {index} came twice"
        );
        count += 1;
        if count == ITEMS / 3 {
            common::shutdown(server.take().unwrap()).await;
            server = Some(
                Server::start(Config {
                    listen,
                    ..common::config()
                })
                .unwrap(),
            );
        }
    }
    assert!(seen.iter().all(|&seen| seen), "{count} of {ITEMS}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unary_calls_outlive_a_restart_too() {
    let server = Server::start(common::config()).unwrap();
    let listen = server.addr();
    // A busy machine may take its time over the restart.
    let patient = RetryPolicy {
        attempts: 12,
        ..RetryPolicy::default()
    };
    let client = Client::connect(&format!("http://{listen}"))
        .await
        .unwrap()
        .with_retries(patient);
    assert_eq!(
        client.legal_moves(Default::default()).await.unwrap().moves.len(),
        20
    );
    let calls = tokio::spawn({
        let client = client.clone();
        async move {
            for _ in 0..200 {
                client.legal_moves(Default::default()).await.unwrap();
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }
    });
    tokio::time::sleep(Duration::from_millis(200)).await;
    common::shutdown(server).await;
    let _server = Server::start(Config {
        listen,
        ..common::config()
    })
    .unwrap();
    calls.await.unwrap();
}

#[tokio::test]
async fn a_refusal_comes_back_at_once_with_every_reason() {
    let server = common::start();
    let client = Client::connect(&server.addr().to_string()).await.unwrap();
    let position = Some(v1::Position {
        fen: "8/8/8/8/8/8/8/8 w - - 0 1".into(),
        ..Default::default()
    });
    let error = client
        .legal_moves(v1::LegalMovesRequest {
            position,
            include_fen: false,
        })
        .await
        .unwrap_err();
    assert_eq!(error.code(), Some(Code::InvalidArgument));
    let text = error.to_string();
    assert!(text.matches("position.fen").count() >= 2, "{text}");

    assert!(matches!(
        Client::connect("127.0.0.1:1").await,
        Err(ClientError::Connect { .. })
    ));
    assert!(matches!(
        Client::connect("not an address").await,
        Err(ClientError::Endpoint { .. })
    ));
}

#[tokio::test]
async fn evaluations_come_in_order() {
    let server = common::start();
    let client = Client::connect(&server.addr().to_string()).await.unwrap();
    let items = (0..300).map(|index| v1::BatchEvaluateRequest {
        id: index.to_string(),
        ..Default::default()
    });
    let mut results = client.evaluate_many(tokio_stream::iter(items), 64);
    for index in 0..300_u64 {
        let answer = results.next().await.unwrap().unwrap();
        assert_eq!((answer.index, answer.id), (index, index.to_string()));
    }
    assert!(results.next().await.is_none());
}

/// Not before the time that the server proposes: it would only refuse again.
#[tokio::test]
async fn a_client_comes_back_when_the_server_proposes() {
    let token = Token::generate().unwrap();
    let folder = Folder::new();
    let entry = format!(
        "[[token]]\nname = \"site\"\nsha256 = \"{}\"\nroles = [\"read\"]\npositions_per_second = 2\n",
        token.hash()
    );
    let server = Server::start(Config {
        tokens: Some(folder.write("tokens.toml", &entry)),
        ..common::config()
    })
    .unwrap();
    let access = Access::default().with_token(token.expose()).unwrap();
    let endpoint = format!("http://{}", server.addr());
    let patient = Client::connect_with(&endpoint, &access).await.unwrap();
    let once = RetryPolicy {
        attempts: 1,
        ..RetryPolicy::default()
    };
    let hasty = Client::connect_with(&endpoint, &access)
        .await
        .unwrap()
        .with_retries(once);
    let begun = Instant::now();
    let mut came_back = 0;
    // On a machine that stands still for as long as the pause nobody has to come back.
    while came_back < 5 {
        assert!(begun.elapsed() < Duration::from_secs(120), "never refused");
        let (asked, error) = loop {
            let asked = Instant::now();
            if let Err(error) = hasty.legal_moves(Default::default()).await {
                break (asked, error);
            }
        };
        assert_eq!(error.code(), Some(Code::ResourceExhausted), "{error:?}");
        let proposed = error.retry_after().unwrap();
        assert!(proposed <= Duration::from_secs(1), "{proposed:?}");
        let before = patient.statistics().retries;
        let answer = patient.legal_moves(Default::default()).await.unwrap();
        assert_eq!(answer.moves.len(), 20);
        let retries = patient.statistics().retries - before;
        assert!(retries <= 1, "{retries}");
        if retries == 1 {
            came_back += 1;
            assert!(
                asked.elapsed() >= proposed,
                "{:?} of {proposed:?}",
                asked.elapsed()
            );
        }
    }
    assert_eq!(hasty.statistics().retries, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_busy_server_answers_whoever_comes_back() {
    let server = Server::start(Config {
        interactive_positions: 1,
        ..common::config()
    })
    .unwrap();
    let address = server.addr().to_string();
    let holder = Client::connect(&address).await.unwrap();
    let client = Client::connect(&address).await.unwrap();
    let held = tokio::spawn(async move {
        let limits = Some(v1::Limits {
            time: Some(Duration::from_secs(600).try_into().unwrap()),
            ..Default::default()
        });
        let request = v1::BestMoveRequest {
            limits,
            ..Default::default()
        };
        holder.best_move(request).await
    });
    let place = [("class", "interactive")];
    Page::until(server.admin_addr(), "tabiya_admitted_positions", &place, 1.0).await;
    let asking = tokio::spawn({
        let client = client.clone();
        async move { client.legal_moves(Default::default()).await }
    });
    while client.statistics().retries == 0 {
        assert!(!asking.is_finished(), "{:?}", asking.await);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    held.abort();
    assert_eq!(asking.await.unwrap().unwrap().moves.len(), 20);
}
