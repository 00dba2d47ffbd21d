//! Positions from random play, the same for the same seed.

#![allow(dead_code)]

use tabiya_rules::fen::{self, FenMode};
use tabiya_rules::{Board, Game, MoveList, Variant};

/// A small generator of random numbers (xorshift64, G. Marsaglia).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound
    }
}

/// Positions from which the walks start besides the standard start: castling, promotions, pins, en passant.
const STARTS: [&str; 8] = [
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/1P4P1/8/8/8/8/1p4p1/R3K2R b KQkq - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1",
    "2qq1k2/2q5/8/3N1N2/8/3N1N2/5Q1Q/2K3Q1 w - - 0 1",
    "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
    "1r2k2r/4p1b1/8/2P1P3/pP4Pp/8/P1B2P1P/1R2K2R b Kk b3 0 20",
];

/// A start position of Chess960.
pub(crate) fn chess960_start(random: &mut Random) -> Board {
    loop {
        let mut pieces: Vec<char> = "rnbqkbnr".chars().collect();
        for end in (1..8).rev() {
            pieces.swap(end, random.below(end + 1));
        }
        let row: String = pieces.into_iter().collect();
        let text = format!(
            "{row}/pppppppp/8/8/8/8/PPPPPPPP/{} w KQkq - 0 1",
            row.to_uppercase()
        );
        let bishops: Vec<usize> = row.match_indices('b').map(|(at, _)| at).collect();
        // A king that is not between its rooks fails the castling field.
        if bishops[0] % 2 != bishops[1] % 2
            && let Ok(fen) = fen::parse(&text, FenMode::Strict, Variant::Chess960)
        {
            return fen.board;
        }
    }
}

/// Visits `count` positions of random games, each game in turn from one of the starts; about a quarter is Chess960.
pub(crate) fn walk(seed: u64, count: usize, mut visit: impl FnMut(&Game, Variant)) {
    let mut random = Random::new(seed);
    let mut left = count;
    for round in 0.. {
        let (start, variant) = match round % 4 {
            0 => (chess960_start(&mut random), Variant::Chess960),
            1 | 2 => (Board::startpos(), Variant::Standard),
            _ => (
                Board::from_fen(STARTS[round / 4 % STARTS.len()]).unwrap(),
                Variant::Standard,
            ),
        };
        let mut game = Game::new(start);
        loop {
            if left == 0 {
                return;
            }
            left -= 1;
            visit(&game, variant);
            let mut list = MoveList::new();
            game.board().legal_moves(&mut list);
            if list.is_empty() || game.board().halfmove_clock() >= 60 || game.moves().len() >= 240 {
                break;
            }
            game.play(list[random.below(list.len())]);
        }
    }
}
