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
    MoveMade: "a legal move", "合法着法";
    MoveCompleted: "the move is complete", "该着完成";
    NotOnMove: "not this player's turn", "未轮到该方";
    GameOver: "the game has ended before; nothing changes", "对局已经结束，不作改变";
    Unreadable: "the text is no move", "所写不是着法";
    IllegalAttempt: "the move is illegal; until the clock is pressed it can be corrected", "着法不合法；按钟之前可以改正";
    IllegalRefused: "the move is illegal and does not stand", "着法不合法，不予承认";
    IllegalWaits: "the move is illegal and complete; it is acted on only before the reply", "不合法着法已完成，须在应着之前处理";
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
    TouchedOwn: "the touched piece must move", "所触己子必须走动";
    TouchedEnemy: "the touched piece must be captured", "所触彼子必须吃掉";
    TouchedBoth: "touched pieces of both colours decide", "按所触双方棋子处理";
    TouchedCastle: "king and rook were touched: castling is due", "触王与车，必须易位";
    TouchedCastleIllegal: "castling is illegal: another king move is due", "易位不合法，须另走王着";
    TouchedRookFirst: "the rook was touched first: no castling on that side", "先触车，不得在该侧易位";
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
    BoardTurned: "the position is carried over to a correct board", "将局面移到摆正的棋盘上";
    ColoursRestart: "colours reversed: the game is restarted", "颜色相反，重新开局";
    ColoursMayRestart: "colours reversed: the arbiter may restart the game if the schedule allows", "颜色相反，赛程允许时裁判员可决定重赛";
    ColoursGoOn: "colours reversed, but too late: the game goes on", "颜色相反，但为时已晚，对局继续";
    Unstated: "this ruleset does not say", "本规则未作规定";
    Displaced: "the position is restored on the offender's time", "在其自己的时间内复原局面";
    MustRecord: "the moves have to be recorded", "须记录着法";
    NeedNotRecord: "little time is left: no need to record", "所剩时间不多，可不记录";
    SheetsUnclear: "nothing is proved: the next move is the first of the next period", "无法证明，下一着为下一时限第一着";
    Device: "a device was found on the player", "身上查出电子设备";
    Refusal: "persistent refusal to comply", "一再拒不遵守规则";
    BothRefuse: "both persistently refuse to comply", "双方均一再拒不遵守规则";
    Breach: "a breach of conduct: the arbiter chooses a sanction", "违反行为规定，由裁判员选择处罚";
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
    Repetition: "the position has occurred too often", "同一局面出现次数已满";
    Quiet: "too many moves without a pawn move or a capture", "未动兵未吃子的回合已满";
    ChecksInARow: "too many checks in a row", "连续将军次数已满";
    ChecksInTotal: "too many checks in the game", "累计被将军次数已满";
    FlagUp: "the clock shows time left", "棋钟显示尚有剩余时间";
    Decided: "the arbiter has decided", "裁判员已作决定";
    Retracted: "the earlier event is taken back and what followed it is played again", "撤回先前事件，其后事件重新推演";
    NothingToRetract: "there is no such earlier event to take back", "没有可撤回的先前事件";
}
