//! Options of the protocol.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::time::Duration;

use tabiya_rules::Variant;

use super::command::excerpt;
use crate::syzygy::Endgames;

/// Values of the options.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    /// Transposition table in MiB.
    pub(super) hash: usize,
    pub(super) multi_pv: usize,
    /// Threads of a search.
    pub(super) threads: usize,
    /// Kept in reserve on each move.
    pub(super) move_overhead: Duration,
    pub(super) variant: Variant,
    pub(super) show_wdl: bool,
    /// Tables that every search asks.
    pub(super) endgames: Endgames,
}

/// What a changed option asks of the engine.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Effect {
    Nothing,
    /// The table has another size, or is to be emptied.
    NewTable,
    /// Other endgame tables are asked from now on.
    OtherEndgames,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            hash: 16,
            multi_pv: 1,
            threads: 1,
            move_overhead: Duration::from_millis(10),
            variant: Variant::Standard,
            show_wdl: false,
            endgames: Endgames::default(),
        }
    }
}

/// How the protocol writes a text that is empty.
const NO_TEXT: &str = "<empty>";
/// Largest table in MiB.
const MAX_HASH: usize = 65_536;
/// Most threads of a search.
const MAX_THREADS: usize = 256;
/// Most lines.
const MAX_LINES: usize = 256;
/// Longest reserve in milliseconds.
const MAX_OVERHEAD: usize = 10_000;

impl Settings {
    /// The `option` lines of the answer to `uci`.
    pub(super) fn describe(&self) -> String {
        let folders = match self.endgames.text.as_str() {
            "" => NO_TEXT,
            text => text,
        };
        let mut text = String::new();
        for (name, rest) in [
            ("Hash", format!("type spin default 16 min 1 max {MAX_HASH}")),
            ("Clear Hash", "type button".to_owned()),
            ("Threads", format!("type spin default 1 min 1 max {MAX_THREADS}")),
            ("MultiPV", format!("type spin default 1 min 1 max {MAX_LINES}")),
            (
                "Move Overhead",
                format!("type spin default 10 min 0 max {MAX_OVERHEAD}"),
            ),
            ("UCI_Chess960", "type check default false".to_owned()),
            ("UCI_ShowWDL", "type check default false".to_owned()),
            ("SyzygyPath", format!("type string default {folders}")),
        ] {
            // Writing to a string does not fail.
            let _ = writeln!(text, "option name {name} {rest}");
        }
        text
    }

    /// Sets an option; names are compared without regard to case, as the protocol has it.
    ///
    /// # Errors
    /// For an unknown name or a value out of range; nothing changes then.
    pub(super) fn set(&mut self, name: &str, value: &str) -> Result<Effect, String> {
        match name.to_ascii_lowercase().as_str() {
            "hash" => {
                self.hash = spin(name, value, 1, MAX_HASH)?;
                return Ok(Effect::NewTable);
            }
            "clear hash" => return Ok(Effect::NewTable),
            "threads" => self.threads = spin(name, value, 1, MAX_THREADS)?,
            "multipv" => self.multi_pv = spin(name, value, 1, MAX_LINES)?,
            "move overhead" => {
                self.move_overhead = Duration::from_millis(spin(name, value, 0, MAX_OVERHEAD)? as u64);
            }
            "uci_chess960" => {
                self.variant = if check(name, value)? {
                    Variant::Chess960
                } else {
                    Variant::Standard
                };
            }
            "uci_showwdl" => self.show_wdl = check(name, value)?,
            "syzygypath" => {
                let folders = if value == NO_TEXT { "" } else { value };
                self.endgames = Endgames::open(OsStr::new(folders))
                    .map_err(|error| format!("setoption: {name}: {error}"))?;
                return Ok(Effect::OtherEndgames);
            }
            _ => return Err(format!("setoption: no option {:?}", excerpt(name))),
        }
        Ok(Effect::Nothing)
    }

    /// What there is of endgame tables, for people.
    pub(super) fn endgames_found(&self) -> String {
        let Some(tables) = &self.endgames.tables else {
            return "info string no endgame tables\n".to_owned();
        };
        let (outcomes, distances, men) = (tables.len(), tables.distances(), tables.most_men());
        format!(
            "info string endgame tables: {outcomes} of outcomes, {distances} of distances, up to {men} men\n"
        )
    }
}

fn spin(name: &str, value: &str, min: usize, max: usize) -> Result<usize, String> {
    value
        .parse()
        .ok()
        .filter(|number| (min..=max).contains(number))
        .ok_or_else(|| {
            format!(
                "setoption: {name} is {:?}, not a number from {min} to {max}",
                excerpt(value)
            )
        })
}

fn check(name: &str, value: &str) -> Result<bool, String> {
    match value {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(format!(
            "setoption: {name} is {:?}, neither true nor false",
            excerpt(value)
        )),
    }
}
