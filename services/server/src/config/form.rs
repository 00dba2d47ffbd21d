//! How values are written: in text, and in TOML.

use std::{
    ffi::{OsStr, OsString},
    fmt::Display,
    net::{SocketAddr, ToSocketAddrs},
    path::PathBuf,
    str::FromStr,
    time::Duration,
};

use secrecy::{ExposeSecret, SecretString};
use tabiya_evaluator::NetworkSource;

/// A way to write values of a type.
pub(super) trait Form<T> {
    /// What stands for a value in help.
    const PLACEHOLDER: &'static str;
    /// Whether there may be several texts.
    const IS_LIST: bool = false;
    /// Whether it is yes or no.
    const IS_SWITCH: bool = false;
    /// Whether it must not be shown.
    const IS_SECRET: bool = false;

    /// The texts that a list is, where there is but one text for it: in a variable or a flag.
    fn split(text: &str) -> Vec<String> {
        let parts = text.split(',').map(str::trim);
        parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
    }

    /// Reads a value.
    ///
    /// # Errors
    /// What would have been right; the text itself is the caller's to name.
    fn read(texts: &[String]) -> Result<T, String>;

    /// The value as TOML; `None` if there is none.
    fn show(value: &T) -> Option<String>;
}

/// The only text.
fn one(texts: &[String]) -> Result<&str, String> {
    match texts {
        [text] => Ok(text),
        _ => Err("one value is expected".to_owned()),
    }
}

/// Text as TOML.
fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

fn list(texts: impl Iterator<Item = String>) -> String {
    let quoted: Vec<_> = texts.map(|text| quoted(&text)).collect();
    format!("[{}]", quoted.join(", "))
}

/// A whole number.
pub(super) enum Count {}

impl<T: FromStr + Display> Form<T> for Count {
    const PLACEHOLDER: &'static str = "N";

    fn read(texts: &[String]) -> Result<T, String> {
        let parsed = one(texts)?.parse();
        parsed.map_err(|_| "a whole number is expected".to_owned())
    }

    fn show(value: &T) -> Option<String> {
        Some(value.to_string())
    }
}

/// A share, such as `0.25`.
pub(super) enum Ratio {}

impl Form<f64> for Ratio {
    const PLACEHOLDER: &'static str = "SHARE";

    fn read(texts: &[String]) -> Result<f64, String> {
        let parsed = one(texts)?.parse();
        parsed.map_err(|_| "a number is expected".to_owned())
    }

    fn show(value: &f64) -> Option<String> {
        Some(format!("{value:?}"))
    }
}

/// A size in bytes, such as `64MiB`.
pub(super) enum Bytes {}

const UNITS: [(&str, u32); 5] = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10), ("B", 0)];

impl Form<usize> for Bytes {
    const PLACEHOLDER: &'static str = "SIZE";

    fn read(texts: &[String]) -> Result<usize, String> {
        let text = one(texts)?.trim();
        let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
        let unit = &text[digits.len()..];
        let shift = if unit.is_empty() {
            Some(0)
        } else {
            let known = UNITS.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit));
            known.map(|(_, shift)| *shift)
        };
        let size = digits.trim_end().parse::<usize>().ok().zip(shift);
        size.and_then(|(count, shift)| count.checked_mul(1 << shift))
            .ok_or_else(|| "a size such as 64MiB is expected".to_owned())
    }

    fn show(&value: &usize) -> Option<String> {
        let whole = |shift: u32| value > 0 && value.trailing_zeros() >= shift;
        let (name, shift) = UNITS
            .into_iter()
            .find(|(_, shift)| whole(*shift))
            .unwrap_or(("B", 0));
        Some(quoted(&format!("{}{name}", value >> shift)))
    }
}

/// A span of time, such as `250ms` or `10m`; a number alone is seconds.
pub(super) enum Time {}

impl Form<Duration> for Time {
    const PLACEHOLDER: &'static str = "TIME";

    fn read(texts: &[String]) -> Result<Duration, String> {
        let text = one(texts)?;
        let seconds = text.parse().map(Duration::from_secs);
        seconds
            .or_else(|_| humantime::parse_duration(text))
            .map_err(|_| "a time such as 10s, 250ms or 5m is expected".to_owned())
    }

    fn show(value: &Duration) -> Option<String> {
        Some(quoted(&humantime::format_duration(*value).to_string()))
    }
}

/// A host and a port.
pub(super) enum Address {}

impl Form<SocketAddr> for Address {
    const PLACEHOLDER: &'static str = "HOST:PORT";

    fn read(texts: &[String]) -> Result<SocketAddr, String> {
        let mut found = one(texts)?
            .to_socket_addrs()
            .map_err(|error| format!("HOST:PORT is expected: {error}"))?;
        found.next().ok_or_else(|| "no address of this name".to_owned())
    }

