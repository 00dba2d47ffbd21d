//! The articles that a report rests on, each with its text once.

use tabiya_client::v1::Citation;

use super::paper::Paper;
use crate::adjudicate::Lang;

/// Articles in the order in which they were first cited.
#[derive(Debug, Default)]
pub(super) struct Cited<'a>(Vec<&'a Citation>);

impl<'a> Cited<'a> {
    /// Takes note of citations.
    pub(super) fn add(&mut self, citations: impl IntoIterator<Item = &'a Citation>) {
        for citation in citations {
            let is_known = |known: &&&Citation| {
                (&known.ruleset, &known.article) == (&citation.ruleset, &citation.article)
            };
            if self.0.iter().find(is_known).is_none() {
                self.0.push(citation);
            }
        }
    }

    /// Writes them, with their rulesets where there are several.
    pub(super) fn write(&self, paper: &mut Paper, lang: Lang) {
        let Some(first) = self.0.first() else { return };
        let several = self.0.iter().any(|citation| citation.ruleset != first.ruleset);
        paper.heading(lang.pick("Articles", "条款"));
        let lead = |citation: &Citation| match several {
            true => format!("{} {}", citation.ruleset, citation.article),
            false => citation.article.clone(),
        };
        let leads: Vec<_> = self.0.iter().map(|citation| lead(citation)).collect();
        let indent = 4 + leads
            .iter()
            .map(|lead| Paper::width(lead))
            .max()
            .unwrap_or_default();
        for (citation, lead) in self.0.iter().zip(leads) {
            let (first, second) = lang.pick(
                (&citation.text_en, &citation.text_zh),
                (&citation.text_zh, &citation.text_en),
            );
            let text = if first.is_empty() { second } else { first };
            paper.hang(&format!("  {lead}"), indent, text);
        }
    }
}
