//! Streams of items with a bounded number in flight, resumed when the connection breaks.

use std::{
    collections::BTreeMap,
    pin::Pin,
    task::{Context, Poll},
};

use futures_util::{StreamExt, future::BoxFuture};
use tabiya_api::v1::{
    self, arbiter_service_client::ArbiterServiceClient, rules_service_client::RulesServiceClient,
    search_service_client::SearchServiceClient,
};
use tokio::{sync::mpsc, task::JoinHandle};
use tokio_stream::{Stream, wrappers::ReceiverStream};
use tonic::{Response, Status, Streaming};

use crate::{Client, ClientError, client::Transport, retry::is_server_lost};

/// The answers to a stream of items. Dropping it stops the work.
#[derive(Debug)]
pub struct Results<T> {
    receiver: mpsc::Receiver<Result<T, ClientError>>,
    /// `None` once its end has been told.
    task: Option<JoinHandle<()>>,
}

impl<T> Results<T> {
    /// What a task sends until it ends.
    pub(crate) fn of(receiver: mpsc::Receiver<Result<T, ClientError>>, task: JoinHandle<()>) -> Self {
        Self {
            receiver,
            task: Some(task),
        }
    }

    /// The next answer; `None` after the last. After an error there is nothing more.
    pub async fn next(&mut self) -> Option<Result<T, ClientError>> {
        std::future::poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }
}

impl<T> Stream for Results<T> {
    type Item = Result<T, ClientError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Some(result) = std::task::ready!(self.receiver.poll_recv(cx)) {
            return Poll::Ready(Some(result));
        }
        // The end of the answers is the end of the task, and not every end is a good one.
        let Some(task) = &mut self.task else {
            return Poll::Ready(None);
        };
        let ended = std::task::ready!(Pin::new(task).poll(cx));
        self.task = None;
        Poll::Ready(ended.is_err().then_some(Err(ClientError::Panicked)))
    }
}

impl<T> Drop for Results<T> {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

/// A call that takes a stream and returns a stream.
pub(crate) trait BulkCall: 'static {
    type Request: Clone + Send + 'static;
    type Response: Send + 'static;

    fn call(
        channel: Transport,
        requests: ReceiverStream<Self::Request>,
    ) -> BoxFuture<'static, Result<Response<Streaming<Self::Response>>, Status>>;

    fn index(response: &mut Self::Response) -> &mut u64;
}

macro_rules! bulk_call {
    ($name:ident: $service:ident.$method:ident, $request:ident -> $response:ident) => {
        pub(crate) enum $name {}

        impl BulkCall for $name {
            type Request = v1::$request;
            type Response = v1::$response;

            fn call(
                channel: Transport,
                requests: ReceiverStream<Self::Request>,
            ) -> BoxFuture<'static, Result<Response<Streaming<Self::Response>>, Status>> {
                Box::pin(async move { $service::new(channel).$method(requests).await })
            }

            fn index(response: &mut Self::Response) -> &mut u64 {
                &mut response.index
            }
        }
    };
}

bulk_call!(Analyses: SearchServiceClient.batch_analyze, BatchAnalyzeRequest -> BatchAnalyzeResponse);
bulk_call!(Evaluations: SearchServiceClient.batch_evaluate, BatchEvaluateRequest -> BatchEvaluateResponse);
bulk_call!(LegalMoves: RulesServiceClient.batch_legal_moves, BatchLegalMovesRequest -> BatchLegalMovesResponse);
bulk_call!(Adjudications: ArbiterServiceClient.batch_adjudicate, BatchAdjudicateRequest -> BatchAdjudicateResponse);

/// Most items that are ever in flight: more would only queue up, and far more than that a channel cannot hold.
const MAX_IN_FLIGHT: usize = 1 << 16;

fn bounded(in_flight: usize) -> usize {
    in_flight.clamp(1, MAX_IN_FLIGHT)
}

/// Starts the exchange on a task of its own.
pub(crate) fn start<B: BulkCall>(
    client: Client,
    items: impl Stream<Item = B::Request> + Send + 'static,
    in_flight: usize,
) -> Results<B::Response> {
    let in_flight = bounded(in_flight);
    let (sender, receiver) = mpsc::channel(in_flight);
    let task = tokio::spawn(async move {
        let exchange = Exchange::<B> {
            client,
            in_flight,
            pending: BTreeMap::new(),
            taken: 0,
            results: sender.clone(),
        };
        if let Err(error) = exchange.run(items).await {
            let _ = sender.send(Err(error)).await;
        }
    });
    Results::of(receiver, task)
}

