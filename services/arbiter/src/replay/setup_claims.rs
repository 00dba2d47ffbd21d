//! Claims of a draw where no board holds the position.

use tabiya_rules::{Move, Piece, fen::Setup};

use super::{Replay, position, setup_moves, unruly::Unruly};
use crate::{
    Claim, ClaimGround,
    ruleset::{Rule, Switches},
};

impl Replay<'_> {
    /// Whether a claim holds, with the move written down for it.
    pub(super) fn claim_holds(&self, ground: ClaimGround, with: Option<Move>) -> bool {
        let switches = &self.ruleset.switches;
        let Some(unruly) = &self.unruly else {
            return position::claim_holds(&self.game, ground, with, switches);
        };
        let stands = match with {
            None => unruly.setup,
            Some(mv) => unruly.after(mv),
        };
        let Some(stands) = stands else { return false };
        if with.is_some() && !switches.announced_mate_claims && setup_moves::moves(&stands).is_empty() {
            return false;
        }
        if let Ok(board) = stands.to_board() {
            // The move leads back to a board.
            let mut game = self.game.clone();
            game.go_on_from(board, unruly.plies + 1);
            return position::claim_holds(&game, ground, None, switches);
        }
        holds(unruly, &stands, with.is_some(), ground, switches)
    }

    /// The draws that the player on move may claim.
    pub(super) fn claimable(&self) -> Vec<Claim> {
        if self.unruly.is_none() {
            return position::claimable(&self.game, self.ruleset);
        }
        let mut claims = Vec::new();
        for (ground, announced) in [
            (ClaimGround::ThreefoldRepetition, Rule::ClaimRepetitionAnnounced),
            (ClaimGround::FiftyMoves, Rule::ClaimQuietMovesAnnounced),
        ] {
            if self.claim_holds(ground, None) {
                let with_move = None;
                claims.push(Claim { ground, with_move });
            } else if self.ruleset.has(announced) {
                let moves = self.legal_moves().into_iter().map(Some);
                let holds = moves.filter(|&with_move| self.claim_holds(ground, with_move));
                claims.extend(holds.map(|with_move| Claim { ground, with_move }));
            }
        }
        claims
    }
}

/// Whether a claim holds of a set-up, which has occurred only since the last board.
fn holds(unruly: &Unruly, stands: &Setup, announced: bool, ground: ClaimGround, switches: &Switches) -> bool {
    match ground {
        ClaimGround::ThreefoldRepetition => {
            // Without an announced move the position on the board is not among those before it.
            let now = unruly.setup.filter(|_| announced);
            let earlier = unruly.earlier.iter().chain(&now);
            let count = 1 + earlier.filter(|earlier| is_same(earlier, stands)).count();
            switches.claim_repetition > 0 && count >= switches.claim_repetition as usize
        }
        ClaimGround::FiftyMoves => {
            let limit = switches.claim_quiet_moves;
            limit > 0 && stands.halfmove_clock >= 2 * limit
        }
    }
}

/// Whether two set-ups are the same position (FIDE 9.2.3): the same player on move, the same men on the same squares, and
/// the same possible moves.
fn is_same(one: &Setup, other: &Setup) -> bool {
    one.side_to_move == other.side_to_move
        && one.placement == other.placement
        && one.castling_rooks == other.castling_rooks
        && passing_takes(one) == passing_takes(other)
}

/// The captures in passing that are possible.
fn passing_takes(setup: &Setup) -> Vec<Move> {
    if setup.en_passant.is_none() || setup.placement.kind(Piece::Pawn).is_empty() {
        return Vec::new();
    }
    let moves = setup_moves::moves(setup);
    moves
        .iter()
        .map(|mv| mv.as_move(setup))
        .filter(|mv| mv.is_en_passant())
        .collect()
}
