//! An UCI engine as a child process.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::{Duration, Instant},
};

use crate::error::Error;

/// How long an engine may take to start and to answer `isready`.
const START_LIMIT: Duration = Duration::from_secs(20);

/// How to start an engine.
#[derive(Clone, Debug)]
pub(crate) struct EngineSpec {
    /// Name in the reports.
    pub(crate) name: String,
    /// Program and arguments, split at blanks.
    pub(crate) command: String,
    /// Values for `setoption`.
    pub(crate) options: Vec<(String, String)>,
}

/// What a search brought.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reply {
    /// The word after `bestmove`.
    pub(crate) best_move: String,
    /// Centipawns from the side to move of the last `info`, mates as +-30,000 less their distance.
    pub(crate) score: Option<i32>,
    /// Depth of the last `info`.
    pub(crate) depth: u32,
    /// From sending `go` to the answer.
    pub(crate) elapsed: Duration,
}

/// Why there is no reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// No answer within the limit.
    Silence,
    /// The process ended.
    Crash,
}

/// A running engine.
pub(crate) struct Engine {
    spec: EngineSpec,
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

impl Engine {
    /// Starts the engine and sets its options.
    pub(crate) fn start(spec: &EngineSpec) -> Result<Self, Error> {
        let fail = |reason: String| Error::Engine {
            engine: spec.command.clone(),
            reason,
        };
        let mut words = spec.command.split_whitespace();
        let program = words.next().ok_or_else(|| fail("the command is empty".into()))?;
        let mut child = Command::new(program)
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|e| fail(e.to_string()))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(fail("its pipes could not be opened".into()));
        };
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let mut engine = Self {
            spec: spec.clone(),
            child,
            input,
            lines,
        };
        let dumb = |f: Failure| fail(format!("{f:?} before it was ready"));
        engine.send("uci").map_err(dumb)?;
        engine.wait_for("uciok").map_err(dumb)?;
        for (name, value) in spec.options.clone() {
            engine
                .send(&format!("setoption name {name} value {value}"))
                .map_err(dumb)?;
        }
        engine.ready().map_err(dumb)?;
        Ok(engine)
    }

    fn send(&mut self, line: &str) -> Result<(), Failure> {
        writeln!(self.input, "{line}")
            .and_then(|()| self.input.flush())
            .map_err(|_| Failure::Crash)
    }

    fn line(&mut self, until: Instant) -> Result<String, Failure> {
        let left = until.saturating_duration_since(Instant::now());
        self.lines.recv_timeout(left).map_err(|e| match e {
            RecvTimeoutError::Timeout => Failure::Silence,
            RecvTimeoutError::Disconnected => Failure::Crash,
        })
    }

    fn wait_for(&mut self, word: &str) -> Result<(), Failure> {
        let until = Instant::now() + START_LIMIT;
        while self.line(until)?.split_whitespace().next() != Some(word) {}
        Ok(())
    }

    fn ready(&mut self) -> Result<(), Failure> {
        self.send("isready")?;
        self.wait_for("readyok")
    }

    /// Tells the engine that a new game starts.
    pub(crate) fn new_game(&mut self) -> Result<(), Failure> {
        self.send("ucinewgame")?;
        self.ready()
    }

    /// Searches; `position` and `go` are whole command lines, `limit` is when to give up.
    pub(crate) fn search(&mut self, position: &str, go: &str, limit: Duration) -> Result<Reply, Failure> {
        self.send(position)?;
        let started = Instant::now();
        self.send(go)?;
        let mut reply = Reply::default();
        loop {
            let line = self.line(started + limit)?;
            let mut words = line.split_whitespace();
            match words.next() {
                Some("bestmove") => {
                    reply.elapsed = started.elapsed();
                    reply.best_move = words.next().unwrap_or_default().into();
                    return Ok(reply);
                }
                Some("info") => read_info(words, &mut reply),
                _ => {}
            }
        }
    }

    /// Ends the process and starts a new one.
    pub(crate) fn restart(&mut self) -> Result<(), Error> {
        *self = Self::start(&self.spec.clone())?;
        Ok(())
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // A process that no longer listens is ended; errors mean that it is gone already.
        let _ = self.send("quit");
        for _ in 0..20 {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            thread::sleep(Duration::from_millis(10));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read_info<'a>(mut words: impl Iterator<Item = &'a str>, reply: &mut Reply) {
    while let Some(word) = words.next() {
        match word {
            "depth" => reply.depth = words.next().and_then(|w| w.parse().ok()).unwrap_or(reply.depth),
            "score" => {
                let kind = words.next();
                let value = words.next().and_then(|w| w.parse::<i32>().ok());
                reply.score = match (kind, value) {
                    // Whatever it claims can be negated and compared.
                    (Some("cp"), Some(value)) => Some(value.clamp(-100_000, 100_000)),
                    (Some("mate"), Some(moves)) if moves > 0 => Some(30_000 - moves.min(1000)),
                    (Some("mate"), Some(moves)) => Some(-30_000 - moves.max(-1000)),
                    _ => reply.score,
                };
            }
            "string" | "pv" => return,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn info_lines_are_read() {
        let mut reply = Reply::default();
        read_info(
            "depth 7 seldepth 9 score cp -31 nodes 100 pv e2e4 depth 3".split(' '),
            &mut reply,
        );
        assert_eq!((reply.depth, reply.score), (7, Some(-31)));
        read_info("depth 8 score mate -3".split(' '), &mut reply);
        assert_eq!(reply.score, Some(-29_997));
        read_info("string score cp 5".split(' '), &mut reply);
        assert_eq!(reply.score, Some(-29_997));
        read_info("score cp -2147483648".split(' '), &mut reply);
        assert_eq!(reply.score, Some(-100_000));
    }

    #[test]
    fn a_program_that_is_no_engine_is_refused() {
        let spec = EngineSpec {
            name: "x".into(),
            command: "true".into(),
            options: Vec::new(),
        };
        assert!(matches!(Engine::start(&spec), Err(Error::Engine { .. })));
        let spec = EngineSpec {
            name: "x".into(),
            command: "/no/such/program".into(),
            options: Vec::new(),
        };
        assert!(matches!(Engine::start(&spec), Err(Error::Engine { .. })));
    }
}
