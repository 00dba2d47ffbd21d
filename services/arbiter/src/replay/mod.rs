//! Events in, rulings out: a pure function over a list of events.

mod board_events;
mod clock;
mod draw_events;
mod end_events;
mod event;
mod floor_events;
mod position;
mod reason;
mod ruling;
mod sealed_events;
mod touch;

use std::time::Duration;

use tabiya_rules::{Board, Color, Game, Move, Square, Variant};

pub use clock::{ClockView, Clocks, DelayMode, Period, TimeControl, TimeControlError};
pub use event::{Breach, Event, EventKind, SetupFault};
pub use reason::Reason;
pub use ruling::{Conclusion, Effect, GameResult, GameStatus, MissingFact, Report, Ruling};

use crate::ruleset::{Rule, Ruleset};

/// An illegal move, or a move made in a forbidden way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Fault {
    by: Color,
    reason: Reason,
    rule: Option<Rule>,
    /// A pawn's way to its last rank.
    promotion: Option<(Square, Square)>,
    /// The way of an illegal move.
    way: Option<(Square, Square)>,
    /// Whether the clock has been pressed.
    complete: bool,
}

/// A move under seal.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Envelope {
    by: Color,
    text: String,
    stopped: bool,
}

/// How one event is answered.
struct Answer {
    accepted: bool,
    reason: Reason,
    rules: Vec<Rule>,
    effects: Vec<Effect>,
}

impl Answer {
    fn yes(reason: Reason, rules: &[Rule]) -> Self {
        Self::new(true, reason, rules)
    }

    fn no(reason: Reason, rules: &[Rule]) -> Self {
        Self::new(false, reason, rules)
    }

    fn new(accepted: bool, reason: Reason, rules: &[Rule]) -> Self {
        Self {
            accepted,
            reason,
            rules: rules.to_vec(),
            effects: Vec::new(),
        }
    }

    fn with(mut self, effect: Effect) -> Self {
        self.effects.push(effect);
        self
    }
}

/// The state of a game between two events.
struct Replay<'a> {
    ruleset: &'a Ruleset,
    variant: Variant,
    game: Game,
    /// Plies played before a forced position replaced `game`.
    earlier_plies: usize,
    fault: Option<Fault>,
    /// The last legal move was made and not yet pressed, by this side.
    unpressed: Option<Color>,
    illegal: [u32; 2],
    king_fouls: [u32; 2],
    offer: Option<Color>,
    offers: [u32; 2],
    /// The side whose offer was refused last and that has to wait.
    refused: [bool; 2],
    touched: bool,
    obliged: Option<Vec<Move>>,
    envelope: Option<Envelope>,
    /// Plies played when an illegal position was noted.
    illegal_position: Option<usize>,
    /// Who claimed last, and after how many plies.
    claimed: Option<(Color, usize)>,
    arrived: [bool; 2],
    suspended: bool,
    conclusion: Option<Conclusion>,
    missing: Vec<MissingFact>,
    event: Option<usize>,
    clock: Option<clock::Clock>,
    /// The latest time that an event gave.
    now: Duration,
    /// When the last legal move was made.
    moved_at: Option<Duration>,
}

/// Replays a game: `game` holds the moves before the first event. Clocks are computed with a time control, if it is
/// given and the events carry times: they start at time 0 with the first event's turn.
///
/// The same list gives the same answer, and the answer to an event never depends on later ones.
pub fn replay(
    ruleset: &Ruleset,
    game: &Game,
    variant: Variant,
    control: Option<&TimeControl>,
    events: &[Event],
) -> Report {
    let mut state = Replay::new(ruleset, game, variant, control);
    let mut rulings = Vec::with_capacity(events.len());
    let mut retracted = vec![false; events.len()];
    for (index, event) in events.iter().enumerate() {
        let EventKind::Retraction { event: earlier } = event.kind else {
            rulings.push(state.rule(index, event));
            continue;
        };
        let possible = earlier < index
            && !retracted[earlier]
            && !matches!(events[earlier].kind, EventKind::Retraction { .. });
        if possible {
            retracted[earlier] = true;
            state = Replay::new(ruleset, game, variant, control);
            for (index, event) in events[..index].iter().enumerate() {
                if !retracted[index] && !matches!(event.kind, EventKind::Retraction { .. }) {
                    state.rule(index, event);
                }
            }
        }
        rulings.push(Ruling {
            event: index,
            accepted: possible,
            reason: if possible {
                Reason::Retracted
            } else {
                Reason::NothingToRetract
            },
            articles: Vec::new(),
            effects: Vec::new(),
        });
    }
    let claimable = if state.conclusion.is_none() && !state.touched {
        position::claimable(&state.game, &ruleset.switches)
    } else {
        Vec::new()
    };
    let status = match (&state.conclusion, state.suspended) {
        (Some(conclusion), _) => conclusion.status,
        (None, true) => GameStatus::Suspended,
        (None, false) => GameStatus::Ongoing,
    };
    Report {
        status,
        conclusion: state.conclusion,
        rulings,
        claimable,
        obligations: state.obliged,
        missing_facts: state.missing,
        clocks: state.clock.map(|clock| clock.view(state.now)),
    }
}

