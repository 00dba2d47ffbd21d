use std::{sync::Arc, time::Duration};

use tabiya_api::{error::ServiceError, v1};
use tabiya_evaluator::{
    PackedPosition,
    batch::{BackendChoice, BatchError, BatchEvaluator, LaneKind, Reply},
};
use tokio::sync::{oneshot, watch};

/// Evaluations in batches. The evaluator behind it opens while the server already serves: a driver may take its time.
#[derive(Clone, Debug)]
pub(crate) struct Batches {
    opened: watch::Sender<Opening>,
}

#[derive(Clone, Debug)]
enum Opening {
    Pending,
    Open(Arc<BatchEvaluator>),
    Failed(String),
}

impl Batches {
    pub(super) fn new() -> Self {
        Self {
            opened: watch::Sender::new(Opening::Pending),
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
            Ok(Opening::Failed(reason)) => Err(ServiceError::Internal(format!("no evaluator: {reason}"))),
            Ok(Opening::Pending) | Err(_) => Err(ServiceError::ShuttingDown),
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
        let evaluator = self.ready().await?;
        let (sender, receiver) = oneshot::channel();
        let sink = move |reply: Result<Reply, BatchError>| {
            // The caller may have gone.
            let _ = sender.send(reply);
        };
        evaluator
            .submit_to(choice(backend), positions, Box::new(sink))
            .map_err(service_error)?;
        receiver
            .await
            .map_err(|_| ServiceError::ShuttingDown)?
            .map_err(service_error)
    }
}

impl Batches {
    /// Evaluates positions once there is room for them: back-pressure for streams.
    ///
    /// # Errors
    /// FAILED_PRECONDITION if a GPU is asked for and none works.
    pub(crate) async fn evaluate_when_free(
        &self,
        backend: v1::Backend,
        positions: Vec<PackedPosition>,
    ) -> Result<Reply, ServiceError> {
        let mut pause = Duration::from_millis(1);
        loop {
            match self.evaluate(backend, positions.clone()).await {
                Err(ServiceError::Overloaded { .. }) => {
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(Duration::from_millis(50));
                }
                outcome => return outcome,
            }
        }
    }
}

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

fn service_error(error: BatchError) -> ServiceError {
    /// A slow backend does this much in a millisecond.
    const POSITIONS_A_MILLISECOND: u64 = 100;

    match error {
        BatchError::QueueFull { waiting, .. } => {
            let millis = (waiting as u64 / POSITIONS_A_MILLISECOND).clamp(50, 10_000);
            ServiceError::Overloaded {
                waiting,
                retry_after: Duration::from_millis(millis),
            }
        }
        BatchError::TooLarge { positions, capacity } => {
            let reason = format!("the queue holds {capacity} positions in all");
            ServiceError::invalid("positions", &positions.to_string(), reason)
        }
        BatchError::NoDevice(reason) => ServiceError::FailedPrecondition(format!("no gpu: {reason}")),
        BatchError::Closed => ServiceError::ShuttingDown,
        other => ServiceError::Internal(other.to_string()),
    }
}
