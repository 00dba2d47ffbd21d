//! Who may take an event back, and what becomes of an edit that is taken back itself.

use tabiya_arbiter::replay::{Event, EventKind, GameResult, Reason, Report, replay};
use tabiya_rules::{Board, Color, Game, Variant};

use crate::{
    case::{
        Case,
        Want::{Ends, Rules},
        case,
    },
    events::*,
};

fn ruled(events: &[Event]) -> Report {
    let ruleset = rulesets().find(F).unwrap();
    let start = Game::new(Board::startpos());
    replay(ruleset, &start, Variant::Standard, None, events)
}

fn by(actor: Option<Color>, event: Event) -> Event {
    Event { actor, ..event }
}

pub(crate) fn cases() -> Vec<Case> {
    let refused = || Rules(false, Reason::NotArbiter);
    vec![
        // A resignation ends the game immediately (5.1.2).
        case(
            "",
            F,
            vec![mv(W, "e2e4"), resign(B), by(B, retract(1))],
            Ends(WHITE_WINS, Reason::Resigned),
            &["5.1.2"],
        ),
        case("", F, vec![resign(B), by(B, retract(0))], refused(), &["5.1.2"]),
        case("", F, vec![resign(B), by(W, retract(0))], refused(), &["5.1.2"]),
        case("", CN, vec![resign(B), by(B, retract(0))], refused(), &["10.2"]),
        case("", F, vec![offer(W), by(W, retract(0))], refused(), &["9.1.2.1"]),
        case("", CN, vec![offer(W), by(W, retract(0))], refused(), &["10.7"]),
        case(
            "",
            F,
            vec![mv(W, "e2e4"), by(W, correct(0, mv(W, "d2d4")))],
            refused(),
            &[],
        ),
        case("", F, vec![mv(W, "e2e4"), by(W, retract(7))], refused(), &[]),
        // What is refused says nothing of what comes later.
        case(
            "",
            F,
            vec![by(W, retract(1)), resign(W)],
            Ends(BLACK_WINS, Reason::Resigned),
            &["5.1.2"],
        ),
        // What the record has wrong, the arbiter puts right.
        case(
            "",
            F,
            vec![resign(B), retract(0), mv(W, "e2e4")],
            Rules(true, Reason::MoveMade),
            &[],
        ),
    ]
}

/// An edit that is taken back leaves the list as if it had never been.
#[test]
fn an_edit_is_taken_back() {
    let shot = [mv(W, "f2f3"), mv(B, "e7e5"), mv(W, "g2g4"), mv(B, "d8h4")];
    let end = |edits: &[Event]| {
        let report = ruled(&[&shot[..], edits].concat());
        let last = report.rulings.last().unwrap().clone();
        (report.conclusion.and_then(|end| end.result), last)
    };
    let mate = Some(GameResult::Wins(BLACK));
    assert_eq!(end(&[]).0, mate);
    assert_eq!(end(&[retract(3)]).0, None);
    // The mate counts again, and again it does not.
    let (result, last) = end(&[retract(3), retract(4)]);
    assert_eq!((result, last.reason), (mate, Reason::Retracted));
    assert_eq!(last.replayed.len(), 1);
    assert_eq!(last.replayed[0].reason, Reason::Mate);
    assert_eq!(end(&[retract(3), retract(4), retract(5)]).0, None);
    // A correction is taken back: what it had corrected counts.
    let corrected = correct(2, mv(W, "b1c3"));
    assert_eq!(end(std::slice::from_ref(&corrected)).0, None);
    assert_eq!(end(&[corrected.clone(), retract(4)]).0, mate);
    // What a retraction of the corrected event hides comes back corrected.
    assert_eq!(end(&[corrected.clone(), retract(2), retract(5)]).0, None);
    for (edits, what) in [
        // The same edit is taken back once.
        (vec![retract(3), retract(4), retract(4)], "twice"),
        // No event becomes an edit, and no edit another event.
        (vec![retract(3), correct(4, mv(W, "b1c3"))], "corrected edit"),
        // An edit that was refused is none.
        (vec![retract(9), retract(4)], "refused"),
        (vec![retract(3), retract(3)], "gone"),
    ] {
        let (_, last) = end(&edits);
        assert_eq!(
            (last.accepted, last.reason),
            (false, Reason::NothingToRetract),
            "{what}"
        );
    }
    // The rulings stand as they were.
    let report = ruled(&[&shot[..], &[retract(3), retract(4)]].concat());
    let standing: Vec<_> = report
        .standing
        .unwrap()
        .iter()
        .map(|ruling| ruling.event)
        .collect();
    assert_eq!(standing, [0, 1, 2, 3]);
    assert!(matches!(retract(3).kind, EventKind::Retraction { event: 3 }));
}
