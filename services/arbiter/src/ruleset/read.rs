//! Reads a ruleset file and refuses what is wrong in it, with the line.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    sync::Arc,
};

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{
    ArticleText, Articles, NO_SOURCE, Rule, Ruleset, RulesetError, RulesetReason, SOURCE, SwitchError,
    Switches,
};

/// Greatest length of a value that an error quotes, in bytes.
const MAX_VALUE_BYTES: usize = 64;

/// Greatest length of identifiers, versions and article numbers, in bytes.
const MAX_NAME_BYTES: usize = 64;

/// Greatest length of titles and of the text of an article, in bytes: an answer may repeat them hundreds of times.
const MAX_TEXT_BYTES: usize = 1024;

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

    /// Sets a table of switches by `set`, those first that decide others by `first`, and returns what it held.
    fn switches(
        &self,
        table: &DeTable<'_>,
        first: impl Fn(&str) -> bool,
        mut set: impl FnMut(&str, &str) -> Result<(), SwitchError>,
    ) -> Result<Vec<(String, String)>, RulesetError> {
        let mut held = Vec::new();
        let mut entries: Vec<_> = table.iter().collect();
        entries.sort_by_key(|(key, _)| !first(key.get_ref()));
        for (key, value) in entries {
            let name = key.get_ref().to_string();
            let text = match value.get_ref() {
                DeValue::String(text) => text.to_string(),
                DeValue::Boolean(flag) => flag.to_string(),
                DeValue::Integer(number) if number.radix() == 10 => number.as_str().to_owned(),
                _ => return Err(self.wrong_type(&name, value, "a number, a string, true or false")),
            };
            set(&name, &text).map_err(|error| {
                let span = if error == SwitchError::Unknown {
                    key.span()
                } else {
                    value.span()
                };
                let (name, value) = (cut(&name), cut(&text));
                self.error(span, RulesetReason::Switch { name, value, error })
            })?;
            held.push((name, text));
        }
        Ok(held)
    }

    /// Reads what follows from the values of switches that decide others.
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
                let set = self.table("choices", set)?;
                let set = self.switches(set, |_| false, |name, text| trial.set(name, text))?;
                ruleset.choices.insert((name, word), set);
            }
        }
        Ok(())
    }

    /// Sets the switches of a file, with what follows from them, and refuses those that cannot be together.
    fn set_switches(&self, value: &Spanned<DeValue<'_>>, ruleset: &mut Ruleset) -> Result<(), RulesetError> {
        let table = self.table("switches", value)?;
        let decides: BTreeSet<String> = ruleset.choices.keys().map(|(name, _)| name.clone()).collect();
        self.switches(
            table,
            |name| decides.contains(name),
            |name, text| ruleset.set(name, text),
        )?;
        let Err((names, error)) = ruleset.switches.check() else {
            return Ok(());
        };
        let place = |name: &str| {
            let set = table.iter().find(|(key, _)| key.get_ref().as_ref() == name);
            set.map(|(_, value)| (name.to_owned(), value.span()))
        };
        let set = names.into_iter().find_map(place);
        let (name, span) = set.unwrap_or_else(|| (names[0].to_owned(), value.span()));
        let text = ruleset.switches.value(&name);
        let value = cut(&text);
        Err(self.error(span, RulesetReason::Switch { name, value, error }))
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
        let switches = table.get("switches").map(Spanned::get_ref);
        let source = switches.and_then(|switches| switches.get(SOURCE));
        if source.and_then(|source| source.get_ref().as_str()) == Some(NO_SOURCE) {
            // What the sources of the base differ on is nothing here.
            ruleset.choices.retain(|(name, _), _| name != SOURCE);
            ruleset.switches.popular_source = NO_SOURCE.to_owned();
        }
    }
    let (mut id, mut version, mut en, mut zh) = (None, None, None, None);
    for (key, value) in table {
        match key.get_ref().as_ref() {
            "base" => {}
            "id" => id = Some(reader.line("id", value, MAX_NAME_BYTES)?),
            "version" => version = Some(reader.line("version", value, MAX_NAME_BYTES)?),
            "title_en" => en = Some(reader.line("title_en", value, MAX_TEXT_BYTES)?),
            "title_zh" => zh = Some(reader.line("title_zh", value, MAX_TEXT_BYTES)?),
            "articles" => reader.articles(reader.table("articles", value)?, &mut ruleset)?,
            // Each after what it refers to, whatever their order in the file.
            "choices" | "switches" | "rules" => {}
            other => return Err(reader.error(key.span(), RulesetReason::UnknownKey(cut(other)))),
        }
    }
    if let Some(value) = table.get("choices") {
        reader.choices(reader.table("choices", value)?, &mut ruleset)?;
    }
    if let Some(value) = table.get("switches") {
        reader.set_switches(value, &mut ruleset)?;
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
mod tests;
