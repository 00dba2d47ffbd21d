//! Records that no game gives: every piece count, every king square.

use tabiya_evaluator::PackedPosition;

use crate::common::Random;

/// A record of `pieces` pieces (2 to 34) anywhere on the board.
fn position(random: &mut Random, pieces: usize) -> PackedPosition {
    let mut board = [None; 64];
    let mut place = |random: &mut Random, piece| loop {
        let square = random.below(64);
        if board[square].is_none() {
            board[square] = Some(piece);
            break;
        }
    };
    place(random, (0, 5));
    place(random, (1, 5));
    for _ in 2..pieces {
        let piece = (random.below(2) as u8, random.below(5) as u8);
        place(random, piece);
    }
    let occupied = (0..64)
        .filter(|&square| board[square].is_some())
        .fold(0, |bits, square| bits | 1_u64 << square);
    PackedPosition::pack(occupied, board.into_iter().flatten(), random.below(2) == 1).unwrap()
}

/// Records of 2 to 34 pieces in turn.
pub(crate) fn positions(count: usize, seed: u64) -> Vec<PackedPosition> {
    let mut random = Random(seed);
    (0..count)
        .map(|index| position(&mut random, 2 + index % 33))
        .collect()
}
