//! Tie-breaks that compare the tied with each other (C.07 6, 12 and 13.3).

use std::cmp::Reverse;

use super::{Field, Fraction, Kind, Rules, Spec, System, Unit, catalogue::Code, view::View};

/// Orders a group of tied participants into smaller groups, the best first; `None` for a tie-break that counts.
pub(super) fn compare(field: &Field, spec: Spec, rules: &Rules, group: &[usize]) -> Option<Vec<Vec<usize>>> {
    let view = View::new(field, rules.edition, spec.forfeits, false);
    let tied = Tied { field, view };
    let boards: &[Code] = match spec.code {
        Code::DirectEncounter => return Some(tied.direct(group.to_vec(), field.primary)),
        Code::BoardCount | Code::TopBoards | Code::BottomBoards => {
            return Some(tied.by_boards(spec.code, group, false));
        }
        Code::Extended => &[],
        Code::ExtendedBoardTop => &[Code::BoardCount, Code::TopBoards],
        Code::ExtendedBoardBottom => &[Code::BoardCount, Code::BottomBoards],
        Code::ExtendedTop => &[Code::TopBoards],
        Code::ExtendedBottom => &[Code::BottomBoards],
        _ => return None,
    };
    Some(tied.extended(group.to_vec(), boards))
}

struct Tied<'a> {
    field: &'a Field,
    view: View<'a>,
}

/// A row of the separate standings (6.1).
#[derive(Clone, Copy)]
struct Separate {
    entry: usize,
    score: Fraction,
    /// How many of the others it has not met.
    missing: usize,
}

