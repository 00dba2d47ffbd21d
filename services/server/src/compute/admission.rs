use std::sync::Arc;

use tabiya_api::error::ServiceError;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{Class, drain_rate::DrainRate};
use crate::metrics::{Metrics, Shed};

/// Who may come in: all calls of a class share one number of positions, whatever they ask for.
#[derive(Clone, Debug)]
pub(crate) struct Admission {
    interactive: Arc<Gate>,
    bulk: Arc<Gate>,
}

/// The positions of one class.
#[derive(Debug)]
pub(crate) struct Gate {
    class: Class,
    limit: usize,
    places: Arc<Semaphore>,
    rate: DrainRate,
    metrics: Arc<Metrics>,
}

/// Positions that are in, until this is dropped.
#[derive(Debug)]
pub(crate) struct Admitted {
    gate: Arc<Gate>,
    places: OwnedSemaphorePermit,
}

impl Admission {
    /// Admits so many positions of waiting callers and of bulk streams at once.
    pub(crate) fn new(interactive: usize, bulk: usize, metrics: &Arc<Metrics>) -> Self {
        let gate = |class, limit| {
            Arc::new(Gate {
                class,
                limit,
                places: Arc::new(Semaphore::new(limit)),
                rate: DrainRate::default(),
                metrics: metrics.clone(),
            })
        };
        Self {
            interactive: gate(Class::Interactive, interactive),
            bulk: gate(Class::Bulk, bulk),
        }
    }

    /// The gate of a class.
    pub(crate) fn gate(&self, class: Class) -> &Arc<Gate> {
        match class {
            Class::Interactive => &self.interactive,
            Class::Bulk => &self.bulk,
        }
    }
}

impl Gate {
    /// Lets positions in, or refuses them when there is no room.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED without room; INVALID_ARGUMENT for what could never come in.
    pub(crate) fn admit(self: &Arc<Self>, positions: usize) -> Result<Admitted, ServiceError> {
        let permits = self.permits(positions)?;
        match self.places.clone().try_acquire_many_owned(permits) {
            Ok(places) => Ok(Admitted {
                gate: self.clone(),
                places,
            }),
            Err(_) => Err(self.full()),
        }
    }

    /// Lets positions in once there is room, in the order in which they came: back-pressure for streams. More than
    /// the gate ever lets in counts as that much.
    ///
    /// # Errors
    /// UNAVAILABLE when the server ends.
    pub(crate) async fn admit_when_free(
        self: &Arc<Self>,
        positions: usize,
    ) -> Result<Admitted, ServiceError> {
        let permits = positions.min(self.limit) as u32;
        match self.places.clone().acquire_many_owned(permits).await {
            Ok(places) => Ok(Admitted {
                gate: self.clone(),
                places,
            }),
            Err(_) => Err(ServiceError::ShuttingDown),
        }
    }

    /// Positions that are in.
    pub(crate) fn taken(&self) -> usize {
        self.limit - self.places.available_permits()
    }

    /// Positions that may be in at once.
    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// Positions that left a second, of late.
    pub(crate) fn rate(&self) -> Option<f64> {
        self.rate.per_second()
    }

    fn permits(&self, positions: usize) -> Result<u32, ServiceError> {
        if positions > self.limit {
            let reason = format!("the server takes {} positions at once in all", self.limit);
            return Err(ServiceError::invalid("positions", &positions.to_string(), reason));
        }
        // No limit is beyond 32 bits.
        Ok(positions as u32)
    }

    fn full(&self) -> ServiceError {
        self.metrics.class(self.class).shed(Shed::QueueFull);
        let waiting = self.taken();
        ServiceError::Overloaded {
            waiting,
            retry_after: self.rate.time_for(waiting),
        }
    }
}

impl Admitted {
    /// Has so many positions of the same call in all let in; never fewer than there are.
    ///
    /// # Errors
    /// As [`Gate::admit`]; what was in stays in.
    pub(crate) fn grow_to(&mut self, positions: usize) -> Result<(), ServiceError> {
        let more = positions.saturating_sub(self.places.num_permits());
        self.gate.permits(positions)?;
        match self.gate.places.clone().try_acquire_many_owned(more as u32) {
            Ok(places) => {
                self.places.merge(places);
                Ok(())
            }
            Err(_) => Err(self.gate.full()),
        }
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        self.gate.rate.note(self.places.num_permits());
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn admission(interactive: usize, bulk: usize) -> Admission {
        Admission::new(interactive, bulk, &Arc::new(Metrics::new()))
    }

    #[test]
    fn positions_are_counted_and_come_back() {
        let admission = admission(10, 1);
        let gate = admission.gate(Class::Interactive);
        let mut first = gate.admit(1).unwrap();
        first.grow_to(6).unwrap();
        let second = gate.admit(4).unwrap();
        assert_eq!(gate.taken(), 10);
        let refusal = gate.admit(1).unwrap_err();
        assert!(
            matches!(refusal, ServiceError::Overloaded { waiting: 10, retry_after } if retry_after >= Duration::from_millis(50)),
            "{refusal:?}"
        );
        assert!(matches!(first.grow_to(7), Err(ServiceError::Overloaded { .. })));
        assert_eq!(gate.taken(), 10);
        drop(second);
        first.grow_to(10).unwrap();
        drop(first);
        assert_eq!(gate.taken(), 0);
        // The other class has its own.
        assert_eq!(admission.gate(Class::Bulk).taken(), 0);
    }

    #[test]
    fn what_can_never_come_in_is_the_callers_mistake() {
        let admission = admission(10, 10);
        let gate = admission.gate(Class::Interactive);
        assert!(matches!(gate.admit(11), Err(ServiceError::Invalid(_))));
        let mut ten = gate.admit(10).unwrap();
        assert!(matches!(ten.grow_to(11), Err(ServiceError::Invalid(_))));
    }

    #[tokio::test]
    async fn streams_wait_for_room() {
        let admission = admission(1, 10);
        let gate = admission.gate(Class::Bulk);
        let first = gate.admit_when_free(100).await.unwrap();
        assert_eq!(gate.taken(), 10);
        let waiting = tokio::spawn({
            let gate = gate.clone();
            async move { gate.admit_when_free(3).await.map(|_admitted| gate.taken()) }
        });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        drop(first);
        assert_eq!(waiting.await.unwrap().unwrap(), 3);
        assert_eq!(gate.taken(), 0);
    }
}
