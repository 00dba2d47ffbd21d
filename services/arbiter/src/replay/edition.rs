//! The list of events as it stands, with what was taken back and what was corrected.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tabiya_rules::{Game, Variant};

use super::{
    Doubts, Event, EventKind, GameStatus, MissingFact, Reason, Replay, Report, Ruling, TimeCategory,
    TimeControl,
};
use crate::ruleset::{Category, Rule, Ruleset};

/// Replays a game: `game` holds the moves before the first event. Clocks are computed with a time control, if it is
/// given and the events carry times: they start at time 0 with the first event's turn. The moves before it count for the
/// periods, and for no time, since nobody has told what they took. Readings of the clocks count for
/// more than what is computed.
///
/// The same list gives the same answer, and the answer to an event never depends on later ones.
pub fn replay(
    ruleset: &Ruleset,
    game: &Game,
    variant: Variant,
    control: Option<&TimeControl>,
    events: &[Event],
) -> Report {
    // Nobody raises this flag.
    stoppable(ruleset, game, variant, control, events, &Arc::default())
}

/// As [`replay`], until `stop` is raised: then, within a move, an event or a few hundred positions of a proof, `None`.
pub fn replay_until(
    ruleset: &Ruleset,
    game: &Game,
    variant: Variant,
    control: Option<&TimeControl>,
    events: &[Event],
    stop: &Arc<AtomicBool>,
) -> Option<Report> {
    let report = stoppable(ruleset, game, variant, control, events, stop);
    // A proof that was given up has left its mark on the report.
    (!stop.load(Ordering::Relaxed)).then_some(report)
}

/// The report, which means nothing if `stop` was raised.
fn stoppable(
    ruleset: &Ruleset,
    game: &Game,
    variant: Variant,
    control: Option<&TimeControl>,
    events: &[Event],
    stop: &Arc<AtomicBool>,
) -> Report {
    let run = |doubts: Doubts| {
        let doubts = doubts.stopped_by(stop);
        run(ruleset, game, variant, control, events, doubts)
    };
    let (mut state, rulings) = run(Doubts::default());
    if state.doubts.dispelled(&ruleset.switches) || state.doubts.is_stopped() {
        return report(state, rulings);
    }
    let (state, rulings) = run(Doubts::strict());
    report(state, rulings)
}

fn run<'a>(
    ruleset: &'a Ruleset,
    game: &Game,
    variant: Variant,
    control: Option<&'a TimeControl>,
    events: &[Event],
    doubts: Doubts,
) -> (Replay<'a>, Rulings) {
    let start = |doubts| Replay::new(ruleset, game, variant, control, doubts);
    let mut list = Edition::new(events);
    let mut state = start(doubts);
    let mut rulings = Vec::with_capacity(events.len());
    for (index, event) in events.iter().enumerate() {
        if state.doubts.is_stopped() {
            break;
        }
        let place = match &event.kind {
            EventKind::Retraction { event: place } | EventKind::Correction { event: place, .. } => *place,
            _ => {
                let ruling = state.rule(index, event);
                list.remember(&ruling);
                rulings.push(ruling);
                continue;
            }
        };
        // A player takes nothing back: the record is the arbiter's.
        let edited = event.actor.is_none() && list.edit(place, index);
        let (reason, rules) = match (&event.kind, edited) {
            // A refusal knows nothing of what happens later either.
            _ if event.actor.is_some() => {
                let earlier = events[..index].get(place);
                (Reason::NotArbiter, earlier.and_then(final_by))
            }
            (_, false) => (Reason::NothingToRetract, None),
            (EventKind::Retraction { .. }, true) => (Reason::Retracted, None),
            (_, true) => (Reason::Corrected, None),
        };
        let rules: Vec<Rule> = rules.into_iter().collect();
        let articles = state.articles(&rules);
        let mut replayed = Vec::new();
        if edited {
            let mut earlier = std::mem::take(&mut state.doubts);
            (state, replayed) = list.replay(start(earlier.anew()), index);
            state.doubts.take_over(&mut earlier);
        }
        // The time of an edit is known, as that of any event, and a later edit does not undo it.
        list.edited = list.edited.max(event.at.unwrap_or_default());
        state.now = state.now.max(list.edited);
        rulings.push(Ruling {
            event: index,
            accepted: edited,
            reason,
            rules,
            articles,
            effects: Vec::new(),
            replayed,
        });
    }
    let edited = !list.now.is_empty();
    let standing = edited.then(|| list.now.into_iter().flatten().collect());
    (
        state,
        Rulings {
            given: rulings,
            standing,
        },
    )
}

/// The rulings on a list as they were given, and as they stand if it was edited.
struct Rulings {
    given: Vec<Ruling>,
    standing: Option<Vec<Ruling>>,
}

/// The rule by which what a player has done is final.
fn final_by(event: &Event) -> Option<Rule> {
    match event.kind {
        EventKind::Resignation => Some(Rule::Resignation),
        EventKind::DrawOffer { .. } => Some(Rule::OfferWithdrawn),
        EventKind::Claim { .. } => Some(Rule::ClaimWithdrawn),
        _ => None,
    }
}

