use tabiya_rules::Color;

use super::{
    ClubGame, Entry, Field, Fraction, Kind, MAX_CELLS, MAX_PLAYERS, MAX_ROUNDS, Mark, RatedGame, Scheme,
    Slot, System, TeamEvent, Unit,
};

/// A player of an event.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Person {
    /// The starting-rank number.
    pub number: u32,
    /// The name, `Lastname, Firstname`.
    pub name: String,
    /// The federation's three letters.
    pub federation: String,
    /// The title, such as `GM`.
    pub title: String,
    /// `m` or `w`.
    pub sex: String,
    /// The FIDE identity number.
    pub fide_id: String,
    /// The day of birth, `YYYY/MM/DD`.
    pub birth: String,
    /// The rating; `None` if unrated.
    pub rating: Option<u32>,
}

/// What a player's row shows for one round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cell {
    /// The scheduled opponent, by its index.
    pub opponent: Option<usize>,
    /// The scheduled colour.
    pub color: Option<Color>,
    /// How it went.
    pub mark: Mark,
}

impl Cell {
    /// A round without an opponent.
    pub fn alone(mark: Mark) -> Self {
        Self {
            opponent: None,
            color: None,
            mark,
        }
    }
}

/// Players, their rounds and what these are worth.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contest {
    /// The players.
    pub people: Vec<Person>,
    /// Their rounds. A shorter row ends in zero-point byes.
    pub rows: Vec<Vec<Cell>>,
    /// How many rounds are planned; as many as were played, if that is more.
    pub rounds: usize,
    /// How it was paired.
    pub system: System,
    /// What results are worth.
    pub scheme: Scheme,
    /// Points given to or taken from each player apart from any round.
    pub extra: Vec<Fraction>,
    /// The teams, if they are what is ranked.
    pub teams: Option<TeamEvent>,
}

/// Greatest worth of a result, and of points given or taken apart from results.
const MAX_POINTS: i64 = 1_000;
const MAX_EXTRA: i64 = 10_000;

/// Greatest number of teams times rounds times boards.
const MAX_BOARDS: usize = 400_000;

/// Why an event cannot be.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ContestError {
    /// Too many players.
    #[error("more than {MAX_PLAYERS} players")]
    TooManyPlayers,
    /// Too many rounds.
    #[error("more than {MAX_ROUNDS} rounds, or more than {MAX_CELLS} players times rounds")]
    TooManyRounds,
    /// Too many teams or boards.
    #[error(
        "more than {MAX_PLAYERS} teams, {MAX_CELLS} teams times rounds, or {MAX_BOARDS} of these times boards"
    )]
    TooManyTeams,
    /// A result is worth too much or less than nothing.
    #[error("a result is worth less than 0 or more than {MAX_POINTS} points")]
    Points,
    /// Points apart from results are too many.
    #[error("more than {MAX_EXTRA} points are given or taken apart from results")]
    Extra,
    /// A better result is worth less than a worse one.
    #[error("a win is worth less than a draw, or a draw less than a loss")]
    Order,
    /// A player has two rows or a row is missing.
    #[error("as many rows of results as players are needed")]
    Rows,
}

/// What is wrong in a player's round.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CellError {
    /// A game needs an opponent.
    #[error("a game needs an opponent")]
    NoOpponent,
    /// A bye has no opponent.
    #[error("a bye has no opponent")]
    ByeWithOpponent,
    /// A player is paired with itself.
    #[error("a player cannot be paired with itself")]
    Itself,
    /// The opponent's row does not name this player.
    #[error("the opponent is not paired with this player in this round")]
    NotMutual,
    /// Both have the same colour.
    #[error("both players have the same colour")]
    Colors,
    /// The opponent's result does not go with this one.
    #[error("the opponent's result does not go with this one")]
    Results,
    /// A player of a team meets somebody of none.
    #[error("the opponent is in no team")]
    NoTeam,
    /// A team's record of a round without play, and players who have played in it.
    #[error("the players of the team have games in this round")]
    TeamPlayed,
    /// Two teams meet on some boards and others on the rest.
    #[error("the team plays more than one team, or itself, in this round")]
    Teams,
}

