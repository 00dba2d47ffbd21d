//! The records of teams: 013 and 310, and of their byes, forfeits and line-ups.

use std::collections::BTreeMap;

use super::{TrfErrors, columns::Columns, player};
use crate::standings::{CellError, Fraction, Mark, Team, TeamEvent, Unit, WholeRound};

/// Most players of a team.
const MAX_MEMBERS: usize = 100;

/// Numbers of players or teams, each with the column at which it stands.
pub(super) type Numbers = Vec<(usize, u32)>;

/// A record 013 or 310.
#[derive(Clone, Debug)]
struct TeamRecord {
    line: usize,
    number: u32,
    name: String,
    members: Numbers,
}

/// A record 300.
#[derive(Clone, Debug)]
struct Lineup {
    line: usize,
    round: u32,
    /// By board, 0 for an empty one.
    players: Numbers,
}

/// What the records of teams say, players and teams by their numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct TeamRecords {
    teams: Vec<TeamRecord>,
    /// Line, column, round, team, scheduled opponent, and how it went.
    whole: Vec<(usize, usize, u32, u32, Option<u32>, Mark)>,
    lineups: Vec<Lineup>,
    bye: Option<[Fraction; 2]>,
}

impl TeamRecords {
    pub(super) fn is_empty(&self) -> bool {
        self.teams.is_empty()
    }

    /// Takes a record; false if it is none of these.
    pub(super) fn take(
        &mut self,
        tag: &str,
        line: usize,
        columns: &Columns<'_>,
        errors: &mut TrfErrors,
    ) -> bool {
        let number = |at, field, errors: &mut TrfErrors| player::number(columns, line, at, field, errors);
        match tag {
            "013" => {
                let number = u32::try_from(self.teams.len() + 1).unwrap_or(u32::MAX);
                self.teams.push(TeamRecord {
                    line,
                    number,
                    name: columns.field(5, 36).to_owned(),
                    members: list(columns, line, 37, 4, "team member", errors),
                });
            }
            "310" => {
                let Some(number) = number((5, 7), "team number", errors).filter(|number| *number > 0) else {
                    errors.add(line, 5, "team number", columns.field(5, 7), "not from 1 to 999");
                    return true;
                };
                self.teams.push(TeamRecord {
                    line,
                    number,
                    name: columns.field(9, 40).to_owned(),
                    members: list(columns, line, 74, 4, "team member", errors),
                });
            }
            "240" => {
                let text = columns.field(5, 5);
                let mark = Mark::from_letter(text.chars().next().unwrap_or(' '));
                let mark = mark.filter(|mark| mark.is_bye() && *mark != Mark::AllocatedBye);
                let (Some(mark), Some(round)) = (mark, number((7, 9), "round", errors)) else {
                    errors.add(line, 5, "bye", text, "a bye F, H or Z and a round are expected");
                    return true;
                };
                for (column, team) in list(columns, line, 11, 4, "team or player", errors) {
                    self.whole.push((line, column, round, team, None, mark));
                }
            }
            "320" => {
                let points = [(5, 8), (10, 13)].map(|at| player::points(columns, line, at, "points", errors));
                if let [Some(match_points), Some(game_points)] = points {
                    self.bye = Some([match_points, game_points]);
                }
                for (round, (column, team)) in positions(columns, line, 15, 3, "team", errors)
                    .into_iter()
                    .enumerate()
                {
                    if team > 0 {
                        let round = u32::try_from(round + 1).unwrap_or(u32::MAX);
                        self.whole
                            .push((line, column, round, team, None, Mark::AllocatedBye));
                    }
                }
            }
            "330" => {
                let marks = match columns.field(5, 6) {
                    "+-" => [Mark::ForfeitWin, Mark::ForfeitLoss],
                    "-+" => [Mark::ForfeitLoss, Mark::ForfeitWin],
                    "--" => [Mark::ForfeitLoss; 2],
                    other => {
                        errors.add(line, 5, "forfeit", other, "not +-, -+ or --");
                        return true;
                    }
                };
                let round = number((8, 10), "round", errors);
                let white = number((12, 14), "team", errors);
                let black = number((16, 18), "team", errors);
                let (Some(round), Some(white), Some(black)) = (round, white, black) else {
                    errors.add(
                        line,
                        8,
                        "forfeited match",
                        columns.field(8, 18),
                        "a round and two teams are expected",
                    );
                    return true;
                };
                self.whole.push((line, 12, round, white, Some(black), marks[0]));
                self.whole.push((line, 16, round, black, Some(white), marks[1]));
            }
            "300" => {
                let Some(round) = number((5, 7), "round", errors) else {
                    errors.add(line, 5, "round", "", "missing");
                    return true;
                };
                let players = positions(columns, line, 17, 4, "player", errors);
                self.lineups.push(Lineup { line, round, players });
            }
            _ => return false,
        }
        true
    }

