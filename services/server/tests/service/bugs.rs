//! Faults that other services were reported for, replayed on this one.
//!
//! | # | report | replayed by |
//! |---|---|---|
//! | 1 | grpc-rust#2216: long error texts break the protocol | `long_texts` |
//! | 3 | grpc-rust#936: time-outs end with the headers, as CANCELLED | `deadline.rs`: all of it |
//! | 4 | grpc-rust#2522: connections of a certain age panic or are cut | `limits.rs`: old connections |
//! | 5 | hyper#4170: graceful shutdown never returns | `drain.rs`: silent peers, watches, readers that stopped; `log.rs`: who was cut |
//! | 7 | grpc-rust#2185: the call after a GOAWAY fails | `rollout`, `client.rs`: restarts |
//! | 9 | qdrant#1907, h2#668: many cancelled calls end the connection | `ten_thousand_dropped_calls_harm_nobody` |
//! | 10 | text-embeddings-inference#811: a full queue panics | `overload`, `full_queues_refuse_and_nothing_is_lost`; the program's tests: a thousand connections |
//! | 12 | tokio#5338: blocking work holds the process up | `a_server_that_ends_during_a_batch_…`, `drain.rs`: searches in flight; the program's tests: signals |
//! | 14 | naga#1205: more workgroups than one dimension holds | the evaluator's `gpu/layouts.rs`, `batch/forming.rs`, `identity.rs` |
//! | 15 | lc0#957, ollama#6187: values depend on their company | `company`; `gpu.rs` and the evaluator's `identity.rs` for the other backends |
//! | 16 | lc0#415: batches made for a GPU on a CPU's clock | `short_clock`; the evaluator's `batch/failover.rs` in the middle of work |
//! | 18, 19 | nats-server#5564, nats.rs#860: queues that lose or stall | the jobs' own tests |

use crate::common;

mod company;
mod long_texts;
mod overload;
mod rollout;
mod short_clock;

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use common::page::Page;
use futures_util::StreamExt;
use tabiya_api::v1::{
    self, batch_evaluate_response::Outcome, rules_service_client::RulesServiceClient,
    search_service_client::SearchServiceClient,
};
use tabiya_server::{Config, Server};
use tonic::Code;
use tonic_types::StatusExt;

/// What a busy machine may take.
const PATIENCE: Duration = Duration::from_secs(120);

fn limited(limits: v1::Limits) -> v1::BestMoveRequest {
    v1::BestMoveRequest {
        limits: Some(limits),
        ..Default::default()
    }
}

