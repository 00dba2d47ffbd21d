use futures_util::stream::BoxStream;
use tabiya_api::v1;

use crate::{Fault, Pins};

/// What is heard of requests on their way.
#[expect(
    clippy::large_enum_variant,
    reason = "half of the news are answers, and none is kept"
)]
#[derive(Clone, Debug, PartialEq)]
pub enum News {
    /// The search for the request with this `id` begins: what it takes from here on is its own time. Until then it waits
    /// behind others, for as long as those take.
    Begun(String),
    /// An answer.
    Answer(v1::BatchAnalyzeResponse),
}

/// Answers as they finish, in any order. Dropping it stops the work.
pub type Answers = BoxStream<'static, Result<News, Fault>>;

/// What a worker searches with: the engine in its own process, or one behind an endpoint.
#[async_trait::async_trait]
pub trait Compute: Send + Sync + 'static {
    /// What the answers come from at this moment: one set of pins for each network, that of the default first.
    ///
    /// # Errors
    /// If the engine cannot be asked.
    async fn pins(&self) -> Result<Vec<Pins>, Fault>;

    /// Whether a GPU works here, at this moment.
    ///
    /// # Errors
    /// If the engine cannot be asked.
    async fn has_gpu(&self) -> Result<bool, Fault> {
        Ok(false)
    }

    /// Searches. Each request has exactly one answer with its `id`, or the stream ends with a fault. An engine that knows
    /// when a search begins says so before its answer; of one that does not, no search is ever thought stuck.
    fn analyse(&self, requests: Vec<v1::BatchAnalyzeRequest>) -> Answers;
}
