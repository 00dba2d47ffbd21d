//! Events in Chinese.

use tabiya_client::v1::{
    Breach, ClockFault, Color, FlagWitness, GameResult, PauseReason, QuickplayClaim, RecordingLapse,
    SetupFault, event::Kind,
};

use super::{
    super::{actor, claim_ground, clock_text, outcome},
    consented, promoted, time, when,
};
use crate::adjudicate::Lang;

pub(super) fn chinese(by: Color, kind: &Kind) -> String {
    let on_move = match by {
        Color::Unspecified => "轮走方",
        side => actor(side, Lang::Zh),
    };
    let who = actor(by, Lang::Zh);
    match kind {
        Kind::Move(e) => format!("{on_move}走 {}{}", e.text, when(e.two_hands, "，使用双手")),
        Kind::ClockPress(_) => format!("{on_move}按钟"),
        Kind::Touch(e) => format!(
            "{who}触摸 {}{}{}{}{}",
            e.squares.join("、"),
            when(e.adjusting, "，已声明摆正棋子"),
            when(e.order_unclear, "，先后不明"),
            when(e.accidental, "，显属无意"),
            consented(e.consent, ["，已经同意", "，未经同意"])
        ),
        Kind::Release(e) => format!(
            "{who}将棋子从 {} 走到 {}{}，{}",
            e.from_square,
            e.to_square,
            promoted(&e.promotion, Lang::Zh),
            if e.released { "已离手" } else { "尚未离手" }
        ),
        Kind::DrawOffer(e) => format!(
            "{who}提和{}",
            consented(e.consent, ["，已经裁判员同意", "，未经裁判员同意"])
        ),
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
            let display = when(e.display_only, "，仅凭显示屏或大棋盘");
            format!(
                "{who}要求判和：{}{with}{left}{display}",
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
            let who = match e.witness() {
                FlagWitness::Unspecified => who,
                FlagWitness::Arbiter => "裁判员",
                FlagWitness::Player => "棋手",
                FlagWitness::Bystander => "旁观者",
            };
            let confirmed = consented(e.confirmed, ["，裁判员予以确认", "，裁判员未予确认"]);
            format!("{who}指出{flag}{last}{confirmed}")
        }
        Kind::Arrival(e) => format!(
            "{who}于开赛后 {} 到场{}{}",
            time(e.late),
            when(e.opponent_absent, "，对方亦未到场"),
            when(e.excused, "，裁判员准许参赛")
        ),
        Kind::IllegalMoveReport(e) => format!(
            "{who}报告不合法着法{}{}{}{}",
            when(e.after_signature, "，结果已签字"),
            when(e.position_unknown, "，之前的局面不明"),
            when(e.times_unknown, "，当时的用时不明"),
            when(e.both_agree, "，双方同意纠正")
        ),
        Kind::Displacement(e) => format!(
            "{who}碰乱棋子{}{}{}",
            when(e.found_later, "，其后才发现"),
            when(e.position_unknown, "，之前的局面不明"),
            when(e.pressed, "，未复原即按钟")
        ),
        Kind::SetupFault(e) => {
            let what = match e.fault() {
                SetupFault::WrongPieces => "开局时棋子摆放有误",
                SetupFault::BoardTurned => "棋盘摆放方向有误",
                SetupFault::ColoursReversed => "双方颜色相反",
                SetupFault::ResumedWrong => "续弈时局面摆放有误",
                SetupFault::Unspecified => "开局设置有误",
            };
            let passed = e.first_period_permille.map_or_else(String::new, |passed| {
                format!("，第一时限已过 {}.{}%", passed / 10, passed % 10)
            });
            let squares = match e.squares.is_empty() {
                true => String::new(),
                false => format!("（{}）", e.squares.join("、")),
            };
            format!("{who}指出{what}{squares}{passed}")
        }
        Kind::RecordingLapse(e) => match e.lapse() {
            RecordingLapse::Unspecified | RecordingLapse::Stopped => {
                format!("{who}停止记录，剩余时间 {}", time(e.remaining))
            }
            RecordingLapse::Behind => format!("{who}上一着尚未记录即将走棋"),
            RecordingLapse::InAdvance => format!("{who}未走棋先行记录"),
            RecordingLapse::OfferUnmarked => format!("{who}未在记录纸上注明提和"),
            RecordingLapse::Refused => format!("{who}拒绝记录"),
            RecordingLapse::BothStopped => "双方均不能继续记录".to_owned(),
            RecordingLapse::Borrows => format!("{who}要求借用对方记录纸"),
            RecordingLapse::OneIncomplete => format!("只有{who}须补全记录"),
            RecordingLapse::BothIncomplete => "双方均须补全记录".to_owned(),
            RecordingLapse::Insufficient => "仅凭记录纸不足以补全".to_owned(),
            RecordingLapse::Unclear => "双方记录均不能表明已走着数".to_owned(),
        },
        Kind::Breach(e) => match e.breach() {
            Breach::DeviceOnPlayer => format!("{who}身上查出电子设备"),
            Breach::Refusal => format!("{who}一再拒不遵守规则"),
            Breach::BothRefuse => "双方均一再拒不遵守规则".to_owned(),
            Breach::Other | Breach::Unspecified => format!("{who}违反行为规定"),
            Breach::Disrepute => format!("{who}有损国际象棋声誉"),
            Breach::LeftArea => format!("{who}擅离赛场，或轮走时离开对局区"),
            Breach::Help => format!("{who}借助笔记、资料、他人意见或另一棋盘"),
            Breach::DeviceInVenue => format!("{who}在赛场内携带电子设备"),
            Breach::InspectionRefused => format!("{who}拒绝接受检查"),
            Breach::Smoking => format!("{who}在指定区域外吸烟"),
            Breach::Disturbing => format!("{who}干扰对方"),
            Breach::NotesOnSheet => format!("{who}做帮助记忆的笔记"),
            Breach::AnalysisInRoom => format!("{who}在比赛室内分析棋局"),
            Breach::ClockHandling => format!("{who}操作棋钟不当"),
            Breach::Captain => format!("{who}征询队长意见"),
        },
        Kind::Seal(e) => format!(
            "{who}封着“{}”{}{}",
            e.text,
            when(e.clock_stopped, "，已停钟"),
            e.session_left.map_or_else(String::new, |left| format!(
                "，离场次结束尚有 {}",
                clock_text(left)
            ))
        ),
        Kind::Envelope(e) if e.checked => "裁判员查验信封".to_owned(),
        Kind::Envelope(e) => {
            let known = match e.position_known {
                Some(true) => "封棋局面已知",
                Some(false) => "封棋局面不明",
                None => "未说明局面是否已知",
            };
            let times = when(e.times_unknown, "，用时不明");
            format!("信封遗失，{known}{times}")
        }
        Kind::Resume(e) => {
            let late = e.sealer_late.filter(|late| late.seconds != 0 || late.nanos != 0);
            let late = late.map_or_else(String::new, |late| format!("，封棋方迟到 {}", clock_text(late)));
            let replier = e.replier_late.filter(|late| late.seconds != 0 || late.nanos != 0);
            let replier =
                replier.map_or_else(String::new, |late| format!("，应着方迟到 {}", clock_text(late)));
            let absent = when(e.replier_absent, "，应着方未到");
            let sealer = when(e.sealer_absent, "，封棋方未到");
            format!("续弈{absent}{sealer}{late}{replier}")
        }
        Kind::ArbiterDecision(e) => match e.result() {
            GameResult::Unspecified if e.option == "annul" => format!("{who}决定对局作废"),
            GameResult::Unspecified => format!("{who}选择：{}", e.option),
            result => format!("{who}决定：{}", outcome(Default::default(), result, Lang::Zh)),
        },
        Kind::Retraction(e) => format!("撤回事件 {}", u64::from(e.event) + 1),
        Kind::Correction(e) => {
            let really = e.replacement.as_deref();
            let really = really.map_or_else(String::new, |event| super::event(event, Lang::Zh));
            format!("更正事件 {}：{really}", u64::from(e.event) + 1)
        }
        Kind::Withdrawal(_) => format!("{who}欲撤回提和或要求"),
        Kind::TouchComplaint(e) => format!(
            "{who}就摸子或离手提出申诉{}{}{}",
            when(!e.squares.is_empty(), "：").to_owned() + &e.squares.join("、"),
            when(e.touched_since, "，此后已触摸棋子"),
            consented(e.established, ["，裁判员查明属实", "，裁判员未能查实"])
        ),
        Kind::IllegalPosition(_) => format!("{who}发现不合法局面"),
        Kind::Pause(e) => match e.reason() {
            PauseReason::Assistance => format!("{who}停钟请裁判员协助"),
            PauseReason::PromotionPiece => format!("{who}因无升变所需棋子停钟"),
            PauseReason::Claim => format!("{who}停钟要求判和"),
            PauseReason::Groundless => format!("{who}无正当理由停钟"),
            PauseReason::Unspecified => format!("{who}停钟"),
        },
        Kind::ClockStart(_) => format!("{who}重新开钟"),
        Kind::ClockFault(e) => {
            let what = match e.fault() {
                ClockFault::Defect => "棋钟有明显故障",
                ClockFault::Doubted => "棋钟可能不准",
                ClockFault::Setting => "棋钟设置有误",
                ClockFault::ResumedWrong => "续弈时棋钟拨得不对",
                ClockFault::Unspecified => "棋钟有问题",
            };
            format!(
                "{who}指出{what}{}{}",
                when(e.flag_fallen, "，已在超时之后"),
                when(e.moved_since_resumption, "，续弈后已走棋")
            )
        }
        Kind::Disturbance(e) => format!("对局受到外界干扰{}", when(e.interrupted, "而中断")),
        Kind::QuickplayClaim(e) => {
            let what = match e.claim() {
                QuickplayClaim::Increment => "请求加秒",
                QuickplayClaim::NormalMeans => "提出对方不可能以正常方式取胜",
                QuickplayClaim::Unsupervised => "在无裁判员时提出对方不可能以正常方式取胜",
                QuickplayClaim::Unspecified => "请裁判员裁决",
            };
            format!("{who}{what}，剩余时间 {}", time(e.remaining))
        }
        Kind::Assistance(e) => format!("{who}{}请求使用助手", when(e.disability, "因身体障碍")),
        Kind::SlipOfTongue(e) => format!("{who}报着口误{}", when(e.clock_started, "，对方棋钟已开动")),
        Kind::BoardsDiffer(e) => format!(
            "两个棋盘的局面不同{}",
            consented(e.sheets_agree, ["，双方记录一致", "，双方记录不一致"])
        ),
        Kind::Appeal(_) => format!("{who}提出上诉"),
    }
}
