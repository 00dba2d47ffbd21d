/// What a participant's row shows for one round, as in FIDE's tournament report file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mark {
    /// `1`: a game was won.
    Win,
    /// `=`: a game was drawn.
    Draw,
    /// `0`: a game was lost. Both sides may have lost.
    Loss,
    /// `+`: the opponent did not play.
    ForfeitWin,
    /// `-`: the participant did not play.
    ForfeitLoss,
    /// `W`: won, but the game lasted less than a move and is not rated.
    ShortWin,
    /// `D`: drawn, but the game lasted less than a move and is not rated.
    ShortDraw,
    /// `L`: lost, but the game lasted less than a move and is not rated.
    ShortLoss,
    /// `H`: a requested bye for half a point.
    HalfPointBye,
    /// `F`: a bye for a full point.
    FullPointBye,
    /// `U`: the bye that the pairing gave out because the number of participants was odd.
    AllocatedBye,
    /// `Z`: absent, announced beforehand or after a withdrawal.
    ZeroPointBye,
    /// Paired, but the result is not known, as of an adjourned game.
    Unfinished,
}

/// Every mark that has a letter, with it.
const LETTERS: [(Mark, char); 12] = [
    (Mark::Win, '1'),
    (Mark::Draw, '='),
    (Mark::Loss, '0'),
    (Mark::ForfeitWin, '+'),
    (Mark::ForfeitLoss, '-'),
    (Mark::ShortWin, 'W'),
    (Mark::ShortDraw, 'D'),
    (Mark::ShortLoss, 'L'),
    (Mark::HalfPointBye, 'H'),
    (Mark::FullPointBye, 'F'),
    (Mark::AllocatedBye, 'U'),
    (Mark::ZeroPointBye, 'Z'),
];

impl Mark {
    /// The mark that a letter of the report file stands for; letters count in either case.
    pub fn from_letter(letter: char) -> Option<Self> {
        let letter = letter.to_ascii_uppercase();
        LETTERS
            .iter()
            .find(|(_, other)| *other == letter)
            .map(|(mark, _)| *mark)
    }

    /// The letter in the report file; a blank for an unknown result.
    pub fn letter(self) -> char {
        LETTERS
            .iter()
            .find(|(mark, _)| *mark == self)
            .map_or(' ', |(_, letter)| *letter)
    }

    /// Whether there was a game at the board (or there is one that is not finished).
    pub fn is_played(self) -> bool {
        self.half_points().is_some() || self == Self::Unfinished
    }

    /// Whether it takes an opponent.
    pub fn needs_opponent(self) -> bool {
        self.is_played()
    }

    /// Whether it is a bye of any kind.
    pub fn is_bye(self) -> bool {
        matches!(
            self,
            Self::HalfPointBye | Self::FullPointBye | Self::AllocatedBye | Self::ZeroPointBye
        )
    }

    /// Whether a rating regulation counts the game.
    pub fn is_rated(self) -> bool {
        matches!(self, Self::Win | Self::Draw | Self::Loss)
    }

    /// The result at the board in half points, whatever the event pays for it: 2, 1 or 0.
    pub fn half_points(self) -> Option<u8> {
        match self {
            Self::Win | Self::ShortWin => Some(2),
            Self::Draw | Self::ShortDraw => Some(1),
            Self::Loss | Self::ShortLoss => Some(0),
            _ => None,
        }
    }

    /// Whether the opponent's row may show `other` against this mark.
    ///
    /// Both sides may lose, and an arbiter may give one side half a point and the other nothing; both sides never
    /// share more than one point, and a game is not played by one side only.
    pub fn agrees_with(self, other: Self) -> bool {
        let short = |mark| matches!(mark, Self::ShortWin | Self::ShortDraw | Self::ShortLoss);
        match (self, other) {
            (Self::ForfeitWin, Self::ForfeitLoss)
            | (Self::ForfeitLoss, Self::ForfeitWin | Self::ForfeitLoss)
            | (Self::Unfinished, Self::Unfinished) => true,
            _ => match (self.half_points(), other.half_points()) {
                (Some(mine), Some(theirs)) => short(self) == short(other) && mine + theirs <= 2,
                _ => false,
            },
        }
    }
}
