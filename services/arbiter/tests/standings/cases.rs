//! The case files that `TABIYA_CASES` names.

use std::{env, fs, path::PathBuf};

use serde_json::Value as Json;
use tabiya_arbiter::standings::{
    Cell, ClubResult, Contest, Edition, Field, Fraction, Mark, Person, Scheme, System, Team, TeamEvent, Unit,
    club_gain,
};
use tabiya_rules::Color;

use crate::crosstable::values;

fn rows(file: &str) -> Option<Vec<Json>> {
    let Ok(folder) = env::var("TABIYA_CASES") else {
        eprintln!("SKIPPED: TABIYA_CASES is not set, {file} is not tested");
        return None;
    };
    let text = fs::read_to_string(PathBuf::from(folder).join(file)).unwrap();
    Some(
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect(),
    )
}

#[test]
fn every_row_of_points() {
    let Some(rows) = rows("points.jsonl") else { return };
    assert!(rows.len() >= 29);
    for row in rows {
        let number = |name: &str| Fraction::whole(row[name].as_i64().unwrap());
        let result = match row["result"].as_str().unwrap() {
            "draw" => ClubResult::Draw,
            "low wins" => ClubResult::LowerWins,
            "high wins" => ClubResult::HigherWins,
            other => panic!("{other}"),
        };
        let gain = club_gain(number("high") - number("low"), result);
        let id = &row["id"];
        assert_eq!(gain.to_string(), row["gain"].as_str().unwrap(), "{id}");
        assert_eq!((-gain).to_string(), row["loser_change"].as_str().unwrap(), "{id}");
        let to = match (gain == Fraction::ZERO, result) {
            (true, _) => "none",
            (_, ClubResult::HigherWins) => "high",
            _ => "low",
        };
        assert_eq!(to, row["gain_to"], "{id}");
    }
}

/// The names of the players in order, and their games round by round: a game goes into the first round in which both
/// are free.
fn contest(row: &Json) -> (Vec<String>, Contest) {
    let names: Vec<String> = row["players"]
        .as_array()
        .unwrap()
        .iter()
        .map(|name| name.as_str().unwrap().into())
        .collect();
    let mut rows: Vec<Vec<Option<Cell>>> = vec![Vec::new(); names.len()];
    for game in row["games"].as_array().unwrap() {
        let index = |side: &str| names.iter().position(|name| game[side] == **name).unwrap();
        let (white, black) = (index("white"), index("black"));
        let marks = match game["result"].as_str().unwrap() {
            "1-0" => [Mark::Win, Mark::Loss],
            "0-1" => [Mark::Loss, Mark::Win],
            "1/2-1/2" => [Mark::Draw, Mark::Draw],
            other => panic!("{other}"),
        };
        let taken = |row: &Vec<Option<Cell>>, round| row.get(round).copied().flatten().is_some();
        let round = (0..)
            .find(|&round| !taken(&rows[white], round) && !taken(&rows[black], round))
            .unwrap();
        for (mine, other, color, mark) in [
            (white, black, Color::White, marks[0]),
            (black, white, Color::Black, marks[1]),
        ] {
            if rows[mine].len() <= round {
                rows[mine].resize(round + 1, None);
            }
            rows[mine][round] = Some(Cell {
                opponent: Some(other),
                color: Some(color),
                mark,
            });
        }
    }
    let people = names.iter().enumerate().map(|(index, name)| Person {
        number: index as u32 + 1,
        name: name.clone(),
        ..Default::default()
    });
    let filled = |row: Vec<Option<Cell>>| {
        row.into_iter()
            .map(|cell| cell.unwrap_or(Cell::alone(Mark::ZeroPointBye)))
            .collect()
    };
    let contest = Contest {
        people: people.collect(),
        extra: vec![Fraction::ZERO; names.len()],
        rows: rows.into_iter().map(filled).collect(),
        rounds: 0,
        system: System::Swiss,
        scheme: Scheme::STANDARD,
        teams: None,
    };
    assert_eq!(contest.faults(), []);
    (names, contest)
}

/// One match of two teams.
fn team_match(row: &Json) -> Field {
    let members = |team: &str| row["teams"][team].as_array().unwrap().clone();
    let names: Vec<Json> = ["X", "Y"].into_iter().flat_map(members).collect();
    let half = names.len() / 2;
    let mut rows = vec![Vec::new(); names.len()];
    for board in row["boards"].as_array().unwrap() {
        let index = |at: usize| names.iter().position(|name| *name == board[at]).unwrap();
        let marks = match board[2].as_str().unwrap() {
            "1-0" => [Mark::Win, Mark::Loss],
            other => panic!("{other}"),
        };
        let (white, black) = (index(0), index(1));
        rows[white].push(Cell {
            opponent: Some(black),
            color: Some(Color::White),
            mark: marks[0],
        });
        rows[black].push(Cell {
            opponent: Some(white),
            color: Some(Color::Black),
            mark: marks[1],
        });
    }
    let team = |number: usize| Team {
        number: number as u32,
        name: String::new(),
        members: ((number - 1) * half..number * half).collect(),
    };
    let contest = Contest {
        people: (1..=names.len() as u32)
            .map(|number| Person {
                number,
                ..Default::default()
            })
            .collect(),
        extra: vec![Fraction::ZERO; names.len()],
        rows,
        rounds: 1,
        system: System::Swiss,
        scheme: Scheme::STANDARD,
        teams: Some(TeamEvent {
            teams: vec![team(1), team(2)],
            whole: Default::default(),
            boards: Default::default(),
            boards_per_match: half,
            match_points: TeamEvent::MATCH_POINTS,
            bye: None,
            primary: Unit::Match,
        }),
    };
    assert_eq!(contest.faults(), []);
    contest.field()
}

#[test]
fn every_row_of_tie_breaks() {
    let Some(rows) = rows("tiebreak.jsonl") else {
        return;
    };
    assert!(rows.len() >= 5);
    for row in rows {
        let id = &row["id"];
        if row.get("players").is_none() {
            let field = team_match(&row);
            for (index, team) in ["X", "Y"].iter().enumerate() {
                let points = |column: &str| Fraction::parse(&row[column][team].to_string()).unwrap();
                assert_eq!(
                    field.score(index, Unit::Game),
                    points("game_points"),
                    "{id} {team}"
                );
                assert_eq!(
                    field.score(index, Unit::Match),
                    points("match_points_2_1_0"),
                    "{id} {team}"
                );
            }
            continue;
        }
        let (names, contest) = contest(&row);
        let field = contest.field();
        let exact = |column: &str, name: &str| {
            Fraction::parse(&row[column][name].to_string())
                .unwrap()
                .to_string()
        };
        let small = values(&field, "SMALL", Edition::Fide2026);
        let opponents = values(&field, "OPP", Edition::Fide2026);
        for (index, name) in names.iter().enumerate() {
            assert_eq!(
                contest.points(index).to_string(),
                exact("score", name),
                "{id} {name}"
            );
            assert_eq!(
                small[index],
                exact("small_score_round_robin", name),
                "{id} {name}"
            );
            assert_eq!(
                opponents[index],
                exact("opponents_score_swiss", name),
                "{id} {name}"
            );
        }
    }
}
