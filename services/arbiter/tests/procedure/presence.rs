//! Who has come, and when both come too late (6.7.1, 10.15, 10.17).

use tabiya_arbiter::replay::{Effect, Event, GameResult, Reason};

use crate::{
    case::{
        Case,
        Want::{Ends, Rules},
        case,
    },
    events::*,
};

/// A player who has acted at the board is there, and does not arrive.
fn here() -> Vec<Case> {
    let acts: [Vec<Event>; 7] = [
        vec![touch(W, "e2", false)],
        vec![release(W, "e2", "e4", true)],
        vec![offer(W)],
        vec![adjust(W, "e2", None)],
        vec![mv(W, "e2e5")],
        vec![press(W)],
        vec![mv(W, "e2e4"), offer(W)],
    ];
    let mut cases = Vec::new();
    for ruleset in [F, CN] {
        for act in &acts {
            let list = [&act[..], &[late(W, 90)]].concat();
            cases.push(case("", ruleset, list, Rules(false, Reason::AlreadyHere), &[]));
        }
        // Black has offered while White thought.
        cases.push(case(
            "",
            ruleset,
            vec![offer(B), late(B, 90)],
            Rules(false, Reason::AlreadyHere),
            &[],
        ));
        // What he is said to have done may have been done elsewhere.
        cases.push(case(
            "",
            ruleset,
            vec![breach(B, tabiya_arbiter::replay::Breach::Other), late(B, 90)],
            Ends(WHITE_WINS, Reason::TooLate),
            &[],
        ));
    }
    // An absent sealer who has made an offer at the board has come (I.9).
    let opened = [seal("e2e4", true), resumption(true, false, 0, 0)];
    cases.push(case(
        "",
        F,
        [&opened[..], &[offer(W), late(W, 90)]].concat(),
        Rules(false, Reason::AlreadyHere),
        &["6.7.1"],
    ));
    cases.push(case(
        "",
        F,
        [&opened[..], &[late(W, 90)]].concat(),
        Ends(BLACK_WINS, Reason::SealerTooLate),
        &[],
    ));
    cases
}

/// Both come too late: both lose, whoever comes first.
fn both_late() -> Vec<Case> {
    let both = || Ends(GameResult::BothLose, Reason::BothTooLate);
    let over = || Rules(false, Reason::GameOver);
    let mut cases = Vec::new();
    for (ruleset, article) in [(CN, &["10.17"][..]), ("cn-domestic", &["10.17"]), (F, &["6.7.1"])] {
        cases.extend([
            case("", ruleset, vec![late(W, 70), late(B, 75)], both(), article),
            case("", ruleset, vec![late(B, 70), late(W, 75)], both(), article),
            case(
                "",
                ruleset,
                vec![arrival(W, 70, true, false), late(B, 75)],
                both(),
                article,
            ),
            // A player who is there is not late, whatever is said of him.
            case(
                "",
                ruleset,
                vec![late(B, 0), arrival(W, 70, true, false)],
                Ends(BLACK_WINS, Reason::TooLate),
                &[],
            ),
            // White has moved, whoever reported it.
            case(
                "",
                ruleset,
                vec![mv(ARBITER, "e2e4"), arrival(B, 70, true, false)],
                Ends(WHITE_WINS, Reason::TooLate),
                &[],
            ),
            case(
                "",
                ruleset,
                vec![late(B, 0), late(W, 70), late(B, 75)],
                over(),
                &[],
            ),
            case("", ruleset, vec![late(W, 70), late(W, 75)], over(), &[]),
            case(
                "",
                ruleset,
                vec![mv(W, "e2e4"), late(B, 70), late(W, 75)],
                over(),
                &[],
            ),
        ]);
    }
    cases.extend([
        case("", CN, vec![late(W, 70), late(B, 5)], over(), &[]),
        // Where the event says nothing, every minute is too late.
        case("", F, vec![late(W, 70), late(B, 5)], both(), &["6.7.1"]),
        case("", F, vec![late(W, 70), late(B, 0)], over(), &[]),
    ]);
    // The arbiter may let a late player play, by the FIDE laws.
    cases.push(case(
        "",
        F,
        vec![late(W, 70), arrival(B, 75, false, true)],
        over(),
        &[],
    ));
    cases
}

pub(crate) fn cases() -> Vec<Case> {
    let lost = Effect::TimeLost {
        side: WHITE,
        time: std::time::Duration::from_secs(600),
    };
    let first = case("", CN, vec![late(W, 10)], Rules(true, Reason::InTime), &["10.15"]).effect(lost);
    [vec![first], here(), both_late()].into_iter().flatten().collect()
}
