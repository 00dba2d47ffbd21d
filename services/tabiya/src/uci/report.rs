//! What the engine says about a search.

use std::fmt::Write as _;
use std::time::Duration;

use tabiya_rules::{Variant, uci};
use tabiya_search::{Bound, Line, Score, SearchResult};

/// Counters beside the lines.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counters {
    pub(super) nodes: u64,
    /// Positions found in the endgame tables.
    pub(super) tb_hits: u64,
    pub(super) elapsed: Duration,
    pub(super) table_permille: Option<u32>,
}

/// `info` lines, one for each line of play.
pub(super) fn info(lines: &[Line], counters: Counters, variant: Variant, wdl: bool) -> String {
    let mut text = String::new();
    let Counters {
        nodes,
        tb_hits,
        elapsed,
        table_permille,
    } = counters;
    let speed = nodes as u128 * 1_000_000_000 / elapsed.as_nanos().max(1);
    for (index, line) in lines.iter().enumerate() {
        // Writing to a string does not fail.
        let _ = write!(
            text,
            "info depth {} seldepth {} multipv {}",
            line.depth,
            line.seldepth,
            index + 1
        );
        let _ = match line.score {
            Score::Centipawns(cp) => write!(text, " score cp {cp}"),
            Score::Mate(moves) => write!(text, " score mate {moves}"),
        };
        text.push_str(match line.bound {
            Bound::Exact => "",
            Bound::Lower => " lowerbound",
            Bound::Upper => " upperbound",
        });
        if wdl {
            let wdl = line.wdl;
            let _ = write!(text, " wdl {} {} {}", wdl.win, wdl.draw, wdl.loss);
        }
        let _ = write!(text, " nodes {nodes} nps {speed}");
        if let Some(permille) = table_permille {
            let _ = write!(text, " hashfull {permille}");
        }
        let _ = write!(text, " tbhits {tb_hits} time {} pv", elapsed.as_millis());
        for &mv in &line.moves {
            let _ = write!(text, " {}", uci::write(mv, variant));
        }
        text.push('\n');
    }
    text
}

/// The `bestmove` line.
pub(super) fn best_move(result: &SearchResult, variant: Variant) -> String {
    let Some(best) = result.best_move else {
        return "bestmove (none)\n".to_owned();
    };
    let mut text = format!("bestmove {}", uci::write(best, variant));
    if let Some(ponder) = result.ponder {
        let _ = write!(text, " ponder {}", uci::write(ponder, variant));
    }
    text.push('\n');
    text
}
