//! The checker: small, and independent of how a certificate was found.

mod closed;
pub(super) mod confined;
mod material;
mod mating_net;

pub(super) use confined::confined;
pub(super) use material::material;

use std::fmt;

use tabiya_rules::{Board, Color, Move};

use super::Certificate;

/// What is wrong with a certificate or a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CheckError {
    /// The material is not of the class that was named.
    Material,
    /// The pieces listed are not the pieces on the board.
    Pieces,
    /// Castling is still possible, for which confinement has no argument.
    Castling,
    /// Some piece might leave its squares, or be taken or promoted where this is denied.
    NotConfined,
    /// A mate might stand on the squares that the pieces can reach.
    MatePossible,
    /// The step with this number has no earlier parent, or its move is illegal.
    Step(usize),
    /// A successor of the position with this number is missing.
    NotClosed(usize),
    /// The position with this number is mate.
    Mate(usize),
    /// The claim about the position with this number does not hold.
    Claim(usize),
    /// The digest is not that of the set.
    Digest,
    /// The move with this number in the line is illegal.
    IllegalMove(usize),
    /// The line does not end in mate.
    NoMate,
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Material => f.write_str("material: not of the class named"),
            Self::Pieces => f.write_str("reach: not the pieces of the board"),
            Self::Castling => f.write_str("reach: castling is still possible"),
            Self::NotConfined => f.write_str("reach: not closed under moves"),
            Self::MatePossible => f.write_str("reach: a mate might stand"),
            Self::Step(step) => write!(f, "step {step}: no legal move from an earlier position"),
            Self::NotClosed(step) => write!(f, "step {step}: a successor is missing"),
            Self::Mate(step) => write!(f, "step {step}: is mate"),
            Self::Claim(step) => write!(f, "step {step}: its claim does not hold"),
            Self::Digest => f.write_str("digest: not that of the set"),
            Self::IllegalMove(ply) => write!(f, "line: move {ply} is illegal"),
            Self::NoMate => f.write_str("line: does not end in mate"),
        }
    }
}

impl std::error::Error for CheckError {}

/// Whether a certificate proves that `side` can never mate from this position.
///
/// # Errors
///
/// The first thing that is wrong with it.
pub fn check(board: &Board, side: Color, certificate: &Certificate) -> Result<(), CheckError> {
    // The arguments by material speak of mates to come.
    if board.side_to_move() != side && board.is_checkmate() {
        return Err(CheckError::Mate(0));
    }
    match certificate {
        Certificate::Material(class) => material(board, side, *class),
        Certificate::Confined(reach) => confined(board, side, reach),
        Certificate::Exhausted { steps, digest } => closed::closed(board, side, steps, *digest),
    }
}

/// Whether a line of legal moves ends with `side` giving mate.
///
/// # Errors
///
/// The first illegal move, or that the line does not end in mate.
pub fn check_line(board: &Board, side: Color, line: &[Move]) -> Result<(), CheckError> {
    let mut board = *board;
    for (ply, &mv) in line.iter().enumerate() {
        if !board.is_legal(mv) {
            return Err(CheckError::IllegalMove(ply));
        }
        board.play(mv);
    }
    let mated = board.side_to_move() != side && board.is_checkmate();
    mated.then_some(()).ok_or(CheckError::NoMate)
}
