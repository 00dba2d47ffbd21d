//! Bulk searches along a game: its items are taken together and searched from the last position to the first.

use std::{
    collections::VecDeque,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use futures_util::{StreamExt, stream};
use tabiya_api::{
    convert::{OfGame, STRETCH, game_goes_on},
    error::ServiceError,
    v1::{self, BatchAnalyzeRequest, BatchAnalyzeResponse, BulkMode, batch_analyze_response::Outcome},
};
use tabiya_search::Searcher;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio_stream::Stream;
use tonic::Status;

use super::{
    Context,
    item::bounded,
    placed::{Place, Placed},
    search::{Begun, in_time, item_job},
    search_job::Job,
};
use crate::{
    compute::{Class, StopGuard, Ticket},
    engine::{Engine, Means},
};

/// After this long without an item, a game is searched as far as it was sent, if the caller can wait for nothing else.
const PAUSE: Duration = Duration::from_secs(1);

/// What is searched as one piece of work.
pub(super) enum Unit {
    /// An item by itself, or the end of the request stream by an error.
    Alone(
        Place,
        Box<Result<BatchAnalyzeRequest, Status>>,
        OwnedSemaphorePermit,
    ),
    /// Items of one game.
    Game(Game),
}

/// Items of one game in the order sent, with their places in the stream; never empty.
pub(super) struct Game {
    items: Vec<(Place, BatchAnalyzeRequest, OwnedSemaphorePermit)>,
    /// Whether a pause ended it rather than the stream's order.
    cut: bool,
}

struct Units<S> {
    items: S,
    /// The item that ended the game before it.
    held: Option<Placed<BatchAnalyzeRequest>>,
    room: Arc<Semaphore>,
    /// Places that there are in all.
    places: usize,
}

/// Takes a stream's items together by games. No more items are taken than there is room for: a stretch that is
/// being sent and, for each thread, one that is searched.
pub(super) fn units<S>(items: S, engine: &Engine) -> impl Stream<Item = Unit> + Send + use<S>
where
    S: Stream<Item = Placed<BatchAnalyzeRequest>> + Send + 'static,
{
    let places = engine.stream_in_flight.max(STRETCH) + STRETCH * engine.bulk.threads();
    let units = Units {
        items: Box::pin(items),
        held: None,
        room: Arc::new(Semaphore::new(places)),
        places,
    };
    stream::unfold(units, async |mut units| {
        let unit = units.next().await?;
        Some((unit, units))
    })
}

impl<S: Stream<Item = Placed<BatchAnalyzeRequest>> + Unpin> Units<S> {
    async fn next(&mut self) -> Option<Unit> {
        let (place, item) = match self.held.take() {
            Some(held) => held,
            None => self.items.next().await?,
        };
        let room = self.room().await?;
        let first = match item {
            Ok(item) if item.bulk_mode() == BulkMode::AlongGame => item,
            other => return Some(Unit::Alone(place, Box::new(other), room)),
        };
        let mut game = Game {
            items: vec![(place, first, room)],
            cut: false,
        };
        while game.items.len() < STRETCH {
            let next = match tokio::time::timeout(PAUSE, self.items.next()).await {
                Ok(next) => next,
                Err(_) if self.room.available_permits() + game.items.len() < self.places => continue,
                Err(_) => {
                    game.cut = true;
                    break;
                }
            };
            match next {
                None => break,
                Some((place, Ok(item))) if game.goes_on_with(&item) => {
                    let room = self.room().await?;
                    game.items.push((place, item, room));
                }
                other => {
                    self.held = other;
                    break;
                }
            }
        }
        Some(Unit::Game(game))
    }

    async fn room(&mut self) -> Option<OwnedSemaphorePermit> {
        // Nobody closes the semaphore.
        self.room.clone().acquire_owned().await.ok()
    }
}

impl Game {
    fn goes_on_with(&self, next: &BatchAnalyzeRequest) -> bool {
        let Some((_, last, _)) = self.items.last() else {
            return false;
        };
        let before = self.items.iter().rev().nth(1);
        next.bulk_mode() == BulkMode::AlongGame
            && game_goes_on(before.map(|(_, before, _)| of(before)), of(last), of(next))
    }

    /// Searches the items and gives their answers as they come.
    pub(super) fn answers(
        self,
        engine: Engine,
        context: Context,
        begun: Begun,
    ) -> impl Stream<Item = Result<BatchAnalyzeResponse, Status>> + Send + use<> {
        stream::once(async move { self.start(&engine, &context, begun).await }).flat_map(|started| {
            stream::unfold(started, |mut started| async {
                let answer = started.next().await?;
                Some((answer, started))
            })
        })
    }

    async fn start(self, engine: &Engine, context: &Context, begun: Begun) -> Started {
        let mut started = Started {
            context: context.clone(),
            guard: StopGuard::default(),
            refused: VecDeque::new(),
            names: VecDeque::new(),
            work: None,
            failed: None,
        };
        // All at once: games that each wait for the rest of their room would wait for one another.
        let gate = engine.admission.gate(Class::Bulk);
        let held = context.take_when_free(self.items.len()).await;
        let admitted = gate.admit_when_free(self.items.len()).await;
        let mut jobs = Vec::new();
        for (place, item, room) in self.items {
            context.stats.add_positions(1);
            let name = Name {
                id: bounded(item.id.clone()),
                place,
                _room: room,
            };
            match item_job(engine, context, item).await {
                Ok(job) => jobs.push((name, job)),
                Err(error) => started.refused.push_back((name, error)),
            }
        }
        if jobs.is_empty() {
            return started;
        }
        // From the last position to the first; of equals, the one sent later is the later one. What is asked of another network
        // is another game.
        jobs.sort_by_key(|(name, job)| (job.network(), std::cmp::Reverse((job.ply(), name.place.index))));
        let places: Vec<u64> = jobs.iter().map(|(name, _)| name.place.index).collect();
        let (names, jobs): (Vec<Name>, Vec<Job>) = jobs.into_iter().unzip();
        started.names = names.into();
        let (sender, receiver) = mpsc::unbounded_channel();
        let (stop, longest, whole) = (started.guard.flag(), engine.longest_item, !self.cut);
        let work = move || {
            // Until the last one is searched: a caller who does not read his answers holds nobody up.
            let _admitted = (admitted, held);
            let mut left = jobs.len();
            let mut places = places.into_iter();
            for jobs in jobs.chunk_by(|one, next| one.network() == next.network()) {
                let table = jobs.iter().map(|job| job.limits(longest).game_table_bytes());
                let mut tables = Searcher::new(table.max().unwrap_or_default());
                let mut exact = whole;
                for (job, place) in jobs.iter().zip(places.by_ref()) {
                    begun.tell(place);
                    let job = job.next_of(left);
                    left -= 1;
                    let means = Means {
                        tables: Some(&mut tables),
                        ..Means::default()
                    };
                    let limits = job.limits(longest);
                    let mut answer = job.run(&limits, means, &stop, &mut |_| {}).and_then(in_time);
                    if let Ok(v1::AnalyzeResponse { stats: Some(own), .. }) = &mut answer {
                        // What another search left behind is as exact as that search was.
                        exact &= own.deterministic;
                        own.deterministic = exact;
                    }
                    // Told to stop, by the caller's absence or a failed evaluation: what follows would mean nothing.
                    if sender.send(answer).is_err() || stop.load(Ordering::Relaxed) {
                        return;
                    }
                }
            }
        };
        // A queue that is shorter than the game still takes it.
        let positions = started.names.len().min(engine.bulk.capacity());
        match engine.bulk.submit_when_free(positions, work).await {
            Ok(ticket) => started.work = Some((ticket, receiver)),
            Err(error) => started.failed = Some(error),
        }
        started
    }
}

fn of(item: &BatchAnalyzeRequest) -> OfGame<'_> {
    OfGame {
        game: &item.game,
        position: item.position.as_ref(),
    }
}

