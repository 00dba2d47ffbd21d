use std::collections::BTreeMap;

use super::{Cell, CellError, Contest, Entry, Field, Fraction, Kind, Mark, Slot, Unit, contest::kind};

/// A team.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Team {
    /// Its pairing number.
    pub number: u32,
    /// Its name.
    pub name: String,
    /// Its players in board order, by their index.
    pub members: Vec<usize>,
}

/// A round that a team spent without a game on any board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WholeRound {
    /// The team that was to be played.
    pub opponent: Option<usize>,
    /// A bye or a forfeit.
    pub mark: Mark,
}

/// The teams of an event and what their matches are worth.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TeamEvent {
    /// The teams.
    pub teams: Vec<Team>,
    /// Rounds without play that no player's row shows, by round, from 0, and team.
    pub whole: BTreeMap<(usize, usize), WholeRound>,
    /// The boards on which players sat, by round and player, where that is not the order of the members. From 0.
    pub boards: BTreeMap<(usize, usize), usize>,
    /// How many boards a match has.
    pub boards_per_match: usize,
    /// Match points for a win, a draw and a loss.
    pub match_points: [Fraction; 3],
    /// Match and game points of the pairing-allocated bye; those of a drawn match by default (C.04.6 1.4).
    pub bye: Option<[Fraction; 2]>,
    /// The score that decides.
    pub primary: Unit,
}

/// A team's side of a match.
struct Side {
    opponent: Option<usize>,
    game_points: Fraction,
    /// By board, from 0.
    boards: BTreeMap<usize, Fraction>,
    played: bool,
    black: Option<bool>,
}

impl TeamEvent {
    /// Match points of 2, 1 and 0, decided by match points.
    pub const MATCH_POINTS: [Fraction; 3] = [Fraction::whole(2), Fraction::whole(1), Fraction::ZERO];

    /// The most boards that a team occupied in a round, or that were named.
    pub fn occupied_boards(&self, rows: &[Vec<Cell>]) -> usize {
        let named = self.boards.values().max().map_or(0, |board| board + 1);
        let occupied = self.teams.iter().map(|team| {
            let played = team.members.iter().map(|&member| rows[member].len()).max();
            let boards = |round: usize| {
                let cells = team.members.iter().filter_map(|&member| rows[member].get(round));
                cells.filter(|cell| !cell.mark.is_bye()).count()
            };
            (0..played.unwrap_or(0)).map(boards).max().unwrap_or(0)
        });
        occupied.max().unwrap_or(0).max(named)
    }

    fn team_of(&self, players: usize) -> Vec<Option<usize>> {
        let mut of = vec![None; players];
        for (team, members) in self.teams.iter().map(|team| &team.members).enumerate() {
            for &member in members {
                of[member] = Some(team);
            }
        }
        of
    }

    pub(super) fn faults(&self, contest: &Contest) -> Vec<(usize, usize, CellError)> {
        let of = self.team_of(contest.people.len());
        let mut faults = Vec::new();
        for (index, team) in self.teams.iter().enumerate() {
            for round in 0..contest.played() {
                let mut opponent = None;
                for &member in &team.members {
                    let cell = contest.rows[member].get(round);
                    let Some(opposite) = cell.and_then(|cell| cell.opponent) else {
                        continue;
                    };
                    let Some(other) = of[opposite] else {
                        faults.push((member, round, CellError::NoTeam));
                        continue;
                    };
                    if other == index || opponent.is_some_and(|opponent| opponent != other) {
                        faults.push((member, round, CellError::Teams));
                    }
                    opponent = Some(other);
                }
            }
        }
        faults
    }

    /// What is wrong in the rounds without play: team, round and why. An opponent that is named has a record of the round
    /// that names this team and goes with its own, or players who were there.
    pub(super) fn whole_faults(&self, contest: &Contest) -> Vec<(usize, usize, CellError)> {
        let paired = |team: usize, round: usize| {
            let members = self.teams[team].members.iter();
            let mut cells = members.filter_map(|&member| contest.rows[member].get(round));
            cells.any(|cell| !cell.mark.is_bye())
        };
        // Games, or forfeits that went the other way.
        let denied = |team: usize, round: usize, mark: Mark| {
            let members = self.teams[team].members.iter();
            let mut cells = members.filter_map(|&member| contest.rows[member].get(round));
            cells.any(|cell| match cell.mark {
                Mark::ForfeitWin => mark == Mark::ForfeitLoss,
                Mark::ForfeitLoss => mark == Mark::ForfeitWin,
                other => other.is_played(),
            })
        };
        let mut faults = Vec::new();
        for (&(round, team), whole) in &self.whole {
            // Boards that nobody came to may leave the opponent to this record.
            let bye = whole.mark.is_bye() && paired(team, round);
            if bye || denied(team, round, whole.mark) {
                faults.push((team, round, CellError::TeamPlayed));
                continue;
            }
            let Some(opponent) = whole.opponent else { continue };
            let error = match self.whole.get(&(round, opponent)) {
                Some(theirs) if theirs.opponent != Some(team) => Some(CellError::NotMutual),
                Some(theirs) => (!whole.mark.agrees_with(theirs.mark)).then_some(CellError::Results),
                None => (!paired(opponent, round)).then_some(CellError::NotMutual),
            };
            faults.extend(error.map(|error| (team, round, error)));
        }
        faults
    }

