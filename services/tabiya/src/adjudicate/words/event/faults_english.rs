//! What went wrong at the board.

use tabiya_client::v1::{
    Breach, ClockFault, Color, EnvelopeEvent, EnvelopeItem, IllegalMoveReportEvent, PauseReason,
    QuickplayClaim, RecordingLapse, RecordingLapseEvent, SetupFault, SetupFaultEvent, event::Kind,
};

use super::{english::UNKNOWN, known, some_time, time, when};

/// An irregularity, reported or done by `who`.
pub(super) fn kind(who: &str, kind: &Kind) -> String {
    match kind {
        Kind::IllegalMoveReport(e) => illegal_move(who, e),
        Kind::Displacement(e) => format!(
            "{who} displaces pieces{}{}{}{}{}",
            when(e.found_later, ", put back wrong, as is found later"),
            when(e.position_unknown, ", and the position before is not known"),
            when(e.times_unknown, ", with the times at it unknown"),
            after_moves(e.moves_before),
            when(e.pressed, ", and presses the clock without putting them back")
        ),
        Kind::SetupFault(e) => setup(who, e),
        Kind::RecordingLapse(e) => recording(who, e),
        Kind::Breach(e) => breach(who, e.breach()),
        Kind::Envelope(e) => envelope(e),
        Kind::TouchComplaint(e) => format!(
            "{who} complains that a touched or released piece was not honoured{}{}{}{}{}{}",
            when(!e.squares.is_empty(), ": "),
            e.squares.join(", "),
            when(!e.promotion.is_empty(), ", having put down "),
            e.promotion,
            when(e.touched_since, ", having touched a piece since"),
            known(e.established, "; found to be true", "; found to be untrue")
        ),
        Kind::IllegalPosition(_) => format!("{who} notes an illegal position"),
        Kind::Pause(e) => {
            let why = match e.reason() {
                PauseReason::Assistance => "to call the arbiter",
                PauseReason::PromotionPiece => "because the piece for a promotion is not at hand",
                PauseReason::Claim => "to claim a draw",
                PauseReason::Groundless => "for no good reason",
                PauseReason::Unspecified => "for a reason not reported",
            };
            format!("{who} stops the clocks {why}")
        }
        Kind::ClockStart(_) => format!("{who} starts the clocks again"),
        Kind::ClockFault(e) => {
            let what = match e.fault() {
                ClockFault::Defect => "the clock is evidently defective",
                ClockFault::Doubted => "the clock is doubted, though nothing is evident",
                ClockFault::Setting => "the clock is set wrong",
                ClockFault::ResumedWrong => "the clock shows other times than the envelope",
                ClockFault::Unspecified => "the clock is wrong",
            };
            let flag = when(e.flag_fallen, ", a flag having fallen");
            let moved = when(e.moved_since_resumption, ", a move having been made since");
            format!("{who} points out that {what}{flag}{moved}")
        }
        Kind::Disturbance(e) => format!(
            "play is disturbed from outside{}",
            when(e.interrupted, " and has to be stopped")
        ),
        Kind::QuickplayClaim(e) => {
            let what = match e.claim() {
                QuickplayClaim::Increment => "asks for an increment for both players",
                QuickplayClaim::NormalMeans => {
                    "claims a draw because the opponent cannot win by normal means"
                }
                QuickplayClaim::Unsupervised => {
                    "claims a draw, no arbiter supervising, because the opponent cannot win by normal means"
                }
                QuickplayClaim::Unspecified => "turns to the arbiter",
            };
            format!("{who} {what}, with {} left", time(e.remaining, UNKNOWN))
        }
        Kind::Assistance(e) => format!(
            "{who} asks for an assistant{}",
            when(e.disability, ", for a disability")
        ),
        Kind::SlipOfTongue(e) => format!(
            "{who} announces another move than he meant{}",
            when(e.clock_started, ", the opponent's clock having been started")
        ),
        Kind::BoardsDiffer(e) => format!(
            "the two boards differ{}{}",
            known(
                e.sheets_agree,
                "; the score sheets agree",
                "; the score sheets differ too"
            ),
            after_moves(e.moves_before)
        ),
        // The caller has words for all others.
        _ => format!("{who} reports an event"),
    }
}

fn illegal_move(who: &str, e: &IllegalMoveReportEvent) -> String {
    let by = match e.side() {
        Color::White => " by White",
        Color::Black => " by Black",
        Color::Unspecified => "",
    };
    format!(
        "{who} reports an illegal move{by}{}{}{}{}{}",
        when(e.after_signature, ", after the result was signed"),
        when(e.position_unknown, ", with the position before it unknown"),
        when(e.times_unknown, ", with the times at it unknown"),
        when(e.both_agree, ", and both agree to correct it"),
        after_moves(e.moves_before)
    )
}