    fn show(value: &SocketAddr) -> Option<String> {
        Some(quoted(&value.to_string()))
    }
}

/// A path; an empty one is none.
pub(super) enum File {}

impl Form<Option<PathBuf>> for File {
    const PLACEHOLDER: &'static str = "FILE";

    fn read(texts: &[String]) -> Result<Option<PathBuf>, String> {
        let text = one(texts)?;
        Ok((!text.is_empty()).then(|| text.into()))
    }

    fn show(value: &Option<PathBuf>) -> Option<String> {
        let path = value.as_ref()?;
        Some(quoted(&path.display().to_string()))
    }
}

/// Paths.
pub(super) enum Files {}

impl Form<Vec<PathBuf>> for Files {
    const PLACEHOLDER: &'static str = "FILE";
    const IS_LIST: bool = true;

    fn read(texts: &[String]) -> Result<Vec<PathBuf>, String> {
        Ok(texts.iter().map(Into::into).collect())
    }

    fn show(value: &Vec<PathBuf>) -> Option<String> {
        Some(list(value.iter().map(|path| path.display().to_string())))
    }
}

/// Networks in the program, by their names, and network files. None is the default one.
pub(super) enum Networks {}

impl Form<Vec<NetworkSource>> for Networks {
    const PLACEHOLDER: &'static str = "NAME|FILE";
    const IS_LIST: bool = true;

    fn read(texts: &[String]) -> Result<Vec<NetworkSource>, String> {
        let named = texts.iter().filter(|text| !text.is_empty());
        let networks: Vec<_> = named.map(|text| OsString::from(text).into()).collect();
        Ok(if networks.is_empty() {
            vec![NetworkSource::default()]
        } else {
            networks
        })
    }

    fn show(value: &Vec<NetworkSource>) -> Option<String> {
        Some(list(value.iter().map(ToString::to_string)))
    }
}

/// The folders of a text, separated as in PATH, as chess engines have it; none if it is empty.
pub fn folders(text: &OsStr) -> Vec<PathBuf> {
    let folders = std::env::split_paths(text);
    folders.filter(|folder| !folder.as_os_str().is_empty()).collect()
}

/// Folders, in one text or several, each as [`folders`] reads it.
pub(super) enum Folders {}

impl Form<Vec<PathBuf>> for Folders {
    const PLACEHOLDER: &'static str = "FOLDERS";
    const IS_LIST: bool = true;

    fn split(text: &str) -> Vec<String> {
        vec![text.to_owned()]
    }

    fn read(texts: &[String]) -> Result<Vec<PathBuf>, String> {
        Ok(texts.iter().flat_map(|text| folders(text.as_ref())).collect())
    }

    fn show(value: &Vec<PathBuf>) -> Option<String> {
        Files::show(value)
    }
}

/// Yes or no.
pub(super) enum Switch {}

impl Form<bool> for Switch {
    const PLACEHOLDER: &'static str = "BOOL";
    const IS_SWITCH: bool = true;

    fn read(texts: &[String]) -> Result<bool, String> {
        match one(texts)?.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" | "1" => Ok(true),
            "false" | "no" | "off" | "0" => Ok(false),
            _ => Err("true or false is expected".to_owned()),
        }
    }

    fn show(value: &bool) -> Option<String> {
        Some(value.to_string())
    }
}

/// Values that have a name each.
pub(super) trait Named: Copy + PartialEq + 'static {
    /// The names, such as `off|on`.
    const NAMES: &'static str;
    /// Each value, in the order of the names.
    const VALUES: &'static [Self];
}

/// One of few names.
pub(super) enum Choice {}

impl<T: Named> Form<T> for Choice {
    const PLACEHOLDER: &'static str = T::NAMES;

    fn read(texts: &[String]) -> Result<T, String> {
        let text = one(texts)?;
        let mut names = T::NAMES.split('|').zip(T::VALUES);
        let found = names.find(|(name, _)| *name == text);
        found
            .map(|(_, value)| *value)
            .ok_or_else(|| format!("one of {} is expected", T::NAMES.replace('|', ", ")))
    }

    fn show(value: &T) -> Option<String> {
        let mut names = T::NAMES.split('|').zip(T::VALUES);
        names
            .find(|(_, named)| *named == value)
            .map(|(name, _)| quoted(name))
    }
}

/// Text; an empty one is none.
pub(super) enum Text {}

impl Form<Option<String>> for Text {
    const PLACEHOLDER: &'static str = "TEXT";

    fn read(texts: &[String]) -> Result<Option<String>, String> {
        let text = one(texts)?;
        Ok((!text.is_empty()).then(|| text.to_owned()))
    }

    fn show(value: &Option<String>) -> Option<String> {
        value.as_deref().map(quoted)
    }
}

