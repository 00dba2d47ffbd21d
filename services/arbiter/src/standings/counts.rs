//! Tie-breaks that give each participant a number.

use super::{
    Edition, Field, Fraction, Kind, Rules, Slot, Spec, System, Unit, Value,
    catalogue::Code,
    performance::Performances,
    view::{View, cut_sum},
};

/// The value of each participant; `None` for a tie-break that compares the tied with each other.
pub(super) fn counts(field: &Field, spec: Spec, rules: &Rules) -> Option<Vec<Value>> {
    use Code as C;

    let edition = rules.edition;
    let unit = spec.unit.unwrap_or(field.primary);
    let own = |value: &dyn Fn(&[Slot]) -> Fraction| -> Vec<Value> {
        let rows = field.entries.iter().map(|entry| entry.slots.as_slice());
        rows.map(|row| Value::Number(value(row))).collect()
    };
    let number_of =
        |wanted: &dyn Fn(&Slot) -> bool| own(&|row| count(row.iter().filter(|slot| wanted(slot)).count()));
    let at_board = |slot: &Slot| at_board(field, edition, slot);
    let won = |slot: &Slot| at_board(slot) && (slot.half_points == Some(2) || slot.kind == Kind::ForfeitWin);
    let (win, draw) = (field.win[unit.index()], field.draw[unit.index()]);
    Some(match spec.code {
        C::Wins => number_of(&|slot| slot.points[unit.index()] == win),
        C::GamesWon => number_of(&won),
        C::BlackGames => number_of(&|slot| at_board(slot) && slot.black == Some(true)),
        C::BlackWins => number_of(&|slot| won(slot) && slot.black == Some(true)),
        C::RoundsElected => number_of(&|slot| !slot.kind.is_voluntary()),
        C::StandardPoints => (0..field.entries.len())
            .map(|entry| Value::Number(standard_points(field, entry, unit)))
            .collect(),
        C::Progressive => own(&|row| progressive(row, unit, spec.cut_low)),
        C::PairingNumber => numbers(field.entries.iter().map(|entry| i64::from(entry.number))),
        C::Rating => (0..field.entries.len())
            .map(|entry| rating(field, rules, entry))
            .collect(),
        C::Buchholz => sums(&sum_of_scores(field, spec, edition, unit, false)),
        C::ForeBuchholz => sums(&sum_of_scores(field, spec, edition, unit, true)),
        C::AverageBuchholz => {
            let buchholz = sum_of_scores(field, spec, edition, unit, spec.fore);
            average_over_opponents(field, |opponent| Some(buchholz[opponent]))
        }
        C::SonnebornBerger => weighted(field, spec, edition, unit, unit),
        C::MatchMatch => weighted(field, spec, edition, Unit::Match, Unit::Match),
        C::MatchGame => weighted(field, spec, edition, Unit::Match, Unit::Game),
        C::GameMatch => weighted(field, spec, edition, Unit::Game, Unit::Match),
        C::GameGame => weighted(field, spec, edition, Unit::Game, Unit::Game),
        C::Koya => koya(field, spec, unit, win, draw),
        C::OtherScore => {
            let other = field.primary.other();
            (0..field.entries.len())
                .map(|entry| Value::Number(field.score(entry, other)))
                .collect()
        }
        C::ScheduleStrength => schedule_strength(field, spec, edition, rules),
        C::AverageRating
        | C::Performance
        | C::PerfectPerformance
        | C::AveragePerformance
        | C::AveragePerfect => Performances::new(field, rules).values(spec),
        C::SmallScore => chinese(field, rules, |slot| match slot.half_points {
            Some(half_points) => Fraction::halves(half_points.into()),
            None if slot.kind == Kind::ForfeitWin => Fraction::whole(1),
            None => Fraction::ZERO,
        }),
        C::OpponentsScore => chinese(field, rules, |_| Fraction::whole(1)),
        C::DirectEncounter
        | C::Extended
        | C::ExtendedBoardTop
        | C::ExtendedBoardBottom
        | C::ExtendedTop
        | C::ExtendedBottom
        | C::BoardCount
        | C::TopBoards
        | C::BottomBoards => return None,
    })
}

/// Whether a round counts as one at the board for a tie-break of type B: in a round robin forfeits do (15.2), from
/// 2026 on only those that were won.
fn at_board(field: &Field, edition: Edition, slot: &Slot) -> bool {
    match slot.kind {
        Kind::Played => true,
        Kind::ForfeitWin => field.system == System::RoundRobin,
        Kind::ForfeitLoss => field.system == System::RoundRobin && edition < Edition::Fide2026,
        Kind::AwardedBye | Kind::RequestedBye => false,
    }
}

fn count(number: usize) -> Fraction {
    Fraction::whole(i64::try_from(number).unwrap_or(i64::MAX))
}

fn numbers(all: impl Iterator<Item = i64>) -> Vec<Value> {
    all.map(|number| Value::Number(Fraction::whole(number))).collect()
}

fn sums(all: &[Fraction]) -> Vec<Value> {
    all.iter().map(|sum| Value::Number(*sum)).collect()
}

fn rating(field: &Field, rules: &Rules, entry: usize) -> Value {
    let rating = field.entries[entry].rating.or(rules.unrated);
    rating.map_or(Value::Absent, |rating| {
        Value::Number(Fraction::whole(rating.into()))
    })
}

/// 7.5; a cut leaves out the score after the first round or rounds.
fn progressive(row: &[Slot], unit: Unit, cut: usize) -> Fraction {
    let mut score = Fraction::ZERO;
    let mut sum = Fraction::ZERO;
    for (round, slot) in row.iter().enumerate() {
        score += slot.points[unit.index()];
        if round >= cut {
            sum += score;
        }
    }
    sum
}

