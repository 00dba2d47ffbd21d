use std::{
    cmp::Ordering,
    fmt,
    ops::{Add, AddAssign, Mul, Neg, Sub},
};

/// Longest text that is read as a fraction, in bytes.
const MAX_TEXT: usize = 16;

/// What every denominator of a text divides: sums of such numbers divide it too, so that they stay small.
const DENOMINATORS: i128 = 120_000;

/// An exact number: every score, tie-break and gain is one, never a float.
///
/// Texts hold at most seven digits and denominators that divide 120,000. With that, and with the bounds on points, players
/// and rounds that a contest is checked for, no sum or product of these modules leaves 128 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Fraction {
    /// In lowest terms.
    numerator: i128,
    /// Positive.
    denominator: i128,
}

/// Why a text is not a fraction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FractionError {
    /// It is not written as `3`, `-2`, `1.5` or `7/2`.
    #[error("not a number such as 3, -2, 1.5 or 7/2")]
    Malformed,
    /// Too large, or too many decimals.
    #[error("more than seven digits, more than four decimals, or a denominator that does not divide 120000")]
    OutOfRange,
}

impl Fraction {
    /// Nothing.
    pub const ZERO: Self = Self::whole(0);
    /// One half.
    pub const HALF: Self = Self {
        numerator: 1,
        denominator: 2,
    };

    /// A whole number.
    pub const fn whole(number: i64) -> Self {
        Self {
            numerator: number as i128,
            denominator: 1,
        }
    }

    /// A quotient; `None` for a denominator of 0.
    pub fn quotient(numerator: i64, denominator: i64) -> Option<Self> {
        (denominator != 0).then(|| Self::reduced(numerator.into(), denominator.into()))
    }

    /// So many halves.
    pub fn halves(number: i64) -> Self {
        Self::reduced(number.into(), 2)
    }

    fn reduced(numerator: i128, denominator: i128) -> Self {
        let divisor = gcd(numerator.unsigned_abs(), denominator.unsigned_abs()).max(1) as i128;
        let sign = if denominator < 0 { -1 } else { 1 };
        Self {
            numerator: sign * numerator / divisor,
            denominator: sign * denominator / divisor,
        }
    }

    /// Reads `3`, `-2`, `1.5` or `7/2`.
    ///
    /// # Errors
    /// The text is no number, or a greater or finer one than a tournament needs.
    pub fn parse(text: &str) -> Result<Self, FractionError> {
        if text.len() > MAX_TEXT {
            return Err(FractionError::OutOfRange);
        }
        let (sign, digits) = match text.strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => (1, text),
        };
        let number = |digits: &str| -> Result<i128, FractionError> {
            if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(FractionError::Malformed);
            }
            digits
                .parse()
                .ok()
                .filter(|number| *number < 10_000_000)
                .ok_or(FractionError::OutOfRange)
        };
        if let Some((above, below)) = digits.split_once('/') {
            let (above, below) = (number(above)?, number(below)?);
            return match below {
                0 => Err(FractionError::Malformed),
                _ if DENOMINATORS % below == 0 => Ok(Self::reduced(sign * above, below)),
                _ => Err(FractionError::OutOfRange),
            };
        }
        let Some((whole, decimals)) = digits.split_once('.') else {
            return Ok(Self::reduced(sign * number(digits)?, 1));
        };
        if decimals.len() > 4 {
            return Err(FractionError::OutOfRange);
        }
        // A half is often written `.5`.
        let whole = if whole.is_empty() { 0 } else { number(whole)? };
        let unit = 10_i128.pow(decimals.len() as u32);
        Ok(Self::reduced(sign * (whole * unit + number(decimals)?), unit))
    }

    /// Above the line, in lowest terms.
    pub fn numerator(self) -> i128 {
        self.numerator
    }

    /// Below the line: positive, in lowest terms.
    pub fn denominator(self) -> i128 {
        self.denominator
    }

    /// The quotient; `None` if `other` is zero.
    pub fn divided_by(self, other: Self) -> Option<Self> {
        (other.numerator != 0).then(|| {
            Self::reduced(
                self.numerator * other.denominator,
                self.denominator * other.numerator,
            )
        })
    }

    /// The quotient by a count of things; zero by none.
    pub fn averaged_over(self, count: usize) -> Self {
        match i128::try_from(count) {
            Ok(count) if count > 0 => Self::reduced(self.numerator, self.denominator * count),
            _ => Self::ZERO,
        }
    }

    /// The greatest whole number that is not greater.
    pub fn floor(self) -> i64 {
        clamp(self.numerator.div_euclid(self.denominator))
    }

    /// The nearest whole number; a half is rounded up (C.07 10.1).
    pub fn round_half_up(self) -> i64 {
        (self + Self::HALF).floor()
    }

    /// The nearest whole number; a half is rounded away from zero (B.02 8.3.4).
    pub fn round_half_away(self) -> i64 {
        if self < Self::ZERO {
            -(-self).round_half_up()
        } else {
            self.round_half_up()
        }
    }

    /// The nearest multiple of `1 / unit`; a half is rounded away from zero.
    pub fn rounded_to(self, unit: i64) -> Self {
        let scaled = self * Self::whole(unit);
        Self::reduced(scaled.round_half_away().into(), unit.max(1).into())
    }

    /// Written with a fixed number of decimals, a half rounded away from zero.
    pub fn decimal(self, places: u32) -> String {
        let unit = 10_i64.pow(places.min(9));
        let scaled = (self * Self::whole(unit)).round_half_away();
        let sign = if scaled < 0 { "-" } else { "" };
        let digits = scaled.unsigned_abs();
        let unit = unit.unsigned_abs();
        if places == 0 {
            return format!("{sign}{digits}");
        }
        let width = places.min(9) as usize;
        format!("{sign}{}.{:0width$}", digits / unit, digits % unit)
    }
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn clamp(number: i128) -> i64 {
    i64::try_from(number).unwrap_or(if number < 0 { i64::MIN } else { i64::MAX })
}

