use super::{Field, said::Words};
use crate::words::Language;

/// Something on which rulesets differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// What.
    pub field: Field,
    /// The event whose ruling it belongs to; `None` if it concerns the whole game.
    pub event: Option<usize>,
    /// The different answers, in the order of the first ruleset that gives each.
    pub sides: Vec<Side>,
}

/// One of several different answers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Side {
    /// The answer, as a name for machines; empty for none.
    pub value: String,
    pub(super) words: Words,
    /// The rulesets that give it, by their places, each with the articles that make the difference: none if it has no
    /// such rule.
    pub rulesets: Vec<(usize, Vec<String>)>,
}

impl Difference {
    /// The difference in one sentence. `name` names a ruleset by its place.
    pub fn sentence(&self, language: Language, name: impl Fn(usize) -> String) -> String {
        let event = match self.event {
            Some(event) => language.pick(format!("event {event}: "), format!("事件{event}：")),
            None => String::new(),
        };
        let field = self.field.words(language);
        let sides: Vec<_> = self
            .sides
            .iter()
            .map(|side| side.clause(language, &name))
            .collect();
        let colon = language.pick(": ", "：");
        format!("{event}{field}{colon}{}", sides.join(language.pick(", ", "，")))
    }
}

impl Side {
    /// The answer in words; empty for none.
    pub fn text(&self, language: Language) -> &str {
        self.words.in_language(language)
    }

    /// The answer, and who gives it.
    fn clause(&self, language: Language, name: &impl Fn(usize) -> String) -> String {
        let named = |(place, articles): &(usize, Vec<String>)| match articles.as_slice() {
            [] => name(*place),
            articles => format!("{} {}", name(*place), articles.join(", ")),
        };
        let text = match self.text(language) {
            "" => language.pick("none", "无"),
            text => text,
        };
        let names: Vec<_> = self.rulesets.iter().map(named).collect();
        match language {
            Language::English => format!("{text} ({})", names.join("; ")),
            Language::Chinese => format!("{text}（{}）", names.join("；")),
        }
    }
}
