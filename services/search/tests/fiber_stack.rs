//! How much of a fiber's stack the deepest line takes.

mod common;

use std::sync::atomic::AtomicBool;

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult};
use tabiya_rules::Board;
use tabiya_search::fiber::STACK_BYTES;
use tabiya_search::{Limits, MAX_PLY, Options, search};

/// Notes how much stack each ply takes.
struct Probe {
    inner: common::PlainEvaluator,
    /// Address of a local where the search was called.
    base: usize,
    /// Deepest ply evaluated, and most bytes of stack seen at each ply.
    used: Vec<usize>,
}

fn address_of_a_local() -> usize {
    let local = 0_u8;
    std::ptr::from_ref(std::hint::black_box(&local)).addr()
}

impl tabiya_evaluator::Evaluator for Probe {
    fn refresh(&mut self, board: &Board) {
        self.inner.refresh(board);
    }

    fn push(&mut self, before: &Board, mv: tabiya_rules::Move, after: &Board) {
        self.inner.push(before, mv, after);
    }

    fn push_null(&mut self) {
        self.inner.push_null();
    }

    fn pop(&mut self) {
        self.inner.pop();
    }

    fn evaluate(&mut self, board: &Board) -> i32 {
        let ply = self.inner.depth;
        if self.used.len() <= ply {
            self.used.resize(ply + 1, 0);
        }
        self.used[ply] = self.used[ply].max(self.base - address_of_a_local());
        self.inner.evaluate(board)
    }
}

/// A search that would reach the deepest ply allowed leaves a quarter of a fiber's stack free.
///
/// It runs on such a stack. Its deepest line is not forced to the last ply, so what a ply takes is measured and counted for
/// all of them, as if each were of the costliest kind.
#[test]
fn the_deepest_line_fits_a_fiber_stack() {
    let stack = DefaultStack::new(STACK_BYTES).unwrap();
    let mut fiber = Coroutine::<(), (), Box<Vec<usize>>>::with_stack(stack, |_, ()| {
        let mut used: Vec<usize> = Vec::new();
        for fen in [
            "8/8/8/8/8/4k3/4P3/4K3 w - - 0 1",
            "8/8/1p1p1p2/1P1P1P2/8/3k4/8/7K w - - 0 1",
        ] {
            let inner = common::PlainEvaluator::default();
            let mut probe = Probe {
                inner,
                base: address_of_a_local(),
                used: Vec::new(),
            };
            let limits = Limits::nodes(1_500_000);
            let stop = AtomicBool::new(false);
            search(
                &common::game(fen),
                &limits,
                &Options::default(),
                &mut probe,
                &stop,
                &mut |_| {},
            );
            if probe.used.len() > used.len() {
                used = probe.used;
            }
        }
        Box::new(used)
    });
    let CoroutineResult::Return(used) = fiber.resume(()) else {
        panic!("nothing suspends it")
    };
    let deepest = used.len() - 1;
    assert!(deepest >= 35, "only {deepest} plies deep");
    let step = (0..=deepest - 8)
        .map(|ply| used[ply + 8].saturating_sub(used[ply]) / 8)
        .max()
        .unwrap_or(0);
    let whole = used[0].max(used[1]) + step * (MAX_PLY + 2);
    println!(
        "{deepest} plies took {} bytes; at most {step} a ply, {whole} for {MAX_PLY}",
        used[deepest]
    );
    assert!(whole < STACK_BYTES / 4 * 3, "{whole} bytes for {MAX_PLY} plies");
}
