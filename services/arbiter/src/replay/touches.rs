//! What was touched in a turn, and in which order.

use tabiya_rules::{Piece, Square};

use super::table::Table;

/// Orders that are looked at, at most; who touches more at once has named the first of them.
const MOST_ORDERS: usize = 256;

/// The squares touched in a turn: those of a group after those of the groups before it, in an order that is not known.
#[derive(Clone, Debug, Default)]
pub(super) struct Touches {
    groups: Vec<Vec<Square>>,
}

impl Touches {
    /// Adds squares to those touched; touching one again changes nothing.
    pub(super) fn note(&mut self, squares: &[Square], order_unclear: bool) {
        let mut new: Vec<Square> = Vec::new();
        for &square in squares {
            if !new.contains(&square) && !self.groups.iter().any(|group| group.contains(&square)) {
                new.push(square);
            }
        }
        match order_unclear {
            true => self.groups.push(new),
            false => self.groups.extend(new.into_iter().map(|square| vec![square])),
        }
    }

    pub(super) fn clear(&mut self) {
        self.groups.clear();
    }

    /// Every order in which they may have been touched, as far as orders make a difference.
    pub(super) fn orders(&self, table: &Table) -> Vec<Vec<Square>> {
        let mut orders = vec![Vec::new()];
        for group in &self.groups {
            let parts = if group.len() > 1 {
                group_orders(table, group)
            } else {
                vec![group.clone()]
            };
            let before = std::mem::take(&mut orders);
            let longer = parts
                .iter()
                .flat_map(|part| before.iter().map(move |order| [&order[..], part].concat()));
            orders.extend(longer.take(MOST_ORDERS));
        }
        orders
    }
}

/// The own man counts as touched before the opponent's (FIDE 4.3.3). Of men of one colour, it matters which was the first;
/// of a king and a rook, too, that no other came between.
fn group_orders(table: &Table, group: &[Square]) -> Vec<Vec<Square>> {
    let ours = |square: &Square| table.color_on(*square) == Some(table.us());
    let (own, others): (Vec<Square>, Vec<Square>) = group.iter().partition(|square| ours(square));
    let is = |square: Square, piece| table.piece_on(square) == Some(piece);
    let mut firsts: Vec<Vec<Square>> = own.iter().map(|&square| vec![square]).collect();
    if let Some(king) = own.iter().copied().find(|&square| is(square, Piece::King)) {
        for rook in own.iter().copied().filter(|&square| is(square, Piece::Rook)) {
            firsts.extend([vec![king, rook], vec![rook, king]]);
        }
    }
    if firsts.is_empty() {
        firsts.push(Vec::new());
    }
    let first_of_theirs: Vec<Option<Square>> = match others.as_slice() {
        [] => vec![None],
        some => some.iter().copied().map(Some).collect(),
    };
    let order = |first: &[Square], theirs: Option<Square>| {
        let mut order = first.to_vec();
        order.extend(own.iter().filter(|square| !first.contains(square)));
        order.extend(theirs);
        order.extend(others.iter().filter(|&&square| theirs != Some(square)));
        order
    };
    let all = firsts
        .iter()
        .flat_map(|first| first_of_theirs.iter().map(|&theirs| order(first, theirs)));
    all.take(MOST_ORDERS).collect()
}
