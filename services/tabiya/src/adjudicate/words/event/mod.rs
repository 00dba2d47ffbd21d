//! Events as sentences.

mod chinese;
mod decision;
mod english;
mod faults_chinese;
mod faults_english;

use prost_types::Duration;
use tabiya_client::v1::Event;

use super::clock_text;
use crate::adjudicate::Lang;

/// What happened, as a sentence without full stop.
pub(in crate::adjudicate) fn event(event: &Event, lang: Lang) -> String {
    let said = match (&event.kind, lang) {
        (None, _) => lang.pick("nothing is said", "未说明事件").to_owned(),
        (Some(kind), Lang::En) => english::kind(event.actor(), kind),
        (Some(kind), Lang::Zh) => chinese::kind(event.actor(), kind),
    };
    let Some(reading) = &event.reading else {
        return said;
    };
    let sides = [
        (lang.pick("White", "白方"), reading.white),
        (lang.pick("Black", "黑方"), reading.black),
    ];
    let shown: Vec<_> = sides
        .into_iter()
        .filter_map(|(side, time)| Some(format!("{side} {}", clock_text(time?))))
        .collect();
    match lang {
        Lang::En => format!("{said} [clocks: {}]", shown.join(", ")),
        Lang::Zh => format!("{said}［棋钟：{}］", shown.join("，")),
    }
}

/// What follows if a fact holds.
fn when(holds: bool, text: &str) -> &str {
    if holds { text } else { "" }
}

/// What follows if a fact is known to hold, or not to hold.
fn known<'a>(fact: Option<bool>, yes: &'a str, no: &'a str) -> &'a str {
    match fact {
        Some(true) => yes,
        Some(false) => no,
        None => "",
    }
}

/// A time, with a word for one that nobody reported.
fn time(value: Option<Duration>, unknown: &str) -> String {
    value.map_or_else(|| unknown.to_owned(), clock_text)
}

/// A time that is not nothing.
fn some_time(value: Option<Duration>) -> Option<String> {
    let time = value.filter(|time| time.seconds != 0 || time.nanos != 0)?;
    Some(clock_text(time))
}
