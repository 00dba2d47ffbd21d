//! Games that go back: boards that differ, adjourned games set up wrong, illegal positions found on the board.

use std::time::Duration;

use tabiya_arbiter::replay::{Choice, Effect, Event, EventKind, GameStatus, Reason, SetupFault, replay};
use tabiya_rules::{Board, Game, Variant};

use crate::{
    case::{
        Case,
        Want::{Ends, Rules},
        case,
    },
    events::*,
};

const PAWN: &str = "7k/P7/8/8/8/8/8/K7 w - - 0 1";
/// White is in check from e8.
const CHECKED: &str = "4r1k1/8/8/8/8/8/8/R3K3 w - - 0 1";

fn pressed(list: &str) -> Vec<Event> {
    let sides = [W, B].into_iter().cycle();
    let moves = list.split_whitespace().zip(sides);
    moves
        .flat_map(|(text, side)| [mv(side, text), press(side)])
        .collect()
}

fn differ(moves_before: Option<u32>) -> Event {
    let sheets_agree = Some(false);
    at(
        ARBITER,
        EventKind::BoardsDiffer {
            sheets_agree,
            moves_before,
        },
    )
}

fn noted() -> Event {
    at(ARBITER, EventKind::IllegalPosition)
}

/// D.2.9: back to where the sheets agree.
fn boards() -> Vec<Case> {
    let after = |moves_before, then: &[Event]| {
        [&pressed("e2e4 e7e5 g1f3 b8c6")[..], &[differ(moves_before)], then].concat()
    };
    vec![
        case(
            "",
            F,
            after(Some(1), &[mv(W, "g1f3"), press(W)]),
            Rules(true, Reason::MoveCompleted),
            &["6.2.1"],
        )
        .told(8, &["D.2.9"])
        .effect(Effect::LastIdentifiable)
        .effect(Effect::Option(Choice::SetClocks)),
        case(
            "",
            F,
            after(Some(0), &[mv(W, "d2d4")]),
            Rules(true, Reason::MoveMade),
            &[],
        ),
        case(
            "",
            F,
            after(Some(2), &[mv(W, "f1b5")]),
            Rules(true, Reason::MoveMade),
            &[],
        ),
        // Nobody says how far the sheets agree: the board stays.
        case(
            "",
            F,
            after(None, &[mv(W, "f1b5")]),
            Rules(true, Reason::MoveMade),
            &[],
        ),
    ]
}

/// I.5, 8.4: back to the adjourned position, in which the sealed move has been played.
fn resumed() -> Vec<Case> {
    let sealed = [seal_by(W, "Nf3", true, None), resume(true, 0)];
    let wrong = setup(SetupFault::ResumedWrong, None);
    let played = [mv(B, "b8c6"), press(B), mv(W, "f1c4"), press(W)];
    let after = |then: &[Event]| {
        [
            &pressed("e2e4 e7e5")[..],
            &sealed,
            &played,
            std::slice::from_ref(&wrong),
            then,
        ]
        .concat()
    };
    let again = || after(&[mv(B, "b8c6"), press(B)]);
    let lost = [
        &pressed("e2e4 e7e5")[..],
        &[
            seal_by(W, "Nf3", true, None),
            envelope_lost(Some(true), true),
            mv(W, "g1f3"),
            press(W),
        ],
        &[wrong.clone(), mv(W, "g1f3")],
    ]
    .concat();
    vec![
        case("", F, again(), Rules(true, Reason::MoveCompleted), &["6.2.1"])
            .told(10, &["I.5", "7.1"])
            .effect(Effect::Restored)
            .effect(Effect::Option(Choice::SetClocks)),
        case("", CN, again(), Rules(true, Reason::MoveCompleted), &[]).told(10, &["8.4"]),
        // A reply that was not pressed yet is taken back too.
        case(
            "",
            F,
            [
                &pressed("e2e4 e7e5")[..],
                &sealed,
                &[mv(B, "b8c6"), wrong.clone(), mv(B, "g8f6")],
            ]
            .concat(),
            Rules(true, Reason::MoveMade),
            &[],
        ),
        case("", F, lost, Rules(true, Reason::MoveMade), &[]),
    ]
}