/// A list that is edited, and how each of its places is ruled as it now stands.
struct Edition<'a> {
    events: &'a [Event],
    /// The edits that were accepted, in order: their places.
    edits: Vec<usize>,
    /// Empty for a list without an edit.
    now: Vec<Option<Ruling>>,
    /// The latest time at which the list was edited, or was asked to be.
    edited: Duration,
}

impl<'a> Edition<'a> {
    fn new(events: &'a [Event]) -> Self {
        // Lists without an edit, nearly all, are never looked at again.
        let places = if events.iter().any(is_edit) {
            events.len()
        } else {
            0
        };
        Self {
            events,
            edits: Vec::new(),
            now: vec![None; places],
            edited: Duration::ZERO,
        }
    }

    fn remember(&mut self, ruling: &Ruling) {
        if let Some(now) = self.now.get_mut(ruling.event) {
            *now = Some(ruling.clone());
        }
    }

    /// The edits that count, in order: what a later one that counts takes back does not.
    fn standing_edits(&self) -> Vec<usize> {
        let mut standing: Vec<usize> = Vec::new();
        for &edit in self.edits.iter().rev() {
            let retracted = standing.iter().any(|&later| self.target(later) == Some(edit));
            if !retracted {
                standing.push(edit);
            }
        }
        standing.reverse();
        standing
    }

    fn target(&self, edit: usize) -> Option<usize> {
        match self.events[edit].kind {
            EventKind::Retraction { event } | EventKind::Correction { event, .. } => Some(event),
            _ => None,
        }
    }

    /// What counts at the places before `index`: nothing where an edit stands.
    fn counts(&self, index: usize) -> Vec<Option<Event>> {
        let counts = |event: &Event| (!is_edit(event)).then(|| event.clone());
        let mut list: Vec<Option<Event>> = self.events[..index].iter().map(counts).collect();
        for edit in self.standing_edits() {
            match &self.events[edit].kind {
                EventKind::Retraction { event } => list[*event] = None,
                EventKind::Correction { event, by } => {
                    let at = by.at.or_else(|| list[*event].as_ref()?.at);
                    list[*event] = Some(Event { at, ..(**by).clone() });
                }
                _ => {}
            }
        }
        list
    }

    /// Accepts the edit at `index` of an earlier place, if it can be: something counts there, or an edit that is taken back.
    fn edit(&mut self, place: usize, index: usize) -> bool {
        let earlier = self.events.get(place).filter(|_| place < index);
        let fits = earlier.is_some_and(|earlier| match &self.events[index].kind {
            EventKind::Correction { by, .. } if is_edit(by) || is_edit(earlier) => false,
            _ if is_edit(earlier) => self.standing_edits().contains(&place),
            _ => self.counts(index)[place].is_some(),
        });
        if fits {
            self.edits.push(index);
        }
        fits
    }

    /// The places of edits in a list of what counts, and their times, which are known to the events after them. What was put
    /// down after an edit may have been corrected to an earlier time: then the edit says nothing of it.
    fn times_of_edits(&self, list: &[Option<Event>]) -> Vec<(usize, Duration)> {
        let (mut times, mut earliest) = (Vec::new(), Duration::MAX);
        for (place, event) in list.iter().enumerate().rev() {
            let edit = &self.events[place];
            match event {
                Some(event) => earliest = earliest.min(event.at.unwrap_or(Duration::MAX)),
                None if is_edit(edit) => {
                    times.extend(edit.at.filter(|at| *at <= earliest).map(|at| (place, at)))
                }
                None => {}
            }
        }
        times.reverse();
        times
    }

    /// Replays what counts before a place; the rulings that differ from those given last.
    fn replay<'r>(&mut self, mut state: Replay<'r>, index: usize) -> (Replay<'r>, Vec<Ruling>) {
        let mut different = Vec::new();
        let list = self.counts(index);
        let mut edits = self.times_of_edits(&list).into_iter().peekable();
        for (place, event) in list.iter().enumerate() {
            if state.doubts.is_stopped() {
                break;
            }
            if let Some((_, at)) = edits.next_if(|(edit, _)| *edit == place) {
                state.now = state.now.max(at);
            }
            let Some(event) = event else {
                self.now[place] = None;
                continue;
            };
            let ruling = state.rule(place, event);
            if self.now[place].as_ref() != Some(&ruling) {
                different.push(ruling.clone());
                self.now[place] = Some(ruling);
            }
        }
        (state, different)
    }
}

fn is_edit(event: &Event) -> bool {
    matches!(
        event.kind,
        EventKind::Retraction { .. } | EventKind::Correction { .. }
    )
}

