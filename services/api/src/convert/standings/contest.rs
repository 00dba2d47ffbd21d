use std::collections::BTreeMap;

use tabiya_arbiter::standings::{
    Cell, Contest, Fraction, MAX_CELLS, MAX_PLAYERS, MAX_ROUNDS, Mark, Person, Scheme, System, Team,
    TeamEvent, Unit, WholeRound, trf::Header,
};
use tabiya_rules::Color;

use super::question::fraction;
use crate::{convert::enumeration::enumeration, error::Violations, v1};

/// Greatest length of a text, in bytes.
const MAX_TEXT: usize = 200;

/// Greatest number of deputy arbiters.
const MAX_DEPUTIES: usize = 32;

/// Greatest rating.
const MAX_RATING: u32 = 4_000;

/// Greatest number of a board.
const MAX_BOARD: u32 = 64;

/// A text of one line.
fn text(value: &str, path: impl FnOnce() -> String, violations: &mut Violations) -> String {
    if value.len() > MAX_TEXT {
        violations.add(path(), value, format!("more than {MAX_TEXT} bytes"));
    } else if value.chars().any(char::is_control) {
        violations.add(path(), value, "control characters are not allowed");
    }
    value.to_owned()
}

/// What a report file says of the event.
pub(super) fn header(info: Option<&v1::ContestInfo>, violations: &mut Violations) -> Header {
    let Some(info) = info else {
        return Header::default();
    };
    let mut read = |value: &str, name: &str| text(value, || format!("contest.info.{name}"), violations);
    let header = Header {
        name: read(&info.name, "name"),
        city: read(&info.city, "city"),
        federation: read(&info.federation, "federation"),
        start: read(&info.start_date, "start_date"),
        end: read(&info.end_date, "end_date"),
        kind: read(&info.kind, "kind"),
        chief_arbiter: read(&info.chief_arbiter, "chief_arbiter"),
        deputies: info
            .deputy_arbiters
            .iter()
            .take(MAX_DEPUTIES)
            .map(|name| read(name, "deputy_arbiters"))
            .collect(),
        times: read(&info.time_control, "time_control"),
    };
    if info.deputy_arbiters.len() > MAX_DEPUTIES {
        let reason = format!("more than {MAX_DEPUTIES}");
        violations.add(
            "contest.info.deputy_arbiters",
            &info.deputy_arbiters.len().to_string(),
            reason,
        );
    }
    header
}

/// The rows while they are filled in.
struct Rows<'a> {
    index_of: BTreeMap<u32, usize>,
    cells: Vec<BTreeMap<usize, Cell>>,
    /// The field that filled a cell, for what only shows once all are filled.
    paths: BTreeMap<(usize, usize), String>,
    violations: &'a mut Violations,
}

impl Rows<'_> {
    fn player(&mut self, number: u32, path: &dyn Fn() -> String) -> Option<usize> {
        let found = self.index_of.get(&number).copied();
        if found.is_none() {
            self.violations
                .add(path(), &number.to_string(), "no player has this number");
        }
        found
    }

    fn round(&mut self, round: u32, path: &dyn Fn() -> String) -> Option<usize> {
        let index = (round as usize)
            .checked_sub(1)
            .filter(|round| *round < MAX_ROUNDS);
        if index.is_none() {
            let reason = format!("not from 1 to {MAX_ROUNDS}");
            self.violations.add(path(), &round.to_string(), reason);
        }
        index
    }

    fn fill(&mut self, player: usize, round: usize, cell: Cell, number: u32, path: &dyn Fn() -> String) {
        if self.cells[player].insert(round, cell).is_some() {
            let reason = format!("the player has another pairing or bye in round {}", round + 1);
            self.violations.add(path(), &number.to_string(), reason);
        }
        self.paths.insert((player, round), path());
    }
}

