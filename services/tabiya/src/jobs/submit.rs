//! `tabiya jobs submit`.

use std::{path::PathBuf, sync::Arc};

use clap::Args;
use prost::Message;
use tabiya_client::{
    MAX_POSITIONS_PER_MESSAGE,
    v1::{self, JobItem, SubmitJobRequest},
};
use tokio::sync::{Notify, mpsc};
use tokio_stream::{Stream, StreamExt};

use super::{PlaceArgs, read::print};
use crate::{
    analyse::{Ask, SearchArgs},
    choice::Backend,
    failure::{Failure, Outcome},
    input::{Feed, InputGame, Inputs},
};

const EXAMPLE: &str = "\
Example:
  tabiya jobs submit games.pgn --nodes 20000 --id games-2026 --endpoint http://127.0.0.1:50051

Every position of a game's main line becomes an item, named by the game's number over all files, from 1, a dot, and the
number of plies before the position: 3.17. Prints the job as it was stored. Games that cannot be read are named on stderr
and left out.";

/// Size of the items of a message; with the settings it stays well below what a message may have.
const PART_BYTES: usize = 1 << 20;
/// Messages that are read ahead of what the connection takes.
const PARTS_AHEAD: usize = 4;

/// Submit the positions of files as a job.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub(super) struct Submit {
    /// Files to read: PGN, or a position a line; plain, .gz or .zst; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// The job's name: letters, digits, `-` and `_`; made up if it is not given
    #[arg(long, value_name = "JOB")]
    id: Option<String>,
    #[command(flatten)]
    search: SearchArgs,
    /// What computes evaluations; the answers do not depend on it
    #[arg(long, value_enum, default_value_t)]
    backend: Backend,
    /// Name or hash of a network of that server; with --jobs-dir, of one in the program
    #[arg(long, value_name = "NAME", default_value = "")]
    network: String,
    /// Read lists of positions as Chess960 (games in PGN have a Variant tag)
    #[arg(long)]
    chess960: bool,
    #[command(flatten)]
    place: PlaceArgs,
}

impl Submit {
    pub(super) fn run(self) -> Result<Outcome, Failure> {
        let inputs = Inputs::new(self.files.clone(), self.chess960);
        inputs.check_readable()?;
        let session = self.place.open()?;
        let ask = self.search.ask(self.backend, self.network);
        let id = self.id.unwrap_or_default();
        let (sender, mut parts) = mpsc::channel(PARTS_AHEAD);
        let reader = std::thread::spawn(move || {
            let mut parts = Parts {
                ask,
                id,
                items: Vec::new(),
                bytes: 0,
                first: true,
                sender,
            };
            let mut left_out = 0_u64;
            inputs.read(&mut |feed| match feed {
                Feed::Game(game) => parts.add(&game),
                Feed::Broken(reason) => {
                    eprintln!("{reason}");
                    left_out += 1;
                    !parts.sender.is_closed()
                }
            })?;
            parts.end();
            Ok::<u64, Failure>(left_out)
        });
        let client = session.client();
        let job = session.run(async {
            let Some(first) = next(&mut parts).await? else {
                return Ok(None);
            };
            let Some(second) = next(&mut parts).await? else {
                return Ok(client.submit_job(first).await?.job);
            };
            let lost = Arc::new(Notify::new());
            let rest = rest(parts, Arc::clone(&lost));
            let parts = tokio_stream::iter([first, second]).chain(rest);
            tokio::select! {
                answer = client.upload_job(parts) => Ok::<_, Failure>(answer?.job),
                // The call is broken off: part of a job is no job.
                () = lost.notified() => Err(unread()),
            }
        });
        // A reader that waits for room has lost its channel by now.
        let read = reader.join().unwrap_or_else(|_| Err(unread()));
        // Its own failure says more than a call that was broken off for it.
        let (left_out, job) = match (read, job) {
            (Ok(left_out), job) => (left_out, job?),
            (Err(failure), _) => return Err(failure),
        };
        let Some(job) = job else {
            return Err(Failure::Usage("the files hold no position".to_owned()));
        };
        print([&job])?;
        Ok(Outcome::of_failures(left_out))
    }
}

fn unread() -> Failure {
    Failure::BrokenOff("the files could not be read to their end; nothing was submitted".to_owned())
}

/// What the reader of files sends: parts, and after the last one `None`. A channel that closes before that has lost its
/// reader.
type Sent = Option<SubmitJobRequest>;

