//! What a ruling may leave to the arbiter.

use crate::ruleset::Rule;

macro_rules! choices {
    ($($name:ident = $text:literal, $rule:ident, $en:literal, $zh:literal;)+) => {
        /// An option that the laws give the arbiter. A ruling lists it; an arbiter's decision chooses it.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Choice { $(#[doc = $en] $name,)+ }

        impl Choice {
            /// Every option.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// Its name in a ruleset, in a ruling and in a decision.
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)+ }
            }

            /// The option that a text names.
            pub fn from_name(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$name),)+ _ => None }
            }

            /// The rule that gives it.
            pub fn rule(self) -> Rule {
                match self { $(Self::$name => Rule::$rule,)+ }
            }

            /// What it is, in English: after "the arbiter may".
            pub fn en(self) -> &'static str {
                match self { $(Self::$name => $en,)+ }
            }

            /// What it is, in Chinese: after 裁判员可.
            pub fn zh(self) -> &'static str {
                match self { $(Self::$name => $zh,)+ }
            }
        }
    };
}

choices! {
    Warning = "warning", SanctionWarning, "warn the offender", "给予警告";
    AddOpponentTime = "add-opponent-time", SanctionAddTime, "add to the opponent's remaining time", "增加对方剩余时间";
    TakeOwnTime = "take-own-time", SanctionTakeTime, "take time off the offender's clock", "减少违规方剩余时间";
    AddOpponentPoints = "add-opponent-points", SanctionAddPoints, "raise the opponent's points, up to what the game can give", "增加对方得分，以该局最高分为限";
    TakeOwnPoints = "take-own-points", SanctionTakePoints, "lower the offender's points", "减少违规方得分";
    Loss = "loss", SanctionLoss, "declare the game lost by this player", "判该方负";
    Fine = "fine", SanctionFine, "impose a fine announced before the event", "处以赛前公布的罚款";
    Exclusion = "exclusion", SanctionExclusion, "exclude the offender from rounds", "取消违规方若干轮次的参赛资格";
    Expulsion = "expulsion", SanctionExpulsion, "expel the offender from the event", "将违规方逐出比赛";
    Restart = "restart", ColoursReversed, "have the game played again", "决定重赛";
    GoOn = "go-on", ColoursReversed, "let the game go on", "让对局继续";
    SetClocks = "set-clocks", SetClocks, "set the clocks by his best judgement", "酌情拨正棋钟";
    AddTime = "add-time", DisturbanceTime, "give time for a disturbance", "因干扰补时";
    AdjustForAssistant = "adjust-for-assistant", Assistant, "adjust the clocks so that the assistant costs nobody time", "因使用助手公平调整用时";
    CorrectClocks = "correct-clocks", ResumedClock, "correct the clocks because the harm would be too grave", "因后果严重而纠正棋钟";
    ChangeResult = "change-result", ResultSigned, "decide otherwise than was signed", "不按所签结果另作决定";
    GrantIncrement = "grant-increment", QuickplayIncrement, "let both play with five seconds more a move and give the opponent two minutes", "准予双方每着加五秒，并给对方加两分钟";
    RefuseIncrement = "refuse-increment", QuickplayIncrement, "refuse the increment", "不准予加秒";
    DeclareDraw = "declare-draw", QuickplayNormalMeans, "declare the game drawn", "判和";
    Postpone = "postpone", QuickplayNormalMeans, "postpone the decision and give the opponent two minutes", "暂缓裁决，可给对方加两分钟";
    RejectClaim = "reject-claim", QuickplayNormalMeans, "reject the claim and give the opponent two minutes", "驳回要求，给对方加两分钟";
}
