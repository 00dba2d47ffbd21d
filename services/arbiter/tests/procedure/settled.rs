//! Moves that a release has made, questions that are answered once, and what a ruling cites or tells of them.

use tabiya_arbiter::{
    ClaimGround::ThreefoldRepetition,
    replay::{
        Breach, Choice, ClockReading, Effect, Event, EventKind, QuickplayClaim, Reason, Report, Right,
        SetupFault,
    },
};
use tabiya_rules::Piece;

use crate::{
    case::{
        Case,
        Want::{self, Ends, GoesOn, Rules},
        case,
    },
    events::*,
};

const PAWN: &str = "7k/P7/8/8/8/8/8/K7 w - - 0 1";
/// The start has stood there twice, and does for the third time.
const RECURRED: &str = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8";

fn quickplay(claim: QuickplayClaim) -> Event {
    let remaining = Some(std::time::Duration::from_secs(60));
    at(W, EventKind::QuickplayClaim { claim, remaining })
}

/// 4.7, 6.1: the hand has left the piece, so the move is made and the opponent has the move (1.3, 3.2): what he touches
/// binds him and refuses an offer, and his claim is heard.
fn replies_to_releases() -> Vec<Case> {
    let released = || release(W, "e2", "e4", true);
    let mut cases = Vec::new();
    for ruleset in [F, CN] {
        let one = |events: &[Event], want: Want| {
            let events = [&[released()][..], events].concat();
            case("", ruleset, events, want, &[])
        };
        cases.extend([
            one(&[touch(B, "d7", false)], Rules(true, Reason::TouchedOwn)),
            one(
                &[touch(B, "d7", false), mv(B, "e7e5")],
                Rules(false, Reason::TouchBinds),
            ),
            one(
                &[touch(B, "d7", false), press(W)],
                Rules(true, Reason::MoveCompleted),
            ),
            one(&[release(B, "e7", "e5", true)], Rules(true, Reason::Released)),
            // A piece that is still in the hand, or a king without its rook, has made no move.
            case(
                "",
                ruleset,
                vec![release(W, "e2", "e4", false), touch(B, "d7", false)],
                Rules(false, Reason::NotOnMove),
                &[],
            ),
            case(
                "",
                ruleset,
                vec![release(W, "e1", "g1", true), touch(B, "e8", false)],
                Rules(false, Reason::NotOnMove),
                &[],
            )
            .fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1"),
        ]);
        let article = [&["10.10(2)"] as &[_], &["9.2.2"]][usize::from(ruleset == F)];
        cases.push(
            case(
                "",
                ruleset,
                vec![
                    release(W, "g1", "f3", true),
                    claim(B, ThreefoldRepetition, None, None),
                ],
                Ends(DRAW, Reason::ClaimUpheld),
                article,
            )
            .moves(RECURRED),
        );
    }
    let offered = vec![released(), offer(W), touch(B, "d7", false)];
    cases.push(
        case("", F, offered, Rules(true, Reason::TouchedOwn), &["4.3.1"])
            .effect(Effect::OfferClosed { by: WHITE }),
    );
    cases
}

