//! Tells on stderr how far the work has come: a bar on a terminal, a line now and then elsewhere.

use std::{
    io::IsTerminal,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressStyle};

/// Time between two lines where stderr is no terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(5);

/// Shared by those who know the total, those who count, and those who have something to say.
#[derive(Clone, Debug)]
pub(crate) struct Progress(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    style: Style,
    began: Instant,
    games: AtomicU64,
    positions: AtomicU64,
    /// Positions that an earlier run had done.
    inherited: AtomicU64,
    /// Zero until known.
    total_games: AtomicU64,
    total_positions: AtomicU64,
}

#[derive(Debug)]
enum Style {
    Quiet,
    Lines { last: Mutex<Instant> },
    Bar(ProgressBar),
}

impl Progress {
    /// Begins to count. With `quiet` only [`note`](Self::note) says anything.
    pub(crate) fn start(quiet: bool) -> Self {
        let style = if quiet {
            Style::Quiet
        } else if std::io::stderr().is_terminal() {
            let bar = ProgressBar::new(0);
            // The template is a constant; the default style serves if it should ever be wrong.
            if let Ok(style) = ProgressStyle::with_template("{bar:30} {msg}") {
                bar.set_style(style);
            }
            Style::Bar(bar)
        } else {
            Style::Lines {
                last: Mutex::new(Instant::now()),
            }
        };
        Self(Arc::new(Inner {
            style,
            began: Instant::now(),
            games: AtomicU64::new(0),
            positions: AtomicU64::new(0),
            inherited: AtomicU64::new(0),
            total_games: AtomicU64::new(0),
            total_positions: AtomicU64::new(0),
        }))
    }

    /// Counts a position that an earlier run had done.
    pub(crate) fn inherit(&self, ends_game: bool) {
        self.0.inherited.fetch_add(1, Relaxed);
        self.0.games.fetch_add(u64::from(ends_game), Relaxed);
    }

    /// Counts a position done, and tells now and then.
    pub(crate) fn advance(&self, ends_game: bool) {
        self.0.positions.fetch_add(1, Relaxed);
        self.0.games.fetch_add(u64::from(ends_game), Relaxed);
        match &self.0.style {
            Style::Quiet => {}
            Style::Lines { last } => {
                let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
                if last.elapsed() >= LINE_INTERVAL {
                    *last = Instant::now();
                    eprintln!("{}", self.status());
                }
            }
            Style::Bar(bar) => {
                bar.set_length(self.0.total_positions.load(Relaxed));
                bar.set_position(self.0.inherited.load(Relaxed) + self.0.positions.load(Relaxed));
                bar.set_message(self.status());
            }
        }
    }

    /// Makes the whole size of the work known.
    pub(crate) fn set_total(&self, games: u64, positions: u64) {
        self.0.total_games.store(games, Relaxed);
        self.0.total_positions.store(positions, Relaxed);
    }

    /// Says something on stderr without breaking the bar.
    pub(crate) fn note(&self, text: &str) {
        match &self.0.style {
            Style::Bar(bar) => bar.suspend(|| eprintln!("{text}")),
            _ => eprintln!("{text}"),
        }
    }

    /// Takes the bar away and says what was done.
    pub(crate) fn finish(&self) {
        match &self.0.style {
            Style::Quiet => return,
            Style::Lines { .. } => {}
            Style::Bar(bar) => bar.finish_and_clear(),
        }
        let elapsed = self.0.began.elapsed();
        let (positions, games) = (self.0.positions.load(Relaxed), self.0.games.load(Relaxed));
        let earlier = match self.0.inherited.load(Relaxed) {
            0 => String::new(),
            inherited => format!(" after {inherited} of an earlier run"),
        };
        eprintln!(
            "{games} games, {positions} positions{earlier} in {}, {} positions/s",
            span(elapsed.as_secs_f64()),
            rate_text(rate(positions, elapsed)),
        );
    }

    fn status(&self) -> String {
        let load = |counter: &AtomicU64| counter.load(Relaxed);
        let inner = &self.0;
        describe(
            (load(&inner.games), load(&inner.total_games)),
            (
                load(&inner.inherited),
                load(&inner.positions),
                load(&inner.total_positions),
            ),
            inner.began.elapsed(),
        )
    }
}

/// The line that tells the state: games and their total, positions (of an earlier run, of this one, in total).
fn describe(games: (u64, u64), positions: (u64, u64, u64), elapsed: Duration) -> String {
    let of = |done: u64, total: u64| match total {
        0 => done.to_string(),
        total => format!("{done}/{total}"),
    };
    let (inherited, done, total) = positions;
    let rate = rate(done, elapsed);
    let left = match total.checked_sub(inherited + done) {
        Some(left) if total > 0 && rate > 0.0 => format!(", {} left", clock(left as f64 / rate)),
        _ => String::new(),
    };
    format!(
        "{} games, {} positions, {} positions/s{left}",
        of(games.0, games.1),
        of(inherited + done, total),
        rate_text(rate)
    )
}

fn rate(done: u64, elapsed: Duration) -> f64 {
    done as f64 / elapsed.as_secs_f64().max(0.001)
}

fn rate_text(rate: f64) -> String {
    if rate < 10.0 {
        format!("{rate:.1}")
    } else {
        format!("{rate:.0}")
    }
}

/// A time span that is over: `4 ms`, `2.5 s`, and as [`clock`] from ten seconds on.
fn span(seconds: f64) -> String {
    if seconds < 0.1 {
        format!("{:.0} ms", seconds * 1000.0)
    } else if seconds < 9.95 {
        format!("{seconds:.1} s")
    } else {
        clock(seconds)
    }
}

/// A time span as people read it: `42 s`, `3 min 20 s`, `2 h 5 min`.
fn clock(seconds: f64) -> String {
    match seconds.round() as u64 {
        seconds @ 0..60 => format!("{seconds} s"),
        seconds @ 60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        seconds => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_left_counts_this_run_only() {
        let second = Duration::from_secs(1);
        assert_eq!(
            describe((3, 10), (500, 100, 1000), second),
            "3/10 games, 600/1000 positions, 100 positions/s, 4 s left"
        );
        assert_eq!(
            describe((0, 0), (0, 5, 0), second),
            "0 games, 5 positions, 5.0 positions/s"
        );
        assert_eq!(
            describe((0, 1), (0, 0, 9), second),
            "0/1 games, 0/9 positions, 0.0 positions/s"
        );
    }

    #[test]
    fn spans_read_well() {
        assert_eq!(span(0.0042), "4 ms");
        assert_eq!(span(0.405), "0.4 s");
        assert_eq!(span(9.96), "10 s");
        assert_eq!(clock(59.2), "59 s");
        assert_eq!(clock(200.0), "3 min 20 s");
        assert_eq!(clock(7_500.0), "2 h 5 min");
    }
}
