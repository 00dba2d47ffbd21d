//! Rulesets on the wire: chosen by name, sent as text, with single switches changed.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
};

use tabiya_arbiter::ruleset::{Domain, Library, Rule, Ruleset, RulesetError, SwitchError, SwitchInfo};

use crate::{
    MAX_POSITIONS_PER_MESSAGE,
    error::{ServiceError, Violations},
    v1::{self, ruleset_switch},
};

/// Greatest length of a ruleset that a request sends along, in bytes.
pub const MAX_RULESET_BYTES: usize = 256 * 1024;

/// How many different choices a reader remembers.
const REMEMBERED: usize = 4;

/// The rulesets that a service knows.
#[derive(Clone, Debug)]
pub struct Rulesets {
    known: Library,
    /// Identifiers of those that came from files.
    from_files: BTreeSet<String>,
}

impl Rulesets {
    /// Those of the program.
    ///
    /// # Errors
    /// None, unless a ruleset of the build is broken, which its tests forbid.
    pub fn built_in() -> Result<Self, RulesetError> {
        Ok(Self {
            known: Library::built_in()?.clone(),
            from_files: BTreeSet::new(),
        })
    }

    /// Adds the text of a file, which may build on those already here. It replaces a ruleset of the program that has its
    /// identifier.
    ///
    /// # Errors
    /// What is wrong in it, with file and line; or the identifier, if another file has it too.
    pub fn add_file(&mut self, file: &str, text: &str) -> Result<(), AddError> {
        let id = self.known.read(file, text)?.id;
        if self.from_files.contains(&id) {
            return Err(AddError::Twice {
                file: file.into(),
                id,
            });
        }
        self.known.add(file, text)?;
        self.from_files.insert(id);
        Ok(())
    }

    /// Lists them.
    pub fn list(&self) -> v1::ListRulesetsResponse {
        let rulesets = self.known.rulesets().iter().map(|ruleset| summary(ruleset));
        v1::ListRulesetsResponse {
            rulesets: rulesets.collect(),
        }
    }

    fn choose(&self, asked: &Asked) -> Result<Chosen, ServiceError> {
        let (ruleset, source) = if asked.toml.is_empty() {
            let found = self
                .known
                .find(&asked.id)
                .map_err(|error| ServiceError::invalid("ruleset", &asked.id, error))?;
            let source = if self.from_files.contains(&found.id) {
                v1::RulesetSource::File
            } else {
                v1::RulesetSource::BuiltIn
            };
            (found.clone(), source)
        } else {
            (Arc::new(self.read(asked)?), v1::RulesetSource::Request)
        };
        let ruleset = if asked.overrides.is_empty() {
            ruleset
        } else {
            Arc::new(override_switches(&ruleset, &asked.overrides)?)
        };
        Ok(Chosen {
            ruleset,
            source,
            overridden: asked.overrides.clone(),
        })
    }

    fn read(&self, asked: &Asked) -> Result<Ruleset, ServiceError> {
        const FIELD: &str = "ruleset_toml";
        if !asked.id.is_empty() {
            return Err(ServiceError::invalid(
                "ruleset",
                &asked.id,
                "set together with ruleset_toml",
            ));
        }
        let text = &asked.toml;
        if text.len() > MAX_RULESET_BYTES {
            let reason = format!("{} bytes, more than {MAX_RULESET_BYTES}", text.len());
            return Err(ServiceError::invalid(FIELD, text, reason));
        }
        self.known.read(FIELD, text).map_err(|error| {
            let line = text.lines().nth(error.line.saturating_sub(1)).unwrap_or_default();
            ServiceError::invalid(
                FIELD,
                line.trim(),
                format!("line {}: {}", error.line, error.reason),
            )
        })
    }
}

