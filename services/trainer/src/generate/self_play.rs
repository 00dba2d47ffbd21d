//! One game of a weak, fast, random player, and the positions worth keeping from it.

use tabiya_evaluator::Evaluator;
use tabiya_rules::{Board, Game, MoveList};

use crate::{
    ending::ending,
    generate::{
        GenerateArgs,
        quiesce::{INFINITY, quiesce},
    },
    record::{Outcome, Placed, Record},
    rng::Rng,
};

/// Plies after which a game is given up.
const PLY_LIMIT: usize = 400;

/// Plays one game and appends its positions.
pub(crate) fn play<E: Evaluator>(
    rng: &mut Rng,
    evaluator: &mut E,
    args: &GenerateArgs,
    rows: &mut Vec<Record>,
) {
    let random_plies = 6 + rng.below(5);
    let random_share = args.random_low + (args.random_high - args.random_low) * rng.unit();
    let first = rows.len();
    let mut game = Game::new(Board::startpos());
    let mut own = Vec::new();
    let outcome = loop {
        if let Some((outcome, _)) = ending(&game) {
            break outcome;
        }
        let ply = game.moves().len();
        if ply >= PLY_LIMIT {
            break Outcome::Unknown;
        }
        let board = *game.board();
        let mut moves = MoveList::new();
        board.legal_moves(&mut moves);
        let mut next = moves[rng.below(moves.len())];
        if ply >= random_plies {
            keep(rng, evaluator, args, &board, rows).then(|| own.push(rows.len() - 1));
            for _ in 0..args.children {
                let mv = moves[rng.below(moves.len())];
                let child = board.after(mv);
                if child.has_legal_move() {
                    keep(rng, evaluator, args, &child, rows);
                }
            }
            if rng.unit() >= random_share {
                rng.shuffle(&mut moves);
                let mut best = -INFINITY;
                evaluator.refresh(&board);
                for &mv in &moves {
                    let after = board.after(mv);
                    // A little noise keeps games apart that reach the same position.
                    let noise = rng.below(args.noise as usize + 1) as i32;
                    evaluator.push(&board, mv, &after);
                    let value = if after.is_checkmate() {
                        INFINITY
                    } else {
                        noise - quiesce(evaluator, &after, -INFINITY, noise - best)
                    };
                    evaluator.pop();
                    if value > best {
                        (best, next) = (value, mv);
                    }
                }
            }
        }
        game.play(next);
    };
    for index in own {
        debug_assert!(index >= first);
        rows[index].set_outcome(outcome);
    }
}

/// Appends `board` if it is quiet; returns whether it did.
fn keep<E: Evaluator>(
    rng: &mut Rng,
    evaluator: &mut E,
    args: &GenerateArgs,
    board: &Board,
    rows: &mut Vec<Record>,
) -> bool {
    if board.in_check() {
        return false;
    }
    evaluator.refresh(board);
    let now = evaluator.evaluate(board);
    if rng.unit() >= share(now, args.level) {
        return false;
    }
    let window = args.quiet_margin;
    let later = quiesce(evaluator, board, now - window, now + window);
    if (later - now).abs() >= window {
        return false;
    }
    rows.push(pack(board));
    true
}

/// The share of positions of this value that is kept: all within `level`, then falling, for the more a game is decided
/// the less its positions teach.
pub(crate) fn share(value: i32, level: i32) -> f32 {
    (level as f32 / value.abs().max(1) as f32).powf(1.5)
}

/// The record of a board.
pub(crate) fn pack(board: &Board) -> Record {
    let pieces = board.occupied().into_iter().filter_map(|square| {
        let kind = board.piece_on(square)?.index() as u8;
        let black = board.color_on(square)?.index() == 1;
        Some(Placed {
            square: square.index() as u8,
            black,
            kind,
        })
    });
    Record::new(pieces, board.side_to_move().index() == 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::piece_squares::PieceSquares;

    #[test]
    fn boards_are_packed_as_the_evaluator_expects() {
        let record = pack(&Board::startpos());
        assert!(record.packed().is_some());
        assert_eq!(record.occupancy(), 0xffff_0000_0000_ffff);
        assert_eq!((record.king(false), record.king(true)), (4, 60));
        assert!(!record.black_to_move());
    }

    #[test]
    fn games_repeat_with_the_seed_and_keep_only_sound_rows() {
        let args = GenerateArgs::for_test();
        let game = |seed| {
            let mut rows = Vec::new();
            play(&mut Rng::new(seed, 0), &mut PieceSquares, &args, &mut rows);
            rows
        };
        assert_eq!(game(3), game(3));
        assert_ne!(game(3), game(4));
        let rows: Vec<_> = (0..20).flat_map(game).collect();
        assert!(rows.len() > 500, "{} rows from 20 games", rows.len());
        assert!(
            rows.iter()
                .all(|row| row.packed().is_some() && row.label().is_none())
        );
        assert!(rows.iter().any(|row| row.outcome() == Outcome::White));
        assert!(rows.iter().any(|row| row.outcome() == Outcome::Unknown));
    }
}
