use std::{sync::Arc, time::Duration};

use tabiya_api::{error::ServiceError, v1};
use tabiya_evaluator::{
    PackedPosition,
    batch::{BackendChoice, BatchError, BatchEvaluator, LaneKind, Reply, ReplySink},
};
use tokio::sync::{Mutex, Notify, oneshot, watch};

use crate::{
    compute::{Class, DrainRate},
    metrics::{Metrics, Shed},
};

/// Longest time after which whoever waits for room looks for it.
const LONGEST_WAIT: Duration = Duration::from_millis(50);

/// A call that waits for its evaluations. When it has gone, they are not made.
struct Waiting {
    sender: oneshot::Sender<Result<Reply, BatchError>>,
    room: Arc<Notify>,
    rate: Arc<DrainRate>,
    metrics: Arc<Metrics>,
}

impl ReplySink for Waiting {
    fn is_wanted(&self) -> bool {
        !self.sender.is_closed()
    }

    fn deliver(self: Box<Self>, reply: Result<Reply, BatchError>) {
        let positions = reply.as_ref().map_or(0, |reply| reply.values.len());
        self.rate.note(positions);
        if self.sender.send(reply).is_err() {
            self.metrics.eval_abandoned.add(positions as u64);
        }
        self.room.notify_one();
    }
}

/// Evaluations in batches. The evaluator behind it opens while the server already serves: a driver may take its time.
#[derive(Clone, Debug)]
pub(crate) struct Batches {
    /// The network's name.
    network: Arc<str>,
    opened: watch::Sender<Opening>,
    /// How fast positions leave.
    rate: Arc<DrainRate>,
    metrics: Arc<Metrics>,
    /// Told of every reply: there may be room.
    room: Arc<Notify>,
    /// Held by the one who looks for room.
    turn: Arc<Mutex<()>>,
}

#[derive(Clone, Debug)]
enum Opening {
    Pending,
    Open(Arc<BatchEvaluator>),
    Failed(String),
}

impl Batches {
    pub(super) fn new(network: &str, metrics: &Arc<Metrics>) -> Self {
        Self {
            network: network.into(),
            opened: watch::Sender::new(Opening::Pending),
            rate: Arc::default(),
            metrics: metrics.clone(),
            room: Arc::default(),
            turn: Arc::default(),
        }
    }

    pub(super) fn open(&self, outcome: Result<Arc<BatchEvaluator>, String>) {
        self.opened.send_replace(match outcome {
            Ok(evaluator) => Opening::Open(evaluator),
            Err(reason) => Opening::Failed(reason),
        });
    }

    pub(super) fn close(&self) {
        if let Opening::Open(evaluator) = self.opened.send_replace(Opening::Failed("closed".into())) {
            evaluator.close();
        }
    }

    /// The evaluator, once it is open.
    ///
    /// # Errors
    /// INTERNAL if it could not be opened.
    pub(crate) async fn ready(&self) -> Result<Arc<BatchEvaluator>, ServiceError> {
        let mut receiver = self.opened.subscribe();
        let opening = receiver
            .wait_for(|opening| !matches!(opening, Opening::Pending))
            .await;
        match opening.as_deref() {
            Ok(Opening::Open(evaluator)) => Ok(evaluator.clone()),
            Ok(Opening::Failed(reason)) => Err(ServiceError::Internal(format!(
                "no evaluator for network {}: {reason}",
                self.network
            ))),
            Ok(Opening::Pending) | Err(_) => Err(ServiceError::ShuttingDown),
        }
    }

    /// The evaluator, if it is open.
    pub(crate) fn now(&self) -> Option<Arc<BatchEvaluator>> {
        match &*self.opened.borrow() {
            Opening::Open(evaluator) => Some(evaluator.clone()),
            Opening::Pending | Opening::Failed(_) => None,
        }
    }

