use std::{fmt, path::PathBuf};

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Nobody set it.
    Default,
    /// A line of a file, from 1.
    File(PathBuf, usize),
    /// A variable of the environment.
    Environment(String),
    /// A flag, with its dashes.
    Flag(String),
    /// The program that this server is part of.
    Program,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(path, line) => write!(f, "{}:{line}", path.display()),
            Self::Environment(variable) => write!(f, "environment {variable}"),
            Self::Flag(flag) => f.write_str(flag),
            Self::Program => f.write_str("program"),
        }
    }
}
