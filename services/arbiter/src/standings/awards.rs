use super::{Fraction, Table};

/// What each line of a table is worth when places are worth so much: those who share places share the average. Places
/// beyond the list are worth nothing.
pub fn awards(table: &Table, places: &[Fraction]) -> Vec<Fraction> {
    let award = |first: u32, last: u32| {
        let shared = first as usize - 1..last as usize;
        let worth = shared.clone().filter_map(|place| places.get(place).copied());
        worth.sum::<Fraction>().averaged_over(shared.len())
    };
    let lines = table.standings.iter();
    lines
        .map(|standing| award(standing.place, standing.last_place))
        .collect()
}
