//! What a search says a position is worth.

/// Deepest ply below the root that a search visits; deeper positions take their static value.
pub const MAX_PLY: usize = 128;

/// Value inside the search: centipawns, or a distance to mate near [`MATE`].
pub(crate) type Value = i32;

/// The value of having mated now.
pub(crate) const MATE: Value = 32_000;
/// Above every value.
pub(crate) const INFINITE: Value = 32_500;
/// Values of at least this size are mates.
pub(crate) const MATE_BOUND: Value = MATE - 2 * MAX_PLY as Value;
/// The value of a position that the endgame tables call won, less a point for each ply below the root.
pub(crate) const TABLE_WIN: Value = 25_000;
/// Values of at least this size come from the endgame tables, or are mates.
pub(crate) const TABLE_BOUND: Value = TABLE_WIN - MAX_PLY as Value;
/// Static values lie within plus and minus this.
pub(crate) const EVALUATION_LIMIT: Value = 20_000;

/// Value for the side that mates `ply` plies below the root.
pub(crate) const fn mate_at(ply: usize) -> Value {
    MATE - ply as Value
}

/// Value for the side that is mated `ply` plies below the root.
pub(crate) const fn mated_at(ply: usize) -> Value {
    ply as Value - MATE
}

/// Whether the value is a forced mate for either side.
pub(crate) const fn is_mate(value: Value) -> bool {
    value >= MATE_BOUND || value <= -MATE_BOUND
}

/// What a score claims about the true value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u8)]
pub enum Bound {
    /// The value itself.
    #[default]
    Exact = 1,
    /// The true value is at least this.
    Lower = 2,
    /// The true value is at most this.
    Upper = 3,
}

/// A score from the view of the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Score {
    /// Hundredths of a pawn.
    Centipawns(i32),
    /// Moves (not plies) to mate: positive when the side to move mates, negative when it is mated, 0 when it
    /// is mated now.
    Mate(i32),
}

impl Score {
    /// Plain score of an internal value.
    pub(crate) const fn from_value(value: Value) -> Self {
        if value >= MATE_BOUND {
            Self::Mate((MATE - value + 1) / 2)
        } else if value <= -MATE_BOUND {
            Self::Mate(-((MATE + value) / 2))
        } else {
            Self::Centipawns(value)
        }
    }

    /// Expected result in permille.
    ///
    /// A logistic model, `win = 1 / (1 + exp((100 - cp) / 45))` and `loss` likewise for `-cp`, the rest drawn.
    /// The two constants are provisional, not fitted to games: a pawn ahead is taken to win half of the time.
    pub fn wdl(self) -> Wdl {
        let cp = match self {
            Self::Centipawns(cp) => cp,
            Self::Mate(moves) if moves > 0 => {
                return Wdl {
                    win: 1000,
                    draw: 0,
                    loss: 0,
                };
            }
            Self::Mate(_) => {
                return Wdl {
                    win: 0,
                    draw: 0,
                    loss: 1000,
                };
            }
        };
        let permille = |cp: i32| (1000.0 / (1.0 + (f64::from(100 - cp) / 45.0).exp())).round() as u32;
        let win = permille(cp);
        let loss = permille(-cp).min(1000 - win);
        Wdl {
            win,
            draw: 1000 - win - loss,
            loss,
        }
    }
}

/// Expected result in permille; the three sum to 1000.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wdl {
    /// The side to move wins.
    pub win: u32,
    /// Nobody wins.
    pub draw: u32,
    /// The side to move loses.
    pub loss: u32,
}

impl Wdl {
    /// A draw and nothing else.
    pub const DRAW: Self = Self {
        win: 0,
        draw: 1000,
        loss: 0,
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_count_moves() {
        assert_eq!(Score::from_value(mate_at(1)), Score::Mate(1));
        assert_eq!(Score::from_value(mate_at(2)), Score::Mate(1));
        assert_eq!(Score::from_value(mate_at(3)), Score::Mate(2));
        assert_eq!(Score::from_value(mated_at(0)), Score::Mate(0));
        assert_eq!(Score::from_value(mated_at(2)), Score::Mate(-1));
        assert_eq!(Score::from_value(mated_at(4)), Score::Mate(-2));
        assert_eq!(
            Score::from_value(-EVALUATION_LIMIT),
            Score::Centipawns(-EVALUATION_LIMIT)
        );
        assert_eq!(Score::from_value(mate_at(MAX_PLY)), Score::Mate(64));
    }

    #[test]
    fn wdl_sums_to_a_thousand_and_is_symmetric() {
        for cp in -EVALUATION_LIMIT..=EVALUATION_LIMIT {
            let wdl = Score::Centipawns(cp).wdl();
            let other = Score::Centipawns(-cp).wdl();
            assert_eq!(wdl.win + wdl.draw + wdl.loss, 1000);
            assert_eq!((wdl.win, wdl.draw, wdl.loss), (other.loss, other.draw, other.win));
        }
        assert_eq!(Score::Centipawns(100).wdl().win, 500);
        assert_eq!(Score::Mate(0).wdl().loss, 1000);
    }
}
