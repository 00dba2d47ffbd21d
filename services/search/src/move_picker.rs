//! Moves in the order in which they are worth trying, found as late as possible.

use tabiya_rules::{Board, Move, MoveList, Piece};

use crate::history::{HISTORY_LIMIT, History};
use crate::moves::{CheckInfo, captured, is_legal, is_tactical};
use crate::see::{exchange_at_least, piece_value};

/// A move and what its order is decided by.
#[derive(Clone, Copy)]
pub(crate) struct ScoredMove {
    pub(crate) mv: Move,
    pub(crate) score: i32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    TableMove,
    GenerateCaptures,
    GoodCaptures,
    GenerateQuiets,
    Quiets,
    BadCaptures,
    Done,
}

/// Hands out the moves of one node: the table's move, winning and equal captures, quiet moves by history, losing captures.
///
/// The moves lie in the search's arena from `base` on; whoever made the picker cuts the arena back to
/// `base` when the node is finished.
pub(crate) struct MovePicker {
    stage: Stage,
    table_move: Option<Move>,
    killers: [Option<Move>; 2],
    previous: [usize; 2],
    tactical_only: bool,
    /// Leave out the quiet moves not yet handed out.
    pub(crate) skip_quiets: bool,
    base: usize,
    next: usize,
    captures_end: usize,
    bad_end: usize,
}

/// What a killer move is worth above every history.
const KILLER: i32 = 4 * HISTORY_LIMIT;
/// What a safe check is worth among quiet moves.
const CHECK: i32 = HISTORY_LIMIT;

impl MovePicker {
    /// All moves.
    pub(crate) fn new(
        base: usize,
        table_move: Option<Move>,
        killers: [Option<Move>; 2],
        previous: [usize; 2],
    ) -> Self {
        Self {
            stage: Stage::TableMove,
            table_move,
            killers,
            previous,
            tactical_only: false,
            skip_quiets: false,
            base,
            next: base,
            captures_end: base,
            bad_end: base,
        }
    }

    /// Captures and promotions that lose nothing.
    pub(crate) fn tactical(base: usize, table_move: Option<Move>) -> Self {
        let none = crate::history::NO_PREDECESSOR;
        Self {
            tactical_only: true,
            ..Self::new(base, table_move, [None; 2], [none; 2])
        }
    }

    pub(crate) fn next(
        &mut self,
        board: &Board,
        moves: &mut Vec<ScoredMove>,
        scratch: &mut MoveList,
        history: &History,
        checks: Option<&CheckInfo>,
    ) -> Option<Move> {
        loop {
            match self.stage {
                Stage::TableMove => {
                    self.stage = Stage::GenerateCaptures;
                    self.table_move = self
                        .table_move
                        .filter(|&mv| (!self.tactical_only || is_tactical(board, mv)) && is_legal(board, mv));
                    if self.table_move.is_some() {
                        return self.table_move;
                    }
                }
                Stage::GenerateCaptures => {
                    self.generate_captures(board, moves, scratch, history);
                    self.stage = Stage::GoodCaptures;
                }
                Stage::GoodCaptures => {
                    while let Some(mv) = self.best_before(moves, self.captures_end) {
                        if exchange_at_least(board, mv, 0) {
                            return Some(mv);
                        }
                        // The slot is free: the pick moved it to the front of what remains.
                        moves[self.bad_end] = moves[self.next - 1];
                        self.bad_end += 1;
                    }
                    self.stage = if self.tactical_only {
                        Stage::Done
                    } else {
                        Stage::GenerateQuiets
                    };
                }
                Stage::GenerateQuiets => {
                    if !self.skip_quiets {
                        scratch.clear();
                        board.quiets(scratch);
                        moves.extend(
                            scratch
                                .iter()
                                .filter(|&&mv| Some(mv) != self.table_move)
                                .map(|&mv| ScoredMove {
                                    mv,
                                    score: self.quiet_score(board, mv, history, checks),
                                }),
                        );
                    }
                    self.stage = Stage::Quiets;
                }
                Stage::Quiets => {
                    if !self.skip_quiets
                        && let Some(mv) = self.best_before(moves, usize::MAX)
                    {
                        return Some(mv);
                    }
                    self.next = self.base;
                    self.stage = Stage::BadCaptures;
                }
                Stage::BadCaptures => {
                    if self.next < self.bad_end {
                        self.next += 1;
                        return Some(moves[self.next - 1].mv);
                    }
                    self.stage = Stage::Done;
                }
                Stage::Done => return None,
            }
        }
    }

    fn generate_captures(
        &mut self,
        board: &Board,
        moves: &mut Vec<ScoredMove>,
        scratch: &mut MoveList,
        history: &History,
    ) {
        scratch.clear();
        board.captures(scratch);
        moves.extend(
            scratch
                .iter()
                .filter(|&&mv| Some(mv) != self.table_move)
                .map(|&mv| ScoredMove {
                    mv,
                    score: capture_score(board, mv, history),
                }),
        );
        self.captures_end = moves.len();
    }

    fn quiet_score(&self, board: &Board, mv: Move, history: &History, checks: Option<&CheckInfo>) -> i32 {
        let mut score = history.quiet(board, mv, self.previous);
        if self.killers[0] == Some(mv) {
            score += 2 * KILLER;
        } else if self.killers[1] == Some(mv) {
            score += KILLER;
        }
        if checks.is_some_and(|checks| checks.gives_check(board, mv)) && exchange_at_least(board, mv, -50) {
            score += CHECK;
        }
        score
    }

    /// Takes the best of the moves up to `end`, the first of equals.
    fn best_before(&mut self, moves: &mut [ScoredMove], end: usize) -> Option<Move> {
        let end = end.min(moves.len());
        let rest = moves.get_mut(self.next..end)?;
        let mut best = 0;
        for i in 1..rest.len() {
            if rest[i].score > rest[best].score {
                best = i;
            }
        }
        if rest.is_empty() {
            return None;
        }
        rest.swap(0, best);
        self.next += 1;
        Some(rest[0].mv)
    }
}

fn capture_score(board: &Board, mv: Move, history: &History) -> i32 {
    let victim = captured(board, mv).map_or(0, piece_value);
    let promotion = match mv.promotion() {
        None => 0,
        Some(Piece::Queen) => piece_value(Piece::Queen),
        Some(_) => -piece_value(Piece::Queen),
    };
    16 * (victim + promotion) + history.capture(board, mv) / 4
}
