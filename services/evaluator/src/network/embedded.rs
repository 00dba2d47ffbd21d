//! The networks that are part of the program.

use std::sync::{Arc, OnceLock};

use super::Network;

/// A network in the program.
struct Embedded {
    /// What it is asked for by.
    name: &'static str,
    file: &'static [u8],
    loaded: OnceLock<Arc<Network>>,
}

impl Embedded {
    const fn new(name: &'static str, file: &'static [u8]) -> Self {
        Self {
            name,
            file,
            loaded: OnceLock::new(),
        }
    }

    fn network(&self) -> Arc<Network> {
        let load = || {
            let network = Network::from_bytes(self.file);
            Arc::new(network.expect("embedded networks must pass their own checks"))
        };
        Arc::clone(self.loaded.get_or_init(load))
    }
}

/// All of them; the first is the default.
static EMBEDDED: [Embedded; 1] = [Embedded::new(
    "standard",
    include_bytes!("../../networks/standard.nnue"),
)];

/// The one that is called so.
fn named(name: &str) -> Option<&'static Embedded> {
    EMBEDDED.iter().find(|embedded| embedded.name == name)
}

impl Network {
    /// What the networks in the program are called; the first is the default.
    pub fn embedded_names() -> impl Iterator<Item = &'static str> {
        EMBEDDED.iter().map(|embedded| embedded.name)
    }

    /// The network in the program that is called so. What its own file calls it says more, such as which training it is of.
    ///
    /// # Panics
    /// Never in a build that passed this crate's tests, which load all of them.
    pub fn embedded(name: &str) -> Option<Arc<Self>> {
        named(name).map(Embedded::network)
    }

    /// The network to use where nobody asks for another.
    ///
    /// # Panics
    /// As [`Network::embedded`].
    pub fn default_network() -> Arc<Self> {
        EMBEDDED[0].network()
    }

    /// Bytes of the file of the network in the program that is called so.
    pub(super) fn embedded_bytes(name: &str) -> Option<usize> {
        named(name).map(|embedded| embedded.file.len())
    }
}
