//! Evaluations without search.

use futures_util::{StreamExt, stream};
use tabiya_api::{
    MAX_POSITIONS_PER_MESSAGE,
    convert::{check_id, duration_message, parse_backend, parse_position, static_score},
    error::{ServiceError, Violations},
    v1::{self, batch_evaluate_response::Outcome},
};
use tabiya_evaluator::{PackedPosition, batch::Reply, pack};
use tonic::{Status, Streaming};

use super::{
    Context,
    bulk::{self, Answers},
    item::bounded,
    placed::{Place, Placed},
};
use crate::{
    compute::Class,
    engine::{Engine, Networks, Served, served},
};

/// Positions of which the text is read on the spot; more are read on a compute thread.
const FEW: usize = 16;

/// Most items of a stream that go to the evaluator together.
const CHUNK: usize = 256;

/// Chunks of one stream that are worked on at once.
const CHUNKS_IN_FLIGHT: usize = 4;

/// The unary call.
pub(super) async fn evaluate(
    engine: &Engine,
    context: &Context,
    request: v1::EvaluateRequest,
) -> Result<v1::EvaluateResponse, ServiceError> {
    let count = request.positions.len();
    if count > MAX_POSITIONS_PER_MESSAGE {
        let reason = format!("more than {MAX_POSITIONS_PER_MESSAGE} positions");
        return Err(ServiceError::invalid("positions", &count.to_string(), reason));
    }
    context.take(count)?;
    context.stats.admit(count)?;
    context.stats.add_positions(count);
    let backend = parse_backend(request.backend)?;
    let network = engine.networks.find(&request.network)?;
    let moves: usize = request
        .positions
        .iter()
        .map(|position| position.moves.len())
        .sum();
    let read = move || read_all(&request.positions);
    let packed = if count + moves <= FEW {
        read()?
    } else {
        let places = count.min(engine.rules.capacity());
        engine.rules.submit(places, read)?.await?.value?
    };
    let reply = network.batches.evaluate(backend, packed).await?;
    context.stats.add_times(reply.queue_time, reply.compute_time);
    Ok(response(network, &reply, &reply.values))
}

fn read_all(positions: &[v1::Position]) -> Result<Vec<PackedPosition>, ServiceError> {
    let mut violations = Violations::default();
    let mut packed = Vec::with_capacity(positions.len());
    for (index, position) in positions.iter().enumerate() {
        match parse_position(Some(position), &format!("positions[{index}]")) {
            Ok(position) => packed.push(pack(position.board())),
            Err(wrong) => violations.append(wrong),
        }
    }
    if violations.is_empty() {
        Ok(packed)
    } else {
        Err(violations.into())
    }
}

fn response(network: &Served, reply: &Reply, values: &[i32]) -> v1::EvaluateResponse {
    v1::EvaluateResponse {
        evaluations: values
            .iter()
            .map(|&value| v1::Evaluation {
                score: Some(static_score(value)),
            })
            .collect(),
        backend: served(reply.lane).into(),
        network: network.name().into(),
        queue_time: Some(duration_message(reply.queue_time)),
        compute_time: Some(duration_message(reply.compute_time)),
    }
}

/// One item of a stream, read.
struct Item {
    id: String,
    place: Place,
    /// Place of the network, backend and position, or what is wrong with the item.
    question: Result<(usize, v1::Backend, PackedPosition), ServiceError>,
}

/// The streaming call: items that come together go to the evaluator together.
pub(super) fn stream(
    engine: &Engine,
    context: &Context,
    items: Streaming<v1::BatchEvaluateRequest>,
) -> Answers<v1::BatchEvaluateResponse> {
    let (items, ended) = bulk::until_draining(items, context, &engine.lifecycle);
    let (engine, context) = (engine.clone(), context.clone());
    let answers = items
        .ready_chunks(CHUNK)
        .map(move |chunk| evaluate_chunk(engine.clone(), context.clone(), chunk))
        .buffered(CHUNKS_IN_FLIGHT)
        .flat_map(stream::iter);
    bulk::with_ending(answers, ended)
}