/// Texts.
pub(super) enum Texts {}

impl Form<Vec<String>> for Texts {
    const PLACEHOLDER: &'static str = "TEXT";
    const IS_LIST: bool = true;

    fn read(texts: &[String]) -> Result<Vec<String>, String> {
        Ok(texts.to_vec())
    }

    fn show(value: &Vec<String>) -> Option<String> {
        Some(list(value.iter().cloned()))
    }
}

/// Text that is never shown; an empty one is none.
pub(super) enum Secret {}

impl Form<Option<SecretString>> for Secret {
    const PLACEHOLDER: &'static str = "SECRET";
    const IS_SECRET: bool = true;

    fn read(texts: &[String]) -> Result<Option<SecretString>, String> {
        let text = one(texts)?;
        Ok((!text.is_empty()).then(|| text.into()))
    }

    fn show(value: &Option<SecretString>) -> Option<String> {
        let secret = value.as_ref()?;
        (!secret.expose_secret().is_empty()).then(|| super::HIDDEN.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<F: Form<T>, T>(text: &str) -> Result<T, String> {
        F::read(&[text.to_owned()])
    }

    #[test]
    fn sizes_have_units() {
        for (text, bytes, shown) in [
            ("64MiB", 64 << 20, "\"64MiB\""),
            ("64 mib", 64 << 20, "\"64MiB\""),
            ("1536KiB", 1536 << 10, "\"1536KiB\""),
            ("4096", 4096, "\"4KiB\""),
            ("5B", 5, "\"5B\""),
            ("0", 0, "\"0B\""),
            ("1TiB", 1 << 40, "\"1TiB\""),
        ] {
            let read = read::<Bytes, usize>(text);
            assert_eq!(read, Ok(bytes), "{text}");
            assert_eq!(Bytes::show(&bytes).as_deref(), Some(shown));
        }
        for wrong in [
            "",
            "MiB",
            "-1",
            "1.5GiB",
            "64MB",
            "18446744073709551615KiB",
            "1 2",
        ] {
            assert!(read::<Bytes, usize>(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn times_have_units_and_a_number_alone_is_seconds() {
        for (text, millis, shown) in [
            ("5", 5_000, "\"5s\""),
            ("250ms", 250, "\"250ms\""),
            ("10m", 600_000, "\"10m\""),
            ("1h 30m", 5_400_000, "\"1h 30m\""),
            ("0", 0, "\"0s\""),
        ] {
            let time = read::<Time, Duration>(text).unwrap();
            assert_eq!(time, Duration::from_millis(millis), "{text}");
            assert_eq!(Time::show(&time).as_deref(), Some(shown));
        }
        for wrong in ["", "soon", "-5", "5 parsecs", "99999999999999999999s"] {
            assert!(read::<Time, Duration>(wrong).is_err(), "{wrong}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn folders_are_separated_as_in_path() {
        let both: Vec<PathBuf> = vec!["/a, b".into(), "/c".into()];
        assert_eq!(read::<Folders, _>("/a, b:/c:"), Ok(both.clone()));
        assert_eq!(Folders::read(&["/a, b".to_owned(), "/c".to_owned()]), Ok(both));
        assert_eq!(Folders::split("/a, b:/c"), ["/a, b:/c"]);
        assert_eq!(read::<Folders, _>(""), Ok(Vec::new()));
    }

    #[test]
    fn networks_are_names_or_files() {
        let (standard, file) = (NetworkSource::default(), NetworkSource::File("/a/b.nnue".into()));
        assert_eq!(read::<Networks, _>("/a/b.nnue"), Ok(vec![file.clone()]));
        assert_eq!(read::<Networks, _>(""), Ok(vec![standard.clone()]));
        let both = vec![standard, file];
        let texts = <Networks as Form<Vec<NetworkSource>>>::split("standard, /a/b.nnue");
        assert_eq!(Networks::read(&texts), Ok(both.clone()));
        assert_eq!(
            Networks::show(&both).as_deref(),
            Some("[\"standard\", \"/a/b.nnue\"]")
        );
    }

    #[test]
    fn switches_go_by_their_value() {
        assert_eq!(read::<Switch, _>("yes"), Ok(true));
        assert_eq!(read::<Switch, _>("FALSE"), Ok(false));
        assert!(read::<Switch, bool>("maybe").is_err());
    }

    #[test]
    fn text_is_quoted_as_toml() {
        let odd = "a\"b\\c\n马";
        let shown = Text::show(&Some(odd.to_owned())).unwrap();
        let read: toml::de::ValueDeserializer<'_> = toml::de::ValueDeserializer::parse(&shown).unwrap();
        assert_eq!(<String as serde::Deserialize>::deserialize(read).unwrap(), odd);
    }
}
