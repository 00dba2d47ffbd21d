use tabiya_api::{
    MAX_POSITIONS_PER_MESSAGE,
    convert::{legal_moves_response, move_reader, parse_position, play_moves},
    error::ServiceError,
    v1::{self, rules_service_server::RulesService},
};
use tonic::{Request, Response, Status, Streaming};

use super::{
    Context,
    bulk::{self, Answers},
};
use crate::{
    compute::{Pool, StopGuard},
    engine::Engine,
    perft,
};

/// Moves that are played and written on the spot; more go to a compute thread.
const SHORT: usize = 200;

/// The rules of chess as a service.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    engine: Engine,
}

impl Rules {
    pub(crate) fn new(engine: Engine) -> Self {
        Self { engine }
    }
}

/// Does work of so many moves: a little on the spot, more on a thread of `pool`.
pub(super) async fn on_the_spot_or<T: Send + 'static>(
    pool: &Pool,
    moves: usize,
    context: &Context,
    work: impl FnOnce() -> Result<T, ServiceError> + Send + 'static,
) -> Result<Response<T>, Status> {
    context.stats.add_positions(1);
    if moves <= SHORT {
        let value = work()?;
        context
            .stats
            .add_times(std::time::Duration::ZERO, context.arrived.elapsed());
        return Ok(Response::new(value));
    }
    let timed = pool.submit(1, work)?.await?;
    context.stats.add_times(timed.queue_time, timed.compute_time);
    Ok(Response::new(timed.value?))
}

/// Reads something of so many moves: a little on the spot, more on a thread of `pool`.
pub(super) async fn read<T: Send + 'static, E: Send + 'static>(
    pool: &Pool,
    moves: usize,
    read: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<T, ServiceError>
where
    ServiceError: From<E>,
{
    if moves <= SHORT {
        return Ok(read()?);
    }
    Ok(pool.submit_when_free(1, read).await?.await?.value?)
}

pub(super) fn moves_of(position: Option<&v1::Position>) -> usize {
    position.map_or(0, |position| position.moves.len())
}

#[tonic::async_trait]
impl RulesService for Rules {
    async fn legal_moves(
        &self,
        request: Request<v1::LegalMovesRequest>,
    ) -> Result<Response<v1::LegalMovesResponse>, Status> {
        let (context, message) = Context::of(request);
        on_the_spot_or(
            &self.engine.rules,
            moves_of(message.position.as_ref()),
            &context,
            move || {
                let position = parse_position(message.position.as_ref(), "position")?;
                Ok(legal_moves_response(&position, message.include_fen))
            },
        )
        .await
    }

    type BatchLegalMovesStream = Answers<v1::BatchLegalMovesResponse>;

    async fn batch_legal_moves(
        &self,
        request: Request<Streaming<v1::BatchLegalMovesRequest>>,
    ) -> Result<Response<Self::BatchLegalMovesStream>, Status> {
        let (context, items) = Context::of(request);
        let answers = bulk::ordered(
            items,
            &context,
            &self.engine,
            StopGuard::default(),
            |item: v1::BatchLegalMovesRequest| {
                let position = parse_position(item.position.as_ref(), "position")?;
                Ok(legal_moves_response(&position, item.include_fen))
            },
        );
        Ok(Response::new(answers))
    }

    async fn play_moves(
        &self,
        request: Request<v1::PlayMovesRequest>,
    ) -> Result<Response<v1::PlayMovesResponse>, Status> {
        let (context, message) = Context::of(request);
        let moves = moves_of(message.position.as_ref()) + message.moves.len();
        on_the_spot_or(&self.engine.rules, moves, &context, move || {
            let reader = move_reader(message.notation)?;
            if message.moves.len() > MAX_POSITIONS_PER_MESSAGE {
                let reason = format!("more than {MAX_POSITIONS_PER_MESSAGE} moves");
                return Err(ServiceError::invalid(
                    "moves",
                    &message.moves.len().to_string(),
                    reason,
                ));
            }
            let position = parse_position(message.position.as_ref(), "position")?;
            Ok(play_moves(position, &message.moves, reader)?)
        })
        .await
    }

    async fn perft(&self, request: Request<v1::PerftRequest>) -> Result<Response<v1::PerftResponse>, Status> {
        let (context, message) = Context::of(request);
        if message.depth > perft::MAX_DEPTH {
            let reason = format!("more than {}", perft::MAX_DEPTH);
            return Err(ServiceError::invalid("depth", &message.depth.to_string(), reason).into());
        }
        let moves = moves_of(message.position.as_ref());
        let position = message.position;
        let position = read(&self.engine.rules, moves, move || {
            parse_position(position.as_ref(), "position")
        })
        .await?;
        context.stats.add_positions(1);
        // Dropped with this future: when the caller goes away the count stops.
        let guard = StopGuard::default();
        let stop = guard.flag();
        let ticket = self.engine.counting.submit(1, move || {
            perft::count(&position, message.depth, message.divide, &stop)
        })?;
        // Shorter deadlines are kept by the edge.
        let timed = tokio::time::timeout(self.engine.longest_call, ticket)
            .await
            .map_err(|_| ServiceError::DeadlineExceeded)??;
        context.stats.add_times(timed.queue_time, timed.compute_time);
        match timed.value {
            Some(response) => Ok(Response::new(response)),
            // Nobody but this future stops the count, so it is not here to see it.
            None => Err(ServiceError::Internal("the count was stopped".into()).into()),
        }
    }
}
