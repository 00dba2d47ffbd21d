//! Networks and positions made from a seed.

use std::sync::Arc;

use tabiya_evaluator::{
    Network, PackedPosition,
    network::{Architecture, HiddenLayer, KingBuckets, NetworkParts, OutputBuckets, Scale},
};

/// xorshift64*: reproducible on every machine.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        (self.next() >> 32) % limit
    }

    /// Uniform in `-limit..=limit`.
    pub(crate) fn signed(&mut self, limit: i64) -> i64 {
        self.below(2 * limit as u64 + 1) as i64 - limit
    }
}

/// Four king buckets by wing and rank, as a mirrored network has them.
pub(crate) fn mirrored_buckets() -> KingBuckets {
    let map = std::array::from_fn(|square: usize| {
        let file = (square & 7).min(7 - (square & 7));
        let rank = square >> 3;
        u8::from(file >= 2) + 2 * u8::from(rank >= 2)
    });
    KingBuckets { map, mirror: true }
}

pub(crate) fn architecture(width: usize, hidden: Option<usize>, king_buckets: KingBuckets) -> Architecture {
    Architecture {
        king_buckets,
        width,
        output_buckets: OutputBuckets::Eight,
        hidden: hidden.map(|width| HiddenLayer { width, shift: 7 }),
    }
}

/// A network with every number random: most first-layer sums fall around the clipping range, every eighth
/// neuron's reach the ends of 16 bits.
pub(crate) fn network(architecture: Architecture, seed: u64) -> Arc<Network> {
    let mut random = Random::new(seed);
    let width = architecture.width;
    let scale = Scale {
        numerator: 100,
        shift: 12,
    };
    let mut parts = NetworkParts::zeroed("random", architecture, scale).expect("shape");
    let steep = |at: usize| at % width % 8 == 3;
    for (at, weight) in parts.feature_weights.iter_mut().enumerate() {
        *weight = random.signed(if steep(at) { 950 } else { 70 }) as i16;
    }
    for (at, bias) in parts.feature_bias.iter_mut().enumerate() {
        *bias = random.signed(if steep(at) { 2_000 } else { 200 }) as i16;
    }
    parts
        .hidden_weights
        .iter_mut()
        .for_each(|weight| *weight = random.signed(127) as i8);
    parts
        .hidden_bias
        .iter_mut()
        .for_each(|bias| *bias = random.signed(20_000) as i32);
    parts
        .output_weights
        .iter_mut()
        .for_each(|weight| *weight = random.signed(1_500) as i16);
    parts
        .output_bias
        .iter_mut()
        .for_each(|bias| *bias = random.signed(1_000_000) as i32);
    Arc::new(Network::from_parts(parts).expect("bounds"))
}

/// A record of `pieces` pieces (2 to 32) anywhere on the board.
pub(crate) fn scattered_position(random: &mut Random, pieces: usize) -> PackedPosition {
    let mut board = [None; 64];
    let mut place = |random: &mut Random, piece| loop {
        let square = random.below(64) as usize;
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
    PackedPosition::pack(occupied, board.into_iter().flatten(), random.below(2) == 1).expect("record")
}

/// Scattered positions of every piece count.
pub(crate) fn positions(count: usize, seed: u64) -> Vec<PackedPosition> {
    let mut random = Random::new(seed);
    (0..count)
        .map(|index| scattered_position(&mut random, 2 + index % 31))
        .collect()
}
