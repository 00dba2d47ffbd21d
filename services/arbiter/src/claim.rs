use std::collections::HashMap;

use tabiya_rules::{Game, Move, MoveList};

use crate::Article;

/// Plies without a pawn move or capture from which a draw may be claimed.
const FIFTY_MOVES: u32 = 100;

/// Occurrences of a position from which a draw may be claimed.
const THREEFOLD: u32 = 3;

/// Why a draw may be claimed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ClaimGround {
    /// The same position for the third time (9.2).
    ThreefoldRepetition,
    /// 50 moves by each side without a pawn move or capture (9.3).
    FiftyMoves,
}

/// A draw that the player on move may claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Claim {
    /// Why.
    pub ground: ClaimGround,
    /// The move to write down with the claim; `None` if the position on the board suffices.
    pub with_move: Option<Move>,
}

impl Claim {
    /// The article that grants it.
    pub fn article(self) -> Article {
        match (self.ground, self.with_move) {
            (ClaimGround::ThreefoldRepetition, None) => Article::ThreefoldAppeared,
            (ClaimGround::ThreefoldRepetition, Some(_)) => Article::ThreefoldAnnounced,
            (ClaimGround::FiftyMoves, None) => Article::FiftyCompleted,
            (ClaimGround::FiftyMoves, Some(_)) => Article::FiftyAnnounced,
        }
    }
}

/// The draws that may be claimed at the end of a game that goes on. A ground that the board itself gives is listed
/// once; else every move that would give it is.
///
/// A move that mates or stalemates can be announced too: the articles speak of the move, not of what else it does.
pub(crate) fn claims(game: &Game, occurrences: &HashMap<u64, u32>) -> Vec<Claim> {
    use ClaimGround::{FiftyMoves, ThreefoldRepetition};

    let board = game.board();
    let seen = |key| occurrences.get(&key).copied().unwrap_or(0);
    let threefold = seen(board.key()) >= THREEFOLD;
    let fifty = board.halfmove_clock() >= FIFTY_MOVES;
    let mut claims = Vec::new();
    if threefold {
        claims.push(Claim {
            ground: ThreefoldRepetition,
            with_move: None,
        });
    }
    if fifty {
        claims.push(Claim {
            ground: FiftyMoves,
            with_move: None,
        });
    }

    let mut moves = MoveList::new();
    board.legal_moves(&mut moves);
    for mv in moves {
        let after = board.after(mv);
        if !threefold && seen(after.key()) + 1 >= THREEFOLD {
            claims.push(Claim {
                ground: ThreefoldRepetition,
                with_move: Some(mv),
            });
        }
        if !fifty && after.halfmove_clock() >= FIFTY_MOVES {
            claims.push(Claim {
                ground: FiftyMoves,
                with_move: Some(mv),
            });
        }
    }
    claims
}
