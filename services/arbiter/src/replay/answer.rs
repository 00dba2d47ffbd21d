//! How one event is answered.

use tabiya_rules::Color;

use super::{Effect, Reason};
use crate::ruleset::Rule;

/// An answer before its rules are turned into articles.
pub(super) struct Answer {
    pub(super) accepted: bool,
    pub(super) reason: Reason,
    pub(super) rules: Vec<Rule>,
    pub(super) effects: Vec<Effect>,
    /// Whom the options are about, where that need not be who reported.
    pub(super) about: Option<Color>,
}

impl Answer {
    pub(super) fn yes(reason: Reason, rules: &[Rule]) -> Self {
        Self::new(true, reason, rules)
    }

    pub(super) fn no(reason: Reason, rules: &[Rule]) -> Self {
        Self::new(false, reason, rules)
    }

    fn new(accepted: bool, reason: Reason, rules: &[Rule]) -> Self {
        Self {
            accepted,
            reason,
            rules: rules.to_vec(),
            effects: Vec::new(),
            about: None,
        }
    }

    pub(super) fn about(mut self, side: Color) -> Self {
        self.about = Some(side);
        self
    }

    pub(super) fn with(mut self, effect: Effect) -> Self {
        self.effects.push(effect);
        self
    }
}
