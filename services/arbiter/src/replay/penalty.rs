//! Which effects of a ruling punish somebody.

use tabiya_rules::Color;

use super::{Effect, Ruling};
use crate::ruleset::Rule;

impl Ruling {
    /// The side that an effect of this ruling punishes with time or points; `None` for an effect that punishes nobody. Time
    /// is given or charged, too, for what is nobody's fault: a disturbance, a request that was granted, an early sealing.
    pub fn punished(&self, effect: &Effect) -> Option<Color> {
        let compensates = |rule: &Rule| {
            matches!(
                rule,
                Rule::DisturbanceTime | Rule::QuickplayIncrement | Rule::SealEarly
            )
        };
        if self.rules.iter().any(compensates) {
            return None;
        }
        match *effect {
            Effect::TimeAdded { side, .. } => Some(!side),
            Effect::UsedTimeAdded { side, .. } => Some(side),
            Effect::Points { side, half_points } if half_points < 0 => Some(side),
            Effect::Points { side, .. } => Some(!side),
            _ => None,
        }
    }
}
