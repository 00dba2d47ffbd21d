//! Log lines on stderr.

use tracing_subscriber::EnvFilter;

/// The variable that sets what is logged, such as `info` or `tabiya_server=debug`.
const VARIABLE: &str = "TABIYA_LOG";

/// What a server logs.
const SERVER: &str = "info,wgpu_core=warn,wgpu_hal=error,naga=warn";

/// What a command logs about the server inside it: nothing but errors, as its own words matter more.
const COMMAND: &str = "error,wgpu_hal=off";

/// Starts logging: as a server's records, or as a command's errors.
pub(crate) fn start(server: bool) {
    let default = if server { SERVER } else { COMMAND };
    let filter = std::env::var(VARIABLE)
        .ok()
        .and_then(|wish| EnvFilter::try_new(wish).ok())
        .unwrap_or_else(|| EnvFilter::new(default));
    // Fails only if a subscriber is there already, which then serves as well.
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .try_init();
}
