//! Where proto and domain types meet: what the wire says is checked here, once, and becomes domain types.

mod adjudicate;
mod arbiter;
mod arbiter_event;
mod claim;
mod color;
mod comparison;
mod duration;
mod enumeration;
mod game_line;
mod language;
mod mate;
mod mate_proof;
mod moves;
mod position;
mod recorded;
mod room;
mod rules;
mod ruleset;
mod score;
mod search;
mod standings;

pub use adjudicate::{Desk, adjudicate, batch_adjudicate_fields};
pub use arbiter_event::{MAX_EDITS, MAX_MOVE_BYTES, MAX_SQUARES};
pub use comparison::{MAX_COMPARED, compare_rulings};
pub use game_line::{OfGame, STRETCH, game_goes_on};
pub use language::accept_language;
pub use mate::{DEFAULT_PROOF_NODES, MAX_PROOF_NODES, MateQuestion, mate_question, mate_response, undecided};
pub use mate_proof::{MAX_CERTIFICATE_BYTES, check_mate_proof};
pub use moves::{MoveReader, move_reader};
pub use position::{ParsedPosition, check_id, parse_position};
pub use rules::{legal_moves_response, play_moves, status};
pub use ruleset::{AddError, Chosen, MAX_RULESET_BYTES, RulesetReader, Rulesets};
pub use score::{score_message, static_score};
pub use search::{
    Asked, MAX_GAME_NAME_BYTES, MAX_MULTIPV, SearchQuestion, analyze_fields, batch_analyze_fields,
    duration_message, iteration_message, parse_backend, result_message, search_question,
};
pub use standings::{StandingsQuestion, standings_question, standings_response};
