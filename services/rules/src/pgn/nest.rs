//! Where in a game's brackets the reader stands.

/// Which variation the reader is in, and whether it is skipping.
pub(super) struct Nest {
    pub(super) depth: usize,
    /// Everything at this depth and below it is skipped; `usize::MAX` while reading.
    pub(super) skip_from: usize,
    /// Whether the visitor entered the variation at `skip_from`.
    pub(super) entered: bool,
}

impl Nest {
    /// The main line, read or skipped.
    pub(super) fn new(skip: bool) -> Self {
        Self {
            depth: 0,
            skip_from: if skip { 0 } else { usize::MAX },
            entered: false,
        }
    }

    pub(super) fn reading(&self) -> bool {
        self.skip_from == usize::MAX
    }

    pub(super) fn skip(&mut self, entered: bool) {
        self.skip_from = self.depth;
        self.entered = entered;
    }

    /// Open variations that the visitor knows of.
    pub(super) fn entered(&self) -> usize {
        if self.reading() {
            self.depth
        } else {
            self.skip_from - usize::from(!self.entered && self.skip_from > 0)
        }
    }
}
