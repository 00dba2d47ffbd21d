//! Where rulesets differ on one game, and which articles make the difference.

mod claims;
mod comparer;
mod difference;
mod draws;
mod field;
mod said;

use tabiya_rules::Variant;

pub use difference::{Difference, Side};
pub use field::Field;

use comparer::Comparer;

use crate::{
    replay::{Event, Report},
    ruleset::Ruleset,
};

/// What a ruleset decided on a game.
#[derive(Clone, Copy, Debug)]
pub struct Ruled<'a> {
    /// The ruleset.
    pub ruleset: &'a Ruleset,
    /// The events that it decided on.
    pub events: &'a [Event],
    /// Its decision.
    pub report: &'a Report,
}

/// Where the decisions differ: first on the whole game, then event by event. All decisions are on the same game; events
/// are compared as far as all have the same.
pub fn compare(ruled: &[Ruled<'_>], variant: Variant) -> Vec<Difference> {
    let mut all = Vec::new();
    compare_while(ruled, variant, &mut |mut found| {
        all.append(&mut found);
        true
    });
    all
}

/// As [`compare`], for as long as it is wanted: `wanted` hears of the differences in the end of the game, then of those on
/// each event, if there are any, then of those in what is left open. False ends the comparison.
pub fn compare_while(ruled: &[Ruled<'_>], variant: Variant, wanted: &mut dyn FnMut(Vec<Difference>) -> bool) {
    let comparer = Comparer::new(ruled, variant);
    if !wanted(comparer.on_the_end()) {
        return;
    }
    for event in 0..comparer.common {
        if !wanted(comparer.on_event(event)) {
            return;
        }
    }
    wanted(comparer.on_what_is_left());
}

/// Numbers of articles, each once.
fn articles<'a>(numbers: impl IntoIterator<Item = &'a String>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for number in numbers {
        if !all.contains(number) {
            all.push(number.clone());
        }
    }
    all
}
