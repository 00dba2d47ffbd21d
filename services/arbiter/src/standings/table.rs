use std::sync::atomic::{AtomicBool, Ordering};

use super::{Edition, Field, Fraction, Spec, SpecError, Value, counts::counts, encounter::compare};

/// By what a field is ranked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rules {
    /// The tie-breaks, in the order in which they are applied.
    pub list: Vec<Spec>,
    /// The edition of the tie-break regulations.
    pub edition: Edition,
    /// The rating that an unrated player counts as; unset, unrated players make the tie-breaks on ratings void (C.07 10).
    pub unrated: Option<u32>,
    /// Whether forfeits count in the small score and the opponents' score of the older Chinese code.
    pub forfeits_count: bool,
    /// The game points of a team that wins on every board.
    pub greatest_match: Fraction,
}

impl Rules {
    /// The rules with these tie-breaks and everything else by default.
    pub fn of(list: Vec<Spec>, edition: Edition) -> Self {
        Self {
            list,
            edition,
            unrated: None,
            forfeits_count: true,
            greatest_match: Fraction::whole(1),
        }
    }

    /// Whether every tie-break goes with the edition and the field.
    ///
    /// # Errors
    /// The index of the first that does not, and why.
    pub fn check(&self, field: &Field) -> Result<(), (usize, SpecError)> {
        for (index, spec) in self.list.iter().enumerate() {
            let fits = spec.check(self.edition, field.system, field.teams);
            fits.map_err(|error| (index, error))?;
        }
        Ok(())
    }
}

/// A participant's line in the table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Standing {
    /// Which participant, by its index in the field.
    pub entry: usize,
    /// Its place; the first of those it shares.
    pub place: u32,
    /// The last of the places it shares; the same as `place` if it shares none.
    pub last_place: u32,
    /// Its score.
    pub score: Fraction,
    /// Its value in each tie-break of the list.
    pub values: Vec<Value>,
    /// The index of the tie-break that put it behind the one above it; unset if the score did, or nothing.
    pub decided_by: Option<usize>,
}

/// The ranked table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    /// From the first place to the last. Those who share a place stand in the order of their numbers.
    pub standings: Vec<Standing>,
    /// The indices of tie-breaks that are void because a player is unrated.
    pub void: Vec<usize>,
}

/// Ranks a field: by score, then within each group of the tied by the first tie-break, and so on (C.07 4.2). Those whom
/// the list does not separate share a place; no lots are drawn.
pub fn table(field: &Field, rules: &Rules) -> Table {
    ranked(field, rules, &AtomicBool::new(false))
}

/// As [`table`], until `stop` is raised: then, within a group of the tied, `None`.
pub fn table_until(field: &Field, rules: &Rules, stop: &AtomicBool) -> Option<Table> {
    let table = ranked(field, rules, stop);
    (!stop.load(Ordering::Relaxed)).then_some(table)
}

/// The table, which means nothing if `stop` was raised.
fn ranked(field: &Field, rules: &Rules, stop: &AtomicBool) -> Table {
    let unrated = rules.unrated.is_none() && field.entries.iter().any(|entry| entry.rating.is_none());
    let void: Vec<usize> = (0..rules.list.len())
        .filter(|&index| unrated && rules.list[index].code.needs_ratings())
        .collect();
    let mut values = vec![vec![Value::Absent; rules.list.len()]; field.entries.len()];
    let scores: Vec<_> = (0..field.entries.len())
        .map(|entry| field.score(entry, field.primary))
        .collect();

    let mut order: Vec<usize> = (0..field.entries.len()).collect();
    order.sort_by_key(|&entry| {
        (
            std::cmp::Reverse(scores[entry]),
            field.entries[entry].number,
            entry,
        )
    });
    // Each group with what put it behind the one before it.
    let mut groups: Vec<(Vec<usize>, Option<usize>)> = order
        .chunk_by(|&a, &b| scores[a] == scores[b])
        .map(|group| (group.to_vec(), None))
        .collect();

    for (index, spec) in rules.list.iter().enumerate() {
        if void.contains(&index) || stop.load(Ordering::Relaxed) {
            continue;
        }
        if let Some(column) = counts(field, *spec, rules) {
            for (entry, value) in column.into_iter().enumerate() {
                values[entry][index] = value;
            }
        }
        let mut next = Vec::with_capacity(groups.len());
        for (group, reason) in groups {
            if group.len() == 1 || stop.load(Ordering::Relaxed) {
                next.push((group, reason));
                continue;
            }
            let parts = compare(field, *spec, rules, &group);
            let mut place = 1;
            for part in parts.iter().flatten() {
                for &entry in part {
                    values[entry][index] = Value::Order(place);
                }
                place += u32::try_from(part.len()).unwrap_or(u32::MAX);
            }
            let lower = spec.lower_is_better();
            let mut sorted = group;
            sorted.sort_by(|&a, &b| values[a][index].compare(values[b][index], lower));
            let mut reason = reason;
            for part in sorted.chunk_by(|&a, &b| values[a][index].compare(values[b][index], lower).is_eq()) {
                next.push((part.to_vec(), reason));
                reason = Some(index);
            }
        }
        groups = next;
    }

    let mut standings = Vec::with_capacity(order.len());
    for (mut group, reason) in groups {
        group.sort_by_key(|&entry| (field.entries[entry].number, entry));
        let place = u32::try_from(standings.len() + 1).unwrap_or(u32::MAX);
        let last_place = u32::try_from(standings.len() + group.len()).unwrap_or(u32::MAX);
        for (at, entry) in group.into_iter().enumerate() {
            standings.push(Standing {
                entry,
                place,
                last_place,
                score: scores[entry],
                values: std::mem::take(&mut values[entry]),
                decided_by: reason.filter(|_| at == 0),
            });
        }
    }
    Table { standings, void }
}
