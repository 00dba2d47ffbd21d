//! Pods: arguments, variables, ports, probes and grace periods are those of the program.

use std::time::{Duration, Instant};

use serde_json::Value;
use tabiya_server::{
    Config, LONGEST_STOP,
    config::{Layers, Setting},
};
use tabiya_tests::Serving;
use tonic_health::pb::{
    HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
};

use crate::rendered::{Rendered, list, object, of_kind, rendered, text};

/// The container of the program in a pod that `kind` makes.
fn program(workload: &Value) -> &Value {
    list(&workload["spec"]["template"]["spec"]["containers"])
        .find(|container| container["name"] == "tabiya")
        .expect("a container of the program")
}

fn arguments(container: &Value) -> Vec<&str> {
    list(&container["args"]).map(text).collect()
}

/// The value of a flag.
fn flag<'a>(container: &'a Value, name: &str) -> Option<&'a str> {
    arguments(container)
        .into_iter()
        .find_map(|argument| argument.strip_prefix(name)?.strip_prefix('='))
}

/// The settings that a container of the program is given, by variables and by flags.
fn settings(container: &Value, place: &str) -> Layers {
    let variables = list(&container["env"]).map(|variable| {
        // What a container asked for is filled in by the cluster: here a number of cores.
        let value = variable["value"].as_str().unwrap_or("2");
        (text(&variable["name"]).to_owned(), value.to_owned())
    });
    let flags = arguments(container).into_iter().skip(1);
    flags.fold(Layers::default().environment(variables), |layers, argument| {
        let (name, value) = argument
            .split_once('=')
            .unwrap_or_else(|| panic!("{place}: {argument} has no value"));
        let key = name.trim_start_matches('-').replace('-', "_");
        let setting = Setting::named(&key).unwrap_or_else(|| panic!("{place}: there is no flag {name}"));
        layers.flag(setting, name, &[value.to_owned()])
    })
}

fn port_of(address: &str) -> u64 {
    address
        .rsplit_once(':')
        .and_then(|(_, port)| port.parse().ok())
        .expect("a port")
}

/// The server's deployments, by what they are rendered in.
fn servers(rendered: &Rendered) -> impl Iterator<Item = (&str, &Value)> {
    rendered.iter().map(|(name, objects)| {
        let found = if name == "suffixed" {
            "tabiya-blue"
        } else {
            "tabiya"
        };
        (name.as_str(), object(objects, "Deployment", found))
    })
}

#[test]
fn a_server_starts_as_it_is_told_and_its_probes_come_true() {
    let Some(rendered) = rendered("servers as the manifests start them") else {
        return;
    };
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    // One that differs in nothing but its size would be the same start again.
    for name in ["dev", "cpu"] {
        let container = program(object(&rendered[name], "Deployment", "tabiya"));
        let arguments = arguments(container);
        assert_eq!(arguments[0], "serve");
        let others: Vec<_> = arguments[1..]
            .iter()
            .copied()
            .filter(|argument| !argument.contains("listen="))
            .chain(["--no-gpu"])
            .collect();
        let server = Serving::start(&others);
        for probe in ["startupProbe", "readinessProbe", "livenessProbe"] {
            let probe = &container[probe]["grpc"];
            assert_eq!(
                probe["port"],
                port_of(flag(container, "--admin-listen").expect("a port"))
            );
            let service = text(&probe["service"]);
            runtime.block_on(wait_until_serving(&server.admin, service));
        }
    }
}

