//! Where a record contradicts the rules, or itself.

use tabiya_rules::pgn::Defect;

use super::{Contradiction, ContradictionKind as Kind, Record, RecordedTermination as T, result_of, spelled};
use crate::{
    replay::{Conclusion, Event, GameResult, GameStatus, MissingFact, Reason, Report, Ruling, TimeControl},
    ruleset::{Rule, Ruleset},
    words::{self, Language},
};

/// Most bytes of a tag that are quoted.
const MAX_QUOTED_BYTES: usize = 64;

/// Every contradiction between a record and the decision on its game, in a fixed order. `events` are those that the
/// record was read as; none if the report ruled on others. `control` is the time control in force, if it is known.
pub fn contradictions(
    record: &Record,
    ruleset: &Ruleset,
    control: Option<&TimeControl>,
    events: &[Event],
    report: &Report,
) -> Vec<Contradiction> {
    let check = Check {
        record,
        ruleset,
        report,
        end: report.conclusion.as_ref(),
    };
    let mut found = check.unread();
    found.extend(check.marker());
    found.extend(check.broken());
    found.extend(check.moves_after_end());
    found.extend(check.refused(events));
    found.extend(check.result());
    found.extend(check.termination());
    let on_board = check.end.is_some_and(|end| end.event.is_none());
    for mut clock in record.clock_contradictions(control, on_board) {
        if clock.kind == Kind::FlagShown {
            clock.articles = ruleset.articles_of(Rule::FlagSeen).to_vec();
        }
        found.push(clock);
    }
    found
}

impl Record {
    /// Result and termination as written, for quoting.
    pub(super) fn told(&self) -> String {
        let result = match (&self.result_tag, self.marker) {
            (Some(tag), _) => quoted(tag),
            (None, marker) => marker.unwrap_or("*").to_owned(),
        };
        match &self.termination_tag {
            Some(tag) => format!("{result}, {}", quoted(tag)),
            None => result,
        }
    }
}

/// The head of a tag's value.
fn quoted(text: &str) -> String {
    text[..text.floor_char_boundary(MAX_QUOTED_BYTES)].to_owned()
}

/// A reason as a name for machines, and in Chinese words.
type Said = (String, String);

fn said(reason: Reason) -> Said {
    (reason.name().to_owned(), reason.zh().to_owned())
}

struct Check<'a> {
    record: &'a Record,
    ruleset: &'a Ruleset,
    report: &'a Report,
    end: Option<&'a Conclusion>,
}

