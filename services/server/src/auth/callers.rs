//! The file of callers: who they are, how they are known, what they may do and use.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use serde::Deserialize;
use toml::Spanned;

use super::{
    Role,
    quota::{Limits, Quota},
    role::Roles,
    token::TokenHash,
};

/// Greatest length of a name, in bytes.
const MAX_NAME_BYTES: usize = 64;

/// Somebody who may call.
#[derive(Debug)]
pub(crate) struct Caller {
    /// Name in logs.
    pub(crate) name: String,
    pub(crate) roles: Roles,
    pub(crate) quota: Arc<Quota>,
}

/// All who may call.
#[derive(Debug, Default)]
pub(crate) struct Callers {
    by_token: Vec<(TokenHash, Arc<Caller>)>,
    by_certificate: Vec<(String, Arc<Caller>)>,
}

/// The quotas in use, by name: a file that is read again does not give back what has been used.
#[derive(Clone, Debug, Default)]
pub(crate) struct Quotas(Arc<Mutex<HashMap<String, Arc<Quota>>>>);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    token: Vec<Spanned<Entry>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    sha256: Option<String>,
    certificate: Option<String>,
    roles: Vec<String>,
    positions_per_second: Option<u32>,
    positions_in_flight: Option<u32>,
    streams: Option<u32>,
}

impl Callers {
    /// Reads a file of callers.
    ///
    /// # Errors
    /// What is wrong, with the line. Nothing of a hash is quoted.
    pub(crate) fn parse(bytes: &[u8], quotas: &Quotas) -> Result<Self, String> {
        let text = std::str::from_utf8(bytes).map_err(|_| "the token file is not UTF-8")?;
        let line = |at: usize| 1 + text.bytes().take(at).filter(|byte| *byte == b'\n').count();
        let file: File = toml::from_str(text).map_err(|error| {
            // The message alone: the excerpt that comes with it could show a hash.
            let at = error.span().map_or(0, |span| span.start);
            format!(
                "the token file, line {}: {}",
                line(at),
                without_values(error.message())
            )
        })?;
        let mut callers = Self::default();
        let mut names: Vec<String> = Vec::new();
        for entry in file.token {
            let line = line(entry.span().start);
            let entry = entry.into_inner();
            let name = entry.name.clone();
            let wrong = |reason: String| {
                let name = tabiya_api::error::excerpt(&name);
                format!("the token file, line {line}: token `{name}`: {reason}")
            };
            if names.contains(&name) {
                return Err(wrong("the name is taken".to_owned()));
            }
            callers.add(entry, quotas).map_err(wrong)?;
            names.push(name);
        }
        // A file with a fault changes nothing.
        quotas.replace(
            callers
                .all()
                .map(|caller| (caller.name.clone(), caller.quota.clone())),
        );
        Ok(callers)
    }

    fn add(&mut self, entry: Entry, quotas: &Quotas) -> Result<(), String> {
        let is_plain = |name: &str| name.bytes().all(|byte| byte.is_ascii_graphic());
        if entry.name.is_empty() || entry.name.len() > MAX_NAME_BYTES || !is_plain(&entry.name) {
            return Err(format!(
                "a name is 1 to {MAX_NAME_BYTES} letters, digits and signs"
            ));
        }
        if entry.roles.is_empty() {
            return Err("no roles".to_owned());
        }
        let mut roles = Roles::default();
        for name in &entry.roles {
            let role = Role::named(name);
            roles = roles.with(role.ok_or_else(|| {
                let name = tabiya_api::error::excerpt(name);
                format!("role `{name}` is none of read, bulk, admin")
            })?);
        }
        let limits = Limits {
            positions_per_second: entry.positions_per_second,
            positions_in_flight: entry.positions_in_flight,
            streams: entry.streams,
        };
        let of_limits = [
            limits.positions_per_second,
            limits.positions_in_flight,
            limits.streams,
        ];
        if of_limits.contains(&Some(0)) {
            return Err("a quota of 0 allows nothing: leave the token out instead".to_owned());
        }
        let caller = Arc::new(Caller {
            quota: quotas.of(&entry.name, limits),
            name: entry.name,
            roles,
        });
        match (entry.sha256, entry.certificate) {
            (Some(hash), None) => {
                let hash = TokenHash::parse(&hash).ok_or("sha256 is not 64 hexadecimal digits")?;
                self.by_token.push((hash, caller));
            }
            (None, Some(name)) => self.by_certificate.push((name.to_ascii_lowercase(), caller)),
            _ => return Err("either sha256 or certificate is needed".to_owned()),
        }
        Ok(())
    }

    fn all(&self) -> impl Iterator<Item = &Arc<Caller>> {
        let by_token = self.by_token.iter().map(|(_, caller)| caller);
        by_token.chain(self.by_certificate.iter().map(|(_, caller)| caller))
    }

