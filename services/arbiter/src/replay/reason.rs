//! The sentences of rulings.

macro_rules! reasons {
    ($($name:ident: $en:literal, $zh:literal;)+) => {
        /// Why a ruling is as it is.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Reason { $(#[doc = $en] $name,)+ }

        impl Reason {
            /// Every reason.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// A name for machines, which stays when sentences change.
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => stringify!($name),)+ }
            }

            /// The sentence in English.
            pub fn en(self) -> &'static str {
                match self { $(Self::$name => $en,)+ }
            }

            /// The sentence in Chinese.
            pub fn zh(self) -> &'static str {
                match self { $(Self::$name => $zh,)+ }
            }
        }
    };
}

reasons! {
    GoesOn: "the game goes on", "对局继续";
    GoesOnHere: "the game goes on, though the FIDE laws have it drawn", "对局继续，但按国际棋联规则应判和";
    MoveMade: "a legal move", "合法着法";
    MoveCompleted: "the move is complete", "该着完成";
    NotOnMove: "not this player's turn", "未轮到该方";
    GameOver: "the game has ended before; nothing changes", "对局已经结束，不作改变";
    Unreadable: "the text is no move", "所写不是着法";
    IllegalAttempt: "the move is illegal; until the clock is pressed it can be corrected", "着法不合法；按钟之前可以改正";
    IllegalRefused: "the move is illegal and does not stand", "着法不合法，不予承认";
    IllegalWaits: "the move is illegal and complete; it is acted on only before the reply", "不合法着法已完成，须在应着之前处理";
    IllegalUnnoticed: "the move is against the rules, and nobody has noticed: play goes on until it is found", "着法违反规则而无人发现；发现之前对局继续";
    IllegalFirst: "a completed illegal move: the position is restored", "不合法着法已完成，恢复局面";
    IllegalLoses: "one completed illegal move too many", "完成不合法着法次数已达上限";
    IllegalLosesDraw: "one illegal move too many, but the opponent cannot mate", "不合法着法次数已达上限，但对方不可能将死";
    IllegalStands: "the opponent has replied, so the illegal move stands", "对方已应着，不合法着法有效";
    NoIllegalMove: "no illegal move is on record", "没有不合法着法的记录";
    ResultStands: "the signed result stands", "已签字的结果有效";
    KingFoul: "the king may not move into attack", "王不得走入被攻击格";
    KingFoulsLose: "the king moved into attack once too often", "王走入被攻击格次数已达上限";
    PositionAnnulled: "the position cannot be restored: the game does not count", "局面不能恢复，对局作废";
    PositionIdentified: "the game goes on from the last position that can be identified", "从最后可辨明的局面继续";
    TouchBinds: "a touched or released piece has to be honoured", "须遵守摸子或离手的约束";
    TouchWaits: "the move does not honour what was touched or released: the opponent may complain until he touches a piece himself", "该着不符合摸子或离手的约束，对方在自己触子之前可提出申诉";
    TouchedOwn: "the touched piece must move", "所触己子必须走动";
    TouchedEnemy: "the touched piece must be captured", "所触彼子必须吃掉";
    TouchedBoth: "touched pieces of both colours decide", "按所触双方棋子处理";
    TouchedCastle: "king and rook were touched: castling is due", "触王与车，必须易位";
    TouchedCastleIllegal: "castling is illegal: another king move is due", "易位不合法，须另走王着";
    TouchedRookFirst: "the rook was touched first: no castling on that side", "先触车，不得在该侧易位";
    TouchOrder: "the order of the touches is not known: what any order allows is allowed", "触子先后不明，任一先后所许可的着法均可走";
    TouchedFree: "nothing touched can move or be captured: free choice", "所触棋子均不可行，任意走棋";
    NoTouchMove: "touching binds nobody here", "本规则无摸子走子约束";
    Adjusted: "adjusted after saying so", "声明后摆正棋子";
    AdjustConsent: "adjusting needs consent", "摆正棋子须经同意";
    AdjustNotOnMove: "only the player on move may adjust", "只有轮走一方可以摆正棋子";
    NotReleased: "not released: the same piece may go elsewhere", "尚未离手，同一棋子可改走他格";
    Released: "the piece stays where it stands", "棋子落定，不得更改";
    ComplaintHeard: "the complaint is in time; the arbiter decides on the facts", "申诉及时，由裁判员据事实决定";
    ComplaintLate: "the complainant has touched a piece: the right is lost", "申诉人已触子，丧失申诉权";
    OfferMade: "a draw is offered", "提和有效";
    OfferUnusual: "the offer is valid; its moment may be penalised", "提和有效，但时机不当可受处罚";
    OfferRepeated: "the offer is valid; repeating it after a refusal may be penalised", "提和有效，但遭拒绝后再次提和可受处罚";
    OfferUnstated: "a draw is offered after moving, with the press; the offer stands, and this ruleset attaches nothing to another moment", "提和应在走棋后连同按钟提出；该提和有效，本规则未规定其他时机的后果";
    OfferDeferred: "the answer may wait for the move", "对方可待看到着法后再答复";
    OfferEarly: "too early to offer a draw", "尚未到可提和的回合";
    OfferLimit: "no offers are left", "提和次数已用完";
    OfferAlternate: "the opponent has to offer first", "须待对方先提和";
    OfferStands: "an offer is not withdrawn", "提和不得撤回";
    OfferConsent: "the arbiter has to consent", "须经裁判员同意";
    OfferRefused: "the offer is refused", "提和被拒绝";
    NoOffer: "no offer is open", "没有待答复的提和";
    Agreed: "the players agreed to a draw", "双方协议和棋";
    AgreedEarly: "too early to agree to a draw", "尚不能协议和棋";
    ClaimUpheld: "the claim is correct", "要求成立";
    ClaimWrong: "the claim is incorrect", "要求不成立";
    ClaimWrongLoses: "the claim is incorrect and its cost oversteps the limit", "要求不成立，罚时后超过时限";
    ClaimNotOnMove: "only the player on move may claim", "只有轮走一方可以提出";
    ClaimTouched: "a piece was touched: no claim on this move", "已触子，本着不得提出";
    ClaimMoved: "the move is made on the board: no claim before it any more", "着法已在棋盘上走出，不得再就此前局面提出";
    ClaimStands: "a claim is not withdrawn", "要求不得撤回";
    ClaimIllegalMove: "the announced move is illegal; its piece has to move", "宣布的着法不合法，该子须另走";
    NoClaims: "this ruleset has no such claim", "本规则无此项要求";
    Resigned: "resigned", "认输";
    ResignedDraw: "resigned, but the opponent cannot win", "认输，但对方不可能取胜";
    ResignedEarly: "too early to resign", "尚未到可认输的回合";
    FlagLoss: "out of time", "超时";
    FlagDraw: "out of time, but the opponent cannot win", "超时，但对方不可能取胜";
    FlagVoid: "out of time too early: the game does not count", "超时过早，对局无效";
    FlagsContinue: "both flags have fallen and nobody knows which fell first: the game goes on", "双方均超时且先后不明，对局继续";
    FlagsDraw: "both flags have fallen in the last period and nobody knows which fell first", "最后时限内双方均超时且先后不明";
    Undecided: "it is not known whether the opponent can mate", "尚不能确定对方能否将死";
    MissingFact: "a fact is missing", "缺少事实";
    InTime: "arrived in time; the time is lost", "在时限内到场，损失已走时间";
    TooLate: "arrived too late", "迟到超过时限";
    WhiteWaits: "White loses the time until he arrives", "白方到场之前的时间计入白方";
    NewGame: "the initial position was wrong: a new game is played", "开始局面有误，重新开局";
    SetupAnnulled: "the initial position was wrong: the game does not count and is played again", "开始局面摆错，对局作废重下";
    BoardTurned: "the position is carried over to a correct board", "将局面移到摆正的棋盘上";
    ColoursRestart: "colours reversed: the game is restarted", "颜色相反，重新开局";
    ColoursMayRestart: "colours reversed: the arbiter may restart the game if the schedule allows", "颜色相反，赛程允许时裁判员可决定重赛";
    ColoursGoOn: "colours reversed, but too late: the game goes on", "颜色相反，但为时已晚，对局继续";
    Unstated: "this ruleset does not say", "本规则未作规定";
    Displaced: "the position is restored on the offender's time", "在其自己的时间内复原局面";
    MustRecord: "the moves have to be recorded", "须记录着法";
    NeedNotRecord: "little time is left: no need to record", "所剩时间不多，可不记录";
    NobodyRecords: "nobody has to record the moves", "无须记录着法";
    RecordedEither: "moves may be written down before or after they are played", "着法可先记后走，也可先走后记";
    SheetsUnclear: "nothing is proved: the next move is the first of the next period", "无法证明，下一着为下一时限第一着";
    NoNextPeriod: "no period follows this one: there is no number of moves to show", "此后再无时限，无须证明所走着数";
    Device: "a device was found on the player", "身上查出电子设备";
    Refusal: "persistent refusal to comply", "一再拒不遵守规则";
    BothRefuse: "both persistently refuse to comply", "双方均一再拒不遵守规则";
    Breach: "a breach of conduct: the arbiter chooses a sanction", "违反行为规定，由裁判员选择处罚";
    PositionLegal: "on record neither are both kings in check nor does a pawn stand on its last rank", "按记录，并非双方的王均被将军，底线上也没有兵";
    PositionNoted: "noted: if the position is still illegal after the next move, the game is drawn", "已记下：下一着后局面仍不合法则判和";
    IllegalPositionDraw: "the position is still illegal", "局面仍不合法";
    Sealed: "the move is sealed", "着法已封";
    SealChanged: "the sealed move is changed before the clock is stopped", "停钟之前更改封着";
    SealLate: "the clock has been stopped: the sealed move stays", "已停钟，封着不得更改";
    SealMustMatch: "the move played on the board is the sealed move", "棋盘上走出的着法即为封着";
    NotSealed: "no move has been sealed", "没有封着";
    EnvelopeShut: "the player to reply is absent: his clock runs and the envelope stays shut", "应着方未到，走其棋钟，信封不启";
    Resumed: "the sealed move is played", "走出封着";
    SealInvalid: "the sealed move is ambiguous, meaningless or illegal", "封着不明确、无意义或不合法";
    SealInvalidDraw: "the sealed move is invalid, but the opponent cannot win", "封着无效，但对方不可能取胜";
    SealerTooLate: "the sealer is too late", "封棋方迟到超过时限";
    EnvelopeAnnuls: "envelope and position are lost: the game does not count", "信封遗失且局面不明，对局作废";
    EnvelopeResumes: "the game is resumed from the recorded position", "按记录的局面续弈";
    PressedNothing: "the clock was pressed without a move", "未走棋而按钟";
    TwoHands: "two hands were used for one move", "双手走一着棋";
    PromotionLeft: "a pawn was left on its last rank", "兵停在底线未换子";
    PromotionUnfinished: "the promotion has to be finished", "升变须完成";
    Mate: "checkmate", "将死";
    Stalemate: "stalemate", "逼和";
    Dead: "nobody can mate any more", "双方均不可能将死";
    LineUp: "these men are listed as drawn, whether they can mate or not", "该子力组合列为和棋，不论能否将死";
    Repetition: "the position has occurred too often", "同一局面出现次数已满";
    Quiet: "too many moves without a pawn move or a capture", "未动兵未吃子的回合已满";
    ChecksInARow: "too many checks in a row", "连续将军次数已满";
    ChecksInTotal: "too many checks in the game", "累计被将军次数已满";
    FlagUp: "the clock shows time left", "棋钟显示尚有剩余时间";
    Decided: "the arbiter has decided", "裁判员已作决定";
    Retracted: "the earlier event is taken back and what followed it is played again", "撤回先前事件，其后事件重新推演";
    NothingToRetract: "there is no such earlier event to take back", "没有可撤回的先前事件";

    Ambiguous: "the text fits several moves", "所写着法可作多种解释";
    CorrectedByAgreement: "both players agree to correct the illegal move", "双方同意纠正不合法着法";
    TouchedByAccident: "touched by accident: nothing is due", "无意触子，不受约束";
    ComplaintUpheld: "the complaint is right: the move is taken back and the touched piece decides", "申诉成立：收回该着，按所触棋子处理";
    ComplaintUnproved: "the arbiter could not establish what the complaint says", "裁判员未能查实所申诉的情形";
    ComplaintUnfounded: "the move honoured what was touched", "该着符合触摸规则，申诉不成立";
    ClaimDisplays: "a claim cannot rest on a display alone", "不得仅凭显示屏或大棋盘提出要求";
    FlagBystander: "a bystander's word about a flag does not count", "旁观者所称的超时不予承认";
    FlagUnconfirmed: "a player's claim of a flag waits for the arbiter to confirm it", "棋手提出超时，须经裁判员确认";
    BothTooLate: "both arrived too late", "双方均迟到超过时限";
    NotOutOfHole: "the piece was not taken out of its hole, and so is not touched", "棋子未从孔中取出，不算触摸";
    Unannounced: "the move was not announced, and so is not made: the opponent's clock is not started", "着法尚未报出，不算走成，不得开动对方棋钟";
    AlreadyHere: "this player has come already", "该方已经到场";
    LateExcused: "too late, but the arbiter lets him play", "迟到超过时限，但裁判员准许参赛";
    TimesByArbiter: "the times at the irregularity are not known", "无法确定出现不合规情形时的用时";
    Paused: "both clocks stand until one is started again", "停双方棋钟，直至重新开钟";
    PausedGroundless: "the clocks were stopped for no good reason", "无正当理由停钟";
    ClockHandedBack: "what had to be put right is done: the clock of the side on move runs again", "应补正事项已完成，重新开动应走方的棋钟";
    ClocksStarted: "the clocks run again", "重新开钟";
    ArbiterStarts: "the arbiter decides when play goes on", "何时恢复对局由裁判员决定";
    ClockTrusted: "the clock counts as right: nothing is evidently wrong with it", "棋钟无明显故障，视为准确";
    ClockReplaced: "the clock is evidently defective and is replaced", "棋钟有明显故障，予以更换";
    ClockTooLate: "a defect is reported when it is noticed, not after the flag", "故障须在发现时提出，不得在超时后提出";
    ClockCorrected: "the clocks are corrected", "棋钟予以纠正";
    ClockNotCorrected: "too late: the clocks stay unless that would be too grave", "为时已晚，除非后果严重，棋钟不予纠正";
    SetupTooLate: "too late to claim about the set-up or the clock setting: the game goes on", "就摆棋或棋钟设置提出异议为时已晚，对局继续";
    ResumedRestored: "the adjourned position is set up again", "重新摆成封棋时的局面";
    DisplacedLater: "the position before the displacement is restored", "恢复棋子被碰动之前的局面";
    Disturbed: "play was disturbed: the arbiter may give time", "对局受到干扰，裁判员可补时";
    Interrupted: "play is interrupted: both clocks stand still", "对局中断，停双方棋钟";
    Recorded: "a move is not written down before it is played", "着法未走出之前不得先行记录";
    RecordedLate: "the last move has to be recorded before the next is made", "走下一着之前须先记录上一着";
    OfferUnmarked: "an offer of a draw has to be marked on the sheet", "提和须在记录纸上注明";
    RecordingRefused: "refusal to record the moves", "拒绝记录着法";
    ArbiterRecords: "neither player can record: the arbiter does, and steps in only when a flag falls", "双方均不能记录，由裁判员代为记录，超时方可干预";
    SheetLent: "the opponent lends his sheet, on the borrower's time", "借用对方记录纸，所用时间由借用方承担";
    SheetKept: "the opponent's sheet is used only on the own move", "轮到己方走棋时方可借用对方记录";
    CompleteOne: "the sheet is completed before the next move, on the player's own time", "须在走下一着之前用自己的时间补全记录";
    CompleteBoth: "both sheets are completed with the clocks stopped", "停钟，双方补全记录";
    SecondBoard: "the sheets do not suffice: the game is reconstructed on a second board", "仅凭记录不足，须在另一棋盘上重演对局";
    CaptainAllowed: "asking the captain about offering, agreeing or resigning is allowed", "可就提和、同意和棋或认输征询队长意见";
    AssistantAccepted: "an assistant whom the arbiter accepts acts for the player", "经裁判员认可的助手可代其行棋、按钟或记录";
    SlipCorrected: "the slip of the tongue is corrected", "口误予以更正";
    SlipTooLate: "the opponent's clock runs: the announced move stands", "对方棋钟已开动，按所报着法执行";
    BoardBySheets: "the agreeing score sheets decide which board is right", "以一致的记录为准改正棋盘";
    BoardsRetraced: "the moves are taken back to where the sheets agree", "退回到双方记录一致之处";
    AppealNoted: "the appeal is noted; the decision stands until it is heard", "申诉已记录，处理之前原裁决有效";
    EnvelopeComplete: "the envelope says what it must", "信封所注项目齐全";
    EnvelopeIncomplete: "the envelope lacks something", "信封所注项目不全";
    SealerAbsent: "the sealed move is played; the sealer is absent, so the reply may be played or sealed", "走出封着；封棋方缺席，对方可走出或封入应着";
    ReplySealed: "the reply is sealed until the absent player arrives", "应着已封，待缺席方到场启封";
    SealerLate: "the sealer is late; his sealed move decides what follows", "封棋方迟到，其后果视封着而定";
    AwaitsDecision: "the claim has ended play; an arbiter decides on it later", "提出该要求后对局即告终止，由裁判员随后裁决";
    LeftToArbiter: "this is for the arbiter to decide", "由裁判员裁决";
    QuickplayEarly: "only a player with less than two minutes left, before his flag falls", "只有剩余时间不足两分钟且尚未超时的一方可以提出";
    QuickplayBefore: "only in the last period, in which all remaining moves are made", "只有在须走完全部剩余着法的最后时限内可以提出";
    QuickplayElsewhere: "the guideline does not hold for blitz or with an increment", "超快棋或有加秒的对局不适用该指引";
    NotArbiter: "only the arbiter decides", "只有裁判员可以裁决";
    NotAnOption: "no ruling has left this to the arbiter", "此前的裁决未给出该选项";
    OptionChosen: "the arbiter has chosen", "裁判员已作选择";
    TooManyPoints: "more points than a game can give", "超过一局可得的分数";
    TooFewPoints: "more points than the player has", "超过该方所得分数";
    BelowFloor: "a correction may not leave so little time", "如此调整后所留时间低于下限";
    Corrected: "the earlier event is corrected and what followed it is played again", "更正先前事件，其后事件重新推演";
    Adjourned: "the game is adjourned: play waits for the sealed move", "对局已封棋，须待走出封着后方可继续";
}