impl Check<'_> {
    fn contradiction(
        &self,
        kind: Kind,
        (ruled, ruled_zh): Said,
        ply: Option<usize>,
        articles: &[String],
    ) -> Contradiction {
        Contradiction {
            kind,
            recorded: self.record.told(),
            recorded_zh: String::new(),
            ruled,
            ruled_zh,
            ply,
            articles: articles.to_vec(),
        }
    }

    /// What the rules decide: a result and its reason.
    fn ruled(&self) -> Said {
        match self.end {
            // That of the report, which knows why a game goes on or waits.
            None => said(self.report.reason),
            Some(end) => {
                let (name, words) = said(end.reason);
                let result = match end.status {
                    GameStatus::Void => ("void", "作废"),
                    _ => (spelled(end.result), spelled(end.result)),
                };
                (format!("{}, {name}", result.0), format!("{}，{words}", result.1))
            }
        }
    }

    /// The articles of that decision: where the game goes on though others have it drawn, what leaves that out.
    fn ruled_by(&self) -> &[String] {
        match (self.end, self.report.reason) {
            (Some(end), _) => &end.articles,
            (None, Reason::GoesOnHere) => self.ruleset.articles_of(Rule::NotMentioned),
            (None, _) => &[],
        }
    }

    fn marker(&self) -> Option<Contradiction> {
        let marker = self.record.marker?;
        let tag = self.record.result_tag.as_deref().filter(|tag| *tag != "?")?;
        let differ = result_of(marker) != result_of(tag);
        differ.then(|| Contradiction {
            kind: Kind::ResultMarker,
            recorded: format!("{}; {marker}", quoted(tag)),
            recorded_zh: String::new(),
            ruled: String::new(),
            ruled_zh: String::new(),
            ply: None,
            articles: Vec::new(),
        })
    }

    fn unread(&self) -> Vec<Contradiction> {
        let unread = |defect: &Defect| Contradiction {
            kind: Kind::Unread,
            recorded: words::defect(defect, Language::English),
            recorded_zh: words::defect(defect, Language::Chinese),
            ruled: String::new(),
            ruled_zh: String::new(),
            ply: None,
            articles: Vec::new(),
        };
        self.record.unread.iter().map(unread).collect()
    }

    fn broken(&self) -> Option<Contradiction> {
        let broken = self.record.broken.as_ref().filter(|broken| !broken.after_end)?;
        Some(Contradiction {
            kind: Kind::IllegalMove,
            recorded: quoted(&broken.text),
            recorded_zh: String::new(),
            ruled: String::new(),
            ruled_zh: String::new(),
            ply: Some(self.record.plies() + 1),
            articles: self.ruleset.articles_of(Rule::IllegalMove).to_vec(),
        })
    }

    fn moves_after_end(&self) -> Option<Contradiction> {
        let end = self.end.filter(|end| end.event.is_none())?;
        let after = self.record.broken.as_ref().is_some_and(|broken| broken.after_end);
        if end.ply >= self.record.plies() && !after {
            return None;
        }
        let mut articles = end.articles.clone();
        articles.extend_from_slice(self.ruleset.articles_of(Rule::MoveEndsGame));
        let mut found = self.contradiction(Kind::MovesAfterEnd, self.ruled(), Some(end.ply + 1), &articles);
        match (&self.record.broken, self.record.plies().saturating_sub(end.ply)) {
            (Some(broken), 0) => found.recorded = quoted(&broken.text),
            (_, further) => {
                let plies = if further == 1 { "ply" } else { "plies" };
                found.recorded = format!("{further} further {plies}");
                found.recorded_zh = format!("其后另有{further}着");
            }
        }
        Some(found)
    }

    /// The last event, where it was to end the game and was refused although nothing had ended it.
    fn refused(&self, events: &[Event]) -> Option<Contradiction> {
        if self.end.is_some() || events.is_empty() {
            return None;
        }
        let last: &Ruling = self.report.rulings.last().filter(|ruling| !ruling.accepted)?;
        // What a wrong claim costs may not be known; that it is wrong is.
        let wrong = matches!(last.reason, Reason::ClaimWrong | Reason::ClaimIllegalMove);
        let open = |missing: &MissingFact| missing.event.is_some();
        if !wrong && self.report.missing_facts.iter().any(open) {
            return None;
        }
        self.record.result()?;
        let ruled = said(last.reason);
        Some(self.contradiction(Kind::NotAllowed, ruled, None, &last.articles))
    }

    fn result(&self) -> Option<Contradiction> {
        let recorded = self.record.result();
        let Some(end) = self.end else {
            // Said to go on, and yet with a result.
            let open = self.record.termination == Some(T::Unterminated) && recorded.is_some();
            return open.then(|| self.contradiction(Kind::Result, self.ruled(), None, self.ruled_by()));
        };
        let by_moves = end.event.is_none();
        if self.record.broken.is_some() && !by_moves {
            return None;
        }
        let differs = match recorded {
            Some(result) => end.result != Some(result),
            None => by_moves && self.record.says_unknown(),
        };
        differs.then(|| self.contradiction(Kind::Result, self.ruled(), None, &end.articles))
    }

    /// Whether the recorded result is such a one, or there is no word on it; a `*` is none.
    fn says(&self, such: impl Fn(GameResult) -> bool) -> bool {
        match self.record.result() {
            Some(result) => such(result),
            None => !self.record.says_unknown(),
        }
    }

    fn termination(&self) -> Option<Contradiction> {
        let recorded = self.record.termination?;
        if self.record.broken.is_some() {
            return None;
        }
        let reason = self.end.map(|end| end.reason);
        let seen = match recorded {
            T::Normal => true,
            T::Checkmate => reason == Some(Reason::Mate),
            T::Stalemate => reason == Some(Reason::Stalemate),
            T::DeadPosition => matches!(reason, Some(Reason::Dead | Reason::LineUp)),
            T::Repetition | T::QuietMoves => match self.end {
                Some(end) if end.event.is_none() => {
                    let wanted = if recorded == T::Repetition {
                        Reason::Repetition
                    } else {
                        Reason::Quiet
                    };
                    end.reason == wanted || end.also.contains(&wanted)
                }
                // A claim, which is judged as an event and cannot win.
                _ => self.says(|result| result == GameResult::Draw),
            },
            // These are events: only what ended the game before them contradicts, and a result that they never give.
            T::Agreement => {
                self.end.is_none_or(|end| end.event.is_some())
                    && self.says(|result| result == GameResult::Draw)
            }
            T::Resignation => {
                let drawn = reason == Some(Reason::ResignedDraw);
                let gives = |result| match result {
                    GameResult::Wins(_) => true,
                    GameResult::Draw => drawn,
                    GameResult::BothLose => false,
                };
                self.end.is_none_or(|end| end.event.is_some()) && self.says(gives)
            }
            T::Time | T::Abandoned | T::Decision | T::Unterminated => {
                self.end.is_none_or(|end| end.event.is_some())
            }
        };
        if seen {
            return None;
        }
        Some(self.contradiction(Kind::Termination, self.ruled(), None, self.ruled_by()))
    }
}