/// qdrant/qdrant#1907, #8530, hyperium/h2#668: callers that drop many calls are taken for an attack, and what else is
/// on their connection fails with them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_dropped_calls_harm_nobody() {
    const CALLS: u64 = 10_000;
    const AT_ONCE: usize = 100;
    let config = Config {
        interactive_threads: 1,
        ..common::config()
    };
    let server = Server::start(config).unwrap();
    let channel = common::channel(server.addr()).await;
    common::until_ready(&channel).await;

    let over = Arc::new(AtomicBool::new(false));
    let probe = tokio::spawn({
        let (mut client, over) = (RulesServiceClient::new(channel.clone()), over.clone());
        async move {
            let mut answered = 0;
            while !over.load(Ordering::Relaxed) {
                client
                    .legal_moves(v1::LegalMovesRequest::default())
                    .await
                    .unwrap();
                answered += 1;
            }
            answered
        }
    });
    let endless = limited(v1::Limits {
        depth: 99,
        ..Default::default()
    });
    let calls = futures_util::stream::iter(0..CALLS).map(|number| {
        let (mut client, request) = (SearchServiceClient::new(channel.clone()), endless.clone());
        async move {
            let patience = Duration::from_millis(number % 6);
            match tokio::time::timeout(patience, client.best_move(request)).await {
                // Dropped.
                Err(_) => {}
                Ok(Err(status)) if status.code() == Code::ResourceExhausted => {}
                Ok(other) => panic!("{other:?}"),
            }
        }
    });
    calls.buffer_unordered(AT_ONCE).for_each(async |()| {}).await;
    over.store(true, Ordering::Relaxed);
    println!("{} probes answered meanwhile", probe.await.unwrap());

    // Nothing of them is left, by the server's own account: no search computes and none waits.
    let begun = std::time::Instant::now();
    loop {
        let page = Page::fetch(server.admin_addr()).await;
        let left = [
            "tabiya_busy_threads",
            "tabiya_queue_positions",
            "tabiya_admitted_positions",
        ]
        .map(|name| page.sum(name, &[]));
        if left == [0.0; 3] {
            println!("idle {:?} after the last was dropped", begun.elapsed());
            break;
        }
        assert!(begun.elapsed() < PATIENCE, "left: {left:?}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // And the only thread is free.
    let quick = limited(v1::Limits {
        nodes: 100,
        ..Default::default()
    });
    for _ in 0..10 {
        let mut client = SearchServiceClient::new(channel.clone());
        let answer = tokio::time::timeout(PATIENCE, client.best_move(quick.clone())).await;
        assert_eq!(
            answer
                .expect("a free thread")
                .unwrap()
                .into_inner()
                .best_move
                .len(),
            4
        );
    }
}

/// huggingface/text-embeddings-inference#811: a full queue ends the process.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn full_queues_refuse_and_nothing_is_lost() {
    let config = Config {
        interactive_threads: 1,
        interactive_queue: 5,
        evaluate_queue: 4096,
        ..common::config()
    };
    let server = Server::start(config).unwrap();
    let channel = common::channel(server.addr()).await;
    common::until_ready(&channel).await;
    let calls: Vec<_> = (0..25 * 5)
        .map(|_| {
            let mut client = SearchServiceClient::new(channel.clone());
            let request = limited(v1::Limits {
                nodes: 2000,
                ..Default::default()
            });
            tokio::spawn(async move { client.best_move(request).await })
        })
        .collect();
    let (mut served, mut refused) = (0, 0);
    for call in calls {
        match tokio::time::timeout(PATIENCE, call)
            .await
            .expect("an end")
            .unwrap()
        {
            Ok(answer) => {
                assert_eq!(answer.into_inner().best_move.len(), 4);
                served += 1;
            }
            Err(status) => {
                assert_eq!(status.code(), Code::ResourceExhausted, "{status:?}");
                assert!(status.get_details_retry_info().is_some(), "{status:?}");
                refused += 1;
            }
        }
    }
    println!("{served} served, {refused} refused");
    assert!(served > 0);

    // As much as the queue holds, and more than any queue takes.
    let mut client = SearchServiceClient::new(channel.clone());
    let mut evaluate = async |count: usize| {
        let request = v1::EvaluateRequest {
            positions: vec![v1::Position::default(); count],
            ..Default::default()
        };
        client
            .evaluate(request)
            .await
            .map(|answer| answer.into_inner().evaluations.len())
    };
    assert_eq!(evaluate(4096).await.unwrap(), 4096);
    assert_eq!(evaluate(4097).await.unwrap_err().code(), Code::InvalidArgument);
}

/// tokio-rs/tokio#5338: what is computed at the end holds the end up, or is answered as if it had been done.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_ends_during_a_batch_tells_what_was_not_evaluated() {
    const ITEMS: usize = 200_000;
    let config = Config {
        drain_grace: Duration::from_millis(200),
        ..common::config()
    };
    let server = Server::start(config).unwrap();
    let channel = common::channel(server.addr()).await;
    common::until_ready(&channel).await;
    let mut client = SearchServiceClient::new(channel);
    let items = (0..ITEMS).map(|_| v1::BatchEvaluateRequest::default());
    let mut answers = client
        .batch_evaluate(tokio_stream::iter(items))
        .await
        .unwrap()
        .into_inner();
    assert!(answers.message().await.unwrap().is_some());
    let end = tokio::spawn(common::shutdown(server));
    let mut answered = 1;
    let status = loop {
        match tokio::time::timeout(PATIENCE, answers.message())
            .await
            .expect("an end")
        {
            Ok(Some(answer)) => {
                assert!(matches!(answer.outcome, Some(Outcome::Response(_))), "{answer:?}");
                answered += 1;
            }
            Ok(None) => panic!("ended as if complete after {answered}"),
            Err(status) => break status,
        }
    };
    println!("{answered} answers before {status:?}");
    assert!(answered < ITEMS);
    assert_eq!(status.code(), Code::Unavailable, "{status:?}");
    tokio::time::timeout(PATIENCE, end)
        .await
        .expect("the server ends")
        .unwrap();
}
