//! Facts that a ruling needs.

use super::Language;

/// A fact in words; a fact that has none here is called by its name.
pub fn fact(name: &'static str, language: Language) -> &'static str {
    let (english, chinese) = match name {
        "actor" => ("which player acted", "行为方是哪一方"),
        "at" => ("when it happened", "发生的时间"),
        "can_mate" => ("whether the opponent can still mate", "对方能否将死"),
        "consent" => (
            "whether the consent that this takes was given",
            "是否已获所需的同意",
        ),
        "dead_position" => (
            "whether anybody can still mate: no proof was found either way",
            "是否仍有一方能够将死：未能证明",
        ),
        "first_period_permille" => ("how much of the first period had passed", "第一时限已经过多少"),
        "guideline_iii" => (
            "whether Guideline III of the FIDE Laws applies to the event",
            "比赛是否适用国际棋联规则指引三",
        ),
        "increment" => ("the increment of the period", "该时限的每着加秒"),
        "last_period" => ("whether this was the last period", "是否为最后时限"),
        "moves_before" => (
            "how many moves the players had completed then",
            "当时双方已完成的着数",
        ),
        "order_unclear" => ("in which order the pieces were touched", "触摸各子的先后"),
        "position" => ("the position before the irregularity", "不合规情形之前的局面"),
        "position_known" => ("whether the adjourned position is known", "封棋局面是否已知"),
        "remaining" => ("the time left on the clock", "棋钟剩余时间"),
        "clocks" => ("what the clocks are set to", "棋钟应拨到的时间"),
        "confirmed" => ("whether the arbiter confirms it", "裁判员是否确认"),
        "decision" => (
            "what the arbiter decides on the claim put off",
            "裁判员对暂缓裁决的要求如何裁决",
        ),
        "established" => (
            "whether the arbiter found the complaint to be true",
            "裁判员是否查实所申诉的情形",
        ),
        "half_points" => ("how many points", "分数多少"),
        "result" => ("the result", "结果"),
        "ruleset" => (
            "which part of the laws the event plays by at this time control",
            "按此用时，比赛适用规则的哪一部分",
        ),
        "sheets_agree" => ("whether the two score sheets agree", "双方记录是否一致"),
        "side" => ("which side it is about", "涉及哪一方"),
        "squares" => ("which pieces were touched", "触摸了哪些棋子"),
        "start_position" => (
            "whether the game began so: the laws name no such start",
            "对局是否由此开始：规则中并无这样的开始局面",
        ),
        "text" => ("which move was made", "走的是哪一着"),
        "time" => ("how much time", "时间多少"),
        "time_control" => (
            "the time control: whether another period has begun since",
            "用时规定：其后是否已进入另一时限",
        ),
        "promotion" => ("what the pawn becomes", "兵升变为何子"),
        "with_move" => ("which move is written down for the claim", "提出时所写的是哪一着"),
        other => (other, other),
    };
    language.pick(english, chinese)
}
