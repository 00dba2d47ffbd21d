//! Encrypted connections: certificates from files, read again when they change; certificates of callers, if wanted.

mod peer;

use std::sync::Arc;

use rustls::{
    RootCertStore, ServerConfig,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    server::WebPkiClientVerifier,
};

pub(crate) use peer::names;

use crate::{
    Config, ServerError,
    config::AdminTls,
    metrics::Watched,
    reload::{Current, FromFiles},
};

/// What a listener encrypts with, as it is now.
pub(crate) type Tls = Current<ServerConfig>;

/// Whether a port asks callers for a certificate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Callers {
    /// Anybody may call.
    Anybody,
    /// Only those whom a certificate authority vouches for.
    Certified,
}

/// The settings of the main port and of the admin port; `None` where a port is not encrypted.
pub(crate) struct TlsPorts {
    pub(crate) main: Option<FromFiles<ServerConfig>>,
    pub(crate) admin: Option<FromFiles<ServerConfig>>,
}

impl TlsPorts {
    /// Reads certificates and keys.
    ///
    /// # Errors
    /// If they cannot be read or do not go together.
    pub(crate) fn open(config: &Config) -> Result<Self, ServerError> {
        let main = if config.tls_client_ca.is_some() {
            Callers::Certified
        } else {
            Callers::Anybody
        };
        let admin = match config.admin_tls {
            AdminTls::Off => None,
            AdminTls::Server => Some(Callers::Anybody),
            AdminTls::Mutual => Some(Callers::Certified),
        };
        Ok(Self {
            main: open(Watched::MainTls, config, main, config.serves_browsers())?,
            admin: match admin {
                Some(callers) => open(Watched::AdminTls, config, callers, true)?,
                None => None,
            },
        })
    }
}

/// `None` if there is no certificate.
fn open(
    what: Watched,
    config: &Config,
    callers: Callers,
    http1: bool,
) -> Result<Option<FromFiles<ServerConfig>>, ServerError> {
    let (Some(certificate), Some(key)) = (&config.tls_cert, &config.tls_key) else {
        return Ok(None);
    };
    let mut paths = vec![certificate.clone(), key.clone()];
    if callers == Callers::Certified {
        paths.extend(config.tls_client_ca.clone());
    }
    let make = move |contents: &[Vec<u8>]| match contents {
        [certificate, key] => server_config(certificate, key, None, http1),
        [certificate, key, authority] => server_config(certificate, key, Some(authority), http1),
        _ => Err("a certificate and a key are needed".to_owned()),
    };
    let title = match what {
        Watched::AdminTls => "TLS of the admin port",
        _ => "TLS of the main port",
    };
    FromFiles::open(what, title, paths, Box::new(make)).map(Some)
}

/// Errors of the PEM reader quote the file, so they are not passed on.
fn server_config(
    certificate: &[u8],
    key: &[u8],
    authority: Option<&[u8]>,
    http1: bool,
) -> Result<ServerConfig, String> {
    let provider = Arc::new(ring::default_provider());
    let chain = certificates(certificate).ok_or("the certificate file holds no PEM certificates")?;
    let key = PrivateKeyDer::from_pem_slice(key).map_err(|_| "the key file holds no PEM private key")?;
    let builder = ServerConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    let builder = match authority {
        None => builder.with_no_client_auth(),
        Some(pem) => {
            let mut roots = RootCertStore::empty();
            for root in
                certificates(pem).ok_or("the file of the callers' authority holds no PEM certificates")?
            {
                roots
                    .add(root)
                    .map_err(|error| format!("the callers' authority: {error}"))?;
            }
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build();
            builder.with_client_cert_verifier(verifier.map_err(|error| error.to_string())?)
        }
    };
    let mut config = builder
        .with_single_cert(chain, key)
        .map_err(|error| format!("certificate and key: {error}"))?;
    config.alpn_protocols = vec![b"h2".to_vec()];
    if http1 {
        config.alpn_protocols.push(b"http/1.1".to_vec());
    }
    Ok(config)
}

/// The certificates of a file; `None` if there are none.
fn certificates(pem: &[u8]) -> Option<Vec<CertificateDer<'static>>> {
    let chain: Vec<_> = CertificateDer::pem_slice_iter(pem)
        .collect::<Result<_, _>>()
        .ok()?;
    (!chain.is_empty()).then_some(chain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_said_without_quoting_the_files() {
        let signed = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let other = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let (certificate, key) = (signed.cert.pem(), signed.signing_key.serialize_pem());
        let make = |certificate: &str, key: &str, authority: Option<&str>| {
            server_config(
                certificate.as_bytes(),
                key.as_bytes(),
                authority.map(str::as_bytes),
                false,
            )
        };
        assert!(make(&certificate, &key, None).is_ok());
        assert!(make(&certificate, &key, Some(&certificate)).is_ok());
        // A line break lost, as some templates do.
        let broken = key.replace('\n', " ");
        let secret = key.lines().nth(1).unwrap();
        for (certificate, key, authority, told) in [
            ("", key.as_str(), None, "certificate file"),
            (&certificate, "", None, "key file"),
            (&certificate, &broken, None, "key file"),
            (&broken, &key, None, "certificate file"),
            (
                &certificate,
                &other.signing_key.serialize_pem(),
                None,
                "certificate and key",
            ),
            (&certificate, &key, Some("nothing"), "callers' authority"),
        ] {
            let error = make(certificate, key, authority).unwrap_err();
            assert!(error.contains(told), "{error}");
            assert!(!error.contains(&secret[..8]), "{error}");
        }
    }
}
