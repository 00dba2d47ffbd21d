//! Autoscalers and budgets find what they are about, under whatever name.

use serde_json::Value;
use sha2::{Digest, Sha256};
use tabiya_client::{Client, v1};
use tabiya_tests::Serving;

use crate::{
    container::{program, quantity, variables, workers},
    rendered::{list, object, of_kind, rendered, text},
};

#[test]
fn every_autoscaler_finds_its_deployment() {
    let Some(rendered) = rendered("autoscalers of the manifests") else {
        return;
    };
    let mut seen = 0;
    for (name, objects) in rendered {
        for scaler in of_kind(objects, "ScaledObject").chain(of_kind(objects, "HorizontalPodAutoscaler")) {
            let target = text(&scaler["spec"]["scaleTargetRef"]["name"]);
            let deployment = object(objects, "Deployment", target);
            // A number in the manifest would undo the autoscaler's at every apply.
            assert_eq!(deployment["spec"]["replicas"], Value::Null, "{name}: {target}");
            seen += 1;
        }
    }
    assert!(seen >= 5, "{seen}");
    let suffixed = object(&rendered["suffixed"], "ScaledObject", "tabiya-worker-blue");
    assert_eq!(suffixed["spec"]["scaleTargetRef"]["name"], "tabiya-worker-blue");
}

#[test]
fn nothing_is_scaled_twice() {
    let Some(rendered) = rendered("autoscalers of the manifests") else {
        return;
    };
    for (name, objects) in rendered {
        let scalers = of_kind(objects, "ScaledObject").chain(of_kind(objects, "HorizontalPodAutoscaler"));
        let mut targets: Vec<_> = scalers
            .map(|scaler| text(&scaler["spec"]["scaleTargetRef"]["name"]))
            .collect();
        let count = targets.len();
        targets.sort_unstable();
        targets.dedup();
        assert_eq!(targets.len(), count, "{name}");
    }
}

#[test]
fn a_drained_node_is_never_held_up() {
    let Some(rendered) = rendered("disruption budgets of the manifests") else {
        return;
    };
    for (name, objects) in rendered {
        for budget in of_kind(objects, "PodDisruptionBudget") {
            assert!(budget["spec"]["minAvailable"].is_null(), "{name}");
            let labels = &budget["spec"]["selector"]["matchLabels"]["app.kubernetes.io/name"];
            let mut found = of_kind(objects, "Deployment");
            assert!(found.any(
                |each| each["spec"]["template"]["metadata"]["labels"]["app.kubernetes.io/name"] == *labels
            ));
        }
    }
}

#[test]
fn workers_are_scaled_by_the_consumer_of_this_engine() {
    let Some(rendered) = rendered("the workers' autoscaler") else {
        return;
    };
    let server = Serving::start(&["--no-gpu"]);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let info = runtime.block_on(async {
        let client = Client::connect(&server.address).await.expect("the server");
        client
            .get_engine_info(v1::GetEngineInfoRequest {})
            .await
            .expect("an answer")
    });
    // As the workers name it; see the comment in the manifest.
    let pins = format!("{}\n{}", info.version, info.networks[0].hash);
    let digest: String = Sha256::digest(pins)
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    for name in ["workers", "cpu", "gpu"] {
        let scaler = object(&rendered[name], "ScaledObject", "tabiya-worker");
        let trigger = &scaler["spec"]["triggers"][0];
        assert_eq!(trigger["type"], "nats-jetstream");
        assert_eq!(trigger["metadata"]["stream"], "TABIYA_JOBS");
        assert_eq!(
            trigger["metadata"]["consumer"],
            format!("bulk-{digest}"),
            "{name}"
        );
    }
    // Chunks that ask for a GPU are those of another consumer, and of workers that have one.
    let scaler = object(&rendered["gpu"], "ScaledObject", "tabiya-worker-gpu");
    let metadata = &scaler["spec"]["triggers"][0]["metadata"];
    assert_eq!(metadata["stream"], "TABIYA_JOBS");
    assert_eq!(metadata["consumer"], format!("bulk-{digest}-gpu"));
}

/// KEDA would start as many as it may for a consumer that is not there, and a worker with a GPU makes its own.
#[test]
fn whoever_follows_the_chunks_for_gpus_has_one() {
    let Some(rendered) = rendered("workers with a GPU") else {
        return;
    };
    let mut with_gpu = 0;
    for (name, worker) in workers(rendered) {
        let label = text(&worker["spec"]["template"]["metadata"]["labels"]["app.kubernetes.io/name"]);
        let wants = label == "tabiya-worker-gpu";
        let container = program(worker);
        assert_eq!(
            quantity(&container["resources"]["limits"]["nvidia.com/gpu"]) == 1.0,
            wants,
            "{name}"
        );
        let told = variables(container)
            .into_iter()
            .find_map(|(name, value)| (name == "TABIYA_GPU").then_some(value));
        assert_eq!(told.as_deref(), wants.then_some("hardware"), "{name}");
        let target = text(&worker["metadata"]["name"]);
        let scaler = scaler_of(&rendered[name], target);
        // In `nats` alone nobody scales.
        if let Some(scaler) = scaler {
            assert!(scaler["spec"]["minReplicaCount"].as_u64() >= Some(1), "{name}");
        }
        assert!(scaler.is_some() || !wants, "{name}");
        with_gpu += usize::from(wants);
    }
    assert!(with_gpu >= 2, "{with_gpu}");
}

/// The ScaledObject of a deployment.
fn scaler_of<'a>(objects: &'a [Value], target: &str) -> Option<&'a Value> {
    of_kind(objects, "ScaledObject").find(|scaler| scaler["spec"]["scaleTargetRef"]["name"] == target)
}

/// KEDA and Prometheus live in other namespaces: a bare name, or another namespace's, finds nothing there.
#[test]
fn autoscalers_name_what_is_here_from_where_they_are() {
    let Some(rendered) = rendered("addresses of the autoscalers") else {
        return;
    };
    let (mut brokers, mut queries) = (0, 0);
    for (name, objects) in rendered {
        for scaler in of_kind(objects, "ScaledObject") {
            let space = text(&scaler["metadata"]["namespace"]);
            let metadata = &scaler["spec"]["triggers"][0]["metadata"];
            if let Some(address) = metadata["natsServerMonitoringEndpoint"].as_str() {
                let set = of_kind(objects, "StatefulSet").next().expect("a broker");
                let broker = object(objects, "Service", text(&set["spec"]["serviceName"]));
                let monitor = list(&broker["spec"]["ports"])
                    .find(|port| port["name"] == "monitor")
                    .expect("a port");
                assert_eq!(broker["metadata"]["namespace"], space, "{name}");
                let service = text(&broker["metadata"]["name"]);
                assert_eq!(
                    address,
                    format!("{service}.{space}.svc:{}", monitor["port"]),
                    "{name}"
                );
                brokers += 1;
            }
            if let Some(query) = metadata["query"].as_str() {
                let asked: Vec<_> = query
                    .match_indices("namespace=\"")
                    .map(|(at, found)| query[at + found.len()..].split('"').next())
                    .collect();
                assert_eq!(asked, [Some(space); 2], "{name}");
                queries += 1;
            }
        }
    }
    assert!(brokers >= 6 && queries >= 2, "{brokers} {queries}");
    let moved = object(&rendered["moved"], "ScaledObject", "tabiya-worker-blue");
    assert_eq!(
        moved["spec"]["triggers"][0]["metadata"]["natsServerMonitoringEndpoint"],
        "tabiya-nats-blue.chess.svc:8222"
    );
}
