//! What the server counts and measures, for Prometheus.
//!
//! Counting is adding to an atomic number: no lock and no look-up but one a call, for its method. The text is made of
//! these numbers, and of what the engine knows about itself, when the admin port is asked for it.

mod cell;
mod connections;
mod jobs;
mod methods;
pub mod names;
mod page;
mod process;
mod reloads;
mod searches;
mod text;
mod work;
mod writer;

use tonic_health::pb::FILE_DESCRIPTOR_SET as HEALTH;
use tonic_reflection::pb::{
    v1::FILE_DESCRIPTOR_SET as REFLECTION, v1alpha::FILE_DESCRIPTOR_SET as REFLECTION_ALPHA,
};

use cell::Counter;
pub(crate) use connections::{Connections, End};
pub(crate) use jobs::Jobs;
pub(crate) use methods::{Method, code_name};
pub(crate) use page::{Page, Sources};
pub(crate) use reloads::{Reloads, Watched};
pub(crate) use text::Text;
pub(crate) use work::{ClassWork, Shed};

use crate::compute::Class;

/// Everything that is counted.
#[derive(Debug)]
pub(crate) struct Metrics {
    pub(crate) methods: methods::Methods,
    pub(crate) panics: work::Panics,
    pub(crate) main_port: Connections,
    pub(crate) admin_port: Connections,
    pub(crate) searches: searches::Searches,
    /// Positions that were evaluated for nobody.
    pub(crate) eval_abandoned: Counter,
    pub(crate) jobs: Jobs,
    pub(crate) reloads: Reloads,
    pub(crate) spans_exported: Counter,
    pub(crate) spans_failed: Counter,
    pub(crate) spans_dropped: Counter,
    interactive: ClassWork,
    bulk: ClassWork,
}

impl Metrics {
    pub(crate) fn new() -> Self {
        Self {
            methods: methods::Methods::of(&[
                tabiya_api::FILE_DESCRIPTOR_SET,
                HEALTH,
                REFLECTION,
                REFLECTION_ALPHA,
            ]),
            panics: Default::default(),
            main_port: Default::default(),
            admin_port: Default::default(),
            searches: Default::default(),
            eval_abandoned: Default::default(),
            jobs: Default::default(),
            reloads: Default::default(),
            spans_exported: Default::default(),
            spans_failed: Default::default(),
            spans_dropped: Default::default(),
            interactive: Default::default(),
            bulk: Default::default(),
        }
    }

    /// The work of a class.
    pub(crate) fn class(&self, class: Class) -> &ClassWork {
        match class {
            Class::Interactive => &self.interactive,
            Class::Bulk => &self.bulk,
        }
    }
}
