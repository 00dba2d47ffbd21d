//! What went wrong at the board.

use tabiya_client::v1::{
    Breach, ClockFault, Color, EnvelopeEvent, EnvelopeItem, IllegalMoveReportEvent, PauseReason,
    QuickplayClaim, RecordingLapse, RecordingLapseEvent, SetupFault, SetupFaultEvent, event::Kind,
};

use super::{chinese::UNKNOWN, known, some_time, time, when};

/// An irregularity, reported or done by `who`.
pub(super) fn kind(who: &str, kind: &Kind) -> String {
    match kind {
        Kind::IllegalMoveReport(e) => illegal_move(who, e),
        Kind::Displacement(e) => format!(
            "{who}碰乱棋子{}{}{}{}{}",
            when(e.found_later, "，后来发现复原有误"),
            when(e.position_unknown, "，之前的局面不明"),
            when(e.times_unknown, "，当时的用时不明"),
            after_moves(e.moves_before),
            when(e.pressed, "，未复原即按钟")
        ),
        Kind::SetupFault(e) => setup(who, e),
        Kind::RecordingLapse(e) => recording(who, e),
        Kind::Breach(e) => breach(who, e.breach()),
        Kind::Envelope(e) => envelope(e),
        Kind::TouchComplaint(e) => format!(
            "{who}就对方未遵守摸子或离手提出申诉{}{}{}{}{}{}",
            when(!e.squares.is_empty(), "："),
            e.squares.join("、"),
            when(!e.promotion.is_empty(), "，已放下"),
            e.promotion,
            when(e.touched_since, "，此后已触摸棋子"),
            known(e.established, "，经查属实", "，经查不实")
        ),
        Kind::IllegalPosition(_) => format!("{who}发现不合法局面"),
        Kind::Pause(e) => {
            let why = match e.reason() {
                PauseReason::Assistance => "请裁判员协助",
                PauseReason::PromotionPiece => "取升变所需棋子",
                PauseReason::Claim => "要求判和",
                PauseReason::Groundless => "无正当理由",
                PauseReason::Unspecified => "原因未报",
            };
            format!("{who}停钟（{why}）")
        }
        Kind::ClockStart(_) => format!("{who}重新开钟"),
        Kind::ClockFault(e) => {
            let what = match e.fault() {
                ClockFault::Defect => "棋钟明显有故障",
                ClockFault::Doubted => "怀疑棋钟有误，但无明显故障",
                ClockFault::Setting => "棋钟设置有误",
                ClockFault::ResumedWrong => "棋钟所示与信封所记不符",
                ClockFault::Unspecified => "棋钟有误",
            };
            let flag = when(e.flag_fallen, "，当时已有一方超时");
            let moved = when(e.moved_since_resumption, "，续弈后已走棋");
            format!("{who}指出{what}{flag}{moved}")
        }
        Kind::Disturbance(e) => format!("对局受外界干扰{}", when(e.interrupted, "，须中断")),
        Kind::QuickplayClaim(e) => {
            let what = match e.claim() {
                QuickplayClaim::Increment => "要求双方加秒",
                QuickplayClaim::NormalMeans => "以对方不能以正常手段取胜为由要求判和",
                QuickplayClaim::Unsupervised => "在无裁判员监督时以对方不能以正常手段取胜为由要求判和",
                QuickplayClaim::Unspecified => "请求裁判员处理",
            };
            format!("{who}{what}，剩余时间 {}", time(e.remaining, UNKNOWN))
        }
        Kind::Assistance(e) => format!("{who}请求助手{}", when(e.disability, "，因残障需要")),
        Kind::SlipOfTongue(e) => format!(
            "{who}口误，宣布的着法并非本意{}",
            when(e.clock_started, "，对方棋钟已走动")
        ),
        Kind::BoardsDiffer(e) => format!(
            "两副棋盘局面不一致{}{}",
            known(e.sheets_agree, "，双方记录一致", "，双方记录亦不一致"),
            after_moves(e.moves_before)
        ),
        // The caller has words for all others.
        _ => format!("{who}报告事件"),
    }
}

fn illegal_move(who: &str, e: &IllegalMoveReportEvent) -> String {
    let by = match e.side() {
        Color::White => "白方",
        Color::Black => "黑方",
        Color::Unspecified => "",
    };
    format!(
        "{who}报告{by}不合法着法{}{}{}{}{}",
        when(e.after_signature, "，结果已签字"),
        when(e.position_unknown, "，之前的局面不明"),
        when(e.times_unknown, "，当时的用时不明"),
        when(e.both_agree, "，双方同意改正"),
        after_moves(e.moves_before)
    )
}