impl<'a> Replay<'a> {
    fn new(ruleset: &'a Ruleset, moves: &Game, variant: Variant, control: Option<&TimeControl>) -> Self {
        let mut state = Self {
            ruleset,
            variant,
            game: Game::new(*moves.start()),
            earlier_plies: 0,
            fault: None,
            unpressed: None,
            illegal: [0; 2],
            king_fouls: [0; 2],
            offer: None,
            offers: [0; 2],
            refused: [false; 2],
            touched: false,
            obliged: None,
            envelope: None,
            illegal_position: None,
            claimed: None,
            arrived: [false; 2],
            suspended: false,
            conclusion: None,
            missing: Vec::new(),
            event: None,
            clock: control.map(|control| clock::Clock::new(control, moves.board().side_to_move())),
            now: Duration::ZERO,
            moved_at: None,
        };
        state.end_by_position();
        for &mv in moves.moves() {
            if state.conclusion.is_some() {
                break;
            }
            state.game.play(mv);
            state.end_by_position();
        }
        state
    }

    fn rule(&mut self, index: usize, event: &Event) -> Ruling {
        self.event = Some(index);
        match event.at {
            Some(at) => self.now = self.now.max(at),
            // A turn whose end is not known: from here on the clocks are not known either.
            None if matches!(event.kind, EventKind::Move { .. } | EventKind::ClockPress)
                && self.clock.is_some() =>
            {
                self.clock = None;
                self.lacks("at");
            }
            None => {}
        }
        let answer = if self.conclusion.is_some() {
            match event.kind {
                EventKind::IllegalMoveReport {
                    after_signature: true,
                    ..
                } => Answer::no(Reason::ResultStands, &[Rule::ResultSigned]),
                EventKind::FlagFall { .. } if self.ended_by_players() => {
                    Answer::no(Reason::GameOver, &[Rule::ResultSigned])
                }
                EventKind::FlagFall { .. } => Answer::no(Reason::GameOver, &[Rule::MoveEndsGame]),
                EventKind::Resume { .. } => Answer::no(Reason::GameOver, &[Rule::AdjournedResult]),
                _ => Answer::no(Reason::GameOver, &[]),
            }
        } else {
            self.answer(event)
        };
        self.set_clocks(&answer.effects);
        Ruling {
            event: index,
            accepted: answer.accepted,
            reason: answer.reason,
            articles: self.articles(&answer.rules),
            effects: answer.effects,
        }
    }

    fn answer(&mut self, event: &Event) -> Answer {
        match &event.kind {
            EventKind::Move { uci, two_hands } => self.on_move(event.actor, uci, *two_hands),
            EventKind::ClockPress => self.on_press(event.actor),
            EventKind::Touch {
                squares,
                adjust,
                order_unclear,
            } => self.on_touch(event.actor, squares, *adjust, *order_unclear),
            EventKind::Release { from, to, released } => self.on_release(*from, *to, *released),
            EventKind::TouchComplaint { touched_since } => self.on_complaint(*touched_since),
            EventKind::DrawOffer => self.on_offer(event.actor),
            EventKind::Withdrawal => self.on_withdrawal(event.actor),
            EventKind::DrawAnswer { accept } => self.on_draw_answer(event.actor, *accept),
            EventKind::Claim {
                ground,
                with_move,
                remaining,
            } => self.on_claim(event.actor, *ground, with_move.as_deref(), *remaining),
            EventKind::Resignation => self.on_resignation(event.actor),
            EventKind::FlagFall { side, last_period } => self.on_flag(*side, *last_period),
            EventKind::Arrival { late } => self.on_arrival(event.actor, *late),
            EventKind::IllegalMoveReport {
                after_signature,
                position_known,
                times_known,
            } => self.on_illegal_report(*after_signature, *position_known, *times_known),
            EventKind::IllegalPosition => self.on_illegal_position(),
            EventKind::Displacement => self.on_displacement(event.actor),
            EventKind::SetupFault {
                fault,
                first_period_permille,
            } => self.on_setup(*fault, *first_period_permille),
            EventKind::RecordingLapse { remaining, increment } => {
                self.on_recording(event.actor, *remaining, *increment)
            }
            EventKind::SheetsUnclear => {
                Answer::yes(Reason::SheetsUnclear, &[Rule::SheetsUnclear]).with(Effect::NextPeriod)
            }
            EventKind::Breach { breach } => self.on_breach(event.actor, *breach),
            EventKind::Seal { text, clock_stopped } => self.on_seal(event.actor, text, *clock_stopped),
            EventKind::EnvelopeLost { position_known } => self.on_envelope_lost(*position_known),
            EventKind::Resume {
                replier_present,
                sealer_late,
            } => self.on_resume(*replier_present, *sealer_late),
            EventKind::ArbiterDecision { .. } if event.actor.is_some() => Answer::no(Reason::Unstated, &[]),
            EventKind::ArbiterDecision { result: Some(result) } => {
                self.decide(*result, Reason::Decided, &[Rule::Sanctions])
            }
            EventKind::ArbiterDecision { result: None } => self.annul(Reason::Decided, &[Rule::Sanctions]),
            // The caller of `rule` takes events back; here there is nothing to do.
            EventKind::Retraction { .. } => Answer::no(Reason::NothingToRetract, &[]),
        }
    }

