//! The platform's text: what a round is, and what it does not mention.

use tabiya_arbiter::{
    ClaimGround::{FiftyMoves, ThreefoldRepetition},
    replay::{Reason, replay},
};
use tabiya_rules::Variant;

use crate::{
    case::{
        Case,
        Want::{Ends, GoesOn, Rules, Void},
        case,
    },
    events::*,
};

const P: &str = "online-platform";
/// White takes the last pawn; two bare kings are left.
const LAST_PAWN: &str = "8/8/4k3/8/8/3Kp3/8/8 w - - 0 40";

pub(crate) fn cases() -> Vec<Case> {
    let rounds_count = &["rounds"];
    let silent = &["not-mentioned"];
    let no_claims = || Rules(false, Reason::NoClaims);
    vec![
        // 15 are not more than 15, 14 not at least 15, and 5 not more than 5.
        case(
            "",
            P,
            vec![offer(W)],
            Rules(false, Reason::OfferEarly),
            rounds_count,
        )
        .moves(&rounds(15)),
        case(
            "",
            P,
            vec![resign(W)],
            Rules(false, Reason::ResignedEarly),
            rounds_count,
        )
        .moves(&rounds(14)),
        case("", P, vec![flag(W)], Void(Reason::FlagVoid), rounds_count).moves(&rounds(5)),
        case(
            "",
            P,
            vec![claim(W, ThreefoldRepetition, None, None)],
            no_claims(),
            silent,
        )
        .moves(&SHUFFLE.repeat(2)),
        case("", P, vec![claim(W, FiftyMoves, None, None)], no_claims(), silent),
        case("", P, vec![mv(W, "d3e3")], Rules(true, Reason::MoveMade), silent).fen(LAST_PAWN),
        // The fifth time.
        case("", P, vec![mv(B, "f6g8")], Rules(true, Reason::MoveMade), silent)
            .moves(&(SHUFFLE.repeat(3) + "g1f3 g8f6 f3g1")),
        case(
            "",
            P,
            vec![flag(W)],
            Ends(BLACK_WINS, Reason::FlagLoss),
            &["time", "rounds", "not-mentioned"],
        )
        .fen("8/8/4k3/8/8/3K4/8/7R w - - 0 40"),
        case(
            "",
            P,
            vec![resign(W)],
            Ends(BLACK_WINS, Reason::Resigned),
            &["resignation", "not-mentioned"],
        )
        .fen("8/8/4k3/8/8/3K4/8/7R w - - 0 40"),
        case("", P, vec![], GoesOn, &[]).fen("8/8/4k3/8/8/3K4/8/8 w - - 0 40"),
    ]
}

/// Where nothing is drawn elsewhere, and where another ruleset rules, the article is not cited.
#[test]
fn silence_is_cited_only_where_it_decides() {
    let cited = |id: &str, fen: &str, moves: &str, event| {
        let case = case("", "", vec![event], GoesOn, &[]).fen(fen).moves(moves);
        let ruleset = rulesets().find(id).unwrap();
        let report = replay(ruleset, &case.game(), Variant::Standard, None, &case.events);
        let mut articles = report.rulings[0].articles.clone();
        let ended = report.conclusion.map(|end| end.articles).unwrap_or_default();
        articles.extend(
            ended
                .into_iter()
                .filter(|article| !report.rulings[0].articles.contains(article)),
        );
        articles
    };
    let flagged = |fen| cited(P, fen, "", flag(W))[..].to_vec();
    let none: [String; 0] = [];
    assert_eq!(cited(P, START, "", mv(W, "e2e4")), none);
    // The fourth time: nobody else ends the game either.
    let fourth = SHUFFLE.repeat(2) + "g1f3 g8f6 f3g1";
    assert_eq!(cited(P, START, &fourth, mv(B, "f6g8")), none);
    let rooks = "r3k3/8/8/8/8/8/8/R3K3 w - - 0 40";
    assert_eq!(flagged(rooks), ["time", "rounds"]);
    // Black could mate with White's help; a bishop of the rook's side alone could not.
    assert_eq!(flagged("4k3/8/8/8/8/8/2n5/R3K3 w - - 0 40"), ["time", "rounds"]);
    let unable = ["time", "rounds", "not-mentioned"];
    assert_eq!(flagged("4k3/8/8/8/8/8/2b5/R3K3 w - - 0 40"), unable);
    assert_eq!(cited(P, rooks, "", resign(W)), ["resignation"]);
    assert_eq!(cited("fide-2023", LAST_PAWN, "", mv(W, "d3e3")), ["5.2.2"]);
    let claimed = cited("popular", START, "", claim(W, FiftyMoves, None, None));
    assert_eq!(claimed, none);
}
