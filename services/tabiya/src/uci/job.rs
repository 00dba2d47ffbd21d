//! A search on its own thread.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tabiya_evaluator::{AnyKernel, CpuEvaluator, Kernel, KernelVisitor, Network, dispatch};
use tabiya_rules::{Game, Variant};
use tabiya_search::{Limits, Line, Options, SearchResult, Searcher, Team};

use super::report::{self, Counters};

/// Where every thread writes; whole lines only.
pub(super) type Output<W> = Arc<Mutex<W>>;

/// Writes text at once.
pub(super) fn say<W: Write>(output: &Output<W>, text: &str) -> io::Result<()> {
    // A thread that panicked while writing leaves at worst a broken line.
    let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
    output.write_all(text.as_bytes())?;
    output.flush()
}

/// What a search is started with.
pub(super) struct Order<W> {
    pub(super) output: Output<W>,
    pub(super) network: Arc<Network>,
    pub(super) kernel: AnyKernel,
    pub(super) searcher: Searcher,
    pub(super) game: Game,
    pub(super) limits: Limits,
    pub(super) options: Options,
    pub(super) threads: usize,
    pub(super) variant: Variant,
    pub(super) show_wdl: bool,
    /// No answer before the stop flag is set.
    pub(super) infinite: bool,
    /// When `go` was read.
    pub(super) received: Instant,
}

/// A search under way.
pub(super) struct Job {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Searcher>,
    pub(super) infinite: bool,
}

impl Job {
    /// Starts a search.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub(super) fn start<W: Write + Send + 'static>(order: Order<W>) -> io::Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&stop);
        let infinite = order.infinite;
        let thread = thread::Builder::new()
            .name("search".to_owned())
            .stack_size(4 << 20)
            .spawn(move || {
                let kernel = order.kernel;
                dispatch(kernel, Visitor { order, stop: &seen })
            })?;
        Ok(Self {
            stop,
            thread,
            infinite,
        })
    }

    /// Tells the search to answer now.
    pub(super) fn stop(&self) {
        self.stop.store(true, Relaxed);
    }

    /// Whether it has answered.
    pub(super) fn is_finished(&self) -> bool {
        self.thread.is_finished()
    }

    /// Waits for its end and takes the tables back, if it did not panic.
    pub(super) fn join(self) -> Option<Searcher> {
        self.thread.join().ok()
    }
}

struct Visitor<'a, W> {
    order: Order<W>,
    stop: &'a AtomicBool,
}

impl<W: Write> KernelVisitor for Visitor<'_, W> {
    type Output = Searcher;

    fn visit<K: Kernel>(self, kernel: K) -> Searcher {
        let Self { mut order, stop } = self;
        let network = Arc::clone(&order.network);
        let team = Team {
            make: &|| CpuEvaluator::new(kernel, Arc::clone(&network)),
            helpers: vec![(); order.threads - 1],
        };
        let mut reported: Vec<Line> = Vec::new();
        let (output, variant, wdl) = (&order.output, order.variant, order.show_wdl);
        let result = order.searcher.search_with_helpers(
            &order.game,
            &order.limits,
            &order.options,
            team,
            stop,
            &mut |iteration| {
                let counters = Counters {
                    nodes: iteration.nodes,
                    tb_hits: iteration.tb_hits,
                    elapsed: iteration.elapsed,
                    table_permille: Some(iteration.table_permille),
                };
                // If nobody listens any more, the main thread will find out.
                let _ = say(output, &report::info(iteration.lines, counters, variant, wdl));
                reported = iteration.lines.to_vec();
            },
        );
        while order.infinite && !stop.load(Relaxed) {
            thread::sleep(Duration::from_millis(1));
        }
        let _ = say(output, &closing(&order, &result, &reported));
        order.searcher
    }
}

/// The last words of a search: lines that no iteration reported, how the clock was kept, the move.
fn closing<W>(order: &Order<W>, result: &SearchResult, reported: &[Line]) -> String {
    let mut text = String::new();
    if result.lines != reported {
        let counters = Counters {
            nodes: result.nodes,
            tb_hits: result.tb_hits,
            elapsed: result.elapsed,
            table_permille: None,
        };
        text.push_str(&report::info(
            &result.lines,
            counters,
            order.variant,
            order.show_wdl,
        ));
    }
    let allowed = order
        .limits
        .budget
        .map(|budget| budget.hard)
        .or(order.limits.time);
    if let Some(allowed) = allowed {
        let used = order.received.elapsed();
        let over = used.saturating_sub(allowed);
        text.push_str(&format!(
            "info string clock used {} us of {} us, overshoot {} us\n",
            used.as_micros(),
            allowed.as_micros(),
            over.as_micros()
        ));
    }
    text.push_str(&report::best_move(result, order.variant));
    text
}
