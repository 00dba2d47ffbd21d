use super::Fraction;

/// Greatest number of participants.
pub const MAX_PLAYERS: usize = 2_000;

/// Greatest number of rounds.
pub const MAX_ROUNDS: usize = 100;

/// Greatest number of participants times rounds.
pub const MAX_CELLS: usize = 60_000;

/// How the pairings came about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum System {
    /// By score, round for round: articles 15.3 and 16 of C.07 hold.
    #[default]
    Swiss,
    /// Known beforehand, as in a round robin: article 15.2 holds.
    RoundRobin,
}

/// What a score counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Unit {
    /// A player's points, or a team's match points.
    #[default]
    Match,
    /// A team's game points. A player has none.
    Game,
}

impl Unit {
    /// The other one.
    pub fn other(self) -> Self {
        match self {
            Self::Match => Self::Game,
            Self::Game => Self::Match,
        }
    }

    pub(super) fn index(self) -> usize {
        self as usize
    }
}

/// How a round went for a participant, in the terms of C.07 16.2.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// At the board.
    Played,
    /// Won without play (16.2.2).
    ForfeitWin,
    /// Lost without play (16.2.4), a voluntary unplayed round.
    ForfeitLoss,
    /// A pairing-allocated or full-point bye (16.2.1).
    AwardedBye,
    /// A half-point or zero-point bye, also every round after a withdrawal (16.2.3, 16.2.5), a voluntary unplayed round.
    RequestedBye,
}

impl Kind {
    /// Whether the participant was not available to play (16.1.2).
    pub fn is_voluntary(self) -> bool {
        matches!(self, Self::ForfeitLoss | Self::RequestedBye)
    }
}

/// One round of one participant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot {
    /// The scheduled opponent.
    pub opponent: Option<usize>,
    /// Whether the participant had the black pieces; unknown without an opponent.
    pub black: Option<bool>,
    /// How it went.
    pub kind: Kind,
    /// The result at the board in half points, 2, 1 or 0; for a team, of the match.
    pub half_points: Option<u8>,
    /// The points awarded, by [`Unit`].
    pub points: [Fraction; 2],
}

/// A participant: a player or a team.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Its pairing number.
    pub number: u32,
    /// Its rating; a team has none.
    pub rating: Option<u32>,
    /// One for each round that was played.
    pub slots: Vec<Slot>,
    /// Points given or taken apart from any round, by [`Unit`].
    pub extra: [Fraction; 2],
    /// A team's game points by round and by board, from board 1, as article 12 counts them; empty for a player.
    pub boards: Vec<Vec<Fraction>>,
}

/// Participants and their rounds: all that scores and tie-breaks depend on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// The participants.
    pub entries: Vec<Entry>,
    /// How many rounds the tournament has; at least as many as were played.
    pub rounds: usize,
    /// How it was paired.
    pub system: System,
    /// Whether the participants are teams.
    pub teams: bool,
    /// The score that decides.
    pub primary: Unit,
    /// What a won round is worth, by [`Unit`].
    pub win: [Fraction; 2],
    /// What a drawn round is worth, by [`Unit`].
    pub draw: [Fraction; 2],
}

impl Field {
    /// A participant's score in a unit.
    pub fn score(&self, entry: usize, unit: Unit) -> Fraction {
        let entry = &self.entries[entry];
        let index = unit.index();
        entry.extra[index] + entry.slots.iter().map(|slot| slot.points[index]).sum()
    }

    /// How many rounds were played.
    pub fn played(&self) -> usize {
        self.entries
            .iter()
            .map(|entry| entry.slots.len())
            .max()
            .unwrap_or(0)
    }
}
