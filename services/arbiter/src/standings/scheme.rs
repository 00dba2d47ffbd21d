use super::{Fraction, Mark};

/// What each mark is worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scheme {
    /// A win at the board, by forfeit, and a full-point bye.
    pub win: Fraction,
    /// A draw at the board and a half-point bye.
    pub draw: Fraction,
    /// A loss at the board.
    pub loss: Fraction,
    /// A loss by forfeit and a zero-point bye.
    pub absence: Fraction,
    /// The bye that the pairing gave out.
    pub allocated_bye: Fraction,
    /// A game whose result is not known.
    pub unfinished: Fraction,
}

impl Scheme {
    /// 1, ½ and 0 (article 10 of the FIDE Laws; article 17 of the older Chinese code).
    pub const STANDARD: Self = Self {
        win: Fraction::whole(1),
        draw: Fraction::HALF,
        loss: Fraction::ZERO,
        absence: Fraction::ZERO,
        allocated_bye: Fraction::whole(1),
        unfinished: Fraction::HALF,
    };

    /// The scheme in which a win and a draw are worth so much, everything else following from them: a loss and an
    /// absence nothing, the allocated bye as much as a win, an unknown result as much as a draw.
    pub fn of(win: Fraction, draw: Fraction) -> Self {
        Self {
            win,
            draw,
            loss: Fraction::ZERO,
            absence: Fraction::ZERO,
            allocated_bye: win,
            unfinished: draw,
        }
    }

    /// What a mark is worth.
    pub fn points(&self, mark: Mark) -> Fraction {
        match mark {
            Mark::Win | Mark::ShortWin | Mark::ForfeitWin | Mark::FullPointBye => self.win,
            Mark::Draw | Mark::ShortDraw | Mark::HalfPointBye => self.draw,
            Mark::Loss | Mark::ShortLoss => self.loss,
            Mark::ForfeitLoss | Mark::ZeroPointBye => self.absence,
            Mark::AllocatedBye => self.allocated_bye,
            Mark::Unfinished => self.unfinished,
        }
    }
}

impl Default for Scheme {
    fn default() -> Self {
        Self::STANDARD
    }
}