impl Contest {
    /// How many rounds were played.
    pub fn played(&self) -> usize {
        self.rows.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// Whether a result may be worth so much.
    pub fn may_be_worth(points: Fraction) -> bool {
        Fraction::ZERO <= points && points <= Fraction::whole(MAX_POINTS)
    }

    /// Whether so many points may be given or taken apart from results.
    pub fn may_be_extra(points: Fraction) -> bool {
        let most = Fraction::whole(MAX_EXTRA);
        -most <= points && points <= most
    }

    /// Whether sizes and points are within bounds.
    ///
    /// # Errors
    /// The first bound that is not kept.
    pub fn check_bounds(&self) -> Result<(), ContestError> {
        let rounds = self.rounds.max(self.played());
        if self.people.len() > MAX_PLAYERS {
            return Err(ContestError::TooManyPlayers);
        }
        if rounds > MAX_ROUNDS || rounds * self.people.len() > MAX_CELLS {
            return Err(ContestError::TooManyRounds);
        }
        if self.rows.len() != self.people.len() || self.extra.len() != self.people.len() {
            return Err(ContestError::Rows);
        }
        let scheme = &self.scheme;
        let mut worth = vec![scheme.win, scheme.draw, scheme.loss];
        worth.extend([scheme.absence, scheme.allocated_bye, scheme.unfinished]);
        if let Some(teams) = &self.teams {
            let whole = teams.whole.keys().next_back().map_or(0, |(round, _)| round + 1);
            let rounds = rounds.max(whole);
            let cells = teams.teams.len() * rounds;
            let boards = cells.saturating_mul(teams.boards_per_match);
            if teams.teams.len() > MAX_PLAYERS
                || rounds > MAX_ROUNDS
                || cells > MAX_CELLS
                || boards > MAX_BOARDS
            {
                return Err(ContestError::TooManyTeams);
            }
            worth.extend(teams.match_points);
            worth.extend(teams.bye.iter().flatten());
        }
        if !worth.into_iter().all(Self::may_be_worth) {
            return Err(ContestError::Points);
        }
        let ordered = |[win, draw, loss]: [Fraction; 3]| win >= draw && draw >= loss;
        let teams_ordered = self
            .teams
            .as_ref()
            .is_none_or(|teams| ordered(teams.match_points));
        if !ordered([scheme.win, scheme.draw, scheme.loss]) || !teams_ordered {
            return Err(ContestError::Order);
        }
        if !self.extra.iter().copied().all(Self::may_be_extra) {
            return Err(ContestError::Extra);
        }
        Ok(())
    }

    /// Everything that is wrong in the rows: player, round (both from 0) and why.
    pub fn faults(&self) -> Vec<(usize, usize, CellError)> {
        let mut faults = Vec::new();
        for (player, row) in self.rows.iter().enumerate() {
            for (round, cell) in row.iter().enumerate() {
                if let Err(error) = self.check_cell(player, round, cell) {
                    faults.push((player, round, error));
                }
            }
        }
        if faults.is_empty()
            && let Some(teams) = &self.teams
        {
            faults = teams.faults(self);
        }
        faults
    }

    /// Everything that is wrong in what is said of teams' rounds without play: team, round (both from 0) and why. The rows
    /// are taken to be without faults.
    pub fn team_faults(&self) -> Vec<(usize, usize, CellError)> {
        self.teams
            .as_ref()
            .map_or_else(Vec::new, |teams| teams.whole_faults(self))
    }

    fn check_cell(&self, player: usize, round: usize, cell: &Cell) -> Result<(), CellError> {
        let Some(opponent) = cell.opponent else {
            return if cell.mark.needs_opponent() {
                Err(CellError::NoOpponent)
            } else {
                Ok(())
            };
        };
        if cell.mark.is_bye() {
            return Err(CellError::ByeWithOpponent);
        }
        if opponent == player {
            return Err(CellError::Itself);
        }
        let theirs = self.rows.get(opponent).and_then(|row| row.get(round));
        let Some(theirs) = theirs.filter(|theirs| theirs.opponent == Some(player)) else {
            return Err(CellError::NotMutual);
        };
        if cell.color.is_some() && cell.color == theirs.color {
            return Err(CellError::Colors);
        }
        if !cell.mark.agrees_with(theirs.mark) {
            return Err(CellError::Results);
        }
        Ok(())
    }

    /// A player's points.
    pub fn points(&self, player: usize) -> Fraction {
        let row = &self.rows[player];
        let missing = self.played() - row.len();
        let absent = self.scheme.absence * Fraction::whole(i64::try_from(missing).unwrap_or(0));
        self.extra[player] + absent + row.iter().map(|cell| self.scheme.points(cell.mark)).sum()
    }

    /// A player's rated games against rated opponents, each with its round and the opponent's index.
    pub fn rated_games(&self, player: usize) -> Vec<(usize, usize, RatedGame)> {
        let games = self.rows[player]
            .iter()
            .enumerate()
            .filter(|(_, cell)| cell.mark.is_rated());
        let rated = games.filter_map(|(round, cell)| {
            let opponent = cell.opponent?;
            let game = RatedGame {
                opponent: self.people[opponent].rating?,
                half_points: cell.mark.half_points()?,
            };
            Some((round, opponent, game))
        });
        rated.collect()
    }

    /// Every game at the board that has a result, round for round.
    pub fn club_games(&self) -> Vec<ClubGame> {
        let mut games = Vec::new();
        for round in 0..self.played() {
            for (player, row) in self.rows.iter().enumerate() {
                let Some(cell) = row.get(round) else { continue };
                // Each game once, from the side whose index is less.
                let opponent = cell.opponent.filter(|opponent| player < *opponent);
                if let (Some(opponent), Some(half_points)) = (opponent, cell.mark.half_points()) {
                    let theirs = self.rows[opponent]
                        .get(round)
                        .and_then(|cell| cell.mark.half_points());
                    games.push(ClubGame {
                        players: [player, opponent],
                        half_points: [half_points, theirs.unwrap_or(0)],
                    });
                }
            }
        }
        games
    }

    /// What is ranked: the teams if there are any, else the players. The rows are taken to be without faults.
    pub fn field(&self) -> Field {
        match &self.teams {
            Some(teams) => teams.field(self),
            None => self.player_field(),
        }
    }

    /// The players, also of a team event.
    pub fn player_field(&self) -> Field {
        let played = self.played();
        let entries = self.people.iter().zip(&self.rows).zip(&self.extra);
        let entry = |((person, row), extra): ((&Person, &Vec<Cell>), &Fraction)| {
            let absent = Cell::alone(Mark::ZeroPointBye);
            let slots = (0..played).map(|round| self.slot(row.get(round).unwrap_or(&absent)));
            Entry {
                number: person.number,
                rating: person.rating,
                slots: slots.collect(),
                extra: [*extra, Fraction::ZERO],
                boards: Vec::new(),
            }
        };
        Field {
            entries: entries.map(entry).collect(),
            rounds: self.rounds.max(played),
            system: self.system,
            teams: false,
            primary: Unit::Match,
            win: [self.scheme.win, Fraction::ZERO],
            draw: [self.scheme.draw, Fraction::ZERO],
        }
    }

    fn slot(&self, cell: &Cell) -> Slot {
        Slot {
            opponent: cell.opponent,
            black: cell.color.map(|color| color == Color::Black),
            kind: kind(cell.mark),
            half_points: cell.mark.half_points(),
            points: [self.scheme.points(cell.mark), Fraction::ZERO],
        }
    }
}

/// The kind of round that a mark stands for.
pub(super) fn kind(mark: Mark) -> Kind {
    match mark {
        Mark::ForfeitWin => Kind::ForfeitWin,
        Mark::ForfeitLoss => Kind::ForfeitLoss,
        Mark::FullPointBye | Mark::AllocatedBye => Kind::AwardedBye,
        Mark::HalfPointBye | Mark::ZeroPointBye => Kind::RequestedBye,
        _ => Kind::Played,
    }
}
