//! The records that describe the event.

use super::{TrfErrors, columns::Columns};
use crate::standings::{Fraction, Scheme, System, Unit};

/// What the records on the event say in words.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Header {
    /// 012: the name.
    pub name: String,
    /// 022: the city.
    pub city: String,
    /// 032: the federation.
    pub federation: String,
    /// 042: the first day.
    pub start: String,
    /// 052: the last day.
    pub end: String,
    /// 092: the type, in words.
    pub kind: String,
    /// 102: the chief arbiter.
    pub chief_arbiter: String,
    /// 112: the deputies.
    pub deputies: Vec<String>,
    /// 122: the time control.
    pub times: String,
}

/// What the records on the event say in code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Settings {
    pub(super) rounds: Option<usize>,
    pub(super) scheme: Scheme,
    pub(super) system: Option<System>,
    pub(super) match_points: [Fraction; 3],
    /// 202 or 212, as it stands.
    pub(super) tie_breaks: Option<(usize, String)>,
    /// The score that decides, where 192 says so.
    pub(super) primary: Option<Unit>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            rounds: None,
            scheme: Scheme::STANDARD,
            system: None,
            match_points: crate::standings::TeamEvent::MATCH_POINTS,
            tie_breaks: None,
            primary: None,
        }
    }
}

impl Header {
    /// Takes a record; false if it is none of these.
    pub(super) fn take(&mut self, tag: &str, text: &str) -> bool {
        let field = match tag {
            "012" => &mut self.name,
            "022" => &mut self.city,
            "032" => &mut self.federation,
            "042" => &mut self.start,
            "052" => &mut self.end,
            "092" => &mut self.kind,
            "102" => &mut self.chief_arbiter,
            "122" => &mut self.times,
            "112" => {
                self.deputies.push(text.to_owned());
                return true;
            }
            _ => return false,
        };
        text.clone_into(field);
        true
    }
}

impl Settings {
    /// Takes a record; false if it is none of these.
    pub(super) fn take(
        &mut self,
        tag: &str,
        line: usize,
        columns: &Columns<'_>,
        errors: &mut TrfErrors,
    ) -> bool {
        let text = columns.field(4, columns.len().max(4));
        match tag {
            "142" | "XXR" => {
                self.rounds = text.parse().ok();
                let most = crate::standings::MAX_ROUNDS;
                if self.rounds.is_none_or(|rounds: usize| rounds > most) {
                    errors.add(
                        line,
                        5,
                        "number of rounds",
                        text,
                        format!("not a whole number up to {most}"),
                    );
                    self.rounds = None;
                }
            }
            "162" => self.points_by_letter(line, columns, errors),
            "XXS" => self.points_by_code(line, columns, errors),
            "362" => self.match_points_by_letter(line, columns, errors),
            "092" => {
                if self.system.is_none() {
                    self.system = system_in(text);
                }
                return false;
            }
            "192" => {
                self.system = system_in(text).or(self.system);
                let code = text.to_ascii_uppercase();
                self.primary = match code {
                    _ if code.ends_with("_GP") => Some(Unit::Game),
                    _ if code.ends_with("_MP") => Some(Unit::Match),
                    _ => None,
                };
            }
            // 212 says more than 202: it names the score as well.
            "202" if self.tie_breaks.is_none() => self.tie_breaks = Some((line, text.to_owned())),
            "212" => self.tie_breaks = Some((line, text.to_owned())),
            "202" => {}
            _ => return false,
        }
        true
    }

    fn points_by_letter(&mut self, line: usize, columns: &Columns<'_>, errors: &mut TrfErrors) {
        let mut pairs = pairs(line, columns, errors);
        // What is worth as much as another result by default comes after it.
        pairs.sort_by_key(|&(_, letter, _)| !matches!(letter, "W" | "D"));
        for (column, letter, points) in pairs {
            let scheme = &mut self.scheme;
            match letter {
                "W" => {
                    // The allocated bye is worth as much as a win unless a later pair says otherwise.
                    if scheme.allocated_bye == scheme.win {
                        scheme.allocated_bye = points;
                    }
                    scheme.win = points;
                }
                "D" => {
                    if scheme.unfinished == scheme.draw {
                        scheme.unfinished = points;
                    }
                    scheme.draw = points;
                }
                "L" => scheme.loss = points,
                "A" => scheme.absence = points,
                "P" => scheme.allocated_bye = points,
                "X" => scheme.unfinished = points,
                _ => errors.add(line, column, "result", letter, "not one of W D L A P X"),
            }
        }
    }

