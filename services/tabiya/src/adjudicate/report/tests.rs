//! Reports as they were last read and found good. `UPDATE_SNAPSHOTS=1` writes them anew, to be read again.
//!
//! `snapshots/NAME.jsonl` holds games; `NAME.en.jsonl` and `NAME.zh.jsonl` hold what the service once answered in each
//! language, so that these tests speak of the report alone, and not of rulings.

use std::{collections::BTreeSet, fs, path::PathBuf};

use tabiya_client::v1::{
    AdjudicateResponse, BatchAdjudicateRequest, CompareRulingsResponse, RulesetSummary, event::Kind,
};

use super::*;
use crate::adjudicate::{item::Place, mapping};

fn path(name: &str) -> PathBuf {
    PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/src/adjudicate/report/snapshots"
    ))
    .join(name)
}

fn lines(name: &str) -> Vec<String> {
    let text = fs::read_to_string(path(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    text.lines().map(str::to_owned).collect()
}

fn titles() -> Titles {
    let mut titles = Titles::default();
    titles.add(RulesetSummary {
        id: "fide-2023".to_owned(),
        version: "1".to_owned(),
        title_en: "FIDE Laws".to_owned(),
        title_zh: "国际棋联规则".to_owned(),
    });
    titles
}

fn items(name: &str, lang: Lang) -> Vec<Item> {
    let read = |(index, line): (usize, &String)| {
        let mut request: BatchAdjudicateRequest = mapping::read("BatchAdjudicateRequest", line).unwrap();
        request.set_language(lang.into());
        let place = Place {
            file: format!("{name}.jsonl").into(),
            number: index as u64 + 1,
            line: index as u64 + 1,
        };
        Item::events(place, request)
    };
    lines(&format!("{name}.jsonl"))
        .iter()
        .enumerate()
        .map(read)
        .collect()
}

/// The reports on all games of a snapshot.
fn reports(name: &str, lang: Lang, report: impl Fn(&Item, &str, &mut Vec<u8>)) -> String {
    let answers = lines(&format!("{name}.{}.jsonl", lang.pick("en", "zh")));
    let items = items(name, lang);
    assert_eq!(items.len(), answers.len());
    let mut text = Vec::new();
    for (item, answer) in items.iter().zip(&answers) {
        report(item, answer, &mut text);
    }
    String::from_utf8(text).unwrap()
}

fn compare(name: &str, report: impl Fn(&Item, &str, &mut Vec<u8>)) {
    for lang in [Lang::En, Lang::Zh] {
        let now = reports(name, lang, &report);
        let file = path(&format!("{name}.{}.txt", lang.pick("en", "zh")));
        if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
            fs::write(&file, &now).unwrap();
        }
        let then = fs::read_to_string(&file).unwrap();
        for (then, now) in then.lines().zip(now.lines()) {
            assert_eq!(then, now, "{}; UPDATE_SNAPSHOTS=1 writes it anew", file.display());
        }
        assert_eq!(then.len(), now.len(), "{}", file.display());
    }
}

fn ruling(item: &Item, answer: &str, text: &mut Vec<u8>) {
    let response: AdjudicateResponse = mapping::read("AdjudicateResponse", answer).unwrap();
    write(&titles(), item, Answer::One(&response), text);
}

fn comparison(item: &Item, answer: &str, text: &mut Vec<u8>) {
    let response: CompareRulingsResponse = mapping::read("CompareRulingsResponse", answer).unwrap();
    write(&titles(), item, Answer::Several(&response), text);
}

#[test]
fn rulings_on_events() {
    compare("events", ruling);
}

#[test]
fn records_that_contradict_the_rules() {
    compare("records", ruling);
}

#[test]
fn one_game_under_several_rulesets() {
    compare("comparisons", comparison);
}

#[test]
fn every_kind_of_event_is_among_them() {
    let shown: BTreeSet<_> = items("events", Lang::En)
        .iter()
        .flat_map(|item| &item.request.events)
        .filter_map(|event| event.kind.as_ref())
        .map(std::mem::discriminant::<Kind>)
        .map(|kind| format!("{kind:?}"))
        .collect();
    let known = mapping::oneof_fields("Event", "kind");
    assert_eq!(shown.len(), known.len(), "{known:?}");
}
