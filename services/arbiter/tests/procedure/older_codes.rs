//! Where the older Chinese code and the lay texts say less, or something else, than the FIDE laws.

use tabiya_arbiter::{
    ClaimGround::FiftyMoves,
    replay::{Breach, Choice, Effect, Event, EventKind, Reason, Right, Ruling, SetupFault},
};

use crate::{
    case::{
        Case,
        Want::{Ends, GoesOn, Rules, Void},
        case,
    },
    events::*,
};

const CASTLING: &str = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
const PAWN: &str = "3r3k/4P3/8/8/8/8/8/4K3 w - - 0 1";

pub(crate) fn cases() -> Vec<Case> {
    [claims(), touching(), pawns(), after_the_end(), the_rest()]
        .into_iter()
        .flatten()
        .collect()
}

/// 10.12 asks for fifty moves that have been made; a move is announced by 10.10(1) only, and only such a move is due by
/// 10.13(2).
fn claims() -> Vec<Case> {
    let fifty = |with, clock: &str, want, articles| {
        case(
            "",
            CN,
            vec![claim(W, FiftyMoves, with, Some(3600))],
            want,
            articles,
        )
        .fen(&format!("4k3/8/8/8/8/8/8/R3K3 w - - {clock} 80"))
    };
    vec![
        fifty(
            Some("Ra2"),
            "99",
            Rules(false, Reason::ClaimWrong),
            &["10.12", "10.13(2)"],
        ),
        fifty(
            Some("Ra2"),
            "100",
            Ends(DRAW, Reason::ClaimUpheld),
            &["10.12", "10.13(1)"],
        ),
        // FIDE 9.3.1 lets it be announced.
        case(
            "",
            F,
            vec![claim(W, FiftyMoves, Some("Ra2"), None)],
            Ends(DRAW, Reason::ClaimUpheld),
            &["9.3.1"],
        )
        .fen("4k3/8/8/8/8/8/8/R3K3 w - - 99 80"),
    ]
}

/// 7.2(1): the first man touched is moved; that castling is due where king and rook were touched is FIDE's alone.
fn touching() -> Vec<Case> {
    let king = "e1d1 e1d2 e1e2 e1f1 e1f2 e1g1";
    let castling = |ruleset, want, articles| {
        case(
            "",
            ruleset,
            vec![touch(W, "e1 h1", false)],
            Rules(true, want),
            articles,
        )
        .fen(CASTLING)
    };
    let adjusts =
        |ruleset, consent, want, articles| case("", ruleset, vec![adjust(B, "e7", consent)], want, articles);
    vec![
        castling(CN, Reason::TouchedOwn, &["7.2(1)"]).effect(exactly(CASTLING, king)),
        castling("cn-domestic", Reason::TouchedOwn, &["7.2(1)"]).effect(exactly(CASTLING, king)),
        castling("popular", Reason::TouchedOwn, &["touch"]).effect(exactly(CASTLING, king)),
        castling("club", Reason::TouchedOwn, &["touch"]).effect(exactly(CASTLING, king)),
        castling(F, Reason::TouchedCastle, &["4.4.1"]).effect(moves(CASTLING, "e1g1")),
        // 5.1(4) is for castling that is illegal.
        case(
            "",
            CN,
            vec![touch(W, "e1 h1", false)],
            Rules(true, Reason::TouchedCastleIllegal),
            &["5.1(4)"],
        )
        .fen("4kr2/8/8/8/8/8/8/4K2R w K - 0 1")
        .effect(exactly("4kr2/8/8/8/8/8/8/4K2R w K - 0 1", "e1d1 e1d2 e1e2")),
        // Only 7.1 and FIDE 4.2.1 ask for the move.
        adjusts("popular", None, Rules(true, Reason::Adjusted), &["touch"]),
        adjusts("club", Some(true), Rules(true, Reason::Adjusted), &["adjusting"]),
        adjusts(
            "club",
            Some(false),
            Rules(false, Reason::AdjustConsent),
            &["adjusting"],
        ),
        adjusts(CN, None, Rules(false, Reason::AdjustNotOnMove), &["7.1"]),
        adjusts(F, None, Rules(false, Reason::AdjustNotOnMove), &["4.2.1"]),
        // A program knows no touch-move.
        case(
            "",
            "online-platform",
            vec![release(W, "e2", "e4", true), mv(W, "d2d4")],
            Rules(true, Reason::MoveMade),
            &[],
        ),
    ]
}

