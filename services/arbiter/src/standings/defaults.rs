//! What a ruleset says of ranking, where the regulations of an event are silent.
//!
//! By the preface to the older Chinese code the international rules count game points only and let equal scores share a place;
//! Chinese practice counts match points as well and tells equal scores apart. FIDE leaves the list of tie-breaks to the
//! organiser (C.07 4.1), so that the one of its rulesets is ours.

use super::{Spec, System, Unit};
use crate::ruleset::{Switches, TeamScore};

/// The score by which a ruleset ranks teams.
pub fn default_primary(switches: &Switches) -> Unit {
    match switches.team_score {
        TeamScore::Game => Unit::Game,
        TeamScore::Match => Unit::Match,
    }
}

/// The tie-breaks that a ruleset applies.
pub fn default_tie_breaks(switches: &Switches, system: System, teams: bool) -> &[Spec] {
    match (system, teams) {
        (_, true) => &switches.tie_breaks_teams,
        (System::Swiss, false) => &switches.tie_breaks_swiss,
        (System::RoundRobin, false) => &switches.tie_breaks_round_robin,
    }
}