    pub(super) fn field(&self, contest: &Contest) -> Field {
        let of = self.team_of(contest.people.len());
        let whole_rounds = self.whole.keys().next_back().map_or(0, |(round, _)| round + 1);
        let played = contest.played().max(whole_rounds);
        let sides: Vec<Vec<Option<Side>>> = (0..self.teams.len())
            .map(|team| {
                (0..played)
                    .map(|round| self.side(contest, &of, team, round))
                    .collect()
            })
            .collect();
        let entry = |(index, team): (usize, &Team)| {
            let mut boards = vec![vec![Fraction::ZERO; self.boards_per_match]; played];
            let mut slots = Vec::with_capacity(played);
            for (round, boards) in boards.iter_mut().enumerate() {
                slots.push(match &sides[index][round] {
                    Some(side) => {
                        for (board, points) in &side.boards {
                            if let Some(sum) = boards.get_mut(*board) {
                                *sum += *points;
                            }
                        }
                        let theirs = side.opponent.and_then(|opponent| sides[opponent][round].as_ref());
                        self.match_slot(side, theirs)
                    }
                    None => self.whole_slot(contest, index, round, boards),
                });
            }
            Entry {
                number: team.number,
                rating: None,
                slots,
                extra: [Fraction::ZERO; 2],
                boards,
            }
        };
        let boards = self.board_count();
        Field {
            entries: self.teams.iter().enumerate().map(entry).collect(),
            rounds: contest.rounds.max(played),
            system: contest.system,
            teams: true,
            primary: self.primary,
            win: [self.match_points[0], contest.scheme.win * boards],
            draw: [self.match_points[1], contest.scheme.draw * boards],
        }
    }

    /// How many boards a match has, as a number.
    pub fn board_count(&self) -> Fraction {
        Fraction::whole(i64::try_from(self.boards_per_match).unwrap_or(0))
    }

    /// What the players' rows say about a team's round; `None` if no player was paired.
    fn side(&self, contest: &Contest, of: &[Option<usize>], team: usize, round: usize) -> Option<Side> {
        let members = self.teams[team].members.iter();
        let paired = members.filter_map(|&member| {
            let cell = contest.rows[member]
                .get(round)
                .filter(|cell| !cell.mark.is_bye())?;
            Some((member, cell))
        });
        let mut side: Option<Side> = None;
        for (position, (member, cell)) in paired.enumerate() {
            let board = self.boards.get(&(round, member)).copied().unwrap_or(position);
            let points = contest.scheme.points(cell.mark);
            let side = side.get_or_insert(Side {
                opponent: None,
                game_points: Fraction::ZERO,
                boards: BTreeMap::new(),
                played: false,
                black: None,
            });
            side.game_points += points;
            *side.boards.entry(board).or_insert(Fraction::ZERO) += points;
            side.played |= cell.mark.is_played();
            side.opponent = side.opponent.or_else(|| of[cell.opponent?]);
            if board == 0 {
                side.black = cell.color.map(|color| color == tabiya_rules::Color::Black);
            }
        }
        // Boards that nobody came to leave the opponent to the record of the match.
        if let Some(side) = side.as_mut().filter(|side| side.opponent.is_none()) {
            let known = self.whole.get(&(round, team));
            side.opponent = known.and_then(|whole| whole.opponent);
        }
        side
    }

    fn match_slot(&self, side: &Side, theirs: Option<&Side>) -> Slot {
        let against = theirs.map_or(Fraction::ZERO, |side| side.game_points);
        let played = side.played || theirs.is_some_and(|side| side.played);
        let order = side.game_points.cmp(&against);
        let (half_points, result) = match order {
            std::cmp::Ordering::Greater => (2, 0),
            // Nobody came: both have lost.
            std::cmp::Ordering::Equal if !played => (0, 2),
            std::cmp::Ordering::Equal => (1, 1),
            std::cmp::Ordering::Less => (0, 2),
        };
        let kind = match (played, result) {
            (true, _) => Kind::Played,
            (false, 0) => Kind::ForfeitWin,
            (false, _) => Kind::ForfeitLoss,
        };
        Slot {
            opponent: side.opponent,
            black: side.black,
            kind,
            half_points: played.then_some(half_points),
            points: [self.match_points[result], side.game_points],
        }
    }

    /// A round without play, or one in which the team was not there at all. Every board counts as won in a
    /// pairing-allocated bye (preface to C.07 12), whatever the bye itself is worth.
    fn whole_slot(&self, contest: &Contest, team: usize, round: usize, boards: &mut [Fraction]) -> Slot {
        let found = self.whole.get(&(round, team));
        let mark = found.map_or(Mark::ZeroPointBye, |whole| whole.mark);
        let scheme = &contest.scheme;
        let ([win, draw, loss], count) = (self.match_points, self.board_count());
        let (points, on_board) = match mark {
            Mark::ForfeitWin | Mark::FullPointBye => ([win, scheme.win * count], scheme.win),
            Mark::AllocatedBye => (self.bye.unwrap_or([draw, scheme.draw * count]), scheme.win),
            Mark::HalfPointBye => ([draw, scheme.draw * count], scheme.draw),
            _ => ([loss, scheme.absence * count], scheme.absence),
        };
        for board in boards {
            *board += on_board;
        }
        Slot {
            opponent: found.and_then(|whole| whole.opponent),
            black: None,
            kind: kind(mark),
            half_points: None,
            points,
        }
    }
}
