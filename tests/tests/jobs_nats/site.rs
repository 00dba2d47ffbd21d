//! A broker, a server in front of it, workers behind it, and a job with known answers.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use tabiya_client::{
    Client,
    v1::{
        self, AnalyzeResponse, BatchAnalyzeRequest, JobItem, JobState, Limits, Position,
        job_service_client::JobServiceClient,
    },
};
use tabiya_tests::{Broker, Serving, Working};
use tonic::{Code, transport::Channel};

/// Positions of the job.
pub(crate) const ITEMS: usize = 2000;

/// Nodes for each of them: with three workers on two cores the job lasts about half a minute.
pub(crate) const NODES: u64 = 5000;

/// Short leases, so that what a dead worker held is soon somebody else's.
pub(crate) const LEASE: Duration = Duration::from_secs(3);

/// No job takes so long, on any machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(600);

/// Room in the queue, in tasks: what the job needs, and a little more.
pub(crate) const ROOM: usize = 40;

/// The broker, the server and a connection to it.
pub(crate) struct Site {
    pub(crate) broker: Broker,
    pub(crate) server: Serving,
    pub(crate) jobs: JobServiceClient<Channel>,
}

impl Site {
    pub(crate) async fn start(skipped: &str) -> Option<Self> {
        Self::start_with(skipped, &[]).await
    }

    /// The same, with further arguments for the server.
    pub(crate) async fn start_with(skipped: &str, extra: &[&str]) -> Option<Self> {
        let broker = Broker::start(skipped)?;
        let server = front("127.0.0.1:0", &broker, extra);
        let jobs = JobServiceClient::connect(server.endpoint())
            .await
            .expect("a server");
        Some(Self { broker, server, jobs })
    }

    /// A worker process that reaches the broker at `address`.
    pub(crate) fn worker(&self, address: &str) -> Working {
        Working::start(address, &["--threads", "1", "--slots", "2"])
    }

    /// Submits, again and again where the broker is away.
    pub(crate) async fn submit(&mut self, request: v1::SubmitJobRequest) -> Result<v1::Job, tonic::Status> {
        let begun = Instant::now();
        loop {
            match self.jobs.submit_job(request.clone()).await {
                Ok(response) => return Ok(response.into_inner().job.expect("a job")),
                Err(status) if status.code() == Code::Unavailable && begun.elapsed() < PATIENCE => {
                    tokio::time::sleep(Duration::from_millis(200)).await;
                }
                Err(status) => return Err(status),
            }
        }
    }

    /// The job, as far as the broker can be asked just now.
    pub(crate) async fn job(&mut self, job_id: &str) -> Option<v1::Job> {
        let request = v1::GetJobRequest {
            job_id: job_id.to_owned(),
        };
        self.jobs.get_job(request).await.ok()?.into_inner().job
    }

    /// Waits until a job has so many results, or has ended.
    pub(crate) async fn until(&mut self, job_id: &str, results: usize) -> v1::Job {
        let begun = Instant::now();
        loop {
            if let Some(job) = self.job(job_id).await {
                assert!(job.results <= job.items, "{job:?}");
                if job.results as usize >= results || job.state() != JobState::Running {
                    return job;
                }
                assert!(begun.elapsed() < PATIENCE, "{job:?}");
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Every result that is there.
    pub(crate) async fn results(&mut self, job_id: &str) -> Vec<v1::StreamResultsResponse> {
        let request = v1::StreamResultsRequest {
            job_id: job_id.to_owned(),
            ..v1::StreamResultsRequest::default()
        };
        let mut stream = self
            .jobs
            .stream_results(request)
            .await
            .expect("results")
            .into_inner();
        let mut rows = Vec::new();
        while let Some(row) = stream.message().await.expect("a result") {
            rows.push(row);
        }
        rows
    }

    /// Waits until the queue is empty, to the last message of the stream.
    pub(crate) async fn until_empty(&self) {
        let begun = Instant::now();
        while self.broker.messages("TABIYA_JOBS") > 0 {
            assert!(
                begun.elapsed() < PATIENCE,
                "{} tasks stay",
                self.broker.messages("TABIYA_JOBS")
            );
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }
}

/// The server in front of the broker.
pub(crate) fn front(listen: &str, broker: &Broker, extra: &[&str]) -> Serving {
    let (lease, room) = (LEASE.as_secs().to_string(), ROOM.to_string());
    let url = broker.url();
    let nats = ["--nats", &url, "--nats-lease", &lease, "--nats-max-tasks", &room];
    Serving::start_at(listen, &[&nats[..], extra].concat())
}

/// Positions after two moves of White's pawns and one of Black's.
pub(crate) fn positions() -> Vec<Position> {
    let mut positions = Vec::new();
    for one in 'a'..='h' {
        for two in ('a'..='h').filter(|&two| two != one) {
            for black in 'a'..='h' {
                for (to, answer, next) in (0..8).map(|bits| (3 + bits % 2, 6 - bits / 2 % 2, 3 + bits / 4)) {
                    let moves = vec![
                        format!("{one}2{one}{to}"),
                        format!("{black}7{black}{answer}"),
                        format!("{two}2{two}{next}"),
                    ];
                    positions.push(Position {
                        moves,
                        ..Position::default()
                    });
                }
            }
        }
    }
    positions
}

/// A job of positions from `from` on.
pub(crate) fn request(job_id: &str, from: usize, items: usize) -> v1::SubmitJobRequest {
    let all = positions();
    v1::SubmitJobRequest {
        job_id: job_id.to_owned(),
        items: (0..items)
            .map(|index| JobItem {
                item_id: format!("item {index}"),
                position: Some(all[(from + index) % all.len()].clone()),
                ..JobItem::default()
            })
            .collect(),
        limits: Some(Limits {
            nodes: NODES,
            ..Limits::default()
        }),
        ..v1::SubmitJobRequest::default()
    }
}

/// What of an answer does not depend on who found it and when.
pub(crate) fn essence(response: &AnalyzeResponse) -> impl PartialEq + std::fmt::Debug + use<> {
    (
        response.best_move.clone(),
        response.ponder_move.clone(),
        response.lines.clone(),
        response.depth,
        response.stats.as_ref().map(|stats| stats.nodes),
    )
}

/// What the server itself answers, without a job and without trouble.
pub(crate) async fn undisturbed(server: &Serving, items: usize) -> BTreeMap<String, AnalyzeResponse> {
    let client = Client::connect(&server.endpoint()).await.expect("a server");
    let requests: Vec<_> = request("", 0, items)
        .items
        .into_iter()
        .map(|item| BatchAnalyzeRequest {
            id: item.item_id,
            position: item.position,
            limits: Some(Limits {
                nodes: NODES,
                ..Limits::default()
            }),
            ..BatchAnalyzeRequest::default()
        })
        .collect();
    let mut answers = client.analyze_many(futures_util::stream::iter(requests), 64);
    let mut found = BTreeMap::new();
    while let Some(answer) = answers.next().await {
        let answer = answer.expect("an answer");
        let Some(v1::batch_analyze_response::Outcome::Response(response)) = answer.outcome else {
            panic!("{answer:?}");
        };
        found.insert(answer.id, response);
    }
    found
}
