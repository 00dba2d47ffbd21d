//! Searches on several threads.

use crate::common;

use std::time::{Duration, Instant};

use tabiya_api::v1::{
    self, Backend, StoppedBy, batch_analyze_response::Outcome, score::Kind,
    search_service_client::SearchServiceClient,
};
use tabiya_server::{Config, RunningServer, Server};
use tonic::{Code, transport::Channel};
use tonic_types::StatusExt;

/// What a busy machine may take; the search that is in the way has no end.
const PATIENCE: Duration = Duration::from_secs(60);

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

/// A server with as many search threads as one search may have.
async fn client(threads: usize) -> (RunningServer, SearchServiceClient<Channel>) {
    let config = Config {
        interactive_threads: threads,
        threads_per_search: threads,
        ..common::config()
    };
    let server = Server::start(config).unwrap();
    let client = SearchServiceClient::new(common::channel(server.addr()).await);
    (server, client)
}

fn ask(threads: u32, fen: &str, nodes: u64) -> v1::BestMoveRequest {
    v1::BestMoveRequest {
        position: Some(v1::Position {
            fen: fen.into(),
            ..Default::default()
        }),
        limits: Some(v1::Limits {
            nodes,
            ..Default::default()
        }),
        threads,
        ..Default::default()
    }
}

#[tokio::test]
async fn idle_threads_help_and_the_answer_says_so() {
    let (_server, mut client) = client(4).await;
    let info = client
        .get_engine_info(v1::GetEngineInfoRequest {})
        .await
        .unwrap()
        .into_inner();
    assert_eq!(info.limits.unwrap().max_threads_per_search, 4);

    let alone = client
        .best_move(ask(1, KIWIPETE, 50_000))
        .await
        .unwrap()
        .into_inner();
    let stats = alone.stats.unwrap();
    assert_eq!(
        (stats.threads, stats.nodes, stats.deterministic),
        (1, 50_000, true)
    );

    let answer = client
        .best_move(ask(4, KIWIPETE, 50_000))
        .await
        .unwrap()
        .into_inner();
    assert_eq!(answer.stopped_by(), StoppedBy::Nodes);
    let stats = answer.stats.unwrap();
    assert_eq!((stats.threads, stats.deterministic), (4, false));
    assert!(
        stats.nodes <= 50_000 && stats.nodes > 50_000 - 4 * 64,
        "{stats:?}"
    );
    assert!(stats.evaluations > 0 && stats.tt_hits > 0);

    let mate = client
        .best_move(ask(3, "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1", 300_000))
        .await
        .unwrap()
        .into_inner();
    assert_eq!(mate.lines[0].score.unwrap().kind, Some(Kind::MateIn(3)));

    // The reference kernel takes helpers, too; a stalemate needs none.
    let scalar = v1::BestMoveRequest {
        backend: Backend::Scalar.into(),
        ..ask(2, KIWIPETE, 5_000)
    };
    let stats = client
        .best_move(scalar)
        .await
        .unwrap()
        .into_inner()
        .stats
        .unwrap();
    assert_eq!((stats.threads, stats.backend()), (2, Backend::Scalar));
    let stalemate = client
        .best_move(ask(4, "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 100))
        .await;
    assert_eq!(
        stalemate.unwrap().into_inner().stopped_by(),
        StoppedBy::NoLegalMoves
    );
}

#[tokio::test]
async fn more_than_allowed_is_refused() {
    let (_server, mut client) = client(2).await;
    let refusal = client.best_move(ask(3, KIWIPETE, 100)).await.unwrap_err();
    assert_eq!(refusal.code(), Code::InvalidArgument);
    let violations = refusal.get_details_bad_request().unwrap().field_violations;
    assert_eq!(violations[0].field, "threads");
    // Bulk work has a thread an item.
    let v1::BestMoveRequest { position, limits, .. } = ask(1, KIWIPETE, 100);
    let item = v1::BatchAnalyzeRequest {
        position,
        limits,
        threads: 2,
        ..Default::default()
    };
    let mut answers = client
        .batch_analyze(tokio_stream::iter([item]))
        .await
        .unwrap()
        .into_inner();
    let answer = answers.message().await.unwrap().unwrap();
    let Some(Outcome::Error(error)) = answer.outcome else {
        panic!("{answer:?}");
    };
    assert_eq!(error.violations[0].field, "threads");
}

/// A search that has every thread gives one up when somebody else calls, and goes on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_starves_beside_a_search_on_all_threads() {
    let (_server, mut client) = client(3).await;
    let v1::BestMoveRequest { position, .. } = ask(1, KIWIPETE, 1);
    let request = v1::AnalyzeRequest {
        position,
        limits: Some(v1::Limits {
            depth: 100,
            ..Default::default()
        }),
        threads: 3,
        ..Default::default()
    };
    let mut long = client.clone().analyze(request).await.unwrap().into_inner();
    let first = long.message().await.unwrap().unwrap();
    assert_eq!(first.stats.unwrap().threads, 3);

    for _ in 0..3 {
        let asked = Instant::now();
        let answer = client
            .best_move(ask(2, KIWIPETE, 2_000))
            .await
            .unwrap()
            .into_inner();
        let stats = answer.stats.unwrap();
        assert!((1..=2).contains(&stats.threads), "{stats:?}");
        assert!(asked.elapsed() < PATIENCE, "{:?}", asked.elapsed());
    }
    // The long search still runs.
    let later = long.message().await.unwrap().unwrap();
    assert_eq!(later.stopped_by(), StoppedBy::Unspecified);
    // Dropping it stops all its threads: then a search gets them all.
    drop(long);
    let asked = Instant::now();
    loop {
        let answer = client
            .best_move(ask(3, KIWIPETE, 20_000))
            .await
            .unwrap()
            .into_inner();
        if answer.stats.unwrap().threads == 3 {
            break;
        }
        assert!(asked.elapsed() < PATIENCE, "threads did not come back");
    }
}
