//! Moves that do not honour what was touched: they stand once the opponent has replied (4.8, 7.4), and the rights that
//! touching ends (9.1.2.1, 9.4).

use tabiya_arbiter::{
    ClaimGround::{FiftyMoves, ThreefoldRepetition},
    replay::{Effect, Event, Reason, Report, Right, replay},
};
use tabiya_rules::{Board, Color, Game, Variant};

use crate::{
    case::{
        Case,
        Want::{Ends, Rules},
        case,
    },
    events::*,
};

/// White has touched his knight and mates with the queen.
const MATE: &str = "6k1/5ppp/8/8/8/8/3Q4/1N4K1 w - - 0 1";
const REPLIES: [&str; 3] = [F, A5, CN];

fn ruled(ruleset: &str, fen: &str, events: &[Event]) -> Report {
    let ruleset = rulesets().find(ruleset).unwrap();
    let start = Game::new(Board::from_fen(fen).unwrap());
    replay(
        ruleset,
        &start,
        Variant::Standard,
        Some(&guillotine(6000)),
        events,
    )
}

fn made() -> crate::case::Want {
    Rules(true, Reason::MoveMade)
}

/// White touches g1 and plays the king's pawn.
fn breach(then: &[Event]) -> Vec<Event> {
    [&[touch(W, "g1", false), mv(W, "e2e4")][..], then].concat()
}

fn complain(established: Option<bool>) -> Event {
    complaint(B, false, "", established)
}

/// Whoever may complain, may until he touches a piece himself.
fn replies() -> Vec<Case> {
    let mut cases = Vec::new();
    for ruleset in REPLIES {
        let late = || Rules(false, Reason::ComplaintLate);
        let upheld = || Rules(true, Reason::ComplaintUpheld);
        let article = if ruleset == CN { &["7.4"] } else { &["4.8"] };
        cases.extend([
            case("", ruleset, breach(&[press(W), mv(B, "e7e5")]), made(), &[]),
            // Without a press the reply shows as much.
            case("", ruleset, breach(&[mv(B, "e7e5")]), made(), &[]),
            case(
                "",
                ruleset,
                breach(&[press(W), touch(B, "b8", false), complain(None)]),
                late(),
                &[],
            ),
            case(
                "",
                ruleset,
                breach(&[touch(B, "b8", false), complain(Some(true))]),
                late(),
                &[],
            ),
            // The complaint itself may say that a piece was touched, before the press and after it.
            case(
                "",
                ruleset,
                breach(&[complaint(B, true, "", None)]),
                late(),
                article,
            ),
            case(
                "",
                ruleset,
                breach(&[press(W), complaint(B, true, "", None)]),
                late(),
                article,
            ),
            // Adjusting is no reply.
            case(
                "",
                ruleset,
                breach(&[press(W), adjust(B, "b8", None), complain(None)]),
                upheld(),
                &[],
            )
            .effect(moves(START, "g1f3 g1h3"))
            .effect(Effect::MayBePenalised { side: WHITE }),
            // Before the press, too, and by the arbiter himself.
            case("", ruleset, breach(&[complain(None)]), upheld(), &[])
                .effect(Effect::Restored)
                .effect(moves(START, "g1f3 g1h3")),
            case(
                "",
                ruleset,
                breach(&[press(W), complaint(ARBITER, false, "", None)]),
                upheld(),
                &[],
            )
            .effect(Effect::ClockRuns { side: WHITE }),
            case(
                "",
                ruleset,
                breach(&[press(W), complain(Some(false))]),
                Rules(false, Reason::ComplaintUnproved),
                &[],
            ),
            // The move after that is another move.
            case(
                "",
                ruleset,
                breach(&[
                    press(W),
                    mv(B, "e7e5"),
                    press(B),
                    mv(W, "d2d4"),
                    press(W),
                    complain(None),
                ]),
                Rules(true, Reason::ComplaintHeard),
                &[],
            ),
            // What is taken back and played again is right.
            case(
                "",
                ruleset,
                breach(&[press(W), complain(None), mv(W, "g1f3"), press(W), mv(B, "e7e5")]),
                made(),
                &[],
            ),
        ]);
    }
    cases.extend([
        case(
            "",
            F,
            breach(&[press(W)]),
            Rules(false, Reason::TouchWaits),
            &["4.3.1", "4.8"],
        ),
        case(
            "",
            CN,
            breach(&[press(W)]),
            Rules(false, Reason::TouchWaits),
            &["7.2(1)", "7.4"],
        ),
        // A mate ends the game, and a complaint in time comes before it (5.1.1).
        case(
            "",
            F,
            vec![touch(W, "b1", false), mv(W, "d2d8"), press(W)],
            Ends(WHITE_WINS, Reason::Mate),
            &["5.1.1", "4.8"],
        )
        .fen(MATE),
        case(
            "",
            F,
            vec![
                touch(W, "b1", false),
                mv(W, "d2d8"),
                press(W),
                complain(None),
                mv(W, "b1c3"),
            ],
            made(),
            &[],
        )
        .fen(MATE),
        case(
            "",
            F,
            vec![
                touch(W, "b1", false),
                mv(W, "d2d8"),
                press(W),
                touch(B, "g8", false),
                complain(None),
            ],
            Ends(WHITE_WINS, Reason::Mate),
            &["5.1.1"],
        )
        .fen(MATE),
        // What a claim has fixed the arbiter sees himself (9.5.3).
        case(
            "",
            F,
            vec![
                claim(W, ThreefoldRepetition, Some("Nf3"), None),
                mv(W, "e2e4"),
                press(W),
            ],
            Rules(false, Reason::TouchBinds),
            &["9.5.3"],
        )
        .effect(Effect::ClockRuns { side: WHITE }),
    ]);
    cases
}

