//! What rulesets differ on.

use tabiya_client::v1::DifferenceField;

use crate::adjudicate::Lang;

/// What rulesets differ on, as a heading.
pub(in crate::adjudicate) fn difference(field: DifferenceField, lang: Lang) -> &'static str {
    let (english, chinese) = match field {
        DifferenceField::Status => ("whether the game is over", "对局是否结束"),
        DifferenceField::Result => ("the result", "结果"),
        DifferenceField::Termination => ("what ended the game", "终局原因"),
        DifferenceField::DecisiveEvent => ("which event ended the game", "由哪一事件终局"),
        DifferenceField::DecisivePly => ("after which ply the game ended", "在第几着之后终局"),
        DifferenceField::Ruling => ("the ruling", "裁定"),
        DifferenceField::Penalty => ("what it costs", "处罚"),
        DifferenceField::Effects => ("what follows", "后果"),
        DifferenceField::Claimable => ("which draws may be claimed", "可提出的和棋要求"),
        DifferenceField::Obligations => ("which moves are due", "必须走的着法"),
        DifferenceField::MissingFacts => ("which facts are missing", "缺少的事实"),
        DifferenceField::Unspecified => ("something", "其他"),
    };
    lang.pick(english, chinese)
}
