//! The shape of a network.

use super::NetworkError;

/// Features in one king bucket: 2 colours × 6 piece types × 64 squares.
pub const FEATURES_PER_BUCKET: usize = 768;

/// The widths that a first layer may have, in steps of 32.
pub const WIDTHS: std::ops::RangeInclusive<usize> = 64..=2048;

/// Most king buckets.
pub const MAX_KING_BUCKETS: u8 = 32;

/// No network's file is longer: the first layer of the greatest width with most king buckets, and the head.
pub const MAX_FILE_BYTES: usize = {
    let (width, hidden, buckets) = (*WIDTHS.end(), 32, 8);
    let first = 2 * width * (1 + FEATURES_PER_BUCKET * MAX_KING_BUCKETS as usize);
    // The weights of a hidden layer have a byte, those of the output two, biases two or four; the header is beside that.
    let head = buckets * (hidden * (2 * width + 4) + 2 * 2 * width + 4);
    first + head + 256
};

/// Largest right shift behind the hidden layer.
pub const MAX_HIDDEN_SHIFT: u8 = 16;

/// The shape of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Architecture {
    /// How the own king's square selects first-layer rows.
    pub king_buckets: KingBuckets,
    /// Neurons of the first layer for each side: a multiple of 32 in [`WIDTHS`].
    pub width: usize,
    /// How many sets of later layers there are.
    pub output_buckets: OutputBuckets,
    /// The hidden layer, if there is one.
    pub hidden: Option<HiddenLayer>,
}

/// How the own king's square selects first-layer rows; [`super::features`] has the rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KingBuckets {
    /// The bucket for each king square as its own side sees it (own first rank = 1), a1 first.
    pub map: [u8; 64],
    /// Whether the board is mirrored when the king stands on files e to h.
    pub mirror: bool,
}

/// How many sets of later layers a network has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputBuckets {
    /// One for all positions.
    One,
    /// Eight, selected by `(pieces - 1) / 4`.
    Eight,
}

/// A small layer between the first one and the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HiddenLayer {
    /// Neurons: 16 or 32.
    pub width: usize,
    /// Arithmetic right shift before the clamp to 0..=255.
    pub shift: u8,
}

impl KingBuckets {
    /// One bucket for all squares and no mirror: 768 features.
    pub const NONE: Self = Self {
        map: [0; 64],
        mirror: false,
    };

    /// Number of buckets, 1 + the highest in the map.
    pub fn count(&self) -> usize {
        usize::from(self.map.iter().copied().max().unwrap_or(0)) + 1
    }
}

impl OutputBuckets {
    /// 1 or 8.
    pub fn count(self) -> usize {
        match self {
            Self::One => 1,
            Self::Eight => 8,
        }
    }

    /// The bucket for a position with this many pieces, kings included (2 to 32).
    #[inline]
    pub fn select(self, pieces: u32) -> usize {
        match self {
            Self::One => 0,
            Self::Eight => (pieces.saturating_sub(1) as usize / 4).min(7),
        }
    }
}

impl Architecture {
    /// Rows of the first layer: 768 for each king bucket.
    pub fn feature_count(&self) -> usize {
        FEATURES_PER_BUCKET * self.king_buckets.count()
    }

    /// Weights of one output row: the hidden width, or both sides of the first layer.
    pub fn output_inputs(&self) -> usize {
        self.hidden.map_or(2 * self.width, |hidden| hidden.width)
    }

    /// Neurons of the hidden layer, 0 without one.
    pub fn hidden_width(&self) -> usize {
        self.hidden.map_or(0, |hidden| hidden.width)
    }

    /// Checks that the kernels can run this shape.
    ///
    /// # Errors
    /// [`NetworkError::Width`], [`NetworkError::HiddenLayer`] or [`NetworkError::KingBuckets`].
    pub fn check(&self) -> Result<(), NetworkError> {
        if !WIDTHS.contains(&self.width) || !self.width.is_multiple_of(32) {
            return Err(NetworkError::Width(self.width));
        }
        if let Some(HiddenLayer { width, shift }) = self.hidden
            && (!matches!(width, 16 | 32) || shift > MAX_HIDDEN_SHIFT)
        {
            return Err(NetworkError::HiddenLayer { width, shift });
        }
        self.king_buckets.check()
    }
}

impl KingBuckets {
    fn check(&self) -> Result<(), NetworkError> {
        let count = self.count();
        if count > usize::from(MAX_KING_BUCKETS) {
            return Err(NetworkError::KingBuckets {
                reason: "more than 32 buckets",
            });
        }
        if let Some(_missing) = (0..count).find(|&bucket| !self.map.iter().any(|&b| usize::from(b) == bucket))
        {
            return Err(NetworkError::KingBuckets {
                reason: "a bucket below the highest has no square",
            });
        }
        if self.mirror && (0..64).any(|square| self.map[square] != self.map[square ^ 7]) {
            return Err(NetworkError::KingBuckets {
                reason: "mirrored, but the map is not symmetric",
            });
        }
        Ok(())
    }
}

impl std::fmt::Display for Architecture {
    /// For example `768x4hm->(512)x2->16x8->1x8`: inputs, `x4` king buckets, `hm` mirrored, widths, output buckets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "768")?;
        if self.king_buckets.count() > 1 {
            write!(f, "x{}", self.king_buckets.count())?;
        }
        if self.king_buckets.mirror {
            write!(f, "hm")?;
        }
        write!(f, "->({})x2->", self.width)?;
        let buckets = self.output_buckets.count();
        if let Some(hidden) = self.hidden {
            write!(f, "{}x{buckets}->", hidden.width)?;
        }
        write!(f, "1x{buckets}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_buckets_split_by_four_pieces() {
        let buckets: Vec<_> = [2, 4, 5, 8, 9, 28, 29, 32]
            .map(|n| OutputBuckets::Eight.select(n))
            .into();
        assert_eq!(buckets, [0, 0, 1, 1, 2, 6, 7, 7]);
        assert_eq!(OutputBuckets::One.select(32), 0);
    }

    #[test]
    fn wrong_shapes_are_named() {
        let good = Architecture {
            king_buckets: KingBuckets::NONE,
            width: 256,
            output_buckets: OutputBuckets::Eight,
            hidden: None,
        };
        assert_eq!(good.check(), Ok(()));
        for width in [0, 32, 63, 65, 2080] {
            let shape = Architecture {
                width,
                ..good.clone()
            };
            assert_eq!(shape.check(), Err(NetworkError::Width(width)));
        }
        let hidden = Some(HiddenLayer { width: 8, shift: 5 });
        assert!(matches!(
            Architecture {
                hidden,
                ..good.clone()
            }
            .check(),
            Err(NetworkError::HiddenLayer { .. })
        ));
        let mut map = [0; 64];
        map[0] = 1;
        let lopsided = KingBuckets { map, mirror: true };
        assert!(
            Architecture {
                king_buckets: lopsided,
                ..good.clone()
            }
            .check()
            .is_err()
        );
        let gap = KingBuckets {
            map: [1; 64],
            mirror: false,
        };
        assert!(
            Architecture {
                king_buckets: gap,
                ..good.clone()
            }
            .check()
            .is_err()
        );
        let many = KingBuckets {
            map: std::array::from_fn(|square| square as u8),
            mirror: false,
        };
        assert!(
            Architecture {
                king_buckets: many,
                ..good.clone()
            }
            .check()
            .is_err()
        );
    }
}
