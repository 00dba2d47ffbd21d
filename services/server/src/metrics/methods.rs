use std::{collections::HashMap, sync::Arc};

use prost::Message;
use prost_types::FileDescriptorSet;
use tonic::Code;

use super::cell::{Counter, Gauge, Seconds};
use crate::compute::Class;

/// Codes of the gRPC protocol, by number.
const CODES: [&str; 17] = [
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
];

/// Methods that bring no stream, and have time all the same: what they hand out lies ready or is computed for a job.
const UNHURRIED: &[&str] = &["tabiya.v1.JobService/StreamResults"];

/// Where our own services are.
const PACKAGE: &str = "tabiya.";

/// A code in the words of the protocol.
pub(crate) fn code_name(code: Code) -> &'static str {
    CODES.get(code as usize).copied().unwrap_or("UNKNOWN")
}

/// A gRPC method and the calls of it.
#[derive(Debug)]
pub(crate) struct Method {
    /// Service and method, as in `tabiya.v1.RulesService/LegalMoves`.
    pub(crate) name: String,
    /// How urgent its calls are: those that bring a stream have time, and so have those that hand out a job's results.
    pub(crate) class: Class,
    /// Whether its calls have to be admitted: health and reflection never wait behind work.
    pub(crate) is_limited: bool,
    pub(crate) positions: Counter,
    pub(crate) open: Gauge,
    pub(crate) seconds: Seconds,
    ended: [Counter; CODES.len()],
}

impl Method {
    fn new(name: String, class: Class) -> Self {
        Self {
            is_limited: name.starts_with(PACKAGE),
            name,
            class,
            positions: Counter::default(),
            open: Gauge::default(),
            seconds: Seconds::default(),
            ended: Default::default(),
        }
    }

    /// The method of calls that nobody counts.
    pub(crate) fn unnamed() -> Self {
        Self::new("other".to_owned(), Class::Interactive)
    }

    /// Counts a call that ended.
    pub(crate) fn count_end(&self, code: Code) {
        if let Some(counter) = self.ended.get(code as usize) {
            counter.inc();
        }
    }

    /// How many calls ended with a code.
    #[cfg(test)]
    pub(crate) fn ended_with(&self, code: Code) -> u64 {
        self.ended[code as usize].get()
    }

    /// How many calls ended with each code, for codes that were seen and OK.
    pub(super) fn ended(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let ended = CODES.iter().zip(&self.ended).enumerate();
        ended.filter_map(|(number, (&code, counter))| {
            let count = counter.get();
            (count > 0 || number == 0).then_some((code, count))
        })
    }
}

/// Every method that is served. What a caller asks for beyond them is one of them too, so that nobody can make up names.
#[derive(Debug)]
pub(crate) struct Methods {
    by_path: HashMap<String, Arc<Method>>,
    other: Arc<Method>,
}

impl Methods {
    /// The methods of these descriptors.
    pub(super) fn of(descriptors: &[&[u8]]) -> Self {
        let mut by_path = HashMap::new();
        for bytes in descriptors {
            // They are part of the program; a test looks for every method by name.
            let Ok(set) = FileDescriptorSet::decode(*bytes) else {
                continue;
            };
            for file in &set.file {
                for service in &file.service {
                    for method in &service.method {
                        let name = format!("{}.{}/{}", file.package(), service.name(), method.name());
                        let class = if method.client_streaming() || UNHURRIED.contains(&name.as_str()) {
                            Class::Bulk
                        } else {
                            Class::Interactive
                        };
                        by_path.insert(format!("/{name}"), Arc::new(Method::new(name, class)));
                    }
                }
            }
        }
        Self {
            by_path,
            other: Arc::new(Method::unnamed()),
        }
    }

    /// The method that a path names.
    pub(crate) fn find(&self, path: &str) -> &Arc<Method> {
        self.by_path.get(path).unwrap_or(&self.other)
    }

    /// All of them, in the order of their names.
    pub(super) fn all(&self) -> Vec<&Arc<Method>> {
        let mut all: Vec<_> = self.by_path.values().chain([&self.other]).collect();
        all.sort_by(|a, b| a.name.cmp(&b.name));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_come_from_the_descriptors_and_nowhere_else() {
        let methods = Methods::of(&[tabiya_api::FILE_DESCRIPTOR_SET]);
        let legal = methods.find("/tabiya.v1.RulesService/LegalMoves");
        assert_eq!(
            (legal.name.as_str(), legal.class, legal.is_limited),
            ("tabiya.v1.RulesService/LegalMoves", Class::Interactive, true)
        );
        let bulk = methods.find("/tabiya.v1.SearchService/BatchAnalyze");
        assert_eq!(bulk.class, Class::Bulk);
        for made_up in UNHURRIED {
            assert_eq!(methods.find(&format!("/{made_up}")).class, Class::Bulk);
            assert_eq!(methods.find(&format!("/{made_up}")).name, *made_up);
        }
        for made_up in ["", "/", "/tabiya.v1.RulesService/Nothing", "/a.B/C"] {
            assert_eq!(methods.find(made_up).name, "other");
        }
    }

    #[test]
    fn codes_are_named_as_the_protocol_numbers_them() {
        for number in 0..CODES.len() as i32 {
            let debug = format!("{:?}", Code::from_i32(number));
            let name = code_name(Code::from_i32(number)).replace('_', "");
            assert_eq!(debug.to_uppercase(), name);
        }
        let method = Method::new("m".into(), Class::Bulk);
        method.count_end(Code::Unauthenticated);
        let ended: Vec<_> = method.ended().collect();
        assert_eq!(ended, [("OK", 0), ("UNAUTHENTICATED", 1)]);
    }
}
