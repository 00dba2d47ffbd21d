use std::{
    cell::Cell,
    sync::{Arc, atomic::AtomicBool},
};

use tabiya_api::{convert::SearchQuestion, error::ServiceError, v1};
use tabiya_evaluator::{
    AnyKernel, CpuEvaluator, Kernel, KernelVisitor, Network,
    batch::{BatchError, BatchEvaluator},
    dispatch,
    kernel::Scalar,
};
use tabiya_search::{Iteration, Limits, SearchResult, Searcher, Team};

use super::leaf::{BatchCount, LeafEvaluator};
use crate::compute::Lent;

/// Where a search takes its evaluations from.
#[derive(Clone, Debug)]
pub(crate) enum Seat {
    /// A kernel, in place.
    Kernel(AnyKernel),
    /// The GPU, by way of the batch evaluator.
    Device(Arc<BatchEvaluator>),
}

/// What a search may use besides its own thread.
#[derive(Default)]
pub(crate) struct Means<'a> {
    /// Threads that rest, for it to start others in their place.
    pub(crate) helpers: Vec<Lent>,
    /// Tables with what earlier searches left in them; new ones are used otherwise.
    pub(crate) tables: Option<&'a mut Searcher>,
}

/// What a search found, and how its evaluations travelled.
#[derive(Debug)]
pub(crate) struct Sought {
    pub(crate) result: SearchResult,
    pub(crate) mean_batch: f64,
}

/// Hears of each finished iteration, and of the mean batch so far.
pub(crate) type OnIteration<'a> = &'a mut dyn FnMut(&Iteration<'_>, f64);

impl Seat {
    /// The reference kernel.
    pub(crate) fn scalar() -> Self {
        Self::Kernel(AnyKernel::Scalar(Scalar))
    }

    /// The value of `Backend` that this is.
    pub(crate) fn backend(&self) -> v1::Backend {
        match self {
            Self::Kernel(AnyKernel::Scalar(_)) => v1::Backend::Scalar,
            Self::Kernel(_) => v1::Backend::Cpu,
            Self::Device(_) => v1::Backend::Gpu,
        }
    }

    /// Whether one search may have several threads here: leaves of a device travel one by one.
    pub(crate) fn takes_helpers(&self) -> bool {
        matches!(self, Self::Kernel(_))
    }

    /// Searches on the calling thread, and on kernels also on one more for each thread lent.
    ///
    /// # Errors
    /// UNAVAILABLE or INTERNAL if evaluations failed.
    pub(crate) fn search(
        &self,
        network: &Arc<Network>,
        question: &SearchQuestion,
        limits: &Limits,
        means: Means<'_>,
        stop: &AtomicBool,
        on_iteration: OnIteration<'_>,
    ) -> Result<Sought, ServiceError> {
        match self {
            Self::Kernel(kernel) => {
                let visitor = InPlace {
                    network,
                    question,
                    limits,
                    means,
                    stop,
                    on_iteration,
                };
                Ok(dispatch(*kernel, visitor))
            }
            Self::Device(batches) => {
                let count = Cell::new(BatchCount::default());
                let mut evaluator = LeafEvaluator::new(batches.clone(), stop, &count);
                let result = with_tables(limits, means.tables, |searcher| {
                    searcher.search(
                        &question.position.game,
                        limits,
                        &question.options,
                        &mut evaluator,
                        stop,
                        &mut |iteration| on_iteration(iteration, count.get().mean()),
                    )
                });
                match evaluator.into_error() {
                    None => Ok(Sought {
                        result,
                        mean_batch: count.get().mean(),
                    }),
                    Some(BatchError::Closed) => Err(ServiceError::ShuttingDown),
                    Some(error) => Err(ServiceError::Internal(error.to_string())),
                }
            }
        }
    }
}

struct InPlace<'a> {
    network: &'a Arc<Network>,
    question: &'a SearchQuestion,
    limits: &'a Limits,
    means: Means<'a>,
    stop: &'a AtomicBool,
    on_iteration: OnIteration<'a>,
}

impl KernelVisitor for InPlace<'_> {
    type Output = Sought;

    fn visit<K: Kernel>(self, kernel: K) -> Sought {
        let Means { helpers, tables } = self.means;
        let result = with_tables(self.limits, tables, |searcher| {
            let team = Team {
                make: &|| CpuEvaluator::new(kernel, self.network.clone()),
                helpers,
            };
            searcher.search_with_helpers(
                &self.question.position.game,
                self.limits,
                &self.question.options,
                team,
                self.stop,
                &mut |iteration| (self.on_iteration)(iteration, 1.0),
            )
        });
        Sought {
            result,
            mean_batch: 1.0,
        }
    }
}

/// Runs a search with the tables given, or with new ones.
fn with_tables<T>(
    limits: &Limits,
    tables: Option<&mut Searcher>,
    search: impl FnOnce(&mut Searcher) -> T,
) -> T {
    match tables {
        Some(tables) => search(tables),
        None => search(&mut Searcher::new(limits.table_bytes())),
    }
}
