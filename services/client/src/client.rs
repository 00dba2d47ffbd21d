use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use tabiya_api::v1::{
    self, arbiter_service_client::ArbiterServiceClient, job_service_client::JobServiceClient,
    rules_service_client::RulesServiceClient, search_service_client::SearchServiceClient,
};
use tokio_stream::{Stream, StreamExt};
use tonic::{Request, Status, Streaming, service::interceptor::InterceptedService, transport::Channel};

use crate::{
    Access, ClientError, Results, RetryPolicy, Statistics,
    access::Bearer,
    bulk::{self, Adjudications, Analyses, Evaluations, LegalMoves},
    follow,
    retry::{RetryBudget, is_server_lost, own_timeout_named},
    servers::Servers,
};

/// A longer timeout is as good as none, and further ones cannot be written into a request.
const LONGEST_TIMEOUT: Duration = Duration::from_secs(365 * 24 * 3600);

/// What calls travel through.
pub(crate) type Transport = InterceptedService<Channel, Bearer>;

/// Connections to one or more servers, over which calls are spread. Clones share them.
#[derive(Clone, Debug)]
pub struct Client {
    pub(crate) servers: Servers,
    pub(crate) policy: RetryPolicy,
    pub(crate) budget: Arc<RetryBudget>,
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
    /// Tells how far a job is.
    get_job: JobServiceClient, GetJobRequest -> GetJobResponse;
    /// Lists a page of jobs.
    list_jobs: JobServiceClient, ListJobsRequest -> ListJobsResponse;
    /// Ends a job early.
    cancel_job: JobServiceClient, CancelJobRequest -> CancelJobResponse;
    /// Tells what the server computes with.
    get_engine_info: SearchServiceClient, GetEngineInfoRequest -> GetEngineInfoResponse;
}

impl Client {
    /// Connects to an endpoint such as `http://127.0.0.1:50051` or `127.0.0.1:50051`, or `https://chess.example` with
    /// what the system trusts, or to several, separated by commas.
    ///
    /// Calls go to every address of a name in turn, and names are looked up again: with a headless service of Kubernetes
    /// they are spread over its pods, and new pods get their share. A server that fails or leaves is left out until it
    /// says that it takes calls again. One server that answers is enough to connect.
    ///
    /// # Errors
    /// [`ClientError::Endpoint`] if it is no address, [`ClientError::Connect`] if nothing answers there.
    pub async fn connect(endpoints: &str) -> Result<Self, ClientError> {
        Self::connect_with(endpoints, &Access::default()).await
    }

    /// Connects with certificates and a token. Without a scheme, connections are encrypted if `access` names an
    /// authority or a certificate. Certificates are held against the name that was asked for, whatever its addresses.
    ///
    /// # Errors
    /// As [`Client::connect`]; certificates that cannot be used are [`ClientError::Endpoint`] too.
    pub async fn connect_with(endpoints: &str, access: &Access) -> Result<Self, ClientError> {
        Ok(Self {
            servers: Servers::connect(endpoints, access).await?,
            policy: RetryPolicy::default(),
            budget: Arc::new(RetryBudget::new()),
            timeout: None,
        })
    }

    /// What has been asked so far, and asked again, by this client and its clones.
    pub fn statistics(&self) -> Statistics {
        self.budget.statistics()
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
        self.budget.count();
        let server = self.servers.pick();
        let mut client = SearchServiceClient::new(server.channel());
        let stream = client.analyze(within(request, self.timeout)).await;
        let stream = stream.inspect_err(|status| {
            if is_server_lost(status) {
                server.failed();
            }
        });
        Ok(stream.map_err(own_timeout_named)?.into_inner())
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

    /// Submits a job. One without a name gets one here, so that the call can be repeated and there still is one job.
    ///
    /// # Errors
    /// [`ClientError::Call`] with the status that the call ended with.
    pub async fn submit_job(
        &self,
        mut request: v1::SubmitJobRequest,
    ) -> Result<v1::SubmitJobResponse, ClientError> {
        if request.job_id.is_empty() {
            request.job_id = uuid::Uuid::new_v4().simple().to_string();
        }
        self.ask(request, |channel, request| async move {
            Ok(JobServiceClient::new(channel)
                .submit_job(request)
                .await?
                .into_inner())
        })
        .await
    }

    /// Submits a job in parts, for one that does not fit into a message. Asked only once, as the parts may be read from
    /// anywhere; with a `job_id` in the first part the caller may do it again.
    ///
    /// # Errors
    /// [`ClientError::Call`] with the status that the call ended with.
    pub async fn upload_job(
        &self,
        parts: impl Stream<Item = v1::SubmitJobRequest> + Send + 'static,
    ) -> Result<v1::UploadJobResponse, ClientError> {
        self.budget.count();
        let server = self.servers.pick();
        let mut client = JobServiceClient::new(server.channel());
        let parts = parts.map(|part| v1::UploadJobRequest { part: Some(part) });
        let answer = client.upload_job(within(parts, self.timeout)).await;
        let answer = answer.inspect_err(|status| {
            if is_server_lost(status) {
                server.failed();
            }
        });
        Ok(answer.map_err(own_timeout_named)?.into_inner())
    }

    /// Hands out a job's results after a cursor; with `follow`, until the job has ended. A broken stream is resumed.
    pub fn job_results(&self, request: v1::StreamResultsRequest) -> Results<v1::StreamResultsResponse> {
        follow::start(self.clone(), request)
    }

    /// Asks until there is an answer, an error that stays, no retry left, or no time.
    async fn ask<Q: Clone, A, F>(
        &self,
        message: Q,
        call: impl Fn(Transport, Request<Q>) -> F,
    ) -> Result<A, ClientError>
    where
        F: Future<Output = Result<A, Status>>,
    {
        let end = self.timeout.map(|timeout| Instant::now() + timeout);
        let left = || end.map(|end| end.saturating_duration_since(Instant::now()));
        self.budget.count();
        let mut attempt = 1;
        loop {
            let server = self.servers.pick();
            let status = match call(server.channel(), within(message.clone(), left())).await {
                Ok(answer) => {
                    self.budget.earn();
                    return Ok(answer);
                }
                Err(status) => status,
            };
            if is_server_lost(&status) {
                server.failed();
            }
            let status = own_timeout_named(status);
            match self.policy.pause(&status, attempt) {
                // A pause that takes all the time left would only hide what is wrong.
                Some(pause) if left().is_none_or(|left| pause < left) && self.budget.spend() => {
                    tokio::time::sleep(pause).await;
                    self.budget.count_retry();
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
