//! Tie-breaks that rest on ratings (C.07 10).

use super::{
    Edition, Field, Fraction, Kind, Rules, Spec, Value,
    catalogue::Code,
    rating_table::{difference_for, expected_at},
};

/// A game at the board against a rated opponent.
#[derive(Clone, Copy)]
struct Game {
    opponent: usize,
    rating: u32,
    half_points: u32,
}

/// The games of every player, as performances see them: forfeits are never games (15.2), and a win counts 1 and a
/// draw ½ whatever the event pays for them.
pub(super) struct Performances {
    rows: Vec<Vec<Game>>,
}

impl Performances {
    pub(super) fn new(field: &Field, rules: &Rules) -> Self {
        let games = field.entries.iter().map(|entry| {
            let played = entry.slots.iter().filter(|slot| slot.kind == Kind::Played);
            let games = played.filter_map(|slot| {
                let opponent = slot.opponent?;
                Some(Game {
                    opponent,
                    rating: field.entries[opponent].rating.or(rules.unrated)?,
                    // An unfinished game counts as drawn for now.
                    half_points: u32::from(slot.half_points.unwrap_or(1)),
                })
            });
            games.collect()
        });
        Self {
            rows: games.collect(),
        }
    }

    pub(super) fn values(&self, spec: Spec) -> Vec<Value> {
        let of = |value: &dyn Fn(&[Game]) -> Option<i64>| -> Vec<Option<i64>> {
            self.rows.iter().map(|games| value(games)).collect()
        };
        let values = match spec.code {
            Code::Performance => of(&performance),
            Code::PerfectPerformance => of(&perfect),
            Code::AveragePerformance => self.average(&of(&performance)),
            Code::AveragePerfect => self.average(&of(&perfect)),
            _ => of(&|games| average_rating(games, spec.cut_low, spec.cut_high)),
        };
        let value = |number: Option<i64>| number.map_or(Value::Absent, |n| Value::Number(Fraction::whole(n)));
        values.into_iter().map(value).collect()
    }

    fn average(&self, of: &[Option<i64>]) -> Vec<Option<i64>> {
        let average = |games: &Vec<Game>| rounded_average(games.iter().filter_map(|game| of[game.opponent]));
        self.rows.iter().map(average).collect()
    }
}

/// The tournament performance rating of every participant, over the opponents met at the board who are rated; none over
/// nobody.
pub fn performance_ratings(field: &Field) -> Vec<Option<i64>> {
    let rules = Rules::of(Vec::new(), Edition::default());
    let games = Performances::new(field, &rules);
    games.rows.iter().map(|games| performance(games)).collect()
}

/// The average of whole numbers, a half rounded up; none over nothing.
fn rounded_average(numbers: impl Iterator<Item = i64>) -> Option<i64> {
    let (count, sum) = numbers.fold((0, 0), |(count, sum), number| (count + 1, sum + number));
    Some(Fraction::quotient(sum, count)?.round_half_up())
}

/// 10.1, with the lowest and the highest ratings left out.
fn average_rating(games: &[Game], low: usize, high: usize) -> Option<i64> {
    let mut ratings: Vec<_> = games.iter().map(|game| i64::from(game.rating)).collect();
    ratings.sort_unstable();
    let end = ratings.len().saturating_sub(high);
    rounded_average(ratings.get(low..end)?.iter().copied())
}

/// 10.2. The fraction is rounded to a hundredth, a half up, as the table asks for; the average is the rounded one.
fn performance(games: &[Game]) -> Option<i64> {
    let average = average_rating(games, 0, 0)?;
    let half_points: u32 = games.iter().map(|game| game.half_points).sum();
    let fraction = Fraction::quotient(i64::from(half_points) * 50, i64::try_from(games.len()).ok()?)?;
    let hundredths = u32::try_from(fraction.round_half_up()).ok()?;
    Some(average + i64::from(difference_for(hundredths)))
}

/// 10.3. Without a point it is 800 below the lowest opponent; with all of them it is 736 above the highest, which
/// follows from the table.
fn perfect(games: &[Game]) -> Option<i64> {
    let lowest = i64::from(games.iter().map(|game| game.rating).min()?);
    let highest = i64::from(games.iter().map(|game| game.rating).max()?);
    let wanted: u32 = games.iter().map(|game| game.half_points * 50).sum();
    if wanted == 0 {
        return Some(lowest - 800);
    }
    let expected = |rating: i64| -> u32 {
        let difference = |game: &Game| i32::try_from(rating - i64::from(game.rating)).unwrap_or(i32::MAX);
        games.iter().map(|game| expected_at(difference(game))).sum()
    };
    // At `low` too little is expected, at `high` enough.
    let (mut low, mut high) = (lowest - 737, highest + 736);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if expected(middle) >= wanted {
            high = middle;
        } else {
            low = middle;
        }
    }
    Some(high)
}
