use std::sync::Arc;

use tokio::sync::{Mutex, OwnedMutexGuard, OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock};

/// The workers of one process, which die together. A task that may end its process is tried with none of the others at
/// work, so that a death can be told to be its doing.
#[derive(Clone, Debug, Default)]
pub struct Company {
    /// Held by the one that asks for a task: what one takes is known before the next asks.
    asking: Arc<Mutex<()>>,
    /// Shared by those at work; one who needs to be alone has it for himself.
    at_work: Arc<RwLock<()>>,
}

/// The right to ask for a task. While it is kept, nobody else of the process takes any.
pub(crate) type Asking = OwnedMutexGuard<()>;

/// A place among those at work.
pub(crate) enum Place {
    Among(#[expect(dead_code, reason = "held")] OwnedRwLockReadGuard<()>),
    Alone(
        #[expect(dead_code, reason = "held")] OwnedRwLockWriteGuard<()>,
        #[expect(dead_code, reason = "held")] Asking,
    ),
}

impl Company {
    pub(crate) async fn ask(&self) -> Asking {
        self.asking.clone().lock_owned().await
    }

    /// A place beside others. It is there at once: nobody can be alone while somebody else has the right to ask.
    pub(crate) async fn among(&self, asking: Asking) -> Place {
        let place = self.at_work.clone().read_owned().await;
        drop(asking);
        Place::Among(place)
    }

    /// Waits until all others are done; they take nothing new.
    pub(crate) async fn alone(&self, asking: Asking) -> Place {
        Place::Alone(self.at_work.clone().write_owned().await, asking)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn one_that_is_alone_waits_for_the_others_and_is_waited_for() {
        let company = Company::default();
        let first = company.ask().await;
        let among = company.among(first).await;
        let second = company.ask().await;
        let mut alone = std::pin::pin!(company.alone(second));
        assert!((&mut alone).now_or_never().is_none(), "another one is at work");
        assert!(
            company.ask().now_or_never().is_none(),
            "nobody takes anything new"
        );
        drop(among);
        let alone = alone.await;
        assert!(company.ask().now_or_never().is_none());
        drop(alone);
        let third = company.ask().await;
        company.among(third).now_or_never().expect("at once");
    }
}