struct Exchange<B: BulkCall> {
    client: Client,
    in_flight: usize,
    /// Items that have no answer yet, by their place in the caller's stream.
    pending: BTreeMap<u64, B::Request>,
    /// Items taken from the caller so far.
    taken: u64,
    results: mpsc::Sender<Result<B::Response, ClientError>>,
}

/// How one connection's part of the exchange ended.
enum End {
    Complete,
    /// The caller dropped the results.
    Unwanted,
    Broken(Status),
}

impl<B: BulkCall> Exchange<B> {
    async fn run(
        mut self,
        items: impl Stream<Item = B::Request> + Send + 'static,
    ) -> Result<(), ClientError> {
        let mut items = Box::pin(items.fuse());
        let mut failures = 0;
        self.client.budget.count();
        loop {
            let mut answered = 0;
            let server = self.client.servers.pick();
            let status = match self.converse(server.channel(), &mut items, &mut answered).await {
                End::Complete | End::Unwanted => return Ok(()),
                End::Broken(status) => status,
            };
            if is_server_lost(&status) {
                server.failed();
            }
            // Progress earns patience: only failures in a row count. The budget of retries is for unary calls; a stream
            // is one call however often it is resumed, and its pauses grow.
            failures = if answered > 0 { 1 } else { failures + 1 };
            match self.client.policy.pause(&status, failures) {
                Some(pause) => {
                    tokio::time::sleep(pause).await;
                    self.client.budget.count_retry();
                }
                None => return Err(status.into()),
            }
        }
    }

    /// One stream: sends what has no answer, then new items, and hands out the answers.
    async fn converse(
        &mut self,
        channel: Transport,
        items: &mut (impl Stream<Item = B::Request> + Unpin),
        answered: &mut u64,
    ) -> End {
        let (sender, requests) = mpsc::channel(self.in_flight);
        let mut sender = Some(sender);
        // For each unanswered item, its place in this stream and its place in the caller's.
        let mut places: BTreeMap<u64, u64> = BTreeMap::new();
        let mut sent = 0;
        for (&place, request) in &self.pending {
            if let Some(sender) = &sender {
                places.insert(sent, place);
                sent += 1;
                // There is room: no more than `in_flight` are pending.
                let _ = sender.try_send(request.clone());
            }
        }
        let call = B::call(channel, ReceiverStream::new(requests));
        let mut responses = match call.await {
            Ok(response) => response.into_inner(),
            Err(status) => return End::Broken(status),
        };
        loop {
            let may_send = sender.is_some() && self.pending.len() < self.in_flight;
            tokio::select! {
                item = items.next(), if may_send => match item {
                    Some(request) => {
                        let place = self.taken;
                        self.taken += 1;
                        places.insert(sent, place);
                        sent += 1;
                        self.pending.insert(place, request.clone());
                        if let Some(open) = &sender && open.send(request).await.is_err() {
                            // The server stopped reading; its status follows among the responses.
                            sender = None;
                        }
                    }
                    None => sender = None,
                },
                message = responses.message() => match message {
                    Ok(Some(mut response)) => {
                        let index = B::index(&mut response);
                        let Some(place) = places.remove(index) else {
                            return End::Broken(Status::data_loss("the server answered an item that was not asked"));
                        };
                        self.pending.remove(&place);
                        *index = place;
                        *answered += 1;
                        if self.results.send(Ok(response)).await.is_err() {
                            return End::Unwanted;
                        }
                    }
                    Ok(None) if self.pending.is_empty() => return End::Complete,
                    Ok(None) => return End::Broken(Status::unavailable("the server ended the stream early")),
                    Err(status) => return End::Broken(status),
                },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_no_good_end() {
        let (sender, receiver) = mpsc::channel(1);
        let task = tokio::spawn(async move {
            sender.send(Ok(1)).await.unwrap();
            panic!("on purpose");
        });
        let mut results = Results::of(receiver, task);
        assert_eq!(results.next().await.unwrap().unwrap(), 1);
        assert!(matches!(results.next().await, Some(Err(ClientError::Panicked))));
        assert!(results.next().await.is_none());
    }

    #[test]
    fn a_channel_can_hold_any_number_asked_for() {
        for (asked, held) in [(0, 1), (7, 7), (usize::MAX, MAX_IN_FLIGHT)] {
            // Panics beyond what the channel can count.
            let (sender, _receiver) = mpsc::channel::<()>(bounded(asked));
            assert_eq!(sender.max_capacity(), held);
        }
    }
}
