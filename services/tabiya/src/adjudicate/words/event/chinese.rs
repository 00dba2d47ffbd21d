use tabiya_client::v1::{ArbiterDecisionEvent, Color, FlagFallEvent, FlagWitness, GameResult, event::Kind};

use super::{decision::option, faults_chinese as faults, known, some_time, time, when};
use crate::adjudicate::{
    Lang,
    words::{actor, claim_ground, clock_text, outcome},
};

/// A time that nobody reported.
pub(super) const UNKNOWN: &str = "（时间未报）";

/// What happened, done by `by`.
pub(super) fn kind(by: Color, kind: &Kind) -> String {
    let on_move = match by {
        Color::Unspecified => "轮走方",
        side => actor(side, Lang::Zh),
    };
    let who = actor(by, Lang::Zh);
    match kind {
        Kind::Move(e) => format!(
            "{on_move}走 {}{}{}",
            e.text,
            when(e.two_hands, "，使用双手"),
            when(e.unnoticed, "，无人发现违规")
        ),
        Kind::ClockPress(_) => format!("{on_move}按钟"),
        Kind::Touch(e) => format!(
            "{who}触摸 {}{}{}{}{}{}",
            e.squares.join("、"),
            when(e.adjusting, "，已声明摆正棋子"),
            when(e.order_unclear, "，先后不明"),
            when(e.accidental, "，属无意"),
            known(e.consent, "，已获同意", "，未获同意"),
            known(e.out_of_hole, "，已从孔中取出", "，未从孔中取出")
        ),
        Kind::Release(e) => format!(
            "{who}将棋子从 {} 走到 {}，{}{}{}{}",
            e.from_square,
            e.to_square,
            if e.released { "已离手" } else { "尚未离手" },
            when(!e.promotion.is_empty(), "，换上 "),
            e.promotion,
            known(e.announced, "，着法已报出", "，着法未报出")
        ),
        Kind::DrawOffer(e) => format!(
            "{who}提和{}{}",
            when(e.moment_unknown, "，时机不明"),
            known(e.consent, "，裁判员同意", "，裁判员未同意")
        ),
        Kind::DrawAnswer(e) => format!("{who}{}提和", if e.accepted { "同意" } else { "拒绝" }),
        Kind::Claim(e) => format!(
            "{who}要求判和：{}{}{}{}{}",
            claim_ground(e.ground(), Lang::Zh),
            when(!e.with_move.is_empty(), "，并写下着法 "),
            e.with_move,
            e.remaining
                .map_or_else(String::new, |left| format!("，剩余时间 {}", clock_text(left))),
            when(e.display_only, "，仅以屏幕显示为据")
        ),
        Kind::Resignation(_) => format!("{who}认输"),
        Kind::FlagFall(e) => flag(who, e),
        Kind::Arrival(e) => format!(
            "{who}迟到 {} 后到场{}{}",
            time(e.late, UNKNOWN),
            when(e.opponent_absent, "，对方亦未到场"),
            when(e.excused, "，裁判员准予参赛")
        ),
        Kind::Seal(e) => format!(
            "{who}封着“{}”{}{}",
            e.text,
            when(e.clock_stopped, "，已停钟"),
            some_time(e.session_left).map_or_else(String::new, |left| format!("，距本节结束 {left}"))
        ),
        Kind::Resume(e) => format!(
            "续弈{}{}{}{}",
            when(e.replier_absent, "，应着方未到"),
            when(e.sealer_absent, "，封棋方未到"),
            some_time(e.sealer_late).map_or_else(String::new, |late| format!("，封棋方迟到 {late}")),
            some_time(e.replier_late).map_or_else(String::new, |late| format!("，应着方迟到 {late}"))
        ),
        Kind::ArbiterDecision(e) => decision(who, e),
        Kind::Retraction(e) => format!("撤回事件 {}", u64::from(e.event) + 1),
        Kind::Correction(e) => {
            let what = e
                .replacement
                .as_ref()
                .map_or_else(|| "未说明".to_owned(), |event| super::event(event, Lang::Zh));
            format!("更正事件 {}：{what}", u64::from(e.event) + 1)
        }
        Kind::Withdrawal(_) => format!("{who}欲撤回提和或要求"),
        Kind::Appeal(_) => format!("{who}提出上诉"),
        _ => faults::kind(who, kind),
    }
}

fn flag(who: &str, e: &FlagFallEvent) -> String {
    let flag = match e.side() {
        Color::Unspecified => "双方均已超时，先后不明".to_owned(),
        side => format!("{}超时", actor(side, Lang::Zh)),
    };
    let witness = match e.witness() {
        FlagWitness::Unspecified => "",
        FlagWitness::Arbiter => "，裁判员所见",
        FlagWitness::Player => "，棋手所见",
        FlagWitness::Bystander => "，旁人所见",
        FlagWitness::Record => "，据对局记录",
    };
    let last = known(e.last_period, "，为最后时限", "，非最后时限");
    let confirmed = known(e.confirmed, "，裁判员已确认", "，裁判员未确认");
    format!("{who}指出{flag}{witness}{last}{confirmed}")
}

fn decision(who: &str, e: &ArbiterDecisionEvent) -> String {
    let mut parts = Vec::new();
    if e.result() != GameResult::Unspecified {
        parts.push(outcome(Default::default(), e.result(), Lang::Zh).to_owned());
    }
    match e.option.as_str() {
        "" => {}
        name => parts.push(option(name, Lang::Zh)),
    }
    if e.side() != Color::Unspecified {
        parts.push(actor(e.side(), Lang::Zh).to_owned());
    }
    parts.extend(some_time(e.time));
    if e.half_points > 0 {
        parts.push(format!("{} 个半分", e.half_points));
    }
    if let Some(clocks) = &e.clocks {
        let (white, black) = (time(clocks.white, "不变"), time(clocks.black, "不变"));
        parts.push(format!("棋钟白方 {white}、黑方 {black}"));
    }
    let about = e
        .event
        .map_or_else(String::new, |event| format!("就事件 {} ", u64::from(event) + 1));
    format!("{who}{about}决定：{}", parts.join("，"))
}
