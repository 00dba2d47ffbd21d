//! What is still ruled once a game is over: flags, breaches, sanctions, points.

use tabiya_arbiter::{
    ClaimGround::ThreefoldRepetition,
    replay::{Breach, Choice, Decision, Effect, Event, GameStatus, Reason},
};

use crate::{
    case::{
        Case,
        Want::{Ends, GoesOn, Rules},
        case,
    },
    events::*,
};

fn with(mut events: Vec<Event>, more: Vec<Event>) -> Vec<Event> {
    events.extend(more);
    events
}

fn agreed() -> Vec<Event> {
    vec![offer(W), answer(B, true)]
}

/// 6.9, 12.7: what ended the game before the flag was seen stands.
fn flags() -> Vec<Case> {
    let over = || Rules(false, Reason::GameOver);
    let third = SHUFFLE.repeat(2);
    let shot = vec![mv(W, "f2f3"), mv(B, "e7e5"), mv(W, "g2g4"), mv(B, "d8h4")];
    vec![
        case("", F, with(agreed(), vec![flag(W)]), over(), &["6.9"]).moves(SHUFFLE),
        case("", F, vec![resign(W), flag(B)], over(), &["6.9"]),
        case("", CN, with(agreed(), vec![flag(W)]), over(), &["12.7"]).moves(SHUFFLE),
        case("", F, with(shot, vec![flag(B)]), over(), &["6.2.1.1"]),
        case(
            "",
            F,
            vec![claim(W, ThreefoldRepetition, None, None), flag(W)],
            over(),
            &["6.8"],
        )
        .moves(&third),
    ]
}

/// 12.9 holds after the end too, but for time; the result changes by 8.7 alone.
fn sanctions() -> Vec<Case> {
    let breached = |more| with(vec![resign(W), breach(B, Breach::Disrepute)], more);
    let chosen = || Rules(true, Reason::OptionChosen);
    let over = || Rules(false, Reason::GameOver);
    vec![
        case(
            "",
            F,
            breached(vec![]),
            Rules(true, Reason::Breach),
            &["11.1", "11.6", "12.9"],
        )
        .effect(Effect::Option(Choice::Expulsion)),
        case(
            "",
            F,
            breached(vec![choose(Choice::Warning)]),
            chosen(),
            &["12.9.1"],
        ),
        case("", F, breached(vec![choose(Choice::Fine)]), chosen(), &["12.9.7"]),
        case(
            "",
            F,
            breached(vec![choose(Choice::Exclusion)]),
            chosen(),
            &["12.9.8"],
        ),
        case(
            "",
            F,
            breached(vec![choose_with(Choice::AddOpponentTime, None, Some(60))]),
            over(),
            &[],
        ),
        case(
            "",
            F,
            breached(vec![choose(Choice::Loss)]),
            Ends(WHITE_WINS, Reason::Decided),
            &["12.9.6"],
        ),
        // Only what was signed stands by 8.7.
        case(
            "",
            F,
            breached(vec![report(ARBITER, true, true), choose(Choice::Loss)]),
            Ends(WHITE_WINS, Reason::Decided),
            &["12.9.6", "8.7"],
        ),
        case(
            "",
            CN,
            breached(vec![choose(Choice::Warning)]),
            chosen(),
            &["16.5"],
        ),
        case("", CN, breached(vec![choose(Choice::Loss)]), over(), &[]),
        // What loses during the game does not change its result afterwards.
        case(
            "",
            F,
            vec![resign(W), breach(B, Breach::DeviceOnPlayer)],
            Rules(true, Reason::Breach),
            &["11.3.2.2", "11.6", "12.9"],
        ),
        case(
            "",
            "popular",
            vec![resign(W), breach(B, Breach::Help)],
            over(),
            &[],
        ),
    ]
}

