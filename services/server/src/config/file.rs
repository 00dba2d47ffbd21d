//! A configuration file: TOML, a line for each setting.

use std::path::Path;

use tabiya_api::error::excerpt;
use toml::de::{DeTable, DeValue};

use super::{
    ConfigFault, Setting, Source,
    layers::{Given, unknown},
};

/// Reads a file's settings.
///
/// # Errors
/// With the line of each fault, if it cannot be read or is no TOML; keys that nobody knows and values of a wrong kind.
pub(super) fn read(path: &Path) -> Result<Vec<Given>, Vec<ConfigFault>> {
    match std::fs::read_to_string(path) {
        Ok(text) => parse(path, &text),
        Err(error) => Err(vec![ConfigFault {
            key: String::new(),
            reason: format!("{}: {error}", path.display()),
            source: Source::Program,
        }]),
    }
}

fn parse(path: &Path, text: &str) -> Result<Vec<Given>, Vec<ConfigFault>> {
    let line = |at: usize| {
        let before = text.as_bytes().get(..at).unwrap_or(text.as_bytes());
        1 + before.iter().filter(|byte| **byte == b'\n').count()
    };
    let source = |at| Source::File(path.to_owned(), line(at));
    let table = DeTable::parse(text).map_err(|error| {
        // The message, not the excerpt that it comes with: that could show a secret.
        vec![ConfigFault {
            key: String::new(),
            reason: error.message().to_owned(),
            source: source(error.span().map_or(0, |span| span.start)),
        }]
    })?;
    let (mut given, mut faults) = (Vec::new(), Vec::new());
    for (name, value) in table.get_ref() {
        let key = name.get_ref().as_ref();
        let source = source(name.span().start);
        let Some(setting) = Setting::named(key) else {
            faults.push(unknown(key, source));
            continue;
        };
        match texts(value.get_ref()) {
            Ok(texts) => given.push(Given {
                setting,
                texts,
                source,
            }),
            Err(kind) => faults.push(ConfigFault {
                key: key.to_owned(),
                reason: format!("{key} cannot be {kind}"),
                source,
            }),
        }
    }
    if faults.is_empty() { Ok(given) } else { Err(faults) }
}

/// A value as text; several for a list.
fn texts(value: &DeValue<'_>) -> Result<Vec<String>, &'static str> {
    if let DeValue::Array(values) = value {
        return values.iter().map(|value| text(value.get_ref())).collect();
    }
    Ok(vec![text(value)?])
}

fn text(value: &DeValue<'_>) -> Result<String, &'static str> {
    match value {
        DeValue::String(text) => Ok(text.clone().into_owned()),
        DeValue::Integer(number) if number.radix() == 10 => Ok(number.as_str().to_owned()),
        DeValue::Integer(_) => Err("a number of another base than ten"),
        DeValue::Boolean(value) => Ok(value.to_string()),
        DeValue::Float(number) => Ok(number.as_str().to_owned()),
        DeValue::Datetime(_) => Err("a date"),
        DeValue::Array(_) => Err("a list in a list"),
        DeValue::Table(_) => Err("a table"),
    }
}

/// What a text is called in a complaint about a setting.
pub(super) fn quoted(setting: &Setting, texts: &[String]) -> String {
    if setting.is_secret {
        return super::HIDDEN.to_owned();
    }
    format!("`{}`", excerpt(&texts.join(",")))
}
