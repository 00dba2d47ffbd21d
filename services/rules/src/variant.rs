//! Variants of the game.

/// How castling is set up and written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Variant {
    /// Chess from the standard start; castling is written `e1g1`.
    #[default]
    Standard,
    /// Chess960 (FIDE Guidelines II); castling is written king takes rook, `e1h1`.
    Chess960,
}