    /// The caller with this token. Every hash is compared, each in constant time.
    pub(crate) fn with_token(&self, token: &[u8]) -> Option<&Arc<Caller>> {
        let shown = TokenHash::of(token);
        let mut found = None;
        for (hash, caller) in &self.by_token {
            if bool::from(hash.same(&shown)) {
                found = Some(caller);
            }
        }
        found
    }

    /// The caller with one of the names of a certificate.
    pub(crate) fn with_certificate(&self, names: &[String]) -> Option<&Arc<Caller>> {
        let mut callers = self.by_certificate.iter();
        let has = |name: &str| names.iter().any(|shown| shown.eq_ignore_ascii_case(name));
        callers.find(|(name, _)| has(name)).map(|(_, caller)| caller)
    }
}

impl Quotas {
    /// The quota of this name: the one in use, unless its limits have changed.
    fn of(&self, name: &str, limits: Limits) -> Arc<Quota> {
        let quotas = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match quotas.get(name) {
            Some(quota) if quota.limits() == limits => quota.clone(),
            _ => Arc::new(Quota::new(limits)),
        }
    }

    /// Takes these into use, and forgets all others.
    fn replace(&self, quotas: impl Iterator<Item = (String, Arc<Quota>)>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = quotas.collect();
    }
}

/// A complaint of the TOML reader without what it quotes from the file, which stands in double quotes.
fn without_values(message: &str) -> String {
    let parts = message.lines().next().unwrap_or_default().split('"');
    parts.step_by(2).collect::<Vec<_>>().join("…")
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"
        [[token]]
        name = "site"
        sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        roles = ["read", "bulk"]
        positions_per_second = 1000
        streams = 2

        [[token]]
        name = "worker"
        certificate = "Worker.Example"
        roles = ["admin"]
    "#;

    fn parse(text: &str) -> Result<Callers, String> {
        Callers::parse(text.as_bytes(), &Quotas::default())
    }

    #[test]
    fn callers_are_known_by_token_or_certificate() {
        let callers = parse(FILE).unwrap();
        let site = callers.with_token(b"abc").unwrap();
        assert_eq!(site.name, "site");
        assert!(site.roles.allow(Role::Bulk) && !site.roles.allow(Role::Admin));
        assert_eq!(site.quota.limits().streams, Some(2));
        assert!(callers.with_token(b"abd").is_none());
        assert!(callers.with_token(b"").is_none());
        let worker = callers.with_certificate(&["other".to_owned(), "worker.example".to_owned()]);
        assert_eq!(worker.unwrap().name, "worker");
        assert!(callers.with_certificate(&["example".to_owned()]).is_none());
        assert!(callers.with_certificate(&[]).is_none());
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line_and_no_hash() {
        let hash = "ba7816bf8f01cfea";
        for (from, to, told) in [
            ("\"read\", ", "\"write\", ", "line 2: token `site`: role `write`"),
            ("streams = 2", "streams = 0", "line 2: token `site`: a quota of 0"),
            ("streams = 2", "streems = 2", "line 7"),
            ("streams = 2", "streams = -2", "line 7"),
            (
                "\"worker\"",
                "\"site\"",
                "line 9: token `site`: the name is taken",
            ),
            ("\"worker\"", "\"\"", "line 9: token ``: a name is"),
            ("[\"admin\"]", "[]", "line 9: token `worker`: no roles"),
            ("20015ad\"", "20015a\"", "line 2: token `site`: sha256 is not"),
            ("sha256 = \"", "sha256 = \"\"\"", "line"),
            ("sha256 = \"", "roles = \"", "line"),
            ("sha256 = \"", "hash = \"", "line 4"),
            (
                "certificate = \"Worker.Example\"",
                "",
                "line 9: token `worker`: either",
            ),
        ] {
            let error = parse(&FILE.replacen(from, to, 1)).unwrap_err();
            assert!(error.contains(told), "{told}: {error}");
            assert!(!error.contains(hash), "{error}");
        }
        assert!(Callers::parse(b"\xff", &Quotas::default()).is_err());
    }

    #[test]
    fn reading_again_gives_nothing_back() {
        let quotas = Quotas::default();
        let read = |text: &str| Callers::parse(text.as_bytes(), &quotas).unwrap();
        let first = read(FILE).with_token(b"abc").unwrap().clone();
        let again = read(FILE).with_token(b"abc").unwrap().clone();
        assert!(Arc::ptr_eq(&first.quota, &again.quota));
        // Nor does a file that is refused for its last entry, whatever it says of the first.
        let refused = FILE.replace("1000", "2000").replace("admin", "king");
        assert!(Callers::parse(refused.as_bytes(), &quotas).is_err());
        let again = read(FILE).with_token(b"abc").unwrap().clone();
        assert!(Arc::ptr_eq(&first.quota, &again.quota));
        let changed = read(&FILE.replace("1000", "2000"))
            .with_token(b"abc")
            .unwrap()
            .clone();
        assert_eq!(changed.quota.limits().positions_per_second, Some(2000));
    }
}
