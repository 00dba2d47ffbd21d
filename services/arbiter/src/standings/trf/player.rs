//! Records 001: a player and his rounds.

use std::fmt::Write as _;

use tabiya_rules::Color;

use super::{TrfErrors, columns::Columns};
use crate::standings::{Cell, Fraction, MAX_ROUNDS, Mark, Person};

/// Where the first round starts, and how many columns a round takes.
const FIRST_ROUND: usize = 92;
const ROUND: usize = 10;

/// A round as the file shows it: the opponent by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct FileCell {
    pub(super) opponent: Option<u32>,
    pub(super) color: Option<Color>,
    /// A blank stays unset.
    pub(super) mark: Option<Mark>,
    /// Where the opponent's number starts.
    pub(super) column: usize,
}

/// A record 001.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct PlayerRecord {
    pub(super) line: usize,
    pub(super) person: Person,
    pub(super) points: Option<Fraction>,
    pub(super) cells: Vec<FileCell>,
}

/// Reads a whole number; blank is `None`.
pub(super) fn number(
    columns: &Columns<'_>,
    line: usize,
    (from, to): (usize, usize),
    field: &'static str,
    errors: &mut TrfErrors,
) -> Option<u32> {
    let text = columns.field(from, to);
    if text.is_empty() {
        return None;
    }
    let number = text
        .parse()
        .ok()
        .filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()));
    if number.is_none() {
        errors.add(line, from, field, text, "not a whole number");
    }
    number
}

/// Reads points; blank is `None`.
pub(super) fn points(
    columns: &Columns<'_>,
    line: usize,
    (from, to): (usize, usize),
    field: &'static str,
    errors: &mut TrfErrors,
) -> Option<Fraction> {
    let text = columns.field(from, to);
    if text.is_empty() {
        return None;
    }
    let read = Fraction::parse(text).map_err(|error| errors.add(line, from, field, text, error));
    read.ok()
}

/// Reads a record 001; `None` if the player has no number to be known by.
pub(super) fn read_player(
    columns: &Columns<'_>,
    line: usize,
    errors: &mut TrfErrors,
) -> Option<PlayerRecord> {
    let start = number(columns, line, (5, 8), "starting rank", errors);
    let text = |from, to| columns.field(from, to).to_owned();
    let sex = text(10, 10);
    if !matches!(sex.as_str(), "" | "m" | "w" | "f" | "M" | "W" | "F") {
        errors.add(line, 10, "sex", &sex, "not m or w");
    }
    let person = Person {
        number: start.unwrap_or(0),
        sex,
        title: text(11, 13),
        name: text(15, 47),
        rating: number(columns, line, (49, 52), "rating", errors).filter(|rating| *rating > 0),
        federation: text(54, 56),
        fide_id: text(58, 68),
        birth: text(70, 79),
    };
    let points = points(columns, line, (81, 84), "points", errors);
    number(columns, line, (86, 89), "rank", errors);
    let mut cells = Vec::new();
    let mut column = FIRST_ROUND;
    while column <= columns.len() {
        if cells.len() == MAX_ROUNDS {
            errors.add(
                line,
                column,
                "round",
                columns.field(column, column + 7),
                format!("more than {MAX_ROUNDS} rounds"),
            );
            break;
        }
        cells.push(read_cell(columns, line, column, errors));
        column += ROUND;
    }
    // Columns of rounds that nobody filled in.
    while cells
        .last()
        .is_some_and(|cell| cell.opponent.is_none() && cell.mark.is_none() && cell.color.is_none())
    {
        cells.pop();
    }
    match start {
        Some(1..=9999) => Some(PlayerRecord {
            line,
            person,
            points,
            cells,
        }),
        // A number that cannot be read was told already.
        Some(other) => {
            errors.add(line, 5, "starting rank", &other.to_string(), "not from 1 to 9999");
            None
        }
        None => {
            if columns.field(5, 8).is_empty() {
                errors.add(line, 5, "starting rank", "", "missing");
            }
            None
        }
    }
}

fn read_cell(columns: &Columns<'_>, line: usize, column: usize, errors: &mut TrfErrors) -> FileCell {
    let opponent =
        number(columns, line, (column, column + 3), "opponent", errors).filter(|number| *number > 0);
    for gap in [column + 4, column + 6] {
        let text = columns.field(gap, gap);
        if !text.is_empty() {
            errors.add(line, gap, "gap", text, "a blank is expected here");
        }
    }
    let colour = columns.field(column + 5, column + 5);
    let color = match colour {
        "w" | "W" => Some(Color::White),
        "b" | "B" => Some(Color::Black),
        "-" | "" => None,
        _ => {
            errors.add(line, column + 5, "colour", colour, "not w, b or -");
            None
        }
    };
    let result = columns.field(column + 7, column + 7);
    let mark = result.chars().next().and_then(Mark::from_letter);
    if mark.is_none() && !result.is_empty() {
        errors.add(
            line,
            column + 7,
            "result",
            result,
            "not one of 1 = 0 + - W D L H F U Z",
        );
    }
    FileCell {
        opponent,
        color,
        mark,
        column,
    }
}

/// Writes a record 001 in the canonical way, without a line end.
pub(super) fn write_player(
    person: &Person,
    points: &str,
    rank: Option<u32>,
    cells: &[Cell],
    number_of: impl Fn(usize) -> u32,
) -> String {
    let Person {
        number,
        name,
        federation,
        title,
        sex,
        fide_id,
        birth,
        rating,
    } = person;
    let rating = rating.map_or(String::new(), |rating| rating.to_string());
    let rank = rank.map_or(String::new(), |rank| rank.to_string());
    let mut line = format!(
        "001 {number:>4} {sex:1}{title:<3} {name:<33} {rating:>4} {federation:<3} {fide_id:>11} {birth:<10} {points:>4} {rank:>4}"
    );
    for cell in cells {
        let opponent = cell
            .opponent
            .map_or("0000".to_owned(), |opponent| number_of(opponent).to_string());
        let color = match cell.color {
            Some(Color::White) => 'w',
            Some(Color::Black) => 'b',
            None => '-',
        };
        // A write to a string does not fail.
        let _ = write!(line, "  {opponent:>4} {color} {}", cell.mark.letter());
    }
    line.truncate(line.trim_end_matches(' ').len());
    line
}
