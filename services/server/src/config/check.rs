//! Whether values are in their ranges and go together.

use super::{AdminTls, Config, ConfigFault, ConfigFaults, ReflectionAccess, SETTINGS, Setting, Source};
use crate::ServerError;

/// Networks of one server: each has threads and memory of its own.
pub(crate) const MAX_NETWORKS: usize = 8;

impl Config {
    /// Checks every value against its range, and whether they go together.
    ///
    /// # Errors
    /// [`ServerError::Config`] names every setting at fault, its value and the range.
    pub fn validate(&self) -> Result<(), ServerError> {
        let faults = self.faults(&|_| Source::Program);
        if faults.is_empty() {
            return Ok(());
        }
        Err(ServerError::Config(ConfigFaults(faults)))
    }

    /// What is wrong, with the source of each setting at fault.
    pub(super) fn faults(&self, source: &dyn Fn(&str) -> Source) -> Vec<ConfigFault> {
        let fault = |key: &str, reason: String| ConfigFault {
            key: key.to_owned(),
            reason,
            source: source(key),
        };
        let outside = |setting: &&Setting| (setting.is_outside)(self);
        let out_of_range = SETTINGS.iter().filter(outside).map(|setting| {
            let value = setting.value(self).unwrap_or_default();
            let range = setting.range().unwrap_or_default();
            let value = value.trim_matches('"');
            fault(
                setting.key,
                format!("{} is {value}, outside {range}", setting.key),
            )
        });
        let together = self.contradictions();
        out_of_range
            .chain(together.into_iter().map(|(key, reason)| fault(key, reason)))
            .collect()
    }

    /// Settings that do not go together: which one, and why.
    fn contradictions(&self) -> Vec<(&'static str, String)> {
        let mut found = Vec::new();
        let mut add = |key, reason: &str| found.push((key, reason.to_owned()));
        match (&self.tls_cert, &self.tls_key) {
            (Some(_), None) => add("tls_cert", "tls_cert needs tls_key"),
            (None, Some(_)) => add("tls_key", "tls_key needs tls_cert"),
            (Some(_), Some(_)) => {}
            (None, None) => {
                if self.tls_client_ca.is_some() {
                    add("tls_client_ca", "tls_client_ca needs tls_cert and tls_key");
                }
                if self.admin_tls != AdminTls::Off {
                    add("admin_tls", "admin_tls needs tls_cert and tls_key");
                }
            }
        }
        if self.admin_tls == AdminTls::Mutual && self.tls_client_ca.is_none() {
            add("admin_tls", "admin_tls is mutual, which needs tls_client_ca");
        }
        if self.reflection == ReflectionAccess::Authenticated && self.tokens.is_none() {
            add("reflection", "reflection is authenticated, which needs tokens");
        }
        let networks = self.network.len();
        if networks > MAX_NETWORKS {
            add(
                "network",
                &format!("network names {networks} networks, more than {MAX_NETWORKS}"),
            );
        }
        for origin in self.cors_origins.iter().filter(|origin| !is_origin(origin)) {
            let origin = tabiya_api::error::excerpt(origin);
            add(
                "cors_origins",
                &format!("cors_origins has `{origin}`, which is no origin such as https://chess.example"),
            );
        }
        if !self.listen.ip().is_loopback() && !self.insecure {
            let missing = match (
                self.tls_cert.is_some(),
                self.tokens.is_some() || self.tls_client_ca.is_some(),
            ) {
                (true, true) => return found,
                (true, false) => "callers are not known: set tokens, or tls_client_ca",
                (false, true) => "calls can be read on the way: set tls_cert and tls_key",
                (false, false) => {
                    "calls can be read on the way and made by anybody: set tls_cert, tls_key and tokens"
                }
            };
            add(
                "listen",
                &format!(
                    "listen is {}, off loopback, where {missing}; or set insecure if the network sees to that",
                    self.listen
                ),
            );
        }
        found
    }
}

