//! What an illegal move has left standing where no board holds it: a king that could be taken, or a pawn on its last
//! rank.

use tabiya_rules::{Color, Move, fen::Setup};

use super::{Effect, GameResult, GameStatus, Reason, Replay, doubts::LEAST, position, setup_moves};
use crate::ruleset::{LossDraw, Rule};

/// How far ahead a board is looked for where none holds the position: plies, set-ups kept and boards asked about.
const PLIES_AHEAD: usize = 3;
const SETUPS_KEPT: usize = 256;
const BOARDS_ASKED: usize = 64;

/// A position that no board holds.
#[derive(Clone, Debug)]
pub(super) struct Unruly {
    /// What stands where; `None` if that is not known.
    pub(super) setup: Option<Setup>,
    pub(super) to_move: Color,
    /// Plies since the last position that a board held.
    pub(super) plies: usize,
    /// What stood since then and can stand again.
    pub(super) earlier: Vec<Setup>,
}

impl Unruly {
    /// What stands after one of its moves.
    pub(super) fn after(&self, mv: Move) -> Option<Setup> {
        setup_moves::after(self.setup.as_ref()?, mv)
    }

    /// Whether a loss against `winner` is a draw; `None` if that is not known.
    pub(super) fn loss_is_draw(&self, winner: Color, reading: LossDraw) -> Option<bool> {
        let men = self.setup.map(|setup| setup.placement.color(winner).count());
        match reading {
            LossDraw::Never => Some(false),
            LossDraw::BareKing => men.map(|men| men == 1),
            // A king alone never mates; of the rest no proof is made.
            LossDraw::Unwinnable => men.filter(|&men| men == 1).map(|_| true),
        }
    }
}

impl Replay<'_> {
    /// Whether a few moves lead from a position that no board holds to one from which a side can mate.
    pub(super) fn mates_soon(&mut self, unruly: &Unruly, winner: Color) -> bool {
        let Some(setup) = unruly.setup else { return false };
        let mut reached = vec![setup];
        let mut asked = 0;
        for _ in 0..PLIES_AHEAD {
            let mut next = Vec::new();
            for mv in reached.iter().flat_map(setup_moves::moves) {
                let Ok(board) = mv.after.to_board() else {
                    next.push(mv.after);
                    continue;
                };
                asked += 1;
                let prove = |prover: &mut _| position::can_mate(prover, &board, winner, LEAST);
                if self.doubts.apart(prove) == Some(true) {
                    return true;
                }
                if asked == BOARDS_ASKED {
                    return false;
                }
            }
            next.truncate(SETUPS_KEPT);
            reached = next;
        }
        false
    }

    /// Plies played since a board last held the position.
    pub(super) fn unruly_plies(&self) -> usize {
        self.unruly.as_ref().map_or(0, |unruly| unruly.plies)
    }

    /// Plays a move that led to this set-up, as [`Replay::play`] does on a board.
    pub(super) fn play_setup(&mut self, after: Option<Setup>, mv: Option<Move>) -> Vec<Effect> {
        let us = self.to_move();
        self.before_setup = Some((Box::new(self.stage()), mv));
        let refused = self.refuse(!us);
        self.leave_turn(us);
        self.stand_on(after, !us);
        match self.unruly.as_ref().and_then(|unruly| unruly.setup) {
            Some(setup) => self.end_by_setup(&setup),
            None if self.unruly.is_none() => self.end_by_position(),
            None => {}
        }
        refused
    }

    /// Mate and stalemate need no board.
    fn end_by_setup(&mut self, setup: &Setup) {
        if !setup_moves::moves(setup).is_empty() {
            return;
        }
        let side = setup.side_to_move;
        let decided = GameStatus::Decided;
        if setup_moves::is_safe(setup, side) {
            let draw = Some(GameResult::Draw);
            self.conclude(decided, draw, Reason::Stalemate, &[Rule::Stalemate], Vec::new());
        } else {
            let win = Some(GameResult::Wins(!side));
            self.conclude(decided, win, Reason::Mate, &[Rule::Checkmate], Vec::new());
        }
    }
}
