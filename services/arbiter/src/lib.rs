//! What an arbiter decides.
//!
//! [`replay::replay`] is a pure function: a ruleset, the moves so far and a list of events go in; a ruling for each
//! event and the verdict on the game come out, each with its articles. Rulesets are data ([`ruleset`]). A fact that
//! nobody reported is named, never guessed.
//!
//! [`recorded`] reads what a game's text says of its end and tells where that contradicts the rules; [`compare`] tells
//! where rulesets differ on one game.
//!
//! ```
//! use tabiya_arbiter::{replay::{GameResult, Reason, replay}, ruleset::Library};
//! use tabiya_rules::{Board, Color, Game, Variant};
//!
//! let mated = Board::from_fen("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3").unwrap();
//! let ruleset = Library::built_in().unwrap().find("fide-2023").unwrap();
//! let report = replay(ruleset, &Game::new(mated), Variant::Standard, None, &[]);
//! let end = report.conclusion.unwrap();
//! assert_eq!((end.reason, end.result), (Reason::Mate, Some(GameResult::Wins(Color::Black))));
//! assert_eq!(end.articles, ["5.1.1"]);
//! ```

#![forbid(unsafe_code)]

mod claim;
pub mod compare;
pub mod mate;
pub mod recorded;
pub mod replay;
pub mod ruleset;
pub mod standings;
pub mod words;

pub use claim::{Claim, ClaimGround};
