//! Work that may be long: on a compute thread, and stopped when nobody waits for it any more.

use std::sync::{Arc, atomic::AtomicBool};

use tabiya_api::error::ServiceError;
use tonic::{Response, Status};

use super::Context;
use crate::{
    compute::{Pool, StopGuard},
    engine::Engine,
};

/// Does work on a thread of `pool`. Its flag is raised once the caller has gone, the deadline has passed or the call has
/// taken the longest time that one may.
pub(super) async fn work<T: Send + 'static>(
    engine: &Engine,
    pool: &Pool,
    context: &Context,
    work: impl FnOnce(&Arc<AtomicBool>) -> Result<T, ServiceError> + Send + 'static,
) -> Result<Response<T>, Status> {
    context.stats.add_positions(1);
    // Dropped with this future, which the edge drops at the deadline.
    let guard = StopGuard::default();
    let stop = guard.flag();
    let ticket = pool.submit(1, move || work(&stop))?;
    let timed = tokio::time::timeout(engine.longest_call, ticket)
        .await
        .map_err(|_| ServiceError::DeadlineExceeded)??;
    context.stats.add_times(timed.queue_time, timed.compute_time);
    Ok(Response::new(timed.value?))
}