/// A.5.4 and 7.5.1: an illegal position that the arbiter finds.
fn illegal_positions() -> Vec<Case> {
    let e4 = [mv(W, "e2e4"), press(W)];
    vec![
        // What is on record is legal, and stays so.
        case(
            "",
            A5,
            [&e4[..], &[noted()]].concat(),
            Rules(false, Reason::PositionLegal),
            &["A.5.4"],
        ),
        case(
            "",
            "fide-2023-blitz-b3",
            [&e4[..], &[noted(), mv(B, "e7e5"), press(B), noted()]].concat(),
            Rules(false, Reason::PositionLegal),
            &["A.5.4", "B.3"],
        ),
        // One king in check is the opponent's to claim (A.5.2).
        case(
            "",
            A5,
            vec![mv(W, "a1a2"), press(W), noted()],
            Rules(false, Reason::PositionLegal),
            &["A.5.4"],
        )
        .fen(CHECKED),
        case(
            "",
            A5,
            vec![mv(W, "a1g1"), press(W), noted()],
            Rules(true, Reason::PositionNoted),
            &["A.5.4"],
        )
        .fen(CHECKED),
        case(
            "",
            A5,
            vec![mv(W, "a7a8"), press(W), noted()],
            Rules(true, Reason::PositionNoted),
            &["A.5.4"],
        )
        .fen(PAWN),
        case(
            "",
            A5,
            vec![mv(W, "a7a8"), press(W), noted(), mv(B, "h8g8"), press(B)],
            Ends(DRAW, Reason::IllegalPositionDraw),
            &["A.5.4"],
        )
        .fen(PAWN),
        // 7.5.1, 8.1: it comes of an illegal move, of which nothing is on record.
        case(
            "",
            F,
            vec![noted()],
            Rules(false, Reason::MissingFact),
            &["7.5.1"],
        ),
        case("", CN, vec![noted()], Rules(false, Reason::MissingFact), &["8.1"]),
        case(
            "",
            F,
            vec![mv(W, "e2e5"), noted()],
            Rules(false, Reason::IllegalAttempt),
            &["7.5.1"],
        )
        .effect(Effect::Restored),
        case(
            "",
            "online-platform",
            vec![noted()],
            Rules(false, Reason::Unstated),
            &[],
        ),
    ]
}

pub(crate) fn cases() -> Vec<Case> {
    [boards(), resumed(), illegal_positions()]
        .into_iter()
        .flatten()
        .collect()
}

#[test]
fn what_is_not_on_record_is_asked_for() {
    let asked = |events: Vec<Event>| {
        let report = case("", F, events, Rules(true, Reason::MoveMade), &[]).report();
        assert_eq!(report.status, GameStatus::Ongoing);
        report
            .missing_facts
            .iter()
            .map(|missing| missing.fact)
            .collect::<Vec<_>>()
    };
    let moves = pressed("e2e4 e7e5");
    assert_eq!(asked([&moves[..], &[differ(Some(1))]].concat()), [""; 0]);
    for unknown in [None, Some(2)] {
        assert_eq!(asked([&moves[..], &[differ(unknown)]].concat()), ["moves_before"]);
    }
    assert_eq!(asked(vec![setup(SetupFault::ResumedWrong, None)]), ["position"]);
    assert_eq!(asked(vec![noted()]), ["position"]);
}

/// Moves that are taken back are no longer counted, and the clock of the side on move runs.
#[test]
fn clocks_follow_the_board_back() {
    let control = guillotine(5400);
    let ruleset = rulesets().find(F).unwrap();
    let start = Game::new(Board::startpos());
    let shown = |events: &[Event]| {
        let report = replay(ruleset, &start, Variant::Standard, Some(&control), events);
        let clocks = report.clocks.unwrap();
        let left = clocks.sides.map(|side| side.remaining);
        (
            left.map(|left: Duration| left.as_secs()),
            clocks.sides.map(|side| side.moves),
            clocks.running,
        )
    };
    let played = |list: &str, from: u64| -> Vec<Event> {
        let events = pressed(list).into_iter().zip(2..);
        events
            .map(|(event, half)| when(from + 5 * (half / 2 * 2), event))
            .collect()
    };
    // Ten seconds a move; Black is on move when the boards are found to differ.
    let mut events = played("e2e4 e7e5 g1f3", 0);
    events.push(when(35, differ(Some(1))));
    assert_eq!(shown(&events), ([5380, 5385], [1, 1], W));
    // A move that was made and not pressed was not counted.
    let mut events = played("e2e4 e7e5", 0);
    events.extend([when(30, mv(W, "g1f3")), when(35, differ(Some(1)))]);
    assert_eq!(shown(&events), ([5375, 5390], [1, 1], W));
    // 7.6, with the displacement after the first move.
    let displaced = EventKind::Displacement {
        found_later: true,
        position_known: true,
        pressed: false,
        times_known: true,
        moves_before: Some(1),
    };
    let mut events = played("e2e4 e7e5 g1f3 b8c6", 0);
    events.push(when(40, at(W, displaced)));
    assert_eq!(shown(&events), ([5380, 5380], [1, 1], W));
}
