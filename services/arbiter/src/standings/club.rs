//! Levels and points of the ruleset `club`.

use super::Fraction;

/// How a club game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClubResult {
    /// Drawn.
    Draw,
    /// Won by the side with fewer points before the game.
    LowerWins,
    /// Won by the side with more points before the game.
    HigherWins,
}

/// To what a gain is rounded before it is added; the source says nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Rounding {
    /// Not at all.
    Exact,
    /// To hundredths, a half away from zero.
    #[default]
    Hundredths,
    /// To tenths.
    Tenths,
    /// To whole points.
    Whole,
}

impl Rounding {
    /// Rounds a gain.
    pub fn apply(self, gain: Fraction) -> Fraction {
        match self {
            Self::Exact => gain,
            Self::Hundredths => gain.rounded_to(100),
            Self::Tenths => gain.rounded_to(10),
            Self::Whole => gain.rounded_to(1),
        }
    }
}

/// From which total the difference of a game is taken; the source says "present points".
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Basis {
    /// The total just before the game.
    #[default]
    BeforeGame,
    /// The total before the event, for all its games.
    BeforeEvent,
}

/// With how many points the lowest level, 30, is reached; the source says that each level takes 100.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum FirstLevel {
    /// With 100: whoever has less has no level.
    #[default]
    AtHundred,
    /// With 0.
    AtZero,
}

/// What the winner, or in a draw the lower side, gains and the other loses; `difference` is that of the totals before the
/// game and at least 0.
///
/// The bands of the text, "within 10", "10 to 99", "100 to 199", leave gaps for fractions and overlap at 10. They are
/// read as below 10, below 100, below 200. Of two equal totals either may be called the lower: the gain is the same.
pub fn club_gain(difference: Fraction, result: ClubResult) -> Fraction {
    let by = |number: i64, of: i64| Fraction::quotient(number, of).unwrap_or(Fraction::ZERO) * difference;
    let below = |limit: i64| difference < Fraction::whole(limit);
    let ten = Fraction::whole(10);
    match result {
        ClubResult::Draw if below(10) => Fraction::ZERO,
        ClubResult::Draw if below(100) => (ten + by(1, 10)) * Fraction::HALF,
        ClubResult::Draw => by(1, 4),
        _ if below(10) => ten,
        ClubResult::LowerWins if below(100) => ten + by(1, 10),
        ClubResult::LowerWins => by(1, 2),
        ClubResult::HigherWins if below(100) => ten - by(2, 25),
        ClubResult::HigherWins if below(200) => Fraction::whole(2),
        ClubResult::HigherWins => Fraction::ZERO,
    }
}

/// The level that a total of points is worth, from 30, the lowest, to 1; `None` below the lowest.
pub fn club_level(points: Fraction, first: FirstLevel) -> Option<u32> {
    let top = match first {
        FirstLevel::AtHundred => 31,
        FirstLevel::AtZero => 30,
    };
    let hundreds = (points * Fraction::quotient(1, 100)?).floor();
    let level = (top - hundreds).max(1);
    u32::try_from(level).ok().filter(|level| *level <= 30)
}

/// One game of an event, by the players' indices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClubGame {
    /// The players.
    pub players: [usize; 2],
    /// Their half points, each 2, 1 or 0.
    pub half_points: [u8; 2],
}

/// The totals after the games of an event, given in the order in which they were played.
///
/// Games of one round are computed one after the other; no player has two in a round, so their order does not matter.
pub fn club_totals(
    before: &[Fraction],
    games: &[ClubGame],
    rounding: Rounding,
    basis: Basis,
) -> Vec<Fraction> {
    let mut totals = before.to_vec();
    for game in games {
        let [one, two] = game.players;
        let at = |player: usize| match basis {
            Basis::BeforeGame => totals[player],
            Basis::BeforeEvent => before[player],
        };
        let (lower, higher) = if at(one) <= at(two) {
            (one, two)
        } else {
            (two, one)
        };
        let winner = match game.half_points {
            [2, 0] => Some(one),
            [0, 2] => Some(two),
            [1, 1] => None,
            // Where both have lost, or one half a point and the other nothing, there is neither winner nor draw.
            _ => continue,
        };
        let (gainer, result) = match winner {
            None => (lower, ClubResult::Draw),
            Some(winner) if winner == lower => (lower, ClubResult::LowerWins),
            Some(_) => (higher, ClubResult::HigherWins),
        };
        let loser = if gainer == one { two } else { one };
        let gain = rounding.apply(club_gain(at(higher) - at(lower), result));
        totals[gainer] += gain;
        totals[loser] += -gain;
    }
    totals
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gain(difference: &str, result: ClubResult) -> String {
        club_gain(Fraction::parse(difference).unwrap(), result).to_string()
    }

    #[test]
    fn the_bands_meet_where_the_text_leaves_gaps() {
        use ClubResult::{Draw, HigherWins, LowerWins};
        // (10 + 9.9) / 2 is for 99; 99.5 is still below 100: (10 + 9.95) / 2.
        assert_eq!(
            (gain("9.99", Draw), gain("10", Draw)),
            ("0".into(), "11/2".into())
        );
        assert_eq!(
            (gain("99.5", Draw), gain("100", Draw)),
            ("399/40".into(), "25".into())
        );
        assert_eq!(
            (gain("99.5", LowerWins), gain("100", LowerWins)),
            ("399/20".into(), "50".into())
        );
        // 10 - 10 / 12.5 = 9.2; 10 - 99.5 / 12.5 = 2.04.
        assert_eq!(
            (gain("10", HigherWins), gain("99.5", HigherWins)),
            ("46/5".into(), "51/25".into())
        );
        assert_eq!(
            (gain("199.5", HigherWins), gain("200", HigherWins)),
            ("2".into(), "0".into())
        );
    }

    #[test]
    fn levels_take_a_hundred_points_each() {
        let level = |points: &str, first| club_level(Fraction::parse(points).unwrap(), first);
        for (points, at_hundred, at_zero) in [
            ("-1", None, None),
            ("0", None, Some(30)),
            ("99.99", None, Some(30)),
            ("100", Some(30), Some(29)),
            ("2999", Some(2), Some(1)),
            ("3000", Some(1), Some(1)),
            ("9999", Some(1), Some(1)),
        ] {
            assert_eq!(level(points, FirstLevel::AtHundred), at_hundred, "{points}");
            assert_eq!(level(points, FirstLevel::AtZero), at_zero, "{points}");
        }
    }

    #[test]
    fn totals_follow_the_games() {
        let before = [Fraction::whole(1000), Fraction::whole(1050)];
        let games = [[0, 2], [0, 2], [0, 0]].map(|half_points| ClubGame {
            players: [0, 1],
            half_points,
        });
        let shown = |basis| -> Vec<String> {
            let totals = club_totals(&before, &games, Rounding::Hundredths, basis);
            totals.iter().map(ToString::to_string).collect()
        };
        // 10 - 50 / 12.5 = 6 twice.
        assert_eq!(shown(Basis::BeforeEvent), ["988", "1062"]);
        // 6, then with 1056 - 994 = 62: 10 - 62 / 12.5 = 5.04.
        assert_eq!(shown(Basis::BeforeGame), ["24724/25", "26526/25"]);
    }
}
