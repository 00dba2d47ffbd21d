//! Events in English.

use tabiya_client::v1::{
    Breach, ClockFault, Color, FlagWitness, GameResult, PauseReason, QuickplayClaim, RecordingLapse,
    SetupFault, event::Kind,
};

use super::{
    super::{actor, claim_ground, clock_text, outcome},
    consented, promoted, time, when,
};
use crate::adjudicate::Lang;

pub(super) fn english(by: Color, kind: &Kind) -> String {
    // The mover and who presses may be left out: it is who is on move.
    let on_move = match by {
        Color::Unspecified => "the player on move",
        side => actor(side, Lang::En),
    };
    let who = actor(by, Lang::En);
    match kind {
        Kind::Move(e) => format!(
            "{on_move} plays {}{}",
            e.text,
            when(e.two_hands, " with both hands")
        ),
        Kind::ClockPress(_) => format!("{on_move} presses the clock"),
        Kind::Touch(e) => format!(
            "{who} touches {}{}{}{}{}",
            e.squares.join(", "),
            when(e.adjusting, ", having said that he adjusts"),
            when(e.order_unclear, ", in an order that is not clear"),
            when(e.accidental, ", plainly by accident"),
            consented(e.consent, [", with consent", ", without consent"])
        ),
        Kind::Release(e) => format!(
            "{who} moves a piece from {} to {}{} and {}",
            e.from_square,
            e.to_square,
            promoted(&e.promotion, Lang::En),
            if e.released {
                "releases it"
            } else {
                "holds it still"
            }
        ),
        Kind::DrawOffer(e) => format!(
            "{who} offers a draw{}",
            consented(
                e.consent,
                [", with the arbiter's consent", ", without the arbiter's consent"]
            )
        ),
        Kind::DrawAnswer(e) => format!(
            "{who} {} the draw",
            if e.accepted { "accepts" } else { "refuses" }
        ),
        Kind::Claim(e) => {
            let with = when(!e.with_move.is_empty(), ", with the move ").to_owned() + &e.with_move;
            let left = e
                .remaining
                .map_or_else(String::new, |left| format!(", with {} left", clock_text(left)));
            let display = when(e.display_only, ", on the strength of a display alone");
            format!(
                "{who} claims a draw: {}{with}{left}{display}",
                claim_ground(e.ground(), Lang::En)
            )
        }
        Kind::Resignation(_) => format!("{who} resigns"),
        Kind::FlagFall(e) => {
            let flag = match e.side() {
                Color::Unspecified => "both flags have fallen, and nobody knows which fell first".to_owned(),
                side => format!("{}'s flag has fallen", actor(side, Lang::En)),
            };
            let last = match e.last_period {
                Some(true) => ", in the last period",
                Some(false) => ", not in the last period",
                None => "",
            };
            let who = match e.witness() {
                FlagWitness::Unspecified => who,
                FlagWitness::Arbiter => "the arbiter",
                FlagWitness::Player => "a player",
                FlagWitness::Bystander => "a bystander",
            };
            let confirmed = consented(
                e.confirmed,
                [
                    ", and the arbiter confirms it",
                    ", and the arbiter does not confirm it",
                ],
            );
            format!("{who} points out that {flag}{last}{confirmed}")
        }
        Kind::Arrival(e) => format!(
            "{who} arrives {} after the start{}{}",
            time(e.late),
            when(e.opponent_absent, ", the opponent being absent too"),
            when(e.excused, "; the arbiter lets him play")
        ),
        Kind::IllegalMoveReport(e) => format!(
            "{who} reports an illegal move{}{}{}{}",
            when(e.after_signature, ", after the result was signed"),
            when(e.position_unknown, ", with the position before it unknown"),
            when(e.times_unknown, ", with the times at it unknown"),
            when(e.both_agree, "; both players agree to correct it")
        ),
        Kind::Displacement(e) => format!(
            "{who} displaces pieces{}{}{}",
            when(e.found_later, ", as is found later"),
            when(e.position_unknown, ", with the position before unknown"),
            when(e.pressed, ", and presses the clock without restoring them")
        ),
        Kind::SetupFault(e) => {
            let what = match e.fault() {
                SetupFault::WrongPieces => "the pieces stood wrong at the start",
                SetupFault::BoardTurned => "the board is turned",
                SetupFault::ColoursReversed => "the colours are reversed",
                SetupFault::ResumedWrong => "the adjourned position was set up wrong",
                SetupFault::Unspecified => "something was wrong from the start",
            };
            let passed = e.first_period_permille.map_or_else(String::new, |passed| {
                format!(", {}.{} % into the first period", passed / 10, passed % 10)
            });
            let squares = match e.squares.is_empty() {
                true => String::new(),
                false => format!(" on {}", e.squares.join(", ")),
            };
            format!("{who} points out that {what}{squares}{passed}")
        }
        Kind::RecordingLapse(e) => match e.lapse() {
            RecordingLapse::Unspecified | RecordingLapse::Stopped => {
                format!("{who} stops recording, with {} left", time(e.remaining))
            }
            RecordingLapse::Behind => format!("{who} is about to move and has not recorded the last move"),
            RecordingLapse::InAdvance => format!("{who} writes a move down before playing it"),
            RecordingLapse::OfferUnmarked => format!("{who} has not marked an offer of a draw"),
            RecordingLapse::Refused => format!("{who} refuses to record"),
            RecordingLapse::BothStopped => "neither player can record any more".to_owned(),
            RecordingLapse::Borrows => format!("{who} asks for the opponent's score sheet"),
            RecordingLapse::OneIncomplete => format!("{who} alone has to complete the score sheet"),
            RecordingLapse::BothIncomplete => "both score sheets have to be completed".to_owned(),
            RecordingLapse::Insufficient => "the score sheets alone do not suffice".to_owned(),
            RecordingLapse::Unclear => "neither score sheet shows how many moves were made".to_owned(),
        },
        Kind::Breach(e) => match e.breach() {
            Breach::DeviceOnPlayer => format!("a device is found on {who}"),
            Breach::Refusal => format!("{who} persistently refuses to comply"),
            Breach::BothRefuse => "both players persistently refuse to comply".to_owned(),
            Breach::Other | Breach::Unspecified => format!("{who} breaks the rules of conduct"),
            Breach::Disrepute => format!("{who} brings the game into disrepute"),
            Breach::LeftArea => format!("{who} leaves the venue, or its area while on move"),
            Breach::Help => format!("{who} uses notes, sources, advice or another board"),
            Breach::DeviceInVenue => format!("{who} has a device in the venue"),
            Breach::InspectionRefused => format!("{who} refuses to be inspected"),
            Breach::Smoking => format!("{who} smokes outside the area for it"),
            Breach::Disturbing => format!("{who} distracts or annoys the opponent"),
            Breach::NotesOnSheet => format!("{who} makes memory notes"),
            Breach::AnalysisInRoom => format!("{who} analyses in the playing room"),
            Breach::ClockHandling => format!("{who} handles the clock wrongly"),
            Breach::Captain => format!("{who} asks the captain"),
        },
        Kind::Seal(e) => format!(
            "{who} seals the move \"{}\"{}{}",
            e.text,
            when(e.clock_stopped, ", with the clock stopped"),
            e.session_left.map_or_else(String::new, |left| format!(
                ", {} before the end of the session",
                clock_text(left)
            ))
        ),
        Kind::Envelope(e) if e.checked => "the arbiter checks the envelope".to_owned(),
        Kind::Envelope(e) => {
            let known = match e.position_known {
                Some(true) => "the adjourned position is known",
                Some(false) => "the adjourned position is not known",
                None => "nothing is said about the position",
            };
            let times = when(e.times_unknown, "; the times used are not known");
            format!("the envelope cannot be found; {known}{times}")
        }
        Kind::Resume(e) => {
            let late = e.sealer_late.filter(|late| late.seconds != 0 || late.nanos != 0);
            let late = late.map_or_else(String::new, |late| {
                format!("; the sealer is {} late", clock_text(late))
            });
            let replier = e.replier_late.filter(|late| late.seconds != 0 || late.nanos != 0);
            let replier = replier.map_or_else(String::new, |late| {
                format!("; the player to reply is {} late", clock_text(late))
            });
            let absent = when(e.replier_absent, "; the player to reply is absent");
            let sealer = when(e.sealer_absent, "; the sealer is absent");
            format!("play is to be resumed{absent}{sealer}{late}{replier}")
        }
        Kind::ArbiterDecision(e) => match e.result() {
            GameResult::Unspecified if e.option == "annul" => {
                format!("{who} decides that the game does not count")
            }
            GameResult::Unspecified => format!("{who} chooses: {}", e.option),
            result => format!("{who} decides: {}", outcome(Default::default(), result, Lang::En)),
        },
        Kind::Retraction(e) => format!("event {} is taken back", u64::from(e.event) + 1),
        Kind::Correction(e) => {
            let really = e.replacement.as_deref();
            let really = really.map_or_else(String::new, |event| super::event(event, Lang::En));
            format!("event {} is corrected: {really}", u64::from(e.event) + 1)
        }
        Kind::Withdrawal(_) => format!("{who} wants to withdraw the offer or claim"),
        Kind::TouchComplaint(e) => format!(
            "{who} complains about a touched or released piece{}{}{}",
            when(!e.squares.is_empty(), ": ").to_owned() + &e.squares.join(", "),
            when(e.touched_since, ", having touched a piece since"),
            consented(
                e.established,
                [
                    ", and the arbiter finds that it is so",
                    ", and the arbiter does not find it so"
                ]
            )
        ),
        Kind::IllegalPosition(_) => format!("{who} notes an illegal position"),
        Kind::Pause(e) => match e.reason() {
            PauseReason::Assistance => format!("{who} stops the clocks to call the arbiter"),
            PauseReason::PromotionPiece => {
                format!("{who} stops the clocks for want of a piece to promote to")
            }
            PauseReason::Claim => format!("{who} stops the clocks to claim a draw"),
            PauseReason::Groundless => format!("{who} stops the clocks for no good reason"),
            PauseReason::Unspecified => format!("{who} stops the clocks"),
        },
        Kind::ClockStart(_) => format!("{who} starts the clocks again"),
        Kind::ClockFault(e) => {
            let what = match e.fault() {
                ClockFault::Defect => "a clock is evidently defective",
                ClockFault::Doubted => "a clock may be wrong",
                ClockFault::Setting => "a clock was set wrong",
                ClockFault::ResumedWrong => "a clock was set wrong on resumption",
                ClockFault::Unspecified => "something is wrong with a clock",
            };
            format!(
                "{who} points out that {what}{}{}",
                when(e.flag_fallen, ", after a flag has fallen"),
                when(e.moved_since_resumption, ", after a move since")
            )
        }
        Kind::Disturbance(e) => format!(
            "play is disturbed from outside{}",
            when(e.interrupted, " and stopped")
        ),
        Kind::QuickplayClaim(e) => {
            let what = match e.claim() {
                QuickplayClaim::Increment => "asks for an increment",
                QuickplayClaim::NormalMeans => "claims that the opponent cannot win by normal means",
                QuickplayClaim::Unsupervised => {
                    "claims, without an arbiter, that the opponent cannot win by normal means"
                }
                QuickplayClaim::Unspecified => "turns to the arbiter",
            };
            format!("{who} {what}, with {} left", time(e.remaining))
        }
        Kind::Assistance(e) => format!(
            "{who} asks for an assistant{}",
            when(e.disability, " because of a disability")
        ),
        Kind::SlipOfTongue(e) => format!(
            "{who} announced another move than he meant{}",
            when(e.clock_started, ", and the opponent's clock runs")
        ),
        Kind::BoardsDiffer(e) => format!(
            "the two boards differ{}",
            consented(
                e.sheets_agree,
                ["; the score sheets agree", "; the score sheets differ"]
            )
        ),
        Kind::Appeal(_) => format!("{who} appeals"),
    }
}
