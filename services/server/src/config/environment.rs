//! Variables of the environment.

use super::{
    ConfigFault, PREFIX, SETTINGS, Setting, Source,
    layers::{Given, nearest},
};

/// Variables that begin like settings and are read elsewhere in the program.
const OTHERS: &[&str] = &["CONFIG", "ENDPOINT", "LOG", "TLS_CA", "TOKEN_FILE"];

/// The settings among variables, the faults, and the names of those that mean nothing here.
pub(super) fn read(
    variables: impl Iterator<Item = (String, String)>,
) -> (Vec<Given>, Vec<ConfigFault>, Vec<String>) {
    let (mut given, mut faults, mut ignored) = (Vec::new(), Vec::new(), Vec::new());
    for (name, value) in variables {
        let Some(rest) = name.strip_prefix(PREFIX) else {
            continue;
        };
        let source = Source::Environment(name.clone());
        let found = SETTINGS.iter().find(|setting| setting.variable() == name);
        if let Some(setting) = found {
            // Empty is how templates leave a variable out.
            if !value.is_empty() {
                let texts = split(setting, &value);
                given.push(Given {
                    setting,
                    texts,
                    source,
                });
            }
        } else if OTHERS.contains(&rest) || is_service_link(rest) {
            // Somebody else's.
        } else if let Some(setting) = nearest(&rest.to_ascii_lowercase()) {
            faults.push(ConfigFault {
                key: rest.to_ascii_lowercase(),
                reason: format!("no setting has this variable; {} is meant?", setting.variable()),
                source,
            });
        } else {
            ignored.push(name);
        }
    }
    (given, faults, ignored)
}

/// The texts of a value.
pub(super) fn split(setting: &Setting, value: &str) -> Vec<String> {
    if !setting.is_list {
        return vec![value.to_owned()];
    }
    (setting.split)(value)
}

/// Kubernetes describes a service called `tabiya` to every pod beside it by variables such as `TABIYA_SERVICE_HOST`
/// and `TABIYA_PORT_50051_TCP_ADDR`.
fn is_service_link(rest: &str) -> bool {
    let is_port = |rest: &str| rest == "PORT" || rest.starts_with("PORT_");
    let is_service = |rest: &str| rest.starts_with("SERVICE_HOST") || rest.starts_with("SERVICE_PORT");
    is_port(rest)
        || is_service(rest)
        || rest
            .find("_SERVICE_")
            .is_some_and(|at| is_service(&rest[at + 1..]))
        || rest.find("_PORT").is_some_and(|at| {
            // A service of another name that begins with ours, such as TABIYA_WORKER_PORT_80_TCP.
            let tail = &rest[at + 1..];
            is_port(tail)
        })
}
