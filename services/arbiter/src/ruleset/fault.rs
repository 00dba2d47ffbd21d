//! Why a ruleset file is refused.

use super::SwitchError;

/// Why a ruleset file is refused.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{file}:{line}: {reason}")]
pub struct RulesetError {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub reason: RulesetReason,
}

/// What is wrong in a ruleset file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RulesetReason {
    /// It is not TOML.
    #[error("{0}")]
    Syntax(String),
    /// A key that rulesets do not have.
    #[error("unknown key `{0}`")]
    UnknownKey(String),
    /// A key that is missing.
    #[error("`{0}` is missing")]
    Missing(&'static str),
    /// A value of the wrong type.
    #[error("`{key}` is not {expected}")]
    WrongType {
        /// The key.
        key: String,
        /// What it should be.
        expected: &'static str,
    },
    /// A text that is longer than its kind may be, or empty where it must not be.
    #[error("`{key}` has {len} bytes, not 1 to {max}")]
    Length {
        /// The key.
        key: String,
        /// Its length in bytes.
        len: usize,
        /// The most.
        max: usize,
    },
    /// A text with a character that writes nothing, such as an escape.
    #[error("`{0}` has a control character")]
    Control(String),
    /// A switch that cannot be set.
    #[error("switch `{name}`, value `{value}`: {error}")]
    Switch {
        /// The switch.
        name: String,
        /// The value.
        value: String,
        /// Why.
        error: SwitchError,
    },
    /// A base that was not read before.
    #[error("base `{0}` is not known")]
    UnknownBase(String),
    /// A rule that rests on an article that the file does not have.
    #[error("rule `{rule}` rests on article `{article}`, which is missing")]
    MissingArticle {
        /// The rule.
        rule: String,
        /// The article.
        article: String,
    },
    /// A rule that the switches call for and no article states.
    #[error("the switches call for the rule `{0}`, and no article states it")]
    Uncited(&'static str),
}
