//! Which inputs a position switches on.

use crate::record::Record;

/// Inputs of one perspective: own and other pieces, six kinds, 64 squares.
pub(crate) const INPUTS: usize = 768;
/// Output heads, chosen by the number of pieces.
pub(crate) const BUCKETS: usize = 8;

/// The active inputs of both perspectives, the side to move first.
#[derive(Clone, Debug)]
pub(crate) struct Features {
    /// Input indices by perspective; the first `count` of each are set.
    index: [[u16; 32]; 2],
    count: usize,
}

impl Features {
    /// The inputs of `record`. Each perspective sees its own pieces as the first 384 inputs and the board from its
    /// own side; `mirrored` also reflects the files where its king stands on the e to h files.
    #[inline]
    pub(crate) fn new(record: &Record, mirrored: bool) -> Self {
        let mut features = Self {
            index: [[0; 32]; 2],
            count: 0,
        };
        let flip = |black: bool| {
            let ranks = if black { 56 } else { 0 };
            let files = if mirrored && record.king(black) & 4 != 0 {
                7
            } else {
                0
            };
            ranks ^ files
        };
        let mover = record.black_to_move();
        let flips = [flip(mover), flip(!mover)];
        for piece in record.pieces() {
            let kind = u16::from(piece.kind) * 64;
            let theirs = piece.black != mover;
            features.index[0][features.count] =
                u16::from(theirs) * 384 + kind + u16::from(piece.square ^ flips[0]);
            features.index[1][features.count] =
                u16::from(!theirs) * 384 + kind + u16::from(piece.square ^ flips[1]);
            features.count += 1;
        }
        features
    }

    /// Active inputs: of the side to move (0), of the other side (1).
    #[inline]
    pub(crate) fn perspective(&self, which: usize) -> &[u16] {
        &self.index[which][..self.count]
    }

    /// The output head for this number of pieces.
    #[inline]
    pub(crate) fn bucket(&self) -> usize {
        (self.count.max(1) - 1) / 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::record_from_fen;

    fn sorted(fen: &str, mirrored: bool) -> [Vec<u16>; 2] {
        let features = Features::new(&record_from_fen(fen), mirrored);
        [0, 1].map(|p| {
            let mut list = features.perspective(p).to_vec();
            list.sort_unstable();
            list
        })
    }

    #[test]
    fn both_sides_see_the_start_alike() {
        let [own, other] = sorted("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -", false);
        assert_eq!(own, other);
        assert_eq!(own.len(), 32);
        assert!(own.contains(&8), "own pawn on a2");
        assert!(own.contains(&(384 + 5 * 64 + 60)), "their king on e8");
    }

    #[test]
    fn colours_exchanged_and_board_turned_is_the_same_position() {
        let white = sorted("r3k3/8/8/2p5/8/8/4P3/R3K3 w - -", false);
        let black = sorted("r3k3/4p3/8/8/2P5/8/8/R3K3 b - -", false);
        assert_eq!(white, black);
    }

    #[test]
    fn mirroring_joins_reflected_positions() {
        let right = "8/8/1k6/8/5N2/8/6K1/8 w - -";
        let left = "8/8/6k1/8/2N5/8/1K6/8 w - -";
        assert_eq!(sorted(right, true), sorted(left, true));
        assert_ne!(sorted(right, false), sorted(left, false));
    }

    #[test]
    fn buckets_cover_2_to_32_pieces() {
        let bucket = |fen| Features::new(&record_from_fen(fen), false).bucket();
        assert_eq!(bucket("8/8/4k3/8/8/4K3/8/8 w - -"), 0);
        assert_eq!(bucket("8/8/4k3/8/8/4K3/PPP5/8 w - -"), 1);
        assert_eq!(bucket("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"), 7);
    }
}
