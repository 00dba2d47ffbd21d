//! What is acted on: the fault that is reported, the move that was announced, the piece that was let go, and the player
//! whom it is about.

use std::time::Duration;

use tabiya_arbiter::{
    ClaimGround::ThreefoldRepetition,
    replay::{Choice, Effect, Event, EventKind, QuickplayClaim, Reason, replay},
};
use tabiya_rules::{Board, Color, Game, Piece, Variant};

use crate::{
    case::{
        Case, Want,
        Want::{Ends, Rules},
        case,
    },
    events::*,
};

/// White is in check from e8.
const CHECKED: &str = "4r1k1/8/8/8/8/8/8/R3K3 w - - 0 1";

fn noted() -> Event {
    at(ARBITER, EventKind::IllegalPosition)
}

fn reported(actor: Option<Color>, position_known: bool, both_agree: bool) -> Event {
    at(
        actor,
        EventKind::IllegalMoveReport {
            after_signature: false,
            position_known,
            times_known: true,
            both_agree,
            moves_before: None,
            side: None,
        },
    )
}

fn counted(side: Color, count: u32) -> Effect {
    Effect::IllegalCount { side, count }
}

fn added(side: Color, seconds: u64) -> Effect {
    let time = Duration::from_secs(seconds);
    Effect::TimeAdded { side, time }
}

/// A.5.4: the arbiter waits for the next move of the position that he noted, not of another.
fn illegal_positions() -> Vec<Case> {
    let later = [
        mv(W, "e1f1"),
        press(W),
        mv(B, "g8g7"),
        press(B),
        mv(W, "f1e1"),
        press(W),
    ];
    let after = |first: &[Event], then: &[Event]| [first, &later[..], then].concat();
    // On g1 the rook gives check, with its own king left in check.
    let restored = [mv(W, "a1g1"), press(W), noted(), report(B, false, true)];
    let agreed = [
        mv(W, "a1g1"),
        press(W),
        noted(),
        mv(B, "g8h8"),
        reported(ARBITER, true, true),
    ];
    let mut cases = Vec::new();
    for first in [&restored[..], &agreed] {
        cases.push(
            case(
                "",
                A5,
                after(first, &[]),
                Rules(false, Reason::IllegalWaits),
                &["A.5.2"],
            )
            .fen(CHECKED),
        );
    }
    // A pawn left is noted, put right, and left again on another square: that one is waited for in its turn.
    let pawns = "7k/PP6/8/8/8/8/8/6K1 w - - 0 1";
    let again = |then: &[Event]| {
        let first = [
            mv(W, "a7a8"),
            press(W),
            noted(),
            report(B, false, true),
            mv(B, "h8g7"),
            press(B),
            mv(W, "b7b8"),
            press(W),
        ];
        [&first[..], then].concat()
    };
    let moved = [mv(B, "g7f7"), press(B)];
    cases.extend([
        case("", A5, again(&[]), Rules(false, Reason::IllegalWaits), &["A.5.2"]).fen(pawns),
        case(
            "",
            A5,
            again(&moved),
            Rules(true, Reason::MoveCompleted),
            &["6.2.1"],
        )
        .fen(pawns),
        case(
            "",
            A5,
            [again(&[noted()]), moved.to_vec()].concat(),
            Ends(DRAW, Reason::IllegalPositionDraw),
            &["A.5.4"],
        )
        .fen(pawns),
    ]);
    cases
}