    fn match_points_by_letter(&mut self, line: usize, columns: &Columns<'_>, errors: &mut TrfErrors) {
        for (column, letter, points) in pairs(line, columns, errors) {
            match letter {
                "TW" => self.match_points[0] = points,
                "TD" => self.match_points[1] = points,
                "TL" => self.match_points[2] = points,
                _ => errors.add(line, column, "result", letter, "not one of TW TD TL"),
            }
        }
    }

    /// The pairing programs' own record: `CODE=VALUE`, by colour. Only what our scheme can tell apart is taken.
    fn points_by_code(&mut self, line: usize, columns: &Columns<'_>, errors: &mut TrfErrors) {
        for (column, word) in words(columns) {
            let Some((code, value)) = word.split_once('=') else {
                errors.add(line, column, "points", word, "not of the form CODE=VALUE");
                continue;
            };
            let points = match Fraction::parse(value) {
                Ok(points) => points,
                Err(error) => {
                    errors.add(line, column, "points", value, error);
                    continue;
                }
            };
            let scheme = &mut self.scheme;
            match code.to_ascii_uppercase().as_str() {
                "W" | "WW" | "BW" | "FW" | "FPB" => scheme.win = points,
                "D" | "WD" | "BD" | "HPB" => {
                    scheme.draw = points;
                    scheme.unfinished = points;
                }
                "WL" | "BL" => scheme.loss = points,
                "ZPB" | "FL" => scheme.absence = points,
                "PAB" => scheme.allocated_bye = points,
                _ => errors.add(line, column, "points", code, "not a code of this record"),
            }
        }
    }
}

fn system_in(text: &str) -> Option<System> {
    let folded: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
    let folded = folded.to_ascii_lowercase();
    if folded.contains("roundrobin") || folded.contains("allplayall") {
        Some(System::RoundRobin)
    } else if folded.contains("swiss") || folded.contains("dutch") {
        Some(System::Swiss)
    } else {
        None
    }
}

/// The words of a record behind its tag, each with its column.
fn words<'a>(columns: &Columns<'a>) -> Vec<(usize, &'a str)> {
    let mut words = Vec::new();
    let mut from = 4;
    while from <= columns.len() {
        if columns.field(from, from).is_empty() {
            from += 1;
            continue;
        }
        let mut to = from;
        while to < columns.len() && !columns.field(to + 1, to + 1).is_empty() {
            to += 1;
        }
        words.push((from, columns.raw(from, to)));
        from = to + 1;
    }
    words
}

/// Letters with the points that follow them, close by or after blanks.
fn pairs<'a>(line: usize, columns: &Columns<'a>, errors: &mut TrfErrors) -> Vec<(usize, &'a str, Fraction)> {
    let mut pairs = Vec::new();
    let mut waiting: Option<(usize, &str)> = None;
    for (column, word) in words(columns) {
        let end = word
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(word.len());
        let (letters, number) = word.split_at(end);
        let (at, letter) = match (letters, waiting.take()) {
            ("", Some(before)) => before,
            ("", None) => {
                errors.add(line, column, "points", word, "a letter is expected before it");
                continue;
            }
            (letters, before) => {
                if let Some((at, letter)) = before {
                    errors.add(line, at, "result", letter, "no points follow it");
                }
                (column, letters)
            }
        };
        if number.is_empty() {
            waiting = Some((at, letter));
            continue;
        }
        match Fraction::parse(number) {
            Ok(points) => pairs.push((at, letter, points)),
            Err(error) => errors.add(line, column, "points", number, error),
        }
    }
    if let Some((at, letter)) = waiting {
        errors.add(line, at, "result", letter, "no points follow it");
    }
    pairs
}
