//! Commands inside comments: `[%clk 1:23:45]`, `[%emt 0:00:05]`, `[%eval 0.35,20]`.

use std::fmt;
use std::time::Duration;

/// An engine's judgement as `[%eval]` holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Eval {
    /// The score.
    pub score: EvalScore,
    /// Search depth in plies, where given.
    pub depth: Option<u32>,
}

/// A score from White's point of view, as the PGN convention is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvalScore {
    /// Hundredths of a pawn.
    Centipawns(i32),
    /// Moves until mate, negative if Black mates.
    MateIn(i32),
}

/// The argument of the first command `[%name …]` in a comment.
#[must_use]
pub fn find<'a>(comment: &'a str, name: &str) -> Option<&'a str> {
    span(comment, name).map(|(_, argument)| argument)
}

/// The argument of a command, and the byte range of the whole command.
pub(super) fn span<'a>(comment: &'a str, name: &str) -> Option<(std::ops::Range<usize>, &'a str)> {
    let (mut from, mut close) = (0, 0);
    while let Some(start) = comment[from..].find("[%").map(|at| from + at) {
        from = start + 2;
        // Many commands may lie before one bracket: it is looked for once.
        if close < from {
            close = from + comment[from..].find(']')?;
        }
        if let Some(argument) = comment[from..close].strip_prefix(name)
            && argument.starts_with([' ', '\t'])
        {
            return Some((start..close + 1, argument.trim()));
        }
    }
    None
}

/// Longest time that a clock is taken to show, in seconds: a year.
const LONGEST: u64 = 365 * 24 * 3600;

/// Reads `h:mm:ss`, `mm:ss` or `ss`, with decimals or without; more than a year, or 60 and more after a colon, is no time.
#[must_use]
pub fn parse_time(text: &str) -> Option<Duration> {
    let (whole, decimals) = text.split_once(['.', ',']).unwrap_or((text, ""));
    let parts = whole.split(':');
    let mut seconds = 0u64;
    for (count, part) in parts.enumerate() {
        if count == 3 || part.is_empty() || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let part: u64 = part.parse().ok()?;
        if count > 0 && part >= 60 {
            return None;
        }
        seconds = seconds.checked_mul(60)?.checked_add(part)?;
    }
    if seconds > LONGEST {
        return None;
    }
    if !decimals.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let nanoseconds = decimals.bytes().chain(std::iter::repeat(b'0')).take(9);
    let nanoseconds = nanoseconds.fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0'));
    Some(Duration::new(seconds, nanoseconds))
}

impl Eval {
    /// Reads the argument of `[%eval]`: pawns or `#` and moves to mate, and perhaps a depth.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (score, depth) = match text.split_once(',') {
            Some((score, depth)) => (score.trim(), Some(depth.trim().parse().ok()?)),
            None => (text, None),
        };
        let score = if let Some(moves) = score.strip_prefix('#') {
            EvalScore::MateIn(moves.parse().ok()?)
        } else {
            EvalScore::Centipawns(parse_pawns(score)?)
        };
        Some(Self { score, depth })
    }
}

/// Pawns with decimals, to centipawns, rounded half away from zero.
fn parse_pawns(text: &str) -> Option<i32> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, decimals) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.is_empty() && decimals.is_empty()
        || !(whole.bytes().chain(decimals.bytes())).all(|b| b.is_ascii_digit())
    {
        return None;
    }
    let mut centipawns: i32 = if whole.is_empty() {
        0
    } else {
        whole.parse::<i32>().ok()?.checked_mul(100)?
    };
    let digit = |at: usize| {
        decimals
            .as_bytes()
            .get(at)
            .map_or(0, |&digit| i32::from(digit - b'0'))
    };
    centipawns = centipawns.checked_add(digit(0) * 10 + digit(1) + i32::from(digit(2) >= 5))?;
    Some(if negative { -centipawns } else { centipawns })
}

impl fmt::Display for Eval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.score {
            EvalScore::Centipawns(value) => {
                let sign = if value < 0 { "-" } else { "" };
                write!(
                    f,
                    "{sign}{}.{:02}",
                    value.unsigned_abs() / 100,
                    value.unsigned_abs() % 100
                )?;
            }
            EvalScore::MateIn(moves) => write!(f, "#{moves}")?,
        }
        self.depth.map_or(Ok(()), |depth| write!(f, ",{depth}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        assert_eq!(parse_time("1:59:58"), Some(Duration::from_secs(7198)));
        assert_eq!(parse_time("0:00:00.1"), Some(Duration::from_millis(100)));
        assert_eq!(parse_time("1:59:40.5"), Some(Duration::from_millis(7_180_500)));
        assert_eq!(parse_time("12"), Some(Duration::from_secs(12)));
        for wrong in [
            "",
            ":",
            "1:",
            "a",
            "-1",
            "1:2:3:4",
            "1.x",
            "99999999999999999999",
            "9:99:59",
            "0:60",
            "999999999999999:59:59",
        ] {
            assert_eq!(parse_time(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn evals() {
        for (text, score, depth) in [
            ("0.3", EvalScore::Centipawns(30), None),
            ("-12.34,20", EvalScore::Centipawns(-1234), Some(20)),
            ("+.5", EvalScore::Centipawns(50), None),
            ("-0.005", EvalScore::Centipawns(-1), None),
            ("#-3", EvalScore::MateIn(-3), None),
        ] {
            assert_eq!(Eval::parse(text), Some(Eval { score, depth }), "{text}");
        }
        for wrong in ["", ".", "#", "1e5", "--1", "99999999999"] {
            assert_eq!(Eval::parse(wrong), None, "{wrong}");
        }
        for eval in [-20_000, -5, 0, 7, 123]
            .map(EvalScore::Centipawns)
            .into_iter()
            .chain([EvalScore::MateIn(-2)])
        {
            let eval = Eval {
                score: eval,
                depth: Some(3),
            };
            assert_eq!(Eval::parse(&eval.to_string()), Some(eval));
        }
    }

    #[test]
    fn commands() {
        let comment = "good [%clk 1:59:50] [%eval 0.3]";
        assert_eq!(find(comment, "clk"), Some("1:59:50"));
        assert_eq!(find(comment, "eval"), Some("0.3"));
        assert_eq!(find(comment, "emt"), None);
        assert_eq!(find("[%clkx 1] [%clk", "clk"), None);
    }
}
