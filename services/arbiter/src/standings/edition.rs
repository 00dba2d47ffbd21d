/// An edition of FIDE's tie-break regulations.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Edition {
    /// Chapter C.02, article 13, from 1 July 2017, replaced in 2023: an unplayed round is one against a virtual
    /// opponent, and the opponents' unplayed rounds count as draws.
    Fide2017,
    /// Chapter C.07, from 1 August 2024 to 28 February 2026: an unplayed round is one against a dummy that has the
    /// participant's own score.
    Fide2024,
    /// Chapter C.07, from 1 March 2026: the dummy's score has an upper limit (16.4).
    #[default]
    Fide2026,
}

impl Edition {
    /// Every edition, oldest first.
    pub const ALL: [Self; 3] = [Self::Fide2017, Self::Fide2024, Self::Fide2026];

    /// The name by which an answer says which edition it used.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fide2017 => "FIDE C.02 13 (2017-07)",
            Self::Fide2024 => "FIDE C.07 (2024-08)",
            Self::Fide2026 => "FIDE C.07 (2026-03)",
        }
    }

    pub(super) fn index(self) -> usize {
        self as usize
    }
}
