//! Rulesets: editions of the laws as data.

mod articles;
mod choice;
mod endings;
mod fault;
mod idle;
mod library;
mod read;
mod required;
mod rule;
mod switch;
mod tie_breaks;
mod write;

use std::collections::BTreeMap;

pub use articles::{ArticleText, Articles};
pub use choice::{
    BothFlags, Category, ClaimPenalty, DeadPosition, LateLimit, LossDraw, PressedPromotion, ReleaseBinds,
    Sealing, TeamScore, UnknownPosition, WrongSetup,
};
pub use endings::Endings;
pub use fault::{RulesetError, RulesetReason};
pub use library::{Library, UnknownRuleset};
pub use rule::Rule;
pub use switch::{Domain, SANCTIONS, SwitchError, SwitchInfo, Switches};
pub use tie_breaks::TieBreaks;

/// The switch that chooses between sources.
const SOURCE: &str = "popular_source";

/// Its value where there is no choice.
const NO_SOURCE: &str = "none";

/// An edition of the laws: switches, articles, and which articles say what.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ruleset {
    /// Its identifier, such as `fide-2023`.
    pub id: String,
    /// Its version.
    pub version: String,
    /// Its name in English.
    pub title_en: String,
    /// Its name in Chinese.
    pub title_zh: String,
    /// Its switches.
    pub switches: Switches,
    /// Its articles by number, in the order of the laws.
    pub articles: Articles,
    /// The numbers of the articles that each rule rests on.
    rules: BTreeMap<Rule, Vec<String>>,
    /// Switches that follow from the value of another: (switch, value) to (switch, value) pairs.
    choices: BTreeMap<(String, String), Vec<(String, String)>>,
}

impl Ruleset {
    /// The numbers of the articles that a rule rests on, or else those of the wider rule that it is a part of; empty
    /// if the ruleset has neither.
    pub fn articles_of(&self, rule: Rule) -> &[String] {
        let mut rule = Some(rule);
        while let Some(asked) = rule {
            if let Some(articles) = self.rules.get(&asked) {
                return articles;
            }
            rule = asked.wider();
        }
        &[]
    }

    /// Whether the ruleset has an article for a rule itself.
    pub fn has(&self, rule: Rule) -> bool {
        self.rules.contains_key(&rule)
    }

    /// The ruleset with single switches changed. A switch that decides others, such as `popular_source`, comes first,
    /// so that the others can still be overridden.
    ///
    /// # Errors
    /// The index of an override that is wrong, and why: a name that stands before, an unknown one, a value that its
    /// switch does not take, or one that changes nothing in this ruleset.
    pub fn with_overrides(&self, overrides: &[(String, String)]) -> Result<Self, (usize, SwitchError)> {
        let names = |range: &[(String, String)], name: &str| range.iter().any(|(other, _)| other == name);
        for (index, (name, _)) in overrides.iter().enumerate() {
            if names(&overrides[..index], name) {
                return Err((index, SwitchError::Twice));
            }
        }
        let mut changed = self.clone();
        let mut order: Vec<usize> = (0..overrides.len()).collect();
        order.sort_by_key(|&index| {
            !self
                .choices
                .keys()
                .any(|(switch, _)| *switch == overrides[index].0)
        });
        for index in order {
            let (name, value) = &overrides[index];
            changed.set(name, value).map_err(|error| (index, error))?;
        }
        let place = |name: &str| overrides.iter().position(|(other, _)| other == name);
        if let Err((names, error)) = changed.switches.check() {
            // One of the two was changed, by itself or by the source.
            return Err((names.into_iter().find_map(place).unwrap_or_default(), error));
        }
        for (index, (name, _)) in overrides.iter().enumerate() {
            let same = changed.switches.value(name) == self.switches.value(name);
            if let Some(needed) = changed.needs(name).filter(|_| !same) {
                return Err((index, SwitchError::Idle(needed)));
            }
        }
        Ok(changed)
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), SwitchError> {
        if name == SOURCE {
            self.set_source(value)?;
        }
        self.switches.set(name, value)?;
        let follow = self.choices.get(&(name.to_owned(), value.to_owned()));
        for (other, its_value) in follow.cloned().unwrap_or_default() {
            self.switches.set(&other, &its_value)?;
        }
        Ok(())
    }

    /// A source is chosen among those whose values the ruleset has.
    fn set_source(&mut self, value: &str) -> Result<(), SwitchError> {
        Switches::default().set(SOURCE, value)?;
        let known = self.choices.contains_key(&(SOURCE.to_owned(), value.to_owned()));
        if value == self.switches.popular_source || known {
            return Ok(());
        }
        Err(SwitchError::Idle("a source whose values the ruleset has"))
    }

    /// The rules that the switches call for and no article of the ruleset states.
    pub fn uncited(&self) -> Vec<Rule> {
        let required = Rule::required(&self.switches);
        required.into_iter().filter(|&rule| !self.has(rule)).collect()
    }
}
