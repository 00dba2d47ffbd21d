//! What a search reports.

use std::time::Duration;

use tabiya_rules::Move;

use crate::score::Value;
use crate::{Bound, Score, StoppedBy, Wdl};

/// One line of play.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// The moves, the root move first. Never empty.
    pub moves: Vec<Move>,
    /// Score of the root position if this line is played, from the side to move.
    pub score: Score,
    /// Whether the score is the value or a bound on it.
    pub bound: Bound,
    /// Expected result: the model's for the score, or the exact one where the game is over already.
    pub wdl: Wdl,
    /// Depth of the iteration that gave the score, in plies; 0 if none was finished and the score is static.
    pub depth: u32,
    /// Deepest ply visited by then.
    pub seldepth: u32,
}

impl Line {
    pub(crate) fn new(moves: &[Move], value: Value, bound: Bound, depth: u32, seldepth: usize) -> Self {
        let score = Score::from_value(value);
        Self {
            moves: moves.to_vec(),
            score,
            bound,
            wdl: score.wdl(),
            depth,
            seldepth: seldepth as u32,
        }
    }

    /// Makes it a line of a game that is over as a draw.
    pub(crate) fn settle(&mut self) {
        self.settle_at(0);
    }

    /// Gives it a value that is certain: 0 for a draw, else a win or a loss.
    pub(crate) fn settle_at(&mut self, value: Value) {
        self.score = Score::from_value(value);
        self.bound = Bound::Exact;
        self.wdl = if value == 0 { Wdl::DRAW } else { self.score.wdl() };
    }
}

/// Progress, reported once for each finished iteration.
#[derive(Clone, Debug)]
pub struct Iteration<'a> {
    /// Depth in plies.
    pub depth: u32,
    /// Lines, best first.
    pub lines: &'a [Line],
    /// Positions visited so far. Of helping threads the last few are not counted yet, here and below.
    pub nodes: u64,
    /// Calls of the evaluator so far.
    pub evaluations: u64,
    /// Positions found in the transposition table so far.
    pub tt_hits: u64,
    /// Positions found in the endgame tables so far.
    pub tb_hits: u64,
    /// Fill of the transposition table in permille, by sample.
    pub table_permille: u32,
    /// Time since the start.
    pub elapsed: Duration,
}

/// The answer.
#[derive(Clone, Debug)]
pub struct SearchResult {
    /// The best move found; none where there is no legal move.
    pub best_move: Option<Move>,
    /// The reply expected.
    pub ponder: Option<Move>,
    /// Lines, best first; empty where there is no legal move. Lines of an iteration that was broken off stand before
    /// those of the one before.
    pub lines: Vec<Line>,
    /// Score of the root: the first line's, `Mate(0)` when mated, 0 centipawns in stalemate.
    pub score: Score,
    /// Deepest iteration finished, in plies.
    pub depth: u32,
    /// Positions visited, the root not counted.
    pub nodes: u64,
    /// Calls of the evaluator.
    pub evaluations: u64,
    /// Positions found in the transposition table.
    pub tt_hits: u64,
    /// Positions found in the endgame tables, the root included.
    pub tb_hits: u64,
    /// Threads that searched. With more than one the answer may differ from run to run.
    pub threads: u32,
    /// Time taken.
    pub elapsed: Duration,
    /// Why it ended.
    pub stopped_by: StoppedBy,
}