/// Of a question that is asked once, one answer is chosen; a postponed one is still open, and sanctions may follow one
/// another.
fn answered_once() -> Vec<Case> {
    let guided = |claim, choices: &[Choice], want: Want| {
        let mut events = vec![quickplay(claim)];
        events.extend(choices.iter().map(|&choice| choose(choice)));
        case("", F, events, want, &[]).set("guideline_iii", "true")
    };
    let gone = || Rules(false, Reason::NotAnOption);
    let (increment, means) = (QuickplayClaim::Increment, QuickplayClaim::NormalMeans);
    let turned = |choices: &[Choice], want: Want| {
        let mut events = vec![setup(SetupFault::ColoursReversed, Some(100))];
        events.extend(choices.iter().map(|&choice| choose(choice)));
        case("", CN, events, want, &[])
    };
    let claimed_twice = vec![
        quickplay(means),
        quickplay(means),
        choose(Choice::RejectClaim),
        choose(Choice::DeclareDraw),
    ];
    vec![
        guided(means, &[Choice::RejectClaim, Choice::DeclareDraw], gone()),
        guided(means, &[Choice::RejectClaim, Choice::RejectClaim], gone()),
        guided(
            means,
            &[Choice::Postpone, Choice::DeclareDraw],
            Ends(DRAW, Reason::Decided),
        ),
        guided(
            increment,
            &[Choice::GrantIncrement, Choice::GrantIncrement],
            gone(),
        ),
        guided(
            increment,
            &[Choice::RefuseIncrement, Choice::GrantIncrement],
            gone(),
        ),
        case("", F, claimed_twice, gone(), &[]).set("guideline_iii", "true"),
        turned(&[Choice::GoOn], Rules(true, Reason::OptionChosen)),
        turned(&[Choice::GoOn, Choice::Restart], gone()),
        case(
            "",
            F,
            vec![
                breach(W, Breach::Disturbing),
                choose(Choice::Warning),
                choose(Choice::Warning),
            ],
            Rules(true, Reason::OptionChosen),
            &["12.9.1"],
        ),
    ]
}

/// What rests on articles of its own is cited with them.
fn cited() -> Vec<Case> {
    let promotes = at(
        W,
        EventKind::Release {
            from: sq("a7"),
            to: sq("a8"),
            released: true,
            promotion: Some(Piece::Queen),
            announced: None,
        },
    );
    let shown = Event {
        reading: ClockReading([Some(std::time::Duration::from_secs(9)); 2]),
        ..flag(W)
    };
    let interrupted = at(ARBITER, EventKind::Disturbance { interrupted: true });
    let takes = || vec![release(W, "e4", "d5", true)];
    let wrong = Rules(false, Reason::ClaimWrong);
    let released = || Rules(true, Reason::Released);
    vec![
        case("", F, takes(), released(), &["4.7.1", "4.7"]).fen(CENTRE),
        case("", CN, takes(), released(), &["6.2", "4.3"]).fen(CENTRE),
        case("", F, vec![promotes], released(), &["4.4.4", "4.7.3", "4.6"]).fen(PAWN),
        case("", F, vec![shown], Rules(false, Reason::FlagUp), &["6.8", "6.4"]),
        case(
            "",
            F,
            vec![interrupted],
            Rules(true, Reason::Disturbed),
            &["12.5", "6.11.1"],
        ),
        // The position looks the same for the third time; at first White could castle.
        case(
            "",
            F,
            vec![claim(W, ThreefoldRepetition, None, None)],
            wrong,
            &["9.2.3", "9.2.3.2"],
        )
        .fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
        .moves("h1g1 h8g8 g1h1 g8h8 h1g1 h8g8 g1h1 g8h8"),
        // At first Black could take in passing.
        case(
            "",
            F,
            vec![claim(B, ThreefoldRepetition, None, None)],
            Rules(false, Reason::ClaimWrong),
            &["9.2.3", "9.2.3.1"],
        )
        .fen("4k3/8/8/8/1p6/8/P7/4K3 w - - 0 1")
        .moves("a2a4 e8d8 e1d1 d8e8 d1e1 e8d8 e1d1 d8e8 d1e1"),
        case(
            "",
            CN,
            vec![mv(W, "hello")],
            Rules(false, Reason::Unreadable),
            &["4.1"],
        ),
        // I.9.2 is on a replier who is absent alone, and I.11 on both.
        case(
            "",
            F,
            vec![seal("e2e4", true), resumption(false, false, 0, 0)],
            Rules(false, Reason::EnvelopeShut),
            &["I.7", "I.11", "I.5"],
        ),
        case(
            "",
            F,
            vec![seal("e2e4", true), resumption(false, true, 0, 0)],
            Rules(false, Reason::EnvelopeShut),
            &["I.7", "I.9.2", "I.5"],
        ),
        // 10.11: the release has made the move, and nothing is said of touching.
        case(
            "",
            CN,
            vec![
                release(W, "g1", "f3", true),
                claim(W, ThreefoldRepetition, None, None),
            ],
            Rules(false, Reason::ClaimMoved),
            &["10.11"],
        ),
    ]
}

