//! What the command line changes in every game.

use std::{fs::File, io::Read, path::Path, str::FromStr};

use tabiya_client::v1::{self, GetRulesetRequest, SwitchOverride};

use super::Lang;
use crate::failure::Failure;

/// Longest ruleset file that is read, in bytes; the contract takes no longer one.
const MAX_RULESET_BYTES: u64 = 256 * 1024;

/// A switch and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Setting {
    name: String,
    value: String,
}

impl FromStr for Setting {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once('=') {
            Some((name, value)) if !name.trim().is_empty() => Ok(Self {
                name: name.trim().to_owned(),
                value: value.trim().to_owned(),
            }),
            _ => Err("not SWITCH=VALUE"),
        }
    }
}

/// The first switch that is set a second time.
pub(super) fn set_twice(settings: &[Setting]) -> Option<&str> {
    let again = |at: usize| {
        settings[..at]
            .iter()
            .any(|earlier| earlier.name == settings[at].name)
    };
    (0..settings.len())
        .find(|&at| again(at))
        .map(|at| settings[at].name.as_str())
}

/// What every game is ruled by.
#[derive(Clone, Debug, Default)]
pub(super) struct Options {
    /// A ruleset to use instead of the game's own.
    pub(super) ruleset: Option<String>,
    /// A whole ruleset to use instead.
    pub(super) toml: Option<String>,
    /// Rulesets to compare.
    pub(super) compare: Vec<String>,
    /// Switches to change.
    pub(super) overrides: Vec<SwitchOverride>,
    /// A language to use instead of the game's own.
    pub(super) lang: Option<Lang>,
}

impl Options {
    /// The switches of the command line.
    pub(super) fn overrides(settings: &[Setting]) -> Vec<SwitchOverride> {
        let switch = |setting: &Setting| SwitchOverride {
            name: setting.name.clone(),
            value: setting.value.clone(),
        };
        settings.iter().map(switch).collect()
    }

    /// Reads a ruleset file.
    ///
    /// # Errors
    /// If it cannot be read, or is no text, or too long.
    pub(super) fn read_toml(path: &Path) -> Result<String, Failure> {
        let name = path.display().to_string();
        let mut bytes = Vec::new();
        let file = File::open(path).map_err(|error| Failure::input(&name, error))?;
        file.take(MAX_RULESET_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| Failure::input(&name, error))?;
        if bytes.len() as u64 > MAX_RULESET_BYTES {
            return Err(Failure::input(
                &name,
                format!("longer than {MAX_RULESET_BYTES} bytes"),
            ));
        }
        String::from_utf8(bytes).map_err(|_| Failure::input(&name, "not UTF-8"))
    }

    /// What to ask so that a wrong ruleset or switch is found before work begins.
    pub(super) fn checks(&self) -> Vec<GetRulesetRequest> {
        let check = |ruleset: &str| GetRulesetRequest {
            ruleset: ruleset.to_owned(),
            overrides: self.overrides.clone(),
            ruleset_toml: self.toml.clone().unwrap_or_default(),
        };
        if self.compare.is_empty() {
            // A game that names its own ruleset may have switches that the default has not.
            let known = self.ruleset.is_some() || self.toml.is_some();
            known
                .then(|| check(self.ruleset.as_deref().unwrap_or_default()))
                .into_iter()
                .collect()
        } else {
            self.compare.iter().map(|id| check(id)).collect()
        }
    }

    /// What the service says about a request, with the flags that its fields came from.
    pub(super) fn in_flags(&self, said: &str) -> String {
        let mut text = said.to_owned();
        for (index, switch) in self.overrides.iter().enumerate() {
            text = text.replace(&format!("overrides[{index}]"), &format!("--set {}", switch.name));
        }
        match text.strip_prefix("ruleset ") {
            Some(rest) if !self.compare.is_empty() => format!("--compare {rest}"),
            Some(rest) => format!("--ruleset {rest}"),
            None => text,
        }
    }

    /// Puts what was chosen into a request.
    pub(super) fn apply(&self, request: &mut v1::BatchAdjudicateRequest) {
        if let Some(ruleset) = &self.ruleset {
            request.ruleset.clone_from(ruleset);
            request.ruleset_toml.clear();
        }
        if let Some(toml) = &self.toml {
            request.ruleset.clear();
            request.ruleset_toml.clone_from(toml);
        }
        // A switch that the game sets itself keeps its place there, by which an error names it.
        for switch in &self.overrides {
            match request.overrides.iter_mut().find(|own| own.name == switch.name) {
                Some(own) => own.value.clone_from(&switch.value),
                None => request.overrides.push(switch.clone()),
            }
        }
        if let Some(lang) = self.lang {
            request.set_language(lang.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_have_a_name_and_a_value() {
        let setting = Setting::from_str(" late_limit_minutes = 30").unwrap();
        assert_eq!(
            (setting.name.as_str(), setting.value.as_str()),
            ("late_limit_minutes", "30")
        );
        assert_eq!(Setting::from_str("sanctions=").unwrap().value, "");
        for wrong in ["", "late", "=3"] {
            assert!(Setting::from_str(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_switch_is_set_once() {
        let set =
            |texts: &[&str]| -> Vec<Setting> { texts.iter().map(|text| text.parse().unwrap()).collect() };
        assert_eq!(set_twice(&set(&["a=1", "b=1", "aa=1"])), None);
        assert_eq!(set_twice(&set(&["a=1", "b=1", " b =1", "a=1"])), Some("b"));
        assert_eq!(set_twice(&[]), None);
    }

    #[test]
    fn what_the_service_refuses_is_told_by_the_flag_it_came_from() {
        let said = "ruleset `y`: unknown";
        let named = Options {
            ruleset: Some("y".to_owned()),
            ..Options::default()
        };
        assert_eq!(named.in_flags(said), "--ruleset `y`: unknown");
        let compared = Options {
            compare: vec!["x".to_owned(), "y".to_owned()],
            ..Options::default()
        };
        assert_eq!(compared.in_flags(said), "--compare `y`: unknown");
    }

    #[test]
    fn the_command_line_comes_before_the_game() {
        let options = Options {
            ruleset: Some("popular".to_owned()),
            overrides: Options::overrides(&["b=3".parse().unwrap(), "a=1".parse().unwrap()]),
            lang: Some(Lang::Zh),
            ..Options::default()
        };
        let mut request = v1::BatchAdjudicateRequest {
            ruleset: "fide-2023".to_owned(),
            overrides: Options::overrides(&["a=2".parse().unwrap()]),
            ..v1::BatchAdjudicateRequest::default()
        };
        options.apply(&mut request);
        assert_eq!(request.ruleset, "popular");
        assert_eq!(request.language(), v1::Language::Zh);
        let set = |set: &SwitchOverride| format!("{}={}", set.name, set.value);
        let switches: Vec<_> = request.overrides.iter().map(set).collect();
        assert_eq!(switches, ["a=1", "b=3"]);
    }
}
