//! The `TimeControl` tag.

use std::time::Duration;

use crate::replay::{DelayMode, Period, TimeControl};

/// Reads periods joined by colons, such as `40/7200:20/3600:900+30` or `180+2`; `None` for what is unknown (`?`), absent
/// (`-`), an hourglass (`*180`), or a last period with a number of moves, after which nobody knows what comes.
///
/// Source: "Portable Game Notation Specification", section 9.6.1; increments after `+` are common usage.
pub(super) fn read(tag: &str) -> Option<TimeControl> {
    let periods = tag
        .split(':')
        .take(TimeControl::MAX_PERIODS + 1)
        .map(period)
        .collect::<Option<_>>()?;
    TimeControl::new(periods).ok()
}

fn period(text: &str) -> Option<Period> {
    let (moves, times) = match text.trim().split_once('/') {
        Some((moves, times)) => (moves.parse().ok().filter(|&moves| moves > 0)?, times),
        None => (0, text.trim()),
    };
    let (time, increment) = times.split_once('+').unwrap_or((times, "0"));
    Some(Period {
        moves,
        time: seconds(time)?,
        increment: seconds(increment)?,
        delay: Duration::ZERO,
        delay_mode: DelayMode::Simple,
    })
}

/// Seconds, with decimals or without.
fn seconds(text: &str) -> Option<Duration> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(decimals) || decimals.len() > 9 {
        return None;
    }
    let nanoseconds = format!("{decimals:0<9}").parse().ok()?;
    Some(Duration::new(whole.parse().ok()?, nanoseconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_read_or_unknown() {
        let control = |periods: &[(u32, u64, u64)]| {
            let period = |&(moves, time, increment)| Period {
                moves,
                time: Duration::from_millis(time),
                increment: Duration::from_millis(increment),
                delay: Duration::ZERO,
                delay_mode: DelayMode::Simple,
            };
            TimeControl::new(periods.iter().map(period).collect()).ok()
        };
        assert_eq!(read("180+2"), control(&[(0, 180_000, 2000)]));
        assert_eq!(read("300"), control(&[(0, 300_000, 0)]));
        assert_eq!(read("10+0.05"), control(&[(0, 10_000, 50)]));
        let classical = [(40, 7_200_000, 0), (20, 3_600_000, 0), (0, 900_000, 30_000)];
        assert_eq!(read("40/7200:20/3600:900+30"), control(&classical));
        let many = ["40/60"; 40].join(":");
        for unknown in [
            "?",
            "-",
            "",
            "*180",
            "40/7200",
            "0/60",
            "180+",
            "1e9",
            "99999999999999999999",
            &many,
        ] {
            assert_eq!(read(unknown), None, "{unknown}");
        }
    }
}
