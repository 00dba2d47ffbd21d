use std::collections::BTreeMap;

use super::{
    Header, TrfErrors,
    columns::Columns,
    header::Settings,
    player::{self, FileCell, PlayerRecord, read_player},
    teams::{Numbers, TeamRecords},
};
use crate::standings::{Cell, CellError, Contest, Fraction, MAX_PLAYERS, Mark, Person, System, Unit};

/// Greatest number of lines, and of characters in one.
const MAX_LINES: usize = 10_000;
const MAX_LINE: usize = 4_096;

/// A report file that could be read.
#[derive(Clone, Debug)]
pub struct Report {
    /// Each line with its end.
    lines: Vec<(String, &'static str)>,
    header: Header,
    contest: Contest,
    /// Whether the file says how it was paired.
    system: Option<System>,
    tie_breaks: Option<(usize, String)>,
    primary: Option<Unit>,
    /// For each player the line of the record 001 and the points it claims.
    records: Vec<(usize, Option<Fraction>)>,
}

/// Points that a record claims and the results do not make.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Discrepancy {
    /// The line, from 1.
    pub line: usize,
    /// The player, by index.
    pub player: usize,
    /// The points that stand there.
    pub claimed: Fraction,
    /// The points that the results make.
    pub computed: Fraction,
}

impl Report {
    /// Reads a report.
    ///
    /// # Errors
    /// Everything that is wrong, with line, column, field, value and reason.
    pub fn read(text: &str) -> Result<Self, TrfErrors> {
        let mut errors = TrfErrors::default();
        let lines = split(text, &mut errors);
        let mut reading = Reading::default();
        for (index, (line, _)) in lines.iter().enumerate() {
            let text = if index == 0 {
                line.strip_prefix('\u{feff}').unwrap_or(line)
            } else {
                line
            };
            reading.take(index + 1, text, &mut errors);
        }
        let (contest, records) = reading.contest(&mut errors);
        if !errors.is_empty() {
            return Err(errors);
        }
        let primary = reading.primary();
        Ok(Self {
            lines,
            primary,
            header: reading.header,
            contest,
            system: reading.settings.system,
            tie_breaks: reading.settings.tie_breaks,
            records,
        })
    }

    /// The file, byte for byte as it was read, with the changes made since.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (line, end) in &self.lines {
            text.push_str(line);
            text.push_str(end);
        }
        text
    }

    /// What the records on the event say.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// What scores depend on.
    pub fn contest(&self) -> &Contest {
        &self.contest
    }

    /// How the event was paired, if the file says so (records 192 and 092).
    pub fn system(&self) -> Option<System> {
        self.system
    }

    /// The score that ranks teams, if the file says it: the code of record 192, or else the score that record 212 begins with.
    pub fn primary(&self) -> Option<Unit> {
        self.primary
    }

    /// The tie-breaks that the file names (records 212 and 202), with the line, without the score itself.
    pub fn tie_breaks(&self) -> Option<(usize, Vec<&str>)> {
        let (line, text) = self.tie_breaks.as_ref()?;
        let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
        let score = |name: &&str| {
            !["PTS", "MPTS", "GPTS"]
                .iter()
                .any(|score| score.eq_ignore_ascii_case(name))
        };
        Some((*line, names.filter(score).collect()))
    }

    /// The points that records claim and their results do not make.
    pub fn discrepancies(&self) -> Vec<Discrepancy> {
        let mut found = Vec::new();
        for (player, (line, claimed)) in self.records.iter().enumerate() {
            let computed = self.contest.points(player);
            if let Some(claimed) = claimed.filter(|claimed| *claimed != computed) {
                found.push(Discrepancy {
                    line: *line,
                    player,
                    claimed,
                    computed,
                });
            }
        }
        found
    }

    /// What scores depend on, to be changed: how it was paired, what results are worth, how teams are scored.
    pub fn contest_mut(&mut self) -> &mut Contest {
        &mut self.contest
    }

    /// Writes a player's points and rank into his record; everything else on the line stays.
    pub fn set_result(&mut self, player: usize, points: &str, rank: u32) {
        let Some((line, _)) = self.records.get(player) else {
            return;
        };
        if let Some((text, _)) = self.lines.get_mut(line - 1) {
            let record = text.trim_start_matches('\u{feff}');
            let mark = &text[..text.len() - record.len()];
            let with_points = Columns::of(record).with(81, 84, &format!("{points:>4}"));
            *text = format!(
                "{mark}{}",
                Columns::of(&with_points).with(86, 89, &format!("{rank:>4}"))
            );
        }
    }
}

