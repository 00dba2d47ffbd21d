use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use tabiya_api::error::ServiceError;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// When a caller with all its places taken may come again: as soon as one of its own calls ends.
pub(crate) const RETRY_AFTER: Duration = Duration::from_secs(1);

/// The longest wait that is proposed to a caller who used up its positions.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// What one caller may use at a time; `None` is no limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Limits {
    /// Positions a second, over time; a second's worth may come at once.
    pub(crate) positions_per_second: Option<u32>,
    /// Positions being worked on.
    pub(crate) positions_in_flight: Option<u32>,
    /// Streams open.
    pub(crate) streams: Option<u32>,
}

/// What one caller has used of its limits. It outlives a new reading of the file that has the limits.
#[derive(Debug)]
pub(crate) struct Quota {
    limits: Limits,
    /// Positions left, at a time. Below zero after a great message, which is paid off before the next one.
    balance: Mutex<(f64, Instant)>,
    in_flight: Option<Arc<Semaphore>>,
    streams: Option<Arc<Semaphore>>,
}

/// A share of a quota that is held for as long as this lives; `None` of what has no limit.
#[derive(Debug, Default)]
pub(crate) struct Held(Option<OwnedSemaphorePermit>);

impl Quota {
    pub(crate) fn new(limits: Limits) -> Self {
        let places = |limit: Option<u32>| limit.map(|limit| Arc::new(Semaphore::new(limit as usize)));
        let burst = limits.positions_per_second.map_or(0.0, f64::from);
        Self {
            limits,
            balance: Mutex::new((burst, Instant::now())),
            in_flight: places(limits.positions_in_flight),
            streams: places(limits.streams),
        }
    }

    pub(crate) fn limits(&self) -> Limits {
        self.limits
    }

    /// Opens a stream.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED if as many are open as may be.
    pub(crate) fn open_stream(&self) -> Result<Held, ServiceError> {
        hold(self.streams.as_ref(), 1, "streams")
    }

    /// Takes positions for a call that does not wait, beside those that it has.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED if there are too many of them in flight, or of late; INVALID_ARGUMENT if the call has more than
    /// may ever be in flight.
    pub(crate) fn take(&self, positions: usize, had: usize) -> Result<Held, ServiceError> {
        let all = positions.saturating_add(had);
        if let Some(limit) = self.limits.positions_in_flight
            && all > limit as usize
        {
            let reason = format!("this caller may have {limit} in flight in all");
            return Err(ServiceError::invalid("positions", &all.to_string(), reason));
        }
        self.check_rate()?;
        let held = hold(self.in_flight.as_ref(), positions, "positions in flight")?;
        self.pay(positions);
        Ok(held)
    }

    /// Takes positions once they may be taken: back-pressure for streams. More than may ever be in flight count as that
    /// many.
    pub(crate) async fn take_when_free(&self, positions: usize) -> Held {
        self.rate().await;
        let held = match (&self.in_flight, self.limits.positions_in_flight) {
            (Some(places), Some(limit)) => {
                let permits = u32::try_from(positions).unwrap_or(u32::MAX).min(limit);
                // The semaphore is never closed.
                Held(places.clone().acquire_many_owned(permits).await.ok())
            }
            _ => Held(None),
        };
        self.pay(positions);
        held
    }

    /// Refuses positions while too many have come of late.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED, with the time to come back.
    pub(crate) fn check_rate(&self) -> Result<(), ServiceError> {
        match self.wait() {
            None => Ok(()),
            Some(retry_after) => Err(ServiceError::Quota {
                what: "positions a second",
                retry_after,
            }),
        }
    }

    /// Waits until more positions may come.
    pub(crate) async fn rate(&self) {
        while let Some(wait) = self.wait() {
            tokio::time::sleep(wait).await;
        }
    }