/// A man was touched, however the move was written or refused: no claim on this move (9.4).
fn claims() -> Vec<Case> {
    let knights = "4k3/8/8/8/8/8/4K3/1N3N2 w - - 110 80";
    let quiet = |first: Vec<Event>| [first, vec![claim(W, FiftyMoves, None, None)]].concat();
    let announced = claim(W, ThreefoldRepetition, Some("Nf3"), None);
    let from = "4k3/8/8/8/8/8/8/4K1NR w - - 110 80";
    [
        // Which knight it was nobody knows.
        quiet(vec![mv(W, "Nd2")]),
        quiet(vec![mv(W, "Nh8")]),
        quiet(vec![mv(W, "?")]),
        quiet(vec![mv(W, "")]),
    ]
    .into_iter()
    .map(|events| (knights, events))
    .chain([
        (from, quiet(vec![announced.clone(), mv(W, "h1h5")])),
        (from, quiet(vec![announced.clone(), release(W, "h1", "h5", true)])),
        (from, quiet(vec![announced, release(W, "h1", "h5", false)])),
    ])
    .map(|(fen, events)| case("", F, events, Rules(false, Reason::ClaimTouched), &["9.4"]).fen(fen))
    .collect()
}

pub(crate) fn cases() -> Vec<Case> {
    [replies(), claims()].into_iter().flatten().collect()
}

/// What was pressed is counted on the clock, and taken back on it.
#[test]
fn a_breach_is_counted_until_it_is_taken_back() {
    for ruleset in REPLIES {
        let list = [
            when(5, touch(W, "g1", false)),
            when(10, mv(W, "e2e4")),
            when(11, press(W)),
            when(20, complain(None)),
        ];
        let clocks = |count: usize| ruled(ruleset, START, &list[..count]).clocks.unwrap();
        let moves = |count: usize| clocks(count).sides.map(|side| side.moves);
        assert_eq!((moves(3), clocks(3).running), ([1, 0], B), "{ruleset}");
        assert_eq!((moves(4), clocks(4).running), ([0, 0], W), "{ruleset}");
        let left = clocks(4).sides.map(|side| side.remaining.as_secs());
        assert_eq!(left, [6000 - 11, 6000 - 9], "{ruleset}");
    }
}

/// Where nobody presses, making a move counts it, and taking it back does not.
#[test]
fn a_move_that_nobody_presses_is_uncounted() {
    let text = include_str!("../../rulesets/fide-2023.toml");
    let text: String = text
        .lines()
        .filter(|line| !line.starts_with("press = "))
        .map(|line| format!("{line}\n"))
        .collect();
    let ruleset = rulesets().read("house.toml", &text).unwrap();
    let list = [
        when(10, mv(W, "e2e4")),
        when(20, complaint(B, false, "g1", Some(true))),
    ];
    let start = Game::new(Board::startpos());
    let report = replay(
        &ruleset,
        &start,
        Variant::Standard,
        Some(&guillotine(6000)),
        &list,
    );
    assert_eq!(report.rulings[1].reason, Reason::ComplaintUpheld);
    let clocks = report.clocks.unwrap();
    assert_eq!((clocks.sides.map(|side| side.moves), clocks.running), ([0, 0], W));
}

