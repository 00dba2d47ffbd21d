//! Exercises 34 to 49 of the same paper: fourteen teams, seven rounds, four boards, two match points for a win.

use std::collections::BTreeMap;

use tabiya_arbiter::standings::{
    Cell, Contest, Edition, Field, Fraction, Mark, Person, Rules, Scheme, Spec, System, Team, TeamEvent,
    Unit, WholeRound, table,
};
use tabiya_rules::Color;

use crate::crosstable::{fractions, places, rounded, values};

const BOARDS: usize = 4;

/// Opponent, colour on board 1 and game points; or a round without play.
const ROWS: [&str; 14] = [
    "8w2.5 4b1.5 7w3 2b2.5 5w1.5 6w+ 3b2.5",
    "9b3 3w4 5b0 1w1.5 13w3 4b2.5 10b3",
    "10w2.5 2b0 9w3 6b2.5 4w3 5b3.5 1w1.5",
    "11b3 1w2.5 13b3 5w3.5 3b1 2w1.5 9b2.5",
    "12w4 6b3 2w4 4b0.5 1b2.5 3w0.5 13b3.5",
    "13b2 5w1 8b3 3w1.5 11b2.5 1b- 12w2.5",
    "14w2 8b2 1b1 10w2.5 9b2 13w2 0Z",
    "1b1.5 7w2 6w1 12b3.5 10b2 9w2 11w3",
    "2w1 12b4 3b1 14w3 7w2 8b2 4w1.5",
    "3b1.5 11w1.5 12b2.5 7b1.5 8w2 14b3 2w1",
    "4w1 10b2.5 14w2 13b1.5 6w1.5 12w2 8b1",
    "5b0 9w0 10w1.5 8w0.5 0U 11b2 6b1.5",
    "6w2 14b2.5 4w1 11w2.5 2b1 7b2 5w0.5",
    "7b2 13w1.5 11b2 9b1 0H 10w1 0U",
];

fn event() -> Contest {
    let player = |team: usize, board: usize| team * BOARDS + board;
    let mut rows = vec![vec![Cell::alone(Mark::ZeroPointBye); 7]; 14 * BOARDS];
    let mut whole = BTreeMap::new();
    for (team, row) in ROWS.iter().enumerate() {
        for (round, text) in row.split(' ').enumerate() {
            let end = text.find(|c: char| !c.is_ascii_digit()).unwrap();
            let opponent = text[..end].parse::<usize>().unwrap().checked_sub(1);
            let rest = &text[end..];
            let Ok(points) = Fraction::parse(&rest[1..]) else {
                let mark = Mark::from_letter(rest.chars().last().unwrap()).unwrap();
                whole.insert((round, team), WholeRound { opponent, mark });
                continue;
            };
            if rest.starts_with('b') {
                continue;
            }
            // Wins on the first boards, then a draw, then losses; the match between 11 and 14, which the exercises
            // decide by boards, is given board by board.
            let mut left = points;
            let mut marks: Vec<Mark> = (0..BOARDS)
                .map(|_| {
                    let mark = [(Mark::Win, Fraction::whole(1)), (Mark::Draw, Fraction::HALF)];
                    let found = mark.iter().find(|(_, worth)| *worth <= left);
                    left += -found.map_or(Fraction::ZERO, |(_, worth)| *worth);
                    found.map_or(Mark::Loss, |(mark, _)| *mark)
                })
                .collect();
            if (team, opponent) == (10, Some(13)) {
                marks = vec![Mark::Win, Mark::Draw, Mark::Draw, Mark::Loss];
            }
            for (board, mark) in marks.into_iter().enumerate() {
                let (mine, theirs) = (player(team, board), player(opponent.unwrap(), board));
                let reversed = match mark {
                    Mark::Win => Mark::Loss,
                    Mark::Loss => Mark::Win,
                    other => other,
                };
                let white = board % 2 == 0;
                let color = |white| Some(if white { Color::White } else { Color::Black });
                rows[mine][round] = Cell {
                    opponent: Some(theirs),
                    color: color(white),
                    mark,
                };
                rows[theirs][round] = Cell {
                    opponent: Some(mine),
                    color: color(!white),
                    mark: reversed,
                };
            }
        }
    }
    let people = (0..14 * BOARDS).map(|index| Person {
        number: index as u32 + 1,
        ..Default::default()
    });
    let teams = (0..14).map(|team| Team {
        number: team as u32 + 1,
        name: format!("Team {}", team + 1),
        members: (0..BOARDS).map(|board| player(team, board)).collect(),
    });
    let contest = Contest {
        people: people.collect(),
        extra: vec![Fraction::ZERO; rows.len()],
        rows,
        rounds: 7,
        system: System::Swiss,
        scheme: Scheme::STANDARD,
        teams: Some(TeamEvent {
            teams: teams.collect(),
            whole,
            boards: BTreeMap::new(),
            boards_per_match: BOARDS,
            match_points: TeamEvent::MATCH_POINTS,
            bye: None,
            primary: Unit::Match,
        }),
    };
    assert_eq!(contest.faults(), []);
    contest
}

