//! The engine behind the protocol: a position, options, tables, and at most one search.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tabiya_evaluator::{AnyKernel, CpuEvaluator, Evaluator, Kernel, KernelVisitor, Network, dispatch};
use tabiya_rules::fen::{self, FenMode};
use tabiya_rules::{Board, Color, Game, Square, perft_divide, uci};
use tabiya_search::{ClockState, Limits, Options, Searcher};

use super::command::{Command, Go, MAX_COMPLAINTS};
use super::job::{Job, Order, Output, say};
use super::settings::{Effect, Settings};
use crate::syzygy::Endgames;

/// Deepest `go perft`.
const MAX_PERFT: u32 = 15;
/// Depth in plies of a search whose limits could not be read.
const FALLBACK_DEPTH: u32 = 1;

pub(super) struct Engine<W> {
    output: Output<W>,
    network: Arc<Network>,
    kernel: AnyKernel,
    settings: Settings,
    game: Game,
    /// The tables, unless a search has them.
    searcher: Option<Searcher>,
    job: Option<Job>,
}

impl<W: Write + Send + 'static> Engine<W> {
    pub(super) fn new(output: W, network: Arc<Network>, kernel: AnyKernel, endgames: Endgames) -> Self {
        Self {
            output: Arc::new(Mutex::new(output)),
            network,
            kernel,
            settings: Settings {
                endgames,
                ..Settings::default()
            },
            game: Game::new(Board::startpos()),
            searcher: None,
            job: None,
        }
    }

    /// Obeys one command. All but `isready` and `uci` end a search that is under way.
    pub(super) fn obey(&mut self, command: Command) -> io::Result<()> {
        let received = Instant::now();
        match command {
            Command::Uci => self.introduce(),
            Command::IsReady => self.say("readyok\n"),
            Command::Stop | Command::Quit => {
                self.end_search();
                Ok(())
            }
            command => {
                self.end_search();
                match self.obey_idle(command, received) {
                    Ok(text) => self.say(&text),
                    Err(reason) => self.complain(&reason),
                }
            }
        }
    }

    /// Says what is wrong with a line.
    pub(super) fn complain(&self, reason: &str) -> io::Result<()> {
        self.say(&format!("info string error: {reason}\n"))
    }

    /// Ends at once.
    pub(super) fn quit(&mut self) -> io::Result<()> {
        self.end_search();
        Ok(())
    }

    /// Ends when the search under way has reached its limits.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        if let Some(job) = self.job.take() {
            if job.infinite {
                job.stop();
            }
            job.join();
        }
        Ok(())
    }

    fn obey_idle(&mut self, command: Command, received: Instant) -> Result<String, String> {
        match command {
            Command::NewGame => {
                if let Some(searcher) = &mut self.searcher {
                    searcher.clear();
                }
                self.game = Game::new(Board::startpos());
            }
            Command::SetOption { name, value } => {
                match self.settings.set(&name, &value)? {
                    Effect::Nothing => {}
                    Effect::NewTable => self.searcher = None,
                    Effect::OtherEndgames => {
                        // What was found with other tables would go on counting.
                        self.searcher = None;
                        return Ok(self.settings.endgames_found());
                    }
                }
            }
            Command::Position { fen, moves } => self.game = self.read_position(fen.as_deref(), &moves)?,
            Command::Go(go) => {
                for reason in &go.complaints {
                    // If nobody listens any more, the answer will find out.
                    let _ = self.complain(reason);
                }
                match go.perft {
                    Some(depth) => return self.perft(depth),
                    None => self.go(&go, received)?,
                }
            }
            Command::Display => return Ok(display(self.game.board())),
            Command::Evaluate => return Ok(self.evaluate()),
            Command::Uci | Command::IsReady | Command::Stop | Command::Quit => {}
        }
        Ok(String::new())
    }

    fn introduce(&self) -> io::Result<()> {
        let version = env!("CARGO_PKG_VERSION");
        self.say(&format!(
            "id name Tabiya {version}\nid author the Tabiya developers\n{}uciok\n",
            self.settings.describe()
        ))
    }

    fn say(&self, text: &str) -> io::Result<()> {
        say(&self.output, text)
    }

    fn end_search(&mut self) {
        if let Some(job) = self.job.take() {
            if !job.is_finished() {
                job.stop();
            }
            self.searcher = job.join();
        }
    }

    fn read_position(&self, fen: Option<&str>, moves: &[String]) -> Result<Game, String> {
        let variant = self.settings.variant;
        let board = match fen {
            None => Board::startpos(),
            Some(text) => {
                fen::parse(text, FenMode::Analysis, variant)
                    .map_err(|error| error.to_string())?
                    .board
            }
        };
        let mut game = Game::new(board);
        for text in moves {
            let mv = uci::parse(game.board(), text, variant).map_err(|error| error.to_string())?;
            game.play(mv);
        }
        Ok(game)
    }

    fn go(&mut self, go: &Go, received: Instant) -> Result<(), String> {
        let board = self.game.board();
        let variant = self.settings.variant;
        let mut search_moves = Vec::new();
        let mut left_out = 0;
        for text in &go.search_moves {
            match uci::parse(board, text, variant) {
                Ok(mv) => search_moves.push(mv),
                Err(error) => {
                    left_out += 1;
                    if left_out <= MAX_COMPLAINTS {
                        let _ = self.complain(&format!("go: searchmoves: {error}"));
                    }
                }
            }
        }
        let mut limits = self.limits(go, board.side_to_move(), received);
        // A caller who named a limit, or something that makes no sense, may wait for an answer without a `stop`.
        if !go.infinite && (go.wants_limit || left_out > 0) && limits_nothing(&limits) {
            limits.depth = Some(FALLBACK_DEPTH);
        }
        let infinite = go.infinite || limits_nothing(&limits);
        let searcher = self
            .searcher
            .take()
            .unwrap_or_else(|| Searcher::new(self.settings.hash << 20));
        let order = Order {
            output: Arc::clone(&self.output),
            network: Arc::clone(&self.network),
            kernel: self.kernel,
            searcher,
            game: self.game.clone(),
            limits,
            options: Options {
                multi_pv: self.settings.multi_pv,
                search_moves,
                tables: self.settings.endgames.tables.clone(),
                ..Options::default()
            },
            threads: self.settings.threads,
            variant,
            show_wdl: self.settings.show_wdl,
            infinite,
            received,
        };
        self.job = Some(Job::start(order).map_err(|error| format!("go: no thread: {error}"))?);
        Ok(())
    }

    fn limits(&self, go: &Go, side: Color, received: Instant) -> Limits {
        if go.infinite {
            return Limits::default();
        }
        let overhead = self.settings.move_overhead;
        let budget = go.time[side.index()].map(|remaining| {
            let increment = go.increment[side.index()];
            ClockState {
                remaining,
                increment,
                moves_to_go: go.moves_to_go,
                overhead,
            }
            .budget()
        });
        let time = go
            .move_time
            .map(|time| time.saturating_sub(overhead).max(Duration::from_millis(1)));
        // The search's own clock starts when its thread runs; this one has run since the line was read.
        let hard = [budget.map(|budget| budget.hard), time]
            .into_iter()
            .flatten()
            .min();
        Limits {
            nodes: go.nodes,
            depth: go.depth,
            mate: go.mate,
            time,
            budget,
            deadline: hard.and_then(|hard| received.checked_add(hard)),
        }
    }

    fn perft(&self, depth: u32) -> Result<String, String> {
        if depth > MAX_PERFT {
            return Err(format!("go: perft is {depth}, more than {MAX_PERFT}"));
        }
        let mut text = String::new();
        let mut total = 0;
        for (mv, nodes) in perft_divide(self.game.board(), depth) {
            total += nodes;
            let _ = writeln!(text, "{}: {nodes}", uci::write(mv, self.settings.variant));
        }
        let _ = writeln!(text, "\nNodes searched: {total}");
        Ok(text)
    }

    fn evaluate(&self) -> String {
        let board = *self.game.board();
        let value = dispatch(
            self.kernel,
            StaticValue {
                board: &board,
                network: &self.network,
            },
        );
        let white = if board.side_to_move() == Color::White {
            value
        } else {
            -value
        };
        format!("evaluation of the side to move {value} cp, of White {white} cp\n")
    }
}