/// 7.7. A round without play is judged by what it brought, also where an opponent was scheduled: of two who both
/// forfeit, neither has half a point.
fn standard_points(field: &Field, entry: usize, unit: Unit) -> Fraction {
    let index = unit.index();
    let halves = field.entries[entry]
        .slots
        .iter()
        .enumerate()
        .map(|(round, slot)| {
            let opponent = slot
                .opponent
                .and_then(|opponent| field.entries[opponent].slots.get(round));
            let against = match opponent {
                Some(theirs) if slot.kind == Kind::Played => theirs.points[index],
                _ => field.draw[index],
            };
            match slot.points[index].cmp(&against) {
                std::cmp::Ordering::Greater => 2,
                std::cmp::Ordering::Equal => 1,
                std::cmp::Ordering::Less => 0,
            }
        });
    Fraction::halves(halves.sum())
}

fn sum_of_scores(field: &Field, spec: Spec, edition: Edition, unit: Unit, fore: bool) -> Vec<Fraction> {
    let view = View::new(field, edition, spec.forfeits, fore);
    let adjusted = view.adjusted(unit);
    let terms = |entry| view.terms(entry, unit, &adjusted, |_| Fraction::whole(1));
    (0..field.entries.len())
        .map(|entry| cut_sum(terms(entry), spec.cut_low, spec.cut_high, edition))
        .collect()
}

/// Sonneborn-Berger in all its forms: the opponent's score in one unit, times what was scored in the other.
fn weighted(field: &Field, spec: Spec, edition: Edition, of: Unit, by: Unit) -> Vec<Value> {
    let view = View::new(field, edition, spec.forfeits, false);
    let adjusted = view.adjusted(of);
    let terms = |entry| view.terms(entry, of, &adjusted, |slot| slot.points[by.index()]);
    (0..field.entries.len())
        .map(|entry| Value::Number(cut_sum(terms(entry), spec.cut_low, spec.cut_high, edition)))
        .collect()
}

/// The average of something over the opponents met at the board, each as often as met (4.4).
fn average_over_opponents(field: &Field, of: impl Fn(usize) -> Option<Fraction>) -> Vec<Value> {
    let average = |slots: &[Slot]| {
        let met = slots.iter().filter(|slot| slot.kind == Kind::Played);
        let values: Vec<_> = met.filter_map(|slot| slot.opponent).filter_map(&of).collect();
        let number = values.len();
        match number {
            0 => Value::Absent,
            _ => Value::Number(values.into_iter().sum::<Fraction>().averaged_over(number)),
        }
    };
    field.entries.iter().map(|entry| average(&entry.slots)).collect()
}

/// 9.2 and 14.5. Points against a scheduled opponent count whether or not there was play.
fn koya(field: &Field, spec: Spec, unit: Unit, win: Fraction, draw: Fraction) -> Vec<Value> {
    let games = |slots: &[Slot]| slots.iter().filter(|slot| slot.opponent.is_some()).count();
    let rounds = match field.system {
        System::Swiss => field.rounds,
        // Free rounds of a round robin bring nothing.
        System::RoundRobin => field
            .entries
            .iter()
            .map(|entry| games(&entry.slots))
            .max()
            .unwrap_or(0),
    };
    let greatest = win * count(rounds);
    let limit = greatest * Fraction::HALF + draw * Fraction::whole(spec.limit.into());
    let strong: Vec<bool> = (0..field.entries.len())
        .map(|entry| field.score(entry, unit) >= limit)
        .collect();
    let points = |slots: &[Slot]| {
        let against = slots
            .iter()
            .filter(|slot| slot.opponent.is_some_and(|opponent| strong[opponent]));
        Value::Number(against.map(|slot| slot.points[unit.index()]).sum())
    };
    field.entries.iter().map(|entry| points(&entry.slots)).collect()
}

/// 13.4.
fn schedule_strength(field: &Field, spec: Spec, edition: Edition, rules: &Rules) -> Vec<Value> {
    let (primary, other) = (field.primary, field.primary.other());
    let greatest = field.win[primary.index()] * count(field.rounds);
    let in_one_match = match other {
        Unit::Match => field.win[Unit::Match.index()],
        Unit::Game => rules.greatest_match,
    };
    let usual = greatest
        .divided_by(in_one_match)
        .map_or(1, Fraction::floor)
        .max(1);
    let factor = spec.factor.map_or(usual, i64::from);
    let buchholz = sum_of_scores(field, spec, edition, primary, spec.fore);
    let value = |entry: usize| {
        let strength = buchholz[entry]
            .divided_by(Fraction::whole(factor))
            .unwrap_or(Fraction::ZERO);
        Value::Number(field.score(entry, other) + strength)
    };
    (0..field.entries.len()).map(value).collect()
}

/// The sums of the preface to the older Chinese code: the opponents' points, weighed. The preface says nothing about
/// unplayed rounds: a forfeit counts as a game against the scheduled opponent unless the rules say otherwise, a bye has
/// no opponent and counts nothing.
fn chinese(field: &Field, rules: &Rules, weigh: impl Fn(&Slot) -> Fraction) -> Vec<Value> {
    let unit = field.primary;
    let scores: Vec<_> = (0..field.entries.len())
        .map(|entry| field.score(entry, unit))
        .collect();
    let value = |slots: &[Slot]| {
        let counted = slots
            .iter()
            .filter(|slot| slot.kind == Kind::Played || rules.forfeits_count);
        let terms = counted.filter_map(|slot| Some(scores[slot.opponent?] * weigh(slot)));
        Value::Number(terms.sum())
    };
    field.entries.iter().map(|entry| value(&entry.slots)).collect()
}
