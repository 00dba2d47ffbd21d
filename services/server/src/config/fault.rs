use std::fmt;

use super::Source;

/// Something wrong with the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigFault {
    /// The setting; empty where a file as a whole is at fault.
    pub key: String,
    /// What is wrong, with the value cut to 64 bytes. Secrets are not part of it.
    pub reason: String,
    /// Where the value comes from.
    pub source: Source,
}

/// All that is wrong with the configuration, never empty.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct ConfigFaults(pub Vec<ConfigFault>);

impl fmt::Display for ConfigFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.source {
            Source::Default | Source::Program => f.write_str(&self.reason),
            source => write!(f, "{source}: {}", self.reason),
        }
    }
}

impl fmt::Display for ConfigFaults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{fault}")?;
        }
        Ok(())
    }
}