/// Rights that are lost are told: the claim that was not made (10.11), and the last offer.
fn rights() -> Vec<Case> {
    let lost = |side, right| Effect::RightLost { side, right };
    let asked = |count: usize| {
        let one = [offer(W), answer(B, false)];
        let events = one.iter().cycle().take(2 * count - 1).cloned().collect();
        case(
            "",
            "online-platform",
            events,
            Rules(true, Reason::OfferMade),
            &["offers"],
        )
        .fen(&START.replace("0 1", "0 20"))
    };
    vec![
        case("", CN, vec![mv(W, "e2e4")], Rules(true, Reason::MoveMade), &[])
            .moves(RECURRED)
            .effect(lost(WHITE, Right::Claim)),
        asked(2),
        asked(3).effect(lost(WHITE, Right::Offer)),
    ]
}

fn effects(case: &Case) -> Vec<Effect> {
    let rulings = case.report().rulings;
    rulings.into_iter().flat_map(|ruling| ruling.effects).collect()
}

fn last_articles(report: &Report) -> &[String] {
    &report.rulings.last().unwrap().articles
}

/// What the cases above rule out: no effect and no article where nothing gives it.
#[test]
fn nothing_is_told_that_is_not_so() {
    let lost = Effect::RightLost {
        side: WHITE,
        right: Right::Claim,
    };
    let moved = case("", CN, vec![mv(W, "e2e4")], GoesOn, &[]);
    assert!(!effects(&moved).contains(&lost));
    // Where offers need not alternate, no right to offer comes back.
    let events = vec![offer(W), answer(B, false), offer(B), answer(W, false)];
    let free = case("", "popular", events, GoesOn, &[]).set("offers_alternate", "false");
    let regained = |effect: &Effect| matches!(effect, Effect::RightRegained { .. });
    assert!(!effects(&free).iter().any(regained));
    // No time at all is no penalty.
    let added = |effect: &Effect| matches!(effect, Effect::TimeAdded { .. });
    for ruleset in [F, A4, A5, B2, B3] {
        let events = vec![mv(W, "e2e5"), press(W), report(B, false, true)];
        let illegal = case("", ruleset, events, GoesOn, &[]).set("illegal_penalty_seconds", "0");
        assert!(!effects(&illegal).iter().any(added), "{ruleset}");
    }
    // I.4 is on an offer after the opponent has sealed, and I.11 on both players' absence.
    for (event, article, cites) in [
        (offer(W), "9.1.2.1", true),
        (offer(W), "I.4", false),
        (offer(B), "I.4", true),
        (resumption(false, true, 0, 0), "I.9.2", true),
        (resumption(false, true, 0, 0), "I.11", false),
        (resumption(false, false, 0, 0), "I.9.2", false),
    ] {
        let report = case("", F, vec![seal("e2e4", true), event], GoesOn, &[]).report();
        let found = last_articles(&report).iter().any(|number| number == article);
        assert_eq!(found, cites, "{article}");
    }
}

