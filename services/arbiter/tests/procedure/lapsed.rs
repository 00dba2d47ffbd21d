//! What lies under seal when the game goes back to an earlier position, and when a flag falls.

use tabiya_arbiter::replay::{Effect, Event, EventKind, GameStatus, Reason, SetupFault, replay};
use tabiya_rules::{Board, Game, Variant};

use crate::{
    case::{
        Case,
        Want::{Ends, Rules},
        case,
    },
    events::*,
};

/// White's second move was against the rules, and nobody has noticed when he seals his third.
fn faulty() -> Vec<Event> {
    [&overlooked()[..], &[seal("g1f3", true)]].concat()
}

fn found() -> Event {
    report(ARBITER, false, true)
}

/// Pieces are found to have been displaced once both players had completed so many moves.
fn displaced_after(moves: u32) -> Event {
    at(
        ARBITER,
        EventKind::Displacement {
            found_later: true,
            position_known: true,
            pressed: false,
            times_known: true,
            moves_before: Some(moves),
        },
    )
}

/// 7.5.1, 8.1: the position before the fault stands again, and what was sealed after it lapses.
fn faults() -> Vec<Case> {
    let mut cases = Vec::new();
    for (ruleset, set_up, late) in [(F, &["I.5"] as &[_], 1), (CN, &["14.1"], 61)] {
        let after = |more: &[Event], want, articles| {
            case("", ruleset, [&faulty()[..], more].concat(), want, articles)
        };
        let begun = |event: Event| [found(), resume(true, 0), event];
        let started = Rules(true, Reason::ClocksStarted);
        cases.extend([
            after(&[found(), resume(true, 0)], started, set_up).effect(Effect::ClockRuns { side: WHITE }),
            // The bishop has to move, whatever was sealed.
            after(&begun(mv(W, "g1f3")), Rules(false, Reason::TouchBinds), &[]),
            after(&begun(mv(W, "f1c4")), Rules(true, Reason::MoveMade), &[]),
            after(&[found(), mv(W, "f1c4")], Rules(true, Reason::MoveMade), &[]),
            // Who comes too late to the resumption loses all the same.
            after(
                &[found(), resume(true, late)],
                Ends(BLACK_WINS, Reason::SealerTooLate),
                &[],
            ),
            // The players had met, and the envelope was still shut.
            after(
                &[resume(false, 0), found(), mv(W, "f1c4")],
                Rules(true, Reason::MoveMade),
                &[],
            )
            .effect(Effect::ClockRuns { side: WHITE }),
        ]);
    }
    cases
}

/// 7.6, 8.2: the same of displaced pieces; what goes back to no earlier position leaves the seal alone.
fn displacements() -> Vec<Case> {
    let mut cases = Vec::new();
    for ruleset in [F, CN] {
        let after = |moves, reason| {
            let then = [seal("d2d4", true), displaced_after(moves), resume(true, 0)];
            let events = [&turns(&["e2e4", "e7e5", "g1f3", "b8c6"])[..], &then].concat();
            case("", ruleset, events, Rules(true, reason), &[])
        };
        cases.extend([after(1, Reason::ClocksStarted), after(2, Reason::Resumed)]);
        // Nobody goes back to a resumption that was taken back itself.
        let events = vec![
            seal("e2e4", true),
            resume(true, 0),
            mv(B, "e7e5"),
            press(B),
            displaced_after(0),
            setup(SetupFault::ResumedWrong, None),
            mv(W, "d2d4"),
        ];
        cases.push(case("", ruleset, events, Rules(true, Reason::MoveMade), &[]));
    }
    cases
}

/// 6.9 with 6.2.1.1, 6.5: what was sealed came before the flag, and may have ended the game.
fn flags() -> Vec<Case> {
    let stalemate = "7k/8/5KQ1/8/8/8/8/8 w - - 0 1";
    let reply = "7K/8/5k2/6q1/8/8/8/8 w - - 0 1";
    let mut cases = Vec::new();
    for (ruleset, drawn, mated) in [
        (F, &["5.2.1", "6.2.1.1"] as &[_], &["5.1.1", "6.2.1.1"] as &[_]),
        (CN, &["10.3", "6.5"], &["10.1", "6.5"]),
    ] {
        let absent = |text, want, articles| {
            let events = vec![seal(text, true), resume(false, 0), flag(B)];
            case("", ruleset, events, want, articles).fen(stalemate)
        };
        cases.extend([
            absent("g6f7", Ends(DRAW, Reason::Stalemate), drawn),
            absent("g6g5", Ends(WHITE_WINS, Reason::FlagLoss), &[]),
            // Nobody has said what lies in it.
            absent("", Rules(false, Reason::MissingFact), &[]),
        ]);
        // The sealer is absent, and the reply under seal mates him.
        let replied = |text, want, articles| {
            let events = vec![
                seal("h8h7", true),
                resumption(true, false, 0, 0),
                seal_by(B, text, true, None),
                flag(W),
            ];
            case("", ruleset, events, want, articles).fen(reply)
        };
        cases.extend([
            replied("g5g7", Ends(BLACK_WINS, Reason::Mate), mated),
            replied("g5g4", Ends(BLACK_WINS, Reason::FlagLoss), &[]),
        ]);
    }
    cases
}

/// An adjourned game that has gone back waits for its resumption: until then nobody's clock runs.
#[test]
fn clocks_stand_until_a_game_without_a_sealed_move_is_resumed() {
    let ruleset = rulesets().find(F).unwrap();
    let start = Game::new(Board::startpos());
    let times = [10, 10, 20, 20, 30, 30, 40, 40, 50];
    let mut events: Vec<_> = times
        .into_iter()
        .zip(faulty())
        .map(|(at, event)| when(at, event))
        .collect();
    events.extend([
        when(200, found()),
        when(300, resume(true, 0)),
        when(310, mv(W, "f1c4")),
        when(310, press(W)),
    ]);
    let clocks = |count: usize| {
        let control = guillotine(5400);
        let report = replay(
            ruleset,
            &start,
            Variant::Standard,
            Some(&control),
            &events[..count],
        );
        assert_eq!(
            report.status,
            [GameStatus::Ongoing, GameStatus::Suspended][usize::from(count == 9)]
        );
        let clocks = report.clocks.unwrap();
        (clocks.sides.map(|side| side.remaining.as_secs()), clocks.running)
    };
    assert_eq!(clocks(9), ([5370, 5380], None));
    // Two minutes for the illegal move.
    assert_eq!(clocks(10), ([5370, 5500], None));
    assert_eq!(clocks(11), ([5370, 5500], W));
    assert_eq!(clocks(13), ([5360, 5500], B));
}

pub(crate) fn cases() -> Vec<Case> {
    [faults(), displacements(), flags()]
        .into_iter()
        .flatten()
        .collect()
}
