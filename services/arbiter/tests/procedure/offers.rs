//! Offers out of their moment, before their time, and those that claims make.

use std::time::Duration;

use tabiya_arbiter::{
    ClaimGround::ThreefoldRepetition,
    replay::{Effect, Event, EventKind, QuickplayClaim, Reason},
};

use crate::{
    case::{
        Case,
        Want::{Ends, GoesOn, Rules},
        case,
    },
    events::*,
};

fn consented(actor: Option<tabiya_rules::Color>) -> Event {
    offer_with(actor, Some(true))
}

fn wrong_claim() -> Event {
    claim(W, ThreefoldRepetition, None, Some(3600))
}

/// 9.1.2.1: an offer at any other time is valid, and 11.5 is considered.
fn moments() -> Vec<Case> {
    let unusual = |actor, side| {
        let want = Rules(true, Reason::OfferUnusual);
        case("", F, vec![offer(actor)], want, &["9.1.2.1", "11.5"]).effect(Effect::MayBePenalised { side })
    };
    vec![
        unusual(W, WHITE),
        unusual(B, BLACK),
        case(
            "",
            F,
            vec![mv(W, "e2e4"), offer(W)],
            Rules(true, Reason::OfferMade),
            &["9.1.2.1"],
        ),
        case(
            "",
            CN,
            vec![offer(B)],
            Rules(true, Reason::OfferUnusual),
            &["10.8"],
        )
        .effect(Effect::MayBePenalised { side: BLACK }),
    ]
}

/// Each side's offer stands by itself: a move refuses the opponent's alone, and says whose (10.7).
#[test]
fn a_move_closes_the_opponent_s_offer_and_not_its_own() {
    let events = vec![
        mv(W, "e2e4"),
        offer(W),
        press(W),
        offer(B),
        mv(B, "e7e5"),
        answer(W, true),
    ];
    let case = case("", CN, events, Ends(DRAW, Reason::Agreed), &["10.6"]);
    assert_eq!(case.check(), None);
    let report = case.report();
    assert_eq!(report.rulings[4].effects, [Effect::OfferClosed { by: WHITE }]);
}

/// 9.1.1: what the event delays or bans, the arbiter can allow; what 5.2.3 asks for, he cannot.
fn consent() -> Vec<Case> {
    let early = || Rules(false, Reason::AgreedEarly);
    let agreed = |event| vec![event, answer(B, true)];
    vec![
        case(
            "",
            F,
            vec![offer(W)],
            Rules(false, Reason::OfferEarly),
            &["9.1.1"],
        )
        .set("offer_rounds", "30"),
        case(
            "",
            F,
            vec![consented(W)],
            Rules(true, Reason::OfferUnusual),
            &["9.1.2.1"],
        )
        .set("offer_rounds", "30"),
        case("", F, agreed(offer(W)), early(), &["9.1.1"])
            .moves(SHUFFLE)
            .set("agreement_moves", "30"),
        case(
            "",
            F,
            agreed(consented(W)),
            Ends(DRAW, Reason::Agreed),
            &["5.2.3"],
        )
        .moves(SHUFFLE)
        .set("agreement_moves", "30"),
        case(
            "",
            F,
            vec![mv(W, "e2e4"), consented(W), answer(B, true)],
            early(),
            &["5.2.3"],
        )
        .set("agreement_moves", "30"),
        // No article lets an arbiter waive the rounds of the platform.
        case(
            "",
            "online-platform",
            vec![consented(W)],
            Rules(false, Reason::OfferEarly),
            &["offers"],
        )
        .moves(&rounds(15)),
    ]
}

/// 9.1.2.3: a claim is an offer, where offers are allowed.
fn claims() -> Vec<Case> {
    let then = |accept| vec![wrong_claim(), answer(B, accept)];
    let none = || Rules(false, Reason::NoOffer);
    vec![
        case(
            "",
            F,
            vec![wrong_claim()],
            Rules(false, Reason::ClaimWrong),
            &["9.5.3", "9.1.2.3"],
        )
        .effect(Effect::OfferOpen { by: WHITE }),
        case(
            "",
            F,
            then(true),
            Ends(DRAW, Reason::Agreed),
            &["9.1.2.3", "5.2.3"],
        )
        .moves(SHUFFLE),
        case(
            "",
            F,
            then(false),
            Rules(true, Reason::OfferRefused),
            &["9.1.2.1"],
        )
        .moves(SHUFFLE),
        case("", CN, then(true), none(), &["10.7"]).moves(SHUFFLE),
        case("", F, then(true), none(), &["9.1.2.1"])
            .moves(SHUFFLE)
            .set("offers_need_consent", "true"),
        case("", F, then(true), none(), &["9.1.2.1"])
            .moves(SHUFFLE)
            .set("offer_rounds", "30"),
        // The offer of the claim has nobody's consent.
        case(
            "",
            F,
            then(true),
            Rules(false, Reason::AgreedEarly),
            &["9.1.2.3", "9.1.1"],
        )
        .moves(SHUFFLE)
        .set("agreement_moves", "30"),
    ]
}

fn has(case: &Case, wanted: &Effect) -> bool {
    let report = case.report();
    report
        .rulings
        .iter()
        .any(|ruling| ruling.effects.contains(wanted))
}

/// The lay texts say when a draw is offered, and nothing of penalties.
#[test]
fn lay_texts_penalise_no_moment() {
    let platform = |case: Case| case.set("offer_on_move_only", "false").set("offer_limit", "0");
    for (ruleset, moves) in [("popular", 0), ("club", 0), ("online-platform", 16)] {
        for (actor, side) in [(W, WHITE), (B, BLACK)] {
            let mut offered =
                case("", ruleset, vec![offer(actor)], GoesOn, &["offers"]).moves(&rounds(moves));
            if ruleset == "online-platform" {
                offered = platform(offered);
            }
            let ruling = &offered.report().rulings[0];
            assert_eq!(
                (ruling.accepted, ruling.reason),
                (true, Reason::OfferUnstated),
                "{ruleset}"
            );
            assert!(has(&offered, &Effect::OfferOpen { by: side }));
            assert!(!has(&offered, &Effect::MayBePenalised { side }), "{ruleset}");
        }
    }
}

/// Where the event bans offers, a wrong claim and a request for an increment make none.
#[test]
fn a_ban_covers_offers_by_claim_and_by_request() {
    let open = Effect::OfferOpen { by: WHITE };
    let request = || {
        at(
            W,
            EventKind::QuickplayClaim {
                claim: QuickplayClaim::Increment,
                remaining: Some(Duration::from_secs(60)),
            },
        )
    };
    for event in [wrong_claim(), request()] {
        let made = |banned| {
            let made = case("", F, vec![event.clone()], GoesOn, &[]).set("guideline_iii", "true");
            made.set("offers_need_consent", banned)
        };
        assert!(has(&made("false"), &open));
        assert!(!has(&made("true"), &open));
    }
}

pub(crate) fn cases() -> Vec<Case> {
    [moments(), consent(), claims()].into_iter().flatten().collect()
}
