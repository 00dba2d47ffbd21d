//! What the endgame tables say, in the tree and at the root.

use tabiya_rules::{Board, Game, MoveList};
use tabiya_tablebase::{RankedMove, Wdl};

use crate::root::RootMove;
use crate::score::{Score, TABLE_WIN, Value};
use crate::worker::Worker;
use crate::{Bound, Line, Options};

impl<E> Worker<'_, E> {
    /// The value of a position that the tables hold, right after a capture or pawn move: only then does the fifty-move
    /// rule leave their word as it is. A win is a bound, as there may be a mate.
    pub(crate) fn ask_tables(&mut self, board: &Board, ply: usize) -> Option<(Value, Bound)> {
        let tables = self.tables.as_ref()?;
        if board.halfmove_clock() != 0 || board.occupied().count() as usize > tables.most_men() {
            return None;
        }
        // A missing or damaged table leaves the position to the search.
        let wdl = tables.wdl(board).ok()?;
        self.budget.work.tb_hits += 1;
        let win = TABLE_WIN - ply as Value;
        Some(match wdl {
            Wdl::Win => (win, Bound::Lower),
            Wdl::Loss => (-win, Bound::Upper),
            Wdl::Draw | Wdl::CursedWin | Wdl::BlessedLoss => (0, Bound::Exact),
        })
    }
}

/// The moves to search at the root, and what the tables say of them if they hold it; best first.
pub(crate) fn root_moves(game: &Game, options: &Options) -> (Vec<RootMove>, Vec<RankedMove>) {
    let mut list = MoveList::new();
    game.board().legal_moves(&mut list);
    let wanted = &options.search_moves;
    if list.iter().any(|mv| wanted.contains(mv)) {
        list.retain(|mv| wanted.contains(mv));
    }
    let ranked = options
        .tables
        .as_ref()
        .and_then(|tables| tables.rank_moves(game).ok());
    let mut ranked = ranked.unwrap_or_default();
    ranked.retain(|ranked| list.contains(&ranked.mv));
    let moves = if ranked.is_empty() {
        list.iter().map(|&mv| RootMove::new(mv)).collect()
    } else {
        ranked.iter().map(|ranked| RootMove::new(ranked.mv)).collect()
    };
    (moves, ranked)
}

/// How many of the ranked moves one line is chosen from: none that gives away a win or a draw, and of winning moves only
/// those that come nearest to the next capture, pawn move or mate: a search that sees a win everywhere might never get on
/// with it.
pub(crate) fn worth_searching(ranked: &[RankedMove]) -> usize {
    let Some(best) = ranked.first() else { return 0 };
    let as_good = |ranked: &&RankedMove| {
        ranked.outcome == best.outcome
            && (best.outcome != Wdl::Win || (ranked.dtz == best.dtz && ranked.repeats == best.repeats))
    };
    ranked.iter().take_while(as_good).count()
}

/// Gives lines the outcome of their first move, and orders them by it. A mate that was found stays.
pub(crate) fn settle_by_tables(ranked: &[RankedMove], lines: &mut [Line]) {
    let rank = |line: &Line| ranked.iter().position(|ranked| ranked.mv == line.moves[0]);
    for line in lines.iter_mut() {
        let Some(ranked) = rank(line).map(|rank| &ranked[rank]) else {
            continue;
        };
        let value = match ranked.outcome {
            Wdl::Win => TABLE_WIN - ranked.dtz,
            Wdl::Loss => -TABLE_WIN - ranked.dtz,
            Wdl::Draw | Wdl::CursedWin | Wdl::BlessedLoss => 0,
        };
        let agrees = match line.score {
            // The tables may have rounded a win away by a ply; a mate is a proof.
            Score::Mate(moves) => {
                if moves > 0 {
                    value >= 0
                } else {
                    value <= 0
                }
            }
            Score::Centipawns(_) => false,
        };
        if !agrees {
            line.settle_at(value);
        }
    }
    lines.sort_by_key(|line| {
        let mate = matches!(line.score, Score::Mate(moves) if moves > 0);
        (!mate, rank(line))
    });
}
