//! Networks, positions and numbers for tests, all reproducible from a seed.
#![allow(dead_code, unreachable_pub)]

#[cfg(feature = "gpu")]
pub mod gpu;

use std::sync::Arc;

use tabiya_evaluator::network::{
    Architecture, HiddenLayer, KingBuckets, Network, NetworkParts, OutputBuckets, Scale,
};
use tabiya_rules::{Board, MoveList};

/// SplitMix64.
pub struct Random(pub u64);

impl Random {
    /// The next 64 bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which is above 0.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// A number from `-limit` to `limit`.
    pub fn within(&mut self, limit: i32) -> i32 {
        self.below(2 * limit as usize + 1) as i32 - limit
    }
}

/// A mirrored map with four buckets: the back rank's corner, its centre, the second rank, the rest.
pub fn four_mirrored_buckets() -> KingBuckets {
    let map = std::array::from_fn(|square| {
        let file = if square % 8 > 3 {
            7 - square % 8
        } else {
            square % 8
        };
        match (square / 8, file) {
            (0, 0..=1) => 0,
            (0, _) => 1,
            (1, _) => 2,
            _ => 3,
        }
    });
    KingBuckets { map, mirror: true }
}

/// A plain shape, to vary.
pub fn shape(width: usize) -> Architecture {
    Architecture {
        king_buckets: KingBuckets::NONE,
        width,
        output_buckets: OutputBuckets::Eight,
        hidden: None,
    }
}

/// Every feature of the format, and widths that fill tiles and that leave rests.
pub fn shapes() -> Vec<Architecture> {
    let with_hidden = |width, neurons, shift| Architecture {
        hidden: Some(HiddenLayer {
            width: neurons,
            shift,
        }),
        ..shape(width)
    };
    let unmirrored = KingBuckets {
        map: std::array::from_fn(|square| (square % 32) as u8),
        mirror: false,
    };
    vec![
        shape(256),
        Architecture {
            output_buckets: OutputBuckets::One,
            ..shape(96)
        },
        shape(512),
        Architecture {
            king_buckets: four_mirrored_buckets(),
            ..shape(256)
        },
        Architecture {
            king_buckets: unmirrored,
            ..shape(64)
        },
        Architecture {
            king_buckets: KingBuckets {
                map: [0; 64],
                mirror: true,
            },
            ..shape(352)
        },
        with_hidden(256, 16, 9),
        with_hidden(96, 32, 7),
        Architecture {
            king_buckets: four_mirrored_buckets(),
            ..with_hidden(512, 16, 10)
        },
    ]
}

/// A network whose numbers fill their ranges as far as the proof allows.
pub fn random_network(architecture: Architecture, seed: u64) -> Arc<Network> {
    let mut random = Random(seed);
    let hidden = architecture.hidden.is_some();
    let width = architecture.width;
    let mut parts = NetworkParts::zeroed(
        "random",
        architecture,
        Scale {
            numerator: 1,
            shift: 0,
        },
    )
    .unwrap();
    // From neurons that rarely leave the clipped range to some that come close to 16 bits.
    let limits: Vec<i32> = (0..width).map(|_| [20, 60, 200, 900][random.below(4)]).collect();
    for row in parts.feature_weights.chunks_exact_mut(width) {
        for (weight, &limit) in row.iter_mut().zip(&limits) {
            *weight = random.within(limit) as i16;
        }
    }
    for bias in &mut parts.feature_bias {
        *bias = random.within(300) as i16;
    }
    for weight in &mut parts.hidden_weights {
        *weight = random.next() as i8;
    }
    for bias in &mut parts.hidden_bias {
        *bias = random.within(100_000);
    }
    // The most that passes: 254 · weight · inputs below 2^31.
    let limit = if hidden {
        32_767
    } else {
        (8_000_000 / (2 * width) as i32).min(32_767)
    };
    for weight in &mut parts.output_weights {
        *weight = random.within(limit) as i16;
    }
    for bias in &mut parts.output_bias {
        *bias = random.within(1_000_000);
    }
    Arc::new(Network::from_parts(parts).unwrap())
}

/// A network in which every activation is at its highest and every later weight at an end of its range.
pub fn saturated_network(hidden: Option<HiddenLayer>) -> Arc<Network> {
    let architecture = Architecture { hidden, ..shape(64) };
    let mut parts = NetworkParts::zeroed(
        "saturated",
        architecture,
        Scale {
            numerator: 1,
            shift: 0,
        },
    )
    .unwrap();
    parts.feature_bias.fill(i16::MAX);
    for (index, weight) in parts.hidden_weights.iter_mut().enumerate() {
        *weight = if (index / 128) % 2 == 0 { i8::MAX } else { i8::MIN };
    }
    let inputs = if hidden.is_some() { 16 } else { 128 };
    for (index, weight) in parts.output_weights.iter_mut().enumerate() {
        *weight = if (index / inputs) % 2 == 0 {
            i16::MAX
        } else {
            -i16::MAX
        };
    }
    Arc::new(Network::from_parts(parts).unwrap())
}

/// Boards from random games: each game runs until it ends or reaches `max_plies`.
pub fn random_boards(count: usize, max_plies: usize, seed: u64) -> Vec<Board> {
    let mut random = Random(seed);
    let mut boards = Vec::with_capacity(count);
    while boards.len() < count {
        let mut board = Board::startpos();
        for _ in 0..max_plies {
            let mut moves = MoveList::new();
            board.legal_moves(&mut moves);
            if moves.is_empty() || boards.len() == count {
                break;
            }
            board.play(moves[random.below(moves.len())]);
            boards.push(board);
        }
    }
    boards
}
