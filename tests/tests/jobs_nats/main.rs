//! Bulk work by several processes over a NATS server, while everything happens to them that can.

mod site;

use std::{
    collections::HashSet,
    thread,
    time::{Duration, Instant},
};

use site::{ITEMS, LEASE, PATIENCE, ROOM, Site, essence, request, undisturbed};
use tabiya_client::v1::{
    self, JobState, Limits, job_service_client::JobServiceClient, stream_results_response::Outcome,
};
use tabiya_tests::{Broker, Proxy, Serving, Working, get, repository};
use tonic::Code;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_item_has_one_result_whatever_dies() {
    let Some(mut site) = Site::start("workers and a broker that die").await else {
        return;
    };
    let expected = undisturbed(&site.server, ITEMS).await;
    assert_eq!(expected.len(), ITEMS);

    let proxy = Proxy::to(&site.broker.address());
    let cable = format!("nats://{}", proxy.address());
    let direct = site.broker.url();
    let mut mortal = site.worker(&direct);
    let frozen = site.worker(&direct);
    let remote = site.worker(&cable);
    let job = site.submit(request("chaos", 0, ITEMS)).await.expect("a job");
    assert_eq!(job.items as usize, ITEMS);
    // The same job again is the same job.
    let again = site
        .submit(request("chaos", 0, ITEMS))
        .await
        .expect("the same job");
    assert_eq!(again.digest, job.digest);

    // One worker freezes for longer than its leases hold, another one is cut off from the broker for as long.
    site.until("chaos", ITEMS / 10).await;
    frozen.signal("STOP");
    proxy.cut();
    mortal.kill();
    mortal = site.worker(&direct);
    tokio::time::sleep(LEASE * 2).await;
    frozen.signal("CONT");
    proxy.heal();

    site.until("chaos", ITEMS / 3).await;
    site.broker.kill();
    tokio::time::sleep(Duration::from_millis(500)).await;
    mortal.kill();
    site.broker.restart();
    mortal = site.worker(&direct);

    site.until("chaos", ITEMS / 2).await;
    mortal.kill();
    mortal = site.worker(&direct);
    proxy.sever();

    site.until("chaos", ITEMS * 2 / 3).await;
    site.broker.kill();
    site.broker.restart();

    site.until("chaos", ITEMS * 4 / 5).await;
    mortal.kill();
    mortal = site.worker(&direct);

    let job = site.until("chaos", ITEMS).await;
    assert_eq!(job.state(), JobState::Completed, "{job:?}");
    assert_eq!((job.results, job.errors), (job.items, 0));
    let rows = site.results("chaos").await;
    assert_eq!(rows.len(), ITEMS);
    let names: HashSet<_> = rows.iter().map(|row| row.item_id.clone()).collect();
    assert_eq!(names.len(), ITEMS);
    for row in &rows {
        let Some(Outcome::Response(response)) = row.outcome.as_ref() else {
            panic!("{row:?}");
        };
        assert_eq!(
            essence(response),
            essence(&expected[&row.item_id]),
            "{}",
            row.item_id
        );
    }
    drop((mortal, frozen, remote));

    // The queue's room is back, to the last task.
    site.until_empty().await;
    let fitting = ITEMS;
    site.submit(request("fits", 0, fitting)).await.expect("room");
    let refused = site
        .submit(request("too-much", 0, fitting))
        .await
        .expect_err("no room");
    assert_eq!(refused.code(), Code::ResourceExhausted, "{refused}");
    let pause = tonic_types::StatusExt::get_details_retry_info(&refused).and_then(|info| info.retry_delay);
    assert!(
        pause.is_some_and(|pause| pause >= Duration::from_secs(1)),
        "{pause:?}"
    );
    site.jobs
        .cancel_job(v1::CancelJobRequest {
            job_id: "fits".to_owned(),
        })
        .await
        .expect("cancelled");
    site.until_empty().await;
    site.submit(request("too-much", 0, fitting))
        .await
        .expect("room again");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_that_never_fits_is_refused_for_good_and_leaves_nothing() {
    let Some(mut site) = Site::start("jobs larger than the queue").await else {
        return;
    };
    // A task for each item: more than the queue ever holds.
    let large = v1::SubmitJobRequest {
        limits: Some(Limits {
            nodes: 1_000_000,
            ..Limits::default()
        }),
        ..request("large", 0, ROOM + 1)
    };
    let refused = site.submit(large.clone()).await.expect_err("no room, ever");
    assert_eq!(refused.code(), Code::InvalidArgument, "{refused}");
    assert!(refused.message().contains("items"), "{refused}");
    assert!(site.job("large").await.is_none());
    assert_eq!(site.broker.messages("TABIYA_JOBS"), 0);
    // One item less fits.
    let fitting = v1::SubmitJobRequest {
        items: large.items[1..].to_vec(),
        ..large
    };
    site.submit(fitting).await.expect("room");
    assert_eq!(site.broker.messages("TABIYA_JOBS"), ROOM as u64);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_that_somebody_was_told_of_stays() {
    let Some(mut site) = Site::start("jobs that are submitted at once").await else {
        return;
    };
    for round in 0..10 {
        let names = [format!("one-{round}"), format!("two-{round}")];
        // Each fits by itself; both are submitted twice, all at the same time.
        let attempts = [0, 1, 0, 1].map(|which| {
            let mut jobs = site.jobs.clone();
            let request = request(&names[which], 0, ITEMS);
            tokio::spawn(async move { jobs.submit_job(request).await })
        });
        for (attempt, which) in attempts.into_iter().zip([0, 1, 0, 1]) {
            match attempt.await.expect("an answer") {
                Ok(_) => assert!(site.job(&names[which]).await.is_some(), "{}", names[which]),
                Err(status) => assert_eq!(status.code(), Code::ResourceExhausted, "{status}"),
            }
        }
        for name in &names {
            // Not found is as good.
            let job_id = name.clone();
            let _ = site.jobs.cancel_job(v1::CancelJobRequest { job_id }).await;
        }
        site.until_empty().await;
    }
}

/// Waits until a page has this line.
fn until_line(admin: &str, path: &str, line: &str) {
    let begun = Instant::now();
    loop {
        let (_, answer) = get(admin, path);
        if answer.lines().any(|one| one == line) {
            return;
        }
        assert!(begun.elapsed() < PATIENCE, "{path} has no line {line}: {answer}");
        thread::sleep(Duration::from_millis(100));
    }
}

/// Waits until a page of health says this.
fn until_page(admin: &str, path: &str, status: u16) {
    let begun = Instant::now();
    loop {
        let answer = get(admin, path);
        if answer.0 == status {
            return;
        }
        assert!(begun.elapsed() < PATIENCE, "{path} is not {status}: {answer:?}");
        thread::sleep(Duration::from_millis(100));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_works_at_jobs_looks_after_them_too() {
    let arguments = ["--jobs-work", "--gpu", "off", "--bulk-threads", "1"];
    let Some(mut site) = Site::start_with("a server that works at the jobs of a broker", &arguments).await
    else {
        return;
    };
    let admin = site.server.admin.clone();
    // Nobody here has a graphics processor, but somebody who has one may come: the job waits.
    let waiting = v1::SubmitJobRequest {
        backend: v1::Backend::Gpu.into(),
        ..request("waits", 0, 4)
    };
    site.submit(waiting).await.expect("a job for others");
    let tasks = site.broker.messages("TABIYA_JOBS");
    assert_ne!(tasks, 0);
    site.broker.purge("TABIYA_JOBS");

    // Alone, it finishes what it can.
    site.submit(request("own", 0, 8)).await.expect("a job");
    let job = site.until("own", 8).await;
    assert_eq!((job.state(), job.results), (JobState::Completed, 8), "{job:?}");

    // What the queue lost is put in again.
    let begun = Instant::now();
    while site.broker.messages("TABIYA_JOBS") != tasks {
        assert!(begun.elapsed() < PATIENCE, "what was lost stays lost");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }

    // Without the broker it answers everything but jobs.
    site.broker.kill();
    until_line(&admin, "/metrics", "tabiya_job_broker_connections 0");
    assert_eq!(get(&admin, "/readyz").0, 200);
    let refused = site
        .jobs
        .submit_job(request("late", 0, 1))
        .await
        .expect_err("no broker");
    assert_eq!(refused.code(), Code::Unavailable, "{refused}");
}

#[test]
fn a_worker_that_is_cut_off_is_not_ready() {
    let Some(broker) = Broker::start("the readiness of a worker that is cut off") else {
        return;
    };
    let proxy = Proxy::to(&broker.address());
    let worker = Working::start(&format!("nats://{}", proxy.address()), &["--threads", "1"]);
    let admin = worker.admin();
    until_page(&admin, "/readyz", 200);
    proxy.cut();
    until_page(&admin, "/readyz", 503);
    // It lives: nobody is to end it for that.
    until_page(&admin, "/livez", 200);
    proxy.heal();
    until_page(&admin, "/readyz", 200);
}

#[test]
fn server_and_worker_start_without_a_broker_and_find_it_later() {
    let Some(mut broker) = Broker::start("a broker that comes later") else {
        return;
    };
    broker.kill();
    let server = Serving::start(&["--nats", &broker.url()]);
    let worker = Working::start(&broker.url(), &["--threads", "1"]);
    until_page(&server.admin, "/readyz", 200);
    until_page(&worker.admin(), "/readyz", 503);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let mut jobs = runtime
        .block_on(JobServiceClient::connect(server.endpoint()))
        .expect("a server");
    let refused = runtime
        .block_on(jobs.submit_job(request("early", 0, 4)))
        .expect_err("no broker");
    assert_eq!(refused.code(), Code::Unavailable, "{refused}");
    broker.restart();
    until_page(&worker.admin(), "/readyz", 200);
    let mut site = Site { broker, server, jobs };
    let job = runtime.block_on(async {
        site.submit(request("later", 0, 4)).await.expect("a job");
        site.until("later", 4).await
    });
    assert_eq!(job.state(), JobState::Completed);
}

/// The page's own commands, with the broker's address in place of theirs, make a site that does a job.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_commands_of_the_page_make_a_site() {
    let Some(broker) = Broker::start("the commands of services/jobs/NATS.md") else {
        return;
    };
    let file = repository().join("services/jobs/NATS.md");
    let text = std::fs::read_to_string(file).expect("the page");
    let command = |begins: &str| -> Vec<String> {
        let mut lines = text.lines().filter_map(|line| line.strip_prefix("    "));
        let line = lines.find(|line| line.starts_with(begins)).expect("the command");
        let words = line.split(' ').skip(1).map(|word| match word {
            "nats://127.0.0.1:4222" => broker.url(),
            word => word.to_owned(),
        });
        words.collect()
    };
    assert_eq!(command("nats-server ")[0], "-js");
    // Only where it listens is ours.
    let ports = ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"].map(str::to_owned);
    let server = Serving::start_as(&[command("tabiya serve "), ports.to_vec()].concat(), &[]);
    let _worker = Working::start_as(&command("tabiya worker "), &[]);
    let jobs = JobServiceClient::connect(server.endpoint())
        .await
        .expect("a server");
    let mut site = Site { broker, server, jobs };
    site.submit(request("page", 0, 4)).await.expect("a job");
    assert_eq!(site.until("page", 4).await.state(), JobState::Completed);
}
