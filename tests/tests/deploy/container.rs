//! The program's containers in the manifests, and what they tell it.

use serde_json::Value;
use tabiya_server::config::{Layers, Setting};

use crate::rendered::{Rendered, list, object, of_kind, text};

/// The server's deployments, by what they are rendered in.
pub(crate) fn servers(rendered: &Rendered) -> impl Iterator<Item = (&str, &Value)> {
    rendered.iter().map(|(name, objects)| {
        let found = if matches!(name.as_str(), "suffixed" | "moved") {
            "tabiya-blue"
        } else {
            "tabiya"
        };
        (name.as_str(), object(objects, "Deployment", found))
    })
}

/// The workers' deployments, by what they are rendered in.
pub(crate) fn workers(rendered: &Rendered) -> impl Iterator<Item = (&str, &Value)> {
    rendered.iter().flat_map(|(name, objects)| {
        let workers = of_kind(objects, "Deployment").filter(|each| {
            let labels = &each["spec"]["template"]["metadata"]["labels"];
            matches!(
                labels["app.kubernetes.io/name"].as_str(),
                Some("tabiya-worker" | "tabiya-worker-gpu")
            )
        });
        workers.map(move |worker| (name.as_str(), worker))
    })
}

/// The container of the program in the pods of a workload.
pub(crate) fn program(workload: &Value) -> &Value {
    list(&workload["spec"]["template"]["spec"]["containers"])
        .find(|container| container["name"] == "tabiya")
        .expect("a container of the program")
}

pub(crate) fn arguments(container: &Value) -> Vec<&str> {
    list(&container["args"]).map(text).collect()
}

/// The value of a flag.
pub(crate) fn flag<'a>(container: &'a Value, name: &str) -> Option<&'a str> {
    arguments(container)
        .into_iter()
        .find_map(|argument| argument.strip_prefix(name)?.strip_prefix('='))
}

/// The variables of a container, as the cluster fills them in.
pub(crate) fn variables(container: &Value) -> Vec<(String, String)> {
    let mut variables: Vec<(String, String)> = Vec::new();
    for variable in list(&container["env"]) {
        let name = text(&variable["name"]).to_owned();
        let value = match variable["value"].as_str() {
            // Those that stand before it may be named in it.
            Some(value) => variables.iter().fold(value.to_owned(), |value, (name, other)| {
                value.replace(&format!("$({name})"), other)
            }),
            None => {
                let field = &variable["valueFrom"]["resourceFieldRef"];
                assert_eq!(field["resource"], "requests.cpu", "{name}");
                assert_eq!(field["divisor"], "1", "{name}");
                assert_eq!(field["containerName"], container["name"], "{name}");
                quantity(&container["resources"]["requests"]["cpu"])
                    .ceil()
                    .to_string()
            }
        };
        assert!(
            !value.contains("$("),
            "{name}: {value} names what does not stand before it"
        );
        variables.push((name, value));
    }
    variables
}

/// The settings that a container of the program is given, by variables and by flags.
pub(crate) fn settings(container: &Value, place: &str) -> Layers {
    let variables = variables(container).into_iter();
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

pub(crate) fn port_of(address: &str) -> u64 {
    address
        .rsplit_once(':')
        .and_then(|(_, port)| port.parse().ok())
        .expect("a port")
}

/// A quantity such as `500m`, `2` or `3Gi`; nothing is zero.
pub(crate) fn quantity(value: &Value) -> f64 {
    const UNITS: [(&str, f64); 5] = [
        ("Ki", 1024.0),
        ("Mi", 1024.0 * 1024.0),
        ("Gi", 1024.0 * 1024.0 * 1024.0),
        ("m", 0.001),
        ("", 1.0),
    ];
    let given = match value {
        Value::Null => "0".to_owned(),
        Value::String(given) => given.clone(),
        other => other.to_string(),
    };
    let found = UNITS.iter().find_map(|(unit, size)| {
        let number: f64 = given.strip_suffix(unit)?.parse().ok()?;
        Some(number * size)
    });
    found.unwrap_or_else(|| panic!("{given} is no quantity"))
}

#[test]
fn quantities_are_read_as_kubernetes_does() {
    for (given, value) in [
        ("500m", 0.5),
        ("2", 2.0),
        ("3Gi", 3.0 * f64::powi(2.0, 30)),
        ("1536Mi", 1.5 * f64::powi(2.0, 30)),
    ] {
        assert_eq!(quantity(&given.into()), value, "{given}");
    }
    assert_eq!(quantity(&Value::Null), 0.0);
}
