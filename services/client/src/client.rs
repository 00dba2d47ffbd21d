use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use tabiya_api::v1::{
    self, arbiter_service_client::ArbiterServiceClient, rules_service_client::RulesServiceClient,
    search_service_client::SearchServiceClient,
};
use tokio_stream::Stream;
use tonic::{
    Request, Status, Streaming,
    transport::{Channel, Endpoint},
};

use crate::{
    ClientError, Results, RetryPolicy,
    bulk::{self, Adjudications, Analyses, Evaluations, LegalMoves},
    retry::{RetryBudget, own_timeout_named},
};

/// How long one attempt to connect may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// A longer timeout is as good as none, and further ones cannot be written into a request.
const LONGEST_TIMEOUT: Duration = Duration::from_secs(365 * 24 * 3600);

/// A connection to a server. Clones share it.
#[derive(Clone, Debug)]
pub struct Client {
    pub(crate) channel: Channel,
    pub(crate) policy: RetryPolicy,
    budget: Arc<RetryBudget>,
    timeout: Option<Duration>,
}

/// Unary calls: a method each, all alike.
macro_rules! calls {
    ($($(#[$doc:meta])* $name:ident: $service:ident, $request:ident -> $response:ident;)*) => {
        impl Client {
            $(
                $(#[$doc])*
                ///
                /// # Errors
                /// [`ClientError::Call`] with the status that the call ended with.
                pub async fn $name(&self, request: v1::$request) -> Result<v1::$response, ClientError> {
                    self.ask(request, |channel, request| async move {
                        Ok($service::new(channel).$name(request).await?.into_inner())
                    })
                    .await
                }
            )*
        }
    };
}

calls! {
    /// Lists the legal moves of a position.
    legal_moves: RulesServiceClient, LegalMovesRequest -> LegalMovesResponse;
    /// Plays moves and writes them in every notation.
    play_moves: RulesServiceClient, PlayMovesRequest -> PlayMovesResponse;
    /// Counts legal move sequences.
    perft: RulesServiceClient, PerftRequest -> PerftResponse;
    /// Decides a game.
    adjudicate: ArbiterServiceClient, AdjudicateRequest -> AdjudicateResponse;
    /// Decides a game by several rulesets.
    compare_rulings: ArbiterServiceClient, CompareRulingsRequest -> CompareRulingsResponse;
    /// Proves whether a side can still mate.
    prove_mate: ArbiterServiceClient, ProveMateRequest -> ProveMateResponse;
    /// Names the rulesets that the server knows.
    list_rulesets: ArbiterServiceClient, ListRulesetsRequest -> ListRulesetsResponse;
    /// Shows a ruleset.
    get_ruleset: ArbiterServiceClient, GetRulesetRequest -> GetRulesetResponse;
    /// Searches for the best move.
    best_move: SearchServiceClient, BestMoveRequest -> BestMoveResponse;
    /// Evaluates positions.
    evaluate: SearchServiceClient, EvaluateRequest -> EvaluateResponse;
    /// Tells what the server computes with.
    get_engine_info: SearchServiceClient, GetEngineInfoRequest -> GetEngineInfoResponse;
}

impl Client {
    /// Connects to an endpoint such as `http://127.0.0.1:50051` or `127.0.0.1:50051`.
    ///
    /// # Errors
    /// [`ClientError::Endpoint`] if it is no address, [`ClientError::Connect`] if nothing answers there.
    pub async fn connect(endpoint: &str) -> Result<Self, ClientError> {
        let uri = if endpoint.contains("://") {
            endpoint.to_owned()
        } else {
            format!("http://{endpoint}")
        };
        let error = |reason: tonic::transport::Error| ClientError::Endpoint {
            endpoint: tabiya_api::error::excerpt(endpoint),
            reason: with_causes(&reason),
        };
        let connector = Endpoint::from_shared(uri)
            .map_err(error)?
            .connect_timeout(CONNECT_TIMEOUT)
            .tcp_nodelay(true)
            .http2_keep_alive_interval(Duration::from_secs(30))
            .keep_alive_timeout(Duration::from_secs(10));
        let channel = connector.connect().await.map_err(|reason| ClientError::Connect {
            endpoint: tabiya_api::error::excerpt(endpoint),
            reason: with_causes(&reason),
        })?;
        Ok(Self {
            channel,
            policy: RetryPolicy::default(),
            budget: Arc::new(RetryBudget::new()),
            timeout: None,
        })
    }

    /// The same connection with another retry policy.
    #[must_use]
    pub fn with_retries(mut self, policy: RetryPolicy) -> Self {
        self.policy = policy;
        self
    }

    /// The same connection with a deadline for each unary call, repetitions included; the server answers searches
    /// shortly before it. A call that has no answer by then ends with DEADLINE_EXCEEDED.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout.min(LONGEST_TIMEOUT));
        self
    }

    /// Searches and reports each finished iteration. Asked only once: a broken stream is the caller's to judge.
    ///
    /// # Errors
    /// [`ClientError::Call`] with the status that the call ended with.
    pub async fn analyze(
        &self,
        request: v1::AnalyzeRequest,
    ) -> Result<Streaming<v1::AnalyzeResponse>, ClientError> {
        let mut client = SearchServiceClient::new(self.channel.clone());
        let request = within(request, self.timeout);
        let stream = client.analyze(request).await.map_err(own_timeout_named)?;
        Ok(stream.into_inner())
    }

    /// Searches many positions with at most `in_flight` of them sent and unanswered. Results come as they finish;
    /// their `index` is the item's place in `items`.
    pub fn analyze_many(
        &self,
        items: impl Stream<Item = v1::BatchAnalyzeRequest> + Send + 'static,
        in_flight: usize,
    ) -> Results<v1::BatchAnalyzeResponse> {
        bulk::start::<Analyses>(self.clone(), items, in_flight)
    }

    /// Evaluates many positions, in order, with at most `in_flight` of them sent and unanswered.
    pub fn evaluate_many(
        &self,
        items: impl Stream<Item = v1::BatchEvaluateRequest> + Send + 'static,
        in_flight: usize,
    ) -> Results<v1::BatchEvaluateResponse> {
        bulk::start::<Evaluations>(self.clone(), items, in_flight)
    }

    /// Lists the legal moves of many positions, in order, with at most `in_flight` of them sent and unanswered.
    pub fn legal_moves_many(
        &self,
        items: impl Stream<Item = v1::BatchLegalMovesRequest> + Send + 'static,
        in_flight: usize,
    ) -> Results<v1::BatchLegalMovesResponse> {
        bulk::start::<LegalMoves>(self.clone(), items, in_flight)
    }

    /// Decides many games, in order, with at most `in_flight` of them sent and unanswered.
    pub fn adjudicate_many(
        &self,
        items: impl Stream<Item = v1::BatchAdjudicateRequest> + Send + 'static,
        in_flight: usize,
    ) -> Results<v1::BatchAdjudicateResponse> {
        bulk::start::<Adjudications>(self.clone(), items, in_flight)
    }

    /// Asks until there is an answer, an error that stays, no retry left, or no time.
    async fn ask<Q: Clone, A, F>(
        &self,
        message: Q,
        call: impl Fn(Channel, Request<Q>) -> F,
    ) -> Result<A, ClientError>
    where
        F: Future<Output = Result<A, Status>>,
    {
        let end = self.timeout.map(|timeout| Instant::now() + timeout);
        let left = || end.map(|end| end.saturating_duration_since(Instant::now()));
        let mut attempt = 1;
        loop {
            let status = match call(self.channel.clone(), within(message.clone(), left())).await {
                Ok(answer) => {
                    self.budget.earn();
                    return Ok(answer);
                }
                Err(status) => own_timeout_named(status),
            };
            match self.policy.pause(&status, attempt) {
                // A pause that takes all the time left would only hide what is wrong.
                Some(pause) if left().is_none_or(|left| pause < left) && self.budget.spend() => {
                    tokio::time::sleep(pause).await;
                }
                _ => return Err(status.into()),
            }
            attempt += 1;
        }
    }
}

fn within<T>(message: T, timeout: Option<Duration>) -> Request<T> {
    let mut request = Request::new(message);
    if let Some(timeout) = timeout {
        request.set_timeout(timeout);
    }
    request
}

/// An error and what caused it, in one line.
fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
