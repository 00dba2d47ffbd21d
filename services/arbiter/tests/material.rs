//! The handed rows on material, ruled under every ruleset that they speak of.

use std::{env, fs, path::Path};

use tabiya_arbiter::{
    replay::{Event, EventKind, GameResult, GameStatus, Witness, replay},
    ruleset::Library,
};
use tabiya_rules::{Board, Color, Game, Variant};

/// The status before any event, and the result after a side's flag has fallen.
fn ruled(ruleset: &str, fen: &str, flagged: Option<Color>) -> (GameStatus, Option<GameResult>) {
    let ruleset = Library::built_in().unwrap().find(ruleset).unwrap();
    let fallen = |side| EventKind::FlagFall {
        side: Some(side),
        last_period: None,
        witness: Witness::Arbiter,
        confirmed: None,
    };
    let event = |side| Event::new(None, fallen(side));
    let events: Vec<Event> = flagged.map(event).into_iter().collect();
    let game = Game::new(Board::from_fen(fen).unwrap());
    let report = replay(ruleset, &game, Variant::Standard, None, &events);
    (report.status, report.conclusion.and_then(|end| end.result))
}

#[test]
fn handed_rows_on_material_hold_under_every_ruleset() {
    let Some(folder) = env::var_os("TABIYA_CASES") else {
        eprintln!("SKIPPED: TABIYA_CASES is not set");
        return;
    };
    let text = fs::read_to_string(Path::new(&folder).join("material.jsonl")).unwrap();
    let mut wrong = Vec::new();
    let mut rows = 0;
    for line in text.lines() {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let (id, fen) = (row["id"].as_str().unwrap(), row["fen"].as_str().unwrap());
        rows += 1;
        let over = [
            ("fide-2023", "fide_dead"),
            ("cn-classic", "cn_code_10_4_draw"),
            ("popular", "popular_text_draw"),
            ("online-platform", "platform_text_draw"),
        ];
        for (ruleset, field) in over {
            let Some(expected) = row[field].as_bool() else {
                continue;
            };
            if (ruled(ruleset, fen, None).0 == GameStatus::Decided) != expected {
                wrong.push(format!("{id}: {field} is {expected}"));
            }
        }
        for (ruleset, prefix) in [("fide-2023", "fide"), ("cn-classic", "cn_code")] {
            for (side, name) in [(Color::White, "white"), (Color::Black, "black")] {
                let field = format!("{prefix}_if_{name}_flags");
                let Some(expected) = row[&field].as_str() else {
                    continue;
                };
                let draw = expected.starts_with("draw") || expected.starts_with("game already");
                let result = if draw {
                    GameResult::Draw
                } else {
                    GameResult::Wins(!side)
                };
                let given = ruled(ruleset, fen, Some(side)).1;
                if given != Some(result) {
                    wrong.push(format!("{id}: {field} is {expected}, not {given:?}"));
                }
            }
        }
    }
    assert!(rows > 0 && wrong.is_empty(), "{rows} rows, wrong: {wrong:#?}");
}