    fn articles(&self, rules: &[Rule]) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        for article in rules.iter().flat_map(|&rule| self.ruleset.articles_of(rule)) {
            if !all.contains(article) {
                all.push(article.clone());
            }
        }
        all
    }

    /// Carries out what a ruling does to the clocks.
    fn set_clocks(&mut self, effects: &[Effect]) {
        let Some(clock) = &mut self.clock else { return };
        for effect in effects {
            match *effect {
                Effect::TimeAdded { side, seconds } => clock.add(side, seconds.into()),
                Effect::UsedTimeAdded { side, seconds } => clock.add(side, -i64::from(seconds)),
                _ => {}
            }
        }
    }

    /// Time left on a side's clock, if it is known.
    fn remaining(&self, side: Color) -> Option<Duration> {
        let view = self.clock.as_ref()?.view(self.now);
        Some(view.sides[side.index()].remaining)
    }

    fn board(&self) -> &Board {
        self.game.board()
    }

    fn plies(&self) -> usize {
        self.earlier_plies + self.game.moves().len()
    }

    /// Completed rounds: moves by both sides.
    fn rounds(&self) -> u32 {
        (self.plies() / 2) as u32
    }

    fn lacks(&mut self, fact: &'static str) {
        let event = self.event.unwrap_or_default();
        self.missing.push(MissingFact { event, fact });
    }

    /// Ends the game with a result.
    fn decide(&mut self, result: GameResult, reason: Reason, rules: &[Rule]) -> Answer {
        self.conclude(GameStatus::Decided, Some(result), reason, rules, Vec::new());
        Answer::yes(reason, rules)
    }

    /// Ends the game without one.
    fn annul(&mut self, reason: Reason, rules: &[Rule]) -> Answer {
        self.conclude(GameStatus::Void, None, reason, rules, Vec::new());
        Answer::yes(reason, rules)
    }

    fn conclude(
        &mut self,
        status: GameStatus,
        result: Option<GameResult>,
        reason: Reason,
        rules: &[Rule],
        also: Vec<Reason>,
    ) {
        self.obliged = None;
        self.offer = None;
        self.suspended = false;
        self.conclusion = Some(Conclusion {
            status,
            result,
            reason,
            articles: self.articles(rules),
            event: self.event,
            ply: self.plies(),
            also,
        });
    }

    /// Ends the game if its position does.
    fn end_by_position(&mut self) {
        let endings = position::endings(&self.game, &self.ruleset.switches);
        if let Some(&(reason, rule, result)) = endings.first() {
            let also: Vec<Reason> = endings[1..].iter().map(|&(reason, ..)| reason).collect();
            let mut rules = vec![rule];
            // The article on quiet moves itself says that mate comes first.
            if reason == Reason::Mate && also.contains(&Reason::Quiet) {
                rules.push(Rule::AutomaticQuietMoves);
            }
            self.conclude(GameStatus::Decided, Some(result), reason, &rules, also);
        }
    }

    /// Whether the players themselves ended the game.
    fn ended_by_players(&self) -> bool {
        self.conclusion.as_ref().is_some_and(|end| {
            matches!(
                end.reason,
                Reason::Agreed | Reason::Resigned | Reason::ResignedDraw
            )
        })
    }
}
