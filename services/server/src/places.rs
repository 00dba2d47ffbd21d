use std::{io::Error, sync::Arc};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Connections beyond the limit that are told so at once; those after them wait to be accepted.
const BEYOND: usize = 64;

/// How many connections a port may have.
#[derive(Debug)]
pub(crate) struct Places {
    served: Arc<Semaphore>,
    beyond: Arc<Semaphore>,
}

/// A connection's place, until this is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    _held: OwnedSemaphorePermit,
    is_beyond: bool,
}

impl Places {
    /// Places for so many connections, and some for those beyond.
    pub(crate) fn new(connections: usize) -> Self {
        Self {
            served: Arc::new(Semaphore::new(connections)),
            beyond: Arc::new(Semaphore::new(BEYOND)),
        }
    }

    /// Waits for any place, the better one first.
    ///
    /// # Errors
    /// None: nobody closes the semaphores.
    pub(crate) async fn take(&self) -> Result<Place, Error> {
        let (served, beyond) = (self.served.clone(), self.beyond.clone());
        tokio::select! {
            biased;
            held = served.acquire_owned() => held.map(Place::served),
            held = beyond.acquire_owned() => held.map(Place::beyond),
        }
        .map_err(Error::other)
    }

    /// A better place, if there is one by now.
    pub(crate) fn better(&self, place: Place) -> Place {
        match self.served.clone().try_acquire_owned() {
            Ok(held) if place.is_beyond => Place::served(held),
            _ => place,
        }
    }
}

impl Place {
    fn served(_held: OwnedSemaphorePermit) -> Self {
        Self {
            _held,
            is_beyond: false,
        }
    }

    fn beyond(_held: OwnedSemaphorePermit) -> Self {
        Self {
            _held,
            is_beyond: true,
        }
    }

    /// Whether the connection is one too many: its calls are refused.
    pub(crate) fn is_beyond(&self) -> bool {
        self.is_beyond
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_better_place_comes_first_and_comes_back() {
        let places = Places::new(1);
        let first = places.take().await.unwrap();
        assert!(!first.is_beyond());
        let second = places.take().await.unwrap();
        assert!(second.is_beyond());
        let second = places.better(second);
        assert!(second.is_beyond());
        drop(first);
        let second = places.better(second);
        assert!(!second.is_beyond());
        let beyond: Vec<_> = (0..BEYOND)
            .map(|_| places.beyond.clone().try_acquire_owned())
            .collect();
        assert!(
            beyond.iter().all(Result::is_ok),
            "the one that became better holds a place twice"
        );
        // None is left, until one comes back.
        let mut waiting = std::pin::pin!(places.take());
        tokio::select! {
            biased;
            _ = &mut waiting => panic!("a place too many"),
            () = std::future::ready(()) => {}
        }
        drop(beyond);
        assert!(waiting.await.unwrap().is_beyond());
    }
}
