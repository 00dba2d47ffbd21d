//! Peers that stop reading: HTTP/2 would keep their answers, and the work behind them, for as long as they like.

use std::{
    future::poll_fn,
    pin::{Pin, pin},
    sync::{
        Arc, LazyLock,
        atomic::{AtomicU64, Ordering},
    },
    task::Poll,
    time::{Duration, Instant},
};

use tokio::time::{Sleep, sleep_until};

tokio::task_local! {
    /// The reader of the task that this runs in.
    static READER: Arc<Reader>;
}

static BEGINNING: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Whether the peer takes what it is sent.
///
/// A body whose part was handed out is asked for the next one as soon as the peer has room for it: as long as it is not
/// asked, the peer does not read.
#[derive(Debug, Default)]
pub(super) struct Reader {
    /// When a part was handed out that nobody came back from, in milliseconds since [`BEGINNING`], plus one; else 0.
    handed: AtomicU64,
}

impl Reader {
    /// The reader of the answer that this task sends.
    pub(super) fn current() -> Option<Arc<Self>> {
        READER.try_with(Clone::clone).ok()
    }

    /// A part was handed out.
    pub(super) fn hand(&self) {
        let millis = BEGINNING.elapsed().as_millis() as u64;
        self.handed.store(millis + 1, Ordering::Relaxed);
    }

    /// The next part was asked for, or there is none.
    pub(super) fn ask(&self) {
        self.handed.store(0, Ordering::Relaxed);
    }

    /// When a part was handed out that is still on its way.
    fn waits_since(&self) -> Option<Instant> {
        let millis = self.handed.load(Ordering::Relaxed).checked_sub(1)?;
        Some(*BEGINNING + Duration::from_millis(millis))
    }
}

/// Runs the tasks of a connection, and ends one whose peer has not read for so long: that resets its stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watchdog {
    patience: Duration,
}

impl Watchdog {
    pub(crate) fn new(patience: Duration) -> Self {
        Self { patience }
    }

    /// Watches a future in which answers are sent; `None` if it was ended.
    pub(crate) async fn watch<F: Future>(self, future: F) -> Option<F::Output> {
        let reader = Arc::new(Reader::default());
        let mut inner = pin!(READER.scope(reader.clone(), future));
        let mut timer: Option<(Instant, Pin<Box<Sleep>>)> = None;
        poll_fn(|cx| {
            if let Poll::Ready(output) = inner.as_mut().poll(cx) {
                return Poll::Ready(Some(output));
            }
            let Some(since) = reader.waits_since() else {
                return Poll::Pending;
            };
            let at = (since + self.patience).into();
            let (timed, sleep) = timer.get_or_insert_with(|| (since, Box::pin(sleep_until(at))));
            if *timed != since {
                *timed = since;
                sleep.as_mut().reset(at);
            }
            sleep.as_mut().poll(cx).map(|()| None)
        })
        .await
    }
}

impl<F> hyper::rt::Executor<F> for Watchdog
where
    F: Future + Send + 'static,
    F::Output: Send,
{
    fn execute(&self, future: F) {
        let watch = self.watch(future);
        tokio::spawn(async move {
            if watch.await.is_none() {
                tracing::warn!("cut an answer whose reader has stopped reading");
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Duration = Duration::from_millis(50);

    #[tokio::test]
    async fn a_task_ends_when_nobody_comes_back_for_more() {
        let stalled = Watchdog::new(PATIENCE).watch(async {
            Reader::current().expect("a reader").hand();
            std::future::pending::<()>().await;
        });
        let ended = tokio::time::timeout(Duration::from_secs(60), stalled).await;
        assert_eq!(ended.expect("an end"), None);
    }

    #[tokio::test]
    async fn whoever_computes_long_or_reads_slowly_is_left_alone() {
        let slow = Watchdog::new(PATIENCE).watch(async {
            let reader = Reader::current().expect("a reader");
            tokio::time::sleep(3 * PATIENCE).await;
            for _ in 0..20 {
                reader.hand();
                tokio::time::sleep(PATIENCE / 10).await;
                reader.ask();
            }
            7
        });
        assert_eq!(slow.await, Some(7));
        assert!(Reader::current().is_none());
    }
}
