use std::fmt;

/// The name of a job: 1 to 64 letters, digits, `-` and `_` of ASCII, the first of them a letter or a digit. So it can
/// be part of a file's name, of a subject and of a key as it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobId(String);

/// Greatest length, in bytes.
const MAX_BYTES: usize = 64;

impl JobId {
    /// Reads a name.
    ///
    /// # Errors
    /// Why it cannot be one.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        let first = text.as_bytes().first().ok_or("empty")?;
        if text.len() > MAX_BYTES {
            Err("more than 64 bytes")
        } else if !first.is_ascii_alphanumeric() {
            Err("does not begin with a letter or a digit of ASCII")
        } else if !text.bytes().all(fits) {
            Err("holds something else than letters and digits of ASCII, `-` and `_`")
        } else {
            Ok(Self(text.to_owned()))
        }
    }

    /// A name that nobody else has.
    pub fn random() -> Self {
        Self(uuid::Uuid::new_v4().simple().to_string())
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_fit_for_files_and_subjects() {
        for good in ["a", "7", "2026-11-30_games", &"x".repeat(64)] {
            assert_eq!(JobId::parse(good).unwrap().as_str(), good);
        }
        for bad in [
            "",
            "-a",
            "_a",
            "a.b",
            "a/b",
            "a b",
            "a*",
            "é",
            "棋",
            &"x".repeat(65),
        ] {
            assert!(JobId::parse(bad).is_err(), "{bad}");
        }
    }
}