fn after_moves(moves: Option<u32>) -> String {
    moves.map_or_else(String::new, |moves| {
        format!(", after {moves} moves of each player")
    })
}

fn setup(who: &str, e: &SetupFaultEvent) -> String {
    let what = match e.fault() {
        SetupFault::WrongPieces => "the pieces stood wrong at the start",
        SetupFault::BoardTurned => "the board is turned",
        SetupFault::ColoursReversed => "the colours are reversed",
        SetupFault::ResumedWrong => "the adjourned position was set up wrong",
        SetupFault::Unspecified => "something was set up wrong",
    };
    let squares = when(!e.squares.is_empty(), " on ").to_owned() + &e.squares.join(", ");
    let passed = e.first_period_permille.map_or_else(String::new, |passed| {
        format!(", {}.{} % into the first period", passed / 10, passed % 10)
    });
    format!("{who} points out that {what}{squares}{passed}")
}

fn recording(who: &str, e: &RecordingLapseEvent) -> String {
    let what = match e.lapse() {
        RecordingLapse::Unspecified | RecordingLapse::Stopped => "stops recording",
        RecordingLapse::Behind => "is about to move with his last move not recorded",
        RecordingLapse::InAdvance => "writes a move down before playing it",
        RecordingLapse::OfferUnmarked => "does not mark an offer of a draw",
        RecordingLapse::Refused => "refuses to record",
        RecordingLapse::BothStopped => return "neither player can record any more".to_owned(),
        RecordingLapse::Borrows => "asks for the opponent's score sheet",
        RecordingLapse::OneIncomplete => "has to complete his score sheet, the opponent has not",
        RecordingLapse::BothIncomplete => return "both score sheets have to be completed".to_owned(),
        RecordingLapse::Insufficient => return "the score sheets alone do not suffice".to_owned(),
        RecordingLapse::Unclear => {
            return "neither score sheet shows how many moves were made".to_owned();
        }
    };
    let left = e.remaining.map_or_else(String::new, |left| {
        format!(", with {} left", time(Some(left), UNKNOWN))
    });
    let increment = some_time(e.increment).map_or_else(String::new, |time| format!(", increment {time}"));
    format!("{who} {what}{left}{increment}")
}

fn breach(who: &str, breach: Breach) -> String {
    let what = match breach {
        Breach::DeviceOnPlayer => return format!("a device is found on {who}"),
        Breach::Refusal => "persistently refuses to comply",
        Breach::BothRefuse => return "both players persistently refuse to comply".to_owned(),
        Breach::Disrepute => "brings the game into disrepute",
        Breach::LeftArea => "leaves the playing area without permission",
        Breach::Help => "uses notes, sources, advice or another board",
        Breach::DeviceInVenue => "has a device in the venue that is not allowed",
        Breach::InspectionRefused => "refuses to be inspected",
        Breach::Smoking => "smokes outside the area for it",
        Breach::Disturbing => "distracts or annoys the opponent",
        Breach::NotesOnSheet => "writes memory notes on the score sheet",
        Breach::AnalysisInRoom => "analyses in the playing room",
        Breach::ClockHandling => "handles the clock wrongly",
        Breach::Captain => "asks his captain about a draw or resigning",
        Breach::Other | Breach::Unspecified => "breaks the rules of conduct",
    };
    format!("{who} {what}")
}

fn envelope(e: &EnvelopeEvent) -> String {
    if e.checked {
        let items: Vec<_> = e.items().map(item).collect();
        return format!("the envelope is checked; it states {}", items.join(", "));
    }
    let position = known(
        e.position_known,
        "; the adjourned position is known",
        "; the adjourned position is not known",
    );
    let times = when(e.times_unknown, "; the times used are not known");
    format!("the envelope cannot be found{position}{times}")
}

fn item(item: EnvelopeItem) -> &'static str {
    match item {
        EnvelopeItem::Names => "the names",
        EnvelopeItem::Position => "the position",
        EnvelopeItem::Times => "the times used",
        EnvelopeItem::Sealer => "who sealed",
        EnvelopeItem::MoveNumber => "the number of the sealed move",
        EnvelopeItem::Offer => "an offer of a draw",
        EnvelopeItem::Resumption => "when and where play is resumed",
        EnvelopeItem::Unspecified => "something",
    }
}
