use std::sync::Arc;

use futures_util::{StreamExt, stream};
use tabiya_api::{
    convert::{Asked, analyze_fields, batch_analyze_fields, check_id, search_question},
    error::ServiceError,
    v1::{self, StoppedBy, batch_analyze_response::Outcome, search_service_server::SearchService},
};
use tokio::sync::Semaphore;
use tokio_stream::Stream;
use tonic::{Request, Response, Status, Streaming};

use super::{
    Context,
    along_game::{self, Unit},
    bulk::{self, Answers},
    evaluate,
    item::bounded,
    placed::{Place, Placed},
    rules::{moves_of, read},
    search_job::{Job, Prepared},
    search_run::SearchRun,
};
use crate::{
    compute::{Class, Pool, StopGuard, Timed},
    engine::{Engine, Means, Seat},
    phase::Phase,
};

/// Best moves and evaluations as a service.
#[derive(Clone, Debug)]
pub(crate) struct Search {
    engine: Engine,
}

impl Search {
    pub(crate) fn new(engine: Engine) -> Self {
        Self { engine }
    }

    async fn start(&self, context: Context, request: v1::BestMoveRequest) -> Result<SearchRun, ServiceError> {
        let most = self.engine.limits.max_threads_per_search;
        let prepared = prepare(&self.engine, &self.engine.rules, request, context.asked(), most).await?;
        let job = Job::new(&self.engine, prepared, context.answer_by());
        SearchRun::start(job, context)
    }
}

/// Checks a search request and finds by which network and where it is to be searched.
async fn prepare(
    engine: &Engine,
    readers: &Pool,
    request: v1::BestMoveRequest,
    asked: Asked,
    most_threads: u32,
) -> Result<Prepared, ServiceError> {
    let moves = moves_of(request.position.as_ref()) + request.search_moves.len();
    let mut question = read(readers, moves, move || {
        search_question(&request, asked, most_threads)
    })
    .await?;
    let network = engine.networks.find(&question.network)?.clone();
    question.options.tables.clone_from(&engine.endgames);
    let seat = engine.seat(&network, question.backend).await?;
    Ok(Prepared {
        question,
        network,
        seat,
    })
}

#[tonic::async_trait]
impl SearchService for Search {
    async fn best_move(
        &self,
        request: Request<v1::BestMoveRequest>,
    ) -> Result<Response<v1::BestMoveResponse>, Status> {
        let (context, request) = Context::of(request);
        let answer = self.start(context, request).await?.finish().await?;
        Ok(Response::new(v1::BestMoveResponse {
            best_move: answer.best_move,
            ponder_move: answer.ponder_move,
            lines: answer.lines,
            stats: answer.stats,
            stopped_by: answer.stopped_by,
        }))
    }

    type AnalyzeStream = Answers<v1::AnalyzeResponse>;

    async fn analyze(
        &self,
        request: Request<v1::AnalyzeRequest>,
    ) -> Result<Response<Self::AnalyzeStream>, Status> {
        let (context, request) = Context::of(request);
        let run = self.start(context, analyze_fields(request)).await?;
        let answers = stream::unfold(run, async |mut run| {
            let answer = run.next().await?;
            Some((answer.map_err(Status::from), run))
        });
        Ok(Response::new(Box::pin(answers)))
    }

    type BatchAnalyzeStream = Answers<v1::BatchAnalyzeResponse>;

    async fn batch_analyze(
        &self,
        request: Request<Streaming<v1::BatchAnalyzeRequest>>,
    ) -> Result<Response<Self::BatchAnalyzeStream>, Status> {
        let (context, items) = Context::of(request);
        let (items, ended) = bulk::until_draining(items, &context, &self.engine.lifecycle);
        let stopping = bulk::until(&self.engine.lifecycle, Phase::Stopping, &ended);
        // Items that are not finished by then are left for another server.
        let turns = turns(&self.engine);
        let answers = search_items(&self.engine, context, turns, Begun::untold(), items).take_until(stopping);
        Ok(Response::new(bulk::with_ending(answers, ended)))
    }

    async fn evaluate(
        &self,
        request: Request<v1::EvaluateRequest>,
    ) -> Result<Response<v1::EvaluateResponse>, Status> {
        let (context, request) = Context::of(request);
        Ok(Response::new(
            evaluate::evaluate(&self.engine, &context, request).await?,
        ))
    }

    type BatchEvaluateStream = Answers<v1::BatchEvaluateResponse>;

    async fn batch_evaluate(
        &self,
        request: Request<Streaming<v1::BatchEvaluateRequest>>,
    ) -> Result<Response<Self::BatchEvaluateStream>, Status> {
        let (context, items) = Context::of(request);
        Ok(Response::new(evaluate::stream(&self.engine, &context, items)))
    }

    async fn get_engine_info(
        &self,
        _: Request<v1::GetEngineInfoRequest>,
    ) -> Result<Response<v1::GetEngineInfoResponse>, Status> {
        Ok(Response::new(self.engine.info().await?))
    }
}

/// What of one stream waits for a thread stands before what comes later from another: a little at a time.
pub(super) fn turns(engine: &Engine) -> Arc<Semaphore> {
    Arc::new(Semaphore::new(2 * engine.bulk.threads()))
}

