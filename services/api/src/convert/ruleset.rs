use tabiya_arbiter::ruleset::{Domain, Library, Ruleset, SwitchInfo};

use crate::{
    MAX_POSITIONS_PER_MESSAGE,
    error::{ServiceError, Violations},
    v1::{self, ruleset_switch},
};

/// The rulesets that the service knows.
///
/// # Errors
/// None, unless a ruleset of the build is broken, which its tests forbid.
pub fn list_rulesets() -> Result<v1::ListRulesetsResponse, ServiceError> {
    let rulesets = library()?.rulesets().iter().map(summary).collect();
    Ok(v1::ListRulesetsResponse { rulesets })
}

/// Shows one ruleset.
///
/// # Errors
/// INVALID_ARGUMENT for an unknown ruleset or an override that cannot be.
pub fn get_ruleset(request: &v1::GetRulesetRequest) -> Result<v1::GetRulesetResponse, ServiceError> {
    let ruleset = find_ruleset(&request.ruleset, &request.overrides)?;
    Ok(v1::GetRulesetResponse {
        summary: Some(summary(&ruleset)),
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
        ..Default::default()
    })
}

fn library() -> Result<&'static Library, ServiceError> {
    Library::built_in().map_err(|error| ServiceError::Internal(error.to_string()))
}

/// Finds a ruleset and changes the switches that the caller overrides.
pub(super) fn find_ruleset(id: &str, overrides: &[v1::SwitchOverride]) -> Result<Ruleset, ServiceError> {
    let ruleset = library()?
        .find(id)
        .map_err(|error| ServiceError::invalid("ruleset", id, error))?;
    if overrides.len() > MAX_POSITIONS_PER_MESSAGE {
        let reason = format!("more than {MAX_POSITIONS_PER_MESSAGE}");
        return Err(Violations::one("overrides", &overrides.len().to_string(), reason).into());
    }
    let pairs: Vec<_> = overrides
        .iter()
        .map(|set| (set.name.clone(), set.value.clone()))
        .collect();
    let changed = ruleset.with_overrides(&pairs).map_err(|(index, error)| {
        let unknown = error == tabiya_arbiter::ruleset::SwitchError::Unknown;
        let (field, value) = if unknown {
            ("name", &pairs[index].0)
        } else {
            ("value", &pairs[index].1)
        };
        ServiceError::invalid(format!("overrides[{index}].{field}"), value, error)
    })?;
    if let Some(rule) = changed.uncited().first() {
        let reason = format!("no article of {} states the rule {}", changed.id, rule.name());
        return Err(Violations::one("overrides", rule.name(), reason).into());
    }
    Ok(changed)
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
            Domain::Number { min, max } => Range(v1::NumberRange { min, max }),
            Domain::Flag => OneOf(words(&["true", "false"])),
            Domain::Choice(names) => OneOf(words(names)),
            Domain::Words(names) => AnyOf(words(names)),
            Domain::Form(form) => Form(form.into()),
        }),
    }
}
