//! Iterative deepening, and the tables that a search leaves behind.

use std::sync::atomic::AtomicBool;

use tabiya_evaluator::Evaluator;
use tabiya_rules::{Board, Game};

use crate::budget::{Budget, Stopped};
use crate::draw::is_over;
use crate::endgame::{root_moves, settle_by_tables, worth_searching};
use crate::mind::Mind;
use crate::root::RootMove;
use crate::score::{INFINITE, MATE_BOUND, MAX_PLY, Value, is_mate};
use crate::time::stretch_permille;
use crate::transposition::Table;
use crate::worker::{Worker, damped};
use crate::{Bound, Iteration, Limits, Line, Options, Score, SearchResult, StoppedBy};

/// Deepest iteration.
const MAX_DEPTH: u32 = MAX_PLY as u32 - 1;
/// From this depth on a window around the last value is tried first.
const ASPIRATION_DEPTH: u32 = 5;
/// Half of that window's width at first, in centipawns.
const ASPIRATION: Value = 14;

/// Finds the best move with tables of its own, made new: the answer depends on the arguments and on nothing else.
///
/// `stop` ends the search at the next node when set. `on_iteration` hears of every finished iteration.
pub fn search<E: Evaluator>(
    game: &Game,
    limits: &Limits,
    options: &Options,
    evaluator: &mut E,
    stop: &AtomicBool,
    on_iteration: &mut dyn FnMut(&Iteration<'_>),
) -> SearchResult {
    Searcher::new(limits.table_bytes()).search(game, limits, options, evaluator, stop, on_iteration)
}

/// The tables of a search, kept from one search to the next.
pub struct Searcher {
    pub(crate) table: Table,
    pub(crate) mind: Mind,
    /// Those of helping threads, as many as ever helped.
    pub(crate) helpers: Vec<Mind>,
}

impl Searcher {
    /// Empty tables; the transposition table takes the largest power of two of bytes within `table_bytes`.
    pub fn new(table_bytes: usize) -> Self {
        Self {
            table: Table::new(table_bytes),
            mind: Mind::new(),
            helpers: Vec::new(),
        }
    }

    /// Forgets everything, as if made new.
    pub fn clear(&mut self) {
        self.table.clear();
        self.mind.clear();
        self.helpers.clear();
    }

    /// As if made new with a table for these limits, re-using the memory where the size fits.
    pub fn prepare(&mut self, limits: &Limits) {
        let fitting = Table::fitting(limits.table_bytes());
        if self.table.bytes() == fitting {
            self.clear();
        } else {
            *self = Self::new(fitting);
        }
    }

    /// Gives back the memory that helping threads used.
    pub fn forget_helpers(&mut self) {
        self.helpers = Vec::new();
    }

    /// Bytes of the transposition table.
    pub fn table_bytes(&self) -> usize {
        self.table.bytes()
    }

    /// Finds the best move of the game's position; see [`search`].
    pub fn search<E: Evaluator>(
        &mut self,
        game: &Game,
        limits: &Limits,
        options: &Options,
        evaluator: &mut E,
        stop: &AtomicBool,
        on_iteration: &mut dyn FnMut(&Iteration<'_>),
    ) -> SearchResult {
        self.table.age();
        let budget = Budget::new(limits, options.clock_interval, stop);
        let mut worker = Worker::new(&self.table, &mut self.mind, evaluator, budget, game, options);
        worker.deepen(game.board(), limits, options.multi_pv, on_iteration)
    }
}

impl<'a, E: Evaluator> Worker<'a, E> {
    /// A search about to begin.
    pub(crate) fn new(
        table: &'a Table,
        mind: &'a mut Mind,
        evaluator: &'a mut E,
        budget: Budget<'a>,
        game: &Game,
        options: &Options,
    ) -> Self {
        let board = game.board();
        evaluator.refresh(board);
        let (root_moves, ranked) = root_moves(game, options);
        let mut budget = budget;
        budget.work.tb_hits = u64::from(!ranked.is_empty());
        let keys = game.keys().to_vec();
        mind.arena.clear();
        mind.arena.frame_mut(0).reversible = (board.halfmove_clock() as usize).min(keys.len() - 1);
        Self {
            evaluator,
            table,
            history: &mut mind.history,
            arena: &mut mind.arena,
            budget,
            keys,
            root_moves,
            root_alpha: -INFINITE,
            promoted: None,
            last_evaluated: None,
            root_depth: 0,
            seldepth: 0,
            null_from: 0,
            tables: options.tables.clone(),
            ranked,
            is_over: is_over(game),
            skipped: |_| false,
        }
    }
}

impl<E: Evaluator> Worker<'_, E> {
    /// Searches deeper and deeper until a limit ends it.
    pub(crate) fn deepen(
        &mut self,
        board: &Board,
        limits: &Limits,
        multi_pv: usize,
        on_iteration: &mut dyn FnMut(&Iteration<'_>),
    ) -> SearchResult {
        if multi_pv <= 1 && limits.mate.is_none() && !self.ranked.is_empty() {
            self.root_moves.truncate(worth_searching(&self.ranked));
        }
        let wanted = multi_pv.clamp(1, self.root_moves.len().max(1));
        let max_depth = limits.depth.map_or(MAX_DEPTH, |depth| depth.clamp(1, MAX_DEPTH));
        let mut lines: Vec<Line> = Vec::new();
        let mut finished = 0;
        let mut stable = 0;
        let mut reason = StoppedBy::Exhausted;
        if self.root_moves.is_empty() {
            let score = if board.in_check() {
                Score::Mate(0)
            } else {
                Score::Centipawns(0)
            };
            return self.result(lines, score, finished, reason);
        }

        for depth in 1..=max_depth {
            if (self.skipped)(depth) {
                continue;
            }
            self.root_depth = depth as i32;
            self.promoted = None;
            let last_best = self.root_moves[0].mv;
            let last_value = self.root_moves[0].value;
            for root_move in &mut self.root_moves {
                root_move.previous = root_move.value;
                root_move.value = -INFINITE;
            }
            let mut done = 0;
            while done < wanted && self.search_line(board, depth, done).is_ok() {
                done += 1;
            }
            if done < wanted {
                reason = self.budget.reason.unwrap_or(StoppedBy::Stop);
                self.keep_partial(&mut lines, depth, done, wanted);
                break;
            }
            finished = depth;
            lines = self.root_moves[..wanted]
                .iter()
                .map(|root| root.to_line(Bound::Exact, depth))
                .collect();
            self.settle(&mut lines);
            let work = self.budget.total();
            on_iteration(&Iteration {
                depth,
                lines: &lines,
                nodes: work.nodes,
                evaluations: work.evaluations,
                tt_hits: work.tt_hits,
                tb_hits: work.tb_hits,
                table_permille: self.table.permille_full(),
                elapsed: self.budget.elapsed(),
            });

            let best = &self.root_moves[0];
            if limits.mate.is_some_and(|moves| mates_within(best.value, moves)) {
                reason = StoppedBy::Mate;
                break;
            }
            if limits.depth.is_some_and(|limit| depth >= limit) {
                reason = StoppedBy::Depth;
                break;
            }
            stable = if best.mv == last_best { stable + 1 } else { 0 };
            let drop = if is_mate(last_value) || is_mate(best.value) {
                0
            } else {
                last_value - best.value
            };
            let effort = best.nodes * 1_000 / self.budget.work.nodes.max(1);
            let mut stretch = stretch_permille(stable, drop, effort);
            if self.root_moves.len() == 1 {
                stretch /= 10;
            }
            if self.budget.out_of_time(stretch) {
                reason = StoppedBy::Time;
                break;
            }
        }
        if lines.is_empty() {
            lines.push(self.static_line(board));
        }
        self.settle(&mut lines);
        let score = lines[0].score;
        self.result(lines, score, finished, reason)
    }

    /// Finds the best of the root moves from index `index` on and puts it there.
    fn search_line(&mut self, board: &Board, depth: u32, index: usize) -> Result<(), Stopped> {
        let expected = self.root_moves[index..]
            .iter()
            .map(|root| root.previous)
            .max()
            .unwrap_or(-INFINITE);
        let mut width = ASPIRATION;
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        if depth >= ASPIRATION_DEPTH && !is_mate(expected) && expected > -INFINITE {
            alpha = expected - width;
            beta = expected + width;
        }
        loop {
            let outcome = self.search_root(board, depth as i32, alpha, beta, index);
            // Stable: moves without a value keep the order of the iteration before.
            self.root_moves[index..].sort_by_key(|root| std::cmp::Reverse(root.value));
            let value = outcome?;
            width += width / 2;
            let far = width > 400 || is_mate(value);
            if value <= alpha {
                self.promoted = None;
                beta = (alpha + beta) / 2;
                alpha = if far { -INFINITE } else { value - width };
            } else if value >= beta {
                if index == 0 {
                    self.promoted = Some(self.root_moves[0].to_line(Bound::Lower, depth));
                }
                beta = if far { INFINITE } else { value + width };
            } else {
                break;
            }
        }
        // An earlier line cannot be worse than a later one but for the noise of the search.
        self.root_moves[..=index].sort_by_key(|root| std::cmp::Reverse(root.value));
        Ok(())
    }

    /// Takes over what an interrupted iteration found out: lines that it finished, or a move that had just
    /// become the best one.
    fn keep_partial(&self, lines: &mut Vec<Line>, depth: u32, done: usize, wanted: usize) {
        let fresh: Vec<Line> = if done > 0 {
            self.root_moves[..done]
                .iter()
                .map(|root| root.to_line(Bound::Exact, depth))
                .collect()
        } else {
            let best = &self.root_moves[0];
            let fresh = if best.value > self.root_alpha {
                // Moves not yet searched may be better still.
                best.to_line(Bound::Lower, depth)
            } else if let Some(line) = &self.promoted {
                line.clone()
            } else {
                // What did not reach the window is at most so good, and that says nothing of the others.
                return;
            };
            if lines.first().is_some_and(|line| line.moves[0] == fresh.moves[0]) {
                return;
            }
            vec![fresh]
        };
        lines.retain(|line| fresh.iter().all(|new| new.moves[0] != line.moves[0]));
        lines.splice(0..0, fresh);
        lines.truncate(wanted);
    }

    /// Gives lines the value that is certain: a draw if the game is over as one, or what the endgame tables say.
    fn settle(&self, lines: &mut [Line]) {
        if self.is_over {
            lines.iter_mut().for_each(Line::settle);
        } else if !self.ranked.is_empty() {
            settle_by_tables(&self.ranked, lines);
        }
    }

    /// A line for a search that ended before its first iteration did: any legal move, with the static value, or with 0
    /// where an evaluator that has been told to stop gives no other.
    fn static_line(&mut self, board: &Board) -> Line {
        self.evaluator.refresh(board);
        self.budget.work.evaluations += 1;
        let value = if board.in_check() {
            0
        } else {
            damped(board, self.evaluator.evaluate(board))
        };
        Line::new(&[self.root_moves[0].mv], value, Bound::Lower, 0, 0)
    }

    fn result(&self, lines: Vec<Line>, score: Score, depth: u32, stopped_by: StoppedBy) -> SearchResult {
        let first = lines.first();
        let work = self.budget.work;
        SearchResult {
            best_move: first.and_then(|line| line.moves.first().copied()),
            ponder: first.and_then(|line| line.moves.get(1).copied()),
            score,
            depth,
            nodes: work.nodes,
            evaluations: work.evaluations,
            tt_hits: work.tt_hits,
            tb_hits: work.tb_hits,
            threads: 1,
            elapsed: self.budget.elapsed(),
            stopped_by,
            lines,
        }
    }
}

impl RootMove {
    fn to_line(&self, bound: Bound, depth: u32) -> Line {
        Line::new(&self.line, self.value, bound, depth, self.seldepth)
    }
}

/// Whether the side to move is shown to mate in at most this many moves.
fn mates_within(value: Value, moves: u32) -> bool {
    value >= MATE_BOUND
        && matches!(Score::from_value(value), Score::Mate(found) if found.unsigned_abs() <= moves)
}

#[cfg(test)]
mod tests {
    use tabiya_rules::Move;

    use super::*;
    use crate::score::mate_at;

    /// Counts material; enough to search with.
    struct Material;

    impl Evaluator for Material {
        fn refresh(&mut self, _: &Board) {}
        fn push(&mut self, _: &Board, _: Move, _: &Board) {}
        fn push_null(&mut self) {}
        fn pop(&mut self) {}
        fn evaluate(&mut self, board: &Board) -> i32 {
            let us = board.side_to_move();
            let count = |color| board.colors(color).count() as i32;
            100 * (count(us) - count(!us))
        }
    }

    /// Searches that begin just above the deepest ply end there, with a value and a line of legal length.
    #[test]
    fn the_deepest_ply_is_a_floor() {
        let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
        let game = Game::new(Board::from_fen(fen).unwrap());
        for ply in [MAX_PLY - 6, MAX_PLY - 1, MAX_PLY] {
            let mut searcher = Searcher::new(1 << 20);
            let stop = AtomicBool::new(false);
            let limits = Limits::nodes(30_000);
            let (options, mut evaluator) = (Options::default(), Material);
            let budget = Budget::new(&limits, options.clock_interval, &stop);
            let Searcher { table, mind, .. } = &mut searcher;
            let mut worker = Worker::new(table, mind, &mut evaluator, budget, &game, &options);
            worker.root_depth = MAX_PLY as i32;
            let found = worker.alpha_beta::<true>(game.board(), ply, 12, -INFINITE, INFINITE, false);
            assert_eq!(worker.seldepth, MAX_PLY);
            // The limit ends the first search only.
            let Ok(value) = found else {
                assert_eq!((ply, worker.budget.work.nodes), (MAX_PLY - 6, 30_000));
                continue;
            };
            assert!(value.abs() <= 1_600, "{value}");
            let line = &worker.arena.frame(ply).line;
            assert!(line.len() <= MAX_PLY - ply, "{line:?}");
            let mut board = *game.board();
            for &mv in line {
                assert!(board.is_legal(mv), "{line:?}");
                board.play(mv);
            }
        }
    }

    #[test]
    fn a_mate_from_the_table_counts_only_if_it_comes_before_fifty_moves_have_passed() {
        let value_at = |clock: u32| {
            let fen = format!("8/8/4k3/8/8/3QK3/8/8 w - - {clock} 90");
            let game = Game::new(Board::from_fen(&fen).unwrap());
            let mut searcher = Searcher::new(1 << 16);
            let stop = AtomicBool::new(false);
            let (limits, options, mut evaluator) = (Limits::nodes(1_000), Options::default(), Material);
            let budget = Budget::new(&limits, options.clock_interval, &stop);
            let Searcher { table, mind, .. } = &mut searcher;
            let mut worker = Worker::new(table, mind, &mut evaluator, budget, &game, &options);
            // Mate in 19 plies, one ply below the root.
            worker.store(game.board(), 1, mate_at(20), None, Bound::Exact, 20, None, false);
            let main = worker
                .alpha_beta::<false>(game.board(), 1, 1, 0, 1, false)
                .unwrap();
            let quiet = worker.quiescence::<false>(game.board(), 1, 0, 1).unwrap();
            [main, quiet]
        };
        assert_eq!(value_at(81), [mate_at(20); 2]);
        for value in value_at(82) {
            assert!(!is_mate(value), "{value}");
        }
    }

    /// Never asked twice in a row for the same position.
    struct Once(Material, Option<u64>);

    impl Evaluator for Once {
        fn refresh(&mut self, board: &Board) {
            self.0.refresh(board);
        }
        fn push(&mut self, _: &Board, _: Move, _: &Board) {}
        fn push_null(&mut self) {}
        fn pop(&mut self) {}
        fn evaluate(&mut self, board: &Board) -> i32 {
            assert_ne!(self.1.replace(board.key()), Some(board.key()));
            self.0.evaluate(board)
        }
    }

    #[test]
    fn a_node_given_up_is_evaluated_once() {
        let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
        let game = Game::new(Board::from_fen(fen).unwrap());
        let (limits, options, stop) = (Limits::nodes(20_000), Options::default(), AtomicBool::new(false));
        let found = search(
            &game,
            &limits,
            &options,
            &mut Once(Material, None),
            &stop,
            &mut |_| {},
        );
        let plain = search(&game, &limits, &options, &mut Material, &stop, &mut |_| {});
        assert_eq!(
            (&found.lines, found.evaluations),
            (&plain.lines, plain.evaluations)
        );
    }
}
