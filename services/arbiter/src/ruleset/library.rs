//! The rulesets that the crate brings along.

use std::sync::{Arc, LazyLock};

use super::{Ruleset, RulesetError, read::read};

macro_rules! files {
    ($($name:literal,)+) => { &[$(($name, include_str!(concat!("../../rulesets/", $name))),)+] };
}

/// Every file, bases before what builds on them.
const FILES: &[(&str, &str)] = files![
    "fide-2023.toml",
    "fide-2023-rapid-a4.toml",
    "fide-2023-rapid-a5.toml",
    "fide-2023-blitz-b2.toml",
    "fide-2023-blitz-b3.toml",
    "cn-classic.toml",
    "cn-domestic.toml",
    "popular.toml",
    "online-platform.toml",
    "club.toml",
];

static BUILT_IN: LazyLock<Result<Library, RulesetError>> = LazyLock::new(|| {
    let mut library = Library { rulesets: Vec::new() };
    for (file, text) in FILES {
        library.add(file, text)?;
    }
    Ok(library)
});

/// No ruleset has this identifier.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unknown; known are {}", .0.join(", "))]
pub struct UnknownRuleset(pub Vec<String>);

/// Rulesets by identifier.
#[derive(Clone, Debug)]
pub struct Library {
    rulesets: Vec<Arc<Ruleset>>,
}

impl Library {
    /// The rulesets that the crate brings along, read once.
    ///
    /// # Errors
    /// What is wrong in a file, with its line. A test reads them all.
    pub fn built_in() -> Result<&'static Self, RulesetError> {
        BUILT_IN.as_ref().map_err(Clone::clone)
    }

    /// Every ruleset.
    pub fn rulesets(&self) -> &[Arc<Ruleset>] {
        &self.rulesets
    }

    /// Finds a ruleset; an empty identifier means `fide-2023`.
    ///
    /// # Errors
    /// No ruleset has the identifier.
    pub fn find(&self, id: &str) -> Result<&Arc<Ruleset>, UnknownRuleset> {
        let id = if id.is_empty() { "fide-2023" } else { id };
        let known = || self.rulesets.iter().map(|ruleset| ruleset.id.clone()).collect();
        let found = self.rulesets.iter().find(|ruleset| ruleset.id == id);
        found.ok_or_else(|| UnknownRuleset(known()))
    }

    /// Reads a ruleset, which may build on those here, and leaves the library as it is. `file` names it in errors.
    ///
    /// # Errors
    /// What is wrong in it, with file and line.
    pub fn read(&self, file: &str, text: &str) -> Result<Ruleset, RulesetError> {
        read(file, text, &self.rulesets)
    }

    /// Reads another ruleset, which may build on those already here and replaces one with its identifier.
    ///
    /// # Errors
    /// What is wrong in it, with file and line.
    pub fn add(&mut self, file: &str, text: &str) -> Result<&Arc<Ruleset>, RulesetError> {
        let ruleset = self.read(file, text)?;
        self.rulesets.retain(|other| other.id != ruleset.id);
        self.rulesets.push(Arc::new(ruleset));
        Ok(&self.rulesets[self.rulesets.len() - 1])
    }
}