/// A move announced with a claim is fixed (9.2, 9.5.3; 10.13(2)).
fn announced() -> Vec<Case> {
    let claims = |texts: &[&str]| -> Vec<Event> {
        let claimed = |text: &&str| claim(B, ThreefoldRepetition, Some(text), Some(3600));
        texts.iter().map(claimed).collect()
    };
    let back = format!("{SHUFFLE}g1f3 g8f6 f3g1");
    let mut cases = Vec::new();
    for (ruleset, article) in [
        (F, &["9.5.3"] as &[_]),
        ("fide-2023-blitz-b3", &["9.5.3"]),
        (CN, &["10.13(2)"]),
    ] {
        let one = |events, want: Want| case("", ruleset, events, want, article).moves(&back);
        cases.extend([
            one(claims(&["f6g8"]), Ends(DRAW, Reason::ClaimUpheld)),
            one(claims(&["b8c6"]), Rules(false, Reason::ClaimWrong)),
            one(claims(&["b8c6", "f6g8"]), Rules(false, Reason::TouchBinds)),
            one(claims(&["b8c6", "f6f9"]), Rules(false, Reason::TouchBinds)),
            one(claims(&["b8c6", "b8c6"]), Rules(false, Reason::ClaimWrong)),
            // The fixed move is still the first.
            one(
                [claims(&["b8c6", "f6g8"]), vec![mv(B, "f6g8")]].concat(),
                Rules(false, Reason::TouchBinds),
            ),
            one(
                [claims(&["b8c6", "f6g8"]), vec![mv(B, "b8c6")]].concat(),
                Rules(true, Reason::MoveMade),
            ),
        ]);
    }
    // No article upholds the claim that was refused.
    for case in &mut cases {
        if matches!(case.want, Ends(..) | Rules(true, _)) {
            case.articles = &[];
        }
    }
    cases
}

/// A.5.2: a press without a move is no next move; both faults wait.
fn empty_replies() -> Vec<Case> {
    let empty = |then: &[Event]| [&[mv(W, "e2e5"), press(W), press(B)][..], then].concat();
    let first = || Rules(false, Reason::IllegalFirst);
    let stands = || Rules(true, Reason::IllegalStands);
    vec![
        case(
            "",
            A5,
            empty(&[]),
            Rules(false, Reason::IllegalWaits),
            &["7.5.3", "A.5.2"],
        ),
        case("", A5, empty(&[report(B, false, true)]), first(), &["7.5.1"])
            .effect(counted(WHITE, 1))
            .effect(added(BLACK, 60)),
        case(
            "",
            A5,
            empty(&[report(B, false, true), mv(W, "e2e4")]),
            Rules(true, Reason::MoveMade),
            &[],
        ),
        // White claims Black's press, and Black White's move.
        case(
            "",
            A5,
            empty(&[report(W, false, true)]),
            Rules(false, Reason::PressedNothing),
            &["7.5.3"],
        )
        .effect(counted(BLACK, 1)),
        case(
            "",
            A5,
            empty(&[report(W, false, true), report(B, false, true)]),
            first(),
            &["7.5.1"],
        )
        .effect(counted(BLACK, 1))
        .effect(counted(WHITE, 1)),
        // White's next move lets Black's press stand, not his own illegal move; Black's next move does.
        case("", A5, empty(&[mv(W, "d2d4")]), stands(), &["A.5.2"]),
        case(
            "",
            A5,
            empty(&[mv(W, "d2d4"), press(W), report(B, false, true)]),
            first(),
            &["7.5.1"],
        ),
        case(
            "",
            A5,
            empty(&[mv(W, "d2d4"), press(W), mv(B, "d7d5")]),
            stands(),
            &["A.5.2"],
        ),
        case(
            "",
            A5,
            empty(&[mv(W, "d2d4"), press(W), mv(B, "d7d5"), report(B, false, true)]),
            Rules(false, Reason::IllegalStands),
            &["A.5.2"],
        ),
        // However often it is pressed, the game goes on.
        case(
            "",
            A5,
            [
                empty(&[]),
                [W, B].repeat(20).into_iter().map(press).collect(),
                vec![mv(W, "d2d4")],
            ]
            .concat(),
            stands(),
            &["A.5.2"],
        ),
    ]
}

/// Options are about the player who is at fault, whoever reports.
fn about() -> Vec<Case> {
    let normal = at(
        W,
        EventKind::QuickplayClaim {
            claim: QuickplayClaim::NormalMeans,
            remaining: Some(Duration::from_secs(60)),
        },
    );
    let flagged = |by| {
        let first = [normal.clone(), choose(Choice::Postpone), mv(W, "e2e4"), press(W)];
        let flag = flag_seen(by, W, tabiya_arbiter::replay::Witness::Arbiter, None);
        [&first[..], &[flag, choose(Choice::Loss)]].concat()
    };
    let mut cases = Vec::new();
    for by in [B, W, ARBITER] {
        cases.push(
            case("", F, flagged(by), Ends(BLACK_WINS, Reason::Decided), &["III.5"])
                .set("guideline_iii", "true"),
        );
        cases.push(case(
            "",
            CN,
            vec![mv(W, "e2e5"), report(by, false, true), choose(Choice::Loss)],
            Ends(BLACK_WINS, Reason::Decided),
            &["16.5"],
        ));
    }
    cases
}

