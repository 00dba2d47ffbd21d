//! The program started as the manifests start it: flags, variables, probes, the end.

use std::{
    io::Write,
    net::TcpStream,
    time::{Duration, Instant},
};

use serde_json::Value;
use tabiya_client::v1::{BatchLegalMovesRequest, rules_service_client::RulesServiceClient};
use tabiya_server::LONGEST_STOP;
use tabiya_tests::{Broker, Serving, Working, run, sample};
use tonic::transport::Endpoint;
use tonic_health::pb::{
    HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
};

use crate::{
    container::{arguments, flag, port_of, program, settings, variables},
    rendered::{object, rendered, text},
};

/// The container's arguments, with free ports in place of its own: another test, or another server, may have those.
fn on_free_ports(container: &Value) -> Vec<String> {
    let free = |argument: &str| match argument.rsplit_once(':') {
        Some((address, _)) if argument.contains("listen=") => format!("{address}:0"),
        _ => argument.to_owned(),
    };
    arguments(container).into_iter().map(free).collect()
}

/// The container's variables, with this broker in place of the one whose name only the cluster knows.
fn beside(container: &Value, broker: Option<&Broker>) -> Vec<(String, String)> {
    let mut variables = variables(container);
    for (_, value) in variables.iter_mut().filter(|(name, _)| name == "TABIYA_NATS") {
        *value = broker.expect("a broker").url();
    }
    variables
}

/// What listens on every address is reached on this one.
fn loopback(address: &str) -> String {
    format!("127.0.0.1:{}", port_of(address))
}

/// Asks as the container's probes do until each says yes.
fn probes_come_true(container: &Value, admin: &str) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let port = port_of(flag(container, "--admin-listen").expect("a port"));
    for probe in ["startupProbe", "readinessProbe", "livenessProbe"] {
        let probe = &container[probe]["grpc"];
        assert_eq!(probe["port"], port);
        runtime.block_on(wait_until_serving(admin, text(&probe["service"])));
    }
}

async fn wait_until_serving(admin: &str, service: &str) {
    let endpoint = Endpoint::from_shared(format!("http://{admin}")).expect("a URL");
    let mut health = HealthClient::new(endpoint.connect().await.expect("the admin port"));
    let begun = Instant::now();
    loop {
        let request = HealthCheckRequest {
            service: service.to_owned(),
        };
        // A name that the server does not know is NOT_FOUND.
        let answer = health
            .check(request)
            .await
            .expect("a name that is known")
            .into_inner();
        if answer.status() == ServingStatus::Serving {
            return;
        }
        assert!(
            begun.elapsed() < Duration::from_secs(120),
            "{service} is not serving"
        );
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[test]
fn a_server_starts_as_it_is_told_and_its_probes_come_true() {
    let Some(rendered) = rendered("servers as the manifests start them") else {
        return;
    };
    let broker = Broker::start("a server at the manifests' broker");
    // One that differs in nothing but its size would be the same start again.
    for name in ["dev", "cpu"] {
        let container = program(object(&rendered[name], "Deployment", "tabiya"));
        let with_broker = name == "cpu";
        if with_broker && broker.is_none() {
            continue;
        }
        assert_eq!(arguments(container)[0], "serve");
        let server = Serving::start_as(&on_free_ports(container), &beside(container, broker.as_ref()));
        let admin = loopback(&server.admin);
        probes_come_true(container, &admin);
        // An alert goes by this: a server without a broker has none to lose.
        let connections = || sample(&admin, "tabiya_job_broker_connections");
        let begun = Instant::now();
        while with_broker && connections() != Some(1.0) {
            assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", connections());
            std::thread::sleep(Duration::from_millis(100));
        }
        assert_eq!(connections().is_some(), with_broker, "{name}");
    }
}

#[test]
fn a_worker_starts_as_it_is_told_and_its_probes_come_true() {
    let Some(rendered) = rendered("workers as the manifests start them") else {
        return;
    };
    let container = program(object(&rendered["cpu"], "Deployment", "tabiya-worker"));
    // What the command does not know it would refuse, or worse, pass over.
    let help = run(["worker", "--help"]).expect_code(0).stdout;
    for argument in arguments(container).into_iter().skip(1) {
        let name = argument.split('=').next().unwrap_or_default();
        assert!(help.contains(&format!("{name} <")), "tabiya worker has no {name}");
    }
    for (name, _) in variables(container)
        .iter()
        .filter(|(name, _)| name.starts_with("TABIYA_"))
    {
        let known = [']', '='].map(|end| help.contains(&format!("[env: {name}{end}")));
        assert!(known.contains(&true), "tabiya worker has no {name}");
    }
    let Some(broker) = Broker::start("a worker at the manifests' broker") else {
        return;
    };
    let worker = Working::start_as(&on_free_ports(container), &beside(container, Some(&broker)));
    let admin = loopback(&worker.admin());
    probes_come_true(container, &admin);
    assert_eq!(
        sample(&admin, "tabiya_compute_threads{pool=\"search_bulk\"}"),
        Some(2.0)
    );
}

/// With the delay and the grace of the manifests, and the bar of thirty seconds: a peer that says nothing, one that stopped
/// in the middle of a word, and one that has stopped to read what it asked for.
#[test]
fn a_server_ends_in_time_although_its_peers_are_stuck() {
    let Some(rendered) = rendered("the end of a server") else {
        return;
    };
    let container = program(object(&rendered["dev"], "Deployment", "tabiya"));
    let config = settings(container, "dev").load().expect("settings").config;
    let longest = config.drain_delay + config.drain_grace + LONGEST_STOP;
    let mut server = Serving::start_as(&on_free_ports(container), &beside(container, None));
    let address = loopback(&server.address);
    let _silent = TcpStream::connect(&address).expect("a connection");
    let mut half = TcpStream::connect(&address).expect("a connection");
    half.write_all(b"PRI * HTTP/2.0\r\n").expect("it reads");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let _unread = runtime.block_on(async {
        let endpoint = Endpoint::from_shared(format!("http://{address}")).expect("a URL");
        let mut client = RulesServiceClient::new(endpoint.connect().await.expect("the server"));
        // Far more than the windows of the connection hold.
        let items = (0..200_000).map(|_| BatchLegalMovesRequest {
            include_fen: true,
            ..Default::default()
        });
        let answers = client
            .batch_legal_moves(futures_util::stream::iter(items))
            .await
            .expect("a stream");
        let mut answers = answers.into_inner();
        assert!(answers.message().await.expect("an answer").is_some());
        answers
    });
    // Until the windows are full.
    std::thread::sleep(Duration::from_secs(1));
    let begun = Instant::now();
    server.signal("TERM");
    let status = server.wait(longest + Duration::from_secs(10));
    let elapsed = begun.elapsed();
    assert!(status.success(), "{status}");
    assert!(elapsed <= longest, "{elapsed:?} of {longest:?}");
    // It was the peers that held it.
    assert!(elapsed >= config.drain_delay + config.drain_grace, "{elapsed:?}");
}