    /// How long until the next positions may come; `None` if they may now.
    fn wait(&self) -> Option<Duration> {
        let rate = f64::from(self.limits.positions_per_second?);
        let mut balance = self.balance.lock().unwrap_or_else(PoisonError::into_inner);
        let (left, at) = &mut *balance;
        let now = Instant::now();
        *left = (*left + now.saturating_duration_since(*at).as_secs_f64() * rate).min(rate);
        *at = now;
        // Rounded up, so that whoever waits so long does not come too early.
        (*left <= 0.0).then(|| {
            let wait = Duration::from_secs_f64((1.0 - *left) / rate).min(LONGEST_WAIT);
            wait.max(Duration::from_millis(1))
        })
    }

    /// Counts positions as come: what is more than may come in a second delays those after them.
    pub(crate) fn pay(&self, positions: usize) {
        if self.limits.positions_per_second.is_some() {
            let mut balance = self.balance.lock().unwrap_or_else(PoisonError::into_inner);
            balance.0 -= positions as f64;
        }
    }
}

impl Held {
    /// Adds another share.
    pub(crate) fn join(&mut self, other: Self) {
        match (&mut self.0, other.0) {
            (Some(held), Some(other)) => held.merge(other),
            (held @ None, other) => *held = other,
            (Some(_), None) => {}
        }
    }
}

fn hold(places: Option<&Arc<Semaphore>>, count: usize, what: &'static str) -> Result<Held, ServiceError> {
    let Some(places) = places else {
        return Ok(Held(None));
    };
    let count = u32::try_from(count).unwrap_or(u32::MAX);
    match places.clone().try_acquire_many_owned(count) {
        Ok(permit) => Ok(Held(Some(permit))),
        Err(_) => Err(ServiceError::Quota {
            what,
            retry_after: RETRY_AFTER,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_refused<T>(result: Result<T, ServiceError>, about: &str) -> bool {
        matches!(result, Err(ServiceError::Quota { what, .. }) if what == about)
    }

    #[test]
    fn places_come_back() {
        let quota = Quota::new(Limits {
            positions_in_flight: Some(10),
            streams: Some(1),
            ..Limits::default()
        });
        let mut held = quota.take(4, 0).unwrap();
        held.join(quota.take(6, 0).unwrap());
        assert!(is_refused(quota.take(1, 0), "positions in flight"));
        drop(held);
        assert!(quota.take(10, 0).is_ok());
        let never = quota.take(10, 1).unwrap_err();
        let told = "`11`: this caller may have 10 in flight in all";
        assert!(never.to_string().contains(told), "{never}");
        let stream = quota.open_stream().unwrap();
        assert!(is_refused(quota.open_stream(), "streams"));
        drop(stream);
        assert!(quota.open_stream().is_ok());
    }

    #[test]
    fn a_great_message_is_paid_off_before_the_next() {
        let quota = Quota::new(Limits {
            positions_per_second: Some(10),
            ..Limits::default()
        });
        drop(quota.take(600, 0).unwrap());
        match quota.take(1, 0) {
            Err(ServiceError::Quota {
                retry_after: wait, ..
            }) => assert!(wait > Duration::from_secs(50) && wait <= LONGEST_WAIT, "{wait:?}"),
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn streams_wait_for_their_rate() {
        let quota = Quota::new(Limits {
            positions_per_second: Some(100),
            ..Limits::default()
        });
        let begun = Instant::now();
        for _ in 0..3 {
            drop(quota.take_when_free(60).await);
        }
        // 180 positions of which 100 may come at once; the last ones come on credit.
        assert!(
            begun.elapsed() >= Duration::from_millis(150),
            "{:?}",
            begun.elapsed()
        );
    }

    #[test]
    fn no_limits_refuse_nothing() {
        let quota = Quota::new(Limits::default());
        let all: Vec<_> = (0..1000)
            .map(|_| (quota.take(1000, 0), quota.open_stream()))
            .collect();
        assert!(
            all.iter()
                .all(|(positions, stream)| positions.is_ok() && stream.is_ok())
        );
    }
}
