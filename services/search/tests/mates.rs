//! Mate scores: right to the move, and never claimed without a proof.

mod common;

use common::{forces_mate, game, is_mated_within, random_games, run};
use tabiya_rules::{Board, Game, Move};
use tabiya_search::{Bound, Limits, Options, Score};

/// Position, moves to mate (negative: the side to move is mated).
const MATES: [(&str, i32); 12] = [
    ("6k1/5ppp/8/8/8/8/5PPP/4R1K1 w - - 0 1", 1),
    (
        "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4",
        1,
    ),
    ("7k/8/5K2/8/8/8/8/6Q1 w - - 0 1", 1),
    ("8/8/8/8/8/5k2/8/r4K2 w - - 0 1", 0),
    ("k7/8/2K5/8/8/8/8/1R6 w - - 0 1", 2),
    ("k7/8/2K5/8/8/8/8/7R b - - 0 1", -2),
    ("7k/7p/8/8/8/8/R7/1R4K1 w - - 0 1", 2),
    ("8/8/8/8/8/2k5/1q6/K7 w - - 0 1", 0),
    ("6rk/6pp/8/6N1/8/8/8/6K1 w - - 0 1", 1),
    ("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1", 3),
    ("8/8/8/8/8/1K6/3Q4/k7 w - - 0 1", 1),
    ("1k6/8/1K6/8/8/8/8/7R w - - 0 1", 1),
];

/// Follows a line and says whether it ends in mate after exactly this many plies.
fn ends_in_mate(start: &Board, line: &[Move], plies: usize) -> bool {
    let mut board = *start;
    for &mv in line {
        assert!(board.is_legal(mv), "{mv}");
        board.play(mv);
    }
    line.len() == plies && board.is_checkmate()
}

#[test]
fn known_mates_are_found_with_their_length() {
    for (fen, moves) in MATES {
        let game = game(fen);
        let proven = if moves > 0 {
            forces_mate(game.board(), moves as u32) && !forces_mate(game.board(), moves as u32 - 1)
        } else {
            is_mated_within(game.board(), moves.unsigned_abs())
                && (moves == 0 || !is_mated_within(game.board(), moves.unsigned_abs() - 1))
        };
        assert!(proven, "{fen} is no mate in {moves}");
        let result = run(&game, &Limits::nodes(100_000), &Options::default());
        assert_eq!(result.score, Score::Mate(moves), "{fen}");
        if moves != 0 {
            let line = &result.lines[0];
            assert_eq!(line.bound, Bound::Exact, "{fen}");
            let plies = if moves > 0 { 2 * moves - 1 } else { -2 * moves };
            assert!(
                ends_in_mate(game.board(), &line.moves, plies as usize),
                "{fen}: {:?}",
                line.moves
            );
        }
    }
}

#[test]
fn a_mate_limit_ends_the_search() {
    let limits = Limits {
        mate: Some(3),
        ..Limits::default()
    };
    let result = run(
        &game("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1"),
        &limits,
        &Options::default(),
    );
    assert_eq!(result.score, Score::Mate(3));
    assert_eq!(result.stopped_by, tabiya_search::StoppedBy::Mate);
    assert!(result.nodes < 1_000_000);
}

/// Claims of mate in games of random moves, whatever the node limit, are checked by trying everything.
#[test]
fn claims_are_proven_and_short_mates_not_missed() {
    let mut claims = 0;
    let mut seen = 0;
    random_games(0x5eed, 60, 160, |game: &Game| {
        seen += 1;
        if seen % 7 != 0 {
            return;
        }
        let board = game.board();
        let result = run(game, &Limits::nodes(300 + seen % 5_000), &Options::default());
        let line = result.lines.first();
        if let (Score::Mate(moves), Some(Bound::Exact)) = (result.score, line.map(|line| line.bound)) {
            match moves {
                1..=2 => assert!(forces_mate(board, moves as u32), "mate in {moves}: {board:?}"),
                -2..=-1 => assert!(
                    is_mated_within(board, moves.unsigned_abs()),
                    "mated in {moves}: {board:?}"
                ),
                _ => {}
            }
            claims += u32::from(moves.abs() <= 2);
        }
        if forces_mate(board, 1) {
            let result = run(game, &Limits::nodes(2_000), &Options::default());
            assert_eq!(result.score, Score::Mate(1), "{board:?}");
        } else {
            assert_ne!(result.score, Score::Mate(1), "{board:?}");
        }
    });
    assert!(claims > 30, "only {claims} claims to check");
}
