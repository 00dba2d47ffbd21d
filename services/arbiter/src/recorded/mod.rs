//! Games as they were recorded: what a PGN text says of its own end, read as events, and where it contradicts the rules.
//!
//! A record tells the moves, perhaps clock readings, a result and a word on how the game ended. What it tells of the end
//! becomes events ([`Record::events`]); [`replay`](crate::replay) rules on them; [`contradictions`] compares.
//!
//! | `Termination` | result | events after the moves |
//! |---|---|---|
//! | any, or none | the moves end the game by themselves | none, unless the tag names another ending |
//! | time | 1-0, 0-1 | the flag of the side that lost, established by the arbiter |
//! | time | ½-½ or none | the flag of the side on move, established by the arbiter |
//! | resignation, `Normal` or none | 1-0, 0-1 | the side that lost resigns |
//! | resignation | ½-½ | the side resigns whose opponent cannot win, if it is the only one |
//! | repetition, quiet moves | ½-½ | a claim on that ground by the side on move, with a move where only that makes it right |
//! | agreement | ½-½ | an offer by the side whose it is to offer, accepted |
//! | `Normal` or none | ½-½ | a claim, if the last position gives the side on move one, else an agreement |
//! | abandoned, adjudication, infraction, death, emergency; no tag and no moves | any | the arbiter's decision for it |
//! | `Unterminated`, mate, stalemate, dead position | any | none |
//!
//! Without a recorded result, only a flag is an event. After a word that is no legal move nothing more is known, so there
//! are no events. An offer is taken to be the side's that moved last, or on move where only that side may offer, and at
//! the regular moment: nothing in a record says otherwise.

mod check;
mod clocks;
mod contradiction;
mod defects;
mod events;
mod read;
mod termination;
mod time_control;

use std::{
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use tabiya_rules::{Color, Game, Variant, pgn::Defect};

pub use check::contradictions;
pub use contradiction::{Contradiction, ContradictionKind};
pub use read::RecordError;
pub use termination::RecordedTermination;

use crate::{
    replay::{Event, GameResult, Report, TimeControl, replay, replay_until},
    ruleset::Ruleset,
};

/// What the text of a game says.
#[derive(Clone, Debug)]
pub struct Record {
    /// The start and the moves, up to the first word that is no legal move.
    pub game: Game,
    /// How castling is set up and written.
    pub variant: Variant,
    /// The `Result` tag as written.
    pub result_tag: Option<String>,
    /// What the tag says, if that is a result.
    pub tag: Option<GameResult>,
    /// The termination marker after the moves, in the standard's spelling.
    pub marker: Option<&'static str>,
    /// The `Termination` tag as written.
    pub termination_tag: Option<String>,
    /// How the tag is understood.
    pub termination: Option<RecordedTermination>,
    /// The `TimeControl` tag, if it is understood.
    pub control: Option<TimeControl>,
    /// `[%clk]` after each ply.
    pub clocks: Vec<Option<Duration>>,
    /// `[%emt]` of each ply.
    pub spent: Vec<Option<Duration>>,
    /// The first word that is no legal move.
    pub broken: Option<BrokenLine>,
    /// What else of the text could not be read as it stands, such as a comment that is never closed.
    pub unread: Vec<Defect>,
}

/// A word that is no legal move, where a record's moves end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BrokenLine {
    /// The word, cut to 64 bytes.
    pub text: String,
    /// Whether the position before it has no legal move at all.
    pub after_end: bool,
}

impl Record {
    /// Decides the game by what the record tells, and gives the events that the report ruled on.
    pub fn rule(&self, ruleset: &Ruleset) -> (Vec<Event>, Report) {
        let never = Arc::default();
        let events = self.events(false, ruleset, &never);
        let report = replay(ruleset, &self.game, self.variant, None, &events);
        self.shortened(events, report, ruleset, &never)
    }

    /// As [`Record::rule`], until `stop` is raised: then `None`, see [`replay_until`].
    pub fn rule_until(&self, ruleset: &Ruleset, stop: &Arc<AtomicBool>) -> Option<(Vec<Event>, Report)> {
        let events = self.events(false, ruleset, stop);
        let report = replay_until(ruleset, &self.game, self.variant, None, &events, stop)?;
        Some(self.shortened(events, report, ruleset, stop))
    }

    /// Events after the end change nothing: without them, only their rulings go.
    fn shortened(
        &self,
        events: Vec<Event>,
        mut report: Report,
        ruleset: &Ruleset,
        stop: &Arc<AtomicBool>,
    ) -> (Vec<Event>, Report) {
        let ended = (report.conclusion.as_ref()).is_some_and(|end| end.event.is_none());
        if !ended {
            return (events, report);
        }
        let events = self.events(true, ruleset, stop);
        report.rulings.truncate(events.len());
        (events, report)
    }

    /// Plies read.
    pub fn plies(&self) -> usize {
        self.game.moves().len()
    }

    /// The recorded result: the tag's, or else the marker's.
    pub fn result(&self) -> Option<GameResult> {
        self.tag.or_else(|| self.marker.and_then(result_of))
    }

    /// Whether the record says that there is no result (`*`).
    fn says_unknown(&self) -> bool {
        self.result().is_none() && (self.marker == Some("*") || self.result_tag.as_deref() == Some("*"))
    }

    /// Whose move a ply is, counted from 0.
    fn mover(&self, ply: usize) -> Color {
        let first = self.game.start().side_to_move();
        if ply.is_multiple_of(2) { first } else { !first }
    }

    /// The last clock reading of a side, with its ply counted from 0.
    pub fn last_clock(&self, side: Color) -> Option<(usize, Duration)> {
        let mut readings = self.clocks.iter().enumerate().rev();
        readings.find_map(|(ply, clock)| (self.mover(ply) == side).then_some((ply, (*clock)?)))
    }
}

/// The result that a text spells.
fn result_of(text: &str) -> Option<GameResult> {
    use tabiya_rules::pgn::Outcome;

    match Outcome::from_informal(text) {
        Some(Outcome::WhiteWins) => Some(GameResult::Wins(Color::White)),
        Some(Outcome::BlackWins) => Some(GameResult::Wins(Color::Black)),
        Some(Outcome::Draw) => Some(GameResult::Draw),
        Some(Outcome::Unknown) => None,
        // Not in the standard, but the laws have it (11.8).
        None => matches!(text, "0-0" | "0:0" | "-/-").then_some(GameResult::BothLose),
    }
}

/// A result as records spell it.
pub(crate) fn spelled(result: Option<GameResult>) -> &'static str {
    match result {
        Some(GameResult::Wins(Color::White)) => "1-0",
        Some(GameResult::Wins(Color::Black)) => "0-1",
        Some(GameResult::Draw) => "1/2-1/2",
        Some(GameResult::BothLose) => "0-0",
        None => "*",
    }
}
