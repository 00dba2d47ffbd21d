//! What an arbiter decides.
//!
//! [`replay::replay`] is a pure function: a ruleset, the moves so far and a list of events go in; a ruling for each
//! event and the verdict on the game come out, each with its articles. Rulesets are data ([`ruleset`]). A fact that
//! nobody reported is named, never guessed.
//!
//! [`recorded`] reads what a game's text says of its end and tells where that contradicts the rules; [`compare`] tells
//! where rulesets differ on one game.
//!
//! [`adjudicate`] is the short way for a game that holds nothing but moves, under the FIDE Laws of 2023.

#![forbid(unsafe_code)]

mod adjudicate;
mod article;
mod claim;
pub mod compare;
pub mod mate;
mod material;
pub mod recorded;
pub mod replay;
pub mod ruleset;
pub mod standings;
pub mod words;

pub use adjudicate::{Decision, Ending, Termination, adjudicate};
pub use article::{Article, FIDE_2023};
pub use claim::{Claim, ClaimGround};
pub use material::is_dead_by_material;
