use std::{pin::Pin, time::Duration};

use tabiya_api::error::ServiceError;
use tonic::Status;

use super::Deadline;
use crate::phase::{Lifecycle, Phase};

/// How long calls may still answer in their own words after the server has begun to stop.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Completes with the status that ends a call which did not end by itself.
pub(super) type Overdue = Pin<Box<dyn Future<Output = Status> + Send>>;

/// A call is overdue at its deadline, and when the server is about to cut it: then its caller hears so.
pub(super) fn overdue(deadline: Option<Deadline>, lifecycle: &Lifecycle) -> Overdue {
    let stopping = lifecycle.reached(Phase::Stopping);
    Box::pin(async move {
        let late = async {
            match deadline {
                Some(Deadline(at)) => tokio::time::sleep_until(at.into()).await,
                None => std::future::pending().await,
            }
        };
        let ended = async {
            stopping.await;
            tokio::time::sleep(LAST_WORDS).await;
        };
        tokio::select! {
            biased;
            () = late => ServiceError::DeadlineExceeded.into(),
            () = ended => ServiceError::ShuttingDown.into(),
        }
    })
}