/// A.2 is on games in which nobody records, and 8.4 on players who need not any more.
#[test]
fn records_are_excused_by_the_article_that_excuses_them() {
    let excused = |ruleset, recording: Option<&'static str>| {
        let mut one = case("", ruleset, vec![record(200)], GoesOn, &[]);
        if let Some(recording) = recording {
            one = one.set("recording", recording);
        }
        let report = one.report();
        (report.rulings[0].reason, last_articles(&report).to_vec())
    };
    assert_eq!(excused(F, None).1[0], "8.4");
    assert_eq!(excused(F, Some("false")), (Reason::NobodyRecords, vec![]));
    assert_eq!(excused(A4, None), (Reason::NobodyRecords, vec!["A.2".to_owned()]));
    assert_eq!(
        excused(B3, None),
        (Reason::NobodyRecords, vec!["A.2".to_owned(), "B.3".to_owned()])
    );
    for ruleset in [A4, A5, B3] {
        let (reason, articles) = excused(ruleset, Some("true"));
        assert_eq!(
            (reason, &articles[0][..]),
            (Reason::NeedNotRecord, "8.4"),
            "{ruleset}"
        );
    }
}

/// 9.5.3 with 4.3: a text that starts from no piece of the claimant's binds none, and writing touches none.
#[test]
fn writing_touches_nothing_of_the_opponents() {
    let claimed = |text| {
        let events = vec![claim(W, ThreefoldRepetition, Some(text), None)];
        let report = case("", F, events, GoesOn, &[]).fen(CENTRE).report();
        (report.rulings[0].reason, report.obligations)
    };
    // White's pawn could take on d5.
    assert_eq!(claimed("d5d4"), (Reason::ClaimWrong, None));
    let (reason, due) = claimed("f1f7");
    assert_eq!(reason, Reason::ClaimIllegalMove);
    assert!(due.unwrap().iter().all(|mv| mv.from() == sq("f1")));
}

/// 8.7, and the club's rules on what is found later: once the result is signed, nothing is restored.
#[test]
fn what_is_found_after_the_result_was_signed_restores_nothing() {
    for (ruleset, article) in [
        (F, "8.7"),
        ("club", "after-the-game"),
        (CN, "8.1"),
        ("popular", "moves"),
    ] {
        let events = vec![
            mv(W, "e2e4"),
            press(W),
            mv(B, "e7e5"),
            press(B),
            unnoticed(W, "f1a4"),
            press(W),
            mv(B, "b8c6"),
            report(ARBITER, true, true),
        ];
        let report = case("", ruleset, events, GoesOn, &[]).report();
        let ruling = report.rulings.last().unwrap();
        assert_eq!(
            (ruling.accepted, ruling.reason),
            (false, Reason::ResultStands),
            "{ruleset}"
        );
        assert_eq!(ruling.articles, [article], "{ruleset}");
        assert!(!ruling.effects.contains(&Effect::Restored), "{ruleset}");
        assert!(
            report
                .missing_facts
                .iter()
                .any(|missing| missing.fact == "result"),
            "{ruleset}"
        );
    }
}

/// 7.1: where an earlier position is restored, the arbiter may set the clocks, whether anybody says that times are unknown or
/// not. The older code shares out what is not known, and says nothing else.
#[test]
fn the_arbiter_may_set_the_clocks_of_a_restored_position() {
    let displaced = at(
        ARBITER,
        EventKind::Displacement {
            found_later: true,
            position_known: true,
            pressed: false,
            times_known: true,
            moves_before: Some(1),
        },
    );
    let moved = [turns(&["e2e4", "e7e5", "g1f3", "b8c6"]), vec![displaced]].concat();
    let found = [overlooked(), vec![report(ARBITER, false, true)]].concat();
    for events in [found, moved] {
        for (ruleset, may) in [(F, true), (CN, false)] {
            let report = case("", ruleset, events.clone(), GoesOn, &[]).report();
            let ruling = report.rulings.last().unwrap();
            assert!(ruling.effects.contains(&Effect::Restored), "{ruleset}");
            let option = Effect::Option(Choice::SetClocks);
            assert_eq!(ruling.effects.contains(&option), may, "{ruleset}");
            assert_eq!(ruling.articles.contains(&"7.1".to_owned()), may, "{ruleset}");
        }
    }
}

pub(crate) fn cases() -> Vec<Case> {
    [replies_to_releases(), answered_once(), cited(), rights()]
        .into_iter()
        .flatten()
        .collect()
}
