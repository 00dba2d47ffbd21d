//! Figures, their medians, and the table that shows them beside what is asked for.

use std::{fmt, time::Duration};

/// Times of calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Times(Vec<Duration>);

impl Times {
    pub(crate) fn push(&mut self, time: Duration) {
        self.0.push(time);
    }

    pub(crate) fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The time that so many permille are within, in seconds; not a number without times.
    pub(crate) fn permille(&mut self, permille: usize) -> f64 {
        self.0.sort_unstable();
        let at = (self.0.len() * permille).div_ceil(1000).saturating_sub(1);
        self.0.get(at).map_or(f64::NAN, Duration::as_secs_f64)
    }
}

/// How a figure is shown.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Unit {
    Micros,
    Millis,
    PerSecond,
    MiB,
    Count,
}

struct Row {
    what: String,
    unit: Unit,
    values: Vec<f64>,
    bar: String,
}

/// Everything that was measured.
#[derive(Default)]
pub(crate) struct Table(Vec<Row>);

impl Table {
    /// Adds a figure with one value for each round. `bar` says what is asked for.
    pub(crate) fn add(
        &mut self,
        what: impl Into<String>,
        unit: Unit,
        mut values: Vec<f64>,
        bar: impl Into<String>,
    ) {
        values.sort_by(f64::total_cmp);
        let row = Row {
            what: what.into(),
            unit,
            values,
            bar: bar.into(),
        };
        eprintln!("  {row}");
        self.0.push(row);
    }
}

impl Unit {
    fn write(self, value: f64) -> String {
        match self {
            Self::Micros => format!("{:.0} us", value * 1e6),
            Self::Millis => format!("{:.2} ms", value * 1e3),
            Self::PerSecond => format!("{value:.0}/s"),
            Self::MiB => format!("{:.1} MiB", value / f64::from(1 << 20)),
            Self::Count => format!("{value:.0}"),
        }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let median = self
            .values
            .get(self.values.len() / 2)
            .copied()
            .unwrap_or(f64::NAN);
        let least = self.values.first().copied().unwrap_or(f64::NAN);
        let most = self.values.last().copied().unwrap_or(f64::NAN);
        let range = format!("{} to {}", self.unit.write(least), self.unit.write(most));
        let median = self.unit.write(median);
        write!(
            f,
            "| {:<52} | {median:>12} | {range:>27} | {:<34} |",
            self.what, self.bar
        )
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = |f: &mut fmt::Formatter<'_>, cells: [&str; 4]| {
            let [what, median, range, bar] = cells;
            writeln!(f, "| {what:<52} | {median:>12} | {range:>27} | {bar:<34} |")
        };
        head(f, ["figure", "median", "range", "bar"])?;
        head(f, ["---", "---:", "---:", "---"])?;
        self.0.iter().try_for_each(|row| writeln!(f, "{row}"))
    }
}
