//! Proofs of who can still mate: on a thread of their own, stopped when nobody waits any more.

use std::time::{Duration, Instant};

use tabiya_api::{
    convert::{mate_question, mate_response, undecided},
    v1,
};
use tabiya_arbiter::mate::Prover;
use tokio::sync::oneshot;
use tonic::{Response, Status};

use super::{
    Context,
    rules::{moves_of, read},
};
use crate::{
    compute::StopGuard,
    edge::Deadline,
    engine::{Engine, proof_bytes},
    phase::Phase,
};

/// After it was told to stop, a proof gets this long to say how far it came; with a deadline, half of the time to it.
const PATIENCE: Duration = Duration::from_secs(1);

/// Answers whether a side can still mate, or that this is not known when the time is up.
pub(super) async fn prove(
    engine: &Engine,
    context: &Context,
    request: v1::ProveMateRequest,
) -> Result<Response<v1::ProveMateResponse>, Status> {
    let moves = moves_of(request.position.as_ref());
    let question = read(&engine.rules, moves, move || mate_question(&request)).await?;
    context.stats.add_positions(1);
    // Dropped with this future: when the caller goes away the proof stops.
    let guard = StopGuard::default();
    let stop = guard.flag();
    let time = question.time;
    let (begun, has_begun) = oneshot::channel();
    let (memory, answer_by) = (engine.proofs.clone(), context.answer_by());
    let mut ticket = engine.proving.submit(1, move || {
        let Some(_held) = memory.take(proof_bytes(question.nodes), answer_by, &stop) else {
            return undecided(0);
        };
        // Nobody listens if there is no limit of time.
        let _ = begun.send(Instant::now());
        let board = question.position.board();
        let proof = Prover::stopped_by(stop).prove(board, question.side, question.nodes);
        mate_response(&question, proof)
    })?;
    let out_of_time = async {
        let begun = has_begun.await.ok();
        // A time beyond the clock's range is no limit.
        match begun.zip(time).and_then(|(begun, time)| begun.checked_add(time)) {
            Some(end) => tokio::time::sleep_until(end.into()).await,
            None => std::future::pending().await,
        }
    };
    let deadline = async {
        match context.answer_by() {
            Some(by) => tokio::time::sleep_until(by.into()).await,
            None => std::future::pending().await,
        }
    };
    let done = tokio::select! {
        biased;
        timed = &mut ticket => Some(timed?),
        () = out_of_time => None,
        () = deadline => None,
        () = engine.lifecycle.reached(Phase::Stopping) => None,
    };
    let timed = match done {
        Some(timed) => Some(timed),
        None => {
            guard.stop();
            if ticket.withdraw() {
                None
            } else {
                let left = context
                    .deadline
                    .map(|Deadline(at)| at.saturating_duration_since(Instant::now()) / 2);
                // A thread that a busy machine does not let go on has nothing to say.
                tokio::time::timeout(left.unwrap_or(PATIENCE), ticket)
                    .await
                    .ok()
                    .transpose()?
            }
        }
    };
    Ok(Response::new(match timed {
        Some(timed) => {
            context.stats.add_times(timed.queue_time, timed.compute_time);
            timed.value
        }
        None => undecided(0),
    }))
}

#[cfg(test)]
mod tests {
    use tabiya_api::convert::MAX_PROOF_NODES;
    use tonic::Request;

    use super::*;
    use crate::{Config, GpuPolicy, health::Proof, phase::Lifecycle};

    #[tokio::test]
    async fn a_proof_waits_for_memory_but_no_longer_than_its_caller() {
        let config = Config {
            gpu: GpuPolicy::Off,
            calibration: Duration::ZERO,
            proof_memory: proof_bytes(MAX_PROOF_NODES),
            ..Config::in_process()
        };
        let engine = Engine::start(&config, Lifecycle::new(), Proof::new()).unwrap();
        let ask = |patience: Duration| {
            let mut request = Request::new(v1::ProveMateRequest {
                side: v1::Color::White.into(),
                ..Default::default()
            });
            request
                .extensions_mut()
                .insert(Deadline(Instant::now() + patience));
            Context::of(request)
        };
        let everything = engine.proofs.take(usize::MAX, None, &false.into()).unwrap();
        let (context, request) = ask(Duration::from_millis(200));
        let answer = prove(&engine, &context, request).await.unwrap().into_inner();
        assert_eq!((answer.verdict(), answer.nodes), (v1::MateVerdict::Unknown, 0));
        let (context, request) = ask(Duration::from_secs(60));
        let waiting = prove(&engine, &context, request);
        let release = async {
            tokio::time::sleep(Duration::from_millis(50)).await;
            drop(everything);
        };
        let (answer, ()) = tokio::join!(waiting, release);
        assert_eq!(answer.unwrap().into_inner().verdict(), v1::MateVerdict::Yes);
        engine.close();
    }
}
