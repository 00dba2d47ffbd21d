//! What a ruleset says of ranking, where the regulations of an event are silent.

use super::{System, Unit};

/// The score by which a ruleset ranks teams: the preface to the older Chinese code has the international rules count game points
/// only, and Chinese practice match points as well.
pub fn default_primary(ruleset: &str) -> Unit {
    if ruleset.starts_with("fide") || ruleset == "cn-domestic" {
        Unit::Match
    } else {
        Unit::Game
    }
}

/// The tie-breaks that a ruleset applies. FIDE leaves the list to the organiser (C.07 4.1), so that for its rulesets it is ours;
/// by the preface to the older Chinese code equal scores share a place, and only Chinese practice tells them apart.
pub fn default_tie_breaks(ruleset: &str, system: System, teams: bool) -> &'static [&'static str] {
    match (ruleset, system, teams) {
        ("cn-domestic", _, true) => &["MPvGP"],
        ("cn-domestic", System::Swiss, false) => &["OPP"],
        ("cn-domestic", System::RoundRobin, false) => &["SMALL"],
        (fide, system, teams) if fide.starts_with("fide") => match (system, teams) {
            (_, true) => &["MPvGP", "EDE"],
            (System::Swiss, false) => &["BH/C1", "BH", "SB", "DE"],
            (System::RoundRobin, false) => &["DE", "SB", "KS"],
        },
        _ => &[],
    }
}