/// Hears by its place in the stream of each item whose search begins on a thread. A device's searches begin all at once
/// and share it, which says nothing about any of them.
#[derive(Clone)]
pub(super) struct Begun(Option<Arc<dyn Fn(u64) + Send + Sync>>);

impl Begun {
    /// Nobody wants to hear it.
    pub(super) fn untold() -> Self {
        Self(None)
    }

    pub(super) fn told(hear: impl Fn(u64) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(hear)))
    }

    pub(super) fn tell(&self, index: u64) {
        if let Some(hear) = &self.0 {
            hear(index);
        }
    }
}

/// Searches the items of a stream, each by itself or along its game, and answers them as they finish.
pub(super) fn search_items<S>(
    engine: &Engine,
    context: Context,
    turns: Arc<Semaphore>,
    begun: Begun,
    items: S,
) -> impl Stream<Item = Result<v1::BatchAnalyzeResponse, Status>> + Send + use<S>
where
    S: Stream<Item = Placed<v1::BatchAnalyzeRequest>> + Send + 'static,
{
    let engine = engine.clone();
    let in_flight = engine.stream_in_flight;
    along_game::units(items, &engine)
        .map(move |unit| match unit {
            Unit::Alone(place, item, room) => {
                let begun = begun.clone();
                let answer = analyze_item(
                    engine.clone(),
                    context.clone(),
                    turns.clone(),
                    begun,
                    place,
                    *item,
                );
                stream::once(async {
                    let answer = answer.await;
                    drop(room);
                    answer
                })
                .boxed()
            }
            Unit::Game(game) => game
                .answers(engine.clone(), context.clone(), begun.clone())
                .boxed(),
        })
        .flatten_unordered(in_flight)
}

/// Searches one item of a stream.
async fn analyze_item(
    engine: Engine,
    context: Context,
    turns: Arc<Semaphore>,
    begun: Begun,
    place: Place,
    item: Result<v1::BatchAnalyzeRequest, Status>,
) -> Result<v1::BatchAnalyzeResponse, Status> {
    let item = item?;
    let id = bounded(item.id.clone());
    let mut bulk_mode = v1::BulkMode::Unspecified;
    let index = place.index;
    let begun = move || begun.tell(index);
    let outcome = match search_item(&engine, &context, &turns, begun, item).await {
        Ok(answer) => {
            bulk_mode = v1::BulkMode::Independent;
            Outcome::Response(answer)
        }
        Err(error @ ServiceError::ShuttingDown) => return Err(error.into()),
        Err(error) => Outcome::Error(error.to_item_error()),
    };
    Ok(v1::BatchAnalyzeResponse {
        id,
        index,
        outcome: Some(outcome),
        bulk_mode: bulk_mode.into(),
    })
}

async fn search_item(
    engine: &Engine,
    context: &Context,
    turns: &Semaphore,
    begun: impl FnOnce() + Send + 'static,
    item: v1::BatchAnalyzeRequest,
) -> Result<v1::AnalyzeResponse, ServiceError> {
    let _held = context.take_when_free(1).await;
    let _admitted = engine.admission.gate(Class::Bulk).admit_when_free(1).await?;
    context.stats.add_positions(1);
    let job = item_job(engine, context, item).await?;
    let guard = StopGuard::default();
    let stop = guard.flag();
    let timed = match job.seat() {
        Seat::Device(_) => {
            let limits = job.limits(engine.longest_item);
            job.run_in_fiber(limits, stop).await?
        }
        Seat::Kernel(_) => {
            // Nobody closes the semaphore.
            let _turn = turns.acquire().await.map_err(|_| ServiceError::ShuttingDown)?;
            let longest = engine.longest_item;
            let work = move || {
                begun();
                job.run(&job.limits(longest), Means::default(), &stop, &mut |_| {})
            };
            let Timed {
                value,
                queue_time,
                compute_time,
            } = engine.bulk.submit_when_free(1, work).await?.await?;
            Timed {
                value: value?,
                queue_time,
                compute_time,
            }
        }
    };
    context.stats.add_times(timed.queue_time, timed.compute_time);
    in_time(timed.value)
}

/// Checks an item of a stream and finds where it is to be searched.
pub(super) async fn item_job(
    engine: &Engine,
    context: &Context,
    item: v1::BatchAnalyzeRequest,
) -> Result<Job, ServiceError> {
    check_id(&item.id)?;
    let request = batch_analyze_fields(item)?;
    let prepared = prepare(engine, &engine.rules_bulk, request, context.asked(), 1).await?;
    Ok(Job::new(engine, prepared, context.answer_by()))
}

/// An item's answer, unless the deadline left no time for one.
pub(super) fn in_time(answer: v1::AnalyzeResponse) -> Result<v1::AnalyzeResponse, ServiceError> {
    match answer {
        // The deadline came before there was an iteration: that is no answer to a question with limits of its own.
        late if late.stopped_by() == StoppedBy::Deadline && late.depth == 0 => {
            Err(ServiceError::DeadlineExceeded)
        }
        answer => Ok(answer),
    }
}
