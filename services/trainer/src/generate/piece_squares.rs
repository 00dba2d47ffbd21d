//! An evaluation that needs no network: material and squares.

use tabiya_evaluator::Evaluator;
use tabiya_rules::{Board, Color, Move, Piece};

/// Material and piece-square tables, middlegame and endgame blended by material.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PieceSquares;

/// Share of each kind in the game's phase; 24 at the start.
const PHASE: [i32; 6] = [0, 1, 1, 2, 4, 0];
const FULL_PHASE: i32 = 24;
const BISHOP_PAIR: i32 = 30;
const TEMPO: i32 = 12;

/// `[middlegame, endgame]` by kind and square as White sees it.
static TABLE: [[[i32; 2]; 64]; 6] = table();

const fn table() -> [[[i32; 2]; 64]; 6] {
    const MATERIAL: [[i32; 2]; 6] = [[82, 110], [330, 300], [345, 315], [480, 540], [980, 990], [0, 0]];
    /// What a step towards the centre is worth; 0 at the corner to 6 in the middle.
    const CENTRE: [[i32; 2]; 6] = [[3, 0], [9, 6], [5, 4], [2, 1], [1, 5], [-9, 9]];
    const PAWN_RANK: [[i32; 2]; 8] = [
        [0, 0],
        [0, 0],
        [2, 6],
        [7, 16],
        [16, 36],
        [34, 70],
        [70, 125],
        [0, 0],
    ];
    let mut table = [[[0; 2]; 64]; 6];
    let mut kind = 0;
    while kind < 6 {
        let mut square = 0;
        while square < 64 {
            let (file, rank) = (square as i32 % 8, square as i32 / 8);
            let centre = 7 - ((2 * file - 7).abs() + (2 * rank - 7).abs()) / 2;
            let mut phase = 0;
            while phase < 2 {
                let mut value = MATERIAL[kind][phase] + CENTRE[kind][phase] * (centre - 3);
                if kind == 0 {
                    value += PAWN_RANK[rank as usize][phase];
                }
                if kind == 3 && rank == 6 {
                    value += 18;
                }
                table[kind][square][phase] = value;
                phase += 1;
            }
            square += 1;
        }
        kind += 1;
    }
    table
}

impl Evaluator for PieceSquares {
    fn refresh(&mut self, _board: &Board) {}

    fn push(&mut self, _before: &Board, _mv: Move, _after: &Board) {}

    fn push_null(&mut self) {}

    fn pop(&mut self) {}

    fn evaluate(&mut self, board: &Board) -> i32 {
        let (mut middle, mut end, mut phase) = (0, 0, 0);
        for color in Color::ALL {
            let (sign, flip) = if color == Color::White { (1, 0) } else { (-1, 56) };
            for piece in Piece::ALL {
                let squares = board.of(color, piece);
                phase += PHASE[piece.index()] * squares.count() as i32;
                for square in squares {
                    let [m, e] = TABLE[piece.index()][square.index() ^ flip];
                    middle += sign * m;
                    end += sign * e;
                }
            }
            if board.of(color, Piece::Bishop).more_than_one() {
                middle += sign * BISHOP_PAIR;
                end += sign * BISHOP_PAIR;
            }
        }
        let phase = phase.min(FULL_PHASE);
        let white = (middle * phase + end * (FULL_PHASE - phase)) / FULL_PHASE;
        let own = if board.side_to_move() == Color::White {
            white
        } else {
            -white
        };
        own + TEMPO
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_is_worth_the_tempo_for_both_sides() {
        let mut board = Board::startpos();
        assert_eq!(PieceSquares.evaluate(&board), TEMPO);
        board.play_null();
        assert_eq!(PieceSquares.evaluate(&board), TEMPO);
    }

    #[test]
    fn a_lead_counts_for_the_side_that_has_it() {
        let mut game = Board::startpos();
        for text in ["e2e4", "d7d5", "e4d5"] {
            let mut moves = tabiya_rules::MoveList::new();
            game.legal_moves(&mut moves);
            let mv = moves
                .iter()
                .find(|m| m.to_string() == text)
                .expect("a legal move");
            game.play(*mv);
        }
        assert!(PieceSquares.evaluate(&game) < -50, "Black is a pawn down");
    }
}
