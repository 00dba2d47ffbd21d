//! Memory of pods against what the program may take, and the namespace's quota against all pods at their greatest number.

use std::collections::BTreeMap;

use serde_json::Value;
use tabiya_server::{Config, GpuPolicy};

use crate::{
    container::{program, quantity, servers, settings, variables, workers},
    rendered::{list, of_kind, rendered},
};

/// What a process may have beside its budgets: the program and its threads' stacks, connections, answers on their way, evaluations.
const BESIDE: usize = 512 << 20;

/// Whether the budgets and what is beside them fit into the pod.
fn check(place: &str, container: &Value, budgets: &[(&str, usize)]) {
    let limit = quantity(&container["resources"]["limits"]["memory"]);
    let needed = budgets.iter().map(|(_, bytes)| bytes).sum::<usize>() + BESIDE;
    assert!(
        needed as f64 <= limit,
        "{place}: {} MiB are needed: {budgets:?}, and {BESIDE} beside them",
        needed >> 20
    );
}

fn config(container: &Value, place: &str) -> Config {
    let effective = settings(container, place).load();
    effective
        .unwrap_or_else(|faults| panic!("{place}: {faults}"))
        .config
}

#[test]
fn a_servers_budgets_fit_into_its_pod() {
    let Some(rendered) = rendered("memory of the manifests") else {
        return;
    };
    for (name, server) in servers(rendered) {
        let container = program(server);
        check(name, container, &config(container, name).memory_budgets());
    }
}

/// Nobody calls a worker: what it has is its bulk searches.
#[test]
fn a_workers_searches_fit_into_its_pod() {
    let Some(rendered) = rendered("memory of the manifests") else {
        return;
    };
    for (name, worker) in workers(rendered) {
        let container = program(worker);
        let mut config = config(container, name);
        // Unlike a server it looks for a GPU only if it is told to.
        if !variables(container).iter().any(|(name, _)| name == "TABIYA_GPU") {
            config.gpu = GpuPolicy::Off;
        }
        let budgets = config.memory_budgets();
        let own: Vec<_> = budgets
            .into_iter()
            .filter(|(what, _)| {
                ["bulk", "remembered", "endgame", "networks"]
                    .iter()
                    .any(|own| what.contains(own))
            })
            .collect();
        assert_eq!(own.len(), 5);
        check(name, container, &own);
    }
}

/// The greatest number of a workload's pods at once, in a rollout.
fn most_pods(objects: &[Value], workload: &Value) -> f64 {
    let scalers = of_kind(objects, "ScaledObject").chain(of_kind(objects, "HorizontalPodAutoscaler"));
    let mut most = scalers
        .filter(|scaler| scaler["spec"]["scaleTargetRef"]["name"] == workload["metadata"]["name"])
        .map(|scaler| {
            let spec = &scaler["spec"];
            spec["maxReplicas"]
                .as_f64()
                .or(spec["maxReplicaCount"].as_f64())
                .expect("a maximum")
        });
    let most = most
        .next()
        .or(workload["spec"]["replicas"].as_f64())
        .expect("a number of pods");
    let surge = &workload["spec"]["strategy"]["rollingUpdate"]["maxSurge"];
    let extra = match surge.as_str().and_then(|share| share.strip_suffix('%')) {
        Some(share) => (most * share.parse::<f64>().expect("a share") / 100.0).ceil(),
        None => surge.as_f64().unwrap_or(0.0),
    };
    most + extra
}

#[test]
fn the_quota_has_room_for_every_pod_and_a_rollouts_extra_ones() {
    let Some(rendered) = rendered("quotas of the manifests") else {
        return;
    };
    for (name, objects) in rendered {
        let mut needed: BTreeMap<&str, f64> = BTreeMap::new();
        let mut add = |what, amount| *needed.entry(what).or_default() += amount;
        for workload in of_kind(objects, "Deployment").chain(of_kind(objects, "StatefulSet")) {
            let pods = most_pods(objects, workload);
            add("pods", pods);
            for container in list(&workload["spec"]["template"]["spec"]["containers"]) {
                let resources = &container["resources"];
                add("requests.cpu", pods * quantity(&resources["requests"]["cpu"]));
                add(
                    "requests.memory",
                    pods * quantity(&resources["requests"]["memory"]),
                );
                add("limits.memory", pods * quantity(&resources["limits"]["memory"]));
                add(
                    "requests.nvidia.com/gpu",
                    pods * quantity(&resources["limits"]["nvidia.com/gpu"]),
                );
            }
            for claim in list(&workload["spec"]["volumeClaimTemplates"]) {
                add("persistentvolumeclaims", pods);
                add(
                    "requests.storage",
                    pods * quantity(&claim["spec"]["resources"]["requests"]["storage"]),
                );
            }
        }
        let quotas: Vec<_> = of_kind(objects, "ResourceQuota").collect();
        assert_eq!(quotas.len(), 1, "{name}");
        for (what, amount) in needed {
            let hard = quantity(&quotas[0]["spec"]["hard"][what]);
            assert!(amount <= hard, "{name}: {what}: {amount} of {hard}");
        }
    }
}