/// 6.4: a pawn released on its last rank goes nowhere else.
fn pawns() -> Vec<Case> {
    let due = "e7e8q e7e8r e7e8b e7e8n";
    let left =
        |ruleset, events: Vec<Event>, want, articles| case("", ruleset, events, want, articles).fen(PAWN);
    let elsewhere = || vec![mv(W, "e7e8"), press(W), mv(W, "e7d8q")];
    vec![
        left(CN, elsewhere(), Rules(false, Reason::TouchBinds), &["6.4"]).effect(exactly(PAWN, due)),
        left(
            "popular",
            elsewhere(),
            Rules(false, Reason::TouchBinds),
            &["release"],
        )
        .effect(exactly(PAWN, due)),
        left(
            "club",
            elsewhere(),
            Rules(false, Reason::TouchBinds),
            &["release"],
        ),
        left(
            F,
            vec![mv(W, "e7e8"), mv(W, "e7d8q")],
            Rules(false, Reason::TouchBinds),
            &["4.7"],
        ),
        left(
            CN,
            vec![mv(W, "e7e8"), press(W), mv(W, "e7e8n")],
            Rules(true, Reason::MoveMade),
            &["6.4"],
        ),
        left(
            F,
            vec![mv(W, "e7e8"), mv(W, "e7e8r")],
            Rules(true, Reason::MoveMade),
            &["4.7"],
        ),
        left(
            CN,
            vec![release(W, "e7", "e8", true), mv(W, "e7d8q")],
            Rules(false, Reason::TouchBinds),
            &["6.4"],
        ),
    ]
}

/// 12.7 is about flags; the club's text lets stand what was found later, whatever it is, and knows no signature.
fn after_the_end() -> Vec<Case> {
    let found = |ruleset, later: Event, want, articles| {
        case("", ruleset, vec![resign(B), later], Rules(false, want), articles)
    };
    vec![
        found(
            "club",
            report(W, false, true),
            Reason::GameOver,
            &["after-the-game"],
        ),
        found(
            "club",
            report(W, true, true),
            Reason::GameOver,
            &["after-the-game"],
        ),
        found(
            "club",
            setup(SetupFault::WrongPieces, None),
            Reason::GameOver,
            &["after-the-game"],
        ),
        found("club", flag(B), Reason::GameOver, &["after-the-game"]),
        found(CN, flag(B), Reason::GameOver, &["12.7"]),
        found(F, report(W, true, true), Reason::ResultStands, &["8.7"]),
    ]
}

fn the_rest() -> Vec<Case> {
    let fouls = |way: &str| vec![mv(W, way); 3];
    let own_pawn = "4r1k1/8/8/8/8/8/4P3/4K3 w - - 0 1";
    let knights = "8/8/3k4/8/8/8/8/K1NN4 w - - 0 1";
    vec![
        // 10.15 leaves the arbiter no choice; FIDE 6.7.1 does.
        case(
            "",
            CN,
            vec![arrival(B, 67, false, true)],
            Ends(WHITE_WINS, Reason::TooLate),
            &["10.15"],
        ),
        case(
            "",
            "cn-domestic",
            vec![arrival(B, 16, false, true)],
            Ends(WHITE_WINS, Reason::TooLate),
            &["10.15"],
        ),
        case(
            "",
            F,
            vec![arrival(B, 67, false, true)],
            Rules(true, Reason::LateExcused),
            &["6.7.1"],
        ),
        // 12.5 stops the clocks and gives nobody time.
        case(
            "",
            CN,
            vec![at(ARBITER, EventKind::Disturbance { interrupted: true })],
            Rules(true, Reason::Interrupted),
            &["12.5"],
        )
        .effect(Effect::ClocksPaused),
        case(
            "",
            CN,
            vec![choose_with(Choice::AddTime, None, Some(600))],
            Rules(false, Reason::NotAnOption),
            &[],
        ),
        // The line-up is listed; the men could mate.
        case("", "popular", vec![], Ends(DRAW, Reason::LineUp), &["material"]).fen(knights),
        case("", "popular", vec![], GoesOn, &[])
            .fen(knights)
            .set("popular_source", "001"),
        // Bishop and knight have fifty moves, so 44 plies are left for the mate.
        case("", "popular", vec![], GoesOn, &[])
            .fen("8/8/8/4k3/8/8/8/KBN5 w - - 56 60")
            .set("unwinnable_by_count", "true"),
        // Only the king's own step into attack is that foul.
        case(
            "",
            "popular",
            fouls("e1e2"),
            Rules(false, Reason::IllegalAttempt),
            &["moves"],
        )
        .fen(own_pawn),
        case(
            "",
            "popular",
            fouls("e1e5"),
            Rules(false, Reason::IllegalAttempt),
            &["king-move"],
        )
        .fen(own_pawn),
        case(
            "",
            "popular",
            fouls("e1d2"),
            Ends(BLACK_WINS, Reason::KingFoulsLose),
            &["king"],
        )
        .fen("3r2k1/8/8/8/8/8/8/4K3 w - - 0 1"),
        // The wrong set-up has lost no position.
        case(
            "",
            CN,
            vec![setup(SetupFault::WrongPieces, None)],
            Void(Reason::SetupAnnulled),
            &["8.5"],
        ),
        // Black has offered since, and need not have been refused.
        case(
            "",
            "club",
            vec![
                offer(W),
                answer(B, false),
                mv(W, "e2e4"),
                press(W),
                offer(B),
                offer(W),
            ],
            Rules(true, Reason::OfferUnstated),
            &["offers"],
        ),
        case(
            "",
            "club",
            vec![offer(W), answer(B, false), offer(W)],
            Rules(false, Reason::OfferAlternate),
            &["no-repeated-offers"],
        ),
        case(
            "",
            CN,
            vec![breach(W, Breach::Captain)],
            Rules(true, Reason::CaptainAllowed),
            &["preface"],
        ),
    ]
}

