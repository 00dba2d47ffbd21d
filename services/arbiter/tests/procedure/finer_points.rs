//! Finer points, on which the rulesets part.

use std::time::Duration;

use tabiya_arbiter::{
    ClaimGround::ThreefoldRepetition,
    replay::{Breach, Effect, EventKind, GameResult, Reason, RecordingLapse},
};
use tabiya_rules::Piece;

use crate::{
    case::{
        Case, Want,
        Want::{Ends, Rules},
        case,
    },
    events::*,
};

/// A wrong claim oversteps the limit, as a flag does: a bare king does not win by it.
fn wrong_claims() -> Vec<Case> {
    let wrong = || vec![claim(W, ThreefoldRepetition, None, Some(200))];
    vec![
        case(
            "",
            CN,
            wrong(),
            Ends(DRAW, Reason::FlagDraw),
            &["10.13(2)", "10.5"],
        )
        .fen(ROOK),
        case(
            "",
            CN,
            wrong(),
            Ends(BLACK_WINS, Reason::ClaimWrongLoses),
            &["10.13(2)"],
        ),
    ]
}

/// Touching a piece ends rights by the FIDE laws only; elsewhere moving it does, and a released piece has moved.
fn touched_rights() -> Vec<Case> {
    let offered = |then| vec![mv(W, "e2e4"), offer(W), press(W), then, answer(B, true)];
    let claimed = |first| vec![first, claim(W, ThreefoldRepetition, None, None)];
    let agreed = || Ends(DRAW, Reason::Agreed);
    let closed = || Rules(false, Reason::NoOffer);
    let third = SHUFFLE.repeat(2);
    let release_knight = || release(W, "g1", "f3", true);
    vec![
        case("", CN, offered(touch(B, "e7", false)), agreed(), &["10.6"]),
        case(
            "",
            "popular",
            offered(touch(B, "e7", false)),
            agreed(),
            &["agreement"],
        ),
        case("", F, offered(touch(B, "e7", false)), closed(), &["9.1.2.1"]),
        case("", CN, offered(release(B, "e7", "e5", true)), closed(), &["10.7"]),
        case(
            "",
            CN,
            offered(release(B, "e7", "e5", false)),
            agreed(),
            &["10.6"],
        ),
        case(
            "",
            CN,
            claimed(touch(W, "g1", false)),
            Ends(DRAW, Reason::ClaimUpheld),
            &["10.10(2)", "10.13(1)"],
        )
        .moves(&third),
        case(
            "",
            CN,
            claimed(release_knight()),
            Rules(false, Reason::ClaimMoved),
            &["10.11"],
        )
        .moves(&third),
        case(
            "",
            F,
            claimed(touch(W, "g1", false)),
            Rules(false, Reason::ClaimTouched),
            &["9.4"],
        )
        .moves(&third),
    ]
}

/// The sealed move was made before an offer of the adjournment, and refuses only what was offered before it.
fn offers_adjourned() -> Vec<Case> {
    let after = || vec![seal("d2d4", true), offer(B), resume(true, 0), answer(W, true)];
    let before = vec![offer(B), seal("d2d4", true), resume(true, 0), answer(W, true)];
    vec![
        case("", CN, after(), Ends(DRAW, Reason::Agreed), &["10.6"]),
        // By 5.2.3 both sides have to have moved.
        case("", F, after(), Ends(DRAW, Reason::Agreed), &["5.2.3"]).moves("g1f3 g8f6"),
        case("", CN, before, Rules(false, Reason::NoOffer), &["10.7"]),
    ]
}

/// Refusing to record loses only if recording is due, which the time left decides.
fn refusals() -> Vec<Case> {
    let refused = |seconds: Option<u64>| {
        let kind = EventKind::Recording {
            lapse: RecordingLapse::Refused,
            remaining: seconds.map(Duration::from_secs),
            increment: None,
        };
        vec![at(W, kind)]
    };
    vec![
        case(
            "",
            CN,
            refused(None),
            Rules(false, Reason::MissingFact),
            &["11.2"],
        ),
        case(
            "",
            CN,
            refused(Some(299)),
            Rules(true, Reason::NeedNotRecord),
            &["11.2"],
        ),
        case(
            "",
            CN,
            refused(Some(300)),
            Ends(BLACK_WINS, Reason::RecordingRefused),
            &["11.4"],
        ),
    ]
}

