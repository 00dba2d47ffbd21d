//! The life of a server, seen by everything that has to end with it.

use tokio::sync::watch;

/// How far a server's end has come. It only ever moves down this list.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Phase {
    /// Normal work.
    Serving,
    /// Readiness is gone; new connections and calls are still taken.
    Leaving,
    /// Connections are told to go away; calls in flight go on, streams read no more input.
    Draining,
    /// Searches stop and answer with their best so far.
    Stopping,
    /// What is left is cut.
    Cut,
}

/// The place where the phase is set.
#[derive(Clone, Debug)]
pub(crate) struct Lifecycle {
    sender: watch::Sender<Phase>,
}

impl Lifecycle {
    pub(crate) fn new() -> Self {
        Self {
            sender: watch::Sender::new(Phase::Serving),
        }
    }

    /// Moves on to `phase`, unless the server is further already.
    pub(crate) fn advance(&self, phase: Phase) {
        self.sender.send_if_modified(|current| {
            let later = phase > *current;
            if later {
                *current = phase;
            }
            later
        });
    }

    pub(crate) fn phase(&self) -> Phase {
        *self.sender.borrow()
    }

    /// A receiver of every change.
    pub(crate) fn subscribe(&self) -> watch::Receiver<Phase> {
        self.sender.subscribe()
    }

    /// Completes once the server is at `phase` or further. Works on any runtime and owns its subscription.
    pub(crate) fn reached(&self, phase: Phase) -> impl Future<Output = ()> + Send + use<> {
        let mut receiver = self.sender.subscribe();
        // The future holds a sender, so the channel cannot close under it.
        let sender = self.sender.clone();
        async move {
            let _ = receiver.wait_for(|current| *current >= phase).await;
            drop(sender);
        }
    }
}
