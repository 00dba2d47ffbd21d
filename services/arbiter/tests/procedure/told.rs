//! What a ruling, or the report, has to say besides: sheets, starts, periods, offers and articles.

use tabiya_arbiter::{
    ClaimGround::{FiftyMoves, ThreefoldRepetition},
    replay::{
        Decision, Effect, Event, EventKind, Period, Reason, RecordingLapse, Report, TimeControl, Witness,
        replay,
    },
};
use tabiya_rules::{Board, Game, Variant};

use crate::{
    case::{
        Case,
        Want::{Ends, Rules},
        case,
    },
    events::*,
};

fn ruled(ruleset: &str, fen: &str, variant: Variant, periods: Vec<Period>, events: &[Event]) -> Report {
    let ruleset = rulesets().find(ruleset).unwrap();
    let start = Game::new(Board::from_fen(fen).unwrap());
    let control = (!periods.is_empty()).then(|| TimeControl::new(periods).unwrap());
    replay(ruleset, &start, variant, control.as_ref(), events)
}

/// 11.7: both sheets are completed with the clocks stopped, and on a second board; 8.5.1 says nothing of one.
fn sheets() -> Vec<Case> {
    let both = || vec![lapse(ARBITER, RecordingLapse::BothIncomplete)];
    let stopped = || vec![lapse(ARBITER, RecordingLapse::BothStopped), both_flags(false)];
    let mut cases = vec![
        case("", CN, both(), Rules(true, Reason::CompleteBoth), &["11.7"])
            .effect(Effect::ClocksPaused)
            .effect(Effect::SecondBoard),
        case("", CN, stopped(), Rules(false, Reason::FlagsContinue), &["11.7"])
            .effect(Effect::ClocksPaused)
            .effect(Effect::SecondBoard),
    ];
    // A.2: nobody has to record, so there is nothing to complete.
    for ruleset in ["fide-2023-rapid-a4", A5, B3] {
        for (by, what) in [
            (ARBITER, RecordingLapse::BothIncomplete),
            (ARBITER, RecordingLapse::BothStopped),
            (ARBITER, RecordingLapse::Insufficient),
            (W, RecordingLapse::OneIncomplete),
        ] {
            let list = vec![lapse(by, what)];
            let nobody = Rules(true, Reason::NobodyRecords);
            cases.push(case("", ruleset, list, nobody, &["A.2"]));
        }
    }
    cases
}

/// 15.1(4): to offer again and again though the opponent has refused.
fn repeated_offers() -> Vec<Case> {
    let first = [mv(W, "e2e4"), offer(W), press(W)];
    let second = [press(B), mv(W, "g1f3"), offer(W)];
    let after = |refusal: Vec<Event>| [&first[..], &refusal, &second].concat();
    let words = || vec![answer(B, false), mv(B, "e7e5")];
    let mut cases = Vec::new();
    for ruleset in [CN, "cn-domestic"] {
        for refusal in [words(), vec![mv(B, "e7e5")]] {
            cases.push(
                case(
                    "",
                    ruleset,
                    after(refusal),
                    Rules(true, Reason::OfferRepeated),
                    &["10.7", "15.1(4)"],
                )
                .effect(Effect::OfferOpen { by: WHITE })
                .effect(Effect::MayBePenalised { side: WHITE }),
            );
        }
        // The offer stands for all that.
        let accepted = [after(words()), vec![answer(B, true)]].concat();
        cases.push(case("", ruleset, accepted, Ends(DRAW, Reason::Agreed), &["10.6"]));
        // While the opponent thinks it is wrong on both counts.
        let thinking = [
            &first[..],
            &words(),
            &[press(B), mv(W, "g1f3"), press(W), offer(W)],
        ]
        .concat();
        cases.push(case(
            "",
            ruleset,
            thinking,
            Rules(true, Reason::OfferUnusual),
            &["10.8", "15.1(4)"],
        ));
        // The refuser's own offer repeats nothing.
        let theirs = [&first[..], &words(), &[offer(B)]].concat();
        cases.push(case(
            "",
            ruleset,
            theirs,
            Rules(true, Reason::OfferMade),
            &["10.7"],
        ));
    }
    cases.push(case(
        "",
        F,
        after(words()),
        Rules(true, Reason::OfferMade),
        &["9.1.2.1"],
    ));
    cases
}

/// The arbiter ends a game by the article that gives it to him.
fn decided() -> Vec<Case> {
    let drawn = || vec![decide(Decision::Result(DRAW))];
    vec![
        case("", F, drawn(), Ends(DRAW, Reason::Decided), &["12.1"]),
        case("", CN, drawn(), Ends(DRAW, Reason::Decided), &["16.1"]),
    ]
}

