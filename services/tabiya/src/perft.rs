//! `tabiya perft`: how many lines of play of a given length there are.

use std::{
    fmt::Write as _,
    io::{self, Write as _},
    time::Instant,
};

use clap::Args;
use tabiya_client::v1::{PerftRequest, Position};

use crate::{
    choice::{fen_text, variant},
    failure::{Failure, Outcome},
    session::EndpointArgs,
};

const EXAMPLE: &str = "\
Example:
  tabiya perft \"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1\" 4 --divide";

/// Count the legal lines of play of a given length. The count stands alone on the last line.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Perft {
    /// The position in Forsyth-Edwards notation, or `startpos`
    #[arg(value_name = "FEN")]
    fen: String,
    /// Length of the lines, in plies
    #[arg(value_name = "DEPTH")]
    depth: u32,
    /// Also print the count below each first move
    #[arg(long)]
    divide: bool,
    /// Read and write castling as Chess960 does
    #[arg(long)]
    chess960: bool,
    #[command(flatten)]
    server: EndpointArgs,
}

impl Perft {
    pub(crate) fn run(self) -> Result<Outcome, Failure> {
        let request = PerftRequest {
            position: Some(Position {
                fen: fen_text(&self.fen),
                variant: variant(self.chess960).into(),
                ..Position::default()
            }),
            depth: self.depth,
            divide: self.divide,
        };
        let session = self.server.open()?;
        let began = Instant::now();
        let answer = session.run(session.client().perft(request))?;
        let seconds = began.elapsed().as_secs_f64();

        let mut text = String::new();
        for division in &answer.divisions {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{}: {}", division.uci, division.nodes);
        }
        let _ = writeln!(text, "{}", answer.nodes);
        io::stdout().write_all(text.as_bytes()).map_err(Failure::stdout)?;
        eprintln!(
            "{seconds:.3} s, {:.0} nodes/s",
            answer.nodes as f64 / seconds.max(1e-9)
        );
        Ok(Outcome::Done)
    }
}
