//! Positions to measure with.

use tabiya_eval_shaders::PackedPosition;
use tabiya_rules::{Board, MoveList};

use crate::pack::pack;

/// Positions from random games of up to 120 plies, the same ones for a seed.
pub(super) fn random_games(count: usize, seed: u64) -> Vec<PackedPosition> {
    let mut state = seed | 1;
    let mut below = move |limit: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        ((state >> 32) as usize) % limit
    };
    let mut positions = Vec::with_capacity(count);
    while positions.len() < count {
        let mut board = Board::startpos();
        for _ in 0..120 {
            let mut moves = MoveList::new();
            board.legal_moves(&mut moves);
            if moves.is_empty() || positions.len() == count {
                break;
            }
            let mv = moves[below(moves.len())];
            board.play(mv);
            positions.push(pack(&board));
        }
    }
    positions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sample_is_as_asked_for() {
        let positions = random_games(1_000, 3);
        assert_eq!(positions.len(), 1_000);
        assert_eq!(positions, random_games(1_000, 3));
        let pieces: u32 = positions.iter().map(PackedPosition::piece_count).sum();
        assert!((15_000..32_000).contains(&pieces), "{pieces}");
    }
}
