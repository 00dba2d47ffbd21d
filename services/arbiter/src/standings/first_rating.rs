//! Initial ratings by FIDE's Rating Regulations (B.02 8.2).

use super::{Fraction, RatedGame, RatingEdition, rating_table::difference_for};

/// The greatest initial rating since 2024 (8.2.3).
const GREATEST_FIRST: i64 = 2200;

/// How many games against rated opponents a first rating takes (7.1.4).
const FIRST_GAMES: usize = 5;

/// Why there is no initial rating.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoRating {
    /// 8.2.1: nothing was scored.
    #[error("no point was scored, so the event is disregarded (8.2.1)")]
    NoPoint,
    /// 7.1.4: too few games.
    #[error("fewer than 5 games against rated opponents (7.1.4)")]
    TooFewGames,
    /// 7.1.4: below the floor.
    #[error("below the rating floor (7.1.4)")]
    BelowFloor,
}

/// The initial rating of an unrated player from games against rated opponents (8.2).
///
/// The percentage is rounded to a whole number, a half up, as the Title Regulations do for their equal table (1.4.9);
/// the average is not rounded before the sum is. Games of other events that would be pooled (7.1.4) are for the caller
/// to add.
///
/// # Errors
/// There is none, and why.
pub fn initial_rating(games: &[RatedGame], edition: RatingEdition) -> Result<i64, NoRating> {
    let half_points: i64 = games.iter().map(|game| i64::from(game.half_points.min(2))).sum();
    if half_points == 0 {
        return Err(NoRating::NoPoint);
    }
    if games.len() < FIRST_GAMES {
        return Err(NoRating::TooFewGames);
    }
    let number = i64::try_from(games.len()).unwrap_or(i64::MAX);
    let sum: i64 = games.iter().map(|game| i64::from(game.opponent)).sum();
    let quotient = |above, below| Fraction::quotient(above, below).unwrap_or(Fraction::ZERO);
    let difference = |half_points: i64, number: i64| {
        let hundredths = quotient(half_points * 50, number).round_half_up();
        i64::from(difference_for(u32::try_from(hundredths).unwrap_or(0)))
    };
    let exact = match edition {
        RatingEdition::Fide2022 => {
            let average = quotient(sum, number);
            // Half points above half of the games, which are as many half points as there are games.
            match half_points - number {
                above @ 0.. => average + Fraction::whole(20 * above),
                _ => average + Fraction::whole(difference(half_points, number)),
            }
        }
        RatingEdition::Fide2024 | RatingEdition::Fide2025 => {
            quotient(sum + 2 * 1800, number + 2) + Fraction::whole(difference(half_points + 2, number + 2))
        }
    };
    let rounded = exact.round_half_away();
    let limited = if edition == RatingEdition::Fide2022 {
        rounded
    } else {
        rounded.min(GREATEST_FIRST)
    };
    if limited < edition.floor() {
        return Err(NoRating::BelowFloor);
    }
    Ok(limited)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn games(all: &[(u32, u8)]) -> Vec<RatedGame> {
        let game = |&(opponent, half_points): &(u32, u8)| RatedGame {
            opponent,
            half_points,
        };
        all.iter().map(game).collect()
    }

    #[test]
    fn a_first_rating_counts_two_opponents_of_1800_since_2024() {
        use RatingEdition::{Fide2022, Fide2024};
        // Five opponents of 1900, 3½ points. Since 2024: (5 × 1900 + 2 × 1800) / 7 = 1871.43; 4½ of 7 is .643: .64, 102.
        let all = games(&[(1900, 2), (1900, 2), (1900, 2), (1900, 1), (1900, 0)]);
        assert_eq!(initial_rating(&all, Fide2024), Ok(1973));
        // Before: 1900 and 20 for each of two half points above 2½.
        assert_eq!(initial_rating(&all, Fide2022), Ok(1940));
        // One point of five against 1700: (8500 + 3600) / 7 = 1728.57; 2 of 7 is .286: .29, -158.
        let weak = games(&[(1700, 2), (1700, 0), (1700, 0), (1700, 0), (1700, 0)]);
        assert_eq!(initial_rating(&weak, Fide2024), Ok(1571));
        // Before: .20 is -240.
        assert_eq!(initial_rating(&weak, Fide2022), Ok(1460));
        let grand = games(&[(2600, 2); 5]);
        assert_eq!(
            (initial_rating(&grand, Fide2024), initial_rating(&grand, Fide2022)),
            (Ok(2200), Ok(2700))
        );
        assert_eq!(
            initial_rating(&games(&[(2000, 0); 5]), Fide2024),
            Err(NoRating::NoPoint)
        );
        assert_eq!(
            initial_rating(&games(&[(2000, 2); 4]), Fide2024),
            Err(NoRating::TooFewGames)
        );
        // (5 × 1400 + 3600) / 7 = 1514.29; 1½ of 7 is .214: .21, -230.
        let low = games(&[(1400, 1), (1400, 0), (1400, 0), (1400, 0), (1400, 0)]);
        assert_eq!(initial_rating(&low, Fide2024), Err(NoRating::BelowFloor));
    }
}
