//! Crosstables as short text: `10b1 7w= 0U` is a win with Black against number 10, a draw with White against number 7,
//! an allocated bye.

use tabiya_arbiter::standings::{
    Cell, Contest, Edition, Field, Fraction, Mark, Person, Rules, Scheme, Spec, System, table,
};
use tabiya_rules::Color;

/// Reads `rating: cells`, a line for each of the players 1, 2, …; a rating of 0 is none.
pub(crate) fn contest(system: System, lines: &[&str]) -> Contest {
    let mut people = Vec::new();
    let mut rows = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let (rating, cells) = line.split_once(':').unwrap();
        people.push(Person {
            number: index as u32 + 1,
            name: format!("Player {}", index + 1),
            rating: rating.parse().ok().filter(|rating| *rating > 0),
            ..Default::default()
        });
        rows.push(cells.split_whitespace().map(cell).collect());
    }
    let contest = Contest {
        rounds: rows.iter().map(Vec::len).max().unwrap_or(0),
        extra: vec![Fraction::ZERO; people.len()],
        people,
        rows,
        system,
        scheme: Scheme::STANDARD,
        teams: None,
    };
    assert_eq!(contest.faults(), []);
    contest
}

fn cell(text: &str) -> Cell {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap();
    let opponent: usize = text[..end].parse().unwrap();
    let letters: Vec<char> = text[end..].chars().collect();
    let color = match letters[0] {
        'w' => Some(Color::White),
        'b' => Some(Color::Black),
        _ => None,
    };
    Cell {
        opponent: opponent.checked_sub(1),
        color,
        mark: Mark::from_letter(*letters.last().unwrap()).unwrap(),
    }
}

/// The values of one tie-break in the order of the players, as text.
pub(crate) fn values(field: &Field, spec: &str, edition: Edition) -> Vec<String> {
    let rules = Rules::of(vec![Spec::parse(spec).unwrap()], edition);
    rules.check(field).unwrap();
    let mut values = vec![String::new(); field.entries.len()];
    for standing in table(field, &rules).standings {
        values[standing.entry] = standing.values[0].to_string();
    }
    values
}

/// The places after score and a list of tie-breaks, in the order of the players.
pub(crate) fn places(field: &Field, list: &str, edition: Edition) -> Vec<u32> {
    let specs = list.split(',').map(|spec| Spec::parse(spec).unwrap());
    let rules = Rules::of(specs.collect(), edition);
    rules.check(field).unwrap();
    let mut places = vec![0; field.entries.len()];
    for standing in table(field, &rules).standings {
        places[standing.entry] = standing.place;
    }
    places
}

/// Decimals as exact fractions.
pub(crate) fn fractions(text: &str) -> Vec<String> {
    let exact = |text: &str| Fraction::parse(text).map_or(text.to_owned(), |fraction| fraction.to_string());
    text.split_whitespace().map(exact).collect()
}

/// Fractions with two decimals.
pub(crate) fn rounded(values: &[String]) -> Vec<String> {
    let two = |text: &String| Fraction::parse(text).map_or(text.clone(), |fraction| fraction.decimal(2));
    values.iter().map(two).collect()
}
