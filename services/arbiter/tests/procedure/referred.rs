//! What waits for the arbiter: claims that end play, decisions put off, penalties that he may choose, points that he gives;
//! and what is told of a game that waits.

use std::time::Duration;

use tabiya_arbiter::replay::{Choice, Effect, Event, EventKind, GameStatus, QuickplayClaim, Reason, replay};
use tabiya_rules::{Board, Game, Move, Variant};

use crate::{
    case::{
        Case,
        Want::{Ends, Rules},
        case,
    },
    events::*,
};

const ROOKS: &str = "4k3/8/8/8/8/8/8/R1R1K3 w - - 0 1";

fn quickplay(claim: QuickplayClaim) -> Event {
    let remaining = Some(Duration::from_secs(60));
    at(W, EventKind::QuickplayClaim { claim, remaining })
}

fn announced(events: Vec<Event>, want: crate::case::Want, articles: &'static [&'static str]) -> Case {
    case("", F, events, want, articles).set("guideline_iii", "true")
}

/// III.6: the claim ends play; an arbiter decides later.
fn unsupervised() -> Vec<Case> {
    let claimed = |then: &[Event]| {
        let first = [
            mv(W, "e2e4"),
            press(W),
            mv(B, "e7e5"),
            press(B),
            offer(B),
            quickplay(QuickplayClaim::Unsupervised),
        ];
        [&first[..], then].concat()
    };
    let waits = |event: Event| {
        announced(
            claimed(&[event]),
            Rules(false, Reason::AwaitsDecision),
            &["III.6"],
        )
    };
    vec![
        announced(claimed(&[]), Rules(true, Reason::AwaitsDecision), &["III.6"])
            .effect(Effect::Option(Choice::DeclareDraw))
            .effect(Effect::Option(Choice::Loss))
            .effect(Effect::ClocksPaused),
        waits(mv(W, "g1f3")),
        waits(press(W)),
        waits(flag(W)),
        waits(resign(B)),
        waits(answer(W, true)),
        waits(touch(W, "g1", false)),
        waits(quickplay(QuickplayClaim::NormalMeans)),
        waits(choose_with(Choice::AddOpponentTime, None, Some(120))),
        announced(
            claimed(&[choose(Choice::RejectClaim)]),
            Rules(false, Reason::AwaitsDecision),
            &["III.6"],
        ),
        announced(
            claimed(&[choose(Choice::DeclareDraw)]),
            Ends(DRAW, Reason::Decided),
            &["III.6"],
        ),
        announced(
            claimed(&[choose(Choice::Loss)]),
            Ends(BLACK_WINS, Reason::Decided),
            &["III.6"],
        ),
        announced(
            claimed(&[flag(W), choose(Choice::DeclareDraw), flag(W)]),
            Ends(DRAW, Reason::Decided),
            &["III.6"],
        ),
        announced(
            claimed(&[at(W, EventKind::Appeal)]),
            Rules(true, Reason::AppealNoted),
            &["11.10"],
        ),
    ]
}

/// 11.5: what the arbiter may penalise, he may penalise by the list of 12.9.
fn penalties() -> Vec<Case> {
    let warned = || Effect::Option(Choice::Warning);
    vec![
        case(
            "",
            F,
            vec![offer(B)],
            Rules(true, Reason::OfferUnusual),
            &["9.1.2.1", "11.5", "11.6", "12.9"],
        )
        .effect(warned())
        .effect(Effect::Option(Choice::Expulsion))
        .effect(Effect::MayBePenalised { side: BLACK }),
        case(
            "",
            F,
            vec![offer(B), choose(Choice::Warning)],
            Rules(true, Reason::OptionChosen),
            &["12.9.1"],
        ),
        case(
            "",
            CN,
            vec![offer(B)],
            Rules(true, Reason::OfferUnusual),
            &["10.8", "16.5"],
        )
        .effect(warned()),
        case(
            "",
            F,
            vec![mv(W, "e2e4"), press(W), complaint(B, false, "g1", Some(true))],
            Rules(true, Reason::ComplaintUpheld),
            &["4.8", "12.9"],
        )
        .effect(warned()),
    ]
}

