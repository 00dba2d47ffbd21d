//! `tabiya legal`: the legal moves of a position.

use std::io::{self, Write};

use clap::{Args, ValueEnum};
use serde::Serialize;
use tabiya_client::v1::{LegalMove, LegalMovesRequest, LegalMovesResponse, PieceType, Position};

use crate::{
    choice::{FenMode, fen_text, plain_name, variant},
    failure::{Failure, Outcome},
    session::EndpointArgs,
};

const EXAMPLE: &str = "\
Example:
  tabiya legal \"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1\" --moves e1g1 --format json";

/// List the legal moves of a position, each in UCI and SAN.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Legal {
    /// The position in Forsyth-Edwards notation, or `startpos`
    #[arg(value_name = "FEN")]
    fen: String,
    /// Moves in UCI notation to play first, separated by spaces
    #[arg(long, value_name = "MOVES", default_value = "")]
    moves: String,
    /// Read and write castling as Chess960 does
    #[arg(long)]
    chess960: bool,
    /// How strictly the FEN is read
    #[arg(long, value_enum, default_value_t)]
    mode: FenMode,
    /// What to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    server: EndpointArgs,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Format {
    /// A move a line: UCI, tab, SAN.
    #[default]
    Text,
    /// One JSON object with all that is known.
    Json,
}

impl Legal {
    pub(crate) fn run(self) -> Result<Outcome, Failure> {
        let request = LegalMovesRequest {
            position: Some(Position {
                fen: fen_text(&self.fen),
                moves: self.moves.split_whitespace().map(str::to_owned).collect(),
                variant: variant(self.chess960).into(),
                fen_mode: tabiya_client::v1::FenMode::from(self.mode).into(),
            }),
            include_fen: matches!(self.format, Format::Json),
        };
        let session = self.server.open()?;
        let answer = session.run(session.client().legal_moves(request))?;
        for repair in &answer.repairs {
            eprintln!("repaired: {repair}");
        }
        let mut text = String::new();
        match self.format {
            Format::Text => {
                for mv in &answer.moves {
                    text.push_str(&format!("{}\t{}\n", mv.uci, mv.san));
                }
                eprintln!(
                    "{}: {} moves, {}",
                    answer.fen,
                    answer.moves.len(),
                    status(&answer)
                );
            }
            Format::Json => {
                text = serde_json::to_string(&Answer::from(&answer))
                    .map_err(|error| Failure::stdout(error.into()))?;
                text.push('\n');
            }
        }
        io::stdout().write_all(text.as_bytes()).map_err(Failure::stdout)?;
        Ok(Outcome::Done)
    }
}

fn status(answer: &LegalMovesResponse) -> String {
    plain_name(answer.status().as_str_name(), "POSITION_STATUS_")
}

#[derive(Serialize)]
struct Answer<'a> {
    fen: &'a str,
    status: String,
    in_check: bool,
    checkers: &'a [String],
    halfmove_clock: u32,
    fullmove_number: u32,
    repetition_count: u32,
    moves: Vec<Move<'a>>,
}

#[derive(Serialize)]
struct Move<'a> {
    uci: &'a str,
    san: &'a str,
    from_square: &'a str,
    to_square: &'a str,
    captured: Option<String>,
    promotion: Option<String>,
    is_capture: bool,
    is_check: bool,
    is_mate: bool,
    is_en_passant: bool,
    is_castling: bool,
    fen: &'a str,
}

impl<'a> From<&'a LegalMovesResponse> for Answer<'a> {
    fn from(answer: &'a LegalMovesResponse) -> Self {
        Self {
            fen: &answer.fen,
            status: status(answer),
            in_check: answer.in_check,
            checkers: &answer.checkers,
            halfmove_clock: answer.halfmove_clock,
            fullmove_number: answer.fullmove_number,
            repetition_count: answer.repetition_count,
            moves: answer.moves.iter().map(Move::from).collect(),
        }
    }
}

impl<'a> From<&'a LegalMove> for Move<'a> {
    fn from(mv: &'a LegalMove) -> Self {
        let piece = |piece: PieceType| match piece {
            PieceType::Unspecified => None,
            piece => Some(plain_name(piece.as_str_name(), "PIECE_TYPE_")),
        };
        Self {
            uci: &mv.uci,
            san: &mv.san,
            from_square: &mv.from_square,
            to_square: &mv.to_square,
            captured: piece(mv.captured()),
            promotion: piece(mv.promotion()),
            is_capture: mv.is_capture,
            is_check: mv.is_check,
            is_mate: mv.is_mate,
            is_en_passant: mv.is_en_passant,
            is_castling: mv.is_castling,
            fen: &mv.fen,
        }
    }
}