type Chunk = Vec<Placed<v1::BatchEvaluateRequest>>;

async fn evaluate_chunk(
    engine: Engine,
    context: Context,
    chunk: Chunk,
) -> Vec<Result<v1::BatchEvaluateResponse, Status>> {
    let chunk = match bulk::read_error(chunk) {
        Ok(chunk) => chunk,
        Err(status) => return vec![Err(status)],
    };
    let count = chunk.len();
    let _held = context.take_when_free(count).await;
    let _admitted = match engine.admission.gate(Class::Bulk).admit_when_free(count).await {
        Ok(admitted) => admitted,
        Err(error) => return vec![Err(error.into())],
    };
    context.stats.add_positions(count);
    let networks = engine.networks.clone();
    let read = move || -> (Vec<Item>, Option<Status>) {
        let mut items = Vec::with_capacity(chunk.len());
        for (place, item) in chunk {
            match item {
                Ok(item) => items.push(read_item(place, item, &networks)),
                // The request stream is broken; nothing follows.
                Err(status) => return (items, Some(status)),
            }
        }
        (items, None)
    };
    let places = count.min(engine.rules_bulk.capacity());
    let read = async { engine.rules_bulk.submit_when_free(places, read).await?.await }.await;
    let (mut items, broken) = match read {
        Ok(timed) => timed.value,
        Err(error) => return vec![Err(error.into())],
    };

    let mut outcomes: Vec<Option<Result<Outcome, Status>>> = Vec::new();
    outcomes.resize_with(items.len(), || None);
    // Mostly all items ask for the same network and backend; each further pair costs a batch of its own.
    let backends = [
        v1::Backend::Auto,
        v1::Backend::Cpu,
        v1::Backend::Gpu,
        v1::Backend::Scalar,
    ];
    let networks = engine.networks.iter();
    let pairs: Vec<_> = networks
        .flat_map(|network| backends.map(|backend| (network, backend)))
        .collect();
    for (network, backend) in pairs {
        let wanted = |item: &Item| match item.question {
            Ok((place, asked, position)) if (place, asked) == (network.place, backend) => Some(position),
            _ => None,
        };
        let (places, positions): (Vec<usize>, Vec<PackedPosition>) = items
            .iter()
            .enumerate()
            .filter_map(|(place, item)| Some((place, wanted(item)?)))
            .unzip();
        if positions.is_empty() {
            continue;
        }
        let evaluated = network.batches.evaluate_when_free(backend, positions).await;
        if let Ok(reply) = &evaluated {
            context.stats.add_times(reply.queue_time, reply.compute_time);
        }
        for (at, place) in places.into_iter().enumerate() {
            outcomes[place] = Some(match &evaluated {
                Ok(reply) => Ok(Outcome::Response(response(
                    network,
                    reply,
                    &reply.values[at..=at],
                ))),
                // That is no answer: the item is to be sent elsewhere.
                Err(ServiceError::ShuttingDown) => Err(ServiceError::ShuttingDown.into()),
                Err(error) => Ok(Outcome::Error(error.to_item_error())),
            });
        }
    }
    let answers = items.drain(..).zip(outcomes).map(|(item, outcome)| {
        let outcome = match outcome {
            Some(outcome) => Some(outcome?),
            None => item
                .question
                .err()
                .map(|error| Outcome::Error(error.to_item_error())),
        };
        Ok(v1::BatchEvaluateResponse {
            id: item.id,
            index: item.place.index,
            outcome,
        })
    });
    answers.chain(broken.map(Err)).collect()
}

fn read_item(place: Place, item: v1::BatchEvaluateRequest, networks: &Networks) -> Item {
    let question = (|| {
        check_id(&item.id)?;
        let network = networks.find(&item.network)?.place;
        let backend = parse_backend(item.backend)?;
        let position = parse_position(item.position.as_ref(), "position")?;
        Ok((network, backend, pack(position.board())))
    })();
    Item {
        id: bounded(item.id),
        place,
        question,
    }
}