fn scores(field: &Field, unit: Unit) -> Vec<String> {
    (0..14).map(|team| field.score(team, unit).to_string()).collect()
}

/// The teams in the order of a list, those who stay tied by number.
fn order(field: &Field, list: &str) -> Vec<usize> {
    let specs = list.split(',').map(|spec| Spec::parse(spec).unwrap()).collect();
    let ranked = table(field, &Rules::of(specs, Edition::Fide2024));
    ranked
        .standings
        .iter()
        .map(|standing| standing.entry + 1)
        .collect()
}

#[test]
fn exercise_34_match_points_and_game_points() {
    let mut contest = event();
    let field = contest.field();
    assert_eq!(
        scores(&field, Unit::Match),
        fractions("10 10 10 10 10 7 6 7 6 5 4 2 6 4")
    );
    let games = "17.5 17 16 17 18 12.5 11.5 15 14.5 13 11.5 7.5 11.5 11.5";
    assert_eq!(scores(&field, Unit::Game), fractions(games));
    assert_eq!(
        order(&field, "MPvGP"),
        [5, 1, 2, 4, 3, 8, 6, 9, 7, 13, 10, 11, 14, 12]
    );
    contest.teams.as_mut().unwrap().primary = Unit::Game;
    assert_eq!(
        order(&contest.field(), "MPvGP"),
        [5, 1, 2, 4, 3, 8, 9, 10, 6, 7, 13, 11, 14, 12]
    );
}

#[test]
fn exercises_35_to_41_sums_over_opponents() {
    let field = event().field();
    let solved = |spec: &str, edition, expected: &str| {
        assert_eq!(values(&field, spec, edition), fractions(expected), "{spec}");
    };
    let v1 = Edition::Fide2024;
    solved("BH", v1, "64 57 58 56 55 46 44 41 50 44 41 41 52 36");
    solved("BH/C1", v1, "57 52 53 52 53 39 38 39 48 42 39 39 48 32");
    let games = "114 107.5 109.5 106 99 92 94.5 90 97.5 92 88 92 101 87";
    solved("BH:GP", v1, games);
    solved(
        "BH:GP/C1",
        v1,
        "100.5 96 97 94.5 91.5 79.5 83 82.5 90 84.5 80.5 84.5 89.5 75.5",
    );
    let some = |spec: &str, edition, teams: &[usize], expected: &str| {
        let all = values(&field, spec, edition);
        let found: Vec<_> = teams.iter().map(|team| all[team - 1].clone()).collect();
        assert_eq!(found, fractions(expected), "{spec}");
    };
    some("EMMSB/C1", v1, &[1, 2, 3, 4, 5], "74 64 66 64 66");
    some("EGMSB", v1, &[1, 2, 3, 4, 5], "158 144 150 146 132");
    some("EMGSB", v1, &[7, 9, 13], "68.5 83 73");
    some("EGGSB", v1, &[6, 8], "157.5 181.5");
    // In 2026 the dummy of team 1, who won by forfeit against team 6, has no more than team 6: 7 and 12½ for 10 and 17½.
    let v2 = Edition::Fide2026;
    some("BH", v2, &[1, 2], "61 57");
    some("BH/C1", v2, &[1, 2], "54 52");
    some("EMMSB/C1", v2, &[1, 2], "68 64");
    some("EMGSB", v2, &[1, 2], "146.5 131");
}

#[test]
fn exercises_42_to_48_encounters_and_boards() {
    let field = event().field();
    let after = places(&field, "EDE", Edition::Fide2024);
    // 42 and 44: not all have met, or they drew.
    assert_eq!(after[10], after[13]);
    assert_eq!((after[6], after[8]), (after[8], after[12]));
    // 43 and 45; 46 to 48: 11 and 14 drew, 11 with the better boards.
    assert!(after[5] < after[7]);
    assert_eq!(order(&field, "EDE")[..5], [4, 2, 1, 3, 5]);
    for spec in ["EDEBT", "EDET", "EDEB"] {
        let after = places(&field, spec, Edition::Fide2024);
        assert!(after[10] < after[13], "{spec}");
    }
}

#[test]
fn exercise_49_schedule_strength() {
    let field = event().field();
    let mut rules = Rules::of(vec![Spec::parse("SSSC").unwrap()], Edition::Fide2024);
    rules.greatest_match = Fraction::whole(4);
    let mut found = vec![String::new(); 14];
    for standing in table(&field, &rules).standings {
        found[standing.entry] = standing.values[0].to_string();
    }
    let expected = "38.83 36.00 35.33 35.67 36.33 27.83 26.17 28.67 31.17 27.67 25.17 21.17 28.83 23.50";
    assert_eq!(rounded(&found), expected.split(' ').collect::<Vec<_>>());
}