/// Cuts a text into lines with their ends: CR LF, LF or CR.
fn split(text: &str, errors: &mut TrfErrors) -> Vec<(String, &'static str)> {
    let mut lines = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (line, end) = match rest.find(['\r', '\n']) {
            None => (rest, ""),
            Some(at) if rest[at..].starts_with("\r\n") => (&rest[..at], "\r\n"),
            Some(at) if rest[at..].starts_with('\n') => (&rest[..at], "\n"),
            Some(at) => (&rest[..at], "\r"),
        };
        rest = &rest[line.len() + end.len()..];
        let number = lines.len() + 1;
        if number > MAX_LINES {
            errors.add(number, 1, "file", "", format!("more than {MAX_LINES} lines"));
            break;
        }
        if line.chars().nth(MAX_LINE).is_some() {
            errors.add(
                number,
                MAX_LINE,
                "line",
                "",
                format!("more than {MAX_LINE} characters"),
            );
            lines.push((String::new(), end));
            continue;
        }
        // Tabs stand in comments; a column has none.
        let unseen = |letter: char| letter.is_control() && letter != '\t';
        if let Some((at, letter)) = line.chars().enumerate().find(|&(_, letter)| unseen(letter)) {
            let reason = "control characters are not allowed";
            errors.add(number, at + 1, "line", &letter.to_string(), reason);
            lines.push((String::new(), end));
            continue;
        }
        lines.push((line.to_owned(), end));
    }
    lines
}

#[derive(Default)]
struct Reading {
    header: Header,
    settings: Settings,
    teams: TeamRecords,
    players: Vec<PlayerRecord>,
    /// Line, points and the players they are given to, with their columns.
    extra: Vec<(usize, Fraction, Numbers)>,
}

impl Reading {
    fn take(&mut self, line: usize, text: &str, errors: &mut TrfErrors) {
        let columns = Columns::of(text);
        let tag = columns.raw(1, 3);
        let is_record = tag.starts_with("XX") || tag.bytes().all(|byte| byte.is_ascii_digit());
        if let Some(at) = text
            .chars()
            .position(|letter| letter == '\t')
            .filter(|_| is_record)
        {
            errors.add(
                line,
                at + 1,
                "line",
                "\t",
                "a tab cannot stand in a record of columns",
            );
            return;
        }
        if tag == "001" {
            if self.players.len() == MAX_PLAYERS {
                errors.add(
                    line,
                    1,
                    "record",
                    "001",
                    format!("more than {MAX_PLAYERS} players"),
                );
                return;
            }
            self.players.extend(read_player(&columns, line, errors));
            return;
        }
        let rest = columns.field(4, columns.len().max(4));
        let taken = self.settings.take(tag, line, &columns, errors) || self.header.take(tag, rest);
        if !taken && !self.teams.take(tag, line, &columns, errors) && tag == "299" {
            self.take_extra(line, &columns, errors);
        }
    }

    /// The score that ranks teams, if it is named.
    fn primary(&self) -> Option<Unit> {
        let first = || {
            let (_, text) = self.settings.tie_breaks.as_ref()?;
            match text.split(',').next()?.trim().to_ascii_uppercase().as_str() {
                "MPTS" => Some(Unit::Match),
                "GPTS" => Some(Unit::Game),
                _ => None,
            }
        };
        self.settings.primary.or_else(first)
    }

