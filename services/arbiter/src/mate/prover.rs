use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use tabiya_rules::{Board, Color};

use super::hunt::Outcome;
use super::quest;
use super::workshop::{Tools, Workshop};
use super::{Certificate, MaterialClass, Proof, Verdict, check, reach};

/// Positions that a proof may generate unless the caller says otherwise.
pub const DEFAULT_LIMIT: u32 = 120_000;

/// Positions that the hunt generates before confinement is tried.
const QUICK: u32 = 500;

impl MaterialClass {
    /// The class by which a side can never mate, if there is one.
    pub fn of(board: &Board, side: Color) -> Option<Self> {
        [Self::BareKing, Self::BishopsOfOneColor, Self::KnightAgainstQueens]
            .into_iter()
            .find(|&class| check::material(board, side, class).is_ok())
    }
}

/// Proves whether `side` can still mate; see [`Prover::prove`].
pub fn prove(board: &Board, side: Color, limit: u32) -> Proof {
    Prover::default().prove(board, side, limit)
}

/// A prover that keeps its memory from one question to the next.
#[derive(Clone, Debug, Default)]
pub struct Prover {
    workshop: Workshop,
    /// Positions generated for all questions so far.
    spent: u64,
    /// Once raised, proofs are given up.
    stop: Arc<AtomicBool>,
}

impl Prover {
    /// A prover that gives up once `stop` is raised: then, within a few hundred positions, the verdict is
    /// [`Verdict::Unknown`].
    pub fn stopped_by(stop: Arc<AtomicBool>) -> Self {
        Self {
            stop,
            ..Self::default()
        }
    }

    /// Proves whether `side` can still mate, generating about `limit` positions at most.
    pub fn prove(&mut self, board: &Board, side: Color, limit: u32) -> Proof {
        let stop = self.stop.clone();
        let proof = self.answer(board, side, limit, &stop);
        self.spent += u64::from(proof.positions);
        proof
    }

    /// Positions generated for all questions so far.
    pub(crate) fn spent(&self) -> u64 {
        self.spent
    }

    /// Asks what shall not count as spent.
    pub(crate) fn apart<T>(&mut self, ask: impl FnOnce(&mut Self) -> T) -> T {
        let spent = self.spent;
        let answer = ask(self);
        self.spent = spent;
        answer
    }

    /// Whether it was told to give up.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn answer(&mut self, board: &Board, side: Color, limit: u32, stop: &AtomicBool) -> Proof {
        if board.side_to_move() != side && board.is_checkmate() {
            return settled(Verdict::Yes(Vec::new()), 0);
        }
        if let Some(class) = MaterialClass::of(board, side) {
            return settled(Verdict::No(Certificate::Material(class)), 0);
        }
        let Tools { hunt, quest } = self.workshop.tools();
        let mut met = 0;
        let (line, more) = quest.find(board, side, quest::HASTE, limit, stop);
        met += more;
        if let Some(line) = line {
            return settled(Verdict::Yes(line), met);
        }
        // Positions from which little can arise are searched through at once.
        hunt.start(board, side);
        let mut outcome = hunt.run(side, QUICK.min(limit), false, stop);
        if outcome == Outcome::Limit {
            met += hunt.positions();
            let confined = reach::reach(board).filter(|reach| check::confined(board, side, reach).is_ok());
            if let Some(reach) = confined {
                return settled(Verdict::No(Certificate::Confined(reach)), met);
            }
            let left = limit.saturating_sub(met);
            let (line, more) = quest.find(board, side, quest::CARE, left, stop);
            met += more;
            if let Some(line) = line {
                return settled(Verdict::Yes(line), met);
            }
            // Anew, because positions that the quick hunt has left behind may be confined.
            hunt.start(board, side);
            outcome = hunt.run(side, limit.saturating_sub(met), true, stop);
            while let Outcome::Opened(number) = outcome {
                let from = hunt.board(number);
                let left = limit.saturating_sub(met + hunt.positions());
                let (line, more) = quest.find(from, side, quest::GLANCE, left, stop);
                met += more;
                if let Some(rest) = line {
                    met += hunt.positions();
                    return settled(Verdict::Yes(hunt.line(number, &rest)), met);
                }
                outcome = hunt.run(side, limit.saturating_sub(met), true, stop);
            }
        }
        met += hunt.positions();
        let verdict = match outcome {
            Outcome::Mate(number, mv) => Verdict::Yes(hunt.line(number, &[mv])),
            Outcome::Exhausted => Verdict::No(hunt.certificate()),
            Outcome::Opened(_) | Outcome::Limit => Verdict::Unknown,
        };
        settled(verdict, met)
    }
}

fn settled(verdict: Verdict, positions: u32) -> Proof {
    Proof { verdict, positions }
}
