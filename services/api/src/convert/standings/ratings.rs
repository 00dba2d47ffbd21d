//! Rating changes, and points and levels of a club.

use std::{collections::BTreeMap, ops::RangeInclusive};

use tabiya_arbiter::standings::{
    Basis, Contest, Development, FirstLevel, Fraction, RatedGame, RatingEdition, Rounding, club_level,
    club_totals, coefficient, game_changes, initial_rating, limited_coefficient, performance_ratings,
    tournament_change, trf::Header,
};

use super::{answer::exact, question::fraction};
use crate::{convert::enumeration::enumeration, error::Violations, v1};

/// Greatest coefficient.
const MAX_K: u32 = 100;

/// Greatest number of club points.
const MAX_CLUB_POINTS: i64 = 100_000;

/// Rating changes that were asked for.
#[derive(Clone, Debug)]
pub(super) struct RatingTask {
    edition: RatingEdition,
    /// By player: a coefficient that was named, and what it depends on otherwise.
    facts: Vec<(Option<u32>, Development)>,
}

/// Club points that were asked for.
#[derive(Clone, Debug)]
pub(super) struct ClubTask {
    rounding: Rounding,
    basis: Basis,
    first_level: FirstLevel,
    before: Vec<Fraction>,
}

/// The players by number.
fn index_of(contest: &Contest) -> BTreeMap<u32, usize> {
    let numbers = contest.people.iter().enumerate();
    numbers.map(|(index, person)| (person.number, index)).collect()
}

/// Years of births and events.
const YEARS: RangeInclusive<u32> = 1900..=2999;

/// The year with which a date begins; none for what is no year of a birth or an event.
fn year(date: &str) -> Option<u32> {
    date.get(..4)?.parse().ok().filter(|year| YEARS.contains(year))
}

pub(super) fn rating_task(
    asked: &v1::RatingQuestion,
    contest: &Contest,
    header: &Header,
    violations: &mut Violations,
) -> RatingTask {
    let edition = match enumeration(asked.edition, "ratings.edition", violations) {
        v1::RatingEdition::Fide2022 => RatingEdition::Fide2022,
        v1::RatingEdition::Fide2024 => RatingEdition::Fide2024,
        v1::RatingEdition::Unspecified | v1::RatingEdition::Fide2025 => RatingEdition::Fide2025,
    };
    let event_year = match asked.event_year {
        0 => year(&header.end).or(year(&header.start)),
        asked => Some(asked),
    };
    if asked.event_year != 0 && !YEARS.contains(&asked.event_year) {
        let reason = format!("not from {} to {}", YEARS.start(), YEARS.end());
        violations.add("ratings.event_year", &asked.event_year.to_string(), reason);
    }
    let births = *YEARS.start()..=event_year.unwrap_or(*YEARS.end());
    let people = contest.people.iter().map(|person| {
        let facts = Development {
            // Who is born after the event has a date that is wrong, which is as good as none.
            birth_year: year(&person.birth).filter(|year| births.contains(year)),
            event_year,
            ..Default::default()
        };
        (None, facts)
    });
    let mut all: Vec<(Option<u32>, Development)> = people.collect();
    let index_of = index_of(contest);
    let mut told = BTreeMap::new();
    for (index, facts) in asked.facts.iter().enumerate() {
        let path = |field: &str| format!("ratings.facts[{index}].{field}");
        let Some(&player) = index_of.get(&facts.number) else {
            violations.add(
                path("number"),
                &facts.number.to_string(),
                "no player has this number",
            );
            continue;
        };
        if told.insert(player, ()).is_some() {
            violations.add(path("number"), &facts.number.to_string(), "named twice");
        }
        if let Some(k) = facts.k.filter(|k| *k == 0 || *k > MAX_K) {
            violations.add(path("k"), &k.to_string(), format!("not from 1 to {MAX_K}"));
        }
        if let Some(year) = facts.birth_year.filter(|year| !births.contains(year)) {
            let reason = format!("not from {} to {}", births.start(), births.end());
            violations.add(path("birth_year"), &year.to_string(), reason);
        }
        let known = &mut all[player];
        known.0 = facts.k;
        known.1.games_before = facts.games_before;
        known.1.reached_2400 = facts.reached_2400;
        known.1.birth_year = facts.birth_year.or(known.1.birth_year);
    }
    RatingTask { edition, facts: all }
}