/// 4.7, 4.8: a piece that was let go stays; the square where it was let go is named after it.
fn let_go() -> Vec<Case> {
    let complained = |played, squares, pressed: bool, then: &[Event]| {
        let first = [mv(W, played), press(W)];
        let complaint = complaint(B, false, squares, Some(true));
        [&first[..1 + usize::from(pressed)], &[complaint], then].concat()
    };
    let upheld = || Rules(true, Reason::ComplaintUpheld);
    let unfounded = || Rules(false, Reason::ComplaintUnfounded);
    let exchanged = |played, squares: &str, piece| {
        let complaint = at(
            B,
            EventKind::TouchComplaint {
                touched_since: false,
                squares: squares.split(' ').map(sq).collect(),
                promotion: Some(piece),
                established: Some(true),
            },
        );
        vec![mv(W, played), press(W), complaint]
    };
    let pawn = "1n5k/P7/8/8/8/8/8/K7 w - - 0 1";
    let castle = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1";
    vec![
        case(
            "",
            F,
            complained("g1h3", "g1 f3", false, &[]),
            upheld(),
            &["4.7", "4.8"],
        )
        .effect(moves(START, "g1f3")),
        case(
            "",
            F,
            complained("g1h3", "g1 f3", false, &[mv(W, "g1h3")]),
            Rules(false, Reason::TouchBinds),
            &[],
        ),
        case(
            "",
            F,
            complained("g1f3", "g1 f3", false, &[]),
            unfounded(),
            &["4.8"],
        ),
        // Where it may not stand it only was touched.
        case(
            "",
            F,
            complained("g1h3", "g1 g4", false, &[]),
            unfounded(),
            &["4.8"],
        ),
        case(
            "",
            F,
            complained("e1f1", "e1 g1", true, &[]),
            upheld(),
            &["4.7", "4.8"],
        )
        .fen(castle)
        .effect(moves(castle, "e1g1"))
        .effect(Effect::ClockRuns { side: WHITE })
        .effect(Effect::Option(Choice::SetClocks)),
        // 4.4.4: so does the piece that a pawn has become.
        case(
            "",
            F,
            exchanged("a7a8q", "a7 a8", Piece::Rook),
            upheld(),
            &["4.4.4", "4.8"],
        )
        .fen(pawn)
        .effect(moves(pawn, "a7a8r")),
        case(
            "",
            F,
            exchanged("a7b8q", "a7 b8", Piece::Knight),
            upheld(),
            &["4.4.4", "4.8"],
        )
        .fen(pawn)
        .effect(moves(pawn, "a7b8n")),
        case(
            "",
            F,
            exchanged("a7a8q", "a7 a8", Piece::Queen),
            unfounded(),
            &["4.8"],
        )
        .fen(pawn),
        case("", CN, complained("g1h3", "e2 e4", true, &[]), upheld(), &[])
            .effect(moves(START, "e2e4"))
            .effect(Effect::ClockRuns { side: WHITE }),
    ]
}

/// 7.5.1 with 7.5.5: an illegal move costs what it costs though the position before it is not known.
fn unknown_positions() -> Vec<Case> {
    let unknown = || Rules(false, Reason::PositionIdentified);
    let waits = [mv(W, "e2e5"), press(W)];
    let twice = [
        &waits[..],
        &[report(B, false, true)],
        &waits,
        &[reported(B, false, false)],
    ]
    .concat();
    vec![
        case(
            "",
            A5,
            [&waits[..], &[reported(B, false, false)]].concat(),
            unknown(),
            &["7.5.1", "7.5.5"],
        )
        .effect(counted(WHITE, 1))
        .effect(added(BLACK, 60))
        .effect(Effect::LastIdentifiable),
        case("", A5, twice, Ends(BLACK_WINS, Reason::IllegalLoses), &["7.5.5"]),
        // Before the press it costs nothing.
        case(
            "",
            F,
            vec![mv(W, "e2e5"), reported(B, false, false)],
            unknown(),
            &["7.5.1"],
        ),
    ]
}