/// Builds a contest; what is wrong goes into the violations, and the contest is then not to be used.
pub(super) fn read_contest(message: &v1::Contest, violations: &mut Violations) -> Contest {
    let mut contest = Contest {
        people: Vec::new(),
        rows: Vec::new(),
        rounds: message.rounds as usize,
        system: System::default(),
        scheme: Scheme::STANDARD,
        extra: Vec::new(),
        teams: None,
    };
    let sizes = [
        ("players", message.players.len(), MAX_PLAYERS),
        ("rounds", message.rounds as usize, MAX_ROUNDS),
        ("pairings", message.pairings.len(), MAX_CELLS),
        ("byes", message.byes.len(), MAX_CELLS),
        ("adjustments", message.adjustments.len(), MAX_PLAYERS),
        ("teams", message.teams.len(), MAX_PLAYERS),
        ("team_rounds", message.team_rounds.len(), MAX_CELLS),
    ];
    let too_many = sizes.iter().filter(|(_, size, most)| size > most);
    let before = violations.kept().len();
    for (name, size, most) in too_many {
        violations.add(
            format!("contest.{name}"),
            &size.to_string(),
            format!("more than {most}"),
        );
    }
    if violations.kept().len() > before {
        contest.rounds = 0;
        return contest;
    }

    let mut index_of = BTreeMap::new();
    for (index, player) in message.players.iter().enumerate() {
        contest.people.push(person(index, player, violations));
        if index_of.insert(player.number, index).is_some() {
            let path = format!("contest.players[{index}].number");
            violations.add(path, &player.number.to_string(), "used twice");
        }
    }
    contest.extra = vec![Fraction::ZERO; contest.people.len()];
    for (index, adjustment) in message.adjustments.iter().enumerate() {
        let path = |field: &str| format!("contest.adjustments[{index}].{field}");
        let points = fraction(&adjustment.points, path("points"), violations);
        match index_of.get(&adjustment.player) {
            Some(player) => contest.extra[*player] += points,
            None => violations.add(
                path("player"),
                &adjustment.player.to_string(),
                "no player has this number",
            ),
        }
    }

    let mut rows = Rows {
        cells: vec![BTreeMap::new(); contest.people.len()],
        index_of,
        paths: BTreeMap::new(),
        violations,
    };
    let boards = pairings(message, &mut rows);
    byes(message, &mut rows);
    let teams = (!message.teams.is_empty()).then(|| teams(message, &mut rows, boards));
    if teams.is_none() && !message.team_rounds.is_empty() {
        rows.violations
            .add("contest.team_rounds", "", "there are no teams");
    }
    let played = rows
        .cells
        .iter()
        .filter_map(|row| row.keys().next_back())
        .max()
        .map_or(0, |last| last + 1);
    let absent = Cell::alone(Mark::ZeroPointBye);
    let row = |cells: &BTreeMap<usize, Cell>| -> Vec<Cell> {
        (0..played)
            .map(|round| cells.get(&round).copied().unwrap_or(absent))
            .collect()
    };
    contest.rows = rows.cells.iter().map(row).collect();
    contest.teams = teams;
    if let Some(teams) = &mut contest.teams {
        teams.boards_per_match = teams.occupied_boards(&contest.rows);
    }
    if rows.violations.is_empty() && contest.check_bounds().is_ok() {
        for (team, round, error) in contest.team_faults() {
            let number = contest.teams.as_ref().map_or(0, |teams| teams.teams[team].number);
            let of = |entry: &v1::TeamRound| entry.team == number && entry.round as usize == round + 1;
            let index = message.team_rounds.iter().position(of).unwrap_or_default();
            let path = format!("contest.team_rounds[{index}].team");
            rows.violations.add(path, &number.to_string(), error);
        }
        for (player, round, error) in contest.faults() {
            let path = rows.paths.get(&(player, round)).cloned();
            let number = contest.people[player].number.to_string();
            rows.violations
                .add(path.unwrap_or("contest".into()), &number, error);
        }
    }
    contest
}

fn person(index: usize, player: &v1::ContestPlayer, violations: &mut Violations) -> Person {
    let path = |field: &str| format!("contest.players[{index}].{field}");
    if player.number == 0 || player.number > 9999 {
        violations.add(path("number"), &player.number.to_string(), "not from 1 to 9999");
    }
    if let Some(rating) = player
        .rating
        .filter(|rating| *rating == 0 || *rating > MAX_RATING)
    {
        violations.add(
            path("rating"),
            &rating.to_string(),
            format!("not from 1 to {MAX_RATING}"),
        );
    }
    let mut read = |value: &str, field: &str| text(value, || path(field), violations);
    Person {
        number: player.number,
        name: read(&player.name, "name"),
        federation: read(&player.federation, "federation"),
        title: read(&player.title, "title"),
        sex: read(&player.sex, "sex"),
        fide_id: read(&player.fide_id, "fide_id"),
        birth: read(&player.birth_date, "birth_date"),
        rating: player.rating,
    }
}

