//! Durations of the wire.

use std::time::Duration;

/// Greatest number of seconds that a `google.protobuf.Duration` may have: 10,000 years.
const MAX_SECONDS: i64 = 315_576_000_000;

/// Reads a duration that may not be negative.
///
/// # Errors
/// The value in words and why it is refused: negative, out of the range of a `google.protobuf.Duration`, or with
/// seconds and nanos of different signs.
pub(super) fn read_duration(value: prost_types::Duration) -> Result<Duration, (String, &'static str)> {
    let prost_types::Duration { seconds, nanos } = value;
    let refuse = |reason| Err((format!("seconds {seconds}, nanos {nanos}"), reason));
    if (seconds > 0 && nanos < 0) || (seconds < 0 && nanos > 0) {
        return refuse("seconds and nanos have different signs");
    }
    if seconds < 0 || nanos < 0 {
        return refuse("negative");
    }
    match (u64::try_from(seconds), u32::try_from(nanos)) {
        (Ok(whole), Ok(part)) if seconds <= MAX_SECONDS && part < 1_000_000_000 => {
            Ok(Duration::new(whole, part))
        }
        _ => refuse("out of the range of a duration"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_type_allows_is_read() {
        let read = |seconds, nanos| read_duration(prost_types::Duration { seconds, nanos });
        assert_eq!(read(3, 500_000_000), Ok(Duration::from_millis(3_500)));
        assert_eq!(read(0, 0), Ok(Duration::ZERO));
        assert_eq!(
            read(MAX_SECONDS, 999_999_999).map(|time| time.as_secs()),
            Ok(315_576_000_000)
        );
        for (seconds, nanos, reason) in [
            (-1, 0, "negative"),
            (0, -1, "negative"),
            (i64::MIN, i32::MIN, "negative"),
            (1, -1, "seconds and nanos have different signs"),
            (-1, 1, "seconds and nanos have different signs"),
            (i64::MIN, i32::MAX, "seconds and nanos have different signs"),
            (0, 1_000_000_000, "out of the range of a duration"),
            (MAX_SECONDS + 1, 0, "out of the range of a duration"),
            (i64::MAX, i32::MAX, "out of the range of a duration"),
        ] {
            let value = format!("seconds {seconds}, nanos {nanos}");
            assert_eq!(read(seconds, nanos), Err((value, reason)));
        }
    }
}