/// Whether only `stop` would end such a search. (A mate limit alone is given a node limit.)
fn limits_nothing(limits: &Limits) -> bool {
    let Limits {
        depth,
        time,
        mate,
        deadline,
        budget,
        nodes,
    } = limits;
    nodes.is_none()
        && depth.is_none()
        && time.is_none()
        && mate.is_none()
        && deadline.is_none()
        && budget.is_none()
}

struct StaticValue<'a> {
    board: &'a Board,
    network: &'a Arc<Network>,
}

impl KernelVisitor for StaticValue<'_> {
    type Output = i32;

    fn visit<K: Kernel>(self, kernel: K) -> i32 {
        let mut evaluator = CpuEvaluator::new(kernel, Arc::clone(self.network));
        evaluator.refresh(self.board);
        evaluator.evaluate(self.board)
    }
}

fn display(board: &Board) -> String {
    let mut text = String::new();
    for rank in (0..8).rev() {
        for file in 0..8 {
            let square = Square::at(file, rank);
            let letter = board.piece_on(square).map_or('.', |piece| piece.letter());
            let white = board.color_on(square) == Some(Color::White);
            let _ = write!(
                text,
                "{} ",
                if white {
                    letter.to_ascii_uppercase()
                } else {
                    letter
                }
            );
        }
        let _ = writeln!(text, " {}", rank + 1);
    }
    let _ = writeln!(
        text,
        "a b c d e f g h\n\nFen: {}\nKey: {:016X}",
        fen::xfen(board),
        board.key()
    );
    let checkers: Vec<String> = board
        .checkers()
        .into_iter()
        .map(|square| square.to_string())
        .collect();
    let _ = writeln!(text, "Checkers: {}", checkers.join(" "));
    text
}
