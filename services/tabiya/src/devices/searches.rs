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

/// Nodes a second of bulk searches on every backend that works but the reference, which only checks the others.
///
/// # Errors
/// If a call fails.
pub(super) fn measure(
    session: &Session,
    info: &v1::GetEngineInfoResponse,
) -> Result<Vec<(v1::Backend, f64)>, Failure> {
    let backends = info.backends.iter().filter(|backend| backend.available);
    backends
        .map(v1::BackendInfo::kind)
        .filter(|backend| *backend != v1::Backend::Scalar)
        .map(|backend| Ok((backend, rate(session, backend)?)))
        .collect()
}

/// Rounds of more and more nodes, until one lasts long enough: the last one counts.
fn rate(session: &Session, backend: v1::Backend) -> Result<f64, Failure> {
    let mut nodes = FIRST_NODES;
    loop {
        let begun = Instant::now();
        let searched = session.run(round(session, backend, nodes))?;
        let time = begun.elapsed();
        if time >= LONG_ENOUGH || nodes == MOST_NODES {
            return Ok(searched as f64 / time.as_secs_f64());
        }
        nodes = (nodes * 4).min(MOST_NODES);
    }
}

/// The nodes of one round.
async fn round(session: &Session, backend: v1::Backend, nodes: u64) -> Result<u64, Failure> {
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
