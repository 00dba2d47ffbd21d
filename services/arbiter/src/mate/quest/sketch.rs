use tabiya_rules::{Bitboard, Piece, Square};

/// Most men of the mated side that are called to block a flight.
pub(super) const BLOCKERS: usize = 3;

/// What a pawn becomes that is to block a flight.
pub(super) const BLOCKING_PROMOTIONS: [Piece; 3] = [Piece::Knight, Piece::Bishop, Piece::Rook];

/// The idea of a mate: who has to stand where.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sketch {
    /// Estimate of the moves that both sides need.
    pub(super) cost: u8,
    /// Where the king is mated.
    pub(super) king: Square,
    /// The checking piece, or the pawn that will become it, where it stands now.
    pub(super) checker: Square,
    /// Where it gives check.
    pub(super) check_from: Bitboard,
    /// Where the mating king does its part; empty if it has none.
    pub(super) hunter: Bitboard,
    /// Another piece, and where it does its part.
    pub(super) helper: Option<(Square, Bitboard)>,
    /// Men of the mated side, and where they block.
    pub(super) blockers: [Option<(Square, Square)>; BLOCKERS],
    /// Flights that men of the mated side block already.
    pub(super) stay: Bitboard,
    /// Whether pieces of the mating side cover flights from where they stand.
    pub(super) relies: bool,
}
