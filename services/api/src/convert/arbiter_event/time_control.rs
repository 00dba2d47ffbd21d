//! Time controls.

use std::time::Duration;

use tabiya_arbiter::replay::{DelayMode, Period, TimeControl, TimeControlError};

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
    TimeControl::new(periods.clone()).map_err(|error| {
        // The field at fault, with what it holds.
        let (field, value) = match error {
            TimeControlError::Periods => (String::new(), control.periods.len().to_string()),
            TimeControlError::NoTime => ("[0].time".to_owned(), format!("{:?}", periods[0].time)),
            TimeControlError::Moves(place) => (format!("[{place}].moves"), periods[place].moves.to_string()),
            TimeControlError::Time(place, field) => {
                let period = &periods[place];
                let time = match field {
                    "increment" => period.increment,
                    "delay" => period.delay,
                    _ => period.time,
                };
                (format!("[{place}].{field}"), format!("{time:?}"))
            }
        };
        Violations::one(format!("time_control.periods{field}"), &value, error)
    })
}
