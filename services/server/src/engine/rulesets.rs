use std::{fs::File, io::Read, path::Path, sync::Arc};

use tabiya_api::convert::{MAX_RULESET_BYTES, Rulesets};

use crate::{Config, ServerError};

/// The rulesets of the program and those of the configured files, in order.
///
/// # Errors
/// The first file that cannot be used, with its line.
pub(super) fn load(config: &Config) -> Result<Arc<Rulesets>, ServerError> {
    let mut rulesets = Rulesets::built_in().map_err(|error| ServerError::Ruleset(error.to_string()))?;
    for path in &config.rulesets {
        let name = path.display().to_string();
        let text = read(path).map_err(|reason| ServerError::Ruleset(format!("{name}: {reason}")))?;
        rulesets
            .add_file(&name, &text)
            .map_err(|error| ServerError::Ruleset(error.to_string()))?;
    }
    Ok(Arc::new(rulesets))
}

/// The text of a file that is no longer than a ruleset may be.
fn read(path: &Path) -> Result<String, String> {
    let mut text = String::new();
    let file = File::open(path).map_err(|error| error.to_string())?;
    file.take(MAX_RULESET_BYTES as u64 + 1)
        .read_to_string(&mut text)
        .map_err(|error| error.to_string())?;
    if text.len() > MAX_RULESET_BYTES {
        return Err(format!("more than {MAX_RULESET_BYTES} bytes"));
    }
    Ok(text)
}
