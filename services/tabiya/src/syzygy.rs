//! Endgame tables that are named on the command line or by an option.

use std::{ffi::OsStr, path::Path, sync::Arc};

use tabiya_search::{Tablebase, TablebaseError};
use tabiya_server::config::folders;

/// Tables for searches inside this process, or none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Endgames {
    /// The folders as they were named.
    pub(crate) text: String,
    /// The tables.
    pub(crate) tables: Option<Arc<Tablebase>>,
}

impl Endgames {
    /// Opens the tables of the folders that a text names.
    ///
    /// # Errors
    /// The folder that cannot be listed or the table that is damaged.
    pub(crate) fn open(text: &OsStr) -> Result<Self, TablebaseError> {
        let folders = folders(text);
        if folders.is_empty() {
            return Ok(Self::default());
        }
        let tables = Tablebase::open(folders.iter().map(Path::new))?;
        Ok(Self {
            text: text.to_string_lossy().into_owned(),
            tables: Some(Arc::new(tables)),
        })
    }
}