fn report(state: Replay<'_>, rulings: Rulings) -> Report {
    let open = state.conclusion.is_none() && !state.suspended && !state.referred;
    let mut claimable = if open && !state.claim_lost() {
        state.claimable()
    } else {
        Vec::new()
    };
    // What is written down has to be played, so it must be a move that is allowed.
    if let Some(due) = &state.obliged {
        claimable.retain(|claim| claim.with_move.is_none_or(|mv| due.contains(&mv)));
    }
    let (status, reason) = match &state.conclusion {
        Some(end) => (end.status, end.reason),
        None if state.referred => (GameStatus::Suspended, Reason::AwaitsDecision),
        None if state.suspended => (GameStatus::Suspended, Reason::Adjourned),
        None if state.is_drawn_elsewhere() => (GameStatus::Ongoing, Reason::GoesOnHere),
        None => (GameStatus::Ongoing, Reason::GoesOn),
    };
    let scores = state.scores();
    let category = state.control.map(TimeControl::category);
    let mut missing_facts = Vec::new();
    missing_facts.extend(category.and_then(|category| unnamed(state.ruleset, category)));
    missing_facts.extend(state.start_in_doubt());
    if status == GameStatus::Ongoing && state.doubts.undecided() {
        missing_facts.push(MissingFact {
            event: None,
            fact: "dead_position",
            articles: state.ruleset.articles_of(Rule::DeadPosition).to_vec(),
        });
    }
    missing_facts.extend(state.missing);
    Report {
        status,
        reason,
        scores,
        conclusion: state.conclusion,
        rulings: rulings.given,
        standing: rulings.standing,
        claimable,
        // While the game is adjourned nobody moves.
        obligations: state.obliged.filter(|_| !state.suspended),
        missing_facts,
        // What they showed at a move without a time is not known.
        clocks: state
            .clock
            .filter(|_| state.untimed.is_none())
            .map(|clock| clock.view(state.now)),
        category,
    }
}

impl Report {
    /// Notes how fast a game was whose clocks nobody followed, and what is missing then.
    pub fn name_category(&mut self, ruleset: &Ruleset, control: &TimeControl) {
        let category = control.category();
        self.category = Some(category);
        self.missing_facts.splice(0..0, unnamed(ruleset, category));
    }
}

/// At this time control, another part of the laws governs the game, and the event has to say which (A.6, B.4).
fn unnamed(ruleset: &Ruleset, category: TimeCategory) -> Option<MissingFact> {
    let fits = match ruleset.switches.category {
        Category::Any => true,
        Category::Standard => category == TimeCategory::Standard,
        Category::Rapid => category == TimeCategory::Rapid,
        Category::Blitz => category == TimeCategory::Blitz,
    };
    (!fits).then(|| MissingFact {
        event: None,
        fact: "ruleset",
        articles: [Rule::Category, Rule::CategoryNamed]
            .iter()
            .flat_map(|&rule| ruleset.articles_of(rule).iter().cloned())
            .collect(),
    })
}

#[cfg(test)]
mod tests {
    use tabiya_rules::{Board, MoveList};

    use super::*;
    use crate::ruleset::Library;

    /// A game of random legal moves; captures come first, every other time.
    fn random_game(fen: &str, plies: usize, random: &mut u64) -> Game {
        let mut below = |bound: usize| {
            *random ^= *random << 13;
            *random ^= *random >> 7;
            *random ^= *random << 17;
            (*random >> 16) as usize % bound
        };
        let mut game = Game::new(Board::from_fen(fen).unwrap());
        for _ in 0..plies {
            let (mut moves, mut captures) = (MoveList::new(), MoveList::new());
            game.board().legal_moves(&mut moves);
            game.board().captures(&mut captures);
            let list = if captures.is_empty() || below(2) == 0 {
                moves
            } else {
                captures
            };
            if list.is_empty() {
                break;
            }
            game.play(list[below(list.len())]);
        }
        game
    }

    #[test]
    fn putting_proofs_off_changes_no_ruling() {
        let starts = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "8/8/4k3/2p5/2P1r3/3RK3/8/8 w - - 0 1",
            "8/5b2/4k3/p1p1p1p1/P1P1P1P1/4K3/8/2B5 w - - 0 1",
            "7k/8/8/8/8/8/6q1/K7 b - - 0 1",
            "8/8/3nk3/8/8/3NK3/4P3/8 w - - 0 1",
        ];
        let library = Library::built_in().unwrap();
        let ruleset = library.find("fide-2023").unwrap();
        let mut random = 0x5eed;
        let mut dead = 0;
        for round in 0..60 {
            let game = random_game(starts[round % starts.len()], 90, &mut random);
            // Half of the moves come as history and half as events.
            let (mut history, mut events) = (Game::new(*game.start()), Vec::new());
            for (ply, &mv) in game.moves().iter().enumerate() {
                if ply < game.moves().len() / 2 {
                    history.play(mv);
                    continue;
                }
                let text = mv.to_string();
                let kind = EventKind::Move {
                    text,
                    notation: None,
                    two_hands: false,
                    unnoticed: false,
                };
                events.push(Event::new(None, kind));
            }
            let strict = run(
                ruleset,
                &history,
                Variant::Chess960,
                None,
                &events,
                Doubts::strict(),
            );
            let strict = report(strict.0, strict.1);
            assert_eq!(
                replay(ruleset, &history, Variant::Chess960, None, &events),
                strict,
                "{round}"
            );
            dead += usize::from(strict.conclusion.is_some_and(|end| end.reason == Reason::Dead));
        }
        assert!(dead > 3, "only {dead} games ended in dead positions");
    }
}