/// Why the text of a file is no ruleset for a service.
#[derive(Debug, thiserror::Error)]
pub enum AddError {
    /// It is wrong.
    #[error(transparent)]
    Ruleset(#[from] RulesetError),
    /// Two files have rulesets of one identifier.
    #[error("{file}: `{id}` is in another file already")]
    Twice {
        /// The second file.
        file: String,
        /// The identifier.
        id: String,
    },
}

/// A ruleset that a request asked for.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// The ruleset, overrides included.
    pub(super) ruleset: Arc<Ruleset>,
    pub(super) source: v1::RulesetSource,
    pub(super) overridden: Vec<v1::SwitchOverride>,
}

/// What a request says of its ruleset.
#[derive(Clone, PartialEq, Debug)]
struct Asked {
    id: String,
    toml: String,
    overrides: Vec<v1::SwitchOverride>,
}

/// Chooses rulesets for the requests of one stream: what requests have in common is read once.
#[derive(Debug)]
pub struct RulesetReader {
    rulesets: Arc<Rulesets>,
    /// The latest choices, the last one last.
    chosen: Mutex<Vec<(Asked, Chosen)>>,
}

impl RulesetReader {
    /// A reader that remembers nothing yet.
    pub fn new(rulesets: Arc<Rulesets>) -> Self {
        Self {
            rulesets,
            chosen: Mutex::default(),
        }
    }

    /// The ruleset with an identifier or in a text, with switches changed.
    ///
    /// # Errors
    /// INVALID_ARGUMENT for an unknown ruleset, a text that is none (with its line) or a change that cannot be.
    pub(super) fn choose(
        &self,
        id: &str,
        toml: &str,
        overrides: &[v1::SwitchOverride],
    ) -> Result<Chosen, ServiceError> {
        let lock = || self.chosen.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |(asked, _): &&(Asked, Chosen)| {
            asked.id == id && asked.toml == toml && asked.overrides == overrides
        };
        if let Some((_, chosen)) = lock().iter().find(same) {
            return Ok(chosen.clone());
        }
        let asked = Asked {
            id: id.into(),
            toml: toml.into(),
            overrides: overrides.to_vec(),
        };
        let chosen = self.rulesets.choose(&asked)?;
        let mut remembered = lock();
        if remembered.len() == REMEMBERED {
            remembered.remove(0);
        }
        remembered.push((asked, chosen.clone()));
        Ok(chosen)
    }

    /// Shows one ruleset.
    ///
    /// # Errors
    /// INVALID_ARGUMENT for an unknown ruleset, a text that is none or an override that cannot be.
    pub fn get(&self, request: &v1::GetRulesetRequest) -> Result<v1::GetRulesetResponse, ServiceError> {
        let chosen = self.choose(&request.ruleset, &request.ruleset_toml, &request.overrides)?;
        let ruleset = &chosen.ruleset;
        Ok(v1::GetRulesetResponse {
            summary: Some(summary(ruleset)),
            switches: ruleset.switches.list().into_iter().map(switch).collect(),
            articles: ruleset
                .articles
                .iter()
                .map(|(number, text)| v1::Article {
                    number: number.clone(),
                    text_en: text.en.clone(),
                    text_zh: text.zh.clone(),
                })
                .collect(),
            toml: ruleset.to_toml(),
            source: chosen.source.into(),
            overridden: chosen.overridden,
        })
    }
}

fn override_switches(ruleset: &Ruleset, overrides: &[v1::SwitchOverride]) -> Result<Ruleset, ServiceError> {
    if overrides.len() > MAX_POSITIONS_PER_MESSAGE {
        let reason = format!("more than {MAX_POSITIONS_PER_MESSAGE}");
        return Err(Violations::one("overrides", &overrides.len().to_string(), reason).into());
    }
    let pairs: Vec<_> = overrides
        .iter()
        .map(|set| (set.name.clone(), set.value.clone()))
        .collect();
    let changed = ruleset.with_overrides(&pairs).map_err(|(index, error)| {
        let (field, value) = match error {
            SwitchError::Unknown | SwitchError::Twice => ("name", &pairs[index].0),
            _ => ("value", &pairs[index].1),
        };
        let reason = match field {
            "value" => format!("switch {}: {error}", pairs[index].0),
            _ => error.to_string(),
        };
        ServiceError::invalid(format!("overrides[{index}].{field}"), value, reason)
    })?;
    if let Some(rule) = changed.uncited().first() {
        let index = calls_for(ruleset, &pairs, *rule);
        let reason = format!("no article of {} states the rule {}", changed.id, rule.name());
        return Err(ServiceError::invalid(
            format!("overrides[{index}].value"),
            &pairs[index].1,
            reason,
        ));
    }
    Ok(changed)
}

