//! Memory of one search, by ply: off the call stack, which a fiber has little of.

use arrayvec::ArrayVec;
use tabiya_rules::{Move, MoveList};

use crate::history::NO_PREDECESSOR;
use crate::move_picker::ScoredMove;
use crate::score::{INFINITE, MAX_PLY, Value};

/// Frames before the root, so that "two moves ago" always exists.
const PAST: usize = 4;
/// No static value: the side to move is in check.
pub(crate) const NO_EVALUATION: Value = -INFINITE;

/// What the search remembers of one ply.
#[derive(Clone)]
pub(crate) struct Frame {
    /// Quiet moves that refuted siblings.
    pub(crate) killers: [Option<Move>; 2],
    /// Corrected static value, [`NO_EVALUATION`] in check.
    pub(crate) evaluation: Value,
    /// Move left out by a singular search.
    pub(crate) excluded: Option<Move>,
    /// Piece and destination of the move being searched from here, [`NO_PREDECESSOR`] for a null move.
    pub(crate) piece_to: usize,
    /// Plies back from here within which the position may have occurred before.
    pub(crate) reversible: usize,
    /// Quiet moves searched here so far.
    pub(crate) quiets: ArrayVec<Move, 32>,
    /// Captures searched here so far.
    pub(crate) captures: ArrayVec<Move, 32>,
    /// Best line from here.
    pub(crate) line: ArrayVec<Move, MAX_PLY>,
}

impl Frame {
    fn new() -> Self {
        Self {
            killers: [None; 2],
            evaluation: NO_EVALUATION,
            excluded: None,
            piece_to: NO_PREDECESSOR,
            reversible: 0,
            quiets: ArrayVec::new(),
            captures: ArrayVec::new(),
            line: ArrayVec::new(),
        }
    }
}

/// Frames and move lists.
pub(crate) struct Arena {
    frames: Vec<Frame>,
    /// The moves of every ply being searched, one list after the other.
    pub(crate) moves: Vec<ScoredMove>,
    /// Where the generator writes.
    pub(crate) scratch: MoveList,
}

impl Arena {
    pub(crate) fn new() -> Self {
        Self {
            frames: vec![Frame::new(); PAST + MAX_PLY + 2],
            moves: Vec::with_capacity(2048),
            scratch: MoveList::new(),
        }
    }

    /// Makes everything as new.
    pub(crate) fn clear(&mut self) {
        self.frames.fill(Frame::new());
        self.moves.clear();
    }

    pub(crate) fn frame(&self, ply: usize) -> &Frame {
        &self.frames[ply + PAST]
    }

    pub(crate) fn frame_mut(&mut self, ply: usize) -> &mut Frame {
        &mut self.frames[ply + PAST]
    }

    /// Static value this many plies before `ply`, also from before the root (where there is none).
    pub(crate) fn evaluation_before(&self, ply: usize, back: usize) -> Value {
        self.frames[ply + PAST - back].evaluation
    }

    /// Piece and destination of the moves one and two plies before `ply`.
    pub(crate) fn previous(&self, ply: usize) -> [usize; 2] {
        [
            self.frames[ply + PAST - 1].piece_to,
            self.frames[ply + PAST - 2].piece_to,
        ]
    }

    /// Makes the best line of `ply` the move and then the best line of the next ply.
    pub(crate) fn extend_line(&mut self, ply: usize, mv: Move) {
        let (upper, lower) = self.frames.split_at_mut(ply + PAST + 1);
        let (Some(parent), Some(child)) = (upper.last_mut(), lower.first()) else {
            return;
        };
        parent.line.clear();
        parent.line.push(mv);
        let room = parent.line.remaining_capacity();
        parent.line.extend(child.line.iter().copied().take(room));
    }
}
