//! Results that hang on a detail: a piece released, a fault put right, a clock that shows time, a second loser.

use std::time::Duration;

use tabiya_arbiter::replay::{
    Breach, Choice, Effect, Event, EventKind, QuickplayClaim, Reason, Witness, replay,
};
use tabiya_rules::{Board, Game, Piece, Variant};

use crate::{
    case::{
        Case,
        Want::{Ends, GoesOn, Rules},
        case,
    },
    events::*,
};

/// The standard start as of move 20.
const LATE: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 20";

/// 4.7, 5.1.1: a released move is made; one that ends the game ends it then.
fn released() -> Vec<Case> {
    let mates = "f2f3 e7e5 g2g4";
    let mate = || Ends(BLACK_WINS, Reason::Mate);
    let from = |more: &[Event]| [&[release(B, "d8", "h4", true)][..], more].concat();
    let mut cases: Vec<Case> = [F, CN]
        .into_iter()
        .flat_map(|ruleset| {
            [
                (ruleset, vec![]),
                (ruleset, vec![flag(B)]),
                (ruleset, vec![mv(B, "d8h4"), press(B)]),
            ]
        })
        .map(|(ruleset, more)| case("", ruleset, from(&more), mate(), &[]).moves(mates))
        .collect();
    let held = |more: &[Event]| [&[release(B, "d8", "h4", false)][..], more].concat();
    cases.extend([
        case("", F, from(&[]), mate(), &["5.1.1", "4.7"]).moves(mates),
        // Held, it is not made.
        case(
            "",
            F,
            held(&[flag(B)]),
            Ends(WHITE_WINS, Reason::FlagLoss),
            &["6.9"],
        )
        .moves(mates),
        // The moment for offers (9.1.2.1), and the opponent may reply (1.3).
        case(
            "",
            F,
            vec![release(W, "e2", "e4", true), offer(W)],
            Rules(true, Reason::OfferMade),
            &["9.1.2.1"],
        ),
        case(
            "",
            F,
            vec![release(W, "e2", "e4", true), mv(B, "e7e5")],
            Rules(true, Reason::MoveMade),
            &[],
        ),
    ]);
    cases
}

/// 4.6, 4.4.4, note 6: what is put right before the press costs nothing.
fn put_right() -> Vec<Case> {
    let pawn = "8/P6k/8/8/8/8/7K/8 w - - 0 1";
    let exchanged = at(
        W,
        EventKind::Release {
            from: sq("a7"),
            to: sq("a8"),
            released: true,
            promotion: Some(Piece::Knight),
            announced: None,
        },
    );
    let completed = || Rules(true, Reason::MoveCompleted);
    vec![
        // Bishop and king against knight and king would be dead: a pawn more.
        case(
            "",
            F,
            vec![mv(W, "a7a8"), exchanged, press(W)],
            completed(),
            &["6.2.1", "4.4.4"],
        )
        .fen("8/P6k/8/8/8/8/6PK/8 w - - 0 1"),
        case(
            "",
            F,
            vec![mv(W, "e2e5"), release(W, "e2", "e4", true), press(W)],
            completed(),
            &["6.2.1"],
        ),
        case(
            "",
            F,
            vec![mv(W, "a7a8"), press(W)],
            Rules(false, Reason::PromotionLeft),
            &["7.5.2"],
        )
        .fen(pawn),
    ]
}

/// A.5.3, 5.1.2: where the board holds no position, a mate that a few moves still lead to decides.
fn king_left_in_check() -> Vec<Case> {
    let check = "4k2q/5p2/8/8/8/4r3/R7/4K3 w - - 0 1";
    let left = |more: &[Event]| [&[mv(W, "a2a3"), press(W)][..], more].concat();
    let pawn = |more: &[Event]| {
        let first = [mv(W, "a7a8"), press(W), mv(B, "h7h6"), press(B)];
        [&first[..], more].concat()
    };
    let on_pawn = "1r6/P6k/8/8/8/8/7K/8 w - - 0 1";
    let lost = || Ends(BLACK_WINS, Reason::FlagLoss);
    let resigned = || Ends(BLACK_WINS, Reason::Resigned);
    vec![
        case("", B3, left(&[flag(W)]), lost(), &["6.9", "A.5.3", "B.3"]).fen(check),
        case("", B3, left(&[resign(W)]), resigned(), &["5.1.2"]).fen(check),
        case("", B3, pawn(&[flag(W)]), lost(), &["6.9"]).fen(on_pawn),
        case("", B3, pawn(&[resign(W)]), resigned(), &["5.1.2"]).fen(on_pawn),
    ]
}

