//! Kinds of reported facts.

use std::time::Duration;

use tabiya_rules::Color;

use super::{Choice, ClockReading, GameResult};

/// How a move is written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Notation {
    /// `e2e4`, `e7e8q`.
    Uci,
    /// `Nf3`, `e8=Q+`.
    San,
    /// `马f3`, `兵e8升变后`.
    Chinese,
}

/// Who saw a flag.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Witness {
    /// The event's actor.
    #[default]
    Actor,
    /// The arbiter.
    Arbiter,
    /// A player of the game.
    Player,
    /// Anybody else.
    Bystander,
    /// A record, which does not say who: that it stands there means that it was established.
    Record,
}

/// What was set up wrong.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SetupFault {
    /// The pieces stood wrong at the start.
    WrongPieces,
    /// The board was turned.
    BoardTurned,
    /// The colours were reversed.
    ColoursReversed,
    /// The adjourned position was set up wrong.
    ResumedWrong,
}

/// A lapse in recording.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RecordingLapse {
    /// The actor stopped recording.
    Stopped,
    /// The actor is about to move though his last move is not recorded.
    Behind,
    /// A move was written down before it was played, neither for a claim nor for sealing.
    InAdvance,
    /// An offer of a draw was not marked.
    OfferUnmarked,
    /// The actor refuses to record.
    Refused,
    /// Neither player can record any more.
    BothStopped,
    /// The actor asks for the opponent's sheet.
    Borrows,
    /// After a flag: the actor alone has to complete his sheet.
    OneIncomplete,
    /// After a flag: both sheets have to be completed.
    BothIncomplete,
    /// After a flag: the sheets alone do not suffice.
    Insufficient,
    /// After a flag: how many moves were made cannot be shown.
    Unclear,
}

/// How the rules of conduct were broken.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Breach {
    /// A device was found on the player.
    DeviceOnPlayer,
    /// Persistent refusal to comply.
    Refusal,
    /// Persistent refusal by both players.
    BothRefuse,
    /// The game was brought into disrepute.
    Disrepute,
    /// The player left the venue, or its area while on move.
    LeftArea,
    /// Notes, sources, advice, another board.
    Help,
    /// A device in the venue that the event does not allow.
    DeviceInVenue,
    /// The player refused to be inspected.
    InspectionRefused,
    /// Smoking outside the area for it.
    Smoking,
    /// The opponent was distracted or annoyed.
    Disturbing,
    /// Memory notes besides what a score sheet holds.
    NotesOnSheet,
    /// Analysis in the playing room.
    AnalysisInRoom,
    /// The clock was handled wrongly.
    ClockHandling,
    /// The player asked his captain.
    Captain,
    /// Anything else.
    Other,
}

/// What an envelope states.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum EnvelopeItem {
    /// The players' names.
    Names,
    /// The position before the sealed move.
    Position,
    /// The times used.
    Times,
    /// Who sealed.
    Sealer,
    /// The number of the sealed move.
    MoveNumber,
    /// An offer of a draw that stands.
    Offer,
    /// When and where play is resumed.
    Resumption,
}

/// Why both clocks were stopped.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PauseReason {
    /// To call the arbiter.
    Assistance,
    /// The piece for a promotion was not at hand.
    PromotionPiece,
    /// To claim a draw.
    Claim,
    /// For no good reason.
    Groundless,
}

/// What is wrong with a clock.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ClockFault {
    /// It is evidently defective.
    Defect,
    /// A player doubts it and nothing is evident.
    Doubted,
    /// It was set wrong.
    Setting,
    /// After an adjournment it showed other times than the envelope.
    ResumedWrong,
}

/// What a player short of time in a game without increment may ask.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum QuickplayClaim {
    /// An increment for both players.
    Increment,
    /// A draw, because the opponent cannot win by normal means or makes no effort to.
    NormalMeans,
    /// The same where no arbiter supervises.
    Unsupervised,
}

/// What the arbiter decided.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Decision {
    /// The game ends with this result.
    Result(GameResult),
    /// The game does not count.
    Annul,
    /// One of the options that a ruling listed.
    Choice {
        /// Which.
        choice: Choice,
        /// The event whose ruling listed it; `None`: any earlier one, or a general power of the ruleset.
        event: Option<usize>,
        /// Whom it concerns.
        side: Option<Color>,
        /// How much time.
        time: Option<Duration>,
        /// How many half points.
        half_points: u32,
        /// The result, where it is the signed result that is changed.
        result: Option<GameResult>,
        /// What the clocks are set to.
        clocks: ClockReading,
    },
}
