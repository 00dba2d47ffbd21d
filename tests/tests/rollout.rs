//! Servers that are replaced while callers go on: nobody notices.
//!
//! 200 calls a second, which have to be held; `TABIYA_ROLLOUT_RATE` sets another rate, for a machine that cannot hold this one,
//! and what is held is then only printed.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use tabiya_client::{Client, RetryPolicy, Statistics, v1};
use tabiya_tests::Serving;
use tokio::{task::JoinSet, time::MissedTickBehavior};
use tonic_health::pb::{
    HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
};

/// What a machine under load may take for anything.
const PATIENCE: Duration = Duration::from_secs(120);

/// Calls a second that have to be held.
const RATE: u32 = 200;

/// The rate that is set in place of [`RATE`].
fn other_rate() -> Option<u32> {
    let set = std::env::var("TABIYA_ROLLOUT_RATE").ok();
    set.map(|rate| rate.parse().expect("a rate"))
}

fn rate() -> u32 {
    other_rate().unwrap_or(RATE)
}

/// One rehearsal after the other: two at once would share a machine.
static ALONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// Two servers whose ends leave a moment for calls on their way, as in the manifests.
const SETTINGS: [&str; 5] = ["--no-gpu", "--drain-delay", "1", "--drain-grace", "20"];

/// The callers: legal moves at a steady rate, whatever becomes of the calls before, and a search now and then.
struct Callers {
    client: Client,
    begun: Instant,
    stop: tokio::sync::watch::Sender<bool>,
    driver: tokio::task::JoinHandle<u64>,
    errors: Arc<Mutex<Vec<String>>>,
}

impl Callers {
    fn start(client: &Client) -> Self {
        let (stop, mut stopped) = tokio::sync::watch::channel(false);
        let errors = Arc::new(Mutex::new(Vec::new()));
        let (asking, told) = (client.clone(), Arc::clone(&errors));
        let driver = tokio::spawn(async move {
            let mut ticks = tokio::time::interval(Duration::from_secs(1) / rate());
            // Calls that are late are made up for.
            ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
            let mut calls = JoinSet::new();
            let mut count = 0_u64;
            loop {
                tokio::select! {
                    _ = stopped.changed() => break,
                    _ = ticks.tick() => {}
                    // Those that have ended are forgotten.
                    Some(_) = calls.join_next() => continue,
                }
                count += 1;
                let (client, told) = (asking.clone(), Arc::clone(&told));
                let searches = count.is_multiple_of(20);
                calls.spawn(async move {
                    if let Err(error) = ask(&client, searches).await {
                        told.lock().expect("a list").push(format!("{error:?}"));
                    }
                });
            }
            calls.join_all().await;
            count
        });
        Self {
            client: client.clone(),
            begun: Instant::now(),
            stop,
            driver,
            errors,
        }
    }

    /// Ends them, and says what they met with.
    async fn end(self, what: &str) -> Statistics {
        self.stop.send(true).expect("they still call");
        let lasted = self.begun.elapsed();
        let count = tokio::time::timeout(PATIENCE, self.driver).await;
        let count = count.expect("every call ends").expect("no caller panics");
        let errors = self.errors.lock().expect("a list").clone();
        let statistics = self.client.statistics();
        let held = count as f64 / lasted.as_secs_f64();
        let Statistics { calls, retries } = statistics;
        println!(
            "{what}: {held:.0} calls a second of {} held; {calls} calls, {retries} retries",
            rate()
        );
        assert_eq!(errors, Vec::<String>::new(), "{what}");
        let is_held = other_rate().is_some() || held >= f64::from(RATE) * 0.95;
        assert!(is_held, "{what}: {held:.0} calls a second");
        assert!(calls >= count && retries * 10 <= calls, "{what}: {statistics:?}");
        statistics
    }
}

async fn ask(client: &Client, search: bool) -> Result<(), tabiya_client::ClientError> {
    if search {
        let limits = Some(v1::Limits {
            nodes: 300,
            ..Default::default()
        });
        let request = v1::BestMoveRequest {
            limits,
            ..Default::default()
        };
        assert_ne!(client.best_move(request).await?.best_move, "");
    } else {
        assert_eq!(
            client
                .legal_moves(v1::LegalMovesRequest::default())
                .await?
                .moves
                .len(),
            20
        );
    }
    Ok(())
}

async fn ready(server: &Serving) {
    let begun = Instant::now();
    let endpoint =
        tonic::transport::Endpoint::from_shared(format!("http://{}", server.admin)).expect("a URL");
    let mut health = HealthClient::new(endpoint.connect().await.expect("the admin port"));
    let request = || HealthCheckRequest {
        service: "readiness".to_owned(),
    };
    while health
        .check(request())
        .await
        .expect("an answer")
        .into_inner()
        .status()
        != ServingStatus::Serving
    {
        assert!(begun.elapsed() < PATIENCE, "not ready");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn servers() -> [Serving; 2] {
    let servers = [Serving::start(&SETTINGS), Serving::start(&SETTINGS)];
    for server in &servers {
        ready(server).await;
    }
    servers
}

/// A client that spreads calls over both, and asks again as often as any does.
async fn client(servers: &[Serving]) -> Client {
    let endpoints: Vec<_> = servers.iter().map(|server| server.address.as_str()).collect();
    let client = Client::connect(&endpoints.join(",")).await.expect("servers");
    client.with_timeout(PATIENCE)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rolling_restart_is_not_noticed() {
    let _alone = ALONE.lock().await;
    let mut servers = servers().await;
    let callers = Callers::start(&client(&servers).await);
    for server in &mut servers {
        tokio::time::sleep(Duration::from_secs(2)).await;
        server.signal("TERM");
        assert!(server.wait(PATIENCE).success());
        *server = Serving::start_at(&server.address.clone(), &SETTINGS);
        ready(server).await;
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    callers.end("a rolling restart").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_sudden_death_of_a_server_is_not_noticed() {
    let _alone = ALONE.lock().await;
    let mut servers = servers().await;
    // A death gives no notice: calls meet it until the client has found out.
    let patient = RetryPolicy {
        attempts: 10,
        ..RetryPolicy::default()
    };
    let callers = Callers::start(&client(&servers).await.with_retries(patient));
    tokio::time::sleep(Duration::from_secs(2)).await;
    servers[0].signal("KILL");
    servers[0].wait(PATIENCE);
    tokio::time::sleep(Duration::from_secs(3)).await;
    let address = servers[0].address.clone();
    servers[0] = Serving::start_at(&address, &SETTINGS);
    ready(&servers[0]).await;
    // It gets calls again: without it nobody would be left.
    tokio::time::sleep(Duration::from_secs(3)).await;
    servers[1].signal("KILL");
    servers[1].wait(PATIENCE);
    tokio::time::sleep(Duration::from_secs(2)).await;
    callers.end("two sudden deaths").await;
}
