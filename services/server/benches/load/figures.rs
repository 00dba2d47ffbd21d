//! Figures, what they come to over all rounds, and the table that shows them beside what is asked for.

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
    Percent,
    Count,
    /// A number that need not be whole.
    Tenths,
}

/// What the values of several rounds come to.
#[derive(Clone, Copy, Debug)]
enum Of {
    Median,
    Least,
    Most,
    Sum,
}

/// What is asked for.
#[derive(Clone, Copy, Debug)]
enum Bar {
    None,
    AtMost(f64),
    AtLeast(f64),
}

/// A figure with one value for each round. The median counts and nothing is asked for, unless it is said otherwise.
#[derive(Debug)]
pub(crate) struct Figure {
    what: String,
    unit: Unit,
    values: Vec<f64>,
    of: Of,
    bar: Bar,
}

impl Figure {
    pub(crate) fn new(what: impl Into<String>, unit: Unit, mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        Self {
            what: what.into(),
            unit,
            values,
            of: Of::Median,
            bar: Bar::None,
        }
    }

    /// The least of all rounds counts.
    pub(crate) fn least(self) -> Self {
        Self {
            of: Of::Least,
            ..self
        }
    }

    /// The most of all rounds counts.
    pub(crate) fn most(self) -> Self {
        Self { of: Of::Most, ..self }
    }

    /// All rounds count together.
    pub(crate) fn sum(self) -> Self {
        Self { of: Of::Sum, ..self }
    }

    pub(crate) fn at_most(self, bar: f64) -> Self {
        Self {
            bar: Bar::AtMost(bar),
            ..self
        }
    }

    pub(crate) fn at_least(self, bar: f64) -> Self {
        Self {
            bar: Bar::AtLeast(bar),
            ..self
        }
    }

    /// What the rounds come to; not a number if there was nothing to measure.
    fn value(&self) -> f64 {
        let found = match self.of {
            Of::Median => self.values.get(self.values.len() / 2),
            Of::Least => self.values.first(),
            Of::Most => self.values.last(),
            Of::Sum => return self.values.iter().sum(),
        };
        found.copied().unwrap_or(f64::NAN)
    }

    /// Whether it is as asked; `None` if nothing is asked for.
    fn is_met(&self) -> Option<bool> {
        match self.bar {
            Bar::None => None,
            Bar::AtMost(bar) => Some(self.value() <= bar),
            Bar::AtLeast(bar) => Some(self.value() >= bar),
        }
    }
}

/// The figures of one part.
#[derive(Debug, Default)]
pub(crate) struct Table(Vec<Figure>);

impl Table {
    pub(crate) fn add(&mut self, figure: Figure) {
        eprintln!("  {figure}");
        self.0.push(figure);
    }

    /// How many figures are not as asked.
    pub(crate) fn missed(&self) -> usize {
        (self.0.iter())
            .filter(|figure| figure.is_met() == Some(false))
            .count()
    }
}

impl Unit {
    fn write(self, value: f64) -> String {
        match self {
            Self::Micros => format!("{:.0} us", value * 1e6),
            Self::Millis => format!("{:.2} ms", value * 1e3),
            Self::PerSecond => format!("{value:.0}/s"),
            Self::MiB => format!("{:.1} MiB", value / f64::from(1 << 20)),
            Self::Percent => format!("{:.1} %", value * 100.0),
            Self::Count => format!("{value:.0}"),
            Self::Tenths => format!("{value:.1}"),
        }
    }
}

fn row(f: &mut fmt::Formatter<'_>, cells: [&str; 6]) -> fmt::Result {
    let [what, value, of, range, bar, met] = cells;
    write!(
        f,
        "| {what:<56} | {value:>12} | {of:<6} | {range:>27} | {bar:>13} | {met:<3} |"
    )
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let write = |value| self.unit.write(value);
        let (least, most) = (self.values.first(), self.values.last());
        let range = match (least, most) {
            (Some(&least), Some(&most)) => format!("{} to {}", write(least), write(most)),
            _ => String::new(),
        };
        let of = match self.of {
            Of::Median => "median",
            Of::Least => "least",
            Of::Most => "most",
            Of::Sum => "sum",
        };
        let bar = match self.bar {
            Bar::None => String::new(),
            Bar::AtMost(bar) => format!("<= {}", write(bar)),
            Bar::AtLeast(bar) => format!(">= {}", write(bar)),
        };
        let met = match self.is_met() {
            None => "",
            Some(true) => "yes",
            Some(false) => "NO",
        };
        row(f, [&self.what, &write(self.value()), of, &range, &bar, met])
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        row(f, ["figure", "value", "of", "rounds", "bar", "met"])?;
        writeln!(f)?;
        row(f, ["---", "---:", "---", "---:", "---:", "---"])?;
        writeln!(f)?;
        self.0.iter().try_for_each(|figure| writeln!(f, "{figure}"))
    }
}