/// What a result puts into White's and into Black's row.
fn marks(result: v1::PairingResult) -> [Mark; 2] {
    use v1::PairingResult as R;
    match result {
        R::Unspecified => [Mark::Unfinished, Mark::Unfinished],
        R::WhiteWins => [Mark::Win, Mark::Loss],
        R::BlackWins => [Mark::Loss, Mark::Win],
        R::Draw => [Mark::Draw, Mark::Draw],
        R::BothLose => [Mark::Loss, Mark::Loss],
        R::WhiteHalfBlackNothing => [Mark::Draw, Mark::Loss],
        R::BlackHalfWhiteNothing => [Mark::Loss, Mark::Draw],
        R::WhiteWinsByForfeit => [Mark::ForfeitWin, Mark::ForfeitLoss],
        R::BlackWinsByForfeit => [Mark::ForfeitLoss, Mark::ForfeitWin],
        R::BothForfeit => [Mark::ForfeitLoss, Mark::ForfeitLoss],
        R::WhiteWinsUnrated => [Mark::ShortWin, Mark::ShortLoss],
        R::BlackWinsUnrated => [Mark::ShortLoss, Mark::ShortWin],
        R::DrawUnrated => [Mark::ShortDraw, Mark::ShortDraw],
    }
}

/// Fills in the pairings; the boards that they name.
fn pairings(message: &v1::Contest, rows: &mut Rows<'_>) -> BTreeMap<(usize, usize), usize> {
    let mut boards = BTreeMap::new();
    for (index, pairing) in message.pairings.iter().enumerate() {
        let path = |field: &'static str| move || format!("contest.pairings[{index}].{field}");
        let result = enumeration(pairing.result, path("result")(), rows.violations);
        let numbers = [(pairing.white, "white"), (pairing.black, "black")];
        let marks = marks(result);
        let empty = numbers.iter().position(|(number, _)| *number == 0);
        if let Some(empty) = empty {
            let other = 1 - empty;
            if message.teams.is_empty() || numbers[other].0 == 0 || marks[other] != Mark::ForfeitWin {
                let reason = "only in a match of teams, and if the other player wins by forfeit";
                rows.violations.add(path(numbers[empty].1)(), "0", reason);
                continue;
            }
        }
        if pairing.board > MAX_BOARD {
            rows.violations.add(
                path("board")(),
                &pairing.board.to_string(),
                format!("more than {MAX_BOARD}"),
            );
        }
        let Some(round) = rows.round(pairing.round, &path("round")) else {
            continue;
        };
        let players = numbers.map(|(number, field)| match number {
            0 => Some(None),
            _ => rows.player(number, &path(field)).map(Some),
        });
        let [Some(white), Some(black)] = players else {
            continue;
        };
        if white == black {
            rows.violations.add(
                path("black")(),
                &pairing.black.to_string(),
                "a player cannot be paired with itself",
            );
            continue;
        }
        let sides = [(white, black, Color::White), (black, white, Color::Black)];
        for (at, (player, opponent, color)) in sides.into_iter().enumerate() {
            let Some(player) = player else { continue };
            let cell = Cell {
                opponent,
                color: Some(color),
                mark: marks[at],
            };
            rows.fill(player, round, cell, numbers[at].0, &path(numbers[at].1));
            if let Some(board) = (pairing.board as usize).checked_sub(1) {
                boards.insert((round, player), board);
            }
        }
    }
    boards
}

fn byes(message: &v1::Contest, rows: &mut Rows<'_>) {
    for (index, bye) in message.byes.iter().enumerate() {
        let path = |field: &'static str| move || format!("contest.byes[{index}].{field}");
        let mark = match enumeration(bye.kind, path("kind")(), rows.violations) {
            v1::ByeKind::Allocated => Mark::AllocatedBye,
            v1::ByeKind::HalfPoint => Mark::HalfPointBye,
            v1::ByeKind::FullPoint => Mark::FullPointBye,
            v1::ByeKind::ZeroPoint => Mark::ZeroPointBye,
            // What names no kind was refused when it was read.
            v1::ByeKind::Unspecified if bye.kind != 0 => continue,
            v1::ByeKind::Unspecified => {
                rows.violations
                    .add(path("kind")(), "0", "a kind of bye is needed");
                continue;
            }
        };
        let (player, round) = (
            rows.player(bye.player, &path("player")),
            rows.round(bye.round, &path("round")),
        );
        if let (Some(player), Some(round)) = (player, round) {
            rows.fill(player, round, Cell::alone(mark), bye.player, &path("player"));
        }
    }
}

