//! Scores, tie-breaks, ratings and points of tournaments, in exact arithmetic.
//!
//! A [`Contest`] holds players, their rounds and, if teams are ranked, the teams; [`Contest::field`] is what is ranked,
//! [`table`] ranks it by the tie-breaks of [`Rules`], each a [`Spec`] from the [`CATALOGUE`] of FIDE's Tie-Break
//! Regulations (C.07) in one of three editions, or of the older Chinese code. [`trf`] reads and writes FIDE's tournament
//! report file. Rating changes follow the Rating Regulations (B.02); [`club_gain`] and [`club_level`] are the points and
//! levels of the ruleset `club`.
//!
//! What the regulations leave open is read as follows; each reading can be found where it is applied:
//! - A game of less than a move (`W`, `D`, `L` of the report file) was played, but is not rated.
//! - A paired game without a result counts as the scheme says, by default as drawn, until the result is known.
//! - `/P` makes forfeits games against the scheduled opponent, whose adjusted score counts.
//! - Fore Buchholz (8.3) draws every game for which two participants were paired in the last round, forfeits included.
//! - "Rounds in the tournament" (16.4.2) are the planned ones.
//! - Performances (10.2 to 10.5) count a win as 1 and a draw as ½, whatever the event pays; the percentage is rounded to a
//!   whole number.
//! - A round without play is worth half a standard point (7.7) only if it brought a draw's points.

mod awards;
mod catalogue;
mod club;
mod contest;
mod counts;
mod defaults;
mod edition;
mod elo;
mod encounter;
mod field;
mod first_rating;
mod fraction;
mod mark;
mod performance;
mod rating_table;
mod scheme;
mod spec;
mod table;
mod team;
pub mod trf;
mod value;
mod view;

pub use awards::awards;
pub use catalogue::{CATALOGUE, Code, CodeInfo, Cuts, Scope};
pub use club::{Basis, ClubGame, ClubResult, FirstLevel, Rounding, club_gain, club_level, club_totals};
pub use contest::{Cell, CellError, Contest, ContestError, Person};
pub use defaults::{default_primary, default_tie_breaks};
pub use edition::Edition;
pub use elo::{
    Development, GameChange, MissingFact, RatedGame, RatingEdition, coefficient, game_changes,
    limited_coefficient, tournament_change,
};
pub use field::{Entry, Field, Kind, MAX_CELLS, MAX_PLAYERS, MAX_ROUNDS, Slot, System, Unit};
pub use first_rating::{NoRating, initial_rating};
pub use fraction::{Fraction, FractionError};
pub use mark::Mark;
pub use performance::performance_ratings;
pub use rating_table::{difference_for, expected_at};
pub use scheme::Scheme;
pub use spec::{Spec, SpecError};
pub use table::{Rules, Standing, Table, table, table_until};
pub use team::{Team, TeamEvent, WholeRound};
pub use value::Value;
