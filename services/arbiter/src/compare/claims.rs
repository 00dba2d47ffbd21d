//! Which draws may be claimed, and by which articles.

use tabiya_rules::{Variant, uci};

use super::{Ruled, articles, said::Said};
use crate::{Claim, ClaimGround};

/// The draws that a ruleset lets the player on move claim in the end, with its articles on them.
pub(super) fn claimable(one: &Ruled<'_>, variant: Variant) -> (Said, Vec<String>) {
    let of = |ground| {
        one.report
            .claimable
            .iter()
            .filter(move |claim| claim.ground == ground)
    };
    let claims: Vec<&Claim> = ClaimGround::ALL.into_iter().flat_map(of).collect();
    let (english, chinese): (Vec<_>, Vec<_>) = claims.iter().map(|claim| words(claim, variant)).unzip();
    let rules = claims.iter().map(|claim| claim.rule());
    (
        Said::named(english.join("; "), chinese.join("；")),
        articles(rules.flat_map(|rule| one.ruleset.articles_of(rule))),
    )
}

fn words(claim: &Claim, variant: Variant) -> (String, String) {
    let (english, chinese) = match claim.ground {
        ClaimGround::ThreefoldRepetition => ("repetition", "重复局面"),
        ClaimGround::FiftyMoves => ("quiet moves", "未动兵未吃子的回合"),
    };
    match claim.with_move.map(|mv| uci::write(mv, variant)) {
        None => (english.into(), chinese.into()),
        Some(mv) => (format!("{english} with {mv}"), format!("{chinese}（着法 {mv}）")),
    }
}
