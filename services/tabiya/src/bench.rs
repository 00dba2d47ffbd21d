//! A fixed set of positions searched to a fixed size: a checksum of the search's behaviour, and its speed.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tabiya_evaluator::{AnyKernel, CpuEvaluator, Kernel, KernelVisitor, Network, dispatch};
use tabiya_rules::{Board, Game, fen::FenError};
use tabiya_search::{Limits, Options, Searcher, Tablebase};

/// Depth of each search if none is asked for, in plies.
const DEPTH: u32 = 14;
/// Transposition table, emptied before each position, in bytes.
const TABLE: usize = 16 << 20;

/// Searches every position and writes a line for each to `output`, ending with `nodes: N` and
/// `nps: N`. The node count depends on the search, the network and the endgame tables alone.
///
/// # Errors
/// When `output` cannot be written.
pub(crate) fn run(
    output: &mut dyn Write,
    network: Arc<Network>,
    kernel: AnyKernel,
    depth: Option<u32>,
    tables: Option<Arc<Tablebase>>,
) -> io::Result<()> {
    dispatch(
        kernel,
        Bench {
            output,
            network,
            depth: depth.unwrap_or(DEPTH),
            options: Options {
                tables,
                ..Options::default()
            },
        },
    )
}

struct Bench<'a> {
    output: &'a mut dyn Write,
    network: Arc<Network>,
    depth: u32,
    options: Options,
}

impl KernelVisitor for Bench<'_> {
    type Output = io::Result<()>;

    fn visit<K: Kernel>(self, kernel: K) -> io::Result<()> {
        let mut evaluator = CpuEvaluator::new(kernel, self.network);
        let mut searcher = Searcher::new(TABLE);
        let mut nodes = 0;
        let mut time = Duration::ZERO;
        for fen in POSITIONS {
            let game = Game::new(board(fen).map_err(io::Error::other)?);
            searcher.clear();
            let stop = AtomicBool::new(false);
            let limits = Limits::depth(self.depth);
            let result = searcher.search(&game, &limits, &self.options, &mut evaluator, &stop, &mut |_| {});
            nodes += result.nodes;
            time += result.elapsed;
            let best = result
                .best_move
                .map_or_else(|| "-".to_owned(), |mv| mv.to_string());
            writeln!(self.output, "{:>10} {best:<5} {fen}", result.nodes)?;
        }
        let speed = u128::from(nodes) * 1_000_000_000 / time.as_nanos().max(1);
        writeln!(self.output, "nodes: {nodes}\nnps: {speed}")
    }
}

fn board(fen: &str) -> Result<Board, FenError> {
    Board::from_fen(fen)
}

