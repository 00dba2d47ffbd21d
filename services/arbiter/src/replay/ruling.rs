//! What the arbiter answers.

use std::time::Duration;

use tabiya_rules::{Color, Move, Square};

use super::{Choice, Clocks, EnvelopeItem, Reason, TimeCategory};
use crate::{Claim, ruleset::Rule};

/// The answer to one event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ruling {
    /// The event's place in the list.
    pub event: usize,
    /// Whether it has the effect that its actor wanted.
    pub accepted: bool,
    /// Why.
    pub reason: Reason,
    /// What it rests on.
    pub rules: Vec<Rule>,
    /// Numbers of the articles that state it, and of those that state the end of the game where this ended it.
    pub articles: Vec<String>,
    /// What follows.
    pub effects: Vec<Effect>,
    /// For a retraction or a correction: the rulings on later events that are now different.
    pub replayed: Vec<Ruling>,
}

/// A right that a player can lose and have again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Right {
    /// To castle on the king's side.
    CastleKingSide,
    /// To castle on the queen's side.
    CastleQueenSide,
    /// To claim a draw on this move.
    Claim,
    /// To offer a draw.
    Offer,
    /// To complain about a touched or released piece.
    Complaint,
}

impl Right {
    /// Every right.
    pub const ALL: [Self; 5] = [
        Self::CastleKingSide,
        Self::CastleQueenSide,
        Self::Claim,
        Self::Offer,
        Self::Complaint,
    ];

    /// Its name for machines.
    pub fn name(self) -> &'static str {
        match self {
            Self::CastleKingSide => "castle-king-side",
            Self::CastleQueenSide => "castle-queen-side",
            Self::Claim => "claim",
            Self::Offer => "offer",
            Self::Complaint => "complaint",
        }
    }
}

/// What follows from an event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Time is added to what a side has left.
    TimeAdded {
        /// The side.
        side: Color,
        /// How much.
        time: Duration,
    },
    /// Time is added to what a side has used.
    UsedTimeAdded {
        /// The side.
        side: Color,
        /// How much.
        time: Duration,
    },
    /// The position before an irregularity is restored.
    Restored,
    /// The game goes on from the last position that can be identified.
    LastIdentifiable,
    /// An illegal move counts against a side.
    IllegalCount {
        /// The side.
        side: Color,
        /// How many there are now.
        count: u32,
    },
    /// A pawn becomes a queen.
    BecomesQueen(Square),
    /// The promotion has to be finished.
    FinishPromotion(Square),
    /// An offer stands.
    OfferOpen {
        /// Who made it.
        by: Color,
    },
    /// An offer does not stand any more; one of the other side's may.
    OfferClosed {
        /// Who made it.
        by: Color,
    },
    /// The answer to the offer may wait for the move.
    AnswerMayWait,
    /// The arbiter may penalise a side.
    MayBePenalised {
        /// The side.
        side: Color,
    },
    /// The arbiter may choose this option.
    Option(Choice),
    /// Only these moves are allowed.
    Obliged(Vec<Move>),
    /// Any legal move is allowed.
    Free,
    /// Times are shared out in proportion to the moves.
    ShareTimes,
    /// The time that a side has lost.
    TimeLost {
        /// The side.
        side: Color,
        /// How much.
        time: Duration,
    },
    /// A side's clock runs.
    ClockRuns {
        /// The side.
        side: Color,
    },
    /// The envelope stays shut.
    EnvelopeShut,
    /// A new game is played.
    NewGame,
    /// The position is carried over to a correct board.
    CarriedOver,
    /// The next move is the first of the next period.
    NextPeriod,
    /// A side need not record.
    NeedNotRecord {
        /// The side.
        side: Color,
    },
    /// A side has to complete its sheet once the period is over.
    CompleteSheet {
        /// The side.
        side: Color,
    },
    /// This move is the sealed move.
    SealedMove(Move),
    /// A side loses a right.
    RightLost {
        /// The side.
        side: Color,
        /// The right.
        right: Right,
    },
    /// A side has a right again.
    RightRegained {
        /// The side.
        side: Color,
        /// The right.
        right: Right,
    },
    /// Both clocks stand still.
    ClocksPaused,
    /// A side's clock is set.
    ClockSet {
        /// The side.
        side: Color,
        /// What it then shows.
        time: Duration,
    },
    /// A side's points change, by half points.
    Points {
        /// The side.
        side: Color,
        /// How many; negative for those taken away.
        half_points: i32,
    },
    /// The envelope lacks this.
    CompleteEnvelope(Vec<EnvelopeItem>),
    /// The game is reconstructed on a second board.
    SecondBoard,
    /// The arbiter or his deputy records the moves.
    ArbiterRecords,
    /// A side lends its score sheet to the opponent.
    LendSheet {
        /// The side.
        side: Color,
    },
}

/// Whether a game is over.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GameStatus {
    /// It goes on.
    Ongoing,
    /// It has a result.
    Decided,
    /// It does not count.
    Void,
    /// It is adjourned.
    Suspended,
}

/// A result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GameResult {
    /// One side wins.
    Wins(Color),
    /// A draw.
    Draw,
    /// Both sides lose.
    BothLose,
}

impl GameResult {
    /// What each side scores, in half points: White's first.
    pub fn half_points(self) -> [u32; 2] {
        match self {
            Self::Wins(Color::White) => [2, 0],
            Self::Wins(Color::Black) => [0, 2],
            Self::Draw => [1, 1],
            Self::BothLose => [0, 0],
        }
    }
}

/// What ended a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conclusion {
    /// Decided or void.
    pub status: GameStatus,
    /// The result of a decided game.
    pub result: Option<GameResult>,
    /// Why.
    pub reason: Reason,
    /// Numbers of the articles.
    pub articles: Vec<String>,
    /// The event that did it; `None` if the moves before the first event did.
    pub event: Option<usize>,
    /// Plies played by then.
    pub ply: usize,
    /// Other endings that applied at the same moment.
    pub also: Vec<Reason>,
}

/// The whole answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// Whether the game is over.
    pub status: GameStatus,
    /// Why it is, or is not.
    pub reason: Reason,
    /// What each side scores, in half points, White's first: for the result, and what the arbiter has given or taken, as far
    /// as the game has points to give. `None` while there is no result.
    pub scores: Option<[u32; 2]>,
    /// What ended it.
    pub conclusion: Option<Conclusion>,
    /// One ruling for each event.
    pub rulings: Vec<Ruling>,
    /// The rulings as the list now stands, if an event was taken back or corrected.
    pub standing: Option<Vec<Ruling>>,
    /// Draws that the player on move may claim now.
    pub claimable: Vec<Claim>,
    /// The only moves that the player on move may play, if touching or a claim has bound him.
    pub obligations: Option<Vec<Move>>,
    /// Facts that would be needed to decide, with the event that needs them.
    pub missing_facts: Vec<MissingFact>,
    /// The clocks at the latest time given, if they can be computed.
    pub clocks: Option<Clocks>,
    /// What the time control makes of the game.
    pub category: Option<TimeCategory>,
}

/// A fact that nobody reported.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct MissingFact {
    /// The event that needs it; `None` if the game as a whole does.
    pub event: Option<usize>,
    /// Which it is.
    pub fact: &'static str,
    /// Numbers of the articles that ask for it.
    pub articles: Vec<String>,
}