/// I.1.1: what is played after the order to seal is the sealed move, and the only one.
fn played_while_sealing() -> Vec<Case> {
    let played = |then: &[Event]| {
        let first = [seal_by(W, "c1c6", false, None), mv(W, "c1c6")];
        [&first[..], then].concat()
    };
    let only = || Effect::Obliged(vec![Move::normal(sq("c1"), sq("c6"))]);
    let on_rooks = |events, want, articles| case("", F, events, want, articles).fen(ROOKS);
    vec![
        on_rooks(
            played(&[touch(W, "a1", false)]),
            Rules(false, Reason::TouchBinds),
            &["I.1.1"],
        )
        .effect(only()),
        on_rooks(
            played(&[release(W, "a1", "a5", true)]),
            Rules(false, Reason::TouchBinds),
            &["I.1.1"],
        ),
        on_rooks(
            played(&[touch(W, "c1", false)]),
            Rules(true, Reason::TouchedOwn),
            &["I.1.1"],
        )
        .effect(only()),
        on_rooks(
            played(&[mv(W, "a1a5")]),
            Rules(false, Reason::SealMustMatch),
            &["I.1.1"],
        ),
        on_rooks(
            played(&[seal_by(W, "c1c6", true, None)]),
            Rules(true, Reason::SealChanged),
            &["I.1.1"],
        ),
    ]
}

/// I.8: a promotion without its piece fits several moves; one to a king is none.
fn sealed_promotions() -> Vec<Case> {
    let opened = |text, articles| {
        let events = vec![seal_by(W, text, true, None), resume(true, 0)];
        case("", F, events, Ends(BLACK_WINS, Reason::SealInvalid), articles)
    };
    let played = |text| {
        let wrong = Rules(false, Reason::IllegalAttempt);
        case("", F, vec![mv(W, text)], wrong, &["3.7.3.3"])
    };
    [
        opened("d8", &["I.8.1"]),
        opened("d7d8", &["I.8.1"]),
        opened("d8=K", &["I.8.3"]),
        played("d8=K"),
        played("d7d8k"),
    ]
    .map(|case| case.fen("2r4k/3P4/8/8/8/8/8/K7 w - - 0 1"))
    .into()
}

/// I.9.3 and I.10: a sealed reply that is opened, and a late player whose loss a sealed move forestalls.
fn late_players() -> Vec<Case> {
    let stalemates = "7k/8/8/6Q1/8/8/8/K7 w - - 0 1";
    vec![
        case(
            "",
            F,
            vec![seal_by(W, "g5g6", true, None), resumption(true, true, 0, 30)],
            Ends(DRAW, Reason::Stalemate),
            &["5.2.1", "I.10"],
        )
        .fen(stalemates),
        case(
            "",
            F,
            vec![
                seal_by(W, "e2e4", true, None),
                resumption(true, false, 0, 0),
                seal_by(B, "e7e5", true, None),
                arrival(W, 0, false, false),
            ],
            Rules(true, Reason::Resumed),
            &["I.9.3"],
        ),
    ]
}

/// B.3 takes over what A.2 and A.5 say.
fn blitz() -> Vec<Case> {
    let b3 = "fide-2023-blitz-b3";
    vec![
        case(
            "",
            b3,
            vec![flag(W)],
            Ends(BLACK_WINS, Reason::FlagLoss),
            &["6.9", "A.5.3", "A.5.5", "B.3"],
        ),
        case(
            "",
            b3,
            vec![record(30)],
            Rules(true, Reason::NobodyRecords),
            &["A.2", "B.3"],
        ),
    ]
}

