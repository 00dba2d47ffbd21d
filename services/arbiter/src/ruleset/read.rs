//! Reads a ruleset file and refuses what is wrong in it, with the line.

use std::{collections::BTreeMap, ops::Range, sync::Arc};

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{ArticleText, Articles, READING, Rule, Ruleset, SwitchError, Switches};

/// The value of the switch on readings in a ruleset that does not choose.
const NO_READING: &str = "none";

/// Greatest length of a value that an error quotes, in bytes.
const MAX_VALUE_BYTES: usize = 64;

/// Greatest length of identifiers, versions and article numbers, in bytes.
const MAX_NAME_BYTES: usize = 64;

/// Greatest length of titles and of the text of an article, in bytes: an answer may repeat them hundreds of times.
const MAX_TEXT_BYTES: usize = 1024;

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

struct Reader<'a> {
    file: &'a str,
    text: &'a str,
}

impl Reader<'_> {
    fn error(&self, span: Range<usize>, reason: RulesetReason) -> RulesetError {
        let before = &self.text.as_bytes()[..span.start.min(self.text.len())];
        RulesetError {
            file: self.file.to_owned(),
            line: 1 + before.iter().filter(|&&byte| byte == b'\n').count(),
            reason,
        }
    }

    fn string(&self, key: &str, value: &Spanned<DeValue<'_>>) -> Result<String, RulesetError> {
        match value.get_ref() {
            DeValue::String(text) => Ok(text.to_string()),
            _ => Err(self.wrong_type(key, value, "a string")),
        }
    }

    /// A string of 1 to `max` bytes.
    fn text(&self, key: &str, value: &Spanned<DeValue<'_>>, max: usize) -> Result<String, RulesetError> {
        let text = self.string(key, value)?;
        if !(1..=max).contains(&text.len()) {
            let (key, len) = (cut(key), text.len());
            return Err(self.error(value.span(), RulesetReason::Length { key, len, max }));
        }
        Ok(text)
    }

    /// A string of 1 to `max` bytes on one line: it stands in names, headings and citations.
    fn line(&self, key: &str, value: &Spanned<DeValue<'_>>, max: usize) -> Result<String, RulesetError> {
        let text = self.text(key, value, max)?;
        if text.contains(char::is_control) {
            return Err(self.error(value.span(), RulesetReason::Control(cut(key))));
        }
        Ok(text)
    }

    /// The text of an article, which may have several lines.
    fn prose(&self, key: &str, value: &Spanned<DeValue<'_>>) -> Result<String, RulesetError> {
        let text = self.text(key, value, MAX_TEXT_BYTES)?;
        if text.contains(|letter: char| letter.is_control() && !matches!(letter, '\n' | '\r' | '\t')) {
            return Err(self.error(value.span(), RulesetReason::Control(cut(key))));
        }
        Ok(text)
    }

    fn table<'t, 'i>(
        &self,
        key: &str,
        value: &'t Spanned<DeValue<'i>>,
    ) -> Result<&'t DeTable<'i>, RulesetError> {
        match value.get_ref() {
            DeValue::Table(table) => Ok(table),
            _ => Err(self.wrong_type(key, value, "a table")),
        }
    }

    fn wrong_type(&self, key: &str, value: &Spanned<DeValue<'_>>, expected: &'static str) -> RulesetError {
        let key = cut(key);
        self.error(value.span(), RulesetReason::WrongType { key, expected })
    }

    /// Sets a table of switches, and returns what it held.
    fn switches(
        &self,
        table: &DeTable<'_>,
        switches: &mut Switches,
    ) -> Result<Vec<(String, String)>, RulesetError> {
        let mut set = Vec::new();
        for (key, value) in table {
            let name = key.get_ref().to_string();
            let text = match value.get_ref() {
                DeValue::String(text) => text.to_string(),
                DeValue::Boolean(flag) => flag.to_string(),
                DeValue::Integer(number) if number.radix() == 10 => number.as_str().to_owned(),
                _ => return Err(self.wrong_type(&name, value, "a number, a string, true or false")),
            };
            switches.set(&name, &text).map_err(|error| {
                let span = if error == SwitchError::Unknown {
                    key.span()
                } else {
                    value.span()
                };
                let (name, value) = (cut(&name), cut(&text));
                self.error(span, RulesetReason::Switch { name, value, error })
            })?;
            set.push((name, text));
        }
        Ok(set)
    }

    /// The switches that follow from the reading that a file chooses among those of its base; its own come after.
    fn reading(&self, table: &DeTable<'_>, ruleset: &mut Ruleset) -> Result<(), RulesetError> {
        let Some(value) = table.get(READING) else {
            return Ok(());
        };
        let word = self.string(READING, value)?;
        if word == NO_READING {
            // The ruleset does not choose.
            ruleset.choices.retain(|(switch, _), _| switch != READING);
            return Ok(());
        }
        ruleset.set(READING, &word).map_err(|error| {
            let (name, value_) = (READING.to_owned(), cut(&word));
            self.error(
                value.span(),
                RulesetReason::Switch {
                    name,
                    value: value_,
                    error,
                },
            )
        })
    }

    /// The switches that follow from a value of another.
    fn choices(&self, table: &DeTable<'_>, ruleset: &mut Ruleset) -> Result<(), RulesetError> {
        for (switch, values) in table {
            for (choice, set) in self.table("choices", values)? {
                let (name, word) = (switch.get_ref().to_string(), choice.get_ref().to_string());
                let mut trial = ruleset.switches.clone();
                trial.set(&name, &word).map_err(|error| {
                    let unknown = error == SwitchError::Unknown;
                    let span = if unknown { switch.span() } else { choice.span() };
                    let (name, value) = (cut(&name), cut(&word));
                    self.error(span, RulesetReason::Switch { name, value, error })
                })?;
                let set = self.switches(self.table("choices", set)?, &mut trial)?;
                ruleset.choices.insert((name, word), set);
            }
        }
        Ok(())
    }

    fn articles(&self, table: &DeTable<'_>, ruleset: &mut Ruleset) -> Result<(), RulesetError> {
        // The file's order is that of the laws.
        let mut entries: Vec<_> = table.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        for (key, value) in entries {
            let number = key.get_ref().to_string();
            if !(1..=MAX_NAME_BYTES).contains(&number.len()) {
                let (key, len, max) = (cut(&number), number.len(), MAX_NAME_BYTES);
                return Err(self.error(value.span(), RulesetReason::Length { key, len, max }));
            }
            if number.contains(char::is_control) {
                let key = number.escape_debug().to_string();
                return Err(self.error(value.span(), RulesetReason::Control(cut(&key))));
            }
            let (mut en, mut zh) = (None, None);
            for (language, text) in self.table(&number, value)? {
                match language.get_ref().as_ref() {
                    "en" => en = Some(self.prose("en", text)?),
                    "zh" => zh = Some(self.prose("zh", text)?),
                    other => return Err(self.error(language.span(), RulesetReason::UnknownKey(cut(other)))),
                }
            }
            for (language, text) in [("en", &en), ("zh", &zh)] {
                if text.as_ref().is_some_and(|text| text.trim().is_empty()) {
                    return Err(self.error(key.span(), RulesetReason::Missing(language)));
                }
            }
            let en = en.ok_or_else(|| self.error(key.span(), RulesetReason::Missing("en")))?;
            let zh = zh.ok_or_else(|| self.error(key.span(), RulesetReason::Missing("zh")))?;
            ruleset.articles.insert(number, ArticleText { en, zh });
        }
        Ok(())
    }

    fn rules(&self, table: &DeTable<'_>, ruleset: &mut Ruleset) -> Result<(), RulesetError> {
        for (key, value) in table {
            let name = key.get_ref();
            let rule = Rule::from_name(name)
                .ok_or_else(|| self.error(key.span(), RulesetReason::UnknownKey(cut(name))))?;
            let DeValue::Array(numbers) = value.get_ref() else {
                return Err(self.wrong_type(name, value, "a list of articles"));
            };
            let mut articles = Vec::new();
            for number in numbers {
                let article = self.string(name, number)?;
                if !ruleset.articles.contains_key(&article) {
                    let (rule, article) = (name.to_string(), cut(&article));
                    return Err(self.error(number.span(), RulesetReason::MissingArticle { rule, article }));
                }
                articles.push(article);
            }
            if articles.is_empty() {
                return Err(self.wrong_type(name, value, "a list of articles"));
            }
            ruleset.rules.insert(rule, articles);
        }
        Ok(())
    }
}

