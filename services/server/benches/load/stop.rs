//! The end of the grace of a server that stops: how soon searches that still run have answered, and how soon it is over.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use tabiya_api::v1::{self, StoppedBy, search_service_client::SearchServiceClient};
use tabiya_server::{Config, RunningServer};
use tokio::sync::oneshot;
use tonic::{Code, transport::Channel};

use crate::{
    Options,
    figures::{Figure, Table, Times, Unit},
    games::positions,
    rig::{Rig, config, endless},
};

/// Long enough for what is told at the start of the end to be over.
const GRACE: Duration = Duration::from_millis(300);

/// The time that watchers of health have beforehand, as the server keeps it.
const DELAY: Duration = Duration::from_millis(50);

const SEARCHES: usize = 16;

pub(crate) async fn measure(options: &Options, table: &mut Table) {
    let (mut told, mut over, mut wrong, mut unsaid) = (vec![], vec![], vec![], vec![]);
    for _ in 0..options.rounds {
        let mut rig = Rig::start(Config {
            drain_grace: GRACE,
            drain_delay: DELAY,
            ..config()
        })
        .await;
        let channel = rig.channel().await;
        let searches: Vec<_> = (0..SEARCHES)
            .map(|_| {
                let mut client = SearchServiceClient::new(channel.clone());
                tokio::spawn(async move { (client.best_move(endless()).await, Instant::now()) })
            })
            .collect();
        rig.until("tabiya_busy_threads", SEARCHES as f64).await;
        let (began, has_begun) = oneshot::channel();
        let batch = tokio::spawn(batch(SearchServiceClient::new(channel), began));
        has_begun.await.expect("a stream");

        let begun = Instant::now();
        let server = rig.server.take();
        let end = tokio::task::spawn_blocking(move || server.map(RunningServer::shutdown));
        let (mut times, mut otherwise) = (Times::default(), 0.0);
        for search in join_all(searches).await {
            let (answer, at) = search.expect("a call");
            times.push(at.saturating_duration_since(begun + DELAY + GRACE));
            let is_right = answer.as_ref().is_ok_and(|answer| {
                let answer = answer.get_ref();
                !answer.best_move.is_empty() && answer.stopped_by() == StoppedBy::Shutdown
            });
            if !is_right {
                eprintln!("  at the end of a server: {answer:?}");
                otherwise += 1.0;
            }
        }
        end.await.expect("an end");
        over.push(begun.elapsed().as_secs_f64() - (DELAY + GRACE).as_secs_f64());
        told.push(times.permille(1000));
        wrong.push(otherwise);
        unsaid.push(f64::from(u8::from(!batch.await.expect("a stream"))));
    }
    let name = format!("{SEARCHES} searches at the end of grace");
    table.add(
        Figure::new(format!("{name}: last answer after"), Unit::Millis, told)
            .most()
            .at_most(0.05),
    );
    table.add(
        Figure::new(format!("{name}: other than the best so far"), Unit::Count, wrong)
            .sum()
            .at_most(0.0),
    );
    table.add(
        Figure::new("batch at the end: not told UNAVAILABLE", Unit::Count, unsaid)
            .sum()
            .at_most(0.0),
    );
    table.add(
        Figure::new("end of grace: server over after", Unit::Millis, over)
            .most()
            .at_most(1.0),
    );
}

/// Evaluations without an end; whether the caller hears at theirs that the rest belongs elsewhere.
async fn batch(mut client: SearchServiceClient<Channel>, began: oneshot::Sender<()>) -> bool {
    let item = |position| v1::BatchEvaluateRequest {
        position: Some(position),
        ..Default::default()
    };
    let items = tokio_stream::iter(positions().into_iter().cycle().map(item));
    let stream = client.batch_evaluate(items).await;
    let mut stream = stream.expect("a stream").into_inner();
    stream.message().await.expect("an answer");
    began.send(()).expect("somebody waits");
    loop {
        match stream.message().await {
            Ok(Some(_)) => {}
            Err(status) if status.code() == Code::Unavailable => return true,
            other => {
                eprintln!("  a batch at the end of a server: {other:?}");
                return false;
            }
        }
    }
}
