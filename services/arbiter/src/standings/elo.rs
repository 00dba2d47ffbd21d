//! Ratings by FIDE's Rating Regulations (B.02).

use super::{Fraction, rating_table::expected_at};

/// An edition of the Rating Regulations.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum RatingEdition {
    /// From 1 January 2022 to 29 February 2024: the 400-point rule helps a player once a tournament, the first rating is
    /// that of the opponents' average.
    Fide2022,
    /// From 1 March 2024: the 400-point rule holds for every game, a first rating counts two opponents of 1800.
    Fide2024,
    /// The same with the amendment of 1 October 2025: no 400-point rule for players of 2650 and above.
    #[default]
    Fide2025,
}

impl RatingEdition {
    /// The name by which an answer says which edition it used.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fide2022 => "FIDE B.02 (2022-01)",
            Self::Fide2024 => "FIDE B.02 (2024-03)",
            Self::Fide2025 => "FIDE B.02 (2024-03, amended 2025-10)",
        }
    }

    /// The lowest rating on the list.
    pub fn floor(self) -> i64 {
        match self {
            Self::Fide2022 => 1000,
            Self::Fide2024 | Self::Fide2025 => 1400,
        }
    }
}

/// A difference that counts as no more than this (8.3.1).
const MOST: i32 = 400;

/// From this rating on the full difference counts.
const TOP: u32 = 2650;

/// A rated game of a player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RatedGame {
    /// The opponent's rating.
    pub opponent: u32,
    /// 2, 1 or 0.
    pub half_points: u8,
}

/// The change that one game brings, before it is multiplied with K, in hundredths.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameChange {
    /// The score to expect, in hundredths of a point.
    pub expected: u32,
    /// Score less expectation, in hundredths of a point.
    pub change: i32,
    /// Whether the difference was cut to 400 points.
    pub cut: bool,
}

/// What a rated player's games change (8.3.1, 8.3.2).
///
/// In the edition of 2022 a higher rated player "may benefit from only one upgrade", of the game with the greatest
/// difference: of several such games one is cut, the first of the greatest. To the lower rated player the cut is no benefit; it
/// holds in every game.
pub fn game_changes(rating: u32, games: &[RatedGame], edition: RatingEdition) -> Vec<GameChange> {
    let difference = |game: &RatedGame| {
        let clamp = |rating: u32| i32::try_from(rating.min(10_000)).unwrap_or(10_000);
        clamp(rating) - clamp(game.opponent)
    };
    let greatest = games
        .iter()
        .map(difference)
        .max()
        .filter(|greatest| *greatest > MOST);
    let upgraded = greatest.and_then(|greatest| games.iter().position(|game| difference(game) == greatest));
    let change = |(index, game): (usize, &RatedGame)| {
        let full = difference(game);
        let limited = match edition {
            RatingEdition::Fide2022 => full < 0 || upgraded == Some(index),
            RatingEdition::Fide2024 => true,
            RatingEdition::Fide2025 => rating < TOP,
        };
        let cut = limited && full.abs() > MOST;
        let counted = if cut { full.signum() * MOST } else { full };
        let expected = expected_at(counted);
        GameChange {
            expected,
            change: i32::from(game.half_points.min(2)) * 50 - i32::try_from(expected).unwrap_or(0),
            cut,
        }
    };
    games.iter().enumerate().map(change).collect()
}

/// What the development coefficient K depends on (8.3.3). What nobody said is `None`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Development {
    /// How many rated games the player had completed before.
    pub games_before: Option<u32>,
    /// Whether the player's published rating has ever reached 2400.
    pub reached_2400: Option<bool>,
    /// The year in which the player was born.
    pub birth_year: Option<u32>,
    /// The year of the event.
    pub event_year: Option<u32>,
}

/// A fact that the coefficient depends on and that nobody reported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MissingFact {
    /// How many rated games the player had completed.
    GamesBefore,
    /// Whether the published rating has ever reached 2400.
    Reached2400,
    /// When the player was born, or the year of the event.
    Age,
}

impl MissingFact {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::GamesBefore => "games_before",
            Self::Reached2400 => "reached_2400",
            Self::Age => "birth_year",
        }
    }
}

/// The coefficient of a player with so many games in the rating period (8.3.3).
///
/// # Errors
/// The first fact that it depends on and that is missing; a fact that cannot change it is not asked for.
pub fn coefficient(rating: u32, facts: Development, games: usize) -> Result<u32, MissingFact> {
    let young = || -> Result<bool, MissingFact> {
        if rating >= 2300 {
            return Ok(false);
        }
        match (facts.birth_year, facts.event_year) {
            (Some(birth), Some(event)) => Ok(event <= birth.saturating_add(18)),
            _ => Err(MissingFact::Age),
        }
    };
    let k = if facts.games_before.ok_or(MissingFact::GamesBefore)? < 30 || young()? {
        40
    } else if rating >= 2400 || facts.reached_2400.ok_or(MissingFact::Reached2400)? {
        10
    } else {
        20
    };
    Ok(limited_coefficient(k, games))
}

