use std::sync::Arc;

use tabiya_api::v1;
use tabiya_search::Tablebase;

use crate::{Config, ServerError};

/// The endgame tables of the configured folders; `None` if none are configured.
///
/// # Errors
/// The folder that cannot be listed or the table that is damaged.
pub(super) fn load(config: &Config) -> Result<Option<Arc<Tablebase>>, ServerError> {
    if config.syzygy_path.is_empty() {
        return Ok(None);
    }
    let tables = Tablebase::open(config.syzygy_path.iter().map(AsRef::as_ref))?;
    tracing::info!(
        materials = tables.len(),
        distances = tables.distances(),
        most_men = tables.most_men(),
        "endgame tables"
    );
    Ok(Some(Arc::new(tables)))
}

/// What a caller may know of them.
pub(super) fn message(tables: &Tablebase) -> v1::EndgameTables {
    v1::EndgameTables {
        max_men: tables.most_men() as u32,
        materials: tables.len() as u32,
        distances: tables.distances() as u32,
        hash: tables.digest(),
    }
}
