//! `SearchService`: best moves and running reports.

use crate::common;

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use tabiya_api::v1::{
    self, Backend, Bound, BulkMode, StoppedBy, batch_analyze_response::Outcome, score::Kind,
    search_service_client::SearchServiceClient,
};
use tonic::{Code, transport::Channel};
use tonic_types::StatusExt;

async fn client() -> (tabiya_server::RunningServer, SearchServiceClient<Channel>) {
    let server = common::start();
    let client = SearchServiceClient::new(common::channel(server.addr()).await);
    (server, client)
}

fn fen(fen: &str) -> Option<v1::Position> {
    Some(v1::Position {
        fen: fen.into(),
        ..Default::default()
    })
}

fn nodes(nodes: u64) -> Option<v1::Limits> {
    Some(v1::Limits {
        nodes,
        ..Default::default()
    })
}

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

#[tokio::test]
async fn a_mate_is_found_and_described() {
    let (_server, mut client) = client().await;
    let request = v1::BestMoveRequest {
        position: fen("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"),
        limits: Some(v1::Limits {
            mate: 1,
            nodes: 100_000,
            ..Default::default()
        }),
        ..Default::default()
    };
    let answer = client.best_move(request).await.unwrap().into_inner();
    assert_eq!(answer.best_move, "a1a8");
    assert_eq!(answer.stopped_by(), StoppedBy::Mate);
    let line = &answer.lines[0];
    assert_eq!((line.moves[0].as_str(), line.san[0].as_str()), ("a1a8", "Ra8#"));
    let score = line.score.as_ref().unwrap();
    assert_eq!((score.kind, score.bound()), (Some(Kind::MateIn(1)), Bound::Exact));
    let stats = answer.stats.unwrap();
    assert_eq!(stats.backend(), Backend::Cpu);
    assert!(stats.deterministic && stats.nodes > 0 && !stats.network.is_empty());
    assert_eq!(stats.mean_batch_size, 1.0);
}

#[tokio::test]
async fn nodes_are_kept_and_every_backend_agrees() {
    let (_server, mut client) = client().await;
    let mut request = v1::BestMoveRequest {
        position: fen(KIWIPETE),
        limits: nodes(3000),
        multipv: 3,
        ..Default::default()
    };
    let first = client.best_move(request.clone()).await.unwrap().into_inner();
    assert_eq!(first.lines.len(), 3);
    assert_eq!(first.lines[0].moves[0], first.best_move);
    assert_eq!(first.stopped_by(), StoppedBy::Nodes);
    let stats = first.stats.as_ref().unwrap();
    assert_eq!(stats.nodes, 3000);
    assert!(stats.evaluations > 0 && stats.deterministic);
    for line in &first.lines {
        let wdl = line.score.as_ref().unwrap().wdl.unwrap();
        assert_eq!(wdl.win + wdl.draw + wdl.loss, 1000);
        assert_eq!(line.moves.len(), line.san.len());
    }
    for backend in [Backend::Auto, Backend::Cpu, Backend::Scalar] {
        request.set_backend(backend);
        let again = client.best_move(request.clone()).await.unwrap().into_inner();
        assert_eq!(
            (&again.best_move, &again.lines),
            (&first.best_move, &first.lines),
            "{backend:?}"
        );
        assert_eq!(
            again.stats.unwrap().backend() == Backend::Scalar,
            backend == Backend::Scalar
        );
    }
    let mut info = client
        .get_engine_info(v1::GetEngineInfoRequest {})
        .await
        .unwrap()
        .into_inner();
    request.network = info.networks.remove(0).hash;
    assert_eq!(
        client
            .best_move(request.clone())
            .await
            .unwrap()
            .into_inner()
            .lines,
        first.lines
    );
}

#[tokio::test]
async fn without_a_legal_move_the_score_says_why() {
    let (_server, mut client) = client().await;
    let rows = [
        (
            "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
            Kind::MateIn(0),
        ),
        ("7k/5K2/6Q1/8/8/8/8/8 b - - 0 1", Kind::Centipawns(0)),
    ];
    for (position, kind) in rows {
        let request = v1::BestMoveRequest {
            position: fen(position),
            limits: nodes(100),
            ..Default::default()
        };
        let answer = client.best_move(request).await.unwrap().into_inner();
        assert_eq!(
            (answer.best_move.as_str(), answer.stopped_by()),
            ("", StoppedBy::NoLegalMoves)
        );
        assert_eq!(answer.lines[0].score.as_ref().unwrap().kind, Some(kind));
    }
}

