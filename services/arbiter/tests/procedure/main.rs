//! What an arbiter decides, one event list a case, by topic.

mod acted_on;
mod after_the_end;
mod case;
mod cited;
mod clocks;
mod conduct;
mod controls;
mod corrections;
mod decisions;
mod draws;
mod edits;
mod ends;
mod events;
mod faults;
mod finer_points;
mod fractions;
mod instants;
mod irregularities;
mod lapsed;
mod left_open;
mod loose_ends;
mod movement;
mod no_board;
mod notation;
mod offers;
mod older_codes;
mod outcomes;
mod periods;
mod positions;
mod presence;
mod proofs;
mod readings;
mod referred;
mod resumptions;
mod retraced;
mod rows;
mod sealing;
mod settled;
mod sheets;
mod side_by_side;
mod standing;
mod stopped_clocks;
mod supervision;
mod times;
mod told;
mod touch;
mod touch_reply;
mod two_hands;
mod unclear_order;
mod unmade;
mod unmentioned;
mod unnoticed;

use std::{env, fs};

use case::{Case, Want::GoesOn};
use events::{DRAW, WHITE_WINS};
use tabiya_arbiter::replay::GameResult;

fn cases() -> Vec<Case> {
    [
        draws::cases(),
        ends::cases(),
        irregularities::cases(),
        faults::cases(),
        standing::cases(),
        two_hands::cases(),
        unmade::cases(),
        acted_on::cases(),
        rows::cases(),
        outcomes::cases(),
        proofs::cases(),
        touch::cases(),
        sealing::cases(),
        conduct::cases(),
        decisions::cases(),
        corrections::cases(),
        finer_points::cases(),
        offers::cases(),
        sheets::cases(),
        resumptions::cases(),
        after_the_end::cases(),
        loose_ends::cases(),
        unmentioned::cases(),
        unnoticed::cases(),
        older_codes::cases(),
        no_board::cases(),
        unclear_order::cases(),
        retraced::cases(),
        referred::cases(),
        movement::cases(),
        notation::cases(),
        positions::cases(),
        supervision::cases(),
        times::cases(),
        cited::cases(),
        side_by_side::cases(),
        touch_reply::cases(),
        presence::cases(),
        edits::cases(),
        told::cases(),
        lapsed::cases(),
        periods::cases(),
        settled::cases(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[test]
fn every_case_is_ruled_as_the_articles_say() {
    let wrong: Vec<String> = cases().iter().filter_map(Case::check).collect();
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn replaying_gives_the_same_and_a_prefix_never_knows_the_future() {
    for case in cases() {
        let whole = case.report();
        assert_eq!(whole, case.report(), "{}", case.id);
        for count in 0..case.events.len() {
            let prefix = Case {
                events: case.events[..count].to_vec(),
                overrides: case.overrides.clone(),
                fen: case.fen.clone(),
                moves: case.moves.clone(),
                want: GoesOn,
                effects: vec![],
                told: vec![],
                ..case
            };
            assert_eq!(
                prefix.report().rulings,
                whole.rulings[..count],
                "{} {count}",
                case.id
            );
        }
    }
}

#[test]
fn results_score() {
    assert_eq!(WHITE_WINS.half_points(), [2, 0]);
    assert_eq!(DRAW.half_points(), [1, 1]);
    assert_eq!(GameResult::BothLose.half_points(), [0, 0]);
}

/// The handed rows, where they are at hand: each is played by a case above that cites one of its articles.
#[test]
fn handed_rows_are_all_played() {
    let Some(folder) = env::var_os("TABIYA_CASES") else {
        eprintln!("SKIPPED: TABIYA_CASES is not set");
        return;
    };
    let path = std::path::Path::new(&folder).join("procedure.jsonl");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let cases = cases();
    let mut missing = Vec::new();
    let mut rows = 0;
    for line in text.lines() {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let id = row["id"].as_str().unwrap();
        rows += 1;
        let Some(case) = cases.iter().find(|case| case.id == id) else {
            missing.push(id.to_owned());
            continue;
        };
        assert!(case.ruleset.starts_with(row["ruleset"].as_str().unwrap()), "{id}");
        if let Some(fen) = row["fen"].as_str() {
            assert_eq!(case.fen, fen, "{id}");
        }
        // Lay texts have no numbers; elsewhere a cited article is one of the row's, or a part or parent of one.
        let numbered = case.ruleset.starts_with("fide") || case.ruleset.starts_with("cn");
        let article = row["article"].as_str().unwrap();
        let told = case.told.iter().flat_map(|(_, articles)| articles.iter());
        let all: Vec<_> = case.articles.iter().chain(told).collect();
        let cites = |cited: &&&str| {
            article.contains(**cited) || article.split(", ").any(|part| cited.starts_with(part))
        };
        assert!(
            !numbered || all.is_empty() || all.iter().any(cites),
            "{id}: {article}"
        );
    }
    let played = rows - missing.len();
    eprintln!("{played} of {rows} rows hold");
    assert!(rows >= 97 && missing.is_empty(), "not played: {missing:?}");
}
