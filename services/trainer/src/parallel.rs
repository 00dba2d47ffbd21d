//! Work on both halves of a slice at a time.

use std::thread;

/// `work` on two halves of `items`, each on a thread; the results in order.
pub(crate) fn map_chunks<T: Sync, R: Send>(items: &[T], work: impl Fn(&[T]) -> R + Sync) -> Vec<R> {
    let half = items.len().div_ceil(2).max(1);
    thread::scope(|scope| {
        let workers: Vec<_> = items
            .chunks(half)
            .map(|part| scope.spawn(|| work(part)))
            .collect();
        workers.into_iter().map(join).collect()
    })
}

/// A worker's result; its panic goes on in this thread.
pub(crate) fn join<T>(worker: thread::ScopedJoinHandle<'_, T>) -> T {
    worker
        .join()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
