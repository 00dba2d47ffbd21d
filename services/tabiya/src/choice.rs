//! Choices on the command line that mirror enums of the contract.

use clap::ValueEnum;
use tabiya_client::v1;

/// What computes evaluations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Backend {
    /// For searches the processor; for evaluation what start-up measurement found fastest.
    #[default]
    Auto,
    /// The processor's best vector kernel.
    Cpu,
    /// The graphics processor; an error where none works.
    Gpu,
    /// The plain reference kernel.
    Scalar,
}

impl From<Backend> for v1::Backend {
    fn from(backend: Backend) -> Self {
        match backend {
            Backend::Auto => Self::Auto,
            Backend::Cpu => Self::Cpu,
            Backend::Gpu => Self::Gpu,
            Backend::Scalar => Self::Scalar,
        }
    }
}

/// Whether the positions of a game are searched together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum BulkMode {
    /// Each position by itself: its answer depends on nothing else.
    #[default]
    Independent,
    /// Each game from its last position to its first, so that neighbouring scores agree.
    AlongGame,
}

impl BulkMode {
    /// The name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Independent => "independent",
            Self::AlongGame => "along-game",
        }
    }
}

impl From<BulkMode> for v1::BulkMode {
    fn from(mode: BulkMode) -> Self {
        match mode {
            BulkMode::Independent => Self::Independent,
            BulkMode::AlongGame => Self::AlongGame,
        }
    }
}

/// How strictly a FEN is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum FenMode {
    /// Well formed and playable.
    #[default]
    Analysis,
    /// Also plausible, and clean X-FEN.
    Strict,
    /// Repairs what can be repaired in one way only.
    Lenient,
}

impl From<FenMode> for v1::FenMode {
    fn from(mode: FenMode) -> Self {
        match mode {
            FenMode::Analysis => Self::Analysis,
            FenMode::Strict => Self::Strict,
            FenMode::Lenient => Self::Lenient,
        }
    }
}

/// The variant of a `--chess960` flag.
pub(crate) fn variant(chess960: bool) -> v1::Variant {
    if chess960 {
        v1::Variant::Chess960
    } else {
        v1::Variant::Standard
    }
}

/// A FEN argument as the contract wants it: `startpos` is the standard start, which the contract writes as nothing.
pub(crate) fn fen_text(argument: &str) -> String {
    match argument.trim() {
        "startpos" => String::new(),
        fen => fen.to_owned(),
    }
}

/// The part of an enum's name that people read: `POSITION_STATUS_CHECKMATE` without its type is `checkmate`.
pub(crate) fn plain_name(name: &str, prefix: &str) -> String {
    name.strip_prefix(prefix).unwrap_or(name).to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_their_type() {
        let name = v1::PositionStatus::InsufficientMaterial.as_str_name();
        assert_eq!(plain_name(name, "POSITION_STATUS_"), "insufficient_material");
    }

    #[test]
    fn the_start_needs_no_fen() {
        assert_eq!(fen_text("startpos"), "");
        assert_eq!(fen_text(" 8/8 "), "8/8");
    }
}
