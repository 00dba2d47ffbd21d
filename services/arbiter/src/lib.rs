//! What an arbiter decides from the board and the moves alone.
//!
//! [`adjudicate`] follows a [`tabiya_rules::Game`] to the first position that ends it: checkmate, stalemate, a dead
//! position through lack of material, the fifth repetition or the 75-move rule. If none does, it lists the draws that
//! the player to move may claim. Clocks, offers, touched pieces and penalties need reported facts and are not here.

#![forbid(unsafe_code)]

mod adjudicate;
mod article;
mod claim;
mod material;

pub use adjudicate::{Decision, Ending, Termination, adjudicate};
pub use article::{Article, FIDE_2023};
pub use claim::{Claim, ClaimGround};
pub use material::is_dead_by_material;
