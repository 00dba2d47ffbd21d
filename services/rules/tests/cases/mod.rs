//! The handed case files, where the environment variable `TABIYA_CASES` names their folder.

#![allow(dead_code)]

use std::path::PathBuf;

use serde_json::Value;

/// The folder, or a loud word that the test is skipped.
pub(crate) fn folder(test: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("TABIYA_CASES").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("SKIPPED: {test}: TABIYA_CASES names no folder of case files");
    }
    folder
}

/// The rows of a file of the folder; `None` where the folder is not named.
pub(crate) fn rows(test: &str, file: &str) -> Option<Vec<Value>> {
    let path = folder(test)?.join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Some(
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect(),
    )
}

/// A text of a row.
pub(crate) fn text<'a>(row: &'a Value, name: &str) -> &'a str {
    row[name]
        .as_str()
        .unwrap_or_else(|| panic!("{}: no text {name}", row["id"]))
}

/// A list of texts of a row.
pub(crate) fn texts<'a>(row: &'a Value, name: &str) -> Vec<&'a str> {
    row[name]
        .as_array()
        .unwrap()
        .iter()
        .map(|value| value.as_str().unwrap())
        .collect()
}
