//! `Standings`: events and results in, ranked tables out.

mod answer;
mod contest;
mod question;
mod ratings;

pub use answer::standings_response;
pub use question::{StandingsQuestion, standings_question};