pub(crate) fn cases() -> Vec<Case> {
    [
        unsupervised(),
        penalties(),
        played_while_sealing(),
        sealed_promotions(),
        late_players(),
        blitz(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[test]
fn a_game_that_waits_says_for_what() {
    let claimed = vec![quickplay(QuickplayClaim::Unsupervised)];
    let report = announced(claimed.clone(), Rules(true, Reason::AwaitsDecision), &[]).report();
    assert_eq!(
        (report.status, report.reason),
        (GameStatus::Suspended, Reason::AwaitsDecision)
    );
    assert_eq!(report.missing_facts[0].fact, "decision");
    assert_eq!(report.missing_facts[0].articles, ["III.6"]);
    // What the arbiter decides is no longer missing.
    let decided = [&claimed[..], &[choose(Choice::DeclareDraw)]].concat();
    let report = announced(decided, Rules(true, Reason::Decided), &[]).report();
    assert_eq!(
        (report.status, report.missing_facts),
        (GameStatus::Decided, vec![])
    );
    let put_off = vec![
        quickplay(QuickplayClaim::NormalMeans),
        choose(Choice::Postpone),
        flag(W),
    ];
    let report = announced(put_off.clone(), Rules(true, Reason::LeftToArbiter), &[]).report();
    assert_eq!(report.missing_facts[0].fact, "decision");
    let decided = [&put_off[..], &[choose(Choice::DeclareDraw)]].concat();
    let report = announced(decided, Rules(true, Reason::Decided), &[]).report();
    assert_eq!(
        (report.status, report.missing_facts),
        (GameStatus::Decided, vec![])
    );
    // I.1.1: an adjourned game waits for the sealed move, and nobody is bound meanwhile.
    let sealed = vec![touch(W, "a1", false), seal_by(W, "a1b1", true, None)];
    let report = case("", F, sealed, Rules(true, Reason::Sealed), &[])
        .fen(ROOKS)
        .report();
    assert_eq!(
        (report.status, report.reason),
        (GameStatus::Suspended, Reason::Adjourned)
    );
    assert_eq!((report.obligations, report.claimable), (None, vec![]));
    let going = case("", F, vec![mv(W, "e2e4")], Rules(true, Reason::MoveMade), &[]).report();
    assert_eq!((going.reason, going.scores), (Reason::GoesOn, None));
}

/// 10.2: a game never gives more than its points, whatever penalties give.
#[test]
fn scores_are_told_with_what_the_arbiter_gave_and_took() {
    let scores = |events: Vec<Event>| {
        case("", F, events, Rules(true, Reason::Resigned), &[])
            .report()
            .scores
    };
    let given = || change_points(Choice::AddOpponentPoints, W, 2);
    let taken = |side| change_points(Choice::TakeOwnPoints, side, 1);
    assert_eq!(scores(vec![resign(B)]), Some([2, 0]));
    assert_eq!(scores(vec![given(), resign(B)]), Some([2, 0]));
    assert_eq!(scores(vec![given(), resign(W)]), Some([0, 2]));
    assert_eq!(scores(vec![taken(W), resign(B)]), Some([1, 0]));
    let agreed = vec![
        mv(W, "e2e4"),
        press(W),
        mv(B, "e7e5"),
        press(B),
        taken(B),
        offer(W),
        answer(B, true),
    ];
    assert_eq!(scores(agreed), Some([1, 0]));
    assert_eq!(
        scores(vec![breach(ARBITER, tabiya_arbiter::replay::Breach::BothRefuse)]),
        Some([0, 0])
    );
}

/// II.3.2: in Chess960, the squares of both paths; II.2: how the game has to begin.
#[test]
fn chess960_is_cited() {
    let ruleset = rulesets().find(F).unwrap();
    let cited = |variant, event: Event| {
        let game = Game::new(Board::from_fen("4k3/8/8/8/8/8/8/4KN1R w K - 0 1").unwrap());
        replay(ruleset, &game, variant, None, &[event]).rulings[0]
            .articles
            .clone()
    };
    assert_eq!(cited(Variant::Chess960, mv(W, "e1h1")), ["3.8.2.2", "II.3.2"]);
    assert_eq!(cited(Variant::Standard, mv(W, "e1g1")), ["3.8.2.2"]);
    let wrong = || setup(tabiya_arbiter::replay::SetupFault::WrongPieces, None);
    assert_eq!(cited(Variant::Chess960, wrong()), ["7.2.1", "II.2"]);
    assert_eq!(cited(Variant::Standard, wrong()), ["7.2.1"]);
}

/// 6.7.2 is about two absent players; the time of one alone is lost by 6.7.1.
#[test]
fn only_two_absent_players_are_ruled_by_the_article_on_both() {
    let arrives = |opponent_absent| {
        let events = vec![arrival(W, 10, opponent_absent, false)];
        let report = case("", F, events, Rules(true, Reason::InTime), &[])
            .set("late_limit_minutes", "30")
            .report();
        let ruling = &report.rulings[0];
        let lost = Effect::TimeLost {
            side: WHITE,
            time: Duration::from_secs(600),
        };
        assert!(ruling.effects.contains(&lost));
        (ruling.reason, ruling.articles.clone())
    };
    assert_eq!(arrives(false), (Reason::InTime, vec!["6.7.1".into()]));
    assert_eq!(
        arrives(true),
        (Reason::WhiteWaits, vec!["6.7.1".into(), "6.7.2".into()])
    );
}
