//! Every article that a rule of a ruleset rests on is expected by a case under it, or under one that builds on it. Those
//! that no other subject plays are played here.

use std::collections::BTreeSet;

use tabiya_arbiter::{
    replay::{Breach, Choice, Effect, EventKind, QuickplayClaim, Reason},
    ruleset::Rule,
};

use crate::{
    case::{
        Case,
        Want::{Ends, Rules},
        case,
    },
    controls,
    events::*,
};

/// A ruleset, and those whose cases show its articles too.
const FAMILIES: [(&str, &[&str]); 10] = [
    (F, &[F, A4, A5, B2, B3]),
    (A4, &[F, A4, A5, B3]),
    (A5, &[F, A4, A5, B3]),
    (B2, &[F, A4, A5, B2, B3]),
    (B3, &[F, A4, A5, B3]),
    (CN, &[CN, "cn-domestic"]),
    ("cn-domestic", &[CN, "cn-domestic"]),
    ("popular", &["popular", "club"]),
    ("club", &["popular", "club"]),
    ("online-platform", &["online-platform"]),
];

/// Articles that no case cites, with the reason.
const ELSEWHERE: [(&str, &str); 12] = [
    ("10.1", "cited by standings, for what results score"),
    ("17", "cited by standings, for what results score"),
    ("2.1", "a start that is asked about, in `told`"),
    ("2.2", "a start that is asked about, in `told`"),
    ("2.3", "a start that is asked about, in `told`"),
    ("3.8.2", "illegal castling breaks 3.8.2.1 or 3.8.2.2"),
    ("5.1(2)", "illegal castling breaks 5.1(5) or 5.1(6)"),
    ("6.2.1.2", "cited where clocks count the moves, in `periods`"),
    ("6.3.1", "cited where there is a time control, in `told`"),
    ("12.1", "cited where there is a time control, in `told`"),
    ("II.2", "of Chess960, in `referred`"),
    ("II.3.2", "of Chess960, in `referred`"),
];

pub(crate) fn cases() -> Vec<Case> {
    let breached = |what, articles| {
        let noted = Rules(true, Reason::Breach);
        case("", F, vec![breach(W, what)], noted, articles).effect(Effect::Option(Choice::Warning))
    };
    let knocked_over = EventKind::Displacement {
        found_later: false,
        position_known: true,
        pressed: true,
        times_known: true,
        moves_before: None,
    };
    let claims = EventKind::QuickplayClaim {
        claim: QuickplayClaim::NormalMeans,
        remaining: None,
    };
    let scope = |ruleset| {
        let elsewhere = Rules(false, Reason::QuickplayElsewhere);
        case(
            "",
            ruleset,
            vec![at(W, claims.clone())],
            elsewhere,
            &["III.2.1", "III.2.2"],
        )
    };
    let lay =
        |ruleset, event, reason, article| case("", ruleset, vec![event], Ends(BLACK_WINS, reason), article);
    vec![
        breached(Breach::DeviceInVenue, &["11.3.2", "11.3.2.1", "11.6", "12.9"]),
        breached(Breach::ClockHandling, &["6.2.3", "6.2.4", "12.9"]),
        breached(Breach::NotesOnSheet, &["8.1.4", "11.3.1", "11.6", "12.9"]),
        // The men were knocked over, and the clock was pressed without setting them up again.
        case(
            "",
            F,
            vec![at(W, knocked_over)],
            Rules(true, Reason::Displaced),
            &["7.4.1", "7.4.2", "7.4.3", "12.9"],
        )
        .effect(Effect::Restored)
        .effect(Effect::ClockRuns { side: WHITE })
        .effect(Effect::MayBePenalised { side: WHITE }),
        case(
            "",
            F,
            vec![seal("?", true), resume(true, 0)],
            Ends(BLACK_WINS, Reason::SealInvalid),
            &["I.8.2", "I.8"],
        ),
        case(
            "",
            F,
            vec![mv(W, "e5d6")],
            Rules(false, Reason::IllegalAttempt),
            &["3.7.3.1", "3.7.3.2"],
        )
        .fen("4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1"),
        scope(B2),
        scope(B3),
        // 7.2 binds by what was touched on purpose.
        case(
            "",
            CN,
            vec![brush(W, "e2"), mv(W, "d2d4")],
            Rules(true, Reason::MoveMade),
            &[],
        )
        .told(0, &["7.2"]),
        case(
            "",
            CN,
            vec![touch(W, "a1", false)],
            Rules(true, Reason::TouchedFree),
            &["7.3"],
        )
        .effect(Effect::Free),
        // Nothing stands there: none is bound.
        case(
            "",
            F,
            vec![touch(W, "e4", false)],
            Rules(true, Reason::TouchedFree),
            &["4.5"],
        ),
        lay("popular", resign(W), Reason::Resigned, &["resignation"]),
        lay("popular", flag(W), Reason::FlagLoss, &["time"]),
        lay("club", resign(W), Reason::Resigned, &["resignation"]),
        lay("club", flag(W), Reason::FlagLoss, &["time"]),
        case(
            "",
            "online-platform",
            vec![mv(W, "a7a8")],
            Rules(false, Reason::PromotionUnfinished),
            &["promotion"],
        )
        .fen("7k/P7/8/8/8/8/8/K7 w - - 0 1"),
        case(
            "",
            "online-platform",
            vec![mv(W, "e1e2")],
            Ends(DRAW, Reason::Quiet),
            &["quiet"],
        )
        .fen(&format!("{FIFTY_ROOKS}59 90")),
        case(
            "",
            "online-platform",
            vec![mv(W, "e1e2")],
            Rules(true, Reason::MoveMade),
            &[],
        )
        .fen(&format!("{FIFTY_ROOKS}58 90")),
    ]
}

#[test]
fn every_article_of_a_rule_is_expected_somewhere() {
    let cases = crate::cases();
    let library = rulesets();
    let mut unseen = Vec::new();
    for (id, family) in FAMILIES {
        let ruleset = library.find(id).unwrap();
        let mut expected: BTreeSet<&str> = cases
            .iter()
            .filter(|case| family.contains(&case.ruleset))
            .flat_map(|case| {
                let told = case.told.iter().flat_map(|(_, told)| told.iter());
                case.articles.iter().chain(told).copied()
            })
            .collect();
        if id.starts_with("fide") {
            expected.extend(controls::CITED);
        }
        let stated: BTreeSet<&str> = Rule::ALL
            .iter()
            .filter(|&&rule| ruleset.has(rule))
            .flat_map(|&rule| ruleset.articles_of(rule))
            .map(String::as_str)
            .collect();
        let elsewhere = |article: &str| ELSEWHERE.iter().any(|(number, _)| *number == article);
        for article in stated.difference(&expected).filter(|article| !elsewhere(article)) {
            unseen.push(format!("{id} {article}"));
        }
    }
    assert!(unseen.is_empty(), "no case expects {unseen:#?}");
}
