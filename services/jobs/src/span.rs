use std::ops::Range;

/// Items of a manifest that stand side by side, by their places from 0; never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Place of the first item.
    pub first: u32,
    /// Number of items, at least 1.
    pub count: u32,
}

impl Span {
    /// The items from `first` up to but not including `end`; `None` if there are none.
    pub fn new(first: u32, end: u32) -> Option<Self> {
        (first < end).then(|| Self {
            first,
            count: end - first,
        })
    }

    /// The place behind the last item.
    pub fn end(self) -> u32 {
        self.first.saturating_add(self.count)
    }

    /// The places.
    pub fn places(self) -> Range<u32> {
        self.first..self.end()
    }

    /// Two halves; `None` for a single item.
    pub fn halves(self) -> Option<(Self, Self)> {
        let middle = self.first + self.count / 2;
        Some((Self::new(self.first, middle)?, Self::new(middle, self.end())?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_the_whole() {
        assert_eq!(Span { first: 7, count: 1 }.halves(), None);
        let whole = Span { first: 7, count: 5 };
        let (a, b) = whole.halves().unwrap();
        assert_eq!((a.first, a.end(), b.first, b.end()), (7, 9, 9, 12));
        assert_eq!(Span::new(3, 3), None);
    }
}
