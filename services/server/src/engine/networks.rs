//! The networks that can be asked for, each with what evaluates by it in batches.

use std::sync::Arc;

use tabiya_api::error::ServiceError;
use tabiya_evaluator::{Network, NetworkSource};

use super::Batches;
use crate::{Config, ServerError, metrics::Metrics};

/// A network that can be asked for.
#[derive(Debug)]
pub(crate) struct Served {
    /// Its place among all of them.
    pub(crate) place: usize,
    pub(crate) network: Arc<Network>,
    /// Evaluations by it in batches.
    pub(crate) batches: Batches,
    /// Its hash, as callers may name it.
    pub(crate) hash: String,
    /// Size of its file.
    pub(super) bytes: u64,
    /// Where it comes from.
    source: NetworkSource,
}

/// The networks that can be asked for, at least one; the first is the default. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct Networks(Arc<[Arc<Served>]>);

impl Served {
    /// What its file calls it.
    pub(crate) fn name(&self) -> &str {
        self.network.name()
    }

    /// What the program that holds it calls it; empty for one from a file.
    pub(super) fn embedded_name(&self) -> &'static str {
        self.source.embedded_name().unwrap_or_default()
    }

    /// Whether a caller who names a network so means this one.
    fn is_called(&self, asked: &str) -> bool {
        asked == self.name() || asked == self.hash || self.source.embedded_name() == Some(asked)
    }

    /// A name that means both networks; two whose files give them none share that. Figures are told apart by names.
    fn name_in_common(&self, other: &Self) -> Option<&str> {
        let names = [Some(self.name()), self.source.embedded_name()];
        names.into_iter().flatten().find(|name| other.is_called(name))
    }
}

impl Networks {
    /// Loads the networks that are configured.
    ///
    /// # Errors
    /// The source of one that cannot be used; both sources of two that cannot be told apart.
    pub(super) fn load(config: &Config, metrics: &Arc<Metrics>) -> Result<Self, ServerError> {
        let default = [NetworkSource::default()];
        let sources = match config.network.as_slice() {
            [] => default.as_slice(),
            sources => sources,
        };
        let mut networks: Vec<Arc<Served>> = Vec::new();
        for source in sources {
            let error = |reason: String| ServerError::Network {
                name: source.to_string(),
                reason,
            };
            let network = source.load().map_err(|reason| error(reason.to_string()))?;
            let served = Served {
                place: networks.len(),
                batches: Batches::new(network.name(), metrics),
                hash: network.digest().to_string(),
                bytes: network.to_bytes().len() as u64,
                source: source.clone(),
                network,
            };
            for other in &networks {
                if served.hash == other.hash {
                    return Err(error(format!("the same network as {}", other.source)));
                }
                if let Some(name) = served.name_in_common(other) {
                    let name = tabiya_api::error::excerpt(name);
                    return Err(error(format!(
                        "`{name}` is a name of the network from {}, too",
                        other.source
                    )));
                }
            }
            networks.push(Arc::new(served));
        }
        Ok(Self(networks.into()))
    }

    /// The one that is used where no other is asked for.
    pub(crate) fn default_one(&self) -> &Arc<Served> {
        &self.0[0]
    }

    /// The one that a caller names, by name or hash; the default one if he names none.
    ///
    /// # Errors
    /// INVALID_ARGUMENT with the names that there are.
    pub(crate) fn find(&self, asked: &str) -> Result<&Arc<Served>, ServiceError> {
        if asked.is_empty() {
            return Ok(self.default_one());
        }
        self.iter().find(|served| served.is_called(asked)).ok_or_else(|| {
            let names: Vec<_> = self.iter().map(|served| served.name()).collect();
            let reason = format!("unknown; there is {}", names.join(", "));
            ServiceError::invalid("network", asked, reason)
        })
    }

    /// All of them, the default one first.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &Arc<Served>> {
        self.0.iter()
    }

    /// Lets their threads end.
    pub(super) fn close(&self) {
        self.iter().for_each(|served| served.batches.close());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A network like the default one, with another name and other values.
    fn file(folder: &tempfile::TempDir, name: &str, numerator: i32) -> NetworkSource {
        let mut parts = Network::default_network().to_parts();
        parts.name = name.to_owned();
        parts.scale.numerator = numerator;
        let path = folder.path().join(format!("{name}-{numerator}.nnue"));
        std::fs::write(&path, Network::from_parts(parts).unwrap().to_bytes()).unwrap();
        NetworkSource::File(path)
    }

    fn load(sources: &[&NetworkSource]) -> Result<Networks, ServerError> {
        let config = Config {
            network: sources.iter().copied().cloned().collect(),
            ..Config::in_process()
        };
        Networks::load(&config, &Arc::new(Metrics::new()))
    }

    #[test]
    fn networks_are_found_by_name_and_hash_and_the_first_is_the_default() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (file(&folder, "one", 5), file(&folder, "two", 5));
        let standard = NetworkSource::default();
        let networks = load(&[&two, &standard, &one]).unwrap();
        let place = |asked: &str| networks.find(asked).map(|served| served.place);
        assert_eq!(place("").unwrap(), 0);
        let own_name = Network::default_network().name().to_owned();
        for (name, at) in [("two", 0), ("standard", 1), (own_name.as_str(), 1), ("one", 2)] {
            assert_eq!(place(name).unwrap(), at, "{name}");
        }
        for served in networks.iter() {
            assert_eq!(place(&served.hash).unwrap(), served.place);
        }
        let told = place("three").unwrap_err().to_string();
        assert!(told.contains(&format!("there is two, {own_name}, one")), "{told}");
        // Nobody has said what to serve.
        assert_eq!(load(&[]).unwrap().find("standard").unwrap().place, 0);
        assert!(load(&[&one]).unwrap().find("standard").is_err());
    }

    #[test]
    fn two_that_cannot_be_told_apart_are_refused_with_both_sources() {
        let folder = tempfile::tempdir().unwrap();
        let (five, seven) = (file(&folder, "one", 5), file(&folder, "one", 7));
        let named_standard = file(&folder, "standard", 5);
        let standard = NetworkSource::default();
        let (nameless, too) = (file(&folder, "", 5), file(&folder, "", 7));
        for (first, second, reason) in [
            (&standard, &standard, "the same network"),
            (&five, &five, "the same network"),
            (&five, &seven, "`one` is a name"),
            (&standard, &named_standard, "`standard` is a name"),
            (&named_standard, &standard, "`standard` is a name"),
            (&nameless, &too, "`` is a name"),
        ] {
            let told = load(&[first, second]).unwrap_err().to_string();
            for part in [first.to_string(), second.to_string(), reason.to_owned()] {
                assert!(told.contains(&part), "{told}");
            }
        }
        // One without a name is asked for by its hash.
        let networks = load(&[&five, &nameless, &standard]).unwrap();
        let hash = networks.iter().nth(1).unwrap().hash.clone();
        assert_eq!(networks.find(&hash).unwrap().place, 1);
    }
}
