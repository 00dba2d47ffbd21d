//! How long an answer may become, and whether anybody still waits for it.

use std::{
    cell::Cell,
    sync::atomic::{AtomicBool, Ordering},
};

use prost::Message;

use crate::{MAX_MESSAGE_BYTES, error::ServiceError};

/// What is left of an answer's greatest length while it is built: what would be too long in the end is given up on the
/// way, and so is what nobody waits for.
pub(super) struct Room<'a> {
    left: Cell<usize>,
    stop: &'a AtomicBool,
    /// The field that makes the answer long, and how much it holds.
    blame: (&'static str, usize),
}

impl<'a> Room<'a> {
    pub(super) fn new(stop: &'a AtomicBool, field: &'static str, count: usize) -> Self {
        Self {
            left: Cell::new(MAX_MESSAGE_BYTES),
            stop,
            blame: (field, count),
        }
    }

    /// Makes room for a part of the answer.
    ///
    /// # Errors
    /// INVALID_ARGUMENT if there is not so much; DEADLINE_EXCEEDED if nobody waits any more.
    pub(super) fn place<M: Message>(&self, part: M) -> Result<M, ServiceError> {
        self.go_on()?;
        let left = self.left.get().checked_sub(part.encoded_len());
        self.left.set(left.ok_or_else(|| self.too_long())?);
        Ok(part)
    }

    /// Checks the whole answer: its parts are a little longer together than one by one.
    ///
    /// # Errors
    /// INVALID_ARGUMENT if it is too long; DEADLINE_EXCEEDED if nobody waits any more.
    pub(super) fn whole<M: Message>(&self, answer: M) -> Result<M, ServiceError> {
        self.go_on()?;
        if answer.encoded_len() > MAX_MESSAGE_BYTES {
            return Err(self.too_long());
        }
        Ok(answer)
    }

    /// Whether anybody waits.
    ///
    /// # Errors
    /// DEADLINE_EXCEEDED if not: the deadline has passed, or nobody hears the error.
    pub(super) fn go_on(&self) -> Result<(), ServiceError> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(ServiceError::DeadlineExceeded);
        }
        Ok(())
    }

    fn too_long(&self) -> ServiceError {
        let (field, count) = self.blame;
        ServiceError::answer_too_long(field, &count.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::v1::Citation;

    fn citation(bytes: usize) -> Citation {
        Citation {
            text_en: "x".repeat(bytes),
            ..Default::default()
        }
    }

    #[test]
    fn what_is_too_long_ends_on_the_way() {
        let stop = AtomicBool::new(false);
        let room = Room::new(&stop, "events", 4096);
        assert!(room.place(citation(MAX_MESSAGE_BYTES / 2)).is_ok());
        let error = room.place(citation(MAX_MESSAGE_BYTES / 2)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "events `4096`: the answer would be longer than 4194304 bytes; ask for less in one message"
        );
        assert!(room.whole(citation(MAX_MESSAGE_BYTES)).is_err());
        assert!(room.whole(citation(MAX_MESSAGE_BYTES - 16)).is_ok());
    }

    #[test]
    fn what_nobody_waits_for_ends_as_well() {
        let stop = AtomicBool::new(true);
        let room = Room::new(&stop, "events", 1);
        assert!(matches!(
            room.place(citation(1)),
            Err(ServiceError::DeadlineExceeded)
        ));
        assert!(matches!(
            room.whole(citation(1)),
            Err(ServiceError::DeadlineExceeded)
        ));
    }
}