    /// Whether the evaluator is open, or will not be.
    pub(crate) fn state(&self) -> &'static str {
        match &*self.opened.borrow() {
            Opening::Pending => "starting",
            Opening::Open(_) => "ready",
            Opening::Failed(_) => "failed",
        }
    }

    /// Evaluates positions on the backend asked for.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED when the queue is full; FAILED_PRECONDITION if a GPU is asked for and none works.
    pub(crate) async fn evaluate(
        &self,
        backend: v1::Backend,
        positions: Vec<PackedPosition>,
    ) -> Result<Reply, ServiceError> {
        let submitted = self.submit(backend, positions).await.inspect_err(|error| {
            if matches!(error, ServiceError::Overloaded { .. }) {
                self.metrics.class(Class::Interactive).shed(Shed::QueueFull);
            }
        });
        self.reply(submitted?, Class::Interactive).await
    }

    /// Evaluates positions once there is room for them: back-pressure for streams.
    ///
    /// # Errors
    /// FAILED_PRECONDITION if a GPU is asked for and none works.
    pub(crate) async fn evaluate_when_free(
        &self,
        backend: v1::Backend,
        positions: Vec<PackedPosition>,
    ) -> Result<Reply, ServiceError> {
        let submitted = {
            // Whoever came first is served first.
            let _turn = self.turn.lock().await;
            loop {
                match self.submit(backend, positions.clone()).await {
                    Err(ServiceError::Overloaded { .. }) => {
                        // What is evaluated for a caller who has gone makes room without a word.
                        let _ = tokio::time::timeout(LONGEST_WAIT, self.room.notified()).await;
                    }
                    outcome => break outcome?,
                }
            }
        };
        self.reply(submitted, Class::Bulk).await
    }

    async fn submit(
        &self,
        backend: v1::Backend,
        positions: Vec<PackedPosition>,
    ) -> Result<Submitted, ServiceError> {
        let evaluator = self.ready().await?;
        let (sender, receiver) = oneshot::channel();
        let sink = Waiting {
            sender,
            room: self.room.clone(),
            rate: self.rate.clone(),
            metrics: self.metrics.clone(),
        };
        evaluator
            .submit_to(choice(backend), positions, Box::new(sink))
            .map_err(|error| self.service_error(error))?;
        Ok(receiver)
    }

    async fn reply(&self, submitted: Submitted, class: Class) -> Result<Reply, ServiceError> {
        let reply = submitted
            .await
            .map_err(|_| ServiceError::ShuttingDown)?
            .map_err(|error| self.service_error(error))?;
        let work = self.metrics.class(class);
        work.eval_queue.observe(reply.queue_time);
        work.eval_compute.observe(reply.compute_time);
        Ok(reply)
    }

    fn service_error(&self, error: BatchError) -> ServiceError {
        match error {
            BatchError::QueueFull { waiting, .. } => ServiceError::Overloaded {
                waiting,
                retry_after: self.rate.time_for(waiting),
            },
            BatchError::TooLarge { positions, capacity } => {
                let reason = format!("the queue holds {capacity} positions in all");
                ServiceError::invalid("positions", &positions.to_string(), reason)
            }
            BatchError::NoDevice(reason) => ServiceError::FailedPrecondition(format!("no gpu: {reason}")),
            BatchError::Closed => ServiceError::ShuttingDown,
            other => ServiceError::Internal(other.to_string()),
        }
    }
}

/// The claim to the values of positions that are in the queue.
type Submitted = oneshot::Receiver<Result<Reply, BatchError>>;

fn choice(backend: v1::Backend) -> BackendChoice {
    match backend {
        v1::Backend::Unspecified | v1::Backend::Auto => BackendChoice::Auto,
        v1::Backend::Cpu => BackendChoice::Cpu,
        v1::Backend::Gpu => BackendChoice::Gpu,
        v1::Backend::Scalar => BackendChoice::Scalar,
    }
}

/// The backend that served, in the words of the contract.
pub(crate) fn served(lane: LaneKind) -> v1::Backend {
    match lane {
        LaneKind::Cpu => v1::Backend::Cpu,
        LaneKind::Device => v1::Backend::Gpu,
        LaneKind::Scalar => v1::Backend::Scalar,
    }
}

#[cfg(test)]
mod tests {
    use tabiya_evaluator::{Network, batch::BatchOptions, pack};
    use tabiya_rules::Board;

    use super::*;

    #[tokio::test]
    async fn nothing_is_evaluated_for_a_caller_who_has_gone() {
        let options = BatchOptions {
            backend: BackendChoice::Cpu,
            ..BatchOptions::default()
        };
        let evaluator = BatchEvaluator::start(&Network::default_network(), &options).unwrap();
        let evaluator = Arc::new(evaluator);
        let batches = Batches::new("n", &Arc::new(Metrics::new()));
        batches.open(Ok(evaluator.clone()));

        let positions = vec![pack(&Board::startpos()); 1000];
        let held = evaluator.hold();
        let gone = tokio::spawn({
            let (batches, positions) = (batches.clone(), positions.clone());
            async move { batches.evaluate(v1::Backend::Cpu, positions).await }
        });
        while evaluator.counters().waiting == 0 {
            tokio::task::yield_now().await;
        }
        gone.abort();
        assert!(gone.await.is_err());
        drop(held);
        let reply = batches.evaluate(v1::Backend::Cpu, positions).await.unwrap();
        assert_eq!(reply.values.len(), 1000);
        assert_eq!(evaluator.counters().abandoned, 1000);
    }
}
