use std::{fmt, path::Path};

use tonic::{
    Request, Status,
    metadata::{Ascii, MetadataValue},
    service::Interceptor,
    transport::{Certificate, ClientTlsConfig, Endpoint, Identity},
};

use crate::ClientError;

/// What a caller shows a server, and whom it trusts to be one. Secrets in it are never printed.
#[derive(Clone, Default)]
pub struct Access {
    authority: Option<Certificate>,
    identity: Option<Identity>,
    bearer: Bearer,
}

/// Adds the token to every call.
#[derive(Clone, Default)]
pub(crate) struct Bearer(Option<MetadataValue<Ascii>>);

impl Access {
    /// Trusts servers that this certificate authority (PEM) vouches for, instead of those that the system trusts.
    #[must_use]
    pub fn with_authority(mut self, pem: impl AsRef<[u8]>) -> Self {
        self.authority = Some(Certificate::from_pem(pem));
        self
    }

    /// Shows this certificate (PEM), with its key, to servers that ask for one.
    #[must_use]
    pub fn with_identity(mut self, certificate: impl AsRef<[u8]>, key: impl AsRef<[u8]>) -> Self {
        self.identity = Some(Identity::from_pem(certificate, key));
        self
    }

    /// Sends this token with every call. White space around it is left out.
    ///
    /// # Errors
    /// [`ClientError::Token`] if it is empty or cannot be sent.
    pub fn with_token(mut self, token: &str) -> Result<Self, ClientError> {
        let token = token.trim();
        let value = format!("Bearer {token}").parse::<MetadataValue<Ascii>>();
        let mut value = value.map_err(|_| ClientError::Token)?;
        if token.is_empty() || token.contains(char::is_whitespace) {
            return Err(ClientError::Token);
        }
        value.set_sensitive(true);
        self.bearer = Bearer(Some(value));
        Ok(self)
    }

    /// Reads what is given from files.
    ///
    /// # Errors
    /// [`ClientError::File`] if one cannot be read, and as [`Access::with_token`].
    pub fn from_files(
        authority: Option<&Path>,
        identity: Option<(&Path, &Path)>,
        token: Option<&Path>,
    ) -> Result<Self, ClientError> {
        let read = |path: &Path| {
            std::fs::read(path).map_err(|error| ClientError::File {
                path: path.to_owned(),
                reason: error.to_string(),
            })
        };
        let mut access = Self::default();
        if let Some(path) = authority {
            access = access.with_authority(read(path)?);
        }
        if let Some((certificate, key)) = identity {
            access = access.with_identity(read(certificate)?, read(key)?);
        }
        if let Some(path) = token {
            let bytes = read(path)?;
            access = access.with_token(std::str::from_utf8(&bytes).map_err(|_| ClientError::Token)?)?;
        }
        Ok(access)
    }

    /// Whether anything of this needs an encrypted connection.
    pub(crate) fn needs_tls(&self) -> bool {
        self.authority.is_some() || self.identity.is_some()
    }

    /// Sets an endpoint up whose address begins with `https`.
    pub(crate) fn secure(&self, endpoint: Endpoint) -> Result<Endpoint, tonic::transport::Error> {
        let mut tls = ClientTlsConfig::new();
        tls = match &self.authority {
            Some(authority) => tls.ca_certificate(authority.clone()),
            None => tls.with_native_roots(),
        };
        if let Some(identity) = &self.identity {
            tls = tls.identity(identity.clone());
        }
        endpoint.tls_config(tls)
    }

    pub(crate) fn bearer(&self) -> Bearer {
        self.bearer.clone()
    }
}

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Access")
            .field("authority", &self.authority.is_some())
            .field("identity", &self.identity.is_some())
            .field("token", &self.bearer.0.is_some())
            .finish()
    }
}

impl fmt::Debug for Bearer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Bearer")
    }
}

impl Interceptor for Bearer {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(token) = &self.0 {
            request.metadata_mut().insert("authorization", token.clone());
        }
        Ok(request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_that_cannot_be_sent_are_refused_and_none_is_printed() {
        for wrong in ["", " \n", "two words", "line\nbreak", "\u{7f}"] {
            assert!(
                matches!(Access::default().with_token(wrong), Err(ClientError::Token)),
                "{wrong:?}"
            );
        }
        let access = Access::default().with_token("tby_secret\n").unwrap();
        let access = access.with_identity("certificate", "key-secret");
        let shown = format!("{access:?} {access:#?} {:?}", access.bearer());
        assert!(!shown.contains("secret"), "{shown}");
    }
}