/// C.1 to C.13, I.1.1: a move as score sheets have it is no other move.
fn sealed_texts() -> Vec<Case> {
    let sealed = |text| vec![seal(text, true), resume(true, 0)];
    let resumed = || Rules(true, Reason::Resumed);
    let pawn = "2r4k/3P4/8/8/8/8/8/K7 w - - 0 1";
    let mut cases: Vec<Case> = ["2. Nf3", "2.Nf3", "2.g1f3", "2... Nf3"]
        .into_iter()
        .map(|text| case("", F, sealed(text), resumed(), &["I.9.1"]).moves("e2e4 e7e5"))
        .collect();
    cases.push(case("", F, sealed("d7d8Q"), resumed(), &["I.9.1"]).fen(pawn));
    // The clock runs: nothing is sealed yet.
    cases.push(case(
        "",
        F,
        vec![seal("Nf3", false), resume(true, 0)],
        Rules(false, Reason::NotSealed),
        &["I.1.1"],
    ));
    // A complaint waits for the resumption.
    cases.push(
        case(
            "",
            F,
            vec![
                seal("Nf3", true),
                complaint(W, false, "b8", Some(true)),
                resume(true, 0),
            ],
            resumed(),
            &["I.9.1"],
        )
        .moves("e2e4 e7e5"),
    );
    cases
}

/// 6.9 before III.5: against a bare king a flag only draws, whatever was put off.
fn put_off() -> Vec<Case> {
    let normal = at(
        W,
        EventKind::QuickplayClaim {
            claim: QuickplayClaim::NormalMeans,
            remaining: Some(Duration::from_secs(60)),
        },
    );
    let events = [
        normal,
        choose(Choice::Postpone),
        mv(W, "h1h5"),
        press(W),
        mv(B, "a5a4"),
        press(B),
        flag_seen(ARBITER, W, Witness::Arbiter, None),
    ];
    vec![
        case("", F, events.to_vec(), Ends(DRAW, Reason::FlagDraw), &["6.9"])
            .fen("8/8/8/k6p/8/8/8/6KR w - - 0 1")
            .set("guideline_iii", "true"),
    ]
}

/// 9.5.3: a pawn's move makes no such draw, whatever the pawn is to become.
fn announced_promotion() -> Vec<Case> {
    let pawn = "8/P6k/8/8/8/8/7K/8 w - - 10 60";
    let claimed = claim(W, tabiya_arbiter::ClaimGround::FiftyMoves, Some("a8"), None);
    vec![
        case(
            "",
            F,
            vec![claimed],
            Rules(false, Reason::ClaimWrong),
            &["9.3.1", "9.5.3"],
        )
        .fen(pawn)
        .effect(Effect::TimeAdded {
            side: BLACK,
            time: Duration::from_secs(120),
        })
        .effect(exactly(pawn, "a7a8q a7a8r a7a8b a7a8n")),
    ]
}

/// 11.8, 12.9.6: who has lost for a breach does not win by the other's.
fn both_guilty() -> Vec<Case> {
    let found = |breach_: Breach| vec![breach(W, breach_), breach(B, breach_), choose(Choice::Loss)];
    let both = || Ends(tabiya_arbiter::replay::GameResult::BothLose, Reason::Decided);
    vec![
        case("", F, found(Breach::DeviceOnPlayer), both(), &["12.9.6", "11.8"]),
        case("", F, found(Breach::Refusal), both(), &["12.9.6", "11.8"]),
        // A loser by resignation was not guilty.
        case(
            "",
            F,
            vec![resign(W), breach(B, Breach::DeviceOnPlayer), choose(Choice::Loss)],
            Ends(WHITE_WINS, Reason::Decided),
            &["12.9.6"],
        ),
    ]
}

