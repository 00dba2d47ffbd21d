use super::cell::Counter;

/// Files that are read again when they change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Watched {
    /// Certificates and keys of the main port.
    MainTls,
    /// The same of the admin port.
    AdminTls,
    /// The file of callers.
    Tokens,
}

impl Watched {
    const NAMES: [&str; 3] = ["main_tls", "admin_tls", "tokens"];
}

/// How often files were read again.
#[derive(Debug, Default)]
pub(crate) struct Reloads {
    taken: [Counter; Watched::NAMES.len()],
    refused: [Counter; Watched::NAMES.len()],
}

impl Reloads {
    /// Counts a change, and whether it was taken up.
    pub(crate) fn count(&self, what: Watched, is_taken: bool) {
        let counters = if is_taken { &self.taken } else { &self.refused };
        counters[what as usize].inc();
    }

    pub(super) fn all(&self) -> impl Iterator<Item = ([&'static str; 2], u64)> {
        let of = |result: &'static str, counters: &[Counter; Watched::NAMES.len()]| {
            let counts = counters.each_ref().map(Counter::get);
            Watched::NAMES
                .into_iter()
                .zip(counts)
                .map(move |(name, count)| ([name, result], count))
        };
        of("taken", &self.taken).chain(of("refused", &self.refused))
    }
}