/// The start, five positions well known from testing generators, one pawn ending, and positions from games of this engine with itself.
pub(crate) const POSITIONS: [&str; 40] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1",
    "r1b1k1nr/1pp2ppp/p1pb1q2/4p3/4P3/5N2/PPPP1PPP/RNBQR1K1 w kq - 4 7",
    "rr5k/2p2p1p/2pb1qp1/1pn1p3/p1P1P1b1/P2P2NP/1P3PP1/R1BQR1K1 w - - 0 21",
    "r1bq1rk1/1p2bppp/p1nppn2/6B1/4P3/PNN3P1/1PP2P1P/R2QKB1R w KQ - 1 10",
    "2rr1k2/1p4p1/4pp1p/p3P3/3p1PPP/PP1N1K2/1P4R1/8 w - - 0 31",
    "r1b2rk1/p4ppp/2p1pn2/8/2pP4/P5P1/4PPBP/R1B2RK1 b - - 0 13",
    "8/5p1p/4b1p1/4k3/4P1P1/p5K1/5P1P/1B6 b - - 2 38",
    "rnbqk2r/1p3ppp/p1pbpn2/3p4/2PP4/4PN2/PPQB1PPP/RN2KB1R w KQkq - 2 7",
    "5rk1/5p2/pqp3pB/2b1pb2/2P1N3/8/PPQ2PPP/3r1RK1 w - - 0 21",
    "r1bq1rk1/ppp1b1pp/2n5/4pp2/Q7/2PP1NP1/P3PPBP/R1B1K2R w KQ - 3 10",
    "6b1/1pp3p1/2n3k1/r1R3P1/p3P3/B1P2PK1/8/8 w - - 1 31",
    "4n3/5b2/5Pp1/5k2/2p5/pp6/7B/2K5 w - - 0 61",
    "r1b1k2r/p3np1p/2p1p1p1/3pP3/8/8/PPPN1PPP/R3K1NR b KQkq - 0 13",
    "r6r/5p2/4kN1R/p2pP3/4b3/P1P4R/2P5/2K5 b - - 6 38",
    "r3kbnr/pp1npppp/1qp5/3pPb2/3P4/5N1P/PPPN1PP1/R1BQKB1R w KQkq - 1 7",
    "2r2rk1/ppq2ppp/4p3/3pP3/3n4/3P3P/PP3PP1/R1BQR1K1 w - - 3 21",
    "8/4k1p1/p3P3/PpK2P1p/2p5/8/1P4P1/8 w - - 1 46",
    "r1bk3r/pp2ppbp/n5p1/2P1p2n/2P5/2N2N2/PP2BPPP/R1B1K2R w KQ - 0 10",
    "7r/2N2k2/2p1pp2/p1P3pp/2P4P/1P2B1P1/P1K2P2/7r w - - 0 31",
    "8/4q3/2p2rk1/8/5B2/6P1/3K4/8 w - - 4 61",
    "r3k2r/pp1qppbp/n1p3p1/4P3/2pPB2n/1P6/P3NPPP/1RBQ1RK1 b kq - 0 13",
    "2Nr4/2Bn1k1p/3P2p1/2p2p2/3b3P/8/5PBP/1R1R2K1 b - - 0 38",
    "rn2kbnr/pp2pppp/4q3/2p5/2p5/N5P1/PP1PPP1P/R1BQKB1R w KQkq - 0 7",
    "r3kr2/p3p3/2p1p3/2pn3p/3b2pP/P2PB1P1/1P1NPP2/2K1RR2 w q - 6 21",
    "8/8/2R1pk2/7p/P4KpP/4P1P1/3n4/8 w - - 0 46",
    "r1b1kb1r/pp1pp1pp/1q6/3p1pB1/8/5PP1/PPP2P1P/1R1QKB1R w Kkq - 0 10",
    "2k2r2/p3p2p/1p1b3P/5bR1/5P2/1P2B3/P1P5/2K5 w - - 1 31",
    "8/8/8/4p1Rp/4k1b1/r7/3K4/8 w - - 8 61",
    "2kr1bnr/p1p1pppp/2p5/3q4/N2P4/1P3N2/P1QB1PPP/R1R3K1 b - - 2 13",
    "rnb1k1nr/ppp1bppp/8/8/5p2/8/PPPP2PP/RNB1KBNR w KQkq - 0 7",
    "2kr3r/ppp5/2n4n/6Np/6bR/P2P4/1PP1N1B1/R2K4 w - - 1 21",
    "8/P7/8/2K5/4bk1p/5n2/8/7R w - - 5 46",
    "r1b1kb1r/p3qppp/2pp1n2/1p2p3/4P3/1PNQ1P2/PBPP1P1P/2KR1B1R w kq - 0 10",
    "Q2q1kr1/4b3/4P1p1/pp5p/8/1P5b/PBP2P2/1K3RR1 w - - 1 31",
];

#[cfg(test)]
mod tests {
    use super::*;

    /// The count does not depend on the kernel, and the positions are all good.
    #[test]
    fn every_kernel_counts_the_same() {
        let counts: Vec<String> = AnyKernel::all()
            .into_iter()
            .map(|kernel| {
                let mut output = Vec::new();
                run(&mut output, Network::default_network(), kernel, Some(6), None).unwrap();
                let text = String::from_utf8(output).unwrap();
                let mut lines = text.lines().rev();
                assert!(lines.next().unwrap().starts_with("nps: "));
                assert_eq!(text.lines().count(), POSITIONS.len() + 2);
                lines.next().unwrap().to_owned()
            })
            .collect();
        assert!(counts[0].starts_with("nodes: "));
        assert!(counts.iter().all(|count| *count == counts[0]), "{counts:?}");
    }
}
