//! Facts that a ruling needs.

use super::Language;

/// A fact in words; a fact that has none here is called by its name.
pub fn fact(name: &'static str, language: Language) -> &'static str {
    let (english, chinese) = match name {
        "actor" => ("which player acted", "行为方是哪一方"),
        "at" => ("when it happened", "发生的时间"),
        "can_mate" => ("whether the opponent can still mate", "对方能否将死"),
        "consent" => (
            "whether the opponent or the arbiter consented",
            "对方或裁判员是否同意",
        ),
        "first_period_permille" => ("how much of the first period had passed", "第一时限已经过多少"),
        "guideline_iii" => (
            "whether Guideline III of the FIDE Laws applies to the event",
            "比赛是否适用国际棋联规则指引三",
        ),
        "increment" => ("the increment of the period", "该时限的每着加秒"),
        "last_period" => ("whether this was the last period", "是否为最后时限"),
        "position" => ("the position before the irregularity", "不合规情形之前的局面"),
        "position_known" => ("whether the adjourned position is known", "封棋局面是否已知"),
        "remaining" => ("the time left on the clock", "棋钟剩余时间"),
        "touch" => (
            "whether the piece was touched or released as the complaint says",
            "棋子是否如申诉所说被触摸或离手",
        ),
        other => (other, other),
    };
    language.pick(english, chinese)
}
