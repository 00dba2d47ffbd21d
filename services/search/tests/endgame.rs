//! Searches that ask endgame tables.

use std::{
    path::PathBuf,
    sync::{Arc, atomic::AtomicBool},
};

use tabiya_evaluator::Evaluator;
use tabiya_rules::{Board, Color, Game, Move, Piece};
use tabiya_search::{Bound, Limits, Options, Score, SearchResult, search};
use tabiya_tablebase::Tablebase;

/// Counts material, and so knows nothing of endings.
struct Material;

impl Evaluator for Material {
    fn refresh(&mut self, _: &Board) {}
    fn push(&mut self, _: &Board, _: Move, _: &Board) {}
    fn push_null(&mut self) {}
    fn pop(&mut self) {}
    fn evaluate(&mut self, board: &Board) -> i32 {
        let us = board.side_to_move();
        let worth = |color: Color| -> i32 {
            let count = |piece| board.of(color, piece).count() as i32;
            100 * count(Piece::Pawn)
                + 300 * (count(Piece::Knight) + count(Piece::Bishop))
                + 500 * count(Piece::Rook)
                + 900 * count(Piece::Queen)
        };
        worth(us) - worth(!us)
    }
}

fn tables() -> Option<Arc<Tablebase>> {
    let Some(cases) = std::env::var_os("TABIYA_CASES") else {
        eprintln!("SKIPPED: TABIYA_CASES is not set, so there are no endgame tables");
        return None;
    };
    let folder = PathBuf::from(cases).join("syzygy");
    Some(Arc::new(Tablebase::open([folder.as_path()]).unwrap()))
}

fn ask(game: &Game, nodes: u64, multi_pv: usize, tables: Option<&Arc<Tablebase>>) -> SearchResult {
    let options = Options {
        multi_pv,
        tables: tables.cloned(),
        ..Options::default()
    };
    let stop = AtomicBool::new(false);
    search(
        game,
        &Limits::nodes(nodes),
        &options,
        &mut Material,
        &stop,
        &mut |_| {},
    )
}

fn game(fen: &str) -> Game {
    Game::new(Board::from_fen(fen).unwrap())
}

/// A search that counts material only mates with bishop and knight, by the tables, within fifty moves.
#[test]
fn bishop_and_knight_mate() {
    let Some(tables) = tables() else { return };
    let mut game = game("8/8/8/3k4/8/8/8/KBN5 w - - 0 1");
    while !game.board().is_checkmate() {
        assert!(game.moves().len() < 100, "no mate in fifty moves");
        let found = ask(&game, 300, 1, Some(&tables));
        let sign = if game.board().side_to_move() == Color::White {
            1
        } else {
            -1
        };
        match found.score {
            Score::Centipawns(cp) => assert!(cp * sign > 24_000, "{cp}"),
            Score::Mate(moves) => assert!(moves * sign > 0, "{moves}"),
        }
        game.play(found.best_move.unwrap());
    }
    assert_eq!(game.board().side_to_move(), Color::Black);
}

/// A pawn up and drawn: exactly 0, and a move that keeps the draw, though material says otherwise.
#[test]
fn a_draw_is_a_draw() {
    let Some(tables) = tables() else { return };
    // Only the moves that keep the opposition hold it; see any book on pawn endings.
    let found = ask(&game("4k3/8/8/3KP3/8/8/8/8 b - - 0 1"), 2_000, 1, Some(&tables));
    assert_eq!(found.score, Score::Centipawns(0));
    assert_eq!(
        (found.lines[0].bound, found.lines[0].wdl.draw),
        (Bound::Exact, 1000)
    );
    assert!(found.tb_hits > 0);
    let alone = ask(&game("4k3/8/8/3KP3/8/8/8/8 b - - 0 1"), 2_000, 1, None);
    assert_eq!(alone.tb_hits, 0);
    assert_ne!(alone.score, Score::Centipawns(0));
}

/// From outside the tables a capture into a won ending is seen at once, and the value says so.
#[test]
fn captures_into_the_tables_are_seen() {
    let Some(tables) = tables() else { return };
    // 1.Kxd2 leaves a pawn that queens; with the knight on the board there are five men.
    let position = game("8/8/8/8/1P5k/8/3n4/3K1B2 w - - 0 1");
    let found = ask(&position, 2_000, 1, Some(&tables));
    let Score::Centipawns(cp) = found.score else {
        panic!("{:?}", found.score)
    };
    assert!(cp > 24_000, "{cp}");
    assert_eq!(found.best_move.unwrap().to_string(), "d1d2");
    let alone = ask(&position, 2_000, 1, None);
    assert!(matches!(alone.score, Score::Centipawns(cp) if cp < 2_000));
}

/// Several lines: the winning moves come first, then the drawing ones, each with its value.
#[test]
fn lines_are_ordered_by_outcome() {
    let Some(tables) = tables() else { return };
    let position = game("8/8/8/8/8/4k3/4p3/4K2R w - - 0 1");
    let found = ask(&position, 5_000, 32, Some(&tables));
    let ranked = tables.rank_moves(&position).unwrap();
    assert_eq!(found.lines.len(), ranked.len());
    let outcome = |mv: Move| ranked.iter().find(|ranked| ranked.mv == mv).unwrap().outcome;
    let outcomes: Vec<_> = found.lines.iter().map(|line| outcome(line.moves[0])).collect();
    assert!(outcomes.is_sorted_by(|a, b| a >= b), "{outcomes:?}");
}

/// The same question has the same answer, and tables that are not asked change nothing.
#[test]
fn answers_repeat() {
    let Some(tables) = tables() else { return };
    let position = game("8/5k2/8/8/1P4n1/8/8/3K1B2 w - - 0 1");
    let first = ask(&position, 20_000, 1, Some(&tables));
    let second = ask(&position, 20_000, 1, Some(&tables));
    assert_eq!(
        (first.lines, first.nodes, first.tb_hits),
        (second.lines, second.nodes, second.tb_hits)
    );
    let many = game("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1");
    let with = ask(&many, 20_000, 1, Some(&tables));
    let without = ask(&many, 20_000, 1, None);
    assert_eq!((with.lines, with.nodes), (without.lines, without.nodes));
}
