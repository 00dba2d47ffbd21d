//! Events as sentences.

use prost_types::Duration;
use tabiya_client::v1::{Breach, Color, Event, GameResult, SetupFault, event::Kind};

use super::{actor, claim_ground, clock_text, outcome};
use crate::adjudicate::Lang;

/// What happened, as a sentence without full stop.
pub(in crate::adjudicate) fn event(event: &Event, lang: Lang) -> String {
    let Some(kind) = &event.kind else {
        return lang.pick("nothing is said", "未说明事件").to_owned();
    };
    match lang {
        Lang::En => english(event.actor(), kind),
        Lang::Zh => chinese(event.actor(), kind),
    }
}

/// What follows if a fact holds.
fn when(holds: bool, text: &str) -> &str {
    if holds { text } else { "" }
}

fn time(value: Option<Duration>) -> String {
    value.map_or_else(|| "?".to_owned(), clock_text)
}

fn english(by: Color, kind: &Kind) -> String {
    // The mover and who presses may be left out: it is who is on move.
    let on_move = match by {
        Color::Unspecified => "the player on move",
        side => actor(side, Lang::En),
    };
    let who = actor(by, Lang::En);
    match kind {
        Kind::Move(e) => format!(
            "{on_move} plays {}{}",
            e.uci,
            when(e.two_hands, " with both hands")
        ),
        Kind::ClockPress(_) => format!("{on_move} presses the clock"),
        Kind::Touch(e) => format!(
            "{who} touches {}{}{}",
            e.squares.join(", "),
            when(e.adjusting, ", having said that he adjusts"),
            when(e.order_unclear, ", in an order that is not clear")
        ),
        Kind::Release(e) => format!(
            "{who} moves a piece from {} to {} and {}",
            e.from_square,
            e.to_square,
            if e.released {
                "releases it"
            } else {
                "holds it still"
            }
        ),
        Kind::DrawOffer(_) => format!("{who} offers a draw"),
        Kind::DrawAnswer(e) => format!(
            "{who} {} the draw",
            if e.accepted { "accepts" } else { "refuses" }
        ),
        Kind::Claim(e) => {
            let with = when(!e.with_move.is_empty(), ", with the move ").to_owned() + &e.with_move;
            let left = e
                .remaining
                .map_or_else(String::new, |left| format!(", with {} left", clock_text(left)));
            format!(
                "{who} claims a draw: {}{with}{left}",
                claim_ground(e.ground(), Lang::En)
            )
        }
        Kind::Resignation(_) => format!("{who} resigns"),
        Kind::FlagFall(e) => {
            let flag = match e.side() {
                Color::Unspecified => "both flags have fallen, and nobody knows which fell first".to_owned(),
                side => format!("{}'s flag has fallen", actor(side, Lang::En)),
            };
            let last = match e.last_period {
                Some(true) => ", in the last period",
                Some(false) => ", not in the last period",
                None => "",
            };
            format!("{who} points out that {flag}{last}")
        }
        Kind::Arrival(e) => format!("{who} arrives {} after the start", time(e.late)),
        Kind::IllegalMoveReport(e) => format!(
            "{who} reports an illegal move{}{}{}",
            when(e.after_signature, ", after the result was signed"),
            when(e.position_unknown, ", with the position before it unknown"),
            when(e.times_unknown, ", with the times at it unknown")
        ),
        Kind::Displacement(_) => format!("{who} displaces pieces"),
        Kind::SetupFault(e) => {
            let what = match e.fault() {
                SetupFault::WrongPieces => "the pieces stood wrong at the start",
                SetupFault::BoardTurned => "the board is turned",
                SetupFault::ColoursReversed => "the colours are reversed",
                SetupFault::Unspecified => "something was wrong from the start",
            };
            let passed = e.first_period_permille.map_or_else(String::new, |passed| {
                format!(", {}.{} % into the first period", passed / 10, passed % 10)
            });
            format!("{who} points out that {what}{passed}")
        }
        Kind::RecordingLapse(e) if e.sheets_unclear => {
            "neither score sheet shows how many moves were made".to_owned()
        }
        Kind::RecordingLapse(e) => format!("{who} stops recording, with {} left", time(e.remaining)),
        Kind::Breach(e) => match e.breach() {
            Breach::DeviceOnPlayer => format!("a device is found on {who}"),
            Breach::Refusal => format!("{who} persistently refuses to comply"),
            Breach::BothRefuse => "both players persistently refuse to comply".to_owned(),
            Breach::Other | Breach::Unspecified => format!("{who} breaks the rules of conduct"),
        },
        Kind::Seal(e) => format!(
            "{who} seals the move \"{}\"{}",
            e.text,
            when(e.clock_stopped, ", with the clock stopped")
        ),
        Kind::Envelope(e) => {
            let known = match e.position_known {
                Some(true) => "the adjourned position is known",
                Some(false) => "the adjourned position is not known",
                None => "nothing is said about the position",
            };
            format!("the envelope cannot be found; {known}")
        }
        Kind::Resume(e) => {
            let late = e.sealer_late.filter(|late| late.seconds != 0 || late.nanos != 0);
            let late = late.map_or_else(String::new, |late| {
                format!("; the sealer is {} late", clock_text(late))
            });
            let absent = when(e.replier_absent, "; the player to reply is absent");
            format!("play is to be resumed{absent}{late}")
        }
        Kind::ArbiterDecision(e) => match e.result() {
            GameResult::Unspecified => format!("{who} decides that the game does not count"),
            result => format!("{who} decides: {}", outcome(Default::default(), result, Lang::En)),
        },
        Kind::Retraction(e) => format!("event {} is taken back", u64::from(e.event) + 1),
        Kind::Withdrawal(_) => format!("{who} wants to withdraw the offer or claim"),
        Kind::TouchComplaint(e) => format!(
            "{who} complains about a touched or released piece{}",
            when(e.touched_since, ", having touched a piece since")
        ),
        Kind::IllegalPosition(_) => format!("{who} notes an illegal position"),
    }
}

