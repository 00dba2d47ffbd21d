//! What follows from an event.

use std::time::Duration;

use tabiya_rules::{Color, Move, Variant, uci};

use super::{Language, span::span};
use crate::replay::{Effect, EnvelopeItem, Right};

/// An effect as a clause, with moves in the notation of `variant`.
///
/// ```
/// use std::time::Duration;
///
/// use tabiya_arbiter::{replay::Effect, words::{self, Language}};
/// use tabiya_rules::{Color, Variant};
///
/// let effect = Effect::TimeAdded { side: Color::Black, time: Duration::from_secs(120) };
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
    let length = |time: &Duration| span(*time, Language::English);
    match effect {
        Effect::TimeAdded { side, time } => {
            format!("{} are added to {}'s clock", length(time), name(*side))
        }
        Effect::UsedTimeAdded { side, time } => {
            format!("{} are taken off {}'s clock", length(time), name(*side))
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
        Effect::OfferClosed { by } => format!("{}'s offer of a draw does not stand any more", name(*by)),
        Effect::AnswerMayWait => "the answer to the offer may wait for the move".into(),
        Effect::MayBePenalised { side } => format!("the arbiter may penalise {}", name(*side)),
        Effect::Option(choice) => format!("the arbiter may {}", choice.en()),
        Effect::Obliged(moves) => format!("only these moves are allowed: {}", list(moves, variant, ", ")),
        Effect::Free => "any legal move is allowed".into(),
        Effect::ShareTimes => "the times are shared out in proportion to the moves".into(),
        Effect::TimeLost { side, time } => format!("{} has lost {}", name(*side), length(time)),
        Effect::ClockRuns { side } => format!("{}'s clock runs", name(*side)),
        Effect::EnvelopeShut => "the envelope stays shut".into(),
        Effect::NewGame => "a new game is played".into(),
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
        Effect::RightLost { side, right: lost } => {
            format!("{} loses {}", name(*side), right(*lost, Language::English))
        }
        Effect::RightRegained { side, right: again } => {
            format!("{} has {} again", name(*side), right(*again, Language::English))
        }
        Effect::ClocksPaused => "both clocks stand still".into(),
        Effect::ClockSet { side, time } => {
            format!("{}'s clock is set to {}", name(*side), length(time))
        }
        Effect::Points { side, half_points } if *half_points < 0 => {
            format!("{} loses {} points", name(*side), points(*half_points))
        }
        Effect::Points { side, half_points } => {
            format!("{} gets {} points more", name(*side), points(*half_points))
        }
        Effect::CompleteEnvelope(items) => {
            format!(
                "the envelope still has to state: {}",
                envelope(items, Language::English)
            )
        }
        Effect::SecondBoard => "the game is reconstructed on a second board".into(),
        Effect::ArbiterRecords => "the arbiter or his deputy records the moves".into(),
        Effect::LendSheet { side } => format!("{} lends his score sheet", name(*side)),
    }
}

