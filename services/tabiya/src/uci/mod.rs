//! The Universal Chess Interface: one engine on standard input and output.
//!
//! Beyond the protocol: `d` shows the position, `eval` its static value, `go perft N` counts. A line that makes no sense
//! is answered with an `info string` and changes nothing; in a `go`, only the words that make no sense are left out.

mod command;
mod engine;
mod job;
mod report;
mod settings;
#[cfg(test)]
mod tests;

use std::io::{self, BufRead, Write};
use std::sync::Arc;

use tabiya_evaluator::{AnyKernel, Network};

use crate::syzygy::Endgames;
use engine::Engine;

/// Longest line read in bytes: about 100,000 moves. What goes beyond is cut off.
const LONGEST_LINE: u64 = 1 << 19;

/// Answers commands from `input` on `output` until `quit` or the end of the input. At the end, a search with limits is
/// waited for, one without is stopped.
///
/// # Errors
/// When `input` cannot be read or `output` not be written.
pub(crate) fn run<R, W>(
    mut input: R,
    output: W,
    network: Arc<Network>,
    kernel: AnyKernel,
    endgames: Endgames,
) -> io::Result<()>
where
    R: BufRead,
    W: Write + Send + 'static,
{
    let mut engine = Engine::new(output, network, kernel, endgames);
    let mut line = Vec::new();
    loop {
        line.clear();
        if io::Read::take(&mut input, LONGEST_LINE).read_until(b'\n', &mut line)? == 0 {
            return engine.finish();
        }
        if line.len() as u64 == LONGEST_LINE && !line.ends_with(b"\n") {
            // What goes beyond must not pass for commands. Its newline alone is nothing.
            if input.skip_until(b'\n')? > 1 {
                engine.complain(&format!("a line is cut off after {LONGEST_LINE} bytes"))?;
            }
        }
        let text = String::from_utf8_lossy(&line);
        match command::parse(&text) {
            Ok(Some(command::Command::Quit)) => return engine.quit(),
            Ok(Some(command)) => engine.obey(command)?,
            Ok(None) => {}
            Err(reason) => engine.complain(&reason)?,
        }
    }
}
