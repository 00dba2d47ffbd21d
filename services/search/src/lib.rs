//! Best move: one search, generic over the evaluator.
//!
//! [`search`] answers one question with fresh tables, so that the same position, options and node
//! limit give the same move, score and node count on every evaluator that computes the same function.
//! [`Searcher`] keeps its tables from move to move for a game in play; [`Searcher::search_with_helpers`] searches one
//! position on several threads. [`fiber`] runs many searches on one thread and hands their leaves to a batch backend.

#![deny(unsafe_code)]

mod alpha_beta;
mod arena;
mod budget;
mod crew;
mod draw;
mod endgame;
pub mod fiber;
mod history;
mod iteration;
mod limits;
mod memory;
mod mind;
mod move_picker;
mod moves;
mod node;
mod parallel;
mod quiescence;
mod reductions;
mod root;
mod score;
mod searcher;
mod see;
mod time;
mod transposition;
mod worker;

pub use iteration::{Iteration, Line, SearchResult};
pub use limits::{Limits, Options, StoppedBy};
pub use parallel::{HELP_PORTION, Helper, Team};
pub use score::{Bound, MAX_PLY, Score, Wdl};
pub use searcher::{Searcher, search};
pub use see::{exchange_at_least, piece_value};
pub use tabiya_tablebase::{MAX_KEPT_BYTES as MAX_TABLEBASE_BYTES, OpenError as TablebaseError, Tablebase};
pub use time::{ClockState, TimeBudget};
