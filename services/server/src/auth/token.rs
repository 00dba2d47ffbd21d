use std::fmt;

use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// What every token begins with, so that scanners for lost secrets find it.
const PREFIX: &str = "tby_";

/// Bytes of chance in a token: nobody guesses it, so a plain hash protects it well enough.
const RANDOM_BYTES: usize = 32;

/// A secret that a caller shows. It is printed once and stored nowhere; files hold its [`TokenHash`].
#[derive(Clone, Debug)]
pub struct Token(SecretString);

/// SHA-256 of a token.
#[derive(Clone, Copy)]
pub struct TokenHash([u8; 32]);

impl Token {
    /// A new token.
    ///
    /// # Errors
    /// If the system has no randomness.
    pub fn generate() -> Result<Self, std::io::Error> {
        let mut bytes = [0; RANDOM_BYTES];
        getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
        Ok(Self(format!("{PREFIX}{}", hex(&bytes)).into()))
    }

    /// The text to hand to the caller.
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }

    /// What to keep of it.
    pub fn hash(&self) -> TokenHash {
        TokenHash::of(self.expose().as_bytes())
    }
}

impl TokenHash {
    /// The hash of what a caller showed.
    pub(crate) fn of(token: &[u8]) -> Self {
        Self(Sha256::digest(token).into())
    }

    /// Reads 64 hexadecimal digits.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let digits = text.as_bytes();
        if digits.len() != 64 || !digits.iter().all(u8::is_ascii_hexdigit) {
            return None;
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
            *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
        }
        Some(Self(bytes))
    }

    /// Whether both are of the same token; takes the same time either way.
    pub(crate) fn same(&self, other: &Self) -> subtle::Choice {
        self.0.ct_eq(&other.0)
    }
}

impl fmt::Display for TokenHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for TokenHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenHash")
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_differ_and_are_known_by_their_hash() {
        let (one, two) = (Token::generate().unwrap(), Token::generate().unwrap());
        assert_eq!(one.expose().len(), 4 + 64);
        let stored = TokenHash::parse(&one.hash().to_string()).unwrap();
        assert!(bool::from(stored.same(&TokenHash::of(one.expose().as_bytes()))));
        assert!(!bool::from(stored.same(&two.hash())));
        assert!(!format!("{one:?}").contains(&one.expose()[4..]));
    }

    #[test]
    fn the_hash_is_sha_256_in_hexadecimal() {
        // FIPS 180-2, appendix B.1.
        let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(TokenHash::of(b"abc").to_string(), hash);
        for wrong in [
            "",
            "abc",
            &hash[1..],
            &format!("{hash}0"),
            &hash.replace('b', "g"),
            &hash.replace("ba", "+a"),
        ] {
            assert!(TokenHash::parse(wrong).is_none(), "{wrong}");
        }
    }
}
