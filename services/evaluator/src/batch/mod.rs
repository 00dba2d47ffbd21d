//! Batches from many callers, on whichever backend serves, with fail-over.
//!
//! [`BatchEvaluator`] takes lists of positions from any number of threads into one bounded queue, forms batches
//! greedily, runs them and deals the values out again. Behind it are three lanes: the CPU kernels (a thread a
//! core), the scalar reference, and one device that may fail: the GPU, or in tests any [`Backend`] behind a
//! [`DeviceThread`]. A device's batch that ends in an error, a time-out or a panic is evaluated again on the
//! CPU. The values are the same, so no caller can tell, except by the counters, the status and the log. A
//! supervisor opens the device anew with growing pauses, and gives up after a number of tries.
//!
//! Nothing here knows tokio: replies go to a [`ReplySink`], and [`Ticket`] is the one for plain threads.
//!
//! [`Backend`]: crate::Backend

mod calibration;
mod choice;
mod counters;
mod device;
mod error;
mod evaluator;
mod options;
mod queue;
mod request;
mod sample;
mod status;
mod supervisor;
mod ticket;
mod worker;

pub use calibration::{CALIBRATION_SIZES, CalibrationRow, CalibrationTable};
pub use choice::{BackendChoice, LaneKind, UnknownBackend};
pub use counters::{BatchCounters, LaneCounters, SIZE_CLASSES};
pub use device::{Device, DeviceFactory, DeviceThread};
pub use error::BatchError;
pub use evaluator::{BatchEvaluator, Hold};
pub use options::{BatchOptions, MAX_DELAY, RecoveryOptions};
pub use request::{Reply, ReplySink};
pub use status::{BackendStatus, DeviceHealth};
pub use ticket::Ticket;