impl Tied<'_> {
    /// Article 6 in full: applied again to every smaller group until nothing changes.
    fn direct(&self, group: Vec<usize>, unit: Unit) -> Vec<Vec<usize>> {
        self.refine(group, |group| self.once(group, unit))
    }

    /// 13.3: article 6 in full in the deciding score, and if that separates nobody in the other; two teams whom that
    /// leaves tied by the boards of their own matches, where the regulations of the event say so. Every group that is
    /// left starts afresh (13.3.3).
    ///
    /// That article 6 runs to its end in one score before the next group starts with the other, and that the boards are
    /// those of the encounter, is how FIDE's own exercises 45 to 48 are solved.
    fn extended(&self, group: Vec<usize>, boards: &[Code]) -> Vec<Vec<usize>> {
        self.refine(group, |group| {
            let primary = self.field.primary;
            for unit in [primary, primary.other()] {
                let parts = self.direct(group.to_vec(), unit);
                if parts.len() > 1 {
                    return parts;
                }
            }
            if group.len() == 2 {
                let parts = boards.iter().map(|code| self.by_boards(*code, group, true));
                return parts
                    .into_iter()
                    .find(|parts| parts.len() > 1)
                    .unwrap_or(vec![group.to_vec()]);
            }
            vec![group.to_vec()]
        })
    }

    fn refine(&self, group: Vec<usize>, once: impl Fn(&[usize]) -> Vec<Vec<usize>>) -> Vec<Vec<usize>> {
        let mut done = Vec::new();
        // The last is the next to be looked at, so the best go on last.
        let mut waiting = vec![group];
        while let Some(group) = waiting.pop() {
            if group.len() < 2 {
                done.push(group);
                continue;
            }
            let mut parts = once(&group);
            if parts.len() == 1 {
                done.append(&mut parts);
            } else {
                parts.reverse();
                waiting.append(&mut parts);
            }
        }
        done
    }

    /// Article 6 applied once.
    fn once(&self, group: &[usize], unit: Unit) -> Vec<Vec<usize>> {
        let mut rows = self.separate_standings(group, unit);
        rows.sort_by_key(|row| (Reverse(row.score), row.entry));
        if rows.iter().all(|row| row.missing == 0) {
            let parts = rows.chunk_by(|a, b| a.score == b.score);
            return parts
                .map(|part| part.iter().map(|row| row.entry).collect())
                .collect();
        }
        if self.field.system == System::RoundRobin {
            return vec![group.to_vec()];
        }
        self.leaders(rows, unit)
    }

    /// 6.3: as long as one of the rest is alone at the top whatever the missing games bring, it takes the next rank.
    fn leaders(&self, mut rest: Vec<Separate>, unit: Unit) -> Vec<Vec<usize>> {
        let index = unit.index();
        let missing = |row: &Separate| Fraction::whole(i64::try_from(row.missing).unwrap_or(i64::MAX));
        // A missing game that is lost brings nothing, and one that is won everything that a game can.
        let greatest = |row: &Separate| row.score + missing(row) * self.field.win[index];
        let mut parts = Vec::new();
        while rest.len() > 1 {
            let Some(leader) = (0..rest.len()).max_by_key(|&at| (rest[at].score, Reverse(at))) else {
                break;
            };
            let others = (0..rest.len()).filter(|&at| at != leader);
            let Some(best) = others.map(|at| greatest(&rest[at])).max() else {
                break;
            };
            if rest[leader].score <= best {
                break;
            }
            parts.push(vec![rest.remove(leader).entry]);
        }
        parts.push(rest.into_iter().map(|row| row.entry).collect());
        parts
    }

    fn separate_standings(&self, group: &[usize], unit: Unit) -> Vec<Separate> {
        let mut place = vec![usize::MAX; self.field.entries.len()];
        for (at, &entry) in group.iter().enumerate() {
            place[entry] = at;
        }
        let row = |&entry: &usize| {
            // The points against each of the tied, and how often they met.
            let mut met: Vec<(usize, Fraction, usize)> = Vec::new();
            for slot in self.view.row(entry) {
                let Some(opponent) = slot.opponent.filter(|&opponent| place[opponent] != usize::MAX) else {
                    continue;
                };
                if slot.kind != Kind::Played {
                    continue;
                }
                let points = slot.points[unit.index()];
                match met.iter_mut().find(|(other, ..)| *other == opponent) {
                    Some((_, sum, times)) => {
                        *sum += points;
                        *times += 1;
                    }
                    None => met.push((opponent, points, 1)),
                }
            }
            Separate {
                entry,
                score: met.iter().map(|(_, sum, times)| sum.averaged_over(*times)).sum(),
                missing: group.len() - 1 - met.len(),
            }
        };
        group.iter().map(row).collect()
    }

    /// Article 12, over all matches or over those that the tied played against each other.
    fn by_boards(&self, code: Code, group: &[usize], encounters: bool) -> Vec<Vec<usize>> {
        let rounds = |entry: usize| {
            let row = self.view.row(entry).iter().zip(&self.field.entries[entry].boards);
            row.filter(|(slot, _)| !encounters || slot.opponent.is_some_and(|other| group.contains(&other)))
        };
        let game_points = |entry: usize| match encounters {
            true => rounds(entry)
                .map(|(slot, _)| slot.points[Unit::Game.index()])
                .sum(),
            false => self.field.score(entry, Unit::Game),
        };
        let equal = group
            .windows(2)
            .all(|pair| game_points(pair[0]) == game_points(pair[1]));
        if code == Code::BoardCount && !equal {
            return vec![group.to_vec()];
        }
        let totals = |entry: usize| {
            let mut totals: Vec<Fraction> = Vec::new();
            for (_, boards) in rounds(entry) {
                totals.resize(totals.len().max(boards.len()), Fraction::ZERO);
                totals
                    .iter_mut()
                    .zip(boards)
                    .for_each(|(total, points)| *total += *points);
            }
            totals
        };
        let mut all: Vec<(usize, Vec<Fraction>)> =
            group.iter().map(|&entry| (entry, totals(entry))).collect();
        let boards = all.iter().map(|(_, totals)| totals.len()).max().unwrap_or(0);
        // The greater list comes first.
        let key = |mut totals: Vec<Fraction>| -> Vec<Fraction> {
            totals.resize(boards, Fraction::ZERO);
            match code {
                Code::BoardCount => {
                    let weighed = totals.iter().enumerate().map(|(board, points)| {
                        *points * Fraction::whole(i64::try_from(board + 1).unwrap_or(i64::MAX))
                    });
                    vec![-weighed.sum::<Fraction>()]
                }
                Code::TopBoards => totals,
                // Without the last board, without the last two, and so on: sums from the first, the longest first.
                _ => {
                    let sum = totals.iter().scan(Fraction::ZERO, |sum, points| {
                        *sum += *points;
                        Some(*sum)
                    });
                    let mut sums: Vec<_> = sum.collect();
                    sums.pop();
                    sums.reverse();
                    sums
                }
            }
        };
        let mut keyed: Vec<_> = all
            .drain(..)
            .map(|(entry, totals)| (Reverse(key(totals)), entry))
            .collect();
        keyed.sort();
        let parts = keyed.chunk_by(|a, b| a.0 == b.0);
        parts
            .map(|part| part.iter().map(|(_, entry)| *entry).collect())
            .collect()
    }
}
