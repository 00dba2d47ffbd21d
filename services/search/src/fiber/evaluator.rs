//! An evaluator that asks the world outside its fiber.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use corosensei::Yielder;
use tabiya_evaluator::{Evaluator, PackedPosition, pack};
use tabiya_rules::{Board, Move};

/// What a suspended fiber is resumed with.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reply {
    /// Begin.
    Start,
    /// Centipawns of the position asked for.
    Value(i32),
    /// End the search with what it has.
    Stop,
}

/// Suspends its fiber at each position and wakes with the value.
pub struct FiberEvaluator<'a> {
    yielder: &'a Yielder<Reply, PackedPosition>,
    /// The search's stop flag.
    stop: &'a AtomicBool,
}

impl<'a> FiberEvaluator<'a> {
    pub(super) fn new(yielder: &'a Yielder<Reply, PackedPosition>, stop: &'a AtomicBool) -> Self {
        Self { yielder, stop }
    }
}

impl Evaluator for FiberEvaluator<'_> {
    fn refresh(&mut self, _: &Board) {}

    fn push(&mut self, _: &Board, _: Move, _: &Board) {}

    fn push_null(&mut self) {}

    fn pop(&mut self) {}

    /// The value from outside. Once the search is told to stop there is none: 0 is returned and the stop flag set, which the
    /// search looks at before it uses a value.
    fn evaluate(&mut self, board: &Board) -> i32 {
        if !self.stop.load(Relaxed)
            && let Reply::Value(value) = self.yielder.suspend(pack(board))
        {
            return value;
        }
        self.stop.store(true, Relaxed);
        0
    }
}