impl RatingTask {
    pub(super) fn edition(&self) -> &'static str {
        self.edition.name()
    }

    /// A row for each player, made when its turn comes.
    pub(super) fn rows<'a>(&'a self, contest: &'a Contest) -> impl Iterator<Item = v1::RatingRow> + 'a {
        let performances = performance_ratings(&contest.player_field());
        let players = performances.into_iter().enumerate();
        players.map(move |(player, performance)| self.row(contest, player, performance))
    }

    fn row(&self, contest: &Contest, player: usize, performance: Option<i64>) -> v1::RatingRow {
        let person = &contest.people[player];
        let played = contest.rated_games(player);
        let games: Vec<RatedGame> = played.iter().map(|(.., game)| *game).collect();
        let message = |(round, opponent, game): &(usize, usize, RatedGame)| v1::RatedGame {
            round: u32::try_from(round + 1).unwrap_or(u32::MAX),
            opponent: contest.people[*opponent].number,
            opponent_rating: game.opponent,
            half_points: game.half_points.into(),
            ..Default::default()
        };
        let mut row = v1::RatingRow {
            number: person.number,
            rating: person.rating.unwrap_or(0),
            games: played.iter().map(message).collect(),
            performance: performance.and_then(|rating| i32::try_from(rating).ok()),
            ..Default::default()
        };
        let Some(rating) = person.rating else {
            match initial_rating(&games, self.edition) {
                Ok(rating) => row.initial_rating = u32::try_from(rating).ok(),
                Err(reason) => row.no_rating_reason = reason.to_string(),
            }
            return row;
        };
        let changes = game_changes(rating, &games, self.edition);
        for (game, change) in row.games.iter_mut().zip(&changes) {
            game.expected_hundredths = change.expected;
            game.change_hundredths = change.change;
            game.cut = change.cut;
        }
        row.sum = Some(exact(tournament_change(&changes, 1)));
        let (named, facts) = self.facts[player];
        let k = match named {
            Some(k) => Ok(limited_coefficient(k, games.len())),
            None => coefficient(rating, facts, games.len()),
        };
        match k {
            Ok(k) => {
                let change = tournament_change(&changes, k);
                row.k = k;
                row.change = Some(exact(change));
                row.rounded_change = i32::try_from(change.round_half_away()).ok();
            }
            Err(fact) => row.missing_facts.push(fact.name().to_owned()),
        }
        row
    }
}

pub(super) fn club_task(
    asked: &v1::ClubQuestion,
    contest: &Contest,
    violations: &mut Violations,
) -> ClubTask {
    let rounding = match enumeration(asked.rounding, "club.rounding", violations) {
        v1::ClubRounding::Exact => Rounding::Exact,
        v1::ClubRounding::Unspecified | v1::ClubRounding::Hundredths => Rounding::Hundredths,
        v1::ClubRounding::Tenths => Rounding::Tenths,
        v1::ClubRounding::Whole => Rounding::Whole,
    };
    let basis = match enumeration(asked.basis, "club.basis", violations) {
        v1::ClubBasis::Unspecified | v1::ClubBasis::BeforeGame => Basis::BeforeGame,
        v1::ClubBasis::BeforeEvent => Basis::BeforeEvent,
    };
    if (rounding, basis) == (Rounding::Exact, Basis::BeforeGame) {
        let reason =
            "exact totals grow without bound game by game; ask for them with the basis before the event";
        violations.add("club.rounding", "CLUB_ROUNDING_EXACT", reason);
    }
    let first_level = match enumeration(asked.first_level, "club.first_level", violations) {
        v1::ClubFirstLevel::Unspecified | v1::ClubFirstLevel::AtHundred => FirstLevel::AtHundred,
        v1::ClubFirstLevel::AtZero => FirstLevel::AtZero,
    };
    let mut before = vec![Fraction::ZERO; contest.people.len()];
    let index_of = index_of(contest);
    let mut told = BTreeMap::new();
    for (index, entry) in asked.before.iter().enumerate() {
        let path = |field: &str| format!("club.before[{index}].{field}");
        let points = fraction(&entry.points, path("points"), violations);
        let most = Fraction::whole(MAX_CLUB_POINTS);
        if points > most || points < -most {
            violations.add(
                path("points"),
                &entry.points,
                format!("more than {MAX_CLUB_POINTS} points"),
            );
        }
        match index_of.get(&entry.number) {
            None => violations.add(
                path("number"),
                &entry.number.to_string(),
                "no player has this number",
            ),
            Some(player) if told.insert(*player, ()).is_some() => {
                violations.add(path("number"), &entry.number.to_string(), "named twice");
            }
            Some(player) => before[*player] = points,
        }
    }
    ClubTask {
        rounding,
        basis,
        first_level,
        before,
    }
}

impl ClubTask {
    pub(super) fn rows(&self, contest: &Contest) -> Vec<v1::ClubRow> {
        let after = club_totals(&self.before, &contest.club_games(), self.rounding, self.basis);
        let level = |points: Fraction| club_level(points, self.first_level).unwrap_or(0);
        let row = |(player, after): (usize, &Fraction)| {
            let before = self.before[player];
            v1::ClubRow {
                number: contest.people[player].number,
                before: Some(exact(before)),
                after: Some(exact(*after)),
                change: Some(exact(*after - before)),
                level_before: level(before),
                level_after: level(*after),
            }
        };
        after.iter().enumerate().map(row).collect()
    }
}
