use std::{cmp::Ordering, fmt};

use super::Fraction;

/// What a tie-break gave a participant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    /// A number.
    Number(Fraction),
    /// The place, from 1, within the group of the tied; those of one place stay tied. Of tie-breaks that compare instead of counting.
    Order(u32),
    /// There is none, say no average over no opponents. It comes last.
    Absent,
}

impl Value {
    /// Orders two values, the better one first.
    pub fn compare(self, other: Self, lower_is_better: bool) -> Ordering {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) if lower_is_better => a.cmp(&b),
            (Self::Number(a), Self::Number(b)) => b.cmp(&a),
            (Self::Order(a), Self::Order(b)) => a.cmp(&b),
            (a, b) => (a == Self::Absent).cmp(&(b == Self::Absent)),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Order(place) => write!(f, "#{place}"),
            Self::Absent => f.write_str("-"),
        }
    }
}