/// The override that calls for a rule: the first without which the others do not; where several call for it, the first
/// with which those before it do.
fn calls_for(ruleset: &Ruleset, pairs: &[(String, String)], rule: Rule) -> usize {
    let without = |&index: &usize| {
        let mut others = pairs.to_vec();
        others.remove(index);
        let changed = ruleset.with_overrides(&others);
        changed.is_ok_and(|changed| !changed.uncited().contains(&rule))
    };
    let with = |&index: &usize| {
        let changed = ruleset.with_overrides(&pairs[..=index]);
        changed.is_ok_and(|changed| changed.uncited().contains(&rule))
    };
    let every = || 0..pairs.len();
    every()
        .find(without)
        .or_else(|| every().find(with))
        .unwrap_or_default()
}

fn summary(ruleset: &Ruleset) -> v1::RulesetSummary {
    v1::RulesetSummary {
        id: ruleset.id.clone(),
        version: ruleset.version.clone(),
        title_en: ruleset.title_en.clone(),
        title_zh: ruleset.title_zh.clone(),
    }
}

fn switch(info: SwitchInfo) -> v1::RulesetSwitch {
    use ruleset_switch::Domain::{AnyOf, Form, OneOf, Range};

    let words = |words: &[&str]| v1::Words {
        words: words.iter().map(ToString::to_string).collect(),
    };
    v1::RulesetSwitch {
        name: info.name.into(),
        value: info.value,
        about: info.about.into(),
        domain: Some(match info.domain {
            Domain::Number { min, max } => Range(v1::NumberRange {
                min,
                max,
                or_none: false,
            }),
            Domain::Count { min, max } => Range(v1::NumberRange {
                min,
                max,
                or_none: true,
            }),
            Domain::Flag => OneOf(words(&["true", "false"])),
            Domain::Choice(names) => OneOf(words(names)),
            Domain::Words(names) => AnyOf(words(names)),
            Domain::Form(form) => Form(form.into()),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_repeated_is_read_once() {
        let reader = RulesetReader::new(Arc::new(Rulesets::built_in().unwrap()));
        let shown = reader.get(&v1::GetRulesetRequest::default()).unwrap();
        let first = reader.choose("", &shown.toml, &[]).unwrap();
        let again = reader.choose("", &shown.toml, &[]).unwrap();
        assert!(Arc::ptr_eq(&first.ruleset, &again.ruleset));
        assert_eq!(first.source, v1::RulesetSource::Request);
        for number in 0..REMEMBERED {
            let toml = format!("{}\n# {number}\n", shown.toml);
            reader.choose("", &toml, &[]).unwrap();
        }
        let later = reader.choose("", &shown.toml, &[]).unwrap();
        assert!(!Arc::ptr_eq(&first.ruleset, &later.ruleset), "forgotten by then");
        assert_eq!(first.ruleset, later.ruleset);
    }

    #[test]
    fn a_wrong_text_is_refused_with_its_line() {
        let reader = RulesetReader::new(Arc::new(Rulesets::built_in().unwrap()));
        let refused = |id: &str, toml: &str| match reader.choose(id, toml, &[]) {
            Err(ServiceError::Invalid(violations)) => violations.kept()[0].clone(),
            other => panic!("{other:?}"),
        };
        let base = "id = \"house\"\nversion = \"7\"\ntitle_en = \"House\"\ntitle_zh = \"本店\"\nbase = \"fide-2023\"\n";
        assert!(reader.choose("", base, &[]).is_ok());
        let switch = refused("", &format!("{base}[switches]\nillegal_limit = 99\n"));
        assert_eq!(
            (switch.field.as_str(), switch.value.as_str()),
            ("ruleset_toml", "illegal_limit = 99")
        );
        assert!(
            switch.reason.starts_with("line 7: switch `illegal_limit`"),
            "{}",
            switch.reason
        );
        assert_eq!(refused("club", base).field, "ruleset");
        let long = "#".repeat(MAX_RULESET_BYTES + 1);
        assert!(refused("", &long).reason.contains("more than 262144"));
    }

    #[test]
    fn a_wrong_override_is_named_by_its_place() {
        let reader = RulesetReader::new(Arc::new(Rulesets::built_in().unwrap()));
        let refused = |id: &str, pairs: &[(&str, &str)]| {
            let set = |&(name, value): &(&str, &str)| v1::SwitchOverride {
                name: name.into(),
                value: value.into(),
            };
            let overrides: Vec<_> = pairs.iter().map(set).collect();
            match reader.choose(id, "", &overrides) {
                Err(ServiceError::Invalid(violations)) => {
                    let one = violations.kept()[0].clone();
                    (one.field, one.value, one.reason)
                }
                other => panic!("{other:?}"),
            }
        };
        let told = |field: &str, value: &str, reason: &str| (field.into(), value.into(), reason.into());
        let good = ("illegal_limit", "3");
        assert_eq!(
            refused("", &[good, ("claim_repetition", "2"), ("illegal_limit", "3")]),
            told("overrides[2].name", "illegal_limit", "set twice")
        );
        assert_eq!(
            refused("", &[good, ("illegal_limits", "3")]),
            told("overrides[1].name", "illegal_limits", "no such switch")
        );
        assert_eq!(
            refused("", &[good, ("claim_repetition", "11")]),
            told(
                "overrides[1].value",
                "11",
                "switch claim_repetition: neither 0 nor in 2..=10"
            )
        );
        // No article of the popular rules speaks of consent to offers.
        assert_eq!(
            refused(
                "popular",
                &[("automatic_repetition", "4"), ("offers_need_consent", "true")]
            ),
            told(
                "overrides[1].value",
                "true",
                "no article of popular states the rule offer_consent"
            )
        );
        // Either of the last two calls for the rule, so that without one the other still does.
        assert_eq!(
            refused(
                "cn-classic",
                &[
                    ("agreement_moves", "2"),
                    ("automatic_quiet_moves", "75"),
                    ("quiet_moves_bishop_knight", "80")
                ]
            ),
            told(
                "overrides[1].value",
                "75",
                "no article of cn-classic states the rule automatic_quiet_moves"
            )
        );
    }

    #[test]
    fn files_may_replace_a_ruleset_but_not_each_other() {
        let mut rulesets = Rulesets::built_in().unwrap();
        let house =
            "base = \"club\"\nid = \"club\"\nversion = \"2\"\ntitle_en = \"Ours\"\ntitle_zh = \"本会\"\n";
        rulesets.add_file("a.toml", house).unwrap();
        let twice = rulesets.add_file("b.toml", house).unwrap_err();
        assert_eq!(twice.to_string(), "b.toml: `club` is in another file already");
        let broken = rulesets.add_file("c.toml", "id = 3").unwrap_err();
        assert!(broken.to_string().starts_with("c.toml:1: "), "{broken}");
        let reader = RulesetReader::new(Arc::new(rulesets));
        let chosen = reader.choose("club", "", &[]).unwrap();
        assert_eq!(
            (chosen.ruleset.version.as_str(), chosen.source),
            ("2", v1::RulesetSource::File)
        );
    }
}
