//! Results on stdout.

use std::io::Write;

/// Prints a line; a reader that has gone away, such as `head`, is no error.
pub(crate) fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}
