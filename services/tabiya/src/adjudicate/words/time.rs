//! Times, clocks and time controls.

use prost_types::Duration;
use tabiya_client::v1::{DelayMode, Period, TimeControl};

use crate::adjudicate::Lang;

/// A time as clocks show it: `1:02:03`, with decimals where there are any.
pub(in crate::adjudicate) fn clock_text(time: Duration) -> String {
    let sign = if time.seconds < 0 || time.nanos < 0 {
        "-"
    } else {
        ""
    };
    let (seconds, nanos) = (time.seconds.unsigned_abs(), time.nanos.unsigned_abs());
    let whole = format!(
        "{sign}{}:{:02}:{:02}",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    );
    if nanos == 0 {
        return whole;
    }
    format!("{whole}.{}", format!("{nanos:09}").trim_end_matches('0'))
}

/// A time control: `40 moves in 1:30:00, then 0:30:00; 30 s a move`.
pub(in crate::adjudicate) fn control(control: &TimeControl, lang: Lang) -> String {
    let periods = control.periods.iter().map(|one| period(one, lang));
    periods.collect::<Vec<_>>().join(lang.pick(", then ", "，其后 "))
}

fn period(period: &Period, lang: Lang) -> String {
    let time = clock_text(period.time.unwrap_or_default());
    let mut text = match (period.moves, lang) {
        (0, _) => time,
        (moves, Lang::En) => format!("{moves} moves in {time}"),
        (moves, Lang::Zh) => format!("{moves} 着 {time}"),
    };
    if let Some(increment) = period.increment.filter(not_zero) {
        let increment = short(increment, lang);
        text += &lang.pick(format!(" + {increment} a move"), format!("，每着加 {increment}"));
    }
    if let Some(delay) = period.delay.filter(not_zero) {
        let delay = short(delay, lang);
        text += &match period.delay_mode() {
            DelayMode::Bronstein => {
                lang.pick(format!(" (Bronstein, {delay})"), format!("（布氏延时 {delay}）"))
            }
            DelayMode::Simple | DelayMode::Unspecified => {
                lang.pick(format!(" (delay, {delay})"), format!("（延时 {delay}）"))
            }
        };
    }
    text
}

fn not_zero(time: &Duration) -> bool {
    time.seconds != 0 || time.nanos != 0
}

/// Seconds, with decimals where there are any.
fn short(time: Duration, lang: Lang) -> String {
    let decimals = format!("{:09}", time.nanos.unsigned_abs());
    let decimals = decimals.trim_end_matches('0');
    let point = if decimals.is_empty() { "" } else { "." };
    format!("{}{point}{decimals} {}", time.seconds, lang.pick("s", "秒"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: i64, nanos: i32) -> Duration {
        Duration { seconds, nanos }
    }

    #[test]
    fn times_read_like_clocks() {
        assert_eq!(clock_text(seconds(0, 0)), "0:00:00");
        assert_eq!(clock_text(seconds(3_723, 500_000_000)), "1:02:03.5");
        assert_eq!(clock_text(seconds(-1, -5)), "-0:00:01.000000005");
        assert!(clock_text(seconds(i64::MIN, i32::MIN)).starts_with('-'));
    }

    #[test]
    fn controls_name_periods_and_additions() {
        let periods = vec![
            Period {
                moves: 40,
                time: Some(seconds(5_400, 0)),
                increment: Some(seconds(30, 0)),
                ..Period::default()
            },
            Period {
                time: Some(seconds(900, 0)),
                delay: Some(seconds(2, 500_000_000)),
                delay_mode: DelayMode::Bronstein.into(),
                ..Period::default()
            },
        ];
        let whole = TimeControl { periods };
        assert_eq!(
            control(&whole, Lang::En),
            "40 moves in 1:30:00 + 30 s a move, then 0:15:00 (Bronstein, 2.5 s)"
        );
        assert_eq!(
            control(&whole, Lang::Zh),
            "40 着 1:30:00，每着加 30 秒，其后 0:15:00（布氏延时 2.5 秒）"
        );
    }
}
