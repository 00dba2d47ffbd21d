//! The memory of provers: most proofs take less time than it takes to make it.

use std::cell::RefCell;

use super::hunt::Hunt;
use super::quest::Quest;

/// How many sets of tools are kept on a thread; a replay has two at times.
const KEPT: usize = 4;

thread_local! {
    /// What provers of this thread have left.
    static LEFT: RefCell<Vec<Tools>> = const { RefCell::new(Vec::new()) };
}

/// What a prover works with.
#[derive(Clone, Debug, Default)]
pub(super) struct Tools {
    pub(super) hunt: Hunt,
    pub(super) quest: Quest,
}

/// Where a prover has its tools: those that an earlier one of the thread has left, or new ones. Answers do not depend on
/// which, as every question begins by clearing them.
#[derive(Clone, Debug, Default)]
pub(super) struct Workshop(Option<Tools>);

impl Workshop {
    pub(super) fn tools(&mut self) -> &mut Tools {
        self.0.get_or_insert_with(|| {
            // Nothing is left where the thread itself ends.
            let left = LEFT.try_with(|left| left.borrow_mut().pop());
            left.ok().flatten().unwrap_or_default()
        })
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        // A great proof's memory is given back.
        let Some(tools) = self
            .0
            .take()
            .filter(|tools| tools.hunt.is_small() && tools.quest.is_small())
        else {
            return;
        };
        let _ = LEFT.try_with(|left| {
            let mut left = left.borrow_mut();
            if left.len() < KEPT {
                left.push(tools);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use tabiya_rules::{Board, Color};

    use super::super::{DEFAULT_LIMIT, Proof, Prover};
    use super::*;

    fn left() -> usize {
        LEFT.with_borrow(Vec::len)
    }

    fn proof(fen: &str) -> Proof {
        let board = Board::from_fen(fen).unwrap();
        Prover::default().prove(&board, Color::White, DEFAULT_LIMIT)
    }

    #[test]
    fn tools_are_handed_on_and_change_no_answer() {
        let fens = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "8/8/4k3/1p1p1p1p/1P1P1P1P/4K3/8/8 w - - 0 1",
            "8/8/8/3k4/8/8/8/R3K3 w - - 0 1",
            "5k2/8/8/8/8/8/6BN/6K1 w - - 0 1",
        ];
        // Each on a thread where nothing is left, then all on one.
        let fresh = fens.map(|fen| std::thread::spawn(move || proof(fen)).join().unwrap());
        assert_eq!(left(), 0);
        for _ in 0..3 {
            assert_eq!(fens.map(proof), fresh);
            assert_eq!(left(), 1);
        }
        let mut provers: Vec<_> = (0..2 * KEPT).map(|_| Prover::default()).collect();
        for prover in &mut provers {
            prover.prove(&Board::startpos(), Color::White, DEFAULT_LIMIT);
        }
        assert_eq!(left(), 0);
        drop(provers);
        assert_eq!(left(), KEPT);
    }
}
