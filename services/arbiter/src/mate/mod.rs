//! Can this side still mate, by any series of legal moves at all?
//!
//! [`prove`] answers with evidence. *Yes* comes with a line that ends in mate and that anyone can replay; *no* comes
//! with a [`Certificate`] that [`check`] verifies without trusting the prover. At its node limit the prover says that
//! it does not know. Counters and repetition play no part: the question is about the board alone (FIDE 5.2.2, 6.9).
//!
//! The tiers, cheapest first: material classes that cannot mate ([`MaterialClass`]); a quest, which walks straight
//! towards pictures of mates and settles most positions in microseconds; a short search, which exhausts positions
//! from which little can arise; an over-approximation of where every piece can ever get ([`Reach`]), in which no mate
//! can stand; the quest again, with more patience; and a long search, which either finds a mate or has seen every
//! position that can arise.
//!
//! ```
//! use tabiya_arbiter::mate::{self, Verdict};
//! use tabiya_rules::{Board, Color};
//!
//! // Nothing can pass the pawns, and nothing can be taken.
//! let blocked = Board::from_fen("8/8/4k3/1p1p1p1p/1P1P1P1P/4K3/8/8 w - - 0 1").unwrap();
//! let proof = mate::prove(&blocked, Color::White, mate::DEFAULT_LIMIT);
//! let Verdict::No(certificate) = proof.verdict else { panic!() };
//! mate::check(&blocked, Color::White, &certificate).unwrap();
//! ```

mod certificate;
mod check;
mod frontier;
mod guide;
mod hunt;
mod prover;
mod quest;
mod reach;
mod seen;
#[cfg(test)]
mod tests;
mod workshop;

pub use certificate::{Certificate, MaterialClass, PieceReach, Proof, Reach, Step, StepEnd, Verdict};
pub use check::{CheckError, check, check_line};
pub use prover::{DEFAULT_LIMIT, Prover, prove};
