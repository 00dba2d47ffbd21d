//! The rules that a ruling can rest on, whatever article a ruleset writes them in.

macro_rules! rules {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)+) => {
        /// What a ruling rests on. A ruleset names the articles that say so.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Rule { $($(#[$doc])* $name,)+ }

        impl Rule {
            /// Every rule.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// The rule's name in a ruleset.
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)+ }
            }

            /// The rule that a text names.
            pub fn from_name(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$name),)+ _ => None }
            }
        }
    };
}

rules! {
    /// White first, then in turn.
    Turn = "turn",
    /// What is no legal move.
    IllegalMove = "illegal_move",
    /// Mate wins.
    Checkmate = "checkmate",
    /// Resigning loses.
    Resignation = "resignation",
    /// Resigning draws against an opponent who cannot win.
    ResignationDraw = "resignation_draw",
    /// Resigning is too early.
    ResignationEarly = "resignation_early",
    /// Stalemate draws.
    Stalemate = "stalemate",
    /// A position that nobody can win is drawn.
    DeadPosition = "dead_position",
    /// A draw by agreement.
    Agreement = "agreement",
    /// Repetitions that draw without a claim.
    AutomaticRepetition = "automatic_repetition",
    /// Quiet moves that draw without a claim.
    AutomaticQuietMoves = "automatic_quiet_moves",
    /// A mate comes before the count of quiet moves that it completes.
    MateFirst = "mate_first",
    /// Consecutive checks that draw.
    ChecksInARow = "checks_in_a_row",
    /// Checks in the whole game that draw.
    ChecksInTotal = "checks_in_total",
    /// A claim of a repetition that has appeared.
    ClaimRepetition = "claim_repetition",
    /// A claim of a repetition that is about to appear.
    ClaimRepetitionAnnounced = "claim_repetition_announced",
    /// A claim of quiet moves that are complete.
    ClaimQuietMoves = "claim_quiet_moves",
    /// A claim of quiet moves that are about to be complete.
    ClaimQuietMovesAnnounced = "claim_quiet_moves_announced",
    /// Only the player on move claims.
    ClaimNeedsTurn = "claim_needs_turn",
    /// Only the player on move claims quiet moves.
    ClaimQuietMovesNeedsTurn = "claim_quiet_moves_needs_turn",
    /// Touching or moving loses the claim.
    ClaimTouched = "claim_touched",
    /// Claims are not withdrawn.
    ClaimWithdrawn = "claim_withdrawn",
    /// A correct claim draws.
    ClaimUpheld = "claim_upheld",
    /// How a claim is checked.
    ClaimChecked = "claim_checked",
    /// What an incorrect claim costs.
    ClaimWrong = "claim_wrong",
    /// A claim is an offer too.
    ClaimIsOffer = "claim_is_offer",
    /// When a flag counts.
    FlagSeen = "flag_seen",
    /// A flag is checked against the moves of its period.
    FlagChecked = "flag_checked",
    /// Running out of time loses.
    FlagLoss = "flag_loss",
    /// Running out of time draws against an opponent who cannot win.
    FlagDraw = "flag_draw",
    /// Running out of time early makes the game void.
    FlagVoid = "flag_void",
    /// When a move is complete.
    MoveCompleted = "move_completed",
    /// A move is complete with its player's next one, too.
    CompletedByNext = "completed_by_next",
    /// A move that ends the game needs no press.
    MoveEndsGame = "move_ends_game",
    /// Pressing the clock.
    Press = "press",
    /// Periods of the time control.
    Period = "period",
    /// Both flags fallen, order unknown.
    BothFlags = "both_flags",
    /// How draws are offered.
    Offer = "offer",
    /// An offer at the wrong moment.
    OfferUnusual = "offer_unusual",
    /// An offer whose answer may wait for the move.
    OfferDeferred = "offer_deferred",
    /// An offer repeated after a refusal.
    OfferRepeated = "offer_repeated",
    /// Offers are not withdrawn.
    OfferWithdrawn = "offer_withdrawn",
    /// An offer too early in the game.
    OfferEarly = "offer_early",
    /// One offer too many.
    OfferLimit = "offer_limit",
    /// Offers alternate.
    OfferAlternate = "offer_alternate",
    /// Offers need the arbiter's consent.
    OfferConsent = "offer_consent",
    /// An illegal move is taken back.
    IllegalRestored = "illegal_restored",
    /// What an illegal move costs.
    IllegalPenalty = "illegal_penalty",
    /// One illegal move too many loses.
    IllegalLoss = "illegal_loss",
    /// An illegal move stands after the reply.
    IllegalStands = "illegal_stands",
    /// One king's move into attack too many loses.
    KingFouls = "king_fouls",
    /// Pressing without a move.
    PressWithoutMove = "press_without_move",
    /// Two hands for one move.
    TwoHands = "two_hands",
    /// A pawn left on its last rank.
    PromotionLeft = "promotion_left",
    /// An illegal position that stays is drawn.
    IllegalPositionDraw = "illegal_position_draw",
    /// A signed result stands.
    ResultSigned = "result_signed",
    /// What is found after the game does not change it.
    FoundAfterwards = "found_afterwards",
    /// A flag that is found to have fallen after the players had ended the game.
    FlagAfterResult = "flag_after_result",
    /// The position before an irregularity is not known.
    PositionUnknown = "position_unknown",
    /// Times are shared out after an irregularity.
    ShareTimes = "share_times",
    /// The arbiter decides.
    ArbiterDecides = "arbiter_decides",
    /// What the arbiter may choose from.
    Sanctions = "sanctions",
    /// A late player loses.
    Late = "late",
    /// The arbiter may let a late player play.
    LateExcused = "late_excused",
    /// Both players are absent.
    BothAbsent = "both_absent",
    /// The initial position was wrong.
    WrongSetup = "wrong_setup",
    /// The board was turned.
    BoardTurned = "board_turned",
    /// The colours were reversed.
    ColoursReversed = "colours_reversed",
    /// Pieces were displaced.
    Displaced = "displaced",
    /// Moves are recorded.
    Recording = "recording",
    /// When recording may stop.
    RecordingExempt = "recording_exempt",
    /// Nobody has to record.
    NobodyRecords = "nobody_records",
    /// Sheets that prove nothing.
    SheetsUnclear = "sheets_unclear",
    /// A device on a player.
    Device = "device",
    /// A breach of conduct.
    Breach = "breach",
    /// Refusing to comply loses.
    Refusal = "refusal",
    /// Both refuse: both lose.
    BothRefuse = "both_refuse",
    /// What a result scores.
    Score = "score",
    /// The most that both sides together can score.
    ScoreLimit = "score_limit",
    /// An own piece was touched.
    TouchOwn = "touch_own",
    /// An enemy piece was touched.
    TouchEnemy = "touch_enemy",
    /// Pieces of both colours were touched.
    TouchBoth = "touch_both",
    /// King and rook were touched.
    TouchCastle = "touch_castle",
    /// The rook was touched before the king.
    TouchRookFirst = "touch_rook_first",
    /// Castling was meant and is illegal.
    TouchCastleIllegal = "touch_castle_illegal",
    /// Nothing that was touched can move or be captured.
    TouchFree = "touch_free",
    /// Adjusting pieces.
    Adjust = "adjust",
    /// Adjusting pieces while not on move.
    AdjustOffTurn = "adjust_off_turn",
    /// When a complaint about touching is too late.
    TouchComplaint = "touch_complaint",
    /// Released pieces stay.
    Release = "release",
    /// A capture is made once its piece is released.
    CaptureReleased = "capture_released",
    /// A pawn released on its last rank stays there.
    PawnReleased = "pawn_released",
    /// The promoted piece is fixed.
    PromotionFixed = "promotion_fixed",
    /// A promotion is made once the new piece is released.
    PromotionMade = "promotion_made",
    /// How a move is sealed.
    Seal = "seal",
    /// A move played after the order to seal.
    SealPlayed = "seal_played",
    /// The sealed move is played on resumption.
    SealedResumed = "sealed_resumed",
    /// The adjourned position and its times are set up for the resumption.
    AdjournedPosition = "adjourned_position",
    /// A sealed move that is no move loses.
    SealedInvalid = "sealed_invalid",
    /// A sealed move that is no move draws against an opponent who cannot win.
    SealedInvalidDraw = "sealed_invalid_draw",
    /// A result agreed before resumption.
    AdjournedResult = "adjourned_result",
    /// The envelope is lost.
    EnvelopeLost = "envelope_lost",
    /// The envelope is lost and the position unknown.
    EnvelopeLostPosition = "envelope_lost_position",
    /// A player is late for resumption.
    LateResumption = "late_resumption",
    /// A late sealer's move mates.
    LateSealerMates = "late_sealer_mates",
    /// A late sealer's move draws.
    LateSealerDraws = "late_sealer_draws",
    /// The player who has to reply is absent.
    ReplierAbsent = "replier_absent",
    /// The sealer is absent as well.
    ResumptionBothAbsent = "resumption_both_absent",

    /// No move to a square that holds an own piece.
    MoveOwnSquare = "move_own_square",
    /// How a bishop moves.
    MoveBishop = "move_bishop",
    /// How a rook moves.
    MoveRook = "move_rook",
    /// How a queen moves.
    MoveQueen = "move_queen",
    /// No jumping over pieces.
    MoveJump = "move_jump",
    /// How a knight moves.
    MoveKnight = "move_knight",
    /// How a pawn steps forward.
    MovePawn = "move_pawn",
    /// A pawn's double step.
    MovePawnDouble = "move_pawn_double",
    /// How a pawn captures.
    MovePawnCapture = "move_pawn_capture",
    /// Capturing in passing, and only at once.
    MoveEnPassant = "move_en_passant",
    /// What a pawn becomes on its last rank.
    MovePromotion = "move_promotion",
    /// How a king moves.
    MoveKing = "move_king",
    /// How castling is done.
    MoveCastle = "move_castle",
    /// Castling is lost once king or rook have moved.
    CastleLost = "castle_lost",
    /// Castling is barred while a square is attacked or a piece stands between.
    CastleBarred = "castle_barred",
    /// The squares of castling in Chess960, and what bars it there.
    Chess960Castling = "chess960_castling",
    /// How a game begins.
    InitialPosition = "initial_position",
    /// How a game of Chess960 begins.
    Chess960Start = "chess960_start",
    /// No move may leave the own king in check.
    MoveIntoCheck = "move_into_check",
    /// No move takes a king.
    TakeKing = "take_king",

    /// Touching by accident.
    TouchAccident = "touch_accident",
    /// A king released for castling.
    CastleReleased = "castle_released",
    /// An assistant's acts count as the player's.
    Assistant = "assistant",
    /// Touching on the board of a visually disabled player.
    SlipOfTongue = "slip_of_tongue",
    /// When a piece is touched on the board of a visually disabled player.
    DisabledTouch = "disabled_touch",
    /// When a visually disabled player's move is made.
    DisabledMade = "disabled_made",
    /// When the opponent's clock is started after it.
    DisabledPress = "disabled_press",
    /// Promotions are carried out in any order.
    PromotionOrder = "promotion_order",
    /// Two boards that differ.
    BoardsDiffer = "boards_differ",

    /// Why a player may stop the clocks.
    Pause = "pause",
    /// The piece for a promotion is not at hand.
    PauseForPiece = "pause_for_piece",
    /// Stopping the clocks for a claim.
    PauseForClaim = "pause_for_claim",
    /// Stopping the clocks for no good reason.
    PauseGroundless = "pause_groundless",
    /// Who starts the clocks again.
    ClockStart = "clock_start",
    /// A defective clock is replaced.
    ClockDefect = "clock_defect",
    /// A clock counts as right unless it is evidently defective.
    ClockTrusted = "clock_trusted",
    /// A wrong setting is corrected.
    ClockSetting = "clock_setting",
    /// Clocks are set by best judgement.
    SetClocks = "set_clocks",
    /// What corrections have to leave.
    TimeFloor = "time_floor",
    /// What is done about disturbances.
    Disturbance = "disturbance",
    /// Who stops the clocks when play is interrupted.
    Interruption = "interruption",
    /// Time for disturbances.
    DisturbanceTime = "disturbance_time",
    /// Claims do not rest on displays.
    Displays = "displays",
    /// A player's claim of a flag is confirmed by the arbiter.
    FlagConfirmed = "flag_confirmed",
    /// Which part of the laws governs a game at this time control.
    Category = "category",
    /// The event says which part it is.
    CategoryNamed = "category_named",

    /// Pieces were put back wrong, as is found later.
    DisplacedLater = "displaced_later",
    /// The clock was pressed without restoring displaced pieces.
    DisplacedPressed = "displaced_pressed",
    /// Displacing pieces may be penalised.
    DisplacedPenalty = "displaced_penalty",
    /// When it is too late to complain about set-up or clocks.
    SetupLate = "setup_late",
    /// The adjourned position was set up wrong.
    ResumedSetup = "resumed_setup",
    /// A clock was wrong after an adjournment.
    ResumedClock = "resumed_clock",

    /// No move before the last is recorded.
    RecordingBehind = "recording_behind",
    /// No recording in advance.
    RecordingAdvance = "recording_advance",
    /// Recording before or after moving, as one likes.
    RecordingEither = "recording_either",
    /// Offers are marked.
    OfferMarked = "offer_marked",
    /// Refusing to record.
    RecordingRefused = "recording_refused",
    /// The arbiter records where neither player does.
    ArbiterRecords = "arbiter_records",
    /// Borrowing the opponent's sheet.
    BorrowSheet = "borrow_sheet",
    /// One player completes his sheet.
    CompleteOne = "complete_one",
    /// Both players complete their sheets.
    CompleteBoth = "complete_both",
    /// The game is reconstructed on a second board.
    SecondBoard = "second_board",

    /// Bringing the game into disrepute.
    Disrepute = "disrepute",
    /// Leaving the venue or its area.
    LeftArea = "left_area",
    /// Notes, sources, advice.
    Help = "help",
    /// A device in the venue.
    DeviceInVenue = "device_in_venue",
    /// Refusing to be inspected.
    Inspection = "inspection",
    /// Smoking outside the area for it.
    Smoking = "smoking",
    /// Distracting or annoying the opponent.
    Disturbing = "disturbing",
    /// Memory notes.
    NotesOnSheet = "notes_on_sheet",
    /// Analysis in the playing room.
    AnalysisInRoom = "analysis_in_room",
    /// Handling the clock.
    ClockHandling = "clock_handling",
    /// Asking the captain.
    Captain = "captain",
    /// Appeals.
    Appeal = "appeal",

    /// Both players are too late.
    BothLate = "both_late",
    /// The present player oversteps his limit while the sealer is absent.
    PresentOversteps = "present_oversteps",
    /// Sealing before the end of the session.
    SealEarly = "seal_early",
    /// What an envelope states.
    EnvelopeItems = "envelope_items",
    /// The times on a lost envelope are not known.
    EnvelopeLostTimes = "envelope_lost_times",
    /// A reply sealed while the sealer is absent.
    SealReply = "seal_reply",
    /// An offer made while the game is adjourned.
    OfferAdjourned = "offer_adjourned",

    /// A sealed move that is ambiguous.
    SealedAmbiguous = "sealed_ambiguous",
    /// A sealed move without a meaning.
    SealedMeaningless = "sealed_meaningless",
    /// A sealed move that is illegal.
    SealedIllegal = "sealed_illegal",
    /// Draws that the ruleset does not mention, and so does not apply.
    NotMentioned = "not_mentioned",
    /// When positions are the same.
    PositionIdentity = "position_identity",
    /// A capture in passing that was possible makes another position.
    IdentityEnPassant = "identity_en_passant",
    /// A right to castle that was lost makes another position.
    IdentityCastling = "identity_castling",

    /// What games the guidelines for the last minutes are for.
    QuickplayScope = "quickplay_scope",
    /// The last period of a game without increment.
    QuickplayFinish = "quickplay_finish",
    /// An increment asked for in the last two minutes.
    QuickplayIncrement = "quickplay_increment",
    /// A draw asked for in the last two minutes.
    QuickplayNormalMeans = "quickplay_normal_means",
    /// The same where no arbiter supervises.
    QuickplayUnsupervised = "quickplay_unsupervised",

    /// A warning.
    SanctionWarning = "sanction_warning",
    /// More time for the opponent.
    SanctionAddTime = "sanction_add_time",
    /// Less time for the offender.
    SanctionTakeTime = "sanction_take_time",
    /// More points for the opponent.
    SanctionAddPoints = "sanction_add_points",
    /// Fewer points for the offender.
    SanctionTakePoints = "sanction_take_points",
    /// Loss of the game.
    SanctionLoss = "sanction_loss",
    /// A fine.
    SanctionFine = "sanction_fine",
    /// Exclusion from rounds.
    SanctionExclusion = "sanction_exclusion",
    /// Expulsion from the event.
    SanctionExpulsion = "sanction_expulsion",
}

