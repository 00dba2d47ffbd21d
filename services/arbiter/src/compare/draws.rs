//! What a ruleset says of draws by position.

use crate::{
    replay::Reason,
    ruleset::{Rule, Ruleset},
};

/// The rules on a draw by position: on a claim of it, where there is one, before others.
pub(super) fn draw_rules(reason: Reason) -> Option<&'static [Rule]> {
    Some(match reason {
        Reason::Dead | Reason::LineUp => &[Rule::DeadPosition],
        Reason::Repetition => &[Rule::ClaimRepetition, Rule::AutomaticRepetition],
        Reason::Quiet => &[Rule::ClaimQuietMoves, Rule::AutomaticQuietMoves],
        Reason::ChecksInARow => &[Rule::ChecksInARow],
        Reason::ChecksInTotal => &[Rule::ChecksInTotal],
        _ => return None,
    })
}

/// What a ruleset says of a draw by position that does not end the game by it; failing that, that it does not mention it.
pub(super) fn on_draw(ruleset: &Ruleset, reason: Reason) -> &[String] {
    let rules = draw_rules(reason).unwrap_or_default().iter();
    let stated = rules.map(|&rule| ruleset.articles_of(rule));
    let mut stated = stated.filter(|articles| !articles.is_empty());
    stated
        .next()
        .unwrap_or_else(|| ruleset.articles_of(Rule::NotMentioned))
}