/// 12.9.4, 12.9.5, 10.2: never more than the game can give, never less than nothing.
fn points() -> Vec<Case> {
    let give = |half| change_points(Choice::AddOpponentPoints, W, half);
    let take = |half| change_points(Choice::TakeOwnPoints, W, half);
    let drawn = |more| case_of(with(agreed(), more)).moves(SHUFFLE);
    let many = |more| (more, Rules(false, Reason::TooManyPoints));
    let case_want = |(more, want)| {
        let mut case = drawn(more);
        case.want = want;
        case
    };
    let mut full = case_want(many(vec![give(1)]));
    full.articles = &["12.9.4", "10.2"];
    let mut taken = case_want((vec![take(1), give(1)], Rules(true, Reason::OptionChosen)));
    taken.articles = &["12.9.4"];
    taken.told = vec![(2, &["12.9.5"])];
    let mut less = case_want((vec![take(2)], Rules(false, Reason::TooFewPoints)));
    less.articles = &["12.9.5"];
    vec![
        full,
        taken,
        less,
        // The winner has all that there is.
        case(
            "",
            F,
            vec![resign(W), give(1)],
            Rules(false, Reason::TooManyPoints),
            &["10.2"],
        ),
        // While the game goes on, too, what is given adds up.
        case(
            "",
            F,
            vec![give(2), give(1)],
            Rules(false, Reason::TooManyPoints),
            &["12.9.4", "10.2"],
        ),
        case(
            "",
            F,
            vec![give(1), give(1)],
            Rules(true, Reason::OptionChosen),
            &["12.9.4"],
        ),
        case(
            "",
            F,
            vec![give(1), change_points(Choice::AddOpponentPoints, B, 2)],
            Rules(false, Reason::TooManyPoints),
            &["10.2"],
        ),
        case(
            "",
            F,
            vec![take(2), take(1)],
            Rules(false, Reason::TooFewPoints),
            &["12.9.5"],
        ),
        // A game that does not count gives none.
        case(
            "",
            F,
            vec![decide(Decision::Annul), give(1)],
            Rules(false, Reason::GameOver),
            &[],
        ),
    ]
}

fn case_of(events: Vec<Event>) -> Case {
    case("", F, events, GoesOn, &[])
}

/// 6.2.4 and 11.3.3 lead to 12.9 themselves; 11.6 is on 11.1 to 11.5. A device on the player stays 11.3.2.2 where it
/// does not lose.
#[test]
fn breaches_cite_the_way_to_their_sanctions() {
    let cited = |kind, loses| {
        let case = case("", F, vec![breach(W, kind)], GoesOn, &[]).set("device_loses", loses);
        case.report().rulings[0].articles.join(" ")
    };
    assert_eq!(cited(Breach::ClockHandling, "true"), "6.2.3 6.2.4 12.9");
    assert_eq!(cited(Breach::InspectionRefused, "true"), "11.3.3 12.9");
    assert_eq!(cited(Breach::DeviceOnPlayer, "false"), "11.3.2.2 11.6 12.9");
    assert_eq!(cited(Breach::DeviceInVenue, "true"), "11.3.2 11.3.2.1 11.6 12.9");
    assert_eq!(cited(Breach::Disturbing, "true"), "11.5 11.6 12.9");
    let code = case("", CN, vec![breach(W, Breach::ClockHandling)], GoesOn, &[]).report();
    assert_eq!(code.rulings[0].articles, ["15.2", "16.5"]);
}

/// A breach after the end offers nothing that changes time, or the result where it stands.
#[test]
fn options_after_the_end_leave_time_and_result() {
    for (ruleset, left) in [(F, 7), (CN, 1)] {
        let events = vec![resign(W), breach(B, Breach::Other)];
        let report = case("", ruleset, events, GoesOn, &[]).report();
        assert_eq!(report.rulings[1].effects.len(), left, "{ruleset}");
        assert_eq!(report.status, GameStatus::Decided);
    }
}

pub(crate) fn cases() -> Vec<Case> {
    [flags(), sanctions(), points()].into_iter().flatten().collect()
}
