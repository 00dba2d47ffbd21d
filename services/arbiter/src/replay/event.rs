//! What happens in a game, as it is reported.

use std::time::Duration;

use tabiya_rules::{Color, Piece, Square};

use super::{
    Breach, ClockFault, Decision, EnvelopeItem, Notation, PauseReason, QuickplayClaim, RecordingLapse,
    SetupFault, Witness,
};
use crate::ClaimGround;

/// Something that happened in a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// Who acted; `None` is the arbiter.
    pub actor: Option<Color>,
    /// When, from the start of the game; needed only where clocks are to be computed.
    pub at: Option<Duration>,
    /// What the clocks show once it has happened.
    pub reading: ClockReading,
    /// What.
    pub kind: EventKind,
}

impl Event {
    /// An event without a time or a reading.
    pub fn new(actor: Option<Color>, kind: EventKind) -> Self {
        Self {
            actor,
            at: None,
            reading: ClockReading::default(),
            kind,
        }
    }
}

/// Time left on White's clock and on Black's, as far as it was read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct ClockReading(pub [Option<Duration>; 2]);

/// What kind of thing happened. Facts that are `None` were not reported.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EventKind {
    /// A move was made on the board, legal or not.
    Move {
        /// The move; a promotion without its piece is a pawn left on the last rank.
        text: String,
        /// How it is written; `None`: the first of UCI, SAN, Chinese, and SAN with another language's letters, in which it is
        /// a move.
        notation: Option<Notation>,
        /// Whether both hands were used.
        two_hands: bool,
        /// Whether nobody has noticed what is against the rules in it: play goes on until it is found and reported.
        unnoticed: bool,
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
        /// Whether it was plainly an accident.
        accidental: bool,
        /// Whether there was consent to adjusting.
        consent: Option<bool>,
        /// On the board of a visually disabled player, whether they were taken out of their holes.
        out_of_hole: Option<bool>,
    },
    /// A piece was set down on a square.
    Release {
        /// Where it came from.
        from: Square,
        /// Where it stands now.
        to: Square,
        /// Whether the hand has left it.
        released: bool,
        /// The new piece that has touched the promotion square.
        promotion: Option<Piece>,
        /// By a visually disabled player, whether the move was announced.
        announced: Option<bool>,
    },
    /// A complaint that the opponent did not honour a touched or released piece with his last move.
    TouchComplaint {
        /// Whether the complainant has touched a piece since.
        touched_since: bool,
        /// What the opponent had touched, in order; an empty square is where he had let go of the piece before it. None where
        /// the record shows it.
        squares: Vec<Square>,
        /// What a pawn had become on the last of these squares.
        promotion: Option<Piece>,
        /// Whether the arbiter found that it is so.
        established: Option<bool>,
    },
    /// A draw was offered.
    DrawOffer {
        /// Whether the arbiter consented.
        consent: Option<bool>,
        /// Whether nobody knows at which moment: the one that the laws name is taken.
        moment_unknown: bool,
    },
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
        /// The move that was written down with it.
        with_move: Option<String>,
        /// Time left on the claimant's clock.
        remaining: Option<Duration>,
        /// Whether it rests on nothing but a screen or a demonstration board.
        display_only: bool,
    },
    /// A player resigned.
    Resignation,
    /// A flag was seen to have fallen, or a player claimed that it had.
    FlagFall {
        /// Whose flag; `None` if both have fallen and nobody knows which fell first.
        side: Option<Color>,
        /// Whether this is the last period.
        last_period: Option<bool>,
        /// Who saw it.
        witness: Witness,
        /// Whether the arbiter confirmed what a player claims.
        confirmed: Option<bool>,
    },
    /// A player arrived.
    Arrival {
        /// How long after the start of play, or of the resumption.
        late: Duration,
        /// Whether the opponent had not arrived either.
        opponent_absent: bool,
        /// Whether the arbiter decided that he may play although he is too late.
        excused: bool,
    },
    /// An illegal move was reported.
    IllegalMoveReport {
        /// Whether both players had signed the result.
        after_signature: bool,
        /// Whether the position before it is known.
        position_known: bool,
        /// Whether the clock times at the irregularity are known.
        times_known: bool,
        /// Whether both players agree to correct a move that stands.
        both_agree: bool,
        /// How many moves each player had completed at the irregularity, White one more where Black made it; `None`: those on
        /// record.
        moves_before: Option<u32>,
        /// Who made it; `None`: whoever made the illegal move on record.
        side: Option<Color>,
    },
    /// The arbiter found both kings in check, or a pawn on its last rank.
    IllegalPosition,
    /// Pieces were displaced by the actor.
    Displacement {
        /// Whether they were found later to have been put back wrong.
        found_later: bool,
        /// Whether the position before is known.
        position_known: bool,
        /// Whether the clock was pressed without putting them back.
        pressed: bool,
        /// Whether the clock times at the displacement are known, where it is found later.
        times_known: bool,
        /// How many moves each player had completed at the displacement.
        moves_before: Option<u32>,
    },
    /// Something was set up wrong.
    SetupFault {
        /// What.
        fault: SetupFault,
        /// How much of the first period has passed, in permille.
        first_period_permille: Option<u32>,
        /// The squares of kings and rooks that stood wrong.
        squares: Vec<Square>,
    },
    /// A player's record has a lapse.
    Recording {
        /// Which.
        lapse: RecordingLapse,
        /// Time left on his clock.
        remaining: Option<Duration>,
        /// The increment of the period.
        increment: Option<Duration>,
    },
    /// The actor broke the rules of conduct.
    Breach {
        /// How.
        breach: Breach,
    },
    /// The player on move sealed a move, or changed it; or a reply was sealed while the other sealer is absent.
    Seal {
        /// What he wrote: UCI, SAN, with the letters of any language, or Chinese; empty where nobody knows before the envelope is
        /// opened.
        text: String,
        /// Whether the clock has been stopped: until then the move may be changed.
        clock_stopped: bool,
        /// What is left of the session.
        session_left: Option<Duration>,
    },
    /// The envelope could not be found on resumption.
    EnvelopeLost {
        /// Whether the adjourned position is known.
        position_known: Option<bool>,
        /// Whether the times used are known.
        times_known: bool,
    },
    /// The arbiter checked the envelope.
    EnvelopeChecked {
        /// What stands on it.
        items: Vec<EnvelopeItem>,
    },
    /// Play was to be resumed.
    Resume {
        /// Whether the player who has to reply is present.
        replier_present: bool,
        /// Whether the sealer is present.
        sealer_present: bool,
        /// How late the sealer is.
        sealer_late: Duration,
        /// How late the player who has to reply is.
        replier_late: Duration,
    },
    /// The arbiter decided.
    ArbiterDecision(Decision),
    /// An earlier event is taken back by the arbiter: what followed it is replayed without it.
    Retraction {
        /// The earlier event's place in the list; an edit taken back was never made.
        event: usize,
    },
    /// An earlier event is replaced: what followed it is replayed.
    Correction {
        /// The earlier event's place in the list.
        event: usize,
        /// What really happened; neither a correction nor a retraction.
        by: Box<Event>,
    },
    /// Both clocks were stopped.
    Pause {
        /// Why.
        reason: PauseReason,
    },
    /// The clock of the side on move was started again.
    ClockStart,
    /// A clock was found to be wrong.
    ClockFault {
        /// What is wrong.
        fault: ClockFault,
        /// Whether a flag had fallen when it was reported.
        flag_fallen: bool,
        /// Whether a move was made since play was resumed.
        moved_since_resumption: bool,
    },
    /// Play was disturbed from outside.
    Disturbance {
        /// Whether it had to be stopped.
        interrupted: bool,
    },
    /// A player short of time in the last period turned to the arbiter.
    QuickplayClaim {
        /// What he asks.
        claim: QuickplayClaim,
        /// Time left on his clock.
        remaining: Option<Duration>,
    },
    /// A player asked for an assistant.
    Assistance {
        /// Whether he needs him for a disability.
        disability: bool,
    },
    /// A move was announced otherwise than it was meant.
    SlipOfTongue {
        /// Whether the opponent's clock had been started.
        clock_started: bool,
    },
    /// The two boards of a game with a visually disabled player differ.
    BoardsDiffer {
        /// Whether the two score sheets agree.
        sheets_agree: Option<bool>,
        /// How many moves each player had completed where they last agree.
        moves_before: Option<u32>,
    },
    /// A player appealed against a decision.
    Appeal,
}