/// Whether an origin is written as browsers write it, such as `https://chess.example:8443`.
fn is_origin(text: &str) -> bool {
    let Ok(uri) = text.parse::<http::Uri>() else {
        return false;
    };
    let is_plain = text
        .bytes()
        .all(|byte| byte.is_ascii_graphic() && !byte.is_ascii_uppercase());
    let scheme = uri.scheme_str();
    let authority = uri.authority().map_or("", |authority| authority.as_str());
    is_plain
        && matches!(scheme, Some("http" | "https"))
        && !authority.is_empty()
        && !authority.contains(['@', '*'])
        && text.len() == scheme.map_or(0, str::len) + "://".len() + authority.len()
}

#[cfg(test)]
mod tests {
    use tabiya_evaluator::NetworkSource;

    use super::*;

    #[test]
    fn every_value_out_of_range_is_named() {
        Config::default().validate().unwrap();
        for cores in [1, 2, 64, 1024] {
            Config::for_cores(cores).validate().unwrap();
        }
        let error = Config {
            bulk_queue: 0,
            search_memory: 5 << 20,
            ..Config::default()
        }
        .validate()
        .unwrap_err();
        assert_eq!(
            error.to_string(),
            "search_memory is 5MiB, outside 66MiB..=16TiB\nbulk_queue is 0, outside 64..=1048576"
        );
    }

    #[test]
    fn off_loopback_takes_encryption_and_callers_that_are_known() {
        let told = |change: fn(&mut Config)| {
            let mut config = Config {
                listen: ([0, 0, 0, 0], 50051).into(),
                ..Config::default()
            };
            change(&mut config);
            config.validate().map_err(|error| error.to_string())
        };
        let with_tls = |config: &mut Config| {
            config.tls_cert = Some("c".into());
            config.tls_key = Some("k".into());
        };
        let refusal = told(|_| {}).unwrap_err();
        assert!(refusal.contains("tls_cert, tls_key and tokens"), "{refusal}");
        assert!(refusal.contains("set insecure"), "{refusal}");
        assert!(told(|config| config.insecure = true).is_ok());
        assert!(
            told(|config| config.tokens = Some("t".into()))
                .unwrap_err()
                .contains("read on the way")
        );
        assert!(told(|config| config.listen = ([127, 0, 0, 2], 1).into()).is_ok());
        let mut config = Config {
            listen: ([0, 0, 0, 0], 50051).into(),
            ..Config::default()
        };
        with_tls(&mut config);
        let refusal = config.validate().unwrap_err().to_string();
        assert!(refusal.contains("not known"), "{refusal}");
        config.tokens = Some("t".into());
        config.validate().unwrap();
    }

    #[test]
    fn halves_are_refused() {
        for (change, told) in [
            (
                (|config| config.tls_cert = Some("c".into())) as fn(&mut Config),
                "tls_cert needs tls_key",
            ),
            (
                |config| config.tls_key = Some("k".into()),
                "tls_key needs tls_cert",
            ),
            (
                |config| config.tls_client_ca = Some("a".into()),
                "tls_client_ca needs",
            ),
            (
                |config| config.admin_tls = AdminTls::Mutual,
                "admin_tls is mutual",
            ),
            (|config| config.admin_tls = AdminTls::Server, "admin_tls needs"),
            (
                |config| config.network = vec![NetworkSource::default(); 9],
                "network names 9 networks, more than 8",
            ),
            (
                |config| config.reflection = ReflectionAccess::Authenticated,
                "needs tokens",
            ),
            (
                |config| config.cors_origins = vec!["*".into()],
                "cors_origins has `*`",
            ),
        ] {
            let mut config = Config::default();
            change(&mut config);
            let error = config.validate().unwrap_err().to_string();
            assert!(error.contains(told), "{error}");
        }
    }

    #[test]
    fn origins_are_written_as_browsers_do() {
        for right in [
            "https://chess.example",
            "http://localhost:8080",
            "https://[::1]:443",
        ] {
            assert!(is_origin(right), "{right}");
        }
        for wrong in [
            "*",
            "null",
            "chess.example",
            "https://chess.example/",
            "https://chess.example/page",
            "https://Chess.example",
            "ftp://chess.example",
            "https://",
            "https://user@chess.example",
            "https://*.example",
            "https://chess.example?x",
            "https://chess.example ",
        ] {
            assert!(!is_origin(wrong), "{wrong}");
        }
    }
}