/// A coefficient that times the number of games does not exceed 700 (8.3.3).
pub fn limited_coefficient(k: u32, games: usize) -> u32 {
    let games = u32::try_from(games).unwrap_or(u32::MAX);
    match games.saturating_mul(k) {
        0..=700 => k,
        _ => 700 / games,
    }
}

/// The change for a tournament, exact: the sum of the games' changes times K.
pub fn tournament_change(changes: &[GameChange], k: u32) -> Fraction {
    let sum: i64 = changes.iter().map(|game| i64::from(game.change)).sum();
    Fraction::quotient(sum * i64::from(k), 100).unwrap_or(Fraction::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn games(all: &[(u32, u8)]) -> Vec<RatedGame> {
        all.iter()
            .map(|&(opponent, half_points)| RatedGame {
                opponent,
                half_points,
            })
            .collect()
    }

    fn changes(rating: u32, all: &[(u32, u8)], edition: RatingEdition) -> Vec<i32> {
        game_changes(rating, &games(all), edition)
            .iter()
            .map(|game| game.change)
            .collect()
    }

    #[test]
    fn the_400_point_rule_has_three_forms() {
        use RatingEdition::{Fide2022, Fide2024, Fide2025};
        // 2600 against 2100 (500: .96), 2050 (550: .97) and 2590 (10: .51); 400 is .92.
        let strong = [(2100, 2), (2050, 2), (2590, 1)];
        assert_eq!(changes(2600, &strong, Fide2022), [4, 8, -1]);
        assert_eq!(changes(2600, &strong, Fide2024), [8, 8, -1]);
        assert_eq!(changes(2600, &strong, Fide2025), [8, 8, -1]);
        // 2700 against 2200 (500: .96): cut before October 2025, in full after.
        assert_eq!(
            (
                changes(2700, &[(2200, 2)], Fide2024),
                changes(2700, &[(2200, 2)], Fide2025)
            ),
            (vec![8], vec![4])
        );
        // Whoever is rated lower is cut in every game and edition: .08 and not .04, .03.
        for edition in [Fide2022, Fide2024, Fide2025] {
            assert_eq!(
                changes(2000, &[(2500, 0), (2550, 1)], edition),
                [-8, 42],
                "{edition:?}"
            );
        }
    }

    #[test]
    fn changes_are_exact_until_they_are_rounded() {
        // 2000 against 1980 (20: .53), 2100 (100: .36), 2200 (200: .24): 1 + ½ + 0 - 1.13 = 0.37.
        let changes = game_changes(
            2000,
            &games(&[(1980, 2), (2100, 1), (2200, 0)]),
            RatingEdition::Fide2025,
        );
        assert_eq!(tournament_change(&changes, 20).to_string(), "37/5");
        assert_eq!(tournament_change(&changes, 20).round_half_away(), 7);
        assert_eq!(tournament_change(&changes, 40).decimal(1), "14.8");
    }

    #[test]
    fn the_coefficient_asks_only_for_what_it_needs() {
        let facts = Development {
            games_before: Some(300),
            reached_2400: Some(false),
            birth_year: Some(2000),
            event_year: Some(2026),
        };
        assert_eq!(coefficient(2000, facts, 9), Ok(20));
        assert_eq!(
            coefficient(
                2000,
                Development {
                    reached_2400: Some(true),
                    ..facts
                },
                9
            ),
            Ok(10)
        );
        assert_eq!(
            coefficient(
                2450,
                Development {
                    reached_2400: None,
                    birth_year: None,
                    ..facts
                },
                9
            ),
            Ok(10)
        );
        // Until the end of the year of the 18th birthday, below 2300.
        assert_eq!(
            coefficient(
                2299,
                Development {
                    birth_year: Some(2008),
                    ..facts
                },
                9
            ),
            Ok(40)
        );
        assert_eq!(
            coefficient(
                2300,
                Development {
                    birth_year: Some(2008),
                    ..facts
                },
                9
            ),
            Ok(20)
        );
        assert_eq!(
            coefficient(
                2000,
                Development {
                    birth_year: Some(2007),
                    ..facts
                },
                9
            ),
            Ok(20)
        );
        assert_eq!(
            coefficient(
                2000,
                Development {
                    games_before: Some(29),
                    ..facts
                },
                9
            ),
            Ok(40)
        );
        // 40 × 18 = 720 is over 700: 38 × 18 = 684.
        assert_eq!(
            coefficient(
                2000,
                Development {
                    games_before: Some(0),
                    ..facts
                },
                18
            ),
            Ok(38)
        );
        assert_eq!(
            coefficient(2000, Development::default(), 9),
            Err(MissingFact::GamesBefore)
        );
        assert_eq!(
            coefficient(
                2000,
                Development {
                    birth_year: None,
                    ..facts
                },
                9
            ),
            Err(MissingFact::Age)
        );
    }
}