/// A release honours what was touched before, and an illegal one has touched its piece.
fn releases() -> Vec<Case> {
    let binds = || Rules(false, Reason::TouchBinds);
    let other = || vec![touch(W, "d2", false), release(W, "e2", "e4", true)];
    let illegal = |then| vec![release(W, "e2", "e5", true), mv(W, then)];
    vec![
        case("", CN, other(), binds(), &["7.2(1)"]),
        case("", F, other(), binds(), &["4.3.1"]),
        case("", CN, illegal("d2d4"), binds(), &["7.2(1)"]).effect(moves(START, "e2e3 e2e4")),
        case("", F, illegal("d2d4"), binds(), &["4.3.1"]),
        case("", CN, illegal("e2e4"), Rules(true, Reason::MoveMade), &[]),
    ]
}

/// Nothing is played while a game is adjourned.
fn adjourned() -> Vec<Case> {
    let held = |ruleset, event, article| {
        let events = vec![seal("e2e4", true), event];
        case("", ruleset, events, Rules(false, Reason::Adjourned), article)
    };
    vec![
        held(CN, mv(W, "d2d4"), &["14.2"]),
        held(F, mv(W, "d2d4"), &[]),
        held(CN, press(W), &["14.2"]),
        held(CN, touch(W, "d2", false), &["14.2"]),
        held(CN, release(W, "d2", "d4", true), &["14.2"]),
        held(CN, claim(W, ThreefoldRepetition, None, None), &["14.2"]),
        case(
            "",
            CN,
            vec![seal("e2e4", true), mv(W, "d2d4"), resume(true, 0), mv(B, "e7e5")],
            Rules(true, Reason::MoveMade),
            &[],
        )
        .told(2, &["14.2"]),
    ]
}

/// Who may offer, and when again.
fn offers() -> Vec<Case> {
    let online = |events| {
        case(
            "",
            "online-platform",
            events,
            Rules(false, Reason::NotOnMove),
            &["offers"],
        )
        .moves(&rounds(16))
        .set("automatic_repetition", "0")
    };
    let again = |ruleset, last: Vec<_>, accepted, reason| {
        let mut events = vec![offer(W), answer(B, false), offer(B)];
        events.extend(last);
        case("", ruleset, events, Rules(accepted, reason), &["offers"])
    };
    let refused = || vec![answer(W, false), offer(W)];
    vec![
        online(vec![offer(B)]),
        online(vec![mv(W, "e2e4"), offer(W)]),
        again("popular", vec![offer(W)], false, Reason::OfferAlternate),
        again("popular", refused(), true, Reason::OfferUnstated),
        again("club", vec![offer(W)], true, Reason::OfferUnstated),
    ]
}

/// Bans without a list of sanctions, and what lay rules do not say.
fn lay_rules() -> Vec<Case> {
    let breached = |ruleset, what, accepted, reason, articles| {
        case(
            "",
            ruleset,
            vec![breach(W, what)],
            Rules(accepted, reason),
            articles,
        )
    };
    let (said, unsaid) = (Reason::Breach, Reason::Unstated);
    let club = |what, article| {
        breached("club", what, true, said, article).effect(Effect::MayBePenalised { side: WHITE })
    };
    let unknown = |ruleset, want| {
        let kind = EventKind::IllegalMoveReport {
            after_signature: false,
            position_known: false,
            times_known: true,
            both_agree: false,
            moves_before: None,
            side: None,
        };
        case("", ruleset, vec![at(W, kind)], want, &[])
    };
    vec![
        club(Breach::Help, &["ban-1"]),
        club(Breach::NotesOnSheet, &["ban-2"]),
        club(Breach::AnalysisInRoom, &["ban-3"]),
        club(Breach::Disturbing, &["ban-4"]),
        club(Breach::ClockHandling, &["clock"]),
        breached("club", Breach::Smoking, false, unsaid, &[]),
        breached("club", Breach::Other, false, unsaid, &[]),
        breached("popular", Breach::Help, false, unsaid, &[]),
        unknown("popular", Rules(false, unsaid)),
        unknown("club", Rules(false, unsaid)),
        unknown("online-platform", Rules(false, unsaid)),
        unknown(CN, Want::Void(Reason::PositionAnnulled)),
        unknown(F, Rules(false, Reason::PositionIdentified)),
    ]
}