/// 9.3 and 10.12 say of quiet moves, as 9.2 and 10.10 of repetitions, that the player on move claims.
fn out_of_turn() -> Vec<Case> {
    let not_on_move = || Rules(false, Reason::ClaimNotOnMove);
    let claims = |ground| vec![claim(B, ground, None, None)];
    vec![
        case("", F, claims(FiftyMoves), not_on_move(), &["9.3"]),
        case("", F, claims(ThreefoldRepetition), not_on_move(), &["9.2"]),
        case("", CN, claims(FiftyMoves), not_on_move(), &["10.12"]),
        case("", CN, claims(ThreefoldRepetition), not_on_move(), &["10.10"]),
    ]
}

/// A move of which nobody has said which it was, and a sealed one that only the envelope tells.
fn untold() -> Vec<Case> {
    let missing = || Rules(false, Reason::MissingFact);
    let sealed = || vec![seal("", true), resume(true, 0)];
    let mut cases = Vec::new();
    for ruleset in [F, CN] {
        cases.extend([
            case("", ruleset, vec![mv(W, "")], missing(), &[]),
            case("", ruleset, vec![mv(W, " "), press(W)], missing(), &[]),
            case(
                "",
                ruleset,
                vec![seal("", true)],
                Rules(true, Reason::Sealed),
                &[],
            )
            .effect(Effect::ClocksPaused),
            // It is no meaningless move, which would lose.
            case("", ruleset, sealed(), missing(), &[]),
            case(
                "",
                ruleset,
                [sealed(), vec![correct(0, seal("e2e4", true)), mv(B, "e7e5")]].concat(),
                Rules(true, Reason::MoveMade),
                &[],
            ),
            // What was played is what was sealed.
            case(
                "",
                ruleset,
                vec![seal("", false), mv(W, "e2e4"), seal("", true), resume(true, 0)],
                Rules(true, Reason::Resumed),
                &[],
            ),
            case(
                "",
                ruleset,
                vec![mv(W, "e2e4"), seal_by(W, "", true, None), resume(true, 0)],
                Rules(true, Reason::Resumed),
                &[],
            ),
        ]);
    }
    cases.push(case("", "online-platform", vec![mv(W, "")], missing(), &[]));
    cases
}

pub(crate) fn cases() -> Vec<Case> {
    [sheets(), repeated_offers(), decided(), out_of_turn(), untold()]
        .into_iter()
        .flatten()
        .collect()
}

/// No sheet is ordered to be completed where nobody records; 8.5.1 says nothing of a second board.
#[test]
fn nothing_more_is_ordered() {
    let both = lapse(ARBITER, RecordingLapse::BothIncomplete);
    for (ruleset, paused) in [(F, true), (A5, false), (B3, false)] {
        let report = ruled(
            ruleset,
            START,
            Variant::Standard,
            vec![],
            std::slice::from_ref(&both),
        );
        let expected: Vec<_> = paused.then_some(Effect::ClocksPaused).into_iter().collect();
        assert_eq!(report.rulings[0].effects, expected, "{ruleset}");
    }
}

/// A start that is none of the 960, or not the standard one, is told.
#[test]
fn a_start_that_the_laws_do_not_name_is_told() {
    let facts = |ruleset, fen, variant| {
        let report = ruled(ruleset, fen, variant, vec![], &[]);
        let told = report.missing_facts.iter();
        told.map(|missing| (missing.fact, missing.articles.clone()))
            .collect::<Vec<_>>()
    };
    let told = |articles: &[&str]| {
        let articles: Vec<_> = articles.iter().map(|&article| article.to_owned()).collect();
        vec![("start_position", articles)]
    };
    let shuffled = "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w - - 0 1";
    let outside = "bqbnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BQBNNRKR w - - 0 1";
    assert_eq!(facts(F, shuffled, Variant::Chess960), []);
    assert_eq!(facts(F, START, Variant::Chess960), []);
    assert_eq!(facts(F, outside, Variant::Chess960), told(&["II.2"]));
    assert_eq!(facts(F, shuffled, Variant::Standard), told(&["2.2", "2.3"]));
    assert_eq!(facts(CN, shuffled, Variant::Standard), told(&["2.1", "2.2"]));
    assert_eq!(facts(F, START, Variant::Standard), []);
    assert_eq!(facts(F, ROOK, Variant::Standard), []);
    assert_eq!(facts("popular", shuffled, Variant::Standard), []);
}

