//! What protects the ports, made of files that are read again when they change.

use crate::{
    Config, ServerError,
    auth::{self, Auth},
    edge::Guard,
    reload::{FromFiles, Reload},
    tls::{Tls, TlsPorts},
};

/// Encryption, and who may call.
pub(crate) struct Protection {
    /// What the main port is encrypted with, if it is.
    pub(crate) main_tls: Option<Tls>,
    /// The same for the admin port.
    pub(crate) admin_tls: Option<Tls>,
    /// Whose calls the main port lets in.
    pub(crate) guard: Guard,
    /// What all of this is made of, to be looked at again.
    pub(crate) files: Vec<Box<dyn Reload>>,
}

impl Protection {
    /// Reads the files that the configuration names.
    ///
    /// # Errors
    /// If one cannot be read or used.
    pub(crate) fn open(config: &Config) -> Result<Self, ServerError> {
        let TlsPorts { main, admin } = TlsPorts::open(config)?;
        let callers = config.tokens.as_deref().map(auth::open).transpose()?;
        let auth = callers
            .as_ref()
            .map(|callers| Auth::new(callers, config.reflection));
        let main_tls = main.as_ref().map(FromFiles::current);
        let admin_tls = admin.as_ref().map(FromFiles::current);
        let mut files: Vec<Box<dyn Reload>> = Vec::new();
        for tls in [main, admin].into_iter().flatten() {
            files.push(Box::new(tls));
        }
        if let Some(callers) = callers {
            files.push(Box::new(callers));
        }
        Ok(Self {
            main_tls,
            admin_tls,
            guard: Guard::new(auth, config.idle_stream),
            files,
        })
    }
}