impl Rule {
    /// The wider rule whose articles are cited where a ruleset has none for this one.
    pub fn wider(self) -> Option<Self> {
        Some(match self {
            Self::MoveOwnSquare
            | Self::MoveBishop
            | Self::MoveRook
            | Self::MoveQueen
            | Self::MoveJump
            | Self::MoveKnight
            | Self::MovePawn
            | Self::MoveKing
            | Self::MoveCastle
            | Self::MoveIntoCheck
            | Self::TakeKing => Self::IllegalMove,
            Self::MovePawnDouble | Self::MovePawnCapture | Self::MoveEnPassant | Self::MovePromotion => {
                Self::MovePawn
            }
            Self::CastleLost | Self::CastleBarred => Self::MoveCastle,
            Self::CastleReleased | Self::CaptureReleased | Self::PawnReleased | Self::PromotionFixed => {
                Self::Release
            }
            Self::ResumptionBothAbsent => Self::ReplierAbsent,
            Self::SealedAmbiguous | Self::SealedMeaningless | Self::SealedIllegal => Self::SealedInvalid,
            Self::PauseForPiece | Self::PauseForClaim | Self::PauseGroundless | Self::ClockStart => {
                Self::Pause
            }
            Self::ClockTrusted | Self::ClockSetting => Self::ClockDefect,
            Self::FlagAfterResult => Self::ResultSigned,
            Self::ClaimQuietMovesNeedsTurn => Self::ClaimNeedsTurn,
            // Switches of other codes that a caller turns on.
            Self::OfferDeferred
            | Self::OfferEarly
            | Self::OfferLimit
            | Self::OfferAlternate
            | Self::OfferConsent => Self::Offer,
            Self::ScoreLimit => Self::Score,
            Self::Disrepute
            | Self::LeftArea
            | Self::Help
            | Self::Device
            | Self::DeviceInVenue
            | Self::Inspection
            | Self::Smoking
            | Self::Disturbing
            | Self::NotesOnSheet
            | Self::AnalysisInRoom
            | Self::ClockHandling
            | Self::Captain => Self::Breach,
            Self::RecordingBehind | Self::RecordingAdvance | Self::OfferMarked | Self::RecordingRefused => {
                Self::Recording
            }
            Self::SanctionWarning
            | Self::SanctionAddTime
            | Self::SanctionTakeTime
            | Self::SanctionAddPoints
            | Self::SanctionTakePoints
            | Self::SanctionLoss
            | Self::SanctionFine
            | Self::SanctionExclusion
            | Self::SanctionExpulsion => Self::Sanctions,
            _ => return None,
        })
    }
}
