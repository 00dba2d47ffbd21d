//! FIDE's tournament report file, as of 2016 and of 2026 (Handbook C.04, annex 2, and its successor).
//!
//! [`Report::read`] keeps every line with its end, so that an unchanged report is written back byte for byte, records
//! that we do not know included; [`Report::contest`] is what scores depend on. [`write()`] makes a report from an event.
//!
//! Understood are the records 001, 013, 310 and those of [`Header`], 142 and `XXR` (rounds), 162 and `XXS` (points), 362
//! (match points), 192 (type), 202 and 212 (tie-breaks), 240 (byes of teams), 299 (points given or taken), 300 (line-ups),
//! 320 (byes of the pairing for teams) and 330 (forfeited matches). A typed record 299, which changes what a result is
//! worth, is refused, since ignoring it would make scores wrong. All others are kept as they are: the first half of 240 for
//! players, who have their byes in their rows, 250, 260, 801, 802, national ratings, comments.

mod columns;
mod error;
mod header;
mod player;
mod read;
mod teams;
mod write;

pub use error::{TrfError, TrfErrors};
pub use header::Header;
pub use read::{Discrepancy, Report};
pub use write::{WriteError, points_text, too_wide_texts, write};