/// Every right that is told to be there again was told to be lost, and not twice.
#[test]
fn rights_are_lost_before_they_are_regained() {
    let refused = |ruleset| {
        let list = [
            mv(W, "e2e4"),
            offer(W),
            press(W),
            mv(B, "e7e5"),
            press(B),
            mv(W, "g1f3"),
            press(W),
            mv(B, "b8c6"),
            offer(B),
            press(B),
            mv(W, "f1c4"),
            press(W),
        ];
        (ruleset, START, list.to_vec())
    };
    let promotes = "7k/P7/8/8/8/8/8/K7 w - - 0 1";
    let castle = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
    let two = vec![two_hands(W, "e2e4"), press(W), mv(W, "e2e4"), press(W)];
    let games = [
        refused("club"),
        refused("popular"),
        refused(F),
        (F, START, [vec![touch(W, "e2", false)], two.clone()].concat()),
        (F, START, two),
        (F, START, vec![mv(W, "g1g4"), mv(W, "g1f3")]),
        (F, START, vec![mv(W, "g1g4"), press(W), mv(W, "g1f3"), press(W)]),
        (F, START, vec![release(W, "g1", "f3", true), mv(W, "g1f3")]),
        (F, START, vec![release(W, "g1", "f3", true), press(W)]),
        (F, START, vec![release(W, "g1", "f3", true), mv(B, "e7e5")]),
        (F, START, vec![mv(W, "Nd5"), mv(W, "g1f3")]),
        (F, START, vec![mv(W, "?"), mv(W, "g1f3")]),
        (F, START, breach(&[press(W), mv(B, "e7e5")])),
        (F, START, breach(&[press(W), complain(None), mv(W, "g1f3")])),
        (
            F,
            START,
            vec![
                mv(W, "e2e4"),
                complaint(B, false, "g1", Some(true)),
                mv(W, "g1f3"),
            ],
        ),
        (F, promotes, vec![mv(W, "a7a8"), press(W)]),
        (
            F,
            castle,
            vec![
                release(W, "e1", "g1", true),
                release(W, "h1", "f1", true),
                press(W),
            ],
        ),
        (A5, START, vec![mv(W, "g1g4"), press(W), mv(B, "e7e5")]),
    ];
    let mut regained = 0;
    for (ruleset, fen, list) in games {
        let report = ruled(ruleset, fen, &list);
        let mut lost: Vec<(Color, Right)> = Vec::new();
        for effect in report.rulings.iter().flat_map(|ruling| &ruling.effects) {
            match *effect {
                // It ends with every first touch, and is there again with the opponent's next move.
                Effect::RightLost {
                    right: Right::Complaint,
                    ..
                } => {}
                Effect::RightLost { side, right } => {
                    assert!(!lost.contains(&(side, right)), "{ruleset} {list:?} {report:?}");
                    lost.push((side, right));
                }
                Effect::RightRegained { side, right } => {
                    let place = lost.iter().position(|&known| known == (side, right));
                    lost.remove(place.unwrap_or_else(|| panic!("{ruleset} {list:?} {report:?}")));
                    regained += 1;
                }
                _ => {}
            }
        }
    }
    assert!(regained >= 10, "{regained}");
}

/// A refusal by moving costs the right to offer as one in words does, where offers alternate.
#[test]
fn moving_refuses_and_is_told() {
    let lost = Effect::RightLost {
        side: WHITE,
        right: Right::Offer,
    };
    let first = [mv(W, "e2e4"), offer(W), press(W)];
    for (ruleset, told) in [("popular", true), ("club", true), (F, false)] {
        for refusal in [mv(B, "e7e5"), answer(B, false)] {
            let list = [&first[..], &[refusal]].concat();
            let report = ruled(ruleset, START, &list);
            let effects = &report.rulings[3].effects;
            assert!(
                effects.contains(&Effect::OfferClosed { by: WHITE }),
                "{ruleset} {effects:?}"
            );
            assert_eq!(effects.contains(&lost), told, "{ruleset} {effects:?}");
        }
    }
}

/// A reply that mates is said once to let an illegal move stand.
#[test]
fn what_stands_is_cited_once() {
    // Black has moved his knight like a rook, and White mates by letting go of his.
    let fen = "6k1/5ppp/8/n7/8/8/8/R5K1 b - - 0 1";
    let list = [mv(B, "a5e5"), press(B), release(W, "a1", "a8", true)];
    let report = ruled(A5, fen, &list);
    assert_eq!(report.rulings[2].reason, Reason::Mate);
    // The same where the release alone does not end it, and the clock is pressed.
    let list = [mv(B, "a5e5"), press(B), release(W, "a1", "a2", true), press(W)];
    let report = ruled(A5, fen, &list);
    for ruling in &report.rulings[2..] {
        let articles = &ruling.rules;
        let stands = articles
            .iter()
            .filter(|rule| rule.name() == "illegal_stands")
            .count();
        assert!(stands <= 1, "{ruling:?}");
    }
}
