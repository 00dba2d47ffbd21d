//! Pods: arguments, variables, ports, probes and grace periods are those of the program.

use std::time::Duration;

use serde_json::Value;
use tabiya_server::{Config, LONGEST_STOP};

use crate::{
    container::{arguments, flag, port_of, program, servers, settings, variables, workers},
    rendered::{list, object, of_kind, rendered, text},
};

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
fn a_worker_is_given_what_servers_are_given_and_asked_on_its_port() {
    let Some(rendered) = rendered("workers of the manifests") else {
        return;
    };
    let mut seen = 0;
    for (name, worker) in workers(rendered) {
        seen += 1;
        let container = program(worker);
        assert_eq!(arguments(container)[0], "worker", "{name}");
        let effective = settings(container, name).load();
        let effective = effective.unwrap_or_else(|faults| panic!("{name}: {faults}"));
        let admin = effective.config.admin_listen.port();
        assert_eq!(admin, Config::default().admin_listen.port(), "{name}");
        for (probe, service) in [
            // One that waits for the broker is not to be killed for it.
            ("startupProbe", "liveness"),
            ("readinessProbe", "readiness"),
            ("livenessProbe", "liveness"),
        ] {
            let probe = &container[probe]["grpc"];
            assert_eq!(probe["port"], admin, "{name}");
            assert_eq!(probe["service"], service, "{name}");
        }
        // Workers speak to the same broker as the servers, which is there under this name.
        let address = |container: &Value| {
            let mut variables = variables(container).into_iter();
            variables.find_map(|(name, value)| (name == "TABIYA_NATS").then_some(value))
        };
        let objects = &rendered[name];
        let brokers: Vec<_> = of_kind(objects, "StatefulSet").collect();
        assert_eq!(brokers.len(), 1, "{name}");
        let service = object(objects, "Service", text(&brokers[0]["spec"]["serviceName"]));
        let port = list(&service["spec"]["ports"]).find(|port| port["name"] == "client");
        let port = &port.expect("a port")["port"];
        let broker = format!("nats://{}:{port}", text(&service["metadata"]["name"]));
        assert_eq!(address(container), Some(broker), "{name}");
        let (_, server) = servers(rendered)
            .find(|(other, _)| *other == name)
            .expect("a server");
        assert_eq!(address(container), address(program(server)), "{name}");
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

/// What gateways and meshes go by.
#[test]
fn services_say_what_their_port_speaks() {
    let Some(rendered) = rendered("services of the manifests") else {
        return;
    };
    for (name, server) in servers(rendered) {
        let config = settings(program(server), name).load().expect("settings").config;
        let spoken = if config.tls_cert.is_some() {
            "https"
        } else {
            "kubernetes.io/h2c"
        };
        let ports = of_kind(&rendered[name], "Service")
            .flat_map(|service| list(&service["spec"]["ports"]))
            .filter(|port| port["name"] == "grpc");
        let protocols: Vec<_> = ports.map(|port| text(&port["appProtocol"])).collect();
        assert_eq!(protocols, [spoken; 2], "{name}");
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

/// An end takes no longer than this, whatever the peers do.
const LONGEST_END: Duration = Duration::from_secs(30);

#[test]
fn a_pod_ends_in_time_and_outlives_the_drain_of_its_process() {
    let Some(rendered) = rendered("grace periods of the manifests") else {
        return;
    };
    let end = |name: &str, workload: &Value| {
        let config = settings(program(workload), name).load().expect("settings").config;
        let needed = config.drain_delay + config.drain_grace + LONGEST_STOP;
        assert!(needed <= LONGEST_END, "{name}: {needed:?}");
        let period = workload["spec"]["template"]["spec"]["terminationGracePeriodSeconds"].as_u64();
        assert!(
            Duration::from_secs(period.expect("a period")) > needed,
            "{name}: {needed:?}"
        );
        config.drain_delay
    };
    for (name, server) in servers(rendered) {
        // Endpoints are removed while connections are still taken.
        let delay = end(name, server);
        assert!(delay >= Duration::from_secs(3), "{name}: {delay:?}");
        assert_eq!(
            server["spec"]["strategy"]["rollingUpdate"]["maxUnavailable"], 0,
            "{name}"
        );
    }
    for (name, worker) in workers(rendered) {
        end(name, worker);
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
                object["kind"] != "Namespace" && object["metadata"]["namespace"] != space["metadata"]["name"]
            });
            let strangers: Vec<_> = strangers.map(|object| &object["metadata"]["name"]).collect();
            assert!(
                strangers.is_empty(),
                "{name}: of another namespace or none: {strangers:?}"
            );
        }
    }
}
