//! The numbered list of events, with rulings where there are any.

use tabiya_client::v1::{Event, Ruling};

use super::{articles, paper::Paper, with_note};
use crate::adjudicate::{Lang, words};

/// Writes events in order, each with its ruling if `rulings` has one.
pub(super) fn write(paper: &mut Paper, events: &[Event], rulings: &[Ruling], lang: Lang) {
    if events.is_empty() {
        return;
    }
    paper.heading(lang.pick("Events", "事件"));
    let times: Vec<_> = events
        .iter()
        .map(|event| event.at.map(words::clock_text).unwrap_or_default())
        .collect();
    let longest = times.iter().map(String::len).max().unwrap_or_default();
    let indent = if longest == 0 { 6 } else { 8 + longest };
    for (index, (event, time)) in events.iter().zip(&times).enumerate() {
        let lead = format!("{:>4}. {time:>longest$}", index + 1);
        paper.hang(lead.trim_end(), indent, &words::event(event, lang));
        if let Some(ruling) = rulings.iter().find(|ruling| ruling.event as usize == index) {
            write_ruling(paper, indent, ruling, lang);
        }
    }
}

fn write_ruling(paper: &mut Paper, indent: usize, ruling: &Ruling, lang: Lang) {
    paper.hang("", indent, &answer(ruling, lang));
    write_effects(paper, indent, ruling, lang);
    for again in &ruling.replayed {
        let event = u64::from(again.event) + 1;
        let lead = lang.pick(format!("event {event} is now "), format!("事件 {event} 现为"));
        paper.hang("", indent, &format!("{lead}{}", answer(again, lang)));
        write_effects(paper, indent, again, lang);
    }
}

/// Whether it is accepted, and why, without the ruleset and articles that a reason ends with.
pub(super) fn short_answer(ruling: &Ruling, ruleset: &str, lang: Lang) -> Option<String> {
    let whole = answer(ruling, lang);
    let end = [format!(" ({ruleset}"), format!("（{ruleset}")]
        .iter()
        .find_map(|begin| whole.rfind(begin.as_str()));
    Some(whole[..end.unwrap_or(whole.len())].to_owned())
}

/// Whether it is accepted, and why.
fn answer(ruling: &Ruling, lang: Lang) -> String {
    let accepted = match (ruling.accepted, lang) {
        (true, Lang::En) => "accepted: ",
        (false, Lang::En) => "not accepted: ",
        (true, Lang::Zh) => "成立：",
        (false, Lang::Zh) => "不成立：",
    };
    format!("{accepted}{}", ruling.reason)
}

fn write_effects(paper: &mut Paper, indent: usize, ruling: &Ruling, lang: Lang) {
    for effect in &ruling.effects {
        let lead = format!("{}->", " ".repeat(indent));
        let text = with_note(&effect.text, &articles(&effect.citations, lang), lang);
        paper.hang(&lead, indent + 3, &text);
    }
}
