use crate::adjudicate::Lang;

/// What an arbiter's decision chooses; a name that is not known here stays as it is.
pub(super) fn option(name: &str, lang: Lang) -> String {
    let (en, zh) = match name {
        "annul" => ("the game does not count", "对局作废"),
        "warning" => ("a warning", "警告"),
        "add-opponent-time" => ("time for the opponent", "增加对方剩余时间"),
        "take-own-time" => ("time off the offender's clock", "减少违规方剩余时间"),
        "add-opponent-points" => ("points for the opponent", "增加对方得分"),
        "take-own-points" => ("points off the offender", "减少违规方得分"),
        "loss" => ("the game is lost by this player", "判该方负"),
        "fine" => ("a fine", "罚款"),
        "exclusion" => ("exclusion from rounds", "取消若干轮次的参赛资格"),
        "expulsion" => ("expulsion from the event", "逐出比赛"),
        "restart" => ("the game is played again", "重赛"),
        "go-on" => ("the game goes on", "对局继续"),
        "set-clocks" => ("clocks set", "拨正棋钟"),
        "add-time" => ("time given", "因干扰补时"),
        "adjust-for-assistant" => ("the clocks are adjusted for the assistant", "因使用助手调整用时"),
        "correct-clocks" => ("the clocks are corrected", "纠正棋钟"),
        "change-result" => ("another result than was signed", "不按所签结果"),
        "grant-increment" => ("the increment is granted", "准予加秒"),
        "refuse-increment" => ("the increment is refused", "不准予加秒"),
        "declare-draw" => ("the game is drawn", "判和"),
        "postpone" => ("the decision is postponed", "暂缓裁决"),
        "reject-claim" => ("the claim is rejected", "驳回要求"),
        other => return other.to_owned(),
    };
    lang.pick(en, zh).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The options that the service names in its refusal of an unknown one.
    #[test]
    fn every_option_has_words_in_both_languages() {
        let names = "annul warning add-opponent-time take-own-time add-opponent-points take-own-points loss fine exclusion expulsion restart go-on set-clocks add-time adjust-for-assistant correct-clocks change-result grant-increment refuse-increment declare-draw postpone reject-claim";
        for name in names.split(' ') {
            let (en, zh) = (option(name, Lang::En), option(name, Lang::Zh));
            assert!(en.is_ascii() && en.contains(' '), "{name}: {en}");
            assert!(!zh.chars().any(|c| c.is_ascii_alphabetic()), "{name}: {zh}");
        }
    }
}