fn after_moves(moves: Option<u32>) -> String {
    moves.map_or_else(String::new, |moves| format!("，当时双方各已走 {moves} 着"))
}

fn setup(who: &str, e: &SetupFaultEvent) -> String {
    let what = match e.fault() {
        SetupFault::WrongPieces => "开局时棋子摆放有误",
        SetupFault::BoardTurned => "棋盘摆放方向有误",
        SetupFault::ColoursReversed => "双方颜色相反",
        SetupFault::ResumedWrong => "封棋局面摆放有误",
        SetupFault::Unspecified => "摆放有误",
    };
    let squares = when(!e.squares.is_empty(), "：").to_owned() + &e.squares.join("、");
    let passed = e.first_period_permille.map_or_else(String::new, |passed| {
        format!("，第一时限已过 {}.{}%", passed / 10, passed % 10)
    });
    format!("{who}指出{what}{squares}{passed}")
}

fn recording(who: &str, e: &RecordingLapseEvent) -> String {
    let what = match e.lapse() {
        RecordingLapse::Unspecified | RecordingLapse::Stopped => "停止记录",
        RecordingLapse::Behind => "上一着未记即将走棋",
        RecordingLapse::InAdvance => "走棋之前先行记录",
        RecordingLapse::OfferUnmarked => "未记录提和",
        RecordingLapse::Refused => "拒绝记录",
        RecordingLapse::BothStopped => return "双方均不能继续记录".to_owned(),
        RecordingLapse::Borrows => "请求借用对方记录纸",
        RecordingLapse::OneIncomplete => "须补全记录，对方无须",
        RecordingLapse::BothIncomplete => return "双方记录均须补全".to_owned(),
        RecordingLapse::Insufficient => return "仅凭记录纸不足以查明".to_owned(),
        RecordingLapse::Unclear => return "双方记录均不能表明已走着数".to_owned(),
    };
    let left = e.remaining.map_or_else(String::new, |left| {
        format!("，剩余时间 {}", time(Some(left), UNKNOWN))
    });
    let increment = some_time(e.increment).map_or_else(String::new, |time| format!("，每着加时 {time}"));
    format!("{who}{what}{left}{increment}")
}

fn breach(who: &str, breach: Breach) -> String {
    let what = match breach {
        Breach::DeviceOnPlayer => "身上查出电子设备",
        Breach::Refusal => "一再拒不遵守规则",
        Breach::BothRefuse => return "双方均一再拒不遵守规则".to_owned(),
        Breach::Disrepute => "有损棋弈声誉",
        Breach::LeftArea => "未经许可离开比赛区域",
        Breach::Help => "使用笔记、资料、他人建议或另一棋盘",
        Breach::DeviceInVenue => "在赛场携带不允许的设备",
        Breach::InspectionRefused => "拒绝检查",
        Breach::Smoking => "在吸烟区以外吸烟",
        Breach::Disturbing => "干扰或打扰对方",
        Breach::NotesOnSheet => "在记录纸上写备忘",
        Breach::AnalysisInRoom => "在赛场内分析",
        Breach::ClockHandling => "操作棋钟不当",
        Breach::Captain => "就和棋或认输询问领队",
        Breach::Other | Breach::Unspecified => "违反行为规定",
    };
    format!("{who}{what}")
}

fn envelope(e: &EnvelopeEvent) -> String {
    if e.checked {
        let items: Vec<_> = e.items().map(item).collect();
        return format!("检查信封，载明：{}", items.join("、"));
    }
    let position = known(e.position_known, "，封棋局面已知", "，封棋局面不明");
    let times = when(e.times_unknown, "，已用时间不明");
    format!("信封遗失{position}{times}")
}

fn item(item: EnvelopeItem) -> &'static str {
    match item {
        EnvelopeItem::Names => "双方姓名",
        EnvelopeItem::Position => "局面",
        EnvelopeItem::Times => "已用时间",
        EnvelopeItem::Sealer => "封棋方",
        EnvelopeItem::MoveNumber => "封着回合数",
        EnvelopeItem::Offer => "提和",
        EnvelopeItem::Resumption => "续弈时间地点",
        EnvelopeItem::Unspecified => "其他",
    }
}
