//! What happened, and the facts that belong to it.

use tabiya_arbiter::{
    ClaimGround,
    replay::{
        Breach, Choice, ClockFault, Decision, EnvelopeItem, EventKind, Notation, PauseReason, QuickplayClaim,
        RecordingLapse, SetupFault, Witness,
    },
};
use tabiya_rules::Piece;

use super::reader::Reader;
use crate::{
    convert::enumeration::enumeration,
    v1::{self, event::Kind},
};

impl Reader<'_> {
    pub(super) fn kind(&mut self, kind: &Kind) -> Option<EventKind> {
        Some(match kind {
            Kind::Move(event) => EventKind::Move {
                text: self.text("move.text", &event.text),
                notation: match enumeration(event.notation, self.path("move.notation"), self.violations) {
                    v1::MoveNotation::Unspecified => None,
                    v1::MoveNotation::Uci => Some(Notation::Uci),
                    v1::MoveNotation::San => Some(Notation::San),
                    v1::MoveNotation::Chinese => Some(Notation::Chinese),
                },
                two_hands: event.two_hands,
                unnoticed: event.unnoticed,
            },
            Kind::ClockPress(_) => EventKind::ClockPress,
            Kind::Touch(event) => {
                if event.squares.is_empty() {
                    self.refuse("touch.squares", "", "missing");
                }
                EventKind::Touch {
                    squares: self.squares("touch.squares", &event.squares),
                    adjust: event.adjusting,
                    order_unclear: event.order_unclear,
                    accidental: event.accidental,
                    consent: event.consent,
                    out_of_hole: event.out_of_hole,
                }
            }
            Kind::Release(event) => EventKind::Release {
                from: self.square("release.from_square", &event.from_square)?,
                to: self.square("release.to_square", &event.to_square)?,
                released: event.released,
                promotion: self.promotion("release.promotion", &event.promotion),
                announced: event.announced,
            },
            Kind::DrawOffer(event) => EventKind::DrawOffer {
                consent: event.consent,
                moment_unknown: event.moment_unknown,
            },
            Kind::DrawAnswer(event) => EventKind::DrawAnswer {
                accept: event.accepted,
            },
            Kind::Claim(event) => EventKind::Claim {
                with_move: Some(self.text("claim.with_move", &event.with_move))
                    .filter(|text| !text.is_empty()),
                remaining: self.duration("claim.remaining", event.remaining.as_ref()),
                display_only: event.display_only,
                // Last, as nothing is read after what is missing.
                ground: match enumeration(event.ground, self.path("claim.ground"), self.violations) {
                    v1::ClaimGround::ThreefoldRepetition => ClaimGround::ThreefoldRepetition,
                    v1::ClaimGround::FiftyMoves => ClaimGround::FiftyMoves,
                    v1::ClaimGround::Unspecified => return self.unset("claim.ground", event.ground),
                },
            },
            Kind::Resignation(_) => EventKind::Resignation,
            Kind::FlagFall(event) => EventKind::FlagFall {
                side: self.side("flag_fall.side", event.side),
                last_period: event.last_period,
                witness: match enumeration(event.witness, self.path("flag_fall.witness"), self.violations) {
                    v1::FlagWitness::Unspecified => Witness::Actor,
                    v1::FlagWitness::Arbiter => Witness::Arbiter,
                    v1::FlagWitness::Player => Witness::Player,
                    v1::FlagWitness::Bystander => Witness::Bystander,
                    v1::FlagWitness::Record => Witness::Record,
                },
                confirmed: event.confirmed,
            },
            Kind::Arrival(event) => {
                let late = self.duration("arrival.late", event.late.as_ref());
                if event.late.is_none() {
                    self.refuse("arrival.late", "", "missing");
                }
                EventKind::Arrival {
                    late: late?,
                    opponent_absent: event.opponent_absent,
                    excused: event.excused,
                }
            }
            Kind::IllegalMoveReport(event) => EventKind::IllegalMoveReport {
                after_signature: event.after_signature,
                position_known: !event.position_unknown,
                times_known: !event.times_unknown,
                both_agree: event.both_agree,
                moves_before: event.moves_before,
                side: self.side("illegal_move_report.side", event.side),
            },
            Kind::Displacement(event) => EventKind::Displacement {
                found_later: event.found_later,
                position_known: !event.position_unknown,
                pressed: event.pressed,
                times_known: !event.times_unknown,
                moves_before: event.moves_before,
            },
            Kind::SetupFault(event) => EventKind::SetupFault {
                fault: match enumeration(event.fault, self.path("setup_fault.fault"), self.violations) {
                    v1::SetupFault::WrongPieces => SetupFault::WrongPieces,
                    v1::SetupFault::BoardTurned => SetupFault::BoardTurned,
                    v1::SetupFault::ColoursReversed => SetupFault::ColoursReversed,
                    v1::SetupFault::ResumedWrong => SetupFault::ResumedWrong,
                    v1::SetupFault::Unspecified => return self.unset("setup_fault.fault", event.fault),
                },
                first_period_permille: self.permille(event.first_period_permille),
                squares: self.squares("setup_fault.squares", &event.squares),
            },
            Kind::RecordingLapse(event) => EventKind::Recording {
                lapse: self.lapse(event.lapse),
                remaining: self.duration("recording_lapse.remaining", event.remaining.as_ref()),
                increment: self.duration("recording_lapse.increment", event.increment.as_ref()),
            },
            Kind::Breach(event) => EventKind::Breach {
                breach: self.breach(event.breach)?,
            },
            Kind::Seal(event) => EventKind::Seal {
                text: self.text("seal.text", &event.text),
                clock_stopped: event.clock_stopped,
                session_left: self.duration("seal.session_left", event.session_left.as_ref()),
            },
            Kind::Envelope(event) if event.checked => EventKind::EnvelopeChecked {
                items: self.envelope_items(&event.items),
            },
            Kind::Envelope(event) => {
                // What stands on it matters only once it is checked.
                self.envelope_items(&event.items);
                EventKind::EnvelopeLost {
                    position_known: event.position_known,
                    times_known: !event.times_unknown,
                }
            }
            Kind::Resume(event) => EventKind::Resume {
                replier_present: !event.replier_absent,
                sealer_present: !event.sealer_absent,
                sealer_late: self
                    .duration("resume.sealer_late", event.sealer_late.as_ref())
                    .unwrap_or_default(),
                replier_late: self
                    .duration("resume.replier_late", event.replier_late.as_ref())
                    .unwrap_or_default(),
            },
            Kind::ArbiterDecision(event) => EventKind::ArbiterDecision(self.decision(event)?),
            Kind::Retraction(event) => EventKind::Retraction {
                event: self.earlier("retraction.event", event.event),
            },
            Kind::Correction(event) => EventKind::Correction {
                event: self.earlier("correction.event", event.event),
                by: Box::new(self.replacement(event)?),
            },
            Kind::Withdrawal(_) => EventKind::Withdrawal,
            Kind::TouchComplaint(event) => EventKind::TouchComplaint {
                touched_since: event.touched_since,
                squares: self.squares("touch_complaint.squares", &event.squares),
                promotion: self.promotion("touch_complaint.promotion", &event.promotion),
                established: event.established,
            },
            Kind::IllegalPosition(_) => EventKind::IllegalPosition,
            Kind::Pause(event) => EventKind::Pause {
                reason: match enumeration(event.reason, self.path("pause.reason"), self.violations) {
                    v1::PauseReason::Assistance => PauseReason::Assistance,
                    v1::PauseReason::PromotionPiece => PauseReason::PromotionPiece,
                    v1::PauseReason::Claim => PauseReason::Claim,
                    v1::PauseReason::Groundless => PauseReason::Groundless,
                    v1::PauseReason::Unspecified => return self.unset("pause.reason", event.reason),
                },
            },
            Kind::ClockStart(_) => EventKind::ClockStart,
            Kind::ClockFault(event) => EventKind::ClockFault {
                fault: match enumeration(event.fault, self.path("clock_fault.fault"), self.violations) {
                    v1::ClockFault::Defect => ClockFault::Defect,
                    v1::ClockFault::Doubted => ClockFault::Doubted,
                    v1::ClockFault::Setting => ClockFault::Setting,
                    v1::ClockFault::ResumedWrong => ClockFault::ResumedWrong,
                    v1::ClockFault::Unspecified => return self.unset("clock_fault.fault", event.fault),
                },
                flag_fallen: event.flag_fallen,
                moved_since_resumption: event.moved_since_resumption,
            },
            Kind::Disturbance(event) => EventKind::Disturbance {
                interrupted: event.interrupted,
            },
            Kind::QuickplayClaim(event) => EventKind::QuickplayClaim {
                remaining: self.duration("quickplay_claim.remaining", event.remaining.as_ref()),
                claim: match enumeration(event.claim, self.path("quickplay_claim.claim"), self.violations) {
                    v1::QuickplayClaim::Increment => QuickplayClaim::Increment,
                    v1::QuickplayClaim::NormalMeans => QuickplayClaim::NormalMeans,
                    v1::QuickplayClaim::Unsupervised => QuickplayClaim::Unsupervised,
                    v1::QuickplayClaim::Unspecified => {
                        return self.unset("quickplay_claim.claim", event.claim);
                    }
                },
            },
            Kind::Assistance(event) => EventKind::Assistance {
                disability: event.disability,
            },
            Kind::SlipOfTongue(event) => EventKind::SlipOfTongue {
                clock_started: event.clock_started,
            },
            Kind::BoardsDiffer(event) => EventKind::BoardsDiffer {
                sheets_agree: event.sheets_agree,
                moves_before: event.moves_before,
            },
            Kind::Appeal(_) => EventKind::Appeal,
        })
    }

    fn permille(&mut self, passed: Option<u32>) -> Option<u32> {
        if let Some(passed) = passed.filter(|&passed| passed > 1000) {
            let field = "setup_fault.first_period_permille";
            self.refuse(field, &passed.to_string(), "not 0 to 1000");
        }
        passed
    }

    fn promotion(&mut self, field: &str, text: &str) -> Option<Piece> {
        match text {
            "" => None,
            "q" => Some(Piece::Queen),
            "r" => Some(Piece::Rook),
            "b" => Some(Piece::Bishop),
            "n" => Some(Piece::Knight),
            other => {
                self.refuse(field, other, "not one of q, r, b, n");
                None
            }
        }
    }

    fn lapse(&mut self, value: i32) -> RecordingLapse {
        use v1::RecordingLapse as L;

        match enumeration(value, self.path("recording_lapse.lapse"), self.violations) {
            L::Unspecified | L::Stopped => RecordingLapse::Stopped,
            L::Behind => RecordingLapse::Behind,
            L::InAdvance => RecordingLapse::InAdvance,
            L::OfferUnmarked => RecordingLapse::OfferUnmarked,
            L::Refused => RecordingLapse::Refused,
            L::BothStopped => RecordingLapse::BothStopped,
            L::Borrows => RecordingLapse::Borrows,
            L::OneIncomplete => RecordingLapse::OneIncomplete,
            L::BothIncomplete => RecordingLapse::BothIncomplete,
            L::Insufficient => RecordingLapse::Insufficient,
            L::Unclear => RecordingLapse::Unclear,
        }
    }

    fn breach(&mut self, value: i32) -> Option<Breach> {
        use v1::Breach as B;

        Some(
            match enumeration(value, self.path("breach.breach"), self.violations) {
                B::DeviceOnPlayer => Breach::DeviceOnPlayer,
                B::Refusal => Breach::Refusal,
                B::BothRefuse => Breach::BothRefuse,
                B::Other => Breach::Other,
                B::Disrepute => Breach::Disrepute,
                B::LeftArea => Breach::LeftArea,
                B::Help => Breach::Help,
                B::DeviceInVenue => Breach::DeviceInVenue,
                B::InspectionRefused => Breach::InspectionRefused,
                B::Smoking => Breach::Smoking,
                B::Disturbing => Breach::Disturbing,
                B::NotesOnSheet => Breach::NotesOnSheet,
                B::AnalysisInRoom => Breach::AnalysisInRoom,
                B::ClockHandling => Breach::ClockHandling,
                B::Captain => Breach::Captain,
                B::Unspecified => return self.unset("breach.breach", value),
            },
        )
    }

    fn envelope_items(&mut self, items: &[i32]) -> Vec<EnvelopeItem> {
        use v1::EnvelopeItem as I;

        let mut read = Vec::new();
        for (place, &item) in items.iter().take(64).enumerate() {
            let field = format!("envelope.items[{place}]");
            read.push(match enumeration(item, self.path(&field), self.violations) {
                I::Names => EnvelopeItem::Names,
                I::Position => EnvelopeItem::Position,
                I::Times => EnvelopeItem::Times,
                I::Sealer => EnvelopeItem::Sealer,
                I::MoveNumber => EnvelopeItem::MoveNumber,
                I::Offer => EnvelopeItem::Offer,
                I::Resumption => EnvelopeItem::Resumption,
                I::Unspecified => {
                    let _: Option<EnvelopeItem> = self.unset(&field, item);
                    continue;
                }
            });
        }
        read
    }

    fn decision(&mut self, event: &v1::ArbiterDecisionEvent) -> Option<Decision> {
        let result = self.result("arbiter_decision.result", event.result);
        let earlier = event.event;
        let earlier = earlier.map(|place| self.earlier("arbiter_decision.event", place));
        let side = self.side("arbiter_decision.side", event.side);
        let time = self.duration("arbiter_decision.time", event.time.as_ref());
        let clocks = self.reading("arbiter_decision.clocks", event.clocks.as_ref());
        match (event.option.as_str(), result) {
            ("", None) => return self.unset("arbiter_decision.result", event.result),
            ("", Some(result)) => {
                self.idle_facts(event, "a result", &[]);
                return Some(Decision::Result(result));
            }
            ("annul", None) => {
                self.idle_facts(event, "annul", &[]);
                return Some(Decision::Annul);
            }
            (option, Some(_)) if option != Choice::ChangeResult.name() => {
                let value = v1::GameResult::try_from(event.result).unwrap_or_default();
                let reason = format!("set together with the option {option}");
                self.refuse("arbiter_decision.result", value.as_str_name(), &reason);
                return None;
            }
            _ => {}
        }
        let Some(choice) = Choice::from_name(&event.option) else {
            let names: Vec<_> = Choice::ALL.iter().map(|choice| choice.name()).collect();
            let reason = format!("not one of annul, {}", names.join(", "));
            self.refuse("arbiter_decision.option", &event.option, &reason);
            return None;
        };
        self.idle_facts(event, choice.name(), facts_of(choice));
        Some(Decision::Choice {
            choice,
            event: earlier,
            side,
            time,
            half_points: event.half_points,
            result,
            clocks,
        })
    }

    /// Refuses facts of a decision that it has no use for; `used` are those it has.
    fn idle_facts(&mut self, event: &v1::ArbiterDecisionEvent, decision: &str, used: &[&str]) {
        // What refers to no earlier event is refused already.
        let refers = event.event.is_some_and(|place| (place as usize) < self.index);
        let given = [
            ("event", refers),
            ("side", event.side != 0),
            ("time", event.time.is_some()),
            ("half_points", event.half_points != 0),
            ("clocks", event.clocks.is_some()),
        ];
        for (fact, given) in given {
            if given && !used.contains(&fact) {
                let reason = format!("set together with {decision}, which does not use it");
                self.refuse(&format!("arbiter_decision.{fact}"), "", &reason);
            }
        }
    }
}

/// The facts that a choice has a use for.
fn facts_of(choice: Choice) -> &'static [&'static str] {
    match choice {
        Choice::SetClocks | Choice::CorrectClocks | Choice::AdjustForAssistant => &["event", "clocks"],
        Choice::AddTime | Choice::AddOpponentTime | Choice::TakeOwnTime => &["event", "side", "time"],
        Choice::Postpone | Choice::RejectClaim => &["event", "side", "time"],
        Choice::AddOpponentPoints | Choice::TakeOwnPoints => &["event", "side", "half_points"],
        Choice::Warning
        | Choice::Loss
        | Choice::Fine
        | Choice::Exclusion
        | Choice::Expulsion
        | Choice::GrantIncrement => &["event", "side"],
        Choice::Restart
        | Choice::GoOn
        | Choice::ChangeResult
        | Choice::RefuseIncrement
        | Choice::DeclareDraw => &["event"],
    }
}
