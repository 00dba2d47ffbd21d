use std::{io, time::Duration};

use crate::Fault;

/// When a full disk is worth another look.
const DISK_PATIENCE: Duration = Duration::from_secs(60);

/// Why a transaction failed.
#[derive(Debug)]
pub(super) enum Trouble {
    /// The database said so.
    Database(Box<redb::Error>),
    /// We said so.
    Own(Fault),
}

macro_rules! from {
    ($($error:ident)*) => {
        $(impl From<redb::$error> for Trouble {
            fn from(error: redb::$error) -> Self {
                Self::Database(Box::new(error.into()))
            }
        })*
    };
}

from! { StorageError TableError TransactionError CommitError SetDurabilityError DatabaseError }

impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Self {
        Self::Own(fault)
    }
}

impl Trouble {
    /// Whether the database has to be closed and opened again before it can go on.
    pub(super) fn needs_reopening(&self) -> bool {
        let Self::Database(error) = self else {
            return false;
        };
        matches!(
            **error,
            redb::Error::Io(_)
                | redb::Error::Backend(_)
                | redb::Error::PreviousIo
                | redb::Error::DatabaseClosed
                | redb::Error::LockPoisoned(_)
        )
    }

    /// The trouble in the words of the traits.
    pub(super) fn into_fault(self) -> Fault {
        let error = match self {
            Self::Own(fault) => return fault,
            Self::Database(error) => error,
        };
        match &*error {
            redb::Error::Io(source) if is_full(source) => Fault::Full {
                reason: source.to_string(),
                retry_after: DISK_PATIENCE,
            },
            redb::Error::PreviousIo | redb::Error::DatabaseClosed | redb::Error::DatabaseAlreadyOpen => {
                Fault::Unavailable(error.to_string())
            }
            redb::Error::Corrupted(_)
            | redb::Error::TableTypeMismatch { .. }
            | redb::Error::TypeDefinitionChanged { .. }
            | redb::Error::UpgradeRequired(_) => Fault::Damaged(error.to_string()),
            _ => Fault::Failed(error.to_string()),
        }
    }
}

fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
    )
}
