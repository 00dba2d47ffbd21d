//! What an arbiter decides from a board and its history.

#![forbid(unsafe_code)]
