//! Which backend a caller asks for, and which lane serves it.

use std::{fmt, str::FromStr};

/// Which backend a caller asks for. The value is the same on every one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BackendChoice {
    /// Whichever the calibration found faster for the size of the work.
    #[default]
    Auto,
    /// The CPU kernels.
    Cpu,
    /// The GPU; an error where none works.
    Gpu,
    /// The scalar reference.
    Scalar,
}

impl BackendChoice {
    /// The name on command lines: `auto`, `cpu`, `gpu`, `scalar`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Cpu => "cpu",
            Self::Gpu => "gpu",
            Self::Scalar => "scalar",
        }
    }
}

impl fmt::Display for BackendChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A backend's name that is none of the four.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("backend {0:?} is not auto, cpu, gpu or scalar")]
pub struct UnknownBackend(String);

impl FromStr for BackendChoice {
    type Err = UnknownBackend;

    fn from_str(text: &str) -> Result<Self, UnknownBackend> {
        [Self::Auto, Self::Cpu, Self::Gpu, Self::Scalar]
            .into_iter()
            .find(|choice| choice.name() == text)
            .ok_or_else(|| UnknownBackend(text.chars().take(64).collect()))
    }
}

/// One of the three queues behind the evaluator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LaneKind {
    /// The CPU kernels.
    Cpu,
    /// The device, with the CPU behind it.
    Device,
    /// The scalar reference.
    Scalar,
}

impl LaneKind {
    /// All lanes, in the order of [`LaneKind::index`].
    pub const ALL: [Self; 3] = [Self::Cpu, Self::Device, Self::Scalar];

    /// The name in metrics: `cpu`, `gpu`, `scalar`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Device => "gpu",
            Self::Scalar => "scalar",
        }
    }

    /// 0, 1, 2 for arrays with one entry a lane.
    pub const fn index(self) -> usize {
        self as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        for choice in [
            BackendChoice::Auto,
            BackendChoice::Cpu,
            BackendChoice::Gpu,
            BackendChoice::Scalar,
        ] {
            assert_eq!(choice.to_string().parse(), Ok(choice));
        }
        assert!("GPU".parse::<BackendChoice>().is_err());
        assert_eq!(LaneKind::ALL.map(LaneKind::index), [0, 1, 2]);
    }
}
