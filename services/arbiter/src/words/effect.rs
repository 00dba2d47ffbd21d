//! What follows from an event.

use tabiya_rules::{Color, Move, Variant, uci};

use super::{Language, span::span};
use crate::replay::Effect;

/// An effect as a clause, with moves in the notation of `variant`.
///
/// ```
/// use tabiya_arbiter::{replay::Effect, words::{self, Language}};
/// use tabiya_rules::{Color, Variant};
///
/// let effect = Effect::TimeAdded { side: Color::Black, seconds: 120 };
/// assert_eq!(words::effect(&effect, Variant::Standard, Language::English), "2 min are added to Black's clock");
/// assert_eq!(words::effect(&effect, Variant::Standard, Language::Chinese), "黑方棋钟加2分钟");
/// ```
pub fn effect(effect: &Effect, variant: Variant, language: Language) -> String {
    match language {
        Language::English => english(effect, variant),
        Language::Chinese => chinese(effect, variant),
    }
}

fn english(effect: &Effect, variant: Variant) -> String {
    let name = |side: Color| match side {
        Color::White => "White",
        Color::Black => "Black",
    };
    let time = |seconds: u64| span(seconds, Language::English);
    match effect {
        Effect::TimeAdded { side, seconds } => {
            format!("{} are added to {}'s clock", time((*seconds).into()), name(*side))
        }
        Effect::UsedTimeAdded { side, seconds } => {
            format!(
                "{} are taken off {}'s clock",
                time((*seconds).into()),
                name(*side)
            )
        }
        Effect::Restored => "the position before the irregularity is restored".into(),
        Effect::LastIdentifiable => "the game goes on from the last position that can be identified".into(),
        Effect::IllegalCount { side, count: 1 } => format!("1 illegal move counts against {}", name(*side)),
        Effect::IllegalCount { side, count } => {
            format!("{count} illegal moves count against {}", name(*side))
        }
        Effect::BecomesQueen(square) => format!("the pawn on {square} becomes a queen"),
        Effect::FinishPromotion(square) => format!("the promotion on {square} has to be finished"),
        Effect::OfferOpen { by } => format!("{}'s offer of a draw stands", name(*by)),
        Effect::OfferClosed => "no offer of a draw stands any more".into(),
        Effect::AnswerMayWait => "the answer to the offer may wait for the move".into(),
        Effect::MayBePenalised { side } => format!("the arbiter may penalise {}", name(*side)),
        Effect::Sanction(word) => format!("the arbiter may choose {}", sanction(word, Language::English)),
        Effect::Obliged(moves) => format!("only these moves are allowed: {}", list(moves, variant, ", ")),
        Effect::Free => "any legal move is allowed".into(),
        Effect::ShareTimes => "the times are shared out in proportion to the moves".into(),
        Effect::TimeLost { side, seconds } => format!("{} has lost {}", name(*side), time(*seconds)),
        Effect::ClockRuns { side } => format!("{}'s clock runs", name(*side)),
        Effect::EnvelopeShut => "the envelope stays shut".into(),
        Effect::NewGame => "a new game is played".into(),
        Effect::MayRestart => "the arbiter may restart the game".into(),
        Effect::CarriedOver => "the position is carried over to a correct board".into(),
        Effect::NextPeriod => "the next move is the first of the next period".into(),
        Effect::NeedNotRecord { side } => format!("{} need not record the moves", name(*side)),
        Effect::CompleteSheet { side } => {
            format!(
                "{} completes the score sheet once the period is over",
                name(*side)
            )
        }
        Effect::SealedMove(mv) => format!("the sealed move is {}", uci::write(*mv, variant)),
    }
}

fn chinese(effect: &Effect, variant: Variant) -> String {
    let name = |side: Color| match side {
        Color::White => "白方",
        Color::Black => "黑方",
    };
    let time = |seconds: u64| span(seconds, Language::Chinese);
    match effect {
        Effect::TimeAdded { side, seconds } => format!("{}棋钟加{}", name(*side), time((*seconds).into())),
        Effect::UsedTimeAdded { side, seconds } => {
            format!("{}棋钟减{}", name(*side), time((*seconds).into()))
        }
        Effect::Restored => "恢复到不合规情形之前的局面".into(),
        Effect::LastIdentifiable => "从最后可辨明的局面继续对局".into(),
        Effect::IllegalCount { side, count } => format!("{}不合法着法累计{count}次", name(*side)),
        Effect::BecomesQueen(square) => format!("{square}格的兵变为后"),
        Effect::FinishPromotion(square) => format!("须完成{square}格的升变"),
        Effect::OfferOpen { by } => format!("{}的提和有效，等待答复", name(*by)),
        Effect::OfferClosed => "提和不再有效".into(),
        Effect::AnswerMayWait => "可待看到着法后再答复提和".into(),
        Effect::MayBePenalised { side } => format!("裁判员可处罚{}", name(*side)),
        Effect::Sanction(word) => format!("裁判员可选择：{}", sanction(word, Language::Chinese)),
        Effect::Obliged(moves) => format!("只能走以下着法：{}", list(moves, variant, "、")),
        Effect::Free => "可走任意合法着法".into(),
        Effect::ShareTimes => "按双方着数比例分配用时".into(),
        Effect::TimeLost { side, seconds } => format!("{}损失{}", name(*side), time(*seconds)),
        Effect::ClockRuns { side } => format!("走{}的棋钟", name(*side)),
        Effect::EnvelopeShut => "信封不启".into(),
        Effect::NewGame => "重新开局".into(),
        Effect::MayRestart => "裁判员可决定重赛".into(),
        Effect::CarriedOver => "将局面移到摆正的棋盘上".into(),
        Effect::NextPeriod => "下一着为下一时限第一着".into(),
        Effect::NeedNotRecord { side } => format!("{}可不记录着法", name(*side)),
        Effect::CompleteSheet { side } => format!("{}须在该时限结束后补全记录", name(*side)),
        Effect::SealedMove(mv) => format!("封着为 {}", uci::write(*mv, variant)),
    }
}

fn list(moves: &[Move], variant: Variant, separator: &str) -> String {
    let write = |&mv| uci::write(mv, variant).to_string();
    moves.iter().map(write).collect::<Vec<_>>().join(separator)
}

/// A sanction that a ruleset lists; one without words here is called by its name.
fn sanction(word: &'static str, language: Language) -> &'static str {
    let (english, chinese) = match word {
        "warning" => ("a warning", "警告"),
        "add-opponent-time" => ("to add to the opponent's time", "增加对方时间"),
        "take-own-time" => ("to take off the offender's time", "减少违规方时间"),
        "add-opponent-points" => ("to add to the opponent's points", "增加对方得分"),
        "take-own-points" => ("to take off the offender's points", "减少违规方得分"),
        "loss" => ("to declare the game lost", "判负"),
        "fine" => ("a fine", "罚款"),
        "exclusion" => ("exclusion from rounds", "取消若干轮次的参赛资格"),
        "expulsion" => ("expulsion from the event", "逐出比赛"),
        other => (other, other),
    };
    language.pick(english, chinese)
}
