//! Time controls.

use std::time::Duration;

use tabiya_arbiter::replay::{DelayMode, Period, TimeControl};

use crate::{
    convert::{duration::read_duration, enumeration::enumeration},
    error::Violations,
    v1,
};

/// Checks a time control.
///
/// # Errors
/// What cannot be.
pub(in crate::convert) fn read_time_control(control: &v1::TimeControl) -> Result<TimeControl, Violations> {
    let mut violations = Violations::default();
    let mut periods = Vec::new();
    for (index, period) in control
        .periods
        .iter()
        .take(TimeControl::MAX_PERIODS + 1)
        .enumerate()
    {
        let path = |field: &str| format!("time_control.periods[{index}].{field}");
        let mut duration = |field: &str, value: Option<prost_types::Duration>| {
            read_duration(value.unwrap_or_default()).unwrap_or_else(|(value, reason)| {
                violations.add(path(field), &value, reason);
                Duration::ZERO
            })
        };
        let (time, increment) = (
            duration("time", period.time),
            duration("increment", period.increment),
        );
        let delay = duration("delay", period.delay);
        let mode = enumeration(period.delay_mode, path("delay_mode"), &mut violations);
        periods.push(Period {
            moves: period.moves,
            time,
            increment,
            delay,
            delay_mode: match mode {
                v1::DelayMode::Unspecified | v1::DelayMode::Simple => DelayMode::Simple,
                v1::DelayMode::Bronstein => DelayMode::Bronstein,
            },
        });
    }
    if !violations.is_empty() {
        return Err(violations);
    }
    TimeControl::new(periods)
        .map_err(|error| Violations::one("time_control.periods", &control.periods.len().to_string(), error))
}