/// A promoted piece that only touches its square, score sheets that do not suffice, and what is cited.
fn articles() -> Vec<Case> {
    let pawn = "4k3/P7/8/8/8/8/8/4K3 w - - 0 1";
    let promoted = |ruleset, released, want, articles| {
        let kind = EventKind::Release {
            from: sq("a7"),
            to: sq("a8"),
            released,
            promotion: Some(Piece::Knight),
            announced: None,
        };
        case("", ruleset, vec![at(W, kind), mv(W, "a7a8q")], want, articles).fen(pawn)
    };
    let made = || Rules(true, Reason::MoveMade);
    let bound = || Rules(false, Reason::TouchBinds);
    let insufficient = vec![lapse(W, RecordingLapse::Insufficient)];
    let both = vec![seal("e2e4", true), resumption(true, true, 16, 16)];
    vec![
        promoted(CN, false, made(), &[]),
        promoted(CN, true, Ends(DRAW, Reason::Dead), &["6.4", "10.4"]),
        promoted(F, false, bound(), &["4.4.4"]),
        case("", CN, insufficient, Rules(true, Reason::SecondBoard), &["11.8"]).effect(Effect::ClocksPaused),
        case(
            "",
            CN,
            vec![release(W, "e2", "e4", true)],
            Rules(true, Reason::Released),
            &["6.1"],
        ),
        case(
            "",
            "cn-domestic",
            both,
            Ends(GameResult::BothLose, Reason::BothTooLate),
            &["10.17", "preface"],
        ),
        case(
            "",
            "popular",
            vec![mv(W, "e2e5"), press(W)],
            Rules(false, Reason::IllegalFirst),
            &["moves"],
        ),
    ]
}

/// The preface of the older code lets players ask their captain; where no article speaks of captains, none is allowed.
#[test]
fn a_captain_is_asked_only_where_an_article_says_so() {
    let asked = |ruleset| case("", ruleset, vec![breach(W, Breach::Captain)], Want::GoesOn, &[]).report();
    let allowed = asked(CN);
    assert_eq!(allowed.rulings[0].reason, Reason::CaptainAllowed);
    assert_eq!(allowed.rulings[0].articles, ["preface"]);
    for silent in ["fide-2023", "popular", "online-platform", "club"] {
        let ruling = &asked(silent).rulings[0];
        assert_eq!(
            (ruling.accepted, ruling.reason),
            (false, Reason::Unstated),
            "{silent}"
        );
        assert!(ruling.articles.is_empty(), "{silent}");
    }
}

/// A move sealed early costs the rest of the session once, when the clock is stopped.
#[test]
fn sealing_early_is_charged_once() {
    let sealed = vec![
        seal_by(W, "e2e4", false, Some(20)),
        seal_by(W, "d2d4", true, Some(15)),
    ];
    let report = case("", CN, sealed, Want::GoesOn, &[]).report();
    let charged: Vec<_> = report
        .rulings
        .iter()
        .flat_map(|ruling| &ruling.effects)
        .filter(|effect| matches!(effect, Effect::UsedTimeAdded { .. }))
        .collect();
    assert_eq!(
        charged,
        [&Effect::UsedTimeAdded {
            side: WHITE,
            time: Duration::from_secs(900)
        }]
    );
}

pub(crate) fn cases() -> Vec<Case> {
    [
        adjourned(),
        offers(),
        lay_rules(),
        articles(),
        wrong_claims(),
        touched_rights(),
        offers_adjourned(),
        refusals(),
        releases(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
