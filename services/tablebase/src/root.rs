//! Which moves keep what a position is worth, and which bring a win home.

use tabiya_rules::{Game, Move};

use crate::{
    ProbeError, Tablebase, Wdl,
    probe::{is_capture, is_pawn_move, legal},
};

/// Plies without a capture or pawn move after which a game is drawn (FIDE 9.3).
const FIFTY_MOVES: i32 = 100;

/// A legal move, by what it leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RankedMove {
    /// The move.
    pub mv: Move,
    /// What it is worth to the side that makes it, under the fifty-move rule and the game's own halfmove clock. A third
    /// occurrence of a position is a draw.
    pub outcome: Wdl,
    /// Plies, this move included, to the next capture, pawn move or mate with best play: positive when winning,
    /// negative when losing, 0 in a draw.
    pub dtz: i32,
    /// The position after it has been on the board before.
    pub repeats: bool,
}

impl RankedMove {
    /// Better moves are greater: by outcome, then no circles for who wins and circles for who loses, then the shorter
    /// way to win and the longer way to lose.
    fn rank(&self) -> (Wdl, bool, i32) {
        (
            self.outcome,
            self.repeats == (self.outcome < Wdl::Draw),
            -self.dtz,
        )
    }
}

impl Tablebase {
    /// Every legal move with what it leads to, best first. Following the first move wins every game that is won.
    ///
    /// # Errors
    /// As [`Tablebase::wdl`], of the position or of one after a move.
    pub fn rank_moves(&self, game: &Game) -> Result<Vec<RankedMove>, ProbeError> {
        let board = game.board();
        self.check(board)?;
        let mut moves = Vec::new();
        for mv in legal(board) {
            moves.push(self.rank_move(game, mv)?);
        }
        moves.sort_by_key(|ranked| std::cmp::Reverse(ranked.rank()));
        Ok(moves)
    }

    fn rank_move(&self, game: &Game, mv: Move) -> Result<RankedMove, ProbeError> {
        let board = game.board();
        let after = board.after(mv);
        let zeroes = is_capture(board, mv) || is_pawn_move(board, mv);
        let dtz = if after.is_checkmate() {
            1
        } else if zeroes {
            (-self.wdl(&after)?).next_ply()
        } else {
            let after = -self.dtz(&after)?;
            after + after.signum()
        };
        let times = game.repetition_count_after(mv);
        // The counter runs on, unless this move ends it.
        let plies = dtz.abs() + if zeroes { 0 } else { board.halfmove_clock() as i32 };
        let outcome = match dtz {
            _ if times > 2 => Wdl::Draw,
            0 => Wdl::Draw,
            // Mate comes before the fifty-move rule.
            1 => Wdl::Win,
            // The last ply is left for a table that has rounded.
            2.. if plies < FIFTY_MOVES => Wdl::Win,
            2.. => Wdl::CursedWin,
            _ if plies <= FIFTY_MOVES => Wdl::Loss,
            _ => Wdl::BlessedLoss,
        };
        Ok(RankedMove {
            mv,
            outcome,
            dtz,
            repeats: times > 1,
        })
    }
}