/// 7.6, 8.2: the position before the displacement stands again, if it is on record.
fn displaced_later() -> Vec<Case> {
    let found = |moves_before, more: &[Event]| {
        let kind = EventKind::Displacement {
            found_later: true,
            position_known: true,
            pressed: false,
            times_known: true,
            moves_before,
        };
        [&[at(W, kind)][..], more].concat()
    };
    let moves = "e2e4 e7e5 g1f3 b8c6";
    let of = |ruleset, events, want, articles| case("", ruleset, events, want, articles).moves(moves);
    let again = || [mv(W, "g1f3")];
    vec![
        of(F, found(Some(1), &again()), Rules(true, Reason::MoveMade), &[]).told(0, &["7.6"]),
        of(CN, found(Some(1), &again()), Rules(true, Reason::MoveMade), &[]).told(0, &["8.2"]),
        // Moves are counted from the game's beginning, wherever its record begins.
        case(
            "",
            F,
            found(Some(20), &[mv(W, "g1f3")]),
            Rules(true, Reason::MoveMade),
            &[],
        )
        .fen(LATE)
        .moves(moves)
        .told(0, &["7.6"]),
        // The clock of the player who is then on move runs.
        case(
            "",
            F,
            found(Some(1), &[]),
            Rules(true, Reason::DisplacedLater),
            &["7.6"],
        )
        .moves("e2e4 e7e5 g1f3")
        .effect(Effect::ClockRuns { side: WHITE }),
    ]
}

/// Who has moved, or has come, does not come too late; what is no piece is not touched; who signs has a result.
fn details() -> Vec<Case> {
    let here = || Rules(false, Reason::AlreadyHere);
    vec![
        case("", F, vec![late(B, 60)], here(), &["6.7.1"]).moves("e2e4 e7e5"),
        case("", CN, vec![late(W, 10), late(W, 70)], here(), &["10.15"]),
        // 9.4, 4.8: no piece, no right lost.
        case(
            "",
            F,
            vec![touch(W, "e5", false), touch(W, "e2", false)],
            Rules(true, Reason::TouchedOwn),
            &["4.3.1"],
        )
        .effect(Effect::RightLost {
            side: WHITE,
            right: tabiya_arbiter::replay::Right::Claim,
        }),
        // 6.2.5: Black's clock does not run before White has pressed.
        case(
            "",
            F,
            vec![mv(W, "e2e4"), adjust(B, "e7", None)],
            Rules(false, Reason::AdjustNotOnMove),
            &["6.2.5"],
        ),
        // The end of a game that touching has accepted (4.8).
        case(
            "",
            F,
            vec![touch(W, "e1", false), complaint(W, false, "b8", Some(true))],
            Rules(false, Reason::ComplaintLate),
            &["4.8"],
        )
        .moves("f2f3 e7e5 g2g4 d8h4"),
    ]
}

