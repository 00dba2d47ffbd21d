//! Lengths of time.

use std::time::Duration;

use super::Language;

/// Hours, minutes and seconds, those that are not zero: `2 min`, `1 h 30 s`, `59.9 s`; exact, as clocks are.
pub(super) fn span(time: Duration, language: Language) -> String {
    let seconds = time.as_secs();
    let rest = match time.subsec_nanos() {
        0 => (seconds % 60).to_string(),
        nanos => format!("{}.{nanos:09}", seconds % 60)
            .trim_end_matches('0')
            .to_owned(),
    };
    let parts = [
        ((seconds / 3600).to_string(), language.pick(" h", "小时")),
        ((seconds / 60 % 60).to_string(), language.pick(" min", "分钟")),
        (rest, language.pick(" s", "秒")),
    ];
    let shown: Vec<String> = parts
        .iter()
        .filter(|(count, _)| count != "0")
        .map(|(count, unit)| format!("{count}{unit}"))
        .collect();
    if shown.is_empty() {
        return format!("0{}", parts[2].1);
    }
    shown.join(language.pick(" ", ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_parts_are_left_out_and_fractions_are_told() {
        for (milliseconds, english, chinese) in [
            (0, "0 s", "0秒"),
            (120_000, "2 min", "2分钟"),
            (3_630_000, "1 h 30 s", "1小时30秒"),
            (86_399_000, "23 h 59 min 59 s", "23小时59分钟59秒"),
            (59_900, "59.9 s", "59.9秒"),
            (500, "0.5 s", "0.5秒"),
            (1_000_500, "16 min 40.5 s", "16分钟40.5秒"),
            (60_007, "1 min 0.007 s", "1分钟0.007秒"),
            (70_000, "1 min 10 s", "1分钟10秒"),
        ] {
            let time = Duration::from_millis(milliseconds);
            assert_eq!(span(time, Language::English), english);
            assert_eq!(span(time, Language::Chinese), chinese);
        }
        // The least time is not told as none.
        assert_eq!(span(Duration::from_nanos(1), Language::English), "0.000000001 s");
        assert_eq!(
            span(Duration::from_micros(60_000_500), Language::Chinese),
            "1分钟0.0005秒"
        );
    }
}
