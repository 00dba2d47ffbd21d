use futures_util::stream::BoxStream;
use tabiya_api::v1;

use crate::{Fault, Pins};

/// Answers as they finish, in any order. Dropping it stops the work.
pub type Answers = BoxStream<'static, Result<v1::BatchAnalyzeResponse, Fault>>;

/// What a worker searches with: the engine in its own process, or one behind an endpoint.
#[async_trait::async_trait]
pub trait Compute: Send + Sync + 'static {
    /// What the answers come from at this moment.
    ///
    /// # Errors
    /// If the engine cannot be asked.
    async fn pins(&self) -> Result<Pins, Fault>;

    /// Searches. Each request has exactly one answer with its `id`, or the stream ends with a fault.
    fn analyse(&self, requests: Vec<v1::BatchAnalyzeRequest>) -> Answers;
}