fn teams(message: &v1::Contest, rows: &mut Rows<'_>, boards: BTreeMap<(usize, usize), usize>) -> TeamEvent {
    let mut teams = Vec::with_capacity(message.teams.len());
    let mut team_of = BTreeMap::new();
    let mut in_team = BTreeMap::new();
    for (index, team) in message.teams.iter().enumerate() {
        let path = |field: &str| format!("contest.teams[{index}].{field}");
        if team.number == 0 || team.number > 999 {
            rows.violations
                .add(path("number"), &team.number.to_string(), "not from 1 to 999");
        }
        if team_of.insert(team.number, index).is_some() {
            rows.violations
                .add(path("number"), &team.number.to_string(), "used twice");
        }
        let mut members = Vec::new();
        for (at, number) in team.members.iter().enumerate() {
            let path = || path(&format!("members[{at}]"));
            let Some(player) = rows.player(*number, &path) else {
                continue;
            };
            if in_team.insert(player, index).is_some() {
                rows.violations
                    .add(path(), &number.to_string(), "the player is named twice");
            }
            members.push(player);
        }
        teams.push(Team {
            number: team.number,
            name: text(&team.name, || path("name"), rows.violations),
            members,
        });
    }
    TeamEvent {
        teams,
        whole: team_rounds(message, rows, &team_of),
        boards,
        boards_per_match: 0,
        match_points: TeamEvent::MATCH_POINTS,
        bye: None,
        primary: Unit::Match,
    }
}

fn team_rounds(
    message: &v1::Contest,
    rows: &mut Rows<'_>,
    team_of: &BTreeMap<u32, usize>,
) -> BTreeMap<(usize, usize), WholeRound> {
    let mut whole = BTreeMap::new();
    for (index, entry) in message.team_rounds.iter().enumerate() {
        let path = |field: &'static str| move || format!("contest.team_rounds[{index}].{field}");
        let mark = match enumeration(entry.kind, path("kind")(), rows.violations) {
            v1::TeamRoundKind::AllocatedBye => Mark::AllocatedBye,
            v1::TeamRoundKind::HalfPointBye => Mark::HalfPointBye,
            v1::TeamRoundKind::FullPointBye => Mark::FullPointBye,
            v1::TeamRoundKind::ZeroPointBye => Mark::ZeroPointBye,
            v1::TeamRoundKind::ForfeitWin => Mark::ForfeitWin,
            v1::TeamRoundKind::ForfeitLoss => Mark::ForfeitLoss,
            v1::TeamRoundKind::Unspecified if entry.kind != 0 => continue,
            v1::TeamRoundKind::Unspecified => {
                rows.violations.add(path("kind")(), "0", "a kind is needed");
                continue;
            }
        };
        let mut find = |number: u32, field: &'static str| {
            let found = team_of.get(&number).copied();
            if found.is_none() {
                rows.violations
                    .add(path(field)(), &number.to_string(), "no team has this number");
            }
            found
        };
        let team = find(entry.team, "team");
        let opponent = if entry.opponent == 0 {
            None
        } else {
            find(entry.opponent, "opponent")
        };
        if opponent.is_some() && (mark.is_bye() || opponent == team) {
            let reason = "a bye has no opponent, and no team plays itself";
            rows.violations
                .add(path("opponent")(), &entry.opponent.to_string(), reason);
        }
        let (Some(round), Some(team)) = (rows.round(entry.round, &path("round")), team) else {
            continue;
        };
        let entry_of_round = WholeRound { opponent, mark };
        if whole.insert((round, team), entry_of_round).is_some() {
            rows.violations.add(
                path("team")(),
                &entry.team.to_string(),
                "the team has this round twice",
            );
        }
    }
    whole
}
