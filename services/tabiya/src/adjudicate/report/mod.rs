//! The report that a tournament office reads and files.

mod cited;
mod comparison;
mod game;
mod header;
mod paper;
mod steps;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use tabiya_client::v1::{AdjudicateResponse, Citation, RulesetSummary};

use super::{Lang, item::Item, row::Answer};
use paper::Paper;

/// Titles of rulesets by their identifiers, in both languages.
#[derive(Clone, Debug, Default)]
pub(super) struct Titles(HashMap<String, [String; 2]>);

impl Titles {
    /// Takes the title of a ruleset.
    pub(super) fn add(&mut self, summary: RulesetSummary) {
        self.0.insert(summary.id, [summary.title_en, summary.title_zh]);
    }

    fn get(&self, id: &str, lang: Lang) -> &str {
        self.0
            .get(id)
            .map_or("", |[english, chinese]| lang.pick(english, chinese))
    }
}

/// Writes the report on a game.
pub(super) fn write(titles: &Titles, item: &Item, answer: Answer<'_>, text: &mut Vec<u8>) {
    let lang = item.lang();
    let mut paper = Paper::default();
    match answer {
        Answer::One(response) => game::write(&mut paper, titles, item, response, lang),
        Answer::Several(comparison) => comparison::write(&mut paper, titles, item, comparison, lang),
    }
    text.extend_from_slice(paper.text().as_bytes());
}

/// The name of a ruleset with its version.
fn ruleset_name(response: &AdjudicateResponse, lang: Lang) -> String {
    let id = &response.ruleset;
    match response.ruleset_version.as_str() {
        "" => id.clone(),
        version => lang.pick(
            format!("{id}, version {version}"),
            format!("{id}，第 {version} 版"),
        ),
    }
}

/// Numbers of articles: `Art. 6.9, 5.2.2`; empty if there is none.
fn articles(citations: &[Citation], lang: Lang) -> String {
    let numbers: Vec<_> = citations
        .iter()
        .map(|citation| citation.article.as_str())
        .collect();
    if numbers.is_empty() {
        return String::new();
    }
    lang.pick(
        // Words and number stay on one line.
        format!("Art.\u{a0}{}", numbers.join(", ")),
        format!("条款\u{a0}{}", numbers.join("、")),
    )
}

/// A text and something in brackets behind it, if there is anything.
fn with_note(text: &str, note: &str, lang: Lang) -> String {
    match note {
        "" => text.to_owned(),
        note => lang.pick(format!("{text} ({note})"), format!("{text}（{note}）")),
    }
}
