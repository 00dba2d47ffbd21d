//! Answers as names for machines, and in words.

use tabiya_rules::{Move, Variant, uci};

use crate::{
    replay::{Effect, GameStatus, MissingFact, Reason, Ruling},
    words::{self, Language},
};

/// An answer.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Said {
    /// As a name for machines; empty for none.
    pub(super) value: String,
    pub(super) words: Words,
}

/// The same in words, English and Chinese.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Words {
    en: String,
    zh: String,
}

impl Words {
    pub(super) fn new(en: impl Into<String>, zh: impl Into<String>) -> Self {
        let (en, zh) = (en.into(), zh.into());
        Self { en, zh }
    }

    pub(super) fn in_language(&self, language: Language) -> &str {
        language.pick(&self.en, &self.zh)
    }
}

impl Said {
    fn new(value: impl Into<String>, en: impl Into<String>, zh: impl Into<String>) -> Self {
        Self {
            value: value.into(),
            words: Words::new(en, zh),
        }
    }

    /// What is its own name in English.
    pub(super) fn named(en: impl Into<String>, zh: impl Into<String>) -> Self {
        let en = en.into();
        Self::new(en.clone(), en, zh)
    }

    /// What is written alike in every language.
    pub(super) fn plain(text: impl Into<String>) -> Self {
        let text = text.into();
        Self::named(text.clone(), text)
    }

    pub(super) fn number(number: Option<usize>) -> Self {
        Self::plain(number.map(|number| number.to_string()).unwrap_or_default())
    }

    pub(super) fn status(status: GameStatus) -> Self {
        match status {
            GameStatus::Ongoing => Self::new("ONGOING", "the game goes on", "对局继续"),
            GameStatus::Decided => Self::new("DECIDED", "there is a result", "已有结果"),
            GameStatus::Void => Self::new("VOID", "the game does not count", "对局作废"),
            GameStatus::Suspended => Self::new("SUSPENDED", "play is suspended", "对局暂停"),
        }
    }

    pub(super) fn reason(reason: Reason) -> Self {
        Self::new(reason.name(), reason.en(), reason.zh())
    }

    /// Whether an event is accepted, and why.
    pub(super) fn ruling(ruling: &Ruling) -> Self {
        let (en, zh) = match ruling.accepted {
            true => ("accepted", "接受"),
            false => ("refused", "不予接受"),
        };
        let reason = ruling.reason;
        Self::new(
            format!("{en}, {}", reason.name()),
            format!("{en}: {}", reason.en()),
            format!("{zh}：{}", reason.zh()),
        )
    }

    pub(super) fn effects<'a>(effects: impl Iterator<Item = &'a Effect>, variant: Variant) -> Self {
        let told = |effect| {
            (
                words::effect(effect, variant, Language::English),
                words::effect(effect, variant, Language::Chinese),
            )
        };
        let (en, zh): (Vec<_>, Vec<_>) = effects.map(told).unzip();
        Self::named(en.join("; "), zh.join("；"))
    }

    pub(super) fn moves(moves: &[Move], variant: Variant) -> Self {
        let write = |&mv| uci::write(mv, variant).to_string();
        Self::plain(moves.iter().map(write).collect::<Vec<_>>().join(" "))
    }

    pub(super) fn missing_facts(missing: &[MissingFact]) -> Self {
        let all = |one: &dyn Fn(&MissingFact) -> String, separator| {
            missing.iter().map(one).collect::<Vec<_>>().join(separator)
        };
        let told = |missing: &MissingFact, language: Language| {
            let fact = words::fact(missing.fact, language);
            match missing.event {
                None => fact.to_owned(),
                Some(event) => {
                    language.pick(format!("event {event}: {fact}"), format!("事件{event}：{fact}"))
                }
            }
        };
        let named = |missing: &MissingFact| match missing.event {
            None => missing.fact.to_owned(),
            Some(event) => format!("{event} {}", missing.fact),
        };
        Self::new(
            all(&named, "; "),
            all(&|one| told(one, Language::English), "; "),
            all(&|one| told(one, Language::Chinese), "；"),
        )
    }
}
