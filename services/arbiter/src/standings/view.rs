//! How a tie-break sees the rounds: what counts as played, whose score counts for what.

use super::{Edition, Field, Fraction, Kind, Slot, System, Unit};

/// What one round contributes to a sum over opponents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Term {
    /// The score of the opponent, or of what stands in for one.
    pub(super) opponent: Fraction,
    /// What is summed.
    pub(super) value: Fraction,
    /// Whether the participant was not available to play (16.1.2).
    pub(super) voluntary: bool,
}

/// The rounds as a tie-break sees them.
pub(super) struct View<'a> {
    pub(super) field: &'a Field,
    edition: Edition,
    rows: Vec<Vec<Slot>>,
}

impl<'a> View<'a> {
    /// The rounds, forfeits being games against the scheduled opponent in a round robin (15.2) or where the rules of the
    /// event say so, and the paired games of the last round being draws for Fore Buchholz (8.3).
    pub(super) fn new(field: &'a Field, edition: Edition, forfeits: bool, fore: bool) -> Self {
        let last = field.played().checked_sub(1);
        let forfeits = forfeits || field.system == System::RoundRobin;
        let see = |round: usize, mut slot: Slot| {
            let forfeited = matches!(slot.kind, Kind::ForfeitWin | Kind::ForfeitLoss);
            if slot.opponent.is_some() && fore && Some(round) == last {
                slot.kind = Kind::Played;
                slot.half_points = Some(1);
                slot.points = field.draw;
            } else if slot.opponent.is_some() && forfeits && forfeited {
                slot.half_points = Some(if slot.kind == Kind::ForfeitWin { 2 } else { 0 });
                slot.kind = Kind::Played;
            }
            slot
        };
        let rows = field.entries.iter().map(|entry| {
            let slots = entry.slots.iter().enumerate();
            slots.map(|(round, slot)| see(round, *slot)).collect()
        });
        Self {
            field,
            edition,
            rows: rows.collect(),
        }
    }

    /// A participant's rounds.
    pub(super) fn row(&self, entry: usize) -> &[Slot] {
        &self.rows[entry]
    }

    /// A participant's own score.
    pub(super) fn score(&self, entry: usize, unit: Unit) -> Fraction {
        let index = unit.index();
        self.field.entries[entry].extra[index] + self.rows[entry].iter().map(|slot| slot.points[index]).sum()
    }

    /// Every participant's score as its opponents' tie-breaks see it (16.3; C.02 13.15).
    pub(super) fn adjusted(&self, unit: Unit) -> Vec<Fraction> {
        (0..self.rows.len())
            .map(|entry| self.adjusted_score(entry, unit))
            .collect()
    }

    fn adjusted_score(&self, entry: usize, unit: Unit) -> Fraction {
        let index = unit.index();
        if self.field.system == System::RoundRobin {
            return self.score(entry, unit);
        }
        let draw = self.field.draw[index];
        // From the last round backwards: whether only voluntary unplayed rounds follow.
        let mut only_voluntary = true;
        let mut sum = self.field.entries[entry].extra[index];
        for slot in self.rows[entry].iter().rev() {
            sum += match (self.edition, slot.kind) {
                (Edition::Fide2017, Kind::Played) => slot.points[index],
                (Edition::Fide2017, _) => draw,
                (_, Kind::RequestedBye) if only_voluntary => draw,
                _ => slot.points[index],
            };
            only_voluntary &= slot.kind.is_voluntary();
        }
        sum
    }

    /// What each round contributes: the opponent's score in `of`, times `weigh` of the round.
    ///
    /// `adjusted` are the scores of [`View::adjusted`] in `of`.
    pub(super) fn terms(
        &self,
        entry: usize,
        of: Unit,
        adjusted: &[Fraction],
        weigh: impl Fn(&Slot) -> Fraction,
    ) -> Vec<Term> {
        let own = self.score(entry, of);
        let mut before = self.field.entries[entry].extra[of.index()];
        let mut terms = Vec::with_capacity(self.rows[entry].len());
        for (round, slot) in self.rows[entry].iter().enumerate() {
            let opponent = match (slot.kind, slot.opponent) {
                (Kind::Played, Some(opponent)) => Some(adjusted[opponent]),
                // A free round of a round robin is no round.
                _ if self.field.system == System::RoundRobin => None,
                _ => Some(self.stand_in(slot, round, of, own, before, adjusted)),
            };
            before += slot.points[of.index()];
            terms.extend(opponent.map(|opponent| Term {
                opponent,
                value: opponent * weigh(slot),
                voluntary: slot.kind.is_voluntary(),
            }));
        }
        terms
    }

    /// The score of what stands in for an opponent in an unplayed round.
    fn stand_in(
        &self,
        slot: &Slot,
        round: usize,
        of: Unit,
        own: Fraction,
        before: Fraction,
        adjusted: &[Fraction],
    ) -> Fraction {
        let index = of.index();
        let draw = self.field.draw[index];
        match self.edition {
            Edition::Fide2017 => {
                let rest = self.field.played().saturating_sub(round + 1);
                let others = draw * Fraction::whole(i64::try_from(rest).unwrap_or(0));
                before + (self.field.win[index] - slot.points[index]) + others
            }
            Edition::Fide2024 => own,
            Edition::Fide2026 => {
                let rounds = Fraction::whole(i64::try_from(self.field.rounds).unwrap_or(0));
                let limit = match (slot.kind, slot.opponent) {
                    (Kind::ForfeitWin | Kind::ForfeitLoss, Some(opponent)) => adjusted[opponent],
                    _ => draw * rounds,
                };
                own.min(limit)
            }
        }
    }
}

/// The sum of terms after cuts (14.1 to 14.4, 16.5).
pub(super) fn cut_sum(mut terms: Vec<Term>, low: usize, high: usize, edition: Edition) -> Fraction {
    let key = |term: &Term| (term.opponent, term.value);
    for _ in 0..low {
        let Some(least) = (0..terms.len()).min_by_key(|&at| key(&terms[at])) else {
            break;
        };
        let voluntary = (0..terms.len()).filter(|&at| terms[at].voluntary);
        // Of equal contributions the one against the weaker opponent, so that it is the least value where it can be.
        let lowest = voluntary.min_by_key(|&at| (terms[at].value, terms[at].opponent));
        // The earlier regulations have no exception for rounds that were not played of the participant's own accord.
        let cut = match lowest {
            Some(at) if edition > Edition::Fide2017 && terms[at].value >= terms[least].value => at,
            _ => least,
        };
        terms.remove(cut);
    }
    for _ in 0..high {
        let Some(greatest) = (0..terms.len()).max_by_key(|&at| key(&terms[at])) else {
            break;
        };
        terms.remove(greatest);
    }
    terms.iter().map(|term| term.value).sum()
}