/// What an answer is labelled with, and the room that its item takes.
struct Name {
    id: String,
    place: Place,
    _room: OwnedSemaphorePermit,
}

type Found = Result<v1::AnalyzeResponse, ServiceError>;

/// A game that is being searched. Dropping it stops the search.
struct Started {
    context: Context,
    guard: StopGuard,
    refused: VecDeque<(Name, ServiceError)>,
    /// Items without an answer, in the order of the search.
    names: VecDeque<Name>,
    work: Option<(Ticket<()>, mpsc::UnboundedReceiver<Found>)>,
    /// Why the items left have no answer.
    failed: Option<ServiceError>,
}

impl Started {
    async fn next(&mut self) -> Option<Result<BatchAnalyzeResponse, Status>> {
        if let Some((name, error)) = self.refused.pop_front() {
            return Some(answer(name, Err(error)));
        }
        let name = self.names.pop_front()?;
        let found = match &mut self.work {
            Some((_, found)) => found.recv().await,
            None => None,
        };
        if found.is_none() || self.names.is_empty() {
            self.finish().await;
        }
        let missing = || Err(self.failed.clone().unwrap_or(ServiceError::ShuttingDown));
        Some(answer(name, found.unwrap_or_else(missing)))
    }

    /// Waits for the end of the work, and keeps why it failed if it did.
    async fn finish(&mut self) {
        let Some((ticket, _)) = self.work.take() else {
            return;
        };
        match ticket.await {
            Ok(timed) => {
                let stats = &self.context.stats;
                stats.add_times(timed.queue_time, timed.compute_time);
                self.failed = Some(ServiceError::Internal("the game's search ended early".into()));
            }
            Err(error) => self.failed = Some(error),
        }
    }
}

fn answer(name: Name, found: Found) -> Result<BatchAnalyzeResponse, Status> {
    let Name { id, place, .. } = name;
    let (outcome, bulk_mode) = match found {
        Ok(answer) => (Outcome::Response(answer), BulkMode::AlongGame),
        Err(error @ ServiceError::ShuttingDown) => return Err(error.into()),
        Err(error) => (Outcome::Error(error.to_item_error()), BulkMode::Unspecified),
    };
    Ok(BatchAnalyzeResponse {
        id,
        index: place.index,
        outcome: Some(outcome),
        bulk_mode: bulk_mode.into(),
    })
}