    fn take_extra(&mut self, line: usize, columns: &Columns<'_>, errors: &mut TrfErrors) {
        let kind = columns.field(5, 5);
        if !kind.is_empty() {
            errors.add(
                line,
                5,
                "type of assignment",
                kind,
                "not supported: it would change what a result is worth",
            );
            return;
        }
        if !columns.field(8, 11).is_empty() {
            errors.add(
                line,
                8,
                "match points",
                columns.field(8, 11),
                "not supported: points of teams",
            );
            return;
        }
        let Some(points) = player::points(columns, line, (14, 17), "points", errors) else {
            return;
        };
        let mut players = Vec::new();
        let mut at = 24;
        while at <= columns.len() {
            let number = player::number(columns, line, (at, at + 3), "player", errors);
            players.extend(number.map(|number| (at, number)));
            at += 5;
        }
        self.extra.push((line, points, players));
    }

    fn contest(&self, errors: &mut TrfErrors) -> (Contest, Vec<(usize, Option<Fraction>)>) {
        let mut index_of = BTreeMap::new();
        for (index, record) in self.players.iter().enumerate() {
            if index_of.insert(record.person.number, index).is_some() {
                errors.add(
                    record.line,
                    5,
                    "starting rank",
                    &record.person.number.to_string(),
                    "used twice",
                );
            }
        }
        let played = self
            .players
            .iter()
            .map(|record| record.cells.len())
            .max()
            .unwrap_or(0);
        let rounds = self.settings.rounds.unwrap_or(0).max(played);
        let rows = self
            .players
            .iter()
            .map(|record| self.row(record, &index_of, errors))
            .collect();
        let mut extra = vec![Fraction::ZERO; self.players.len()];
        for (line, points, players) in &self.extra {
            for (column, number) in players {
                match index_of.get(number) {
                    Some(index) => extra[*index] += *points,
                    None => errors.add(
                        *line,
                        *column,
                        "player",
                        &number.to_string(),
                        "no player has this number",
                    ),
                }
            }
        }
        let people: Vec<Person> = self.players.iter().map(|record| record.person.clone()).collect();
        let mut contest = Contest {
            people,
            rows,
            rounds,
            system: self.settings.system.unwrap_or_default(),
            scheme: self.settings.scheme,
            extra,
            teams: None,
        };
        if let Err(error) = contest.check_bounds() {
            errors.add(1, 1, "file", "", error);
            return (contest, Vec::new());
        }
        if !self.teams.is_empty() {
            let primary = self.primary().unwrap_or(Unit::Match);
            let mut teams = self
                .teams
                .event(self.settings.match_points, primary, &index_of, rounds, errors);
            teams.boards_per_match = teams.occupied_boards(&contest.rows);
            contest.teams = Some(teams);
            if let Err(error) = contest.check_bounds() {
                errors.add(1, 1, "file", "", error);
            }
        }
        if errors.is_empty() {
            for (team, round, error) in contest.team_faults() {
                self.teams.fault(team, round, error, errors);
            }
            for (player, round, error) in contest.faults() {
                let record = &self.players[player];
                let cell = &record.cells[round];
                let (field, column) = match error {
                    CellError::Colors => ("colour", cell.column + 5),
                    CellError::Results => ("result", cell.column + 7),
                    _ => ("opponent", cell.column),
                };
                let value = match error {
                    CellError::Results => cell.mark.map_or(String::new(), |mark| mark.letter().to_string()),
                    CellError::Colors => String::new(),
                    _ => cell.opponent.unwrap_or(0).to_string(),
                };
                errors.add(record.line, column, field, &value, error);
            }
        }
        let records = self.players.iter().map(|record| (record.line, record.points));
        (contest, records.collect())
    }

    fn row(
        &self,
        record: &PlayerRecord,
        index_of: &BTreeMap<u32, usize>,
        errors: &mut TrfErrors,
    ) -> Vec<Cell> {
        let cell = |cell: &FileCell| {
            let opponent = cell.opponent.and_then(|number| {
                let found = index_of.get(&number).copied();
                if found.is_none() {
                    errors.add(
                        record.line,
                        cell.column,
                        "opponent",
                        &number.to_string(),
                        "no player has this number",
                    );
                }
                found
            });
            // A blank is an unknown result against an opponent, and an absence without one.
            let unknown = if opponent.is_some() {
                Mark::Unfinished
            } else {
                Mark::ZeroPointBye
            };
            Cell {
                opponent,
                color: cell.color,
                mark: cell.mark.unwrap_or(unknown),
            }
        };
        record.cells.iter().map(cell).collect()
    }
}
