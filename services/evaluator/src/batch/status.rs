//! Which backends there are, and why the others are not.

use super::{BackendChoice, CalibrationTable};
use crate::backend::BackendInfo;

/// How the device is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeviceHealth {
    /// It was not asked for, or never opened; holds the reason.
    Absent(String),
    /// It serves.
    Healthy,
    /// It failed and will be opened anew; the CPU stands in.
    Broken {
        /// Why it failed.
        reason: String,
        /// Tries to open it since it last counted as sound.
        tries: u32,
    },
    /// It failed too often: the CPU stands in for good.
    GivenUp {
        /// The last failure.
        reason: String,
        /// Tries made.
        tries: u32,
    },
}

impl DeviceHealth {
    /// Why it does not serve; `None` if it does.
    pub fn reason(&self) -> Option<String> {
        match self {
            Self::Healthy => None,
            Self::Absent(reason) => Some(reason.clone()),
            Self::Broken { reason, tries } => Some(format!("{reason} (tried {tries} times, will try again)")),
            Self::GivenUp { reason, tries } => Some(format!("{reason} (given up after {tries} tries)")),
        }
    }
}

/// What serves, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct BackendStatus {
    /// The CPU lane's backend.
    pub cpu: BackendInfo,
    /// Threads of the CPU lane.
    pub cpu_threads: usize,
    /// The reference's backend.
    pub scalar: BackendInfo,
    /// The device, if one was ever open.
    pub device: Option<BackendInfo>,
    /// How the device is.
    pub device_health: DeviceHealth,
    /// Where [`BackendChoice::Auto`] sends a large request now: [`BackendChoice::Cpu`] or [`BackendChoice::Gpu`].
    pub auto: BackendChoice,
    /// Why.
    pub auto_reason: String,
    /// The calibration, if one was made.
    pub calibration: Option<CalibrationTable>,
}
