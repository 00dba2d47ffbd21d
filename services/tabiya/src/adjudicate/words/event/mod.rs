//! Events as sentences.

mod chinese;
mod english;

use prost_types::Duration;
use tabiya_client::v1::Event;

use super::clock_text;
use crate::adjudicate::Lang;

/// What happened, as a sentence without full stop.
pub(in crate::adjudicate) fn event(event: &Event, lang: Lang) -> String {
    let Some(kind) = &event.kind else {
        return lang.pick("nothing is said", "未说明事件").to_owned();
    };
    match lang {
        Lang::En => english::english(event.actor(), kind),
        Lang::Zh => chinese::chinese(event.actor(), kind),
    }
}

/// What follows if a fact holds.
fn when(holds: bool, text: &str) -> &str {
    if holds { text } else { "" }
}

fn time(value: Option<Duration>) -> String {
    value.map_or_else(|| "?".to_owned(), clock_text)
}

/// What follows from a fact that may not be known: the text for yes or for no.
fn consented(fact: Option<bool>, texts: [&'static str; 2]) -> &'static str {
    match fact {
        Some(true) => texts[0],
        Some(false) => texts[1],
        None => "",
    }
}

/// The new piece of a promotion that has touched the square.
fn promoted(letter: &str, lang: Lang) -> String {
    match letter {
        "" => String::new(),
        letter => lang.pick(format!(" as {letter}"), format!("变{letter}")),
    }
}
