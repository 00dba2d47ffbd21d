//! What several test files need: a small evaluator, and a mate solver that tries everything.
#![allow(dead_code, unreachable_pub)]

pub mod shared_batches;

use std::sync::atomic::AtomicBool;

use tabiya_evaluator::Evaluator;
use tabiya_rules::{Board, Color, Game, Move, MoveList, Piece};
use tabiya_search::{Limits, Options, SearchResult, search};

/// Material, and how near the centre each piece stands: a pure function of the pieces and the side to move.
#[derive(Default, Clone)]
pub struct PlainEvaluator {
    /// Calls of `push` and `push_null` less calls of `pop`.
    pub depth: usize,
}

impl Evaluator for PlainEvaluator {
    fn refresh(&mut self, _: &Board) {
        self.depth = 0;
    }

    fn push(&mut self, _: &Board, _: Move, _: &Board) {
        self.depth += 1;
    }

    fn push_null(&mut self) {
        self.depth += 1;
    }

    fn pop(&mut self) {
        self.depth -= 1;
    }

    fn evaluate(&mut self, board: &Board) -> i32 {
        plain_value(board)
    }
}

pub fn plain_value(board: &Board) -> i32 {
    const VALUES: [i32; 6] = [100, 320, 330, 500, 900, 0];
    let mut value = 0;
    for color in Color::ALL {
        let sign = if color == board.side_to_move() { 1 } else { -1 };
        for piece in Piece::ALL {
            for square in board.of(color, piece) {
                let file = i32::from(square.file());
                let rank = i32::from(square.rank());
                let centre = 6 - (2 * file - 7).abs() / 2 - (2 * rank - 7).abs() / 2;
                let ahead = if piece == Piece::Pawn {
                    4 * i32::from(square.relative_rank(color))
                } else {
                    0
                };
                value += sign * (VALUES[piece.index()] + 3 * centre + ahead);
            }
        }
    }
    value
}

pub fn game(fen: &str) -> Game {
    Game::new(Board::from_fen(fen).unwrap())
}

/// Searches with fresh tables and the plain evaluator.
pub fn run(game: &Game, limits: &Limits, options: &Options) -> SearchResult {
    search(
        game,
        limits,
        options,
        &mut PlainEvaluator::default(),
        &AtomicBool::new(false),
        &mut |_| {},
    )
}

pub fn legal(board: &Board) -> MoveList {
    let mut list = MoveList::new();
    board.legal_moves(&mut list);
    list
}

/// Whether the side to move can force mate in at most `moves` moves, by trying every move of both sides.
pub fn forces_mate(board: &Board, moves: u32) -> bool {
    moves > 0
        && legal(board).iter().any(|&mv| {
            let after = board.after(mv);
            is_mated_within(&after, moves - 1)
        })
}

/// Whether the side to move is mated now, or whatever it plays within `moves` moves.
pub fn is_mated_within(board: &Board, moves: u32) -> bool {
    let replies = legal(board);
    if replies.is_empty() {
        return board.in_check();
    }
    moves > 0
        && replies
            .iter()
            .all(|&reply| forces_mate(&board.after(reply), moves))
}

/// A small generator of numbers with a fixed seed.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound
    }
}

/// Games of random moves; every position that is not over is handed on with its history.
pub fn random_games(seed: u64, games: usize, plies: usize, mut each: impl FnMut(&Game)) {
    let mut numbers = Numbers(seed);
    for _ in 0..games {
        let mut game = Game::new(Board::startpos());
        for _ in 0..plies {
            let list = legal(game.board());
            if list.is_empty() {
                break;
            }
            each(&game);
            game.play(list[numbers.below(list.len())]);
        }
    }
}