fn chinese(effect: &Effect, variant: Variant) -> String {
    let name = |side: Color| match side {
        Color::White => "白方",
        Color::Black => "黑方",
    };
    let length = |time: &Duration| span(*time, Language::Chinese);
    match effect {
        Effect::TimeAdded { side, time } => format!("{}棋钟加{}", name(*side), length(time)),
        Effect::UsedTimeAdded { side, time } => {
            format!("{}棋钟减{}", name(*side), length(time))
        }
        Effect::Restored => "恢复到不合规情形之前的局面".into(),
        Effect::LastIdentifiable => "从最后可辨明的局面继续对局".into(),
        Effect::IllegalCount { side, count } => format!("{}不合法着法累计{count}次", name(*side)),
        Effect::BecomesQueen(square) => format!("{square}格的兵变为后"),
        Effect::FinishPromotion(square) => format!("须完成{square}格的升变"),
        Effect::OfferOpen { by } => format!("{}的提和有效，等待答复", name(*by)),
        Effect::OfferClosed { by } => format!("{}的提和不再有效", name(*by)),
        Effect::AnswerMayWait => "可待看到着法后再答复提和".into(),
        Effect::MayBePenalised { side } => format!("裁判员可处罚{}", name(*side)),
        Effect::Option(choice) => format!("裁判员可{}", choice.zh()),
        Effect::Obliged(moves) => format!("只能走以下着法：{}", list(moves, variant, "、")),
        Effect::Free => "可走任意合法着法".into(),
        Effect::ShareTimes => "按双方着数比例分配用时".into(),
        Effect::TimeLost { side, time } => format!("{}损失{}", name(*side), length(time)),
        Effect::ClockRuns { side } => format!("走{}的棋钟", name(*side)),
        Effect::EnvelopeShut => "信封不启".into(),
        Effect::NewGame => "重新开局".into(),
        Effect::CarriedOver => "将局面移到摆正的棋盘上".into(),
        Effect::NextPeriod => "下一着为下一时限第一着".into(),
        Effect::NeedNotRecord { side } => format!("{}可不记录着法", name(*side)),
        Effect::CompleteSheet { side } => format!("{}须在该时限结束后补全记录", name(*side)),
        Effect::SealedMove(mv) => format!("封着为 {}", uci::write(*mv, variant)),
        Effect::RightLost { side, right: lost } => {
            format!("{}失去{}", name(*side), right(*lost, Language::Chinese))
        }
        Effect::RightRegained { side, right: again } => {
            format!("{}恢复{}", name(*side), right(*again, Language::Chinese))
        }
        Effect::ClocksPaused => "双方停钟".into(),
        Effect::ClockSet { side, time } => format!("{}棋钟拨到剩余{}", name(*side), length(time)),
        Effect::Points { side, half_points } if *half_points < 0 => {
            format!("{}扣{}分", name(*side), points(*half_points))
        }
        Effect::Points { side, half_points } => format!("{}加{}分", name(*side), points(*half_points)),
        Effect::CompleteEnvelope(items) => {
            format!("信封上须补注：{}", envelope(items, Language::Chinese))
        }
        Effect::SecondBoard => "在另一棋盘上重演对局".into(),
        Effect::ArbiterRecords => "由裁判员或代理裁判员记录着法".into(),
        Effect::LendSheet { side } => format!("{}须借出记录纸", name(*side)),
    }
}

fn list(moves: &[Move], variant: Variant, separator: &str) -> String {
    let write = |&mv| uci::write(mv, variant).to_string();
    moves.iter().map(write).collect::<Vec<_>>().join(separator)
}

/// A right as an object of "lose" and "have", and of 失去 and 恢复.
fn right(right: Right, language: Language) -> &'static str {
    let (english, chinese) = match right {
        Right::CastleKingSide => ("the right to castle on the king's side", "王翼易位权"),
        Right::CastleQueenSide => ("the right to castle on the queen's side", "后翼易位权"),
        Right::Claim => ("the right to claim a draw on this move", "本着要求判和的权利"),
        Right::Offer => ("the right to offer a draw", "提和的权利"),
        Right::Complaint => (
            "the right to complain about touched pieces",
            "就触摸棋子提出申诉的权利",
        ),
    };
    language.pick(english, chinese)
}

fn envelope(items: &[EnvelopeItem], language: Language) -> String {
    let word = |item: &EnvelopeItem| {
        let (english, chinese) = match item {
            EnvelopeItem::Names => ("the players' names", "双方姓名"),
            EnvelopeItem::Position => ("the position", "封棋局面"),
            EnvelopeItem::Times => ("the times used", "双方用时"),
            EnvelopeItem::Sealer => ("who sealed", "封棋方姓名"),
            EnvelopeItem::MoveNumber => ("the number of the sealed move", "封着的着数"),
            EnvelopeItem::Offer => ("the standing offer of a draw", "尚待答复的提和"),
            EnvelopeItem::Resumption => ("when and where play is resumed", "续弈的时间和地点"),
        };
        language.pick(english, chinese)
    };
    let words: Vec<_> = items.iter().map(word).collect();
    words.join(language.pick(", ", "、"))
}

/// Half points as points: `½`, `1`, `1½`.
fn points(half_points: i32) -> String {
    let half = half_points.unsigned_abs();
    match (half / 2, half % 2) {
        (0, 1) => "½".into(),
        (whole, 0) => whole.to_string(),
        (whole, _) => format!("{whole}½"),
    }
}