fn chinese(by: Color, kind: &Kind) -> String {
    let on_move = match by {
        Color::Unspecified => "轮走方",
        side => actor(side, Lang::Zh),
    };
    let who = actor(by, Lang::Zh);
    match kind {
        Kind::Move(e) => format!("{on_move}走 {}{}", e.uci, when(e.two_hands, "，使用双手")),
        Kind::ClockPress(_) => format!("{on_move}按钟"),
        Kind::Touch(e) => format!(
            "{who}触摸 {}{}{}",
            e.squares.join("、"),
            when(e.adjusting, "，已声明摆正棋子"),
            when(e.order_unclear, "，先后不明")
        ),
        Kind::Release(e) => format!(
            "{who}将棋子从 {} 走到 {}，{}",
            e.from_square,
            e.to_square,
            if e.released { "已离手" } else { "尚未离手" }
        ),
        Kind::DrawOffer(_) => format!("{who}提和"),
        Kind::DrawAnswer(e) => format!("{who}{}提和", if e.accepted { "同意" } else { "拒绝" }),
        Kind::Claim(e) => {
            let with = if e.with_move.is_empty() {
                String::new()
            } else {
                format!("，并写下着法 {}", e.with_move)
            };
            let left = e
                .remaining
                .map_or_else(String::new, |left| format!("，剩余时间 {}", clock_text(left)));
            format!(
                "{who}要求判和：{}{with}{left}",
                claim_ground(e.ground(), Lang::Zh)
            )
        }
        Kind::Resignation(_) => format!("{who}认输"),
        Kind::FlagFall(e) => {
            let flag = match e.side() {
                Color::Unspecified => "双方均已超时，先后不明".to_owned(),
                side => format!("{}超时", actor(side, Lang::Zh)),
            };
            let last = match e.last_period {
                Some(true) => "，为最后时限",
                Some(false) => "，非最后时限",
                None => "",
            };
            format!("{who}指出{flag}{last}")
        }
        Kind::Arrival(e) => format!("{who}于开赛后 {} 到场", time(e.late)),
        Kind::IllegalMoveReport(e) => format!(
            "{who}报告不合法着法{}{}{}",
            when(e.after_signature, "，结果已签字"),
            when(e.position_unknown, "，之前的局面不明"),
            when(e.times_unknown, "，当时的用时不明")
        ),
        Kind::Displacement(_) => format!("{who}碰乱棋子"),
        Kind::SetupFault(e) => {
            let what = match e.fault() {
                SetupFault::WrongPieces => "开局时棋子摆放有误",
                SetupFault::BoardTurned => "棋盘摆放方向有误",
                SetupFault::ColoursReversed => "双方颜色相反",
                SetupFault::Unspecified => "开局设置有误",
            };
            let passed = e.first_period_permille.map_or_else(String::new, |passed| {
                format!("，第一时限已过 {}.{}%", passed / 10, passed % 10)
            });
            format!("{who}指出{what}{passed}")
        }
        Kind::RecordingLapse(e) if e.sheets_unclear => "双方记录均不能表明已走着数".to_owned(),
        Kind::RecordingLapse(e) => format!("{who}停止记录，剩余时间 {}", time(e.remaining)),
        Kind::Breach(e) => match e.breach() {
            Breach::DeviceOnPlayer => format!("{who}身上查出电子设备"),
            Breach::Refusal => format!("{who}一再拒不遵守规则"),
            Breach::BothRefuse => "双方均一再拒不遵守规则".to_owned(),
            Breach::Other | Breach::Unspecified => format!("{who}违反行为规定"),
        },
        Kind::Seal(e) => format!("{who}封着“{}”{}", e.text, when(e.clock_stopped, "，已停钟")),
        Kind::Envelope(e) => {
            let known = match e.position_known {
                Some(true) => "封棋局面已知",
                Some(false) => "封棋局面不明",
                None => "未说明局面是否已知",
            };
            format!("信封遗失，{known}")
        }
        Kind::Resume(e) => {
            let late = e.sealer_late.filter(|late| late.seconds != 0 || late.nanos != 0);
            let late = late.map_or_else(String::new, |late| format!("，封棋方迟到 {}", clock_text(late)));
            format!("续弈{}{late}", when(e.replier_absent, "，应着方未到"))
        }
        Kind::ArbiterDecision(e) => match e.result() {
            GameResult::Unspecified => format!("{who}决定对局作废"),
            result => format!("{who}决定：{}", outcome(Default::default(), result, Lang::Zh)),
        },
        Kind::Retraction(e) => format!("撤回事件 {}", u64::from(e.event) + 1),
        Kind::Withdrawal(_) => format!("{who}欲撤回提和或要求"),
        Kind::TouchComplaint(e) => format!(
            "{who}就摸子或离手提出申诉{}",
            when(e.touched_since, "，此后已触摸棋子")
        ),
        Kind::IllegalPosition(_) => format!("{who}发现不合法局面"),
    }
}