#[tokio::test]
async fn search_moves_and_chess960_are_heeded() {
    let (_server, mut client) = client().await;
    let request = v1::BestMoveRequest {
        limits: nodes(500),
        search_moves: vec!["a2a3".into(), "h2h4".into()],
        ..Default::default()
    };
    let answer = client.best_move(request).await.unwrap().into_inner();
    assert!(["a2a3", "h2h4"].contains(&answer.best_move.as_str()));

    let mut position = fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1").unwrap();
    position.set_variant(v1::Variant::Chess960);
    let request = v1::BestMoveRequest {
        position: Some(position),
        limits: nodes(500),
        search_moves: vec!["e1h1".into()],
        ..Default::default()
    };
    assert_eq!(
        client.best_move(request).await.unwrap().into_inner().best_move,
        "e1h1"
    );
}

#[tokio::test]
async fn bad_requests_are_refused_by_field() {
    let (_server, mut client) = client().await;
    let good = v1::BestMoveRequest {
        limits: nodes(100),
        ..Default::default()
    };
    let mut refused = async |request: v1::BestMoveRequest| {
        let status = client.best_move(request).await.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument, "{status:?}");
        status
            .get_details_bad_request()
            .unwrap()
            .field_violations
            .remove(0)
            .field
    };
    // An empty request has neither a limit nor a deadline.
    assert_eq!(refused(v1::BestMoveRequest::default()).await, "limits");
    assert_eq!(
        refused(v1::BestMoveRequest {
            backend: 77,
            ..good.clone()
        })
        .await,
        "backend"
    );
    assert_eq!(
        refused(v1::BestMoveRequest {
            multipv: 5000,
            ..good.clone()
        })
        .await,
        "multipv"
    );
    assert_eq!(
        refused(v1::BestMoveRequest {
            threads: 9999,
            ..good.clone()
        })
        .await,
        "threads"
    );
    assert_eq!(
        refused(v1::BestMoveRequest {
            network: "x".repeat(30_000),
            ..good.clone()
        })
        .await,
        "network"
    );
    assert_eq!(
        refused(v1::BestMoveRequest {
            position: fen(&"9".repeat(30_000)),
            ..good.clone()
        })
        .await,
        "position.fen"
    );
    let search_moves = vec!["e2e4".into(), "e2e5".into()];
    assert_eq!(
        refused(v1::BestMoveRequest {
            search_moves,
            ..good.clone()
        })
        .await,
        "search_moves[1]"
    );
    let time = Some(prost_types::Duration {
        seconds: -1,
        nanos: 0,
    });
    let limits = Some(v1::Limits {
        time,
        ..Default::default()
    });
    assert_eq!(
        refused(v1::BestMoveRequest {
            limits,
            ..good.clone()
        })
        .await,
        "limits.time"
    );

    let gpu = v1::BestMoveRequest {
        backend: Backend::Gpu.into(),
        ..good
    };
    let status = client.best_move(gpu).await.unwrap_err();
    assert_eq!(status.code(), Code::FailedPrecondition, "{status:?}");
}

#[tokio::test]
async fn analysis_reports_each_iteration_and_then_ends() {
    let (_server, mut client) = client().await;
    let request = v1::AnalyzeRequest {
        position: fen(KIWIPETE),
        limits: Some(v1::Limits {
            depth: 5,
            ..Default::default()
        }),
        multipv: 2,
        ..Default::default()
    };
    let mut stream = client.analyze(request).await.unwrap().into_inner();
    let mut messages = vec![];
    while let Some(message) = stream.message().await.unwrap() {
        messages.push(message);
    }
    let depths: Vec<u32> = messages.iter().map(|message| message.depth).collect();
    assert_eq!(depths, [1, 2, 3, 4, 5, 5]);
    let (last, before) = messages.split_last().unwrap();
    assert_eq!(last.stopped_by(), StoppedBy::Depth);
    assert!(
        before
            .iter()
            .all(|message| message.stopped_by() == StoppedBy::Unspecified)
    );
    assert_eq!(last.lines, before.last().unwrap().lines);
    assert_eq!(last.lines.len(), 2);
}