/// 7.5.1, 7.5.5: an illegal move that no event holds, after which nobody knows the position, is the named side's.
fn named() -> Vec<Case> {
    let by = |side| {
        let mut event = reported(B, false, false);
        if let EventKind::IllegalMoveReport { side: named, .. } = &mut event.kind {
            *named = Some(side);
        }
        event
    };
    let identified = || Rules(false, Reason::PositionIdentified);
    let second = |fen, want| {
        case("", F, vec![by(Color::White), by(Color::White)], want, &["7.5.5"])
            .fen(fen)
            .effect(counted(Color::White, 2))
    };
    vec![
        case("", F, vec![by(Color::White)], identified(), &["7.5.1", "7.5.5"])
            .effect(counted(Color::White, 1))
            .effect(added(Color::Black, 120))
            .effect(Effect::LastIdentifiable),
        case(
            "",
            A4,
            vec![by(Color::Black)],
            identified(),
            &["7.5.1", "7.5.5", "A.3"],
        )
        .effect(counted(Color::Black, 1))
        .effect(added(Color::White, 60)),
        case(
            "",
            F,
            vec![by(Color::White), by(Color::Black)],
            identified(),
            &["7.5.5"],
        )
        .effect(counted(Color::Black, 1)),
        second(START, Ends(BLACK_WINS, Reason::IllegalLoses)),
        // Black's bare king cannot mate.
        second(
            "4k3/8/8/8/8/8/8/R3K3 w - - 0 1",
            Ends(DRAW, Reason::IllegalLosesDraw),
        ),
        // The code annuls, and penalises nobody of itself.
        case(
            "",
            CN,
            vec![by(Color::White)],
            Want::Void(Reason::PositionAnnulled),
            &["8.1"],
        ),
        // What is on record is White's; a report of Black's is about another move.
        case(
            "",
            F,
            vec![mv(W, "e2e5"), press(W), by(Color::Black)],
            identified(),
            &["7.5.1"],
        )
        .effect(counted(Color::Black, 1)),
    ]
}

/// Nobody is penalised for a move that nobody has named; the ruling asks whose it was.
#[test]
fn an_illegal_move_that_is_not_on_record_wants_its_player() {
    let report = case("", F, vec![reported(B, false, false)], Want::GoesOn, &[]).report();
    let facts: Vec<_> = report.missing_facts.iter().map(|missing| missing.fact).collect();
    assert_eq!(facts, ["side", "position"]);
}

/// A complaint that is upheld after the press starts the offender's clock again, and his move is not counted; so is a
/// press without a move that came after a fault that is acted on.
#[test]
fn what_is_taken_back_is_not_counted() {
    let control = guillotine(900);
    let ruleset = rulesets().find(A5).unwrap();
    let clocks = |events: &[Event]| {
        let start = Game::new(Board::startpos());
        let report = replay(ruleset, &start, Variant::Standard, Some(&control), events);
        let clocks = report.clocks.unwrap();
        let left = clocks.sides.map(|side| side.remaining.as_secs());
        (left, clocks.sides.map(|side| side.moves), clocks.running)
    };
    let complained = [
        when(10, mv(W, "g1h3")),
        when(10, press(W)),
        when(30, complaint(B, false, "g1 f3", Some(true))),
        when(50, noted()),
    ];
    assert_eq!(clocks(&complained), ([870, 880], [0, 0], W));
    let pressed = [
        when(10, mv(W, "e2e5")),
        when(10, press(W)),
        when(30, press(B)),
        when(40, report(B, false, true)),
    ];
    assert_eq!(clocks(&pressed[..3]), ([890, 880], [1, 1], W));
    assert_eq!(clocks(&pressed), ([880, 940], [0, 0], W));
}

pub(crate) fn cases() -> Vec<Case> {
    [
        illegal_positions(),
        named(),
        announced(),
        empty_replies(),
        about(),
        let_go(),
        unknown_positions(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