/// D.2.2 to D.2.4: on the board of a visually disabled player a piece is touched once it is out of its hole, and a move is
/// made once it is announced; only then is the other clock started. 4.6: a promotion is carried out in any order.
fn holes() -> Vec<Case> {
    let touched = |out_of_hole| {
        let mut event = touch(W, "e2", false);
        if let EventKind::Touch { out_of_hole: out, .. } = &mut event.kind {
            *out = out_of_hole;
        }
        event
    };
    let set_down = |announced| {
        let mut event = release(W, "e2", "e4", true);
        if let EventKind::Release { announced: said, .. } = &mut event.kind {
            *said = announced;
        }
        event
    };
    let exchanged = |released| {
        let kind = EventKind::Release {
            from: sq("a7"),
            to: sq("a8"),
            released,
            promotion: Some(Piece::Queen),
            announced: None,
        };
        vec![at(W, kind)]
    };
    vec![
        case(
            "",
            F,
            vec![touched(Some(false))],
            Rules(true, Reason::NotOutOfHole),
            &["D.2.2"],
        ),
        case(
            "",
            F,
            vec![touched(Some(false)), mv(W, "d2d4")],
            Rules(true, Reason::MoveMade),
            &[],
        ),
        case(
            "",
            F,
            vec![touched(Some(true))],
            Rules(true, Reason::TouchedOwn),
            &["4.3.1", "D.2.2"],
        )
        .effect(moves(START, "e2e3 e2e4")),
        // Touched, the piece is, and not bound to the square.
        case(
            "",
            F,
            vec![set_down(Some(false)), mv(W, "e2e3")],
            Rules(true, Reason::MoveMade),
            &["4.3.1"],
        )
        .told(0, &["D.2.3"]),
        case(
            "",
            F,
            vec![set_down(Some(false)), press(W)],
            Rules(false, Reason::Unannounced),
            &["D.2.4", "D.2.3"],
        )
        .effect(Effect::ClockRuns { side: WHITE }),
        case(
            "",
            F,
            vec![set_down(Some(false)), set_down(Some(true)), press(W)],
            Rules(true, Reason::MoveCompleted),
            &["6.2.1"],
        )
        .told(1, &["D.2.3"]),
        case(
            "",
            F,
            exchanged(false),
            Rules(true, Reason::Released),
            &["4.4.4", "4.6"],
        )
        .fen("8/P6k/8/8/8/8/6PK/8 w - - 0 1"),
    ]
}

/// Where it is not on record how far back the pieces stood, that is asked for, once.
#[test]
fn a_displacement_found_later_wants_its_place() {
    for (ruleset, moves_before, times_known) in [
        (F, None, true),
        (F, Some(3), true),
        (CN, Some(3), true),
        // The times would be shared out from there, too (12.6).
        (CN, Some(3), false),
    ] {
        let kind = EventKind::Displacement {
            found_later: true,
            position_known: true,
            pressed: false,
            times_known,
            moves_before,
        };
        let report = case("", ruleset, vec![at(W, kind)], GoesOn, &[])
            .moves("e2e4 e7e5 g1f3 b8c6")
            .report();
        let facts: Vec<_> = report.missing_facts.iter().map(|missing| missing.fact).collect();
        assert_eq!(facts, ["moves_before"], "{ruleset} {moves_before:?}");
        assert_eq!(report.rulings[0].effects, [Effect::Restored], "{ruleset}");
    }
}

/// 6.8: both flags are weighed against the clocks as one is.
#[test]
fn both_flags_are_weighed_against_the_clocks() {
    let ruleset = rulesets().find(F).unwrap();
    let ruleset = ruleset
        .with_overrides(&[("guideline_iii".to_owned(), "true".to_owned())])
        .unwrap();
    let control = guillotine(5400);
    let both = |pressed, seconds| {
        let kind = EventKind::FlagFall {
            side: None,
            last_period: None,
            witness: Witness::Arbiter,
            confirmed: None,
        };
        let events = [
            when(10, mv(W, "e2e4")),
            when(pressed, press(W)),
            when(seconds, at(ARBITER, kind)),
        ];
        let start = Game::new(Board::startpos());
        let report = replay(&ruleset, &start, Variant::Standard, Some(&control), &events);
        (report.rulings[2].reason, report.missing_facts.len())
    };
    assert_eq!(both(20, 30), (Reason::FlagUp, 0));
    // White has overstepped before he pressed, and Black has time left.
    assert_eq!(both(5410, 5420), (Reason::FlagLoss, 0));
    // The only period is the last one.
    assert_eq!(both(5410, 10_820), (Reason::FlagsDraw, 0));
}

pub(crate) fn cases() -> Vec<Case> {
    [
        released(),
        put_right(),
        king_left_in_check(),
        sealed_texts(),
        put_off(),
        announced_promotion(),
        both_guilty(),
        displaced_later(),
        details(),
        holes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