async fn next(parts: &mut mpsc::Receiver<Sent>) -> Result<Sent, Failure> {
    parts.recv().await.ok_or_else(unread)
}

/// The parts to come. If the reader is lost, `lost` is told and the stream does not end.
fn rest(parts: mpsc::Receiver<Sent>, lost: Arc<Notify>) -> impl Stream<Item = SubmitJobRequest> {
    futures_util::stream::unfold((parts, lost), async |(mut parts, lost)| {
        match parts.recv().await {
            Some(part) => Some((part?, (parts, lost))),
            None => {
                lost.notify_one();
                std::future::pending().await
            }
        }
    })
}

/// Items on their way into messages.
struct Parts {
    ask: Ask,
    id: String,
    items: Vec<JobItem>,
    bytes: usize,
    first: bool,
    sender: mpsc::Sender<Sent>,
}

impl Parts {
    /// Adds a game's positions; false if nobody wants more.
    fn add(&mut self, game: &InputGame) -> bool {
        for ply in 0..game.positions() {
            let asked = self.ask.request(0, game, ply);
            let item = JobItem {
                item_id: format!("{}.{ply}", game.number),
                position: asked.position,
                game: asked.game,
                search_moves: Vec::new(),
            };
            self.bytes += item.encoded_len();
            self.items.push(item);
            let is_full = self.bytes >= PART_BYTES || self.items.len() >= MAX_POSITIONS_PER_MESSAGE;
            if is_full && !self.send() {
                return false;
            }
        }
        true
    }

    /// Sends what is there; false if nobody wants it.
    fn send(&mut self) -> bool {
        if self.items.is_empty() {
            return true;
        }
        let items = std::mem::take(&mut self.items);
        self.bytes = 0;
        let part = if std::mem::take(&mut self.first) {
            self.settings(items)
        } else {
            SubmitJobRequest {
                items,
                ..SubmitJobRequest::default()
            }
        };
        self.sender.blocking_send(Some(part)).is_ok()
    }

    /// Sends what is left, and that it was all.
    fn end(mut self) {
        if self.send() {
            // Whoever wants no more has said why.
            let _ = self.sender.blocking_send(None);
        }
    }

    fn settings(&self, items: Vec<JobItem>) -> SubmitJobRequest {
        SubmitJobRequest {
            job_id: self.id.clone(),
            items,
            pgn: String::new(),
            limits: Some(self.ask.limits()),
            multipv: self.ask.multipv,
            backend: v1::Backend::from(self.ask.backend).into(),
            network: self.ask.network.clone(),
            bulk_mode: v1::BulkMode::from(self.ask.bulk_mode).into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{choice::BulkMode, input::tests::two_moves};

    fn parts(sender: mpsc::Sender<Sent>) -> Parts {
        Parts {
            ask: Ask {
                nodes: Some(5),
                depth: None,
                movetime: None,
                multipv: 2,
                bulk_mode: BulkMode::AlongGame,
                backend: Backend::Auto,
                network: "n".to_owned(),
            },
            id: "j".to_owned(),
            items: Vec::new(),
            bytes: 0,
            first: true,
            sender,
        }
    }

    #[test]
    fn a_message_has_no_more_items_than_a_server_takes() {
        let (sender, mut sent) = mpsc::channel(8);
        let mut out = parts(sender);
        while sent.is_empty() {
            assert!(out.add(&two_moves()));
        }
        let first = sent.try_recv().unwrap().unwrap();
        assert_eq!(first.items.len(), 4096);
    }

    #[test]
    fn settings_stand_in_the_first_message_only() {
        let (sender, mut parts) = mpsc::channel(8);
        let mut out = self::parts(sender);
        for _ in 0..2 {
            assert!(out.add(&two_moves()) && out.send());
        }
        assert!(out.send(), "nothing is nothing to send");
        out.end();
        let first = parts.try_recv().unwrap().unwrap();
        assert_eq!(
            (first.job_id.as_str(), first.multipv, first.network.as_str()),
            ("j", 2, "n")
        );
        assert_eq!(first.limits.unwrap().nodes, 5);
        let names: Vec<_> = first.items.iter().map(|item| item.item_id.as_str()).collect();
        assert_eq!(names, ["3.0", "3.1", "3.2"]);
        assert_eq!(first.items[0].game, "3");
        let second = parts.try_recv().unwrap().unwrap();
        assert_eq!(
            (second.job_id.as_str(), second.limits, second.items.len()),
            ("", None, 3)
        );
        assert!(parts.try_recv().unwrap().is_none());
    }
}
