//! From the integer output to centipawns.

/// No evaluation is larger than this, so that none can be taken for a mate score.
pub const MAX_CENTIPAWNS: i32 = 20_000;

/// Centipawns are `output · numerator / 2^shift`, rounded towards zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    /// Above 0.
    pub numerator: i32,
    /// 0 to [`Scale::MAX_SHIFT`].
    pub shift: u8,
}

impl Scale {
    /// Largest shift.
    pub const MAX_SHIFT: u8 = 30;

    /// Whether the fields are in range.
    pub fn is_valid(self) -> bool {
        self.numerator > 0 && self.shift <= Self::MAX_SHIFT
    }

    /// Centipawns from the side to move, within ±[`MAX_CENTIPAWNS`].
    #[inline]
    pub fn to_centipawns(self, output: i32) -> i32 {
        // Two 32-bit factors cannot overflow 64 bits.
        let product = i64::from(output) * i64::from(self.numerator);
        let limit = i64::from(MAX_CENTIPAWNS);
        (product / (1_i64 << self.shift)).clamp(-limit, limit) as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn centipawns_are_symmetric_and_bounded() {
        let scale = Scale {
            numerator: 3,
            shift: 2,
        };
        assert_eq!(scale.to_centipawns(5), 3);
        assert_eq!(scale.to_centipawns(-5), -3);
        assert_eq!(scale.to_centipawns(i32::MAX), MAX_CENTIPAWNS);
        assert_eq!(scale.to_centipawns(i32::MIN), -MAX_CENTIPAWNS);
        let steep = Scale {
            numerator: i32::MAX,
            shift: 0,
        };
        assert_eq!(steep.to_centipawns(i32::MIN), -MAX_CENTIPAWNS);
    }
}
