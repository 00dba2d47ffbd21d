//! Where proto and domain types meet: what the wire says is checked here, once, and becomes domain types.

mod arbiter;
mod arbiter_event;
mod duration;
mod enumeration;
mod moves;
mod position;
mod rules;
mod ruleset;
mod score;
mod search;
mod standings;

pub use arbiter::{AdjudicateQuestion, adjudicate_question, adjudicate_response};
pub use moves::{MoveReader, move_reader};
pub use position::{ParsedPosition, check_id, parse_position};
pub use rules::{legal_moves_response, play_moves, status};
pub use ruleset::{get_ruleset, list_rulesets};
pub use score::{score_message, static_score};
pub use search::{
    Asked, MAX_MULTIPV, SearchQuestion, analyze_fields, batch_analyze_fields, check_network,
    duration_message, iteration_message, parse_backend, result_message, search_question,
};
pub use standings::{StandingsQuestion, standings_question, standings_response};
