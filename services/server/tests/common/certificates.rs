//! Certificates for a test.

use std::path::PathBuf;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};

/// A certificate and its key, as PEM.
pub struct Signed {
    pub certificate: String,
    pub key: String,
}

/// A certificate authority.
pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pub pem: String,
}

impl Authority {
    pub fn new(name: &str) -> Self {
        let mut params = CertificateParams::new([]).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, name);
        let key = KeyPair::generate().unwrap();
        let pem = params.self_signed(&key).unwrap().pem();
        Self {
            issuer: Issuer::new(params, key),
            pem,
        }
    }

    /// Vouches for these names.
    pub fn sign(&self, names: &[&str]) -> Signed {
        let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(names).unwrap();
        Signed {
            certificate: params.signed_by(&key, &self.issuer).unwrap().pem(),
            key: key.serialize_pem(),
        }
    }

    /// Vouches for servers on this machine.
    pub fn sign_server(&self) -> Signed {
        self.sign(&["localhost", "127.0.0.1"])
    }
}

/// A folder of files.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// Writes a file, whole or not at all as far as readers see.
    pub fn write(&self, name: &str, content: &str) -> PathBuf {
        let path = self.0.path().join(name);
        let draft = self.0.path().join(format!("{name}.new"));
        std::fs::write(&draft, content).unwrap();
        std::fs::rename(draft, &path).unwrap();
        path
    }
}
