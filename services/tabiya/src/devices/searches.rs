//! How fast bulk searches are on each backend.

use std::time::{Duration, Instant};

use futures_util::stream;
use tabiya_client::v1::{self, batch_analyze_response::Outcome};

use crate::{bench::POSITIONS, failure::Failure, session::Session};

/// Searches that run at once or wait: as many as keep a graphics processor busy.
const SEARCHES: usize = 512;

/// Nodes of each search in the first round.
const FIRST_NODES: u64 = 100;
/// Nodes of each search at most.
const MOST_NODES: u64 = 1 << 20;

/// How long the round that counts shall take, at least.
const LONG_ENOUGH: Duration = Duration::from_millis(1_500);

/// What bulk searches by a network reached on a backend.
pub(super) struct Reached {
    /// Hash of the network.
    pub(super) network: String,
    pub(super) backend: v1::Backend,
    pub(super) nodes_per_second: f64,
}

/// Bulk searches by every network on every backend that works but the reference, which only checks the others.
///
/// # Errors
/// If a call fails.
pub(super) fn measure(session: &Session, info: &v1::GetEngineInfoResponse) -> Result<Vec<Reached>, Failure> {
    let mut reached = Vec::new();
    for network in &info.networks {
        let backends = network.backends.iter().filter(|backend| backend.available);
        let backends = backends.map(v1::BackendInfo::kind);
        for backend in backends.filter(|backend| *backend != v1::Backend::Scalar) {
            reached.push(Reached {
                network: network.hash.clone(),
                backend,
                nodes_per_second: rate(session, &network.hash, backend)?,
            });
        }
    }
    Ok(reached)
}

/// Rounds of more and more nodes, until one lasts long enough: the last one counts.
fn rate(session: &Session, network: &str, backend: v1::Backend) -> Result<f64, Failure> {
    let mut nodes = FIRST_NODES;
    loop {
        let begun = Instant::now();
        let searched = session.run(round(session, network, backend, nodes))?;
        let time = begun.elapsed();
        if time >= LONG_ENOUGH || nodes == MOST_NODES {
            return Ok(searched as f64 / time.as_secs_f64());
        }
        nodes = (nodes * 4).min(MOST_NODES);
    }
}

/// The nodes of one round.
async fn round(session: &Session, network: &str, backend: v1::Backend, nodes: u64) -> Result<u64, Failure> {
    let network = network.to_owned();
    let items = (0..SEARCHES)
        .zip(POSITIONS.iter().cycle())
        .map(move |(_, fen)| v1::BatchAnalyzeRequest {
            position: Some(v1::Position {
                fen: (*fen).to_owned(),
                ..v1::Position::default()
            }),
            limits: Some(v1::Limits {
                nodes,
                ..v1::Limits::default()
            }),
            backend: backend.into(),
            network: network.clone(),
            ..v1::BatchAnalyzeRequest::default()
        });
    let mut answers = session.client().analyze_many(stream::iter(items), SEARCHES);
    let mut searched = 0;
    while let Some(answer) = answers.next().await {
        match answer?.outcome {
            Some(Outcome::Response(response)) => searched += response.stats.map_or(0, |stats| stats.nodes),
            Some(Outcome::Error(error)) => return Err(Failure::BrokenOff(error.message)),
            None => {}
        }
    }
    Ok(searched)
}
