//! Times in the order that stands.

use super::*;

#[test]
fn times_are_moved_between_those_beside_them() {
    let moved = |when, event, to| arbiter(when, correction(event, Some(at(to, pawn()))));
    let retract = |event| Kind::Retraction(RetractionEvent { event });
    for events in [
        vec![at(5, pawn()), at(7, pawn()), moved(9, 0, 7), moved(9, 1, 9)],
        vec![at(5, pawn()), at(7, pawn()), moved(9, 0, 0)],
        // What was taken back is in nobody's way.
        vec![
            at(5, pawn()),
            at(7, pawn()),
            arbiter(9, retract(1)),
            moved(9, 0, 8),
        ],
        // Nobody said when the correction was made.
        vec![at(5, pawn()), nobody(correction(0, Some(at(8, pawn()))))],
        // What a player says to have been otherwise changes no time.
        vec![
            at(5, pawn()),
            at(7, pawn()),
            at(9, correction(0, Some(at(20, pawn())))),
            moved(9, 1, 6),
        ],
        // A time that was much too late is put right, and the game goes on from there.
        vec![at(5000, pawn()), moved(60, 0, 50), at(61, pawn())],
    ] {
        assert!(read_events(&events).is_ok(), "{events:?}");
    }
    let untimed = || arbiter(9, correction(1, Some(nobody(pawn()))));
    // What was taken back and counts again is in the way again.
    let again = vec![arbiter(9, retract(1)), arbiter(9, retract(2)), moved(9, 0, 8)];
    // A correction that says nothing of the time keeps it, and so does what brings that correction back.
    let kept = vec![
        untimed(),
        arbiter(9, retract(1)),
        arbiter(9, retract(3)),
        moved(9, 0, 8),
    ];
    // The newer of two corrections counts, whatever becomes of the older.
    let newer = vec![
        moved(9, 0, 6),
        moved(9, 0, 7),
        arbiter(9, retract(2)),
        moved(9, 1, 6),
    ];
    // A player takes nothing back.
    let player = vec![at(9, retract(1)), moved(9, 0, 8)];
    for edits in [again, kept, newer, player] {
        let last = edits.len() + 1;
        let events = [vec![at(5, pawn()), at(7, pawn())], edits].concat();
        let violations = read_events(&events).unwrap_err();
        let fields: Vec<_> = violations
            .kept()
            .iter()
            .map(|violation| violation.field.as_str())
            .collect();
        assert_eq!(
            fields,
            [format!("events[{last}].correction.replacement.at")],
            "{events:?}"
        );
    }
    let change = Kind::ArbiterDecision(v1::ArbiterDecisionEvent {
        option: "change-result".into(),
        result: v1::GameResult::Draw.into(),
        ..Default::default()
    });
    assert!(read_events(&[at(0, change)]).is_ok());
}
