//! Which first-layer row a piece selects.
//!
//! Trainer, CPU kernels and WGSL kernels share this rule. For the perspective `p` (0 White, 1 Black), whose
//! king stands on `k`, and a piece of colour `c` and type `t` (0 to 5: pawn … king) on `s`, squares counted
//! from a1 = 0 along the ranks:
//!
//! ```text
//! flip   = (p == 1 ? 56 : 0) ^ (mirror && (k & 7) >= 4 ? 7 : 0)
//! bucket = king_bucket[k ^ flip]
//! index  = ((bucket * 2 + (c != p)) * 6 + t) * 64 + (s ^ flip)
//! ```
//!
//! So Black sees the board with its ranks reversed; with `mirror` the own king is always seen on files a to d;
//! own pieces come before the opponent's; both kings are pieces like the others.

use super::architecture::{Architecture, FEATURES_PER_BUCKET};

/// Rows for one colour.
const ROWS_PER_COLOR: u32 = 6 * 64;

/// How one side sees the board: fixed until its king changes bucket or, in a mirrored network, wing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    first_row: u32,
    flip: u8,
    perspective: u8,
}

impl View {
    /// The view of `perspective` (0 White, 1 Black) with its king on `king`.
    #[inline]
    pub fn new(architecture: &Architecture, perspective: u8, king: u8) -> Self {
        let buckets = &architecture.king_buckets;
        let ranks = 56 * (perspective & 1);
        let files = if buckets.mirror && king & 7 >= 4 { 7 } else { 0 };
        let flip = ranks ^ files;
        let bucket = buckets.map[usize::from((king ^ flip) & 63)];
        Self {
            first_row: u32::from(bucket) * FEATURES_PER_BUCKET as u32,
            flip,
            perspective: perspective & 1,
        }
    }

    /// The row for a piece of `color` (0, 1) and `kind` (0 to 5) on `square` (0 to 63).
    #[inline]
    pub fn row(self, color: u8, kind: u8, square: u8) -> u32 {
        let theirs = u32::from(color ^ self.perspective) * ROWS_PER_COLOR;
        self.first_row + theirs + u32::from(kind) * 64 + u32::from(square ^ self.flip)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{KingBuckets, OutputBuckets};

    fn architecture(king_buckets: KingBuckets) -> Architecture {
        Architecture {
            king_buckets,
            width: 64,
            output_buckets: OutputBuckets::One,
            hidden: None,
        }
    }

    #[test]
    fn both_sides_see_the_same_start_position() {
        let plain = architecture(KingBuckets::NONE);
        let white = View::new(&plain, 0, 4);
        let black = View::new(&plain, 1, 60);
        // White's queen on d1 and Black's on d8 are each "own queen on d1".
        assert_eq!(white.row(0, 4, 3), 4 * 64 + 3);
        assert_eq!(black.row(1, 4, 59), 4 * 64 + 3);
        assert_eq!(white.row(1, 4, 59), 384 + 4 * 64 + 59);
        assert_eq!(black.row(0, 4, 3), 384 + 4 * 64 + 59);
    }

    #[test]
    fn mirror_puts_the_own_king_on_the_queen_side() {
        let map = std::array::from_fn(|square| if square < 8 { 0 } else { 1 });
        let mirrored = architecture(KingBuckets { map, mirror: true });
        let e1 = View::new(&mirrored, 0, 4);
        assert_eq!(e1.row(0, 5, 4), 5 * 64 + 3);
        let d1 = View::new(&mirrored, 0, 3);
        assert_eq!(d1.row(0, 5, 3), 5 * 64 + 3);
        assert_ne!(e1, d1);
        let black_e7 = View::new(&mirrored, 1, 52);
        assert_eq!(black_e7.row(1, 5, 52), 768 + 5 * 64 + 11);
        assert_eq!(black_e7.row(0, 0, 12), 768 + 384 + (6 * 8 + 3));
    }
}
