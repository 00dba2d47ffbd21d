use super::{Header, player::write_player};
use crate::standings::{Contest, Fraction, Person, Scheme, System, Table};

/// Why an event cannot be written as a report.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum WriteError {
    /// A text or a number has more characters than its columns.
    #[error("player {player} (from 0): {field} does not fit into its columns")]
    TooWide {
        /// The player, by index.
        player: usize,
        /// The field.
        field: &'static str,
    },
    /// A result is worth what one decimal cannot say, or more than four characters.
    #[error("what results are worth does not fit into record 162")]
    Points,
    /// Teams are not written: their records of line-ups and byes need more than we keep.
    #[error("reports with teams are read, but not made")]
    Teams,
}

/// Makes a report in the canonical way: records in the order of the format, CR LF at the end of each line.
///
/// What could end a line becomes a blank.
///
/// # Errors
/// A text or a number does not fit into its columns, or teams are ranked.
pub fn write(header: &Header, contest: &Contest, table: &Table) -> Result<String, WriteError> {
    if contest.teams.is_some() {
        return Err(WriteError::Teams);
    }
    let mut report = String::new();
    let mut record = |tag: &str, text: &str| {
        let text = one_line(text);
        if !text.is_empty() {
            report.push_str(&format!("{tag} {text}\r\n"));
        }
    };
    record("012", &header.name);
    record("022", &header.city);
    record("032", &header.federation);
    record("042", &header.start);
    record("052", &header.end);
    record("062", &contest.people.len().to_string());
    let rated = contest
        .people
        .iter()
        .filter(|person| person.rating.is_some())
        .count();
    record("072", &rated.to_string());
    record("092", &header.kind);
    record("102", &header.chief_arbiter);
    for deputy in &header.deputies {
        record("112", deputy);
    }
    record("122", &header.times);
    record("142", &contest.rounds.max(contest.played()).to_string());
    let system = match contest.system {
        System::Swiss => "FIDE_SWISS",
        System::RoundRobin => "FIDE_ROUNDROBIN",
    };
    if contest.scheme != Scheme::STANDARD {
        report.push_str(&scheme_record(&contest.scheme).ok_or(WriteError::Points)?);
    }
    report.push_str(&format!("192 {system}\r\n"));

    for (player, points) in contest
        .extra
        .iter()
        .enumerate()
        .filter(|(_, points)| **points != Fraction::ZERO)
    {
        let points = points_text(*points).ok_or(WriteError::TooWide {
            player,
            field: "points given or taken",
        })?;
        report.push_str(&format!(
            "299          {points:>4}      {:>4}\r\n",
            contest.people[player].number
        ));
    }
    let mut places = vec![None; contest.people.len()];
    for standing in &table.standings {
        places[standing.entry] = Some(standing.place);
    }
    for (player, (person, row)) in contest.people.iter().zip(&contest.rows).enumerate() {
        let too_wide = |field| WriteError::TooWide { player, field };
        if person.number == 0 || person.number > 9999 {
            return Err(too_wide("number"));
        }
        if person.rating.is_some_and(|rating| rating > 9999) {
            return Err(too_wide("rating"));
        }
        let points = points_text(contest.points(player)).ok_or(too_wide("points"))?;
        if let Some((field, ..)) = too_wide_texts(person).next() {
            return Err(too_wide(field));
        }
        let mut person = person.clone();
        for field in [
            &mut person.name,
            &mut person.federation,
            &mut person.title,
            &mut person.sex,
            &mut person.fide_id,
            &mut person.birth,
        ] {
            *field = one_line(field);
        }
        report.push_str(&write_player(&person, &points, places[player], row, |other| {
            contest.people[other].number
        }));
        report.push_str("\r\n");
    }
    Ok(report)
}

/// The texts on a player that have more characters than their columns: name, text and columns.
pub fn too_wide_texts(person: &Person) -> impl Iterator<Item = (&'static str, &str, usize)> {
    let texts = [
        ("name", person.name.as_str(), 33),
        ("federation", &person.federation, 3),
        ("title", &person.title, 3),
        ("sex", &person.sex, 1),
        ("fide_id", &person.fide_id, 11),
        ("birth_date", &person.birth, 10),
    ];
    let wide = |(_, text, width): &(&str, &str, usize)| one_line(text).chars().count() > *width;
    texts.into_iter().filter(wide)
}

/// Points as the format wants them, with one decimal, in four columns; `None` if they do not fit.
pub fn points_text(points: Fraction) -> Option<String> {
    let text = points.decimal(1);
    let exact = Fraction::parse(&text) == Ok(points);
    (exact && text.len() <= 4).then_some(text)
}

/// Record 162: pairs of letter and points, the first letter in column 6, the others each nine columns on.
fn scheme_record(scheme: &Scheme) -> Option<String> {
    let pairs = [
        ('W', scheme.win),
        ('D', scheme.draw),
        ('L', scheme.loss),
        ('A', scheme.absence),
        ('P', scheme.allocated_bye),
        ('X', scheme.unfinished),
    ];
    let pair =
        |(letter, points): &(char, Fraction)| Some(format!("{letter}{:>4}    ", points_text(*points)?));
    let pairs: Option<String> = pairs.iter().map(pair).collect();
    Some(format!("162  {}\r\n", pairs?.trim_end()))
}

/// A text of one line, without blanks at its ends.
fn one_line(text: &str) -> String {
    let clean: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    clean.trim_matches(' ').to_owned()
}
