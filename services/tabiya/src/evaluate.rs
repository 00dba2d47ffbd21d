//! `tabiya evaluate`: the network's value of every position of a list.

use std::{
    io::{self, BufWriter, Write},
    path::PathBuf,
};

use clap::{Args, ValueEnum};
use serde::Serialize;
use tabiya_client::v1::{
    self, BatchEvaluateRequest, BatchEvaluateResponse, EvaluateResponse, Position,
    batch_evaluate_response::Outcome as Answer, score::Kind,
};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

use crate::{
    choice::{Backend, variant},
    failure::{Failure, Outcome, Refusal},
    input::{self, Lines},
    session::{EngineArgs, interrupt, require_backend},
};

const EXAMPLE: &str = "\
Example:
  tabiya evaluate positions.fen --backend cpu --format jsonl

Reads a FEN a line (plain, .gz or .zst; `-` is standard input; empty lines and lines that begin with # are skipped) and
prints an object a position: fen as read, value in centipawns from the side to move. Lines that are wrong are named on
stderr and left out.";

/// Evaluate a list of positions without searching.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Evaluate {
    /// File to read; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// What to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Read castling rights as Chess960 does
    #[arg(long)]
    chess960: bool,
    /// Most positions that are sent and not yet answered
    #[arg(long, value_name = "N", default_value_t = 4096, value_parser = clap::value_parser!(u16).range(1..=4096))]
    concurrency: u16,
    #[command(flatten)]
    engine: EngineArgs,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Format {
    /// JSON Lines.
    #[default]
    Jsonl,
}

#[derive(Serialize)]
struct Row<'a> {
    fen: &'a str,
    value: i32,
}

/// A line that was sent, or could not be.
struct Sent {
    line: u64,
    fen: String,
}

impl Evaluate {
    pub(crate) fn run(self) -> Result<Outcome, Failure> {
        let name = self.file.display().to_string();
        let mut lines = Lines::new(input::open(&self.file)?);
        let session = self.engine.open()?;
        if self.engine.backend != Backend::Auto {
            require_backend(self.engine.backend, &session.engine_info()?)?;
        }
        let template = BatchEvaluateRequest {
            backend: v1::Backend::from(self.engine.backend).into(),
            network: self.engine.network_name(),
            ..BatchEvaluateRequest::default()
        };
        let variant = variant(self.chess960);

        let (requests, items) = mpsc::channel(64);
        // Answers keep the order, so the lines waiting for theirs form a queue.
        let (sent, mut waiting) = mpsc::unbounded_channel();
        let reader = std::thread::spawn({
            let name = name.clone();
            move || -> Result<u64, Failure> {
                let mut failed = 0;
                while let Some(line) = lines.next_line().map_err(|error| Failure::input(&name, error))? {
                    let fen = match line.text {
                        Ok(fen) => fen,
                        Err(reason) => {
                            eprintln!("{name}: line {}: {reason}", line.number);
                            failed += 1;
                            continue;
                        }
                    };
                    let position = Position {
                        fen: fen.clone(),
                        variant: variant.into(),
                        ..Position::default()
                    };
                    let request = BatchEvaluateRequest {
                        position: Some(position),
                        ..template.clone()
                    };
                    if sent
                        .send(Sent {
                            line: line.number,
                            fen,
                        })
                        .is_err()
                        || requests.blocking_send(request).is_err()
                    {
                        break;
                    }
                }
                Ok(failed)
            }
        });
        let in_flight = usize::from(self.concurrency);
        let client = session.client();
        let answered = session.run(async {
            let mut results = client.evaluate_many(ReceiverStream::new(items), in_flight);
            let mut printer = Printer::new(&name);
            let work = async {
                while let Some(answer) = results.next().await {
                    let answer = answer.map_err(|error| Failure::BrokenOff(error.to_string()))?;
                    let Some(line) = waiting.recv().await else { break };
                    printer.take(&line, answer)?;
                }
                printer.end()
            };
            tokio::select! {
                result = work => result,
                () = interrupt() => Err(Failure::Interrupted(String::new())),
            }
        });
        let failed = answered?;
        let unread = reader
            .join()
            .unwrap_or_else(|_| Err(Failure::BrokenOff("the reader failed".to_owned())))?;
        Ok(Outcome::of_failures(failed + unread))
    }
}

/// Prints answers in the order of the lines.
struct Printer<'a> {
    name: &'a str,
    out: BufWriter<io::Stdout>,
    failed: u64,
}

impl<'a> Printer<'a> {
    fn new(name: &'a str) -> Self {
        Self {
            name,
            out: BufWriter::new(io::stdout()),
            failed: 0,
        }
    }

    fn take(&mut self, line: &Sent, answer: BatchEvaluateResponse) -> Result<(), Failure> {
        let value = match answer.outcome {
            Some(Answer::Response(response)) => value(&response).ok_or_else(Refusal::without_content),
            Some(Answer::Error(error)) => Err(Refusal::from(error)),
            None => Err(Refusal::without_content()),
        };
        match value {
            Ok(value) => {
                let row = Row {
                    fen: &line.fen,
                    value,
                };
                serde_json::to_writer(&mut self.out, &row).map_err(|error| Failure::stdout(error.into()))?;
                self.out.write_all(b"\n").map_err(Failure::stdout)
            }
            Err(why) => {
                eprintln!("{}: line {}: {why}", self.name, line.line);
                self.failed += 1;
                Ok(())
            }
        }
    }

    /// Writes what is held and tells how many lines failed.
    fn end(&mut self) -> Result<u64, Failure> {
        self.out.flush().map_err(Failure::stdout)?;
        Ok(self.failed)
    }
}

fn value(response: &EvaluateResponse) -> Option<i32> {
    match response.evaluations.first()?.score.as_ref()?.kind? {
        Kind::Centipawns(value) => Some(value),
        Kind::MateIn(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        evaluate: Evaluate,
    }

    #[test]
    fn concurrency_has_bounds() {
        let read = |number: &str| Line::try_parse_from(["evaluate", "x.fen", "--concurrency", number]);
        for (number, fits) in [("0", false), ("1", true), ("4096", true), ("4097", false)] {
            assert_eq!(read(number).is_ok(), fits, "{number}");
        }
        assert_eq!(read("18446744073709551615").unwrap_err().exit_code(), 2);
        assert_eq!(read("7").unwrap().evaluate.concurrency, 7);
    }
}
