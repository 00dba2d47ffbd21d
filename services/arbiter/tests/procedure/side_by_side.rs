//! One event under the rulesets that part on it, row by row.

use std::time::Duration;

use tabiya_arbiter::{
    ClaimGround::{FiftyMoves, ThreefoldRepetition},
    replay::{Choice, Effect, Event, EventKind, Reason},
};

use crate::{
    case::{
        Case, Want,
        Want::{Ends, GoesOn, Rules, Void},
        case,
    },
    events::*,
};

const DOMESTIC: &str = "cn-domestic";
const POPULAR: &str = "popular";
const PLATFORM: &str = "online-platform";

type Row = (&'static str, Want, &'static [&'static str]);

/// The same events under each ruleset of a row.
fn row<const N: usize>(fen: &str, moves: &str, events: &[Event], rows: [Row; N]) -> Vec<Case> {
    rows.into_iter()
        .map(|(ruleset, want, articles)| {
            case("", ruleset, events.to_vec(), want, articles)
                .fen(fen)
                .moves(moves)
        })
        .collect()
}

fn drawn(reason: Reason) -> Want {
    Ends(DRAW, reason)
}

/// Repetitions and quiet moves: claimed, or drawing by themselves.
fn counts() -> Vec<Case> {
    let third = SHUFFLE.repeat(2);
    let fifth = SHUFFLE.repeat(4);
    let claim = [claim(W, ThreefoldRepetition, None, Some(3600))];
    let quiet = |count: u32| format!("{FIFTY_ROOKS}{count} 90");
    let rook = [mv(W, "e1e2")];
    let claims = [claim_of_fifty()];
    [
        row(
            START,
            &third,
            &claim,
            [
                (F, drawn(Reason::ClaimUpheld), &["9.2.2", "9.5.2"]),
                (CN, drawn(Reason::ClaimUpheld), &["10.10(2)", "10.13(1)"]),
                (POPULAR, drawn(Reason::Repetition), &["repetition"]),
                (PLATFORM, Rules(false, Reason::NoClaims), &["not-mentioned"]),
            ],
        ),
        row(
            START,
            &third,
            &[],
            [(F, GoesOn, &[]), (CN, GoesOn, &[]), (PLATFORM, GoesOn, &[])],
        ),
        row(
            START,
            &fifth,
            &[],
            [
                (F, drawn(Reason::Repetition), &["9.6.1"]),
                (CN, GoesOn, &[]),
                (PLATFORM, GoesOn, &[]),
            ],
        ),
        row(
            &quiet(100),
            "",
            &claims,
            [
                (F, drawn(Reason::ClaimUpheld), &["9.3.2", "9.5.2"]),
                (CN, drawn(Reason::ClaimUpheld), &["10.12", "10.13(1)"]),
                (POPULAR, drawn(Reason::Quiet), &["quiet"]),
                (PLATFORM, drawn(Reason::Quiet), &["quiet"]),
            ],
        ),
        row(
            &quiet(59),
            "",
            &rook,
            [
                (F, Rules(true, Reason::MoveMade), &[]),
                (CN, Rules(true, Reason::MoveMade), &[]),
                (POPULAR, drawn(Reason::Quiet), &["quiet"]),
                (PLATFORM, drawn(Reason::Quiet), &["quiet"]),
            ],
        ),
        row(
            &quiet(149),
            "",
            &rook,
            [
                (F, drawn(Reason::Quiet), &["9.6.2"]),
                (CN, Rules(true, Reason::MoveMade), &[]),
            ],
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn claim_of_fifty() -> Event {
    claim(W, FiftyMoves, None, Some(3600))
}

/// Who can still mate, and whom that helps.
fn mating_chances() -> Vec<Case> {
    let blocked = "4k3/8/8/p2p2p1/P2P4/6P1/8/4K3 w - - 0 40";
    let knights = "8/8/3k4/8/8/8/4p3/K1NN4 w - - 0 40";
    let late_rook = ROOK.replace("0 1", "0 40");
    let bishop = "4k3/8/2b5/8/8/8/8/R3K3 w - - 0 40";
    let made = || Rules(true, Reason::MoveMade);
    let lost = |reason| Ends(BLACK_WINS, reason);
    [
        row(
            blocked,
            "",
            &[mv(W, "g3g4")],
            [
                (F, drawn(Reason::Dead), &["5.2.2"]),
                (CN, made(), &[]),
                (POPULAR, drawn(Reason::Dead), &["material"]),
                (PLATFORM, made(), &[]),
            ],
        ),
        row(
            knights,
            "",
            &[mv(W, "c1e2")],
            [
                (F, made(), &[]),
                (CN, made(), &[]),
                (POPULAR, drawn(Reason::LineUp), &["material"]),
                (PLATFORM, made(), &[]),
            ],
        ),
        row(
            &late_rook,
            "",
            &[flag(W)],
            [
                (F, drawn(Reason::FlagDraw), &["6.9"]),
                (CN, drawn(Reason::FlagDraw), &["10.14", "10.5"]),
                (POPULAR, lost(Reason::FlagLoss), &["time"]),
                (
                    PLATFORM,
                    lost(Reason::FlagLoss),
                    &["time", "rounds", "not-mentioned"],
                ),
            ],
        ),
        row(
            ROOK,
            "",
            &[flag(W)],
            [(PLATFORM, Void(Reason::FlagVoid), &["time", "rounds"])],
        ),
        row(
            bishop,
            "",
            &[flag(W)],
            [
                (F, drawn(Reason::FlagDraw), &["6.9"]),
                (CN, lost(Reason::FlagLoss), &["10.14"]),
                (POPULAR, lost(Reason::FlagLoss), &["time"]),
                (PLATFORM, lost(Reason::FlagLoss), &["time", "not-mentioned"]),
            ],
        ),
        row(
            ROOK,
            "",
            &[resign(W)],
            [
                (F, drawn(Reason::ResignedDraw), &["5.1.2"]),
                (CN, drawn(Reason::ResignedDraw), &["10.5", "10.2"]),
                (POPULAR, lost(Reason::Resigned), &["resignation"]),
                (
                    PLATFORM,
                    Rules(false, Reason::ResignedEarly),
                    &["resignation", "rounds"],
                ),
            ],
        ),
        row(
            &late_rook,
            "",
            &[resign(W)],
            [(
                PLATFORM,
                lost(Reason::Resigned),
                &["resignation", "not-mentioned"],
            )],
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// What a wrong claim and an illegal move cost, and where a pawn is left on its last rank.
fn faults() -> Vec<Case> {
    let wrong = || [claim(W, ThreefoldRepetition, None, Some(3600))];
    let given = |seconds| Effect::TimeAdded {
        side: BLACK,
        time: Duration::from_secs(seconds),
    };
    let mut cases = Vec::new();
    for (ruleset, articles, cost) in [
        (F, &["9.5.3"] as &'static [&'static str], given(120)),
        (A4, &["9.5.3", "A.3"], given(60)),
        (B3, &["9.5.3", "A.3", "B.3"], given(60)),
        (
            CN,
            &["10.13(2)"],
            Effect::UsedTimeAdded {
                side: WHITE,
                time: Duration::from_secs(300),
            },
        ),
    ] {
        let wrong = case(
            "",
            ruleset,
            wrong().to_vec(),
            Rules(false, Reason::ClaimWrong),
            articles,
        );
        cases.push(wrong.effect(cost));
    }
    for ruleset in [POPULAR, "club", PLATFORM] {
        cases.push(case(
            "",
            ruleset,
            wrong().to_vec(),
            Rules(false, Reason::NoClaims),
            &[],
        ));
    }
    let illegal = || vec![mv(W, "e2e5"), press(W)];
    let first = || Rules(false, Reason::IllegalFirst);
    cases.extend([
        case("", F, illegal(), first(), &["7.5.1", "7.5.5"]).effect(given(120)),
        case("", CN, illegal(), first(), &["8.1", "16.5"]).effect(Effect::Option(Choice::Warning)),
        case("", POPULAR, illegal(), first(), &["moves"]).effect(Effect::Restored),
        case("", PLATFORM, illegal(), Rules(false, Reason::PressedNothing), &[]).told(0, &["pawn"]),
    ]);
    let unknown = EventKind::IllegalMoveReport {
        after_signature: false,
        position_known: false,
        times_known: true,
        both_agree: false,
        moves_before: None,
        side: None,
    };
    cases.extend(row(
        START,
        "",
        &[at(B, unknown)],
        [
            (F, Rules(false, Reason::PositionIdentified), &["7.5.1"]),
            (CN, Void(Reason::PositionAnnulled), &["8.1"]),
            (POPULAR, Rules(false, Reason::Unstated), &[]),
            (PLATFORM, Rules(false, Reason::Unstated), &[]),
        ],
    ));
    let square = sq("e8");
    let left = [mv(W, "e7e8"), press(W)];
    let pawn = "3r3k/4P3/8/8/8/8/8/4K3 w - - 0 1";
    let unfinished = || Rules(false, Reason::PromotionUnfinished);
    let of = |ruleset, want, articles, effect| {
        case("", ruleset, left.to_vec(), want, articles)
            .fen(pawn)
            .effect(effect)
    };
    let finish = || Effect::FinishPromotion(square);
    cases.extend([
        of(
            F,
            Rules(false, Reason::PromotionLeft),
            &["7.5.2", "7.5.5"],
            Effect::BecomesQueen(square),
        ),
        of(CN, unfinished(), &["5.6(4)"], finish()),
        of(POPULAR, unfinished(), &["promotion"], finish()),
    ]);
    cases
}

/// Players who come late, flags of which nobody knows which fell first, offers on the opponent's time, sealed moves.
fn procedures() -> Vec<Case> {
    let one_too_many = |limit: u64| [late(B, limit + 1)];
    let lost = || Ends(WHITE_WINS, Reason::TooLate);
    let in_time = || Rules(true, Reason::InTime);
    let unstated = || Rules(false, Reason::Unstated);
    let offered = [mv(W, "e2e4"), press(W), offer(W)];
    let sealed = [seal("e2e4", true)];
    [
        row(
            START,
            "",
            &one_too_many(0),
            [(F, lost(), &["6.7.1"]), (B3, lost(), &["6.7.1"])],
        ),
        row(START, "", &[late(B, 60)], [(CN, in_time(), &["10.15"])]),
        row(START, "", &one_too_many(60), [(CN, lost(), &["10.15"])]),
        row(
            START,
            "",
            &[late(B, 15)],
            [(DOMESTIC, in_time(), &["10.15", "preface"])],
        ),
        row(
            START,
            "",
            &one_too_many(15),
            [(DOMESTIC, lost(), &["10.15", "preface"])],
        ),
        row(
            START,
            "",
            &one_too_many(600),
            [
                (POPULAR, Rules(true, Reason::Unstated), &[]),
                (PLATFORM, Rules(true, Reason::Unstated), &[]),
            ],
        ),
        row(
            START,
            "",
            &[both_flags(true)],
            [
                (F, Rules(false, Reason::MissingFact), &["III.3.1"]),
                (CN, Rules(false, Reason::FlagsContinue), &["12.8"]),
                (POPULAR, unstated(), &[]),
                (PLATFORM, unstated(), &[]),
            ],
        ),
        row(
            START,
            "",
            &offered,
            [
                (F, Rules(true, Reason::OfferUnusual), &["9.1.2.1", "11.5", "12.9"]),
                (CN, Rules(true, Reason::OfferUnusual), &["10.8", "16.5"]),
                (POPULAR, Rules(true, Reason::OfferUnstated), &["offers"]),
                (PLATFORM, Rules(false, Reason::OfferEarly), &["offers", "rounds"]),
            ],
        ),
        row(
            START,
            "",
            &sealed,
            [
                (F, Rules(true, Reason::Sealed), &["I.1.1"]),
                (CN, Rules(true, Reason::Sealed), &["13.1(1)"]),
                (POPULAR, unstated(), &[]),
                (PLATFORM, unstated(), &[]),
            ],
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

pub(crate) fn cases() -> Vec<Case> {
    [counts(), mating_chances(), faults(), procedures()]
        .into_iter()
        .flatten()
        .collect()
}
