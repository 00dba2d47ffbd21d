//! Which call takes which role.

use super::Role;

/// What a call takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Access {
    /// Nothing.
    Open,
    /// What the configuration says of reflection.
    Reflection,
    /// A role.
    Role(Role),
}

const READ: Access = Access::Role(Role::Read);
const BULK: Access = Access::Role(Role::Bulk);

/// Every method of every service, by service.
const TABLE: &[(&str, &[(&str, Access)])] = &[
    (
        "tabiya.v1.RulesService",
        &[
            ("LegalMoves", READ),
            ("BatchLegalMoves", BULK),
            ("PlayMoves", READ),
            ("Perft", READ),
        ],
    ),
    (
        "tabiya.v1.ArbiterService",
        &[
            ("Adjudicate", READ),
            ("BatchAdjudicate", BULK),
            ("CompareRulings", READ),
            ("ListRulesets", READ),
            ("GetRuleset", READ),
            ("ProveMate", READ),
            ("Standings", READ),
        ],
    ),
    (
        "tabiya.v1.SearchService",
        &[
            ("BestMove", READ),
            ("Analyze", READ),
            ("BatchAnalyze", BULK),
            ("Evaluate", READ),
            ("BatchEvaluate", BULK),
            ("GetEngineInfo", READ),
        ],
    ),
    (
        "tabiya.v1.JobService",
        &[
            ("SubmitJob", BULK),
            ("UploadJob", BULK),
            ("GetJob", BULK),
            ("ListJobs", BULK),
            ("CancelJob", BULK),
            ("StreamResults", BULK),
        ],
    ),
    (
        "grpc.health.v1.Health",
        &[("Check", Access::Open), ("Watch", Access::Open)],
    ),
    (
        "grpc.reflection.v1.ServerReflection",
        &[("ServerReflectionInfo", Access::Reflection)],
    ),
    (
        "grpc.reflection.v1alpha.ServerReflection",
        &[("ServerReflectionInfo", Access::Reflection)],
    ),
];

/// What a call to a path takes; `None` if no method is there.
pub(crate) fn access(path: &str) -> Option<Access> {
    let (service, method) = path.strip_prefix('/')?.split_once('/')?;
    let (_, methods) = TABLE.iter().find(|(name, _)| *name == service)?;
    methods
        .iter()
        .find(|(name, _)| *name == method)
        .map(|(_, access)| *access)
}

/// Whether each message of a call to this path has an answer of its own. A test holds the names to it.
pub(crate) fn answers_items(path: &str) -> bool {
    let method = path.rsplit('/').next().unwrap_or_default();
    access(path) == Some(BULK) && method.starts_with("Batch")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use prost::Message;
    use prost_types::FileDescriptorSet;

    use super::*;

    #[test]
    fn every_method_of_every_service_is_in_the_table() {
        let sets = [
            tabiya_api::FILE_DESCRIPTOR_SET,
            tonic_health::pb::FILE_DESCRIPTOR_SET,
            tonic_reflection::pb::v1::FILE_DESCRIPTOR_SET,
            tonic_reflection::pb::v1alpha::FILE_DESCRIPTOR_SET,
        ];
        let mut served = BTreeSet::new();
        for set in sets {
            for file in FileDescriptorSet::decode(set).unwrap().file {
                for service in &file.service {
                    for method in &service.method {
                        let is_stream = method.client_streaming();
                        let path = format!("/{}.{}/{}", file.package(), service.name(), method.name());
                        let access = access(&path).unwrap_or_else(|| panic!("{path} is not in the table"));
                        if file.package() == "tabiya.v1" {
                            assert_ne!(access, Access::Open, "{path}");
                            assert!(!is_stream || access == BULK, "{path} takes a stream");
                            assert_eq!(
                                answers_items(&path),
                                is_stream && method.server_streaming(),
                                "{path} is named for something else"
                            );
                        }
                        served.insert(path);
                    }
                }
            }
        }
        for (service, methods) in TABLE {
            for (method, _) in *methods {
                let path = format!("/{service}/{method}");
                assert!(served.contains(&path), "nobody serves {path}");
            }
        }
        assert_eq!(access("/tabiya.v1.RulesService/"), None);
        assert_eq!(access("tabiya.v1.RulesService/LegalMoves"), None);
    }
}
