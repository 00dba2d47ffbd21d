//! What happens in a game, as it is reported.

use std::time::Duration;

use tabiya_rules::{Color, Square};

use super::GameResult;
use crate::ClaimGround;

/// Something that happened in a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// Who acted; `None` is the arbiter.
    pub actor: Option<Color>,
    /// When, from the start of the game; needed only where clocks are to be computed.
    pub at: Option<Duration>,
    /// What.
    pub kind: EventKind,
}

/// What kind of thing happened. Facts that are `None` were not reported.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EventKind {
    /// A move was made on the board, legal or not.
    Move {
        /// The move in UCI notation; a promotion without its piece is a pawn left on the last rank.
        uci: String,
        /// Whether both hands were used.
        two_hands: bool,
    },
    /// The clock was pressed.
    ClockPress,
    /// Pieces were touched.
    Touch {
        /// Their squares, in order.
        squares: Vec<Square>,
        /// Whether the player had said that he adjusts.
        adjust: bool,
        /// Whether the order is not known.
        order_unclear: bool,
    },
    /// A piece was set down on a square.
    Release {
        /// Where it came from.
        from: Square,
        /// Where it stands now.
        to: Square,
        /// Whether the hand has left it.
        released: bool,
    },
    /// A complaint that the opponent's touched or released piece was not honoured.
    TouchComplaint {
        /// Whether the complainant has touched a piece since.
        touched_since: bool,
    },
    /// A draw was offered.
    DrawOffer,
    /// An offer, or a claim, was to be withdrawn.
    Withdrawal,
    /// An offer was answered.
    DrawAnswer {
        /// Whether it was accepted.
        accept: bool,
    },
    /// A draw was claimed.
    Claim {
        /// Why.
        ground: ClaimGround,
        /// The move that was written down with it, in UCI notation.
        with_move: Option<String>,
        /// Time left on the claimant's clock.
        remaining: Option<Duration>,
    },
    /// A player resigned.
    Resignation,
    /// A flag was seen to have fallen; the actor is who saw or claimed it.
    FlagFall {
        /// Whose flag; `None` if both have fallen and nobody knows which fell first.
        side: Option<Color>,
        /// Whether this is the last period.
        last_period: Option<bool>,
    },
    /// A player arrived.
    Arrival {
        /// How long after the start of play, or of the resumption.
        late: Duration,
    },
    /// An illegal move was reported.
    IllegalMoveReport {
        /// Whether both players had signed the result.
        after_signature: bool,
        /// Whether the position before it is known.
        position_known: bool,
        /// Whether the clock times at the irregularity are known.
        times_known: bool,
    },
    /// The arbiter found both kings in check, or a pawn on its last rank.
    IllegalPosition,
    /// Pieces were displaced by the actor.
    Displacement,
    /// Something was wrong from the start.
    SetupFault {
        /// What.
        fault: SetupFault,
        /// How much of the first period has passed, in permille.
        first_period_permille: Option<u32>,
    },
    /// A player stopped recording.
    RecordingLapse {
        /// Time left on his clock.
        remaining: Option<Duration>,
        /// The increment of the period.
        increment: Option<Duration>,
    },
    /// After a flag, neither sheet shows how many moves were made, and they cannot be reconstructed.
    SheetsUnclear,
    /// The actor broke the rules of conduct.
    Breach {
        /// How.
        breach: Breach,
    },
    /// The player on move sealed a move, or changed it.
    Seal {
        /// What he wrote: SAN or UCI.
        text: String,
        /// Whether it was the move he had played on the board after the order to seal.
        clock_stopped: bool,
    },
    /// The envelope could not be found on resumption.
    EnvelopeLost {
        /// Whether the adjourned position is known.
        position_known: Option<bool>,
    },
    /// Play was to be resumed.
    Resume {
        /// Whether the player who has to reply is present.
        replier_present: bool,
        /// How late the sealer is.
        sealer_late: Duration,
    },
    /// The arbiter ended the game.
    ArbiterDecision {
        /// With this result; `None`: the game does not count.
        result: Option<GameResult>,
    },
    /// An earlier event is taken back: what followed it is replayed without it. Rulings already given stay as they
    /// were given.
    Retraction {
        /// The earlier event's place in the list.
        event: usize,
    },
}

/// What was wrong from the start.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SetupFault {
    /// The pieces stood wrong.
    WrongPieces,
    /// The board was turned.
    BoardTurned,
    /// The colours were reversed.
    ColoursReversed,
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
    /// Anything else.
    Other,
}
