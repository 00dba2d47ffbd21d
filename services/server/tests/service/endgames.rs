//! Searches that ask endgame tables, over the wire.

use crate::common;

use std::{fs, path::PathBuf};

use tabiya_api::v1::{
    self, BulkMode, batch_analyze_response::Outcome, score::Kind, search_service_client::SearchServiceClient,
};
use tabiya_rules::{Board, Color, Game, Variant, uci};
use tabiya_server::{Config, RunningServer, Server, ServerError};
use tokio_stream::StreamExt;
use tonic::transport::Channel;

fn config(syzygy_path: Vec<PathBuf>) -> Config {
    Config {
        syzygy_path,
        bulk_threads: 2,
        ..common::config()
    }
}

async fn client(syzygy_path: Vec<PathBuf>) -> (RunningServer, SearchServiceClient<Channel>) {
    let server = Server::start(config(syzygy_path)).unwrap();
    let client = SearchServiceClient::new(common::channel(server.addr()).await);
    (server, client)
}

fn ask(fen: &str, moves: &[String], nodes: u64) -> v1::BestMoveRequest {
    v1::BestMoveRequest {
        position: Some(v1::Position {
            fen: fen.into(),
            moves: moves.to_vec(),
            ..Default::default()
        }),
        limits: Some(v1::Limits {
            nodes,
            ..Default::default()
        }),
        ..Default::default()
    }
}

async fn info(client: &mut SearchServiceClient<Channel>) -> v1::GetEngineInfoResponse {
    let request = v1::GetEngineInfoRequest {};
    client.get_engine_info(request).await.unwrap().into_inner()
}

/// The hardest of the elementary mates, both sides by the service: never a doubtful score, and mate within fifty moves.
#[tokio::test]
async fn bishop_and_knight_mate_move_by_move() {
    let Some(folder) = common::syzygy() else { return };
    let (_server, mut client) = client(vec![folder]).await;
    // Black waits in the corner that the bishop does not command.
    let fen = "7k/8/8/8/8/8/8/KBN5 w - - 0 1";
    let mut game = Game::new(Board::from_fen(fen).unwrap());
    let mut moves = Vec::new();
    while !game.board().is_checkmate() {
        assert!(moves.len() < 100, "no mate in fifty moves: {moves:?}");
        let answer = client
            .best_move(ask(fen, &moves, 200))
            .await
            .unwrap()
            .into_inner();
        let sign = if game.board().side_to_move() == Color::White {
            1
        } else {
            -1
        };
        match answer.lines[0].score.unwrap().kind.unwrap() {
            Kind::Centipawns(cp) => assert!(sign * cp > 20_000, "{cp} after {moves:?}"),
            Kind::MateIn(mate) => assert!(sign * mate > 0, "{mate} after {moves:?}"),
        }
        assert!(answer.stats.unwrap().tb_hits > 0);
        game.play(uci::parse(game.board(), &answer.best_move, Variant::Standard).unwrap());
        moves.push(answer.best_move);
    }
    assert_eq!(game.board().side_to_move(), Color::Black);
}

/// The same request has the same answer: again, after others, on another server, in bulk.
#[tokio::test]
async fn the_same_request_has_the_same_answer() {
    let Some(folder) = common::syzygy() else { return };
    let positions = [
        // Five men, of which captures leave four.
        "8/8/8/8/1P5k/8/3n4/3K1B2 w - - 0 1",
        "8/8/4k3/8/8/3N4/8/K6B w - - 0 1",
        "4k3/8/8/3KP3/8/8/8/8 b - - 0 1",
        "8/5k2/8/2R5/8/4p3/8/4K1n1 b - - 3 60",
    ];
    let mut found = Vec::new();
    for _ in 0..2 {
        let (_server, mut client) = client(vec![folder.clone()]).await;
        for fen in positions.into_iter().chain(positions) {
            let answer = client.best_move(ask(fen, &[], 3_000)).await.unwrap().into_inner();
            let stats = answer.stats.unwrap();
            assert!(stats.deterministic && stats.tb_hits > 0, "{fen}: {stats:?}");
            found.push((answer.lines, stats.nodes, stats.tb_hits));
        }
        let items = positions.map(|fen| v1::BatchAnalyzeRequest {
            id: fen.into(),
            position: ask(fen, &[], 0).position,
            limits: ask(fen, &[], 3_000).limits,
            bulk_mode: BulkMode::Independent.into(),
            ..Default::default()
        });
        let stream = client.batch_analyze(tokio_stream::iter(items)).await.unwrap();
        let mut answers: Vec<_> = stream.into_inner().map(Result::unwrap).collect().await;
        answers.sort_by_key(|answer| answer.index);
        for answer in answers {
            let Some(Outcome::Response(answer)) = answer.outcome else {
                panic!("{answer:?}");
            };
            let stats = answer.stats.unwrap();
            found.push((answer.lines, stats.nodes, stats.tb_hits));
        }
    }
    let first = found[..positions.len()].to_vec();
    assert_eq!(found.len(), 6 * positions.len());
    for again in found.chunks(positions.len()) {
        assert_eq!(again, first);
    }
}

#[tokio::test]
async fn a_server_says_what_tables_it_has() {
    let (_server, mut plain) = client(Vec::new()).await;
    assert_eq!(info(&mut plain).await.endgame_tables, None);
    let drawn = ask("4k3/8/8/3KP3/8/8/8/8 b - - 0 1", &[], 2_000);
    let answer = plain.best_move(drawn.clone()).await.unwrap().into_inner();
    assert_eq!(answer.stats.unwrap().tb_hits, 0);

    let Some(folder) = common::syzygy() else { return };
    let (_server, mut client) = client(vec![folder]).await;
    let tables = info(&mut client).await.endgame_tables.unwrap();
    assert_eq!((tables.max_men, tables.materials, tables.distances), (4, 35, 35));
    assert!(tables.hash.len() == 64 && tables.hash.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let answer = client.best_move(drawn).await.unwrap().into_inner();
    let score = answer.lines[0].score.unwrap();
    assert_eq!(score.kind, Some(Kind::Centipawns(0)));
    assert_eq!(score.wdl.unwrap().draw, 1000);
}

#[test]
fn folders_and_files_that_do_not_serve_are_refused_at_start() {
    let refusal = |folder: PathBuf| match Server::start(config(vec![folder])) {
        Err(error @ ServerError::Tables(_)) => error.to_string(),
        other => panic!("{other:?}"),
    };
    let empty = tempfile::tempdir().unwrap();
    let missing = empty.path().join("nowhere");
    assert!(
        refusal(missing.clone()).starts_with(&format!("folder of endgame tables {}: ", missing.display()))
    );
    assert!(refusal(empty.path().to_owned()).contains("no endgame table (*.rtbw) in "));

    let Some(folder) = common::syzygy() else { return };
    for name in ["KQvK.rtbw", "KQvK.rtbz"] {
        let damaged = tempfile::tempdir().unwrap();
        fs::copy(folder.join("KQvK.rtbw"), damaged.path().join("KQvK.rtbw")).unwrap();
        let bytes = fs::read(folder.join(name)).unwrap();
        let path = damaged.path().join(name);
        fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        let told = refusal(damaged.path().to_owned());
        assert!(
            told.starts_with(&format!("the table {} is damaged: ", path.display())),
            "{told}"
        );
    }
}