#[tokio::test]
async fn a_bulk_answer_is_what_the_position_gets_alone() {
    let (_server, mut client) = client().await;
    let mut alone = BTreeMap::new();
    let mut items = vec![];
    let moves = [
        "e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5a4", "g8f6", "e1g1", "f8e7",
    ];
    for ply in 0..moves.len() {
        let moves = moves[..ply].iter().map(ToString::to_string).collect();
        let position = Some(v1::Position {
            moves,
            ..Default::default()
        });
        let request = v1::BestMoveRequest {
            position: position.clone(),
            limits: nodes(2000),
            ..Default::default()
        };
        let answer = client.best_move(request).await.unwrap().into_inner();
        alone.insert(ply as u64, answer);
        items.push(v1::BatchAnalyzeRequest {
            id: format!("ply {ply}"),
            position,
            limits: nodes(2000),
            bulk_mode: BulkMode::Independent.into(),
            ..Default::default()
        });
    }
    // Wrong items of several kinds.
    items.push(v1::BatchAnalyzeRequest {
        id: "no limit".into(),
        ..Default::default()
    });
    items.push(v1::BatchAnalyzeRequest {
        bulk_mode: 55,
        limits: nodes(1),
        ..Default::default()
    });
    items.push(v1::BatchAnalyzeRequest {
        game: "x".repeat(257),
        limits: nodes(1),
        ..Default::default()
    });
    let total = items.len();
    let mut answers = client
        .batch_analyze(tokio_stream::iter(items))
        .await
        .unwrap()
        .into_inner();
    let mut codes = BTreeMap::new();
    for _ in 0..total {
        let answer = answers.message().await.unwrap().unwrap();
        match answer.outcome.unwrap() {
            Outcome::Response(response) => {
                let expected = alone.remove(&answer.index).unwrap();
                assert_eq!(answer.id, format!("ply {}", answer.index));
                assert_eq!(answer.bulk_mode, i32::from(BulkMode::Independent));
                assert_eq!(
                    (response.best_move, response.lines),
                    (expected.best_move, expected.lines)
                );
                let (stats, alone) = (response.stats.unwrap(), expected.stats.unwrap());
                assert_eq!((stats.nodes, stats.evaluations), (alone.nodes, alone.evaluations));
            }
            Outcome::Error(error) => drop(codes.insert(answer.index, error.code)),
        }
    }
    assert!(answers.message().await.unwrap().is_none());
    assert!(alone.is_empty(), "{alone:?}");
    assert_eq!(codes.into_iter().collect::<Vec<_>>(), [(10, 3), (11, 3), (12, 3)]);
}

#[tokio::test]
async fn the_engine_describes_itself() {
    let (_server, mut client) = client().await;
    let info = client
        .get_engine_info(v1::GetEngineInfoRequest {})
        .await
        .unwrap()
        .into_inner();
    let cpu = info
        .backends
        .iter()
        .find(|backend| backend.kind() == Backend::Cpu)
        .unwrap();
    assert!(
        cpu.available && cpu.chosen && cpu.why_not_chosen.is_empty() && cpu.evaluations_per_second > 1000.0
    );
    let gpu = info
        .backends
        .iter()
        .find(|backend| backend.kind() == Backend::Gpu)
        .unwrap();
    assert!(!gpu.available && !gpu.chosen && !gpu.why_not_chosen.is_empty());
    let network = &info.networks[0];
    assert!(network.architecture.starts_with("768") && network.size > 1000 && network.hash.len() == 64);
    assert_eq!(info.limits.unwrap().max_positions_per_message, 4096);
    assert!(!info.version.is_empty());
}

#[tokio::test]
async fn time_is_a_limit_of_its_own() {
    let (_server, mut client) = client().await;
    let time = Some(prost_types::Duration {
        seconds: 0,
        nanos: 60_000_000,
    });
    let limits = Some(v1::Limits {
        time,
        ..Default::default()
    });
    let begun = Instant::now();
    let answer = client
        .best_move(v1::BestMoveRequest {
            limits,
            ..Default::default()
        })
        .await
        .unwrap()
        .into_inner();
    // The search's own time may be that of its last iteration.
    let taken = begun.elapsed();
    assert!(
        taken >= Duration::from_millis(60) && taken < Duration::from_secs(60),
        "{taken:?}"
    );
    assert_eq!(answer.stopped_by(), StoppedBy::Time);
    assert!(!answer.stats.unwrap().deterministic);
}

/// Many short items wait in the connection while their streams take turns. That is back-pressure, not an attack: the
/// connection lives, and so do its other calls.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn streams_of_short_items_wait_without_losing_the_connection() {
    let (_server, client) = client().await;
    let items = || {
        (0..3_000).map(|index| v1::BatchAnalyzeRequest {
            id: index.to_string(),
            limits: nodes(20_000),
            ..Default::default()
        })
    };
    let mut streams = Vec::new();
    for _ in 0..4 {
        let request = tokio_stream::iter(items());
        streams.push(client.clone().batch_analyze(request).await.unwrap().into_inner());
    }
    for stream in &mut streams {
        for _ in 0..20 {
            stream.message().await.unwrap().unwrap();
        }
    }
    let request = v1::BestMoveRequest {
        limits: nodes(10),
        ..Default::default()
    };
    client.clone().best_move(request).await.unwrap();
}