impl Add for Fraction {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        if self.denominator == 1 && other.denominator == 1 {
            return Self {
                numerator: self.numerator + other.numerator,
                denominator: 1,
            };
        }
        Self::reduced(
            self.numerator * other.denominator + other.numerator * self.denominator,
            self.denominator * other.denominator,
        )
    }
}

impl AddAssign for Fraction {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Neg for Fraction {
    type Output = Self;

    fn neg(self) -> Self {
        Self {
            numerator: -self.numerator,
            denominator: self.denominator,
        }
    }
}

impl Sub for Fraction {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Fraction {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self::reduced(
            self.numerator * other.numerator,
            self.denominator * other.denominator,
        )
    }
}

impl std::iter::Sum for Fraction {
    fn sum<I: Iterator<Item = Self>>(numbers: I) -> Self {
        numbers.fold(Self::ZERO, Add::add)
    }
}

impl Ord for Fraction {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.numerator * other.denominator).cmp(&(other.numerator * self.denominator))
    }
}

impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Fraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.denominator {
            1 => write!(f, "{}", self.numerator),
            denominator => write!(f, "{}/{denominator}", self.numerator),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Fraction {
        Fraction::parse(text).unwrap()
    }

    #[test]
    fn numbers_are_read_exactly_or_refused() {
        for (text, shown) in [
            ("3", "3"),
            ("-2", "-2"),
            ("1.50", "3/2"),
            (".5", "1/2"),
            ("14/4", "7/2"),
            ("0.0", "0"),
        ] {
            assert_eq!(read(text).to_string(), shown);
        }
        for text in ["", "-", ".", "1.", "1e3", "--1", "1/0", "½", "+1", "1 ", "0x1"] {
            assert_eq!(Fraction::parse(text), Err(FractionError::Malformed), "{text}");
        }
        for text in ["99999999", "1.00001", "1/7", "11111111111111111111"] {
            assert_eq!(Fraction::parse(text), Err(FractionError::OutOfRange), "{text}");
        }
    }

    #[test]
    fn rounding_follows_the_regulations() {
        assert_eq!(read("1887.5").round_half_up(), 1888);
        assert_eq!(
            (read("-2.5").round_half_up(), read("-2.5").round_half_away()),
            (-2, -3)
        );
        assert_eq!(
            (read("-2.4").round_half_away(), read("2.5").round_half_away()),
            (-2, 3)
        );
        assert_eq!(read("79/6").decimal(2), "13.17");
        assert_eq!(
            (read("-1/8").decimal(2), read("-0.04").decimal(1)),
            ("-0.13".into(), "0.0".into())
        );
        assert_eq!(read("7/3").rounded_to(100).to_string(), "233/100");
    }
}