fn cut(text: &str) -> String {
    text[..text.floor_char_boundary(MAX_VALUE_BYTES)].to_owned()
}

/// Reads a ruleset. `known` are rulesets that it may build on; `file` names it in errors.
///
/// # Errors
/// The first thing that is wrong, with its line.
pub(super) fn read(file: &str, text: &str, known: &[Arc<Ruleset>]) -> Result<Ruleset, RulesetError> {
    let reader = Reader { file, text };
    let document = DeTable::parse(text).map_err(|error| {
        let reason = RulesetReason::Syntax(error.message().to_owned());
        reader.error(error.span().unwrap_or(0..0), reason)
    })?;
    let table = document.get_ref();
    let mut ruleset = Ruleset {
        id: String::new(),
        version: String::new(),
        title_en: String::new(),
        title_zh: String::new(),
        switches: Switches::default(),
        articles: Articles::default(),
        rules: BTreeMap::new(),
        choices: BTreeMap::new(),
    };
    if let Some(value) = table.get("base") {
        let base = reader.string("base", value)?;
        let found = known.iter().find(|ruleset| ruleset.id == base);
        let unknown = || reader.error(value.span(), RulesetReason::UnknownBase(cut(&base)));
        ruleset = found.map(|base| Ruleset::clone(base)).ok_or_else(unknown)?;
    }
    // Before the switches, whatever their order in the file.
    if let Some(value) = table.get("choices") {
        reader.choices(reader.table("choices", value)?, &mut ruleset)?;
    }
    let (mut id, mut version, mut en, mut zh) = (None, None, None, None);
    for (key, value) in table {
        match key.get_ref().as_ref() {
            "base" => {}
            "id" => id = Some(reader.line("id", value, MAX_NAME_BYTES)?),
            "version" => version = Some(reader.line("version", value, MAX_NAME_BYTES)?),
            "title_en" => en = Some(reader.line("title_en", value, MAX_TEXT_BYTES)?),
            "title_zh" => zh = Some(reader.line("title_zh", value, MAX_TEXT_BYTES)?),
            "switches" => {
                let set = reader.table("switches", value)?;
                if table.contains_key("base") {
                    reader.reading(set, &mut ruleset)?;
                }
                reader.switches(set, &mut ruleset.switches)?;
            }
            "articles" => reader.articles(reader.table("articles", value)?, &mut ruleset)?,
            "choices" => {}
            // After the articles, whatever their order in the file.
            "rules" => {}
            other => return Err(reader.error(key.span(), RulesetReason::UnknownKey(cut(other)))),
        }
    }
    if let Some(value) = table.get("rules") {
        reader.rules(reader.table("rules", value)?, &mut ruleset)?;
    }
    let missing = |name| reader.error(0..0, RulesetReason::Missing(name));
    ruleset.id = id.ok_or_else(|| missing("id"))?;
    ruleset.version = version.ok_or_else(|| missing("version"))?;
    ruleset.title_en = en.ok_or_else(|| missing("title_en"))?;
    ruleset.title_zh = zh.ok_or_else(|| missing("title_zh"))?;
    if let Some(rule) = ruleset.uncited().first() {
        let span = table.get("rules").map_or(0..0, Spanned::span);
        return Err(reader.error(span, RulesetReason::Uncited(rule.name())));
    }
    Ok(ruleset)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = include_str!("../../rulesets/online-platform.toml");

    fn refused(text: &str) -> String {
        read("house.toml", text, &[]).unwrap_err().to_string()
    }

    #[test]
    fn what_is_wrong_is_refused_with_file_and_line() {
        let line_of = |part: &str| 1 + SMALL[..SMALL.find(part).unwrap()].matches('\n').count();
        let switch = line_of("offer_limit = 3");
        let cases = [
            (
                "offer_limit = 3",
                "offer_limits = 3",
                switch,
                "switch `offer_limits`",
            ),
            ("offer_limit = 3", "offer_limit = 501", switch, "not in 0..=500"),
            (
                "offer_limit = 3",
                "offer_limit = true",
                switch,
                "not a whole number",
            ),
            (
                "touch_move = false",
                "touch_move = 2.5",
                line_of("touch_move"),
                "is not a number",
            ),
            (
                "[articles.time]",
                "[articles.tome]",
                line_of("flag_loss ="),
                "article `time`, which is missing",
            ),
            (
                "checks_in_total = [",
                "checks_total = [",
                line_of("checks_in_total = ["),
                "unknown key `checks_total`",
            ),
            (
                "resignation_early = [\"resignation\", \"rounds\"]\n",
                "",
                line_of("[rules]"),
                "`resignation_early`",
            ),
            ("version = \"1\"", "version = 1", 2, "`version` is not a string"),
            ("version = \"1\"", "version = \"\"", 2, "`version` has 0 bytes"),
            ("id = \"online-platform\"", "", 1, "`id` is missing"),
            (
                "id = \"online-platform\"",
                "id = \"on\\u001bline\"",
                1,
                "`id` has a control character",
            ),
            (
                "version = \"1\"",
                "version = \"1\\n\"",
                2,
                "`version` has a control character",
            ),
            (
                "[articles.mate]",
                "[articles.\"ma\\tte\"]",
                line_of("[articles.mate]"),
                "`ma\\tte` has a control character",
            ),
            (
                "en = \"The mated side loses.\"",
                "en = \"The mated\\u0007 side loses.\"",
                line_of("en = \"The mated side loses.\""),
                "`en` has a control character",
            ),
            (
                "version = \"1\"",
                "base = \"fide-1997\"",
                2,
                "base `fide-1997` is not known",
            ),
            ("[switches]", "[switches", line_of("[switches]"), ""),
            ("version = \"1\"", "edition = \"1\"", 2, "unknown key `edition`"),
            (
                "pressed_promotion = \"ask\"",
                "pressed_promotion = \"beg\"",
                line_of("pressed_promotion ="),
                "not one of queen, finish, announce, ask",
            ),
            (
                "[articles.mate]\nen = ",
                "[articles.mate]\nde = ",
                line_of("[articles.mate]") + 1,
                "unknown key `de`",
            ),
            (
                "[articles.mate]\nen = \"The mated side loses.\"\n",
                "[articles.mate]\n",
                line_of("[articles.mate]"),
                "`en` is missing",
            ),
            (
                "[articles.mate]\nen = \"The mated side loses.\"\n",
                "[articles.mate]\nen = \" \"\n",
                line_of("[articles.mate]"),
                "`en` is missing",
            ),
            (
                "mate = [\"mate\"]",
                "mate = []",
                line_of("checkmate ="),
                "not a list of articles",
            ),
            (
                "[rules]\n",
                "[choices.popular_sauce.\"000\"]\noffer_limit = 2\n\n[rules]\n",
                line_of("[rules]"),
                "switch `popular_sauce`",
            ),
            (
                "[rules]\n",
                "[choices.popular_source.\"007\"]\noffer_limit = 2\n\n[rules]\n",
                line_of("[rules]"),
                "not one of none, 000, 001",
            ),
            (
                "[rules]\n",
                "[choices.popular_source.\"000\"]\noffer_limit = 502\n\n[rules]\n",
                line_of("[rules]") + 1,
                "not in 0..=500",
            ),
        ];
        assert!(read("house.toml", SMALL, &[]).is_ok());
        for (from, to, line, reason) in cases {
            let told = refused(&SMALL.replacen(from, to, 1));
            assert!(told.starts_with(&format!("house.toml:{line}: ")), "{told}");
            assert!(told.contains(reason), "{told}");
        }
    }
}
