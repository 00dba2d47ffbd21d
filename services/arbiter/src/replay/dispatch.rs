//! Which handler answers an event.

use tabiya_rules::Variant;

use super::{
    Answer, Choice, Decision, Effect, Event, EventKind, Reason, Replay, Ruling, end_events::FlagReport,
    fault::IllegalReport, release_events::SetDown, resume_events::Resumption, setup_events::Displaced,
    touch_events::Touched,
};
use crate::ruleset::Rule;

impl Replay<'_> {
    pub(super) fn rule(&mut self, index: usize, event: &Event) -> Ruling {
        self.event = Some(index);
        if self.conclusion.is_none() {
            self.keep_clock(event);
        }
        let mut answer = if self.conclusion.is_some() {
            let answer = self.answer_after_end(event);
            if self.conclusion.is_none() {
                // The end was undone, and somebody is on move again.
                let side = self.to_move();
                self.set_clocks(&[Effect::ClockRuns { side }]);
            }
            answer
        } else {
            self.answer_in_time(event)
        };
        if self
            .conclusion
            .as_ref()
            .is_some_and(|end| end.event == Some(index))
        {
            // Nobody's clock runs any more.
            answer
                .effects
                .retain(|effect| !matches!(effect, Effect::ClockRuns { .. }));
        }
        self.list_options(index, answer.about.or(event.actor), &answer);
        self.cite_chess960(&mut answer.rules);
        let mut articles = self.articles(&answer.rules);
        if let Some(end) = self.conclusion.as_ref().filter(|end| end.event == Some(index)) {
            // What ended the game comes first.
            let ended = end.articles.iter().filter(|article| !articles.contains(article));
            articles.splice(0..0, ended.cloned().collect::<Vec<_>>());
        }
        for missing in self
            .missing
            .iter_mut()
            .filter(|missing| missing.event == Some(index))
        {
            if missing.articles.is_empty() {
                missing.articles.clone_from(&articles);
            }
        }
        Ruling {
            event: index,
            accepted: answer.accepted,
            reason: answer.reason,
            rules: answer.rules,
            articles,
            effects: answer.effects,
            replayed: Vec::new(),
        }
    }

    /// What bars castling in Chess960 is said of its own squares.
    fn cite_chess960(&self, rules: &mut Vec<Rule>) {
        let barred = rules.contains(&Rule::CastleBarred) && self.ruleset.has(Rule::Chess960Castling);
        if barred && self.variant == Variant::Chess960 {
            rules.push(Rule::Chess960Castling);
        }
    }

    /// Answers an event of a game that goes on, with what it does to the clocks.
    fn answer_in_time(&mut self, event: &Event) -> Answer {
        self.now = self.now.max(event.at.unwrap_or_default());
        // What is read after a move or a press holds what they did to the clocks.
        let after = matches!(event.kind, EventKind::Move { .. } | EventKind::ClockPress);
        if !after {
            self.read_clocks(event.reading, event.at);
        }
        self.note_little_time();
        self.note_presence(event);
        let periods = self.periods();
        let mut answer = self.answer(event);
        let completed = self
            .periods()
            .into_iter()
            .zip(periods)
            .any(|(now, before)| now > before);
        if completed {
            // By a move; one that is taken back completes none.
            answer.rules.push(Rule::Period);
        }
        self.note_own_time(&event.kind, &answer.effects);
        self.keep_stopped(&event.kind, &mut answer);
        if after {
            self.read_clocks(event.reading, event.at);
        }
        self.set_clocks(&answer.effects);
        if self.conclusion.is_some() {
            self.set_clocks(&[Effect::ClocksPaused]);
        }
        self.note_little_time();
        answer
    }

    /// What is found after the end changes nothing: where no article says so, by those on what is found during the game.
    fn found_afterwards(&self, during: &[Rule]) -> Answer {
        let mut stating = [Rule::FoundAfterwards].iter().chain(during);
        let rule = stating.find(|&&rule| self.ruleset.has(rule));
        Answer::no(Reason::GameOver, rule.map_or(&[], std::slice::from_ref))
    }

    /// What happens after the end changes nothing on the board; a complaint in time about the move that ended the game
    /// comes before it, and breaches, with what the arbiter may decide about them and about a signed result, stay.
    fn answer_after_end(&mut self, event: &Event) -> Answer {
        match &event.kind {
            EventKind::TouchComplaint { .. } if self.ended_on_board() => self.answer(event),
            EventKind::ArbiterDecision(Decision::Choice { choice, .. })
                if *choice == Choice::ChangeResult || self.outlasts_the_game(*choice) =>
            {
                self.answer(event)
            }
            EventKind::Breach { breach } => self.on_breach_after_end(event.actor, *breach),
            EventKind::IllegalMoveReport {
                after_signature: true,
                ..
            } if self.ruleset.has(Rule::ResultSigned) => self.on_signed(),
            EventKind::IllegalMoveReport { .. } | EventKind::IllegalPosition => {
                self.found_afterwards(&[Rule::IllegalRestored])
            }
            EventKind::Displacement { .. } => self.found_afterwards(&[Rule::DisplacedLater, Rule::Displaced]),
            EventKind::SetupFault { .. } => self.found_afterwards(&[Rule::WrongSetup]),
            EventKind::ClockFault { .. } => self.found_afterwards(&[Rule::ClockDefect]),
            EventKind::FlagFall { .. } => Answer::no(Reason::GameOver, &[self.rule_before_flag()]),
            EventKind::Resume { .. } => Answer::no(Reason::GameOver, &[Rule::AdjournedResult]),
            EventKind::Appeal => self.on_appeal(event.actor),
            &EventKind::Arrival { late, excused, .. } => {
                self.on_arrival_after_end(event.actor, late, excused)
            }
            EventKind::Touch {
                adjust: false,
                accidental: false,
                ..
            } if self.ended_on_board() && event.actor == Some(self.to_move()) => {
                // It ends the right to complain about the move that ended the game.
                self.touched = true;
                Answer::no(Reason::GameOver, &[])
            }
            _ => Answer::no(Reason::GameOver, &[]),
        }
    }

    fn answer(&mut self, event: &Event) -> Answer {
        if self.referred
            && let Some(answer) = self.while_referred(event)
        {
            return answer;
        }
        if self.suspended && is_play(&event.kind) {
            return Answer::no(Reason::Adjourned, &[Rule::SealedResumed]);
        }
        if self.unruly.as_ref().is_some_and(|unruly| unruly.setup.is_none()) && needs_board(&event.kind) {
            self.lacks("position");
            return Answer::no(Reason::MissingFact, &[Rule::IllegalStands]);
        }
        let mut earlier = self.reply_to_breach(event);
        earlier.extend(self.reply_to_release(event));
        let mut answer = self.answer_alone(event);
        answer.effects.splice(0..0, earlier);
        answer
    }

    /// Answers an event with what came before it ruled on.
    fn answer_alone(&mut self, event: &Event) -> Answer {
        let actor = event.actor;
        match &event.kind {
            EventKind::Move {
                text,
                notation,
                two_hands,
                unnoticed,
            } => {
                self.unnoticed = *unnoticed;
                let answer = self.on_move(actor, text, *notation, *two_hands);
                self.unnoticed = false;
                answer
            }
            EventKind::ClockPress => self.on_press(actor),
            EventKind::Touch {
                squares,
                adjust,
                order_unclear,
                accidental,
                consent,
                out_of_hole,
            } => {
                let touched = Touched {
                    squares,
                    adjust: *adjust,
                    order_unclear: *order_unclear,
                    accidental: *accidental,
                    consent: *consent,
                    out_of_hole: *out_of_hole,
                };
                self.on_touch(actor, &touched)
            }
            &EventKind::Release {
                from,
                to,
                released,
                promotion,
                announced,
            } => {
                let set_down = SetDown {
                    from,
                    to,
                    released,
                    promotion,
                    announced,
                };
                self.on_release(actor, &set_down)
            }
            EventKind::TouchComplaint {
                touched_since,
                squares,
                promotion,
                established,
            } => self.on_complaint(actor, *touched_since, squares, *promotion, *established),
            &EventKind::DrawOffer {
                consent,
                moment_unknown,
            } => self.on_offer(actor, consent, moment_unknown),
            EventKind::Withdrawal => self.on_withdrawal(actor),
            EventKind::DrawAnswer { accept } => self.on_draw_answer(actor, *accept),
            EventKind::Claim {
                ground,
                with_move,
                remaining,
                display_only,
            } => self.on_claim(actor, *ground, with_move.as_deref(), *remaining, *display_only),
            EventKind::Resignation => self.on_resignation(actor),
            &EventKind::FlagFall {
                side,
                last_period,
                witness,
                confirmed,
            } => {
                let flag = FlagReport {
                    side,
                    last_period,
                    witness,
                    confirmed,
                    timed: event.at.is_some(),
                    read: event.reading.0.map(|left| left.is_some()),
                };
                self.on_flag(actor, &flag)
            }
            EventKind::Arrival {
                late,
                opponent_absent,
                excused,
            } => self.on_arrival(actor, *late, *opponent_absent, *excused, event.at.is_some()),
            &EventKind::IllegalMoveReport {
                after_signature,
                position_known,
                times_known,
                both_agree,
                moves_before,
                side,
            } => {
                let report = IllegalReport {
                    after_signature,
                    position_known,
                    times_known,
                    both_agree,
                    moves_before,
                    side,
                };
                self.on_illegal_report(actor, &report)
            }
            EventKind::IllegalPosition => self.on_illegal_position(),
            &EventKind::Displacement {
                found_later,
                position_known,
                pressed,
                times_known,
                moves_before,
            } => {
                let report = Displaced {
                    found_later,
                    position_known,
                    pressed,
                    times_known,
                    moves_before,
                };
                self.on_displacement(actor, &report)
            }
            EventKind::SetupFault {
                fault,
                first_period_permille,
                squares,
            } => self.on_setup(*fault, *first_period_permille, squares),
            EventKind::Recording {
                lapse,
                remaining,
                increment,
            } => self.on_recording(actor, *lapse, *remaining, *increment),
            EventKind::Breach { breach } => self.on_breach(actor, *breach),
            EventKind::Seal {
                text,
                clock_stopped,
                session_left,
            } => self.on_seal(actor, text, *clock_stopped, *session_left),
            EventKind::EnvelopeLost {
                position_known,
                times_known,
            } => self.on_envelope_lost(*position_known, *times_known),
            EventKind::EnvelopeChecked { items } => self.on_envelope_checked(items),
            &EventKind::Resume {
                replier_present,
                sealer_present,
                sealer_late,
                replier_late,
            } => {
                let report = Resumption {
                    replier_present,
                    sealer_present,
                    sealer_late,
                    replier_late,
                };
                self.on_resume(&report)
            }
            EventKind::ArbiterDecision(decision) => self.on_decision(actor, decision),
            EventKind::Pause { reason } => self.on_pause(actor, *reason),
            EventKind::ClockStart => self.on_clock_start(actor),
            EventKind::ClockFault {
                fault,
                flag_fallen,
                moved_since_resumption,
            } => self.on_clock_fault(*fault, *flag_fallen, *moved_since_resumption),
            EventKind::Disturbance { interrupted } => self.on_disturbance(*interrupted),
            EventKind::QuickplayClaim { claim, remaining } => self.on_quickplay(actor, *claim, *remaining),
            EventKind::Assistance { disability } => self.on_assistance(*disability),
            EventKind::SlipOfTongue { clock_started } => self.on_slip(*clock_started),
            &EventKind::BoardsDiffer {
                sheets_agree,
                moves_before,
            } => self.on_boards_differ(sheets_agree, moves_before),
            EventKind::Appeal => self.on_appeal(actor),
            // Who replays the list edits it; here there is nothing to do.
            EventKind::Retraction { .. } | EventKind::Correction { .. } => {
                Answer::no(Reason::NothingToRetract, &[])
            }
        }
    }
}

/// What waits for the sealed move while a game is adjourned.
fn is_play(kind: &EventKind) -> bool {
    matches!(
        kind,
        EventKind::Move { .. }
            | EventKind::ClockPress
            | EventKind::Touch { .. }
            | EventKind::Release { .. }
            | EventKind::TouchComplaint { .. }
            | EventKind::Claim { .. }
    )
}

/// What asks for the legal moves of a position, or for its history.
fn needs_board(kind: &EventKind) -> bool {
    match kind {
        EventKind::Touch {
            adjust, accidental, ..
        } => !adjust && !accidental,
        EventKind::Release { .. }
        | EventKind::TouchComplaint { .. }
        | EventKind::Claim { .. }
        | EventKind::Seal { .. } => true,
        _ => false,
    }
}
