//! The rules of chess: boards, legal moves, notation, PGN.

#![forbid(unsafe_code)]
