use tabiya_client::v1::{ArbiterDecisionEvent, Color, FlagFallEvent, FlagWitness, GameResult, event::Kind};

use super::{decision::option, faults_english as faults, known, some_time, time, when};
use crate::adjudicate::{
    Lang,
    words::{actor, claim_ground, clock_text, outcome},
};

/// A time that nobody reported.
pub(super) const UNKNOWN: &str = "a time not reported";

/// What happened, done by `by`.
pub(super) fn kind(by: Color, kind: &Kind) -> String {
    // The mover and who presses may be left out: it is who is on move.
    let on_move = match by {
        Color::Unspecified => "the player on move",
        side => actor(side, Lang::En),
    };
    let who = actor(by, Lang::En);
    match kind {
        Kind::Move(e) => format!(
            "{on_move} plays {}{}{}",
            e.text,
            when(e.two_hands, " with both hands"),
            when(e.unnoticed, ", and nobody notices what is against the rules")
        ),
        Kind::ClockPress(_) => format!("{on_move} presses the clock"),
        Kind::Touch(e) => format!(
            "{who} touches {}{}{}{}{}{}",
            e.squares.join(", "),
            when(e.adjusting, ", having said that he adjusts"),
            when(e.order_unclear, ", in an order that is not clear"),
            when(e.accidental, ", by accident"),
            known(e.consent, ", with consent", ", without consent"),
            known(
                e.out_of_hole,
                ", taken out of the hole",
                ", not taken out of the hole"
            )
        ),
        Kind::Release(e) => format!(
            "{who} moves a piece from {} to {} and {}{}{}{}",
            e.from_square,
            e.to_square,
            if e.released {
                "releases it"
            } else {
                "holds it still"
            },
            when(!e.promotion.is_empty(), ", putting down "),
            e.promotion,
            known(
                e.announced,
                ", having announced the move",
                ", not having announced the move"
            )
        ),
        Kind::DrawOffer(e) => format!(
            "{who} offers a draw{}{}",
            when(e.moment_unknown, ", nobody knows at which moment"),
            known(
                e.consent,
                ", with the arbiter's consent",
                ", without the arbiter's consent"
            )
        ),
        Kind::DrawAnswer(e) => format!(
            "{who} {} the draw",
            if e.accepted { "accepts" } else { "refuses" }
        ),
        Kind::Claim(e) => format!(
            "{who} claims a draw: {}{}{}{}{}",
            claim_ground(e.ground(), Lang::En),
            when(!e.with_move.is_empty(), ", with the move "),
            e.with_move,
            e.remaining
                .map_or_else(String::new, |left| format!(", with {} left", clock_text(left))),
            when(e.display_only, ", going by a screen alone")
        ),
        Kind::Resignation(_) => format!("{who} resigns"),
        Kind::FlagFall(e) => flag(who, e),
        Kind::Arrival(e) => format!(
            "{who} arrives {} late{}{}",
            time(e.late, UNKNOWN),
            when(e.opponent_absent, ", the opponent being absent too"),
            when(e.excused, ", and is excused by the arbiter")
        ),
        Kind::Seal(e) => format!(
            "{who} seals the move \"{}\"{}{}",
            e.text,
            when(e.clock_stopped, ", with the clock stopped"),
            some_time(e.session_left).map_or_else(String::new, |left| format!(
                ", {left} before the end of the session"
            ))
        ),
        Kind::Resume(e) => format!(
            "play is to be resumed{}{}{}{}",
            when(e.replier_absent, "; the player to reply is absent"),
            when(e.sealer_absent, "; the sealer is absent"),
            some_time(e.sealer_late).map_or_else(String::new, |late| format!("; the sealer is {late} late")),
            some_time(e.replier_late).map_or_else(String::new, |late| format!(
                "; the player to reply is {late} late"
            ))
        ),
        Kind::ArbiterDecision(e) => decision(who, e),
        Kind::Retraction(e) => format!("event {} is taken back", u64::from(e.event) + 1),
        Kind::Correction(e) => {
            let what = e.replacement.as_ref().map_or_else(
                || "nothing is said".to_owned(),
                |event| super::event(event, Lang::En),
            );
            format!("event {} is corrected: {what}", u64::from(e.event) + 1)
        }
        Kind::Withdrawal(_) => format!("{who} wants to withdraw the offer or claim"),
        Kind::Appeal(_) => format!("{who} appeals"),
        _ => faults::kind(who, kind),
    }
}

fn flag(who: &str, e: &FlagFallEvent) -> String {
    let flag = match e.side() {
        Color::Unspecified => "both flags have fallen, and nobody knows which fell first".to_owned(),
        side => format!("{}'s flag has fallen", actor(side, Lang::En)),
    };
    let witness = match e.witness() {
        FlagWitness::Unspecified => "",
        FlagWitness::Arbiter => ", as the arbiter saw",
        FlagWitness::Player => ", as a player saw",
        FlagWitness::Bystander => ", as a bystander saw",
        FlagWitness::Record => ", as the record says",
    };
    let last = known(e.last_period, ", in the last period", ", not in the last period");
    let confirmed = known(
        e.confirmed,
        "; the arbiter confirms it",
        "; the arbiter does not confirm it",
    );
    format!("{who} points out that {flag}{witness}{last}{confirmed}")
}

fn decision(who: &str, e: &ArbiterDecisionEvent) -> String {
    let mut parts = Vec::new();
    if e.result() != GameResult::Unspecified {
        parts.push(outcome(Default::default(), e.result(), Lang::En).to_owned());
    }
    match e.option.as_str() {
        "" => {}
        name => parts.push(option(name, Lang::En)),
    }
    if e.side() != Color::Unspecified {
        parts.push(actor(e.side(), Lang::En).to_owned());
    }
    parts.extend(some_time(e.time));
    if e.half_points > 0 {
        parts.push(format!("{} half points", e.half_points));
    }
    if let Some(clocks) = &e.clocks {
        let (white, black) = (time(clocks.white, "as it is"), time(clocks.black, "as it is"));
        parts.push(format!("clocks White {white}, Black {black}"));
    }
    let about = e.event.map_or_else(String::new, |event| {
        format!(" about event {}", u64::from(event) + 1)
    });
    format!("{who} decides{about}: {}", parts.join(", "))
}
