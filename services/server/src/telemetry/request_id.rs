use http::{HeaderMap, HeaderValue};
use opentelemetry_sdk::trace::{IdGenerator, RandomIdGenerator};

/// The header that carries it, both ways.
pub(crate) const HEADER: &str = "x-request-id";

/// Greatest length, in bytes.
pub(crate) const MAX_BYTES: usize = 64;

/// What a caller and the log call one call.
#[derive(Clone, Debug)]
pub(crate) struct RequestId(HeaderValue);

impl RequestId {
    /// The caller's own, cut to 64 bytes, if it is made of visible ASCII characters other than quotes, commas,
    /// semicolons and backslashes; a random one otherwise.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let own = headers.get(HEADER).and_then(|value| {
            let bytes = value.as_bytes();
            let bytes = &bytes[..bytes.len().min(MAX_BYTES)];
            let sound = !bytes.is_empty() && bytes.iter().all(|&byte| is_plain(byte));
            sound.then(|| HeaderValue::from_bytes(bytes).ok())?
        });
        Self(own.unwrap_or_else(random))
    }

    pub(crate) fn as_str(&self) -> &str {
        self.0.to_str().unwrap_or_default()
    }

    /// Writes it among headers or trailers.
    pub(crate) fn write(&self, headers: &mut HeaderMap) {
        headers.insert(HEADER, self.0.clone());
    }
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_graphic() && !b"\"'`,;\\".contains(&byte)
}

fn random() -> HeaderValue {
    let id = RandomIdGenerator::default().new_trace_id();
    // Hexadecimal digits always make a value.
    HeaderValue::from_str(&id.to_string()).unwrap_or_else(|_| HeaderValue::from_static("none"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> String {
        let mut headers = HeaderMap::new();
        headers.insert(HEADER, HeaderValue::from_bytes(text.as_bytes()).unwrap());
        RequestId::of(&headers).as_str().to_owned()
    }

    #[test]
    fn a_sound_id_is_kept_and_cut() {
        assert_eq!(of("game-17/ply:3"), "game-17/ply:3");
        assert_eq!(of(&"x".repeat(100)), "x".repeat(64));
    }

    #[test]
    fn anything_else_is_replaced_by_a_random_one() {
        let made: Vec<_> = ["", "a b", "a\"b", "马", "a,b", "a\\n"].map(of).into();
        for id in &made {
            assert_eq!(id.len(), 32, "{id}");
            assert!(id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{id}");
        }
        assert_ne!(made[0], made[1]);
        assert_eq!(RequestId::of(&HeaderMap::new()).as_str().len(), 32);
    }
}
