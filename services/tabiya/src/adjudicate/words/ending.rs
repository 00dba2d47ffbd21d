//! Results and endings.

use tabiya_client::v1::{ClaimGround, GameResult, GameStatus, Termination};

use crate::adjudicate::Lang;

/// The result in figures; empty if there is none.
pub(in crate::adjudicate) fn result_marks(result: GameResult) -> &'static str {
    match result {
        GameResult::WhiteWins => "1-0",
        GameResult::BlackWins => "0-1",
        GameResult::Draw => "1/2-1/2",
        GameResult::BothLose => "0-0",
        GameResult::Unspecified => "",
    }
}

/// Whether the game is over.
pub(in crate::adjudicate) fn status(status: GameStatus, lang: Lang) -> &'static str {
    match status {
        GameStatus::Ongoing => lang.pick("the game goes on", "对局继续"),
        GameStatus::Decided => lang.pick("the game is decided", "对局已有结果"),
        GameStatus::Void => lang.pick("the game does not count", "对局作废"),
        GameStatus::Suspended => lang.pick("play is suspended", "对局暂停"),
        GameStatus::Unspecified => lang.pick("unknown", "不明"),
    }
}

/// How a game stands, with its result in words where it has one.
pub(in crate::adjudicate) fn outcome(state: GameStatus, result: GameResult, lang: Lang) -> &'static str {
    match result {
        GameResult::WhiteWins => lang.pick("White wins", "白胜"),
        GameResult::BlackWins => lang.pick("Black wins", "黑胜"),
        GameResult::Draw => lang.pick("draw", "和棋"),
        GameResult::BothLose => lang.pick("both players lose", "双方均负"),
        GameResult::Unspecified => status(state, lang),
    }
}

/// What ended a game; empty if nothing has.
pub(in crate::adjudicate) fn termination(termination: Termination, lang: Lang) -> &'static str {
    let (english, chinese) = match termination {
        Termination::Unspecified => ("", ""),
        Termination::Checkmate => ("checkmate", "将死"),
        Termination::Stalemate => ("stalemate", "逼和"),
        Termination::DeadPosition => ("dead position", "死局"),
        Termination::FivefoldRepetition => ("fivefold repetition", "同一局面五次"),
        Termination::SeventyFiveMoves => ("75 moves", "七十五回合"),
        Termination::Repetition => ("repetition", "重复局面"),
        Termination::QuietMoves => ("moves without pawn move or capture", "未动兵未吃子的回合已满"),
        Termination::Checks => ("checks", "将军次数已满"),
        Termination::Agreement => ("agreement", "协议和棋"),
        Termination::Claim => ("claim of a draw", "提出要求判和"),
        Termination::Resignation => ("resignation", "认输"),
        Termination::Time => ("time", "超时"),
        Termination::IllegalMoves => ("illegal moves", "不合法着法"),
        Termination::Late => ("late arrival", "迟到"),
        Termination::Conduct => ("conduct", "行为违规"),
        Termination::SealedMove => ("sealed move", "封着无效"),
        Termination::IllegalPosition => ("illegal position", "不合法局面"),
        Termination::Setup => ("set-up", "开局设置错误"),
        Termination::PositionLost => ("position lost", "局面无法恢复"),
        Termination::Arbiter => ("decision of the arbiter", "裁判员决定"),
    };
    lang.pick(english, chinese)
}

/// Why a draw may be claimed.
pub(in crate::adjudicate) fn claim_ground(ground: ClaimGround, lang: Lang) -> &'static str {
    match ground {
        ClaimGround::ThreefoldRepetition => lang.pick("threefold repetition", "同一局面三次"),
        ClaimGround::FiftyMoves => lang.pick("fifty moves", "五十回合"),
        ClaimGround::Unspecified => lang.pick("ground not stated", "理由不明"),
    }
}
