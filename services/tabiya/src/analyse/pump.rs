//! Sends positions to the server and takes answers, a bounded number at a time, until the input ends.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use tabiya_client::{
    Client,
    v1::{AnalyzeResponse, BatchAnalyzeRequest, BatchAnalyzeResponse, batch_analyze_response::Outcome},
};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

use super::{ask::Ask, reorder::Reorder, sink::Sink};
use crate::{
    failure::{Failure, Refusal},
    input::InputGame,
    session::interrupt,
};

/// How often a position is asked about while the server is too busy for it.
const MAX_ATTEMPTS: u32 = 8;
/// Requests that may wait for the connection to take them.
const SEND_QUEUE: usize = 16;

/// A position that was asked about.
#[derive(Debug)]
struct Slot {
    game: Arc<InputGame>,
    ply: usize,
    attempts: u32,
}

type Answer = Result<AnalyzeResponse, Refusal>;

/// The work between the input and the output.
pub(crate) struct Pump {
    /// What is asked about each position.
    pub(crate) ask: Ask,
    /// Most positions that are asked about and not yet written.
    pub(crate) window: usize,
    /// Positions that an earlier run has done.
    pub(crate) skip: u64,
    /// Where answers go.
    pub(crate) sink: Sink,
}

struct State {
    pump: Pump,
    games: mpsc::Receiver<InputGame>,
    /// The game whose positions are being asked about, and the next one of them.
    current: Option<(Arc<InputGame>, usize)>,
    input_ended: bool,
    reorder: Reorder<Slot, Answer>,
    /// Sequence numbers that have to be sent.
    to_send: VecDeque<u64>,
}

impl Pump {
    /// Runs until the games end and gives the sink back, with the reason if it ended before that.
    pub(crate) async fn run(
        self,
        client: &Client,
        games: mpsc::Receiver<InputGame>,
    ) -> (Sink, Result<(), Failure>) {
        let mut state = State {
            pump: self,
            games,
            current: None,
            input_ended: false,
            reorder: Reorder::default(),
            to_send: VecDeque::new(),
        };
        let result = tokio::select! {
            result = state.exchange(client) => result,
            () = interrupt() => Err(Failure::Interrupted(String::new())),
        };
        (state.pump.sink, result)
    }
}

impl State {
    async fn exchange(&mut self, client: &Client) -> Result<(), Failure> {
        let (requests, outgoing) = mpsc::channel(SEND_QUEUE);
        let (again, mut postponed) = mpsc::unbounded_channel();
        let mut answers = client.analyze_many(ReceiverStream::new(outgoing), self.pump.window);
        loop {
            self.fill();
            if self.input_ended && self.current.is_none() && self.reorder.is_empty() {
                return Ok(());
            }
            let wants_game = self.current.is_none() && !self.input_ended && self.has_room();
            tokio::select! {
                answer = answers.next() => match answer {
                    Some(Ok(answer)) => self.take(answer, &again)?,
                    Some(Err(error)) => return Err(Failure::BrokenOff(error.to_string())),
                    None => return Err(Failure::BrokenOff("the server ended the call".to_owned())),
                },
                Ok(permit) = requests.reserve(), if !self.to_send.is_empty() => {
                    if let Some(request) = self.next_request() {
                        permit.send(request);
                    }
                },
                Some(sequence) = postponed.recv() => self.to_send.push_back(sequence),
                game = self.games.recv(), if wants_game => match game {
                    Some(game) => self.begin(game),
                    None => self.input_ended = true,
                },
            }
        }
    }

    fn has_room(&self) -> bool {
        self.reorder.len() < self.pump.window
    }

    /// Starts with a game, or behind what an earlier run has done of it.
    fn begin(&mut self, game: InputGame) {
        let positions = game.positions();
        let done = usize::try_from(self.pump.skip)
            .unwrap_or(usize::MAX)
            .min(positions);
        self.pump.skip -= done as u64;
        for ply in 0..done {
            self.pump.sink.inherit(ply + 1 == positions);
        }
        if done < positions {
            self.current = Some((Arc::new(game), done));
        }
    }

    /// Asks about as many positions as there is room for.
    fn fill(&mut self) {
        while self.has_room() {
            let Some((game, ply)) = &mut self.current else {
                return;
            };
            let slot = Slot {
                game: Arc::clone(game),
                ply: *ply,
                attempts: 0,
            };
            *ply += 1;
            if *ply >= game.positions() {
                self.current = None;
            }
            let sequence = self.reorder.push(slot);
            self.to_send.push_back(sequence);
        }
    }

    fn next_request(&mut self) -> Option<BatchAnalyzeRequest> {
        let sequence = self.to_send.pop_front()?;
        let slot = self.reorder.question(sequence)?;
        Some(self.pump.ask.request(sequence, &slot.game, slot.ply))
    }

    /// Stores an answer and writes what is now complete.
    fn take(
        &mut self,
        answer: BatchAnalyzeResponse,
        again: &mpsc::UnboundedSender<u64>,
    ) -> Result<(), Failure> {
        let Ok(sequence) = answer.id.parse() else {
            return Err(Failure::BrokenOff(format!(
                "the server answered an unknown item {:?}",
                answer.id
            )));
        };
        let result = match answer.outcome {
            Some(Outcome::Response(response)) => Ok(response),
            Some(Outcome::Error(error)) => Err(Refusal::from(error)),
            None => Err(Refusal::without_content()),
        };
        if let (Err(refusal), Some(slot)) = (&result, self.reorder.question_mut(sequence))
            && refusal.is_transient()
            && slot.attempts + 1 < MAX_ATTEMPTS
        {
            slot.attempts += 1;
            let (again, pause) = (again.clone(), pause(slot.attempts));
            tokio::spawn(async move {
                tokio::time::sleep(pause).await;
                // Nobody listens any more if the run has ended.
                let _ = again.send(sequence);
            });
            return Ok(());
        }
        self.reorder.answer(sequence, result);
        while let Some((slot, result)) = self.reorder.pop() {
            match result {
                Ok(answer) => self.pump.sink.position(&slot.game, slot.ply, &answer)?,
                Err(refusal) => self.pump.sink.failure(&slot.game, slot.ply, &refusal),
            }
        }
        self.pump.sink.flush()
    }
}

/// How long to wait before the next attempt: 0.1 s, doubled each time up to 5 s.
fn pause(attempts: u32) -> Duration {
    Duration::from_millis(100 << attempts.saturating_sub(1).min(6)).min(Duration::from_secs(5))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_a_limit() {
        assert_eq!(pause(1), Duration::from_millis(100));
        assert_eq!(pause(2), Duration::from_millis(200));
        assert_eq!(pause(40), Duration::from_secs(5));
    }
}
