//! The rules of chess: boards, legal moves, notation, PGN.

#![forbid(unsafe_code)]

pub mod attacks;
mod bitboard;
mod board;
mod checks;
pub mod chinese;
mod color;
pub mod epd;
pub mod fen;
mod game;
mod make;
mod material;
mod movegen;
mod moves;
mod perft;
pub mod pgn;
mod piece;
pub mod san;
mod square;
pub mod uci;
mod variant;
mod zobrist;

pub use bitboard::{Bitboard, Squares};
pub use board::Board;
pub use checks::Checks;
pub use color::Color;
pub use game::Game;
pub use movegen::{CountingSink, MoveSink};
pub use moves::{Move, MoveKind, MoveList};
pub use perft::{perft, perft_divide};
pub use piece::Piece;
pub use square::{ParseSquareError, Square};
pub use variant::Variant;