/// 8.6 lets the next move be the first of the next period: in the only one, or the last, nothing follows.
#[test]
fn no_period_follows_the_last() {
    let unclear = lapse(ARBITER, RecordingLapse::Unclear);
    let two = || vec![short_period(1, 60), short_period(0, 600)];
    let on_second = [
        when(10, mv(W, "e2e4")),
        when(11, press(W)),
        when(12, mv(B, "e7e5")),
        when(13, press(B)),
    ];
    for (ruleset, article) in [(F, "8.6"), (CN, "11.9")] {
        for (periods, first, follows) in [
            (vec![], &[][..], true),
            (vec![short_period(0, 600)], &[], false),
            (two(), &[], true),
            (two(), &on_second, false),
        ] {
            let list = [first, &[when(20, unclear.clone())]].concat();
            let report = ruled(ruleset, START, Variant::Standard, periods, &list);
            let last = report.rulings.last().unwrap();
            let reason = [Reason::NoNextPeriod, Reason::SheetsUnclear][usize::from(follows)];
            assert_eq!(
                (last.accepted, last.reason),
                (follows, reason),
                "{ruleset} {list:?}"
            );
            assert_eq!(last.effects.contains(&Effect::NextPeriod), follows, "{ruleset}");
            assert_eq!(last.articles, [article]);
        }
    }
    // 12.8: the game goes on.
    let flags = [both_flags(true)];
    let report = ruled(CN, START, Variant::Standard, vec![], &flags);
    assert_eq!(report.rulings[0].reason, Reason::FlagsContinue);
    assert_eq!(report.rulings[0].effects, []);
}

/// The move that completes a period is told with the article on periods.
#[test]
fn the_end_of_a_period_is_cited() {
    let list = [
        when(10, mv(W, "e2e4")),
        when(11, press(W)),
        when(12, mv(B, "e7e5")),
        when(13, press(B)),
        when(14, mv(W, "g1f3")),
        when(15, press(W)),
    ];
    for (ruleset, article) in [(F, "6.3.1"), (CN, "12.1")] {
        let periods = vec![short_period(1, 600), short_period(0, 6000)];
        let report = ruled(ruleset, START, Variant::Standard, periods, &list);
        let cites = |index: usize| cites(&report, index, article);
        assert_eq!(
            [0, 1, 2, 3, 4, 5].map(cites),
            [false, true, false, true, false, false]
        );
    }
}

/// Whether a ruling cites an article.
fn cites(report: &Report, index: usize, article: &str) -> bool {
    report.rulings[index]
        .articles
        .iter()
        .any(|cited| cited == article)
}

/// A move that is taken back takes its period back with it, and completes none.
#[test]
fn a_period_that_is_taken_back_is_not_cited() {
    let list = [
        when(5, touch(W, "g1", false)),
        when(10, mv(W, "e2e4")),
        when(11, press(W)),
        when(20, complaint(B, false, "", None)),
    ];
    for (ruleset, article) in [(F, "6.3.1"), (CN, "12.1")] {
        let periods = vec![short_period(1, 600), short_period(0, 6000)];
        let report = ruled(ruleset, START, Variant::Standard, periods, &list);
        let cites = |index: usize| cites(&report, index, article);
        assert_eq!(report.rulings[3].reason, Reason::ComplaintUpheld, "{ruleset}");
        assert_eq!([2, 3].map(cites), [true, false], "{ruleset}");
        let period = report.clocks.unwrap().sides.map(|side| side.period);
        assert_eq!(period, [0, 0], "{ruleset}");
    }
}

/// Where the platform passes over a draw, the report says that the FIDE laws would have ended the game.
#[test]
fn another_verdict_is_told_without_a_move() {
    let kings = "8/8/4k3/8/8/3K4/8/8 w - - 0 1";
    for (ruleset, fen, reason) in [
        ("online-platform", kings, Reason::GoesOnHere),
        ("online-platform", ROOK, Reason::GoesOn),
        (F, kings, Reason::Dead),
    ] {
        let report = ruled(ruleset, fen, Variant::Standard, vec![], &[]);
        assert_eq!(report.reason, reason, "{ruleset} {fen}");
    }
    let taken = "8/8/4k3/8/8/8/4r3/4K3 w - - 0 1";
    let report = ruled(
        "online-platform",
        taken,
        Variant::Standard,
        vec![],
        &[mv(W, "e1e2")],
    );
    assert_eq!(report.reason, Reason::GoesOnHere);
    assert_eq!(report.rulings[0].articles, ["not-mentioned"]);
}

/// A record says that a flag fell, and not who saw it: that counts where a player's word needs the arbiter's.
#[test]
fn a_record_of_a_flag_needs_no_witness() {
    let kind = |witness| EventKind::FlagFall {
        side: W,
        last_period: None,
        witness,
        confirmed: None,
    };
    for (witness, reason) in [
        (Witness::Record, Reason::FlagLoss),
        (Witness::Player, Reason::FlagUnconfirmed),
    ] {
        let report = ruled(
            CN,
            START,
            Variant::Standard,
            vec![],
            &[at(ARBITER, kind(witness))],
        );
        assert_eq!(report.rulings[0].reason, reason);
    }
}
