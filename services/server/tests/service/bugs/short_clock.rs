//! LeelaChessZero/lc0#415: batches made for a GPU, on a CPU and against a short clock: the first takes longer than there
//! is time.

use std::time::{Duration, Instant};

use tabiya_api::v1::{self, StoppedBy, search_service_client::SearchServiceClient};

use crate::common;

/// What a busy machine may add; how close to the clock answers come is for the benchmark to say.
const PATIENCE: Duration = Duration::from_secs(60);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_short_clock_is_enough_on_a_cold_cpu() {
    for callers in [1, 16] {
        // Cold: no table, no calibration, no earlier call.
        let server = common::start();
        let channel = common::channel(server.addr()).await;
        let calls: Vec<_> = (0..callers)
            .map(|_| {
                let mut client = SearchServiceClient::new(channel.clone());
                let time = Some(prost_types::Duration {
                    seconds: 0,
                    nanos: 50_000_000,
                });
                let request = v1::BestMoveRequest {
                    limits: Some(v1::Limits {
                        time,
                        ..Default::default()
                    }),
                    backend: v1::Backend::Cpu.into(),
                    ..Default::default()
                };
                tokio::spawn(async move {
                    let begun = Instant::now();
                    (client.best_move(request).await, begun.elapsed())
                })
            })
            .collect();
        for call in calls {
            let (answer, elapsed) = call.await.unwrap();
            let answer = answer.unwrap().into_inner();
            assert_eq!(answer.best_move.len(), 4, "{answer:?}");
            assert_eq!(answer.stopped_by(), StoppedBy::Time);
            // The search's own clock; the way there and back is the machine's.
            let stats = answer.stats.unwrap();
            let took = Duration::try_from(stats.time.unwrap()).unwrap();
            println!("{callers} callers: searched {took:?}, answered after {elapsed:?}");
            assert!(took < PATIENCE && elapsed < PATIENCE);
        }
    }
}
