use tabiya_api::v1::JobState;

/// How far a job is: the part of it that changes.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Progress {
    /// Items that have a result, errors included.
    #[prost(uint32, tag = "1")]
    pub results: u32,
    /// Items whose result is an error.
    #[prost(uint32, tag = "2")]
    pub errors: u32,
    /// Whether it was cancelled before it was complete.
    #[prost(bool, tag = "3")]
    pub cancelled: bool,
    /// When it was cancelled or complete.
    #[prost(message, optional, tag = "4")]
    pub end_time: Option<prost_types::Timestamp>,
}

impl Progress {
    /// The state of a job of so many items.
    pub fn state(&self, items: u32) -> JobState {
        if self.cancelled {
            JobState::Cancelled
        } else if self.results < items {
            JobState::Running
        } else if self.errors == 0 {
            JobState::Completed
        } else {
            JobState::CompletedWithErrors
        }
    }

    /// Whether anything is left to compute.
    pub fn is_running(&self, items: u32) -> bool {
        self.state(items) == JobState::Running
    }
}