    /// Tells of a fault in a team's record of a round without play.
    pub(super) fn fault(&self, team: usize, round: usize, error: CellError, errors: &mut TrfErrors) {
        let number = self.teams.get(team).map_or(0, |team| team.number);
        let of = |&&(_, _, at, of, ..): &&(usize, usize, u32, u32, Option<u32>, Mark)| {
            of == number && at as usize == round + 1
        };
        let (line, column) = self
            .whole
            .iter()
            .find(of)
            .map_or((1, 1), |&(line, column, ..)| (line, column));
        errors.add(line, column, "team", &number.to_string(), error);
    }

    /// The teams, players by index; `player` finds one by number.
    pub(super) fn event(
        &self,
        match_points: [Fraction; 3],
        primary: Unit,
        player: &BTreeMap<u32, usize>,
        rounds: usize,
        errors: &mut TrfErrors,
    ) -> TeamEvent {
        let mut teams = Vec::with_capacity(self.teams.len());
        let mut index_of = BTreeMap::new();
        let mut taken = BTreeMap::new();
        for TeamRecord {
            line,
            number,
            name,
            members,
        } in &self.teams
        {
            if index_of.insert(*number, teams.len()).is_some() {
                errors.add(*line, 5, "team number", &number.to_string(), "used twice");
            }
            let mut found = Vec::new();
            for &(column, member) in members {
                match player.get(&member) {
                    None => errors.add(
                        *line,
                        column,
                        "team member",
                        &member.to_string(),
                        "no player has this number",
                    ),
                    Some(index) if taken.insert(*index, ()).is_some() => {
                        errors.add(*line, column, "team member", &member.to_string(), "in two teams");
                    }
                    Some(index) => found.push(*index),
                }
            }
            teams.push(Team {
                number: *number,
                name: name.clone(),
                members: found,
            });
        }
        let mut whole = BTreeMap::new();
        for &(line, column, round, team, opponent, mark) in &self.whole {
            let round_index = (round as usize).checked_sub(1).filter(|round| *round < rounds);
            let found = index_of.get(&team).copied();
            let against = opponent.map(|number| index_of.get(&number).copied());
            match (round_index, found, against) {
                (None, ..) => errors.add(
                    line,
                    column,
                    "round",
                    &round.to_string(),
                    "not a round of the event",
                ),
                (_, None, _) => {
                    errors.add(line, column, "team", &team.to_string(), "no team has this number")
                }
                (_, _, Some(None)) => errors.add(line, column, "opponent", "", "no team has its number"),
                (Some(round), Some(team), against) => {
                    let entry = WholeRound {
                        opponent: against.flatten(),
                        mark,
                    };
                    if whole.insert((round, team), entry).is_some() {
                        errors.add(line, column, "team", "", "the team has two records of this round");
                    }
                }
            }
        }
        let mut boards = BTreeMap::new();
        for Lineup { line, round, players } in &self.lineups {
            let Some(round) = (*round as usize).checked_sub(1) else {
                errors.add(*line, 5, "round", "0", "not a round of the event");
                continue;
            };
            for (board, (column, number)) in players.iter().enumerate().filter(|(_, (_, number))| *number > 0)
            {
                match player.get(number) {
                    Some(index) => {
                        boards.insert((round, *index), board);
                    }
                    None => errors.add(
                        *line,
                        *column,
                        "player",
                        &number.to_string(),
                        "no player has this number",
                    ),
                }
            }
        }
        TeamEvent {
            teams,
            whole,
            boards,
            boards_per_match: 0,
            match_points,
            bye: self.bye,
            primary,
        }
    }
}

/// Numbers in fields of a width, one blank apart, with their columns; blanks are left out.
fn list(
    columns: &Columns<'_>,
    line: usize,
    from: usize,
    width: usize,
    field: &'static str,
    errors: &mut TrfErrors,
) -> Numbers {
    let mut all = positions(columns, line, from, width, field, errors);
    all.retain(|(_, number)| *number > 0);
    all
}

/// The same with 0 for a blank.
fn positions(
    columns: &Columns<'_>,
    line: usize,
    from: usize,
    width: usize,
    field: &'static str,
    errors: &mut TrfErrors,
) -> Numbers {
    let mut all = Vec::new();
    let mut at = from;
    while at <= columns.len() {
        if all.len() == MAX_MEMBERS {
            errors.add(
                line,
                at,
                field,
                columns.field(at, at + width - 1),
                format!("more than {MAX_MEMBERS}"),
            );
            break;
        }
        let number = player::number(columns, line, (at, at + width - 1), field, errors);
        all.push((at, number.unwrap_or(0)));
        at += width + 1;
    }
    all
}
