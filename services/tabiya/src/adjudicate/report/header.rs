//! What stands above a ruling: which game it is, and under which conditions it was played.

use tabiya_client::v1::{AdjudicateResponse, Event, Position, TimeControl, batch_adjudicate_request::Game};

use super::{Titles, paper::Paper, ruleset_name, with_note};
use crate::adjudicate::{Lang, item::Item, words};

/// Tags that a report shows, with their labels.
const TAGS: [(&str, [&str; 2]); 10] = [
    ("Event", ["Event", "赛事"]),
    ("Site", ["Site", "地点"]),
    ("Date", ["Date", "日期"]),
    ("Round", ["Round", "轮次"]),
    ("Board", ["Board", "台次"]),
    ("White", ["White", "白方"]),
    ("Black", ["Black", "黑方"]),
    ("Result", ["Recorded", "记录结果"]),
    ("Termination", ["Ending", "记录终局"]),
    ("TimeControl", ["Time tag", "时限标签"]),
];

/// Title and tags.
pub(super) fn game(paper: &mut Paper, item: &Item, lang: Lang) {
    let place = &item.place;
    let file = if &*place.file == "-" {
        lang.pick("standard input", "标准输入")
    } else {
        &*place.file
    };
    paper.title(&lang.pick(
        format!("Game {}: {file}, line {}", place.number, place.line),
        format!("第 {} 局：{file}，第 {} 行", place.number, place.line),
    ));
    paper.pair(lang.pick("Name", "名称"), &item.request.id);
    for (name, [english, chinese]) in TAGS {
        let value = item.tags.get(name).unwrap_or_default();
        if !matches!(value, "" | "?" | "-" | "????.??.??") {
            paper.pair(lang.pick(english, chinese), value);
        }
    }
}

/// The ruleset and what was changed in it.
pub(super) fn ruleset(paper: &mut Paper, titles: &Titles, response: &AdjudicateResponse, lang: Lang) {
    let title = titles.get(&response.ruleset, lang);
    paper.pair(
        lang.pick("Ruleset", "规则"),
        &with_note(&ruleset_name(response, lang), title, lang),
    );
    let switches: Vec<_> = response
        .overridden
        .iter()
        .map(|switch| format!("{} = {}", switch.name, switch.value))
        .collect();
    paper.pair(
        lang.pick("Changed", "改动开关"),
        &switches.join(lang.pick(", ", "，")),
    );
}

/// Time control, start and length of the game.
pub(super) fn conditions(paper: &mut Paper, item: &Item, response: &AdjudicateResponse, lang: Lang) {
    if let Some(control) = control(item, response) {
        paper.pair(lang.pick("Time", "时限"), &words::control(control, lang));
    }
    let position = position(item, response);
    let start = position.map(|position| position.fen.as_str()).unwrap_or_default();
    paper.pair(lang.pick("Start", "起始局面"), start);
    let plies = position.map_or(0, |position| position.moves.len());
    let plies = response
        .recorded
        .as_ref()
        .map_or(plies, |recorded| recorded.plies as usize);
    if plies > 0 {
        let unit = if plies == 1 { "ply" } else { "plies" };
        let text = lang.pick(format!("{plies} {unit}"), format!("{plies} 着"));
        paper.pair(lang.pick("Moves", "着数"), &text);
    }
}

fn control<'a>(item: &'a Item, response: &'a AdjudicateResponse) -> Option<&'a TimeControl> {
    let recorded = || response.recorded.as_ref()?.time_control.as_ref();
    item.request.time_control.as_ref().or_else(recorded)
}

fn position<'a>(item: &'a Item, response: &'a AdjudicateResponse) -> Option<&'a Position> {
    match &item.request.game {
        Some(Game::Position(position)) => Some(position),
        _ => response.recorded.as_ref()?.position.as_ref(),
    }
}

/// The events that the rulings answer.
pub(super) fn events<'a>(item: &'a Item, response: &'a AdjudicateResponse) -> &'a [Event] {
    match &response.recorded {
        Some(recorded) if item.request.events.is_empty() => &recorded.events,
        _ => &item.request.events,
    }
}
