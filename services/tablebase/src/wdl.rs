use std::ops::Neg;

/// What a position is worth under the fifty-move rule, for the side to move, with the halfmove clock at zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Wdl {
    /// Lost.
    Loss,
    /// Lost, but the fifty-move rule saves the draw.
    BlessedLoss,
    /// Drawn.
    Draw,
    /// Won, but the fifty-move rule takes the win away.
    CursedWin,
    /// Won.
    Win,
}

impl Wdl {
    /// Reads a table's value: 0 for a loss to 4 for a win.
    pub(crate) const fn from_value(value: u16) -> Option<Self> {
        Some(match value {
            0 => Self::Loss,
            1 => Self::BlessedLoss,
            2 => Self::Draw,
            3 => Self::CursedWin,
            4 => Self::Win,
            _ => return None,
        })
    }

    /// The distance in plies if the very next move takes, moves a pawn or mates: ±1, or ±101 beyond the fifty-move rule.
    pub(crate) const fn next_ply(self) -> i32 {
        match self {
            Self::Loss => -1,
            Self::BlessedLoss => -101,
            Self::Draw => 0,
            Self::CursedWin => 101,
            Self::Win => 1,
        }
    }
}

impl Neg for Wdl {
    type Output = Self;

    fn neg(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::BlessedLoss => Self::CursedWin,
            Self::Draw => Self::Draw,
            Self::CursedWin => Self::BlessedLoss,
            Self::Win => Self::Loss,
        }
    }
}
