//! Syzygy endgame tables (Ronald de Man): who wins with few men on the board, and how far the next capture or pawn move
//! is. Files are read without trust: a damaged one is an error that names it, never a panic or a wild read.
//!
//! ```no_run
//! use tabiya_rules::Board;
//! use tabiya_tablebase::{Tablebase, Wdl};
//!
//! let tables = Tablebase::open(["/var/lib/syzygy".as_ref()])?;
//! let board = Board::from_fen("8/8/8/8/8/8/2k5/K1Q5 b - - 0 1")?;
//! assert_eq!(tables.wdl(&board)?, Wdl::Draw); // The queen hangs.
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod bytes;
mod digest;
mod error;
mod layout;
mod material;
mod numbering;
mod pairs;
mod probe;
mod root;
mod table;
mod tablebase;
mod wdl;

pub use bytes::MAX_KEPT_BYTES;
pub use error::{OpenError, ProbeError};
pub use root::RankedMove;
pub use tablebase::Tablebase;
pub use wdl::Wdl;
