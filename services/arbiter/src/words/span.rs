//! Lengths of time.

use super::Language;

/// Hours, minutes and seconds, those that are not zero: `2 min`, `1 h 30 s`.
pub(super) fn span(seconds: u64, language: Language) -> String {
    let parts = [
        (seconds / 3600, language.pick(" h", "小时")),
        (seconds / 60 % 60, language.pick(" min", "分钟")),
        (seconds % 60, language.pick(" s", "秒")),
    ];
    let shown: Vec<String> = parts
        .iter()
        .filter(|(count, _)| *count > 0)
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
    fn zero_parts_are_left_out() {
        for (seconds, english, chinese) in [
            (0, "0 s", "0秒"),
            (120, "2 min", "2分钟"),
            (3_630, "1 h 30 s", "1小时30秒"),
            (86_399, "23 h 59 min 59 s", "23小时59分钟59秒"),
        ] {
            assert_eq!(span(seconds, Language::English), english);
            assert_eq!(span(seconds, Language::Chinese), chinese);
        }
    }
}
