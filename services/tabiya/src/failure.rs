//! Why a command could not do what it was asked, and the exit code that says so.

use std::{
    fmt, io,
    process::{ExitCode, Termination},
};

use tabiya_client::{ClientError, v1::ItemError};

/// How a command ended that ran to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Everything was done: exit code 0.
    Done,
    /// Some items failed, each named on stderr: exit code 1.
    SomeFailed,
}

impl Outcome {
    /// The outcome of a command of which so many items failed.
    pub(crate) fn of_failures(failed: u64) -> Self {
        if failed == 0 { Self::Done } else { Self::SomeFailed }
    }
}

impl Termination for Outcome {
    fn report(self) -> ExitCode {
        match self {
            Self::Done => ExitCode::SUCCESS,
            Self::SomeFailed => ExitCode::from(1),
        }
    }
}

/// Why a command stopped.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// Options that do not go together, or a value that cannot be used.
    #[error("{0}")]
    Usage(String),
    /// Settings that are wrong, a line each.
    #[error("{}", .0.replace('\n', "\ntabiya: "))]
    Settings(String),
    /// A file that cannot be read, or not as what it should be.
    #[error("{name}: {reason}")]
    Input {
        /// The file, `-` for standard input.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The output cannot be opened, so that nothing was begun.
    #[error("{name}: {source}")]
    Unopened {
        /// The file.
        name: String,
        /// What the system said.
        source: io::Error,
    },
    /// The output cannot be written.
    #[error("{name}: {source}")]
    Output {
        /// The file, `-` for standard output.
        name: String,
        /// What the system said.
        source: io::Error,
    },
    /// No server could be started.
    #[error("{0}")]
    NoServer(String),
    /// The server could not be reached, or refused or broke off a call.
    #[error("{0}")]
    Call(ClientError),
    /// The user, or the system, asked to stop.
    #[error("interrupted{0}")]
    Interrupted(String),
    /// The work was broken off midway.
    #[error("{0}")]
    BrokenOff(String),
}

impl Failure {
    /// The exit code: 2 if nothing could be begun, 1 if something was left undone.
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Self::Usage(_)
            | Self::Settings(_)
            | Self::Input { .. }
            | Self::Unopened { .. }
            | Self::NoServer(_)
            | Self::Call(_) => ExitCode::from(2),
            Self::Output { .. } | Self::Interrupted(_) | Self::BrokenOff(_) => ExitCode::from(1),
        }
    }

    /// Whether the reader of standard output went away, as `head` does: nothing worth a message.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Output { source, .. } if source.kind() == io::ErrorKind::BrokenPipe)
    }

    /// A failure to write to standard output.
    pub(crate) fn stdout(source: io::Error) -> Self {
        Self::Output {
            name: "standard output".to_owned(),
            source,
        }
    }

    /// An unreadable file.
    pub(crate) fn input(name: &str, reason: impl fmt::Display) -> Self {
        Self::Input {
            name: name.to_owned(),
            reason: reason.to_string(),
        }
    }
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        match error {
            ClientError::Endpoint { .. } | ClientError::File { .. } | ClientError::Token => {
                Self::Usage(error.to_string())
            }
            _ => Self::Call(error),
        }
    }
}

/// What a server said against one item, with the fields it found at fault.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Refusal(ItemError);

impl Refusal {
    /// Whether the same item may have an answer a little later.
    pub(crate) fn is_transient(&self) -> bool {
        const RESOURCE_EXHAUSTED: i32 = 8;
        const UNAVAILABLE: i32 = 14;
        matches!(self.0.code, RESOURCE_EXHAUSTED | UNAVAILABLE)
    }

    /// What a call ended with that asked about one item alone.
    pub(crate) fn of_call(code: i32, error: &ClientError) -> Self {
        Self(ItemError {
            code,
            message: error.to_string(),
            ..ItemError::default()
        })
    }

    /// An answer that breaks the contract.
    pub(crate) fn without_content() -> Self {
        Self(ItemError {
            message: "the server sent an answer without content".to_owned(),
            ..ItemError::default()
        })
    }
}

impl From<ItemError> for Refusal {
    fn from(error: ItemError) -> Self {
        Self(error)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ItemError {
            code,
            message,
            violations,
        } = &self.0;
        if message.is_empty() {
            write!(f, "error {code}")?;
        } else {
            f.write_str(message)?;
        }
        for violation in violations {
            // Servers repeat the first violation in the message.
            if !message.contains(&violation.reason) {
                write!(
                    f,
                    "; {} {:?}: {}",
                    violation.field, violation.value, violation.reason
                )?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use tabiya_client::v1::FieldViolation;

    use super::*;

    #[test]
    fn refusals_name_the_field() {
        let refusal = Refusal::from(ItemError {
            code: 3,
            message: "invalid request".to_owned(),
            violations: vec![FieldViolation {
                field: "position.fen".to_owned(),
                value: "8/8".to_owned(),
                reason: "2 ranks, not 8".to_owned(),
            }],
        });
        assert_eq!(
            refusal.to_string(),
            "invalid request; position.fen \"8/8\": 2 ranks, not 8"
        );
        assert!(!refusal.is_transient());
    }

    #[test]
    fn overload_passes() {
        assert!(
            Refusal::from(ItemError {
                code: 8,
                ..ItemError::default()
            })
            .is_transient()
        );
        assert!(!Refusal::without_content().is_transient());
    }
}
