//! The batches that a device must get right before it may serve.

use tabiya_eval_shaders::{
    PackedPosition,
    layout::{KING, MAX_PIECES},
};

use super::{
    GpuError, GpuOptions, SOFTWARE_TIMEOUT,
    engine::{Engine, SLOTS},
};
use crate::{network::Network, reference::evaluate_reference};

/// Positions of the warm-up, in every slot of the ring together.
const POSITIONS: usize = 192;

/// Runs a batch through every slot and compares each sum with the scalar reference.
///
/// The first dispatch compiles the kernel, which takes far longer than a batch: hence the long time-out.
pub(super) fn check(engine: &mut Engine, network: &Network, options: &GpuOptions) -> Result<(), GpuError> {
    let positions = positions(POSITIONS);
    let share = (POSITIONS / SLOTS).min(options.max_batch).max(1);
    let timeout = options.open_timeout.max(SOFTWARE_TIMEOUT);
    let mut flights = vec![];
    for (slot, batch) in positions.chunks(share).take(SLOTS).enumerate() {
        flights.push((slot * share, batch, engine.submit(slot, batch)?));
    }
    for (first, batch, flight) in flights {
        let values = engine.finish(flight, timeout)?;
        for (offset, (position, got)) in batch.iter().zip(values).enumerate() {
            let expected = evaluate_reference(network, position);
            if got != expected {
                return Err(GpuError::WrongResult {
                    index: first + offset,
                    got,
                    expected,
                });
            }
        }
    }
    Ok(())
}

/// Records of 2 to 34 pieces anywhere, both sides to move: not chess, but every flip and output bucket.
pub(crate) fn positions(count: usize) -> Vec<PackedPosition> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut below = move |limit: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) % limit
    };
    let mut one = move |index: usize| {
        let pieces = 2 + index % (MAX_PIECES as usize - 1);
        let mut squares: Vec<u8> = (0..64).collect();
        for at in 0..pieces {
            let other = at + below(64 - at as u64) as usize;
            squares.swap(at, other);
        }
        let mut placed: Vec<(u8, (u8, u8))> = squares[..pieces]
            .iter()
            .enumerate()
            .map(|(at, &square)| match at {
                0 => (square, (0, KING)),
                1 => (square, (1, KING)),
                _ => (square, (below(2) as u8, below(5) as u8)),
            })
            .collect();
        placed.sort_unstable();
        let occupied = placed.iter().fold(0, |bits, &(square, _)| bits | 1_u64 << square);
        PackedPosition::pack(
            occupied,
            placed.into_iter().map(|(_, piece)| piece),
            below(2) == 1,
        )
    };
    // Every record is well-formed by construction.
    (0..count).filter_map(|index| one(index).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warm_up_covers_piece_counts_sides_and_king_squares() {
        let positions = positions(2_000);
        assert_eq!(positions.len(), 2_000);
        for pieces in 2..=MAX_PIECES {
            assert!(positions.iter().any(|position| position.piece_count() == pieces));
        }
        for square in 0..64 {
            assert!(
                positions.iter().any(|position| position.kings()[0] == square),
                "{square}"
            );
        }
        assert!(positions.iter().any(PackedPosition::black_to_move));
    }
}
