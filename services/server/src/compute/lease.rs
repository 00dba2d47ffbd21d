use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use tabiya_search::Helper;

use super::{Pool, pool::Shared};

/// A thread of a pool that rests, so that a search may start one in its place. Dropping it gives it back.
///
/// It is called back as soon as work waits that no other thread is free for: a search on many threads takes none from
/// anybody.
pub(crate) struct Lent {
    shared: Arc<Shared>,
    recalled: Arc<AtomicBool>,
}

impl fmt::Debug for Lent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lent").finish_non_exhaustive()
    }
}

impl Pool {
    /// Lends threads that have nothing to do: at most so many, perhaps none. It never waits.
    pub(crate) fn lend(&self, most: usize) -> Vec<Lent> {
        if most == 0 {
            return Vec::new();
        }
        let mut state = self.shared.lock();
        let count = most.min(self.shared.free(&state));
        let lent = || Lent {
            shared: self.shared.clone(),
            recalled: Arc::default(),
        };
        let lent: Vec<_> = (0..count).map(|_| lent()).collect();
        state.lent.extend(lent.iter().map(|one| one.recalled.clone()));
        lent
    }
}

impl Helper for Lent {
    fn is_called_away(&self) -> bool {
        self.recalled.load(Ordering::Relaxed)
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        self.shared
            .lock()
            .lent
            .retain(|recalled| !Arc::ptr_eq(recalled, &self.recalled));
        self.shared.wake();
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::mpsc, time::Duration};

    use super::*;
    use crate::{compute::Class, metrics::Metrics};

    #[tokio::test]
    async fn only_idle_threads_are_lent_and_come_back_for_work() {
        let pool = Pool::start("test", 3, 10, Class::Bulk, &Arc::new(Metrics::new())).unwrap();
        let (release, held) = mpsc::channel::<()>();
        let (begun, has_begun) = mpsc::channel();
        let busy = pool.submit(1, move || {
            begun.send(()).unwrap();
            let _ = held.recv();
        });
        has_begun.recv().unwrap();
        assert!(pool.lend(0).is_empty());
        let mut lent = pool.lend(10);
        assert_eq!(lent.len(), 2);
        assert!(pool.lend(1).is_empty());
        assert!(lent.iter().all(|one| !one.is_called_away()));
        // Work calls back as many as it needs, and waits until they come.
        let mut first = pool.submit(1, || 1).unwrap();
        assert_eq!(lent.iter().filter(|one| one.is_called_away()).count(), 1);
        let second = pool.submit(1, || 2).unwrap();
        assert!(lent.iter().all(Helper::is_called_away));
        let early = tokio::time::timeout(Duration::from_millis(50), &mut first).await;
        assert!(early.is_err(), "work ran on a thread that is lent");
        lent.pop();
        assert_eq!(first.await.unwrap().value, 1);
        assert_eq!(second.await.unwrap().value, 2);
        drop(lent);
        drop(release);
        busy.unwrap().await.unwrap();
        let all = pool.lend(3);
        assert_eq!((all.len(), pool.lend(1).len()), (3, 0));
    }
}