async fn wait_until_serving(admin: &str, service: &str) {
    let endpoint = tonic::transport::Endpoint::from_shared(format!("http://{admin}")).expect("a URL");
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
fn variables_and_flags_are_settings_of_the_program() {
    let Some(rendered) = rendered("settings of the manifests") else {
        return;
    };
    for (name, server) in servers(rendered) {
        let effective = settings(program(server), name).load();
        let effective = effective.unwrap_or_else(|faults| panic!("{name}: {faults}"));
        assert_eq!(effective.ignored, Vec::<String>::new(), "{name}");
        // Either the pod says that its network sees to it, or it has what it takes.
        let config = effective.config;
        assert_ne!(config.insecure, config.tls_cert.is_some(), "{name}");
    }
}

#[test]
fn a_worker_is_given_settings_of_the_program_and_asked_on_its_port() {
    let Some(rendered) = rendered("workers of the manifests") else {
        return;
    };
    let mut seen = 0;
    for (name, objects) in rendered {
        let workers = of_kind(objects, "Deployment").filter(|each| {
            each["spec"]["template"]["metadata"]["labels"]["app.kubernetes.io/name"] == "tabiya-worker"
        });
        for worker in workers {
            seen += 1;
            let container = program(worker);
            assert_eq!(arguments(container)[0], "worker", "{name}");
            let effective = settings(container, name).load();
            let effective = effective.unwrap_or_else(|faults| panic!("{name}: {faults}"));
            assert_eq!(effective.ignored, Vec::<String>::new(), "{name}");
            let admin = effective.config.admin_listen.port();
            assert_eq!(admin, Config::default().admin_listen.port(), "{name}");
            for (probe, service) in [
                ("startupProbe", "readiness"),
                ("readinessProbe", "readiness"),
                ("livenessProbe", "liveness"),
            ] {
                let probe = &container[probe]["grpc"];
                assert_eq!(probe["port"], admin, "{name}");
                assert_eq!(probe["service"], service, "{name}");
            }
            // Workers speak to the same broker as the servers.
            let address = |container: &Value| {
                let mut variables = list(&container["env"]);
                let found = variables.find(|variable| variable["name"] == "TABIYA_NATS");
                found.map(|variable| variable["value"].clone())
            };
            let (_, server) = servers(rendered)
                .find(|(other, _)| other == name)
                .expect("a server");
            assert!(address(container).is_some(), "{name}");
            assert_eq!(address(container), address(program(server)), "{name}");
        }
    }
    assert!(seen >= 4, "{seen}");
}

/// Servers and workers read the same endgame tables from where the volume is mounted: with others, jobs would wait.
#[test]
fn endgame_tables_are_where_the_setting_says() {
    let Some(rendered) = rendered("endgame tables of the manifests") else {
        return;
    };
    let deployments: Vec<_> = of_kind(&rendered["syzygy"], "Deployment").collect();
    assert_eq!(deployments.len(), 2);
    for deployment in deployments {
        let container = program(deployment);
        let config = settings(container, "syzygy").load().expect("settings").config;
        let mut mounts = list(&container["volumeMounts"]);
        let mount = mounts.find(|mount| mount["name"] == "syzygy").expect("a mount");
        let path = std::path::PathBuf::from(text(&mount["mountPath"]));
        assert_eq!(config.syzygy_path, [path]);
        assert_eq!(mount["readOnly"], true);
    }
}

#[test]
fn ports_are_named_and_found() {
    let Some(rendered) = rendered("ports of the manifests") else {
        return;
    };
    for (name, server) in servers(rendered) {
        let container = program(server);
        let port = |wanted: &str| {
            let found = list(&container["ports"]).find(|port| port["name"] == wanted);
            found.unwrap_or_else(|| panic!("{name}: no port {wanted}"))["containerPort"].clone()
        };
        assert_eq!(
            port("grpc"),
            port_of(flag(container, "--listen").expect("--listen"))
        );
        assert_eq!(
            port("admin"),
            port_of(flag(container, "--admin-listen").expect("--admin-listen"))
        );
        // The defaults are what documentation and clients assume.
        assert_eq!(port("grpc"), Config::default().listen.port());
        assert_eq!(port("admin"), Config::default().admin_listen.port());
    }
    for (name, objects) in rendered {
        for service in of_kind(objects, "Service") {
            let selector = service["spec"]["selector"].as_object().expect("a selector");
            let workloads = of_kind(objects, "Deployment").chain(of_kind(objects, "StatefulSet"));
            let pods: Vec<_> = workloads
                .map(|workload| &workload["spec"]["template"])
                .filter(|pod| {
                    selector
                        .iter()
                        .all(|(key, value)| pod["metadata"]["labels"][key] == *value)
                })
                .collect();
            assert!(!pods.is_empty(), "{name}: {service} selects nothing");
            for (pod, port) in pods
                .iter()
                .flat_map(|pod| list(&service["spec"]["ports"]).map(move |port| (pod, port)))
            {
                let mut ports =
                    list(&pod["spec"]["containers"]).flat_map(|container| list(&container["ports"]));
                let target = ports.find(|each| each["name"] == port["targetPort"]);
                let target = target.unwrap_or_else(|| panic!("{name}: {port} leads nowhere"));
                assert_eq!(target["containerPort"], port["port"], "{name}");
            }
        }
    }
}

#[test]
fn a_pod_outlives_the_drain_of_its_server() {
    let Some(rendered) = rendered("grace periods of the manifests") else {
        return;
    };
    let seconds = |container: &Value, name: &str, default: Duration| {
        let given = flag(container, name).map(|value| value.parse().expect("seconds"));
        given.map_or(default, Duration::from_secs)
    };
    for (name, server) in servers(rendered) {
        let container = program(server);
        let delay = seconds(container, "--drain-delay", Config::default().drain_delay);
        let grace = seconds(container, "--drain-grace", Config::default().drain_grace);
        let period = server["spec"]["template"]["spec"]["terminationGracePeriodSeconds"].as_u64();
        let needed = delay + grace + LONGEST_STOP;
        assert!(
            Duration::from_secs(period.expect("a period")) > needed,
            "{name}: {needed:?}"
        );
        // Endpoints are removed while connections are still taken.
        assert!(delay >= Duration::from_secs(3), "{name}: {delay:?}");
        assert_eq!(
            server["spec"]["strategy"]["rollingUpdate"]["maxUnavailable"], 0,
            "{name}"
        );
    }
}

#[test]
fn probes_are_patient_enough() {
    let Some(rendered) = rendered("probes of the manifests") else {
        return;
    };
    for (name, server) in servers(rendered) {
        let container = program(server);
        let patience = |probe: &str| {
            let probe = &container[probe];
            probe["periodSeconds"].as_u64().unwrap_or(10) * probe["failureThreshold"].as_u64().unwrap_or(3)
        };
        assert!(patience("startupProbe") >= 60, "{name}");
        // Only what is truly stuck is killed.
        assert!(patience("livenessProbe") >= 60, "{name}");
        assert_eq!(
            container["livenessProbe"]["grpc"]["service"], "liveness",
            "{name}"
        );
        assert_eq!(
            container["readinessProbe"]["grpc"]["service"], "readiness",
            "{name}"
        );
    }
}

#[test]
fn every_pod_keeps_to_the_restricted_standard() {
    let Some(rendered) = rendered("pod security of the manifests") else {
        return;
    };
    for (name, objects) in rendered {
        for workload in of_kind(objects, "Deployment").chain(of_kind(objects, "StatefulSet")) {
            let pod = &workload["spec"]["template"]["spec"];
            assert_eq!(pod["securityContext"]["runAsNonRoot"], true, "{name}");
            assert_eq!(
                pod["securityContext"]["seccompProfile"]["type"], "RuntimeDefault",
                "{name}"
            );
            assert_eq!(pod["automountServiceAccountToken"], false, "{name}");
            assert_eq!(pod["enableServiceLinks"], false, "{name}");
            for container in list(&pod["containers"]) {
                let context = &container["securityContext"];
                assert_eq!(context["readOnlyRootFilesystem"], true, "{name}");
                assert_eq!(context["allowPrivilegeEscalation"], false, "{name}");
                assert_eq!(
                    context["capabilities"]["drop"],
                    serde_json::json!(["ALL"]),
                    "{name}"
                );
                let resources = &container["resources"];
                assert_eq!(
                    resources["requests"]["memory"], resources["limits"]["memory"],
                    "{name}"
                );
            }
        }
        for space in of_kind(objects, "Namespace") {
            let labels = &space["metadata"]["labels"];
            assert_eq!(
                labels["pod-security.kubernetes.io/enforce"], "restricted",
                "{name}"
            );
            let strangers = objects.iter().filter(|object| {
                let own = &object["metadata"]["namespace"];
                !own.is_null() && *own != space["metadata"]["name"]
            });
            assert_eq!(strangers.count(), 0, "{name}: objects of another namespace");
        }
    }
}