fn last(case: &Case) -> Ruling {
    case.report().rulings.pop().expect("a ruling")
}

#[test]
fn nothing_is_claimable_with_a_move_where_no_article_lets_it_be_announced() {
    let of = |ruleset| {
        let position = case("", ruleset, vec![], GoesOn, &[]).fen("4k3/8/8/8/8/8/8/R3K3 w - - 99 80");
        position.report().claimable.len()
    };
    assert_eq!((of(CN), of("cn-domestic")), (0, 0));
    assert!(of(F) > 0);
}

#[test]
fn a_wrong_claim_binds_to_a_move_only_where_it_was_announced_by_an_article() {
    let claimed = |ruleset| {
        let claim = claim(W, FiftyMoves, Some("e2e4"), Some(3600));
        let report = case("", ruleset, vec![claim], GoesOn, &[]).report();
        assert_eq!(report.rulings[0].reason, Reason::ClaimWrong, "{ruleset}");
        report.obligations
    };
    assert_eq!(claimed(CN), None);
    assert_eq!(claimed(F).map(|moves| moves.len()), Some(1));
}

#[test]
fn no_right_comes_back_that_was_not_lost() {
    let events = vec![release(W, "e2", "e4", true), mv(W, "e2e4")];
    let ruling = last(&case("", CN, events, GoesOn, &[]));
    let regained = |effect: &Effect| {
        matches!(
            effect,
            Effect::RightRegained {
                right: Right::Claim,
                ..
            }
        )
    };
    assert!(!ruling.effects.iter().any(regained), "{ruling:?}");
    // By FIDE 9.4 touching lost it.
    let ruling = last(&case(
        "",
        F,
        vec![touch(W, "e2", false), mv(W, "e2e4")],
        GoesOn,
        &[],
    ));
    assert!(ruling.effects.iter().any(regained), "{ruling:?}");
}

/// 10.7 with 6.3 and 6.4: an offer is refused by completing a move, and a king without its rook, or a pawn without what it
/// becomes, has completed none.
#[test]
fn an_offer_outlasts_a_move_that_is_not_complete() {
    let castling = "4k3/8/8/8/8/8/8/4K2R b K - 0 1";
    let pawn = "7k/4P3/8/8/8/8/8/4K3 b - - 0 1";
    let offered = |ruleset, fen: &str, reply: &str, released: Vec<Event>| {
        let mut events = vec![mv(B, reply), offer(B), press(B)];
        events.extend(released);
        events.push(answer(W, true));
        last(&case("", ruleset, events, GoesOn, &[]).fen(fen)).reason
    };
    let king = || release(W, "e1", "g1", true);
    let rook = || release(W, "h1", "f1", true);
    assert_eq!(offered(CN, castling, "e8e7", vec![king()]), Reason::Agreed);
    assert_eq!(
        offered(CN, castling, "e8e7", vec![king(), rook()]),
        Reason::NoOffer
    );
    assert_eq!(
        offered(CN, pawn, "h8h7", vec![release(W, "e7", "e8", true)]),
        Reason::Agreed
    );
    // Any other released piece has moved; and by FIDE 9.1.2.1 touching is enough.
    assert_eq!(
        offered(CN, castling, "e8e7", vec![release(W, "h1", "h2", true)]),
        Reason::NoOffer
    );
    assert_eq!(offered(F, castling, "e8e7", vec![king()]), Reason::NoOffer);
}

#[test]
fn nobody_is_given_time_for_a_disturbance_by_the_older_code() {
    let disturbed = |ruleset, interrupted| {
        let event = at(ARBITER, EventKind::Disturbance { interrupted });
        last(&case("", ruleset, vec![event], GoesOn, &[]))
    };
    let option = Effect::Option(Choice::AddTime);
    assert!(!disturbed(CN, true).effects.contains(&option));
    assert_eq!(disturbed(CN, false).reason, Reason::Unstated);
    assert!(disturbed(F, false).effects.contains(&option));
}

/// Only FIDE 9.6.2 says that mate comes first.
#[test]
fn a_mate_that_completes_the_count_cites_the_count_only_where_it_says_so() {
    let end = |ruleset, clock: u32| {
        let fen = format!("7k/8/5KQ1/8/8/8/8/8 w - - {clock} 60");
        let report = case("", ruleset, vec![mv(W, "g6g7")], GoesOn, &[])
            .fen(&fen)
            .report();
        report.conclusion.expect("mate").articles
    };
    assert_eq!(end("popular", 59), ["mate"]);
    assert_eq!(end("online-platform", 59), ["mate"]);
    assert_eq!(end(F, 149), ["5.1.1", "9.6.2"]);
}

#[test]
fn a_result_is_not_changed_without_an_article_by_what_the_older_code_finds_later() {
    let ruling = last(&case("", CN, vec![resign(B), report(W, true, true)], GoesOn, &[]));
    assert_eq!((ruling.accepted, ruling.reason), (false, Reason::GameOver));
    assert!(!ruling.articles.contains(&"12.7".to_owned()), "{ruling:?}");
}
