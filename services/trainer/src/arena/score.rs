//! From results to Elo: paired games, the 95 % error, and the sequential test.

/// Results of the first engine, by game and by pair.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    /// Wins, draws, losses.
    pub(crate) games: [u32; 3],
    /// Pairs by points scored in them: 0, 0.5, 1, 1.5, 2.
    pub(crate) pairs: [u32; 5],
}

/// An Elo difference with its 95 % bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Elo {
    pub(crate) value: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// The hypotheses and error rates of a sequential test.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sprt {
    /// Elo of the null hypothesis.
    pub(crate) elo0: f64,
    /// Elo of the alternative.
    pub(crate) elo1: f64,
    /// Chance of each of the two errors.
    pub(crate) error: f64,
}

/// Where a sequential test stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Verdict {
    /// The alternative is accepted.
    Accepted,
    /// The null hypothesis is accepted.
    Rejected,
    /// More games are needed.
    Open,
}

impl Tally {
    /// Adds a pair: the points of the first engine in both games, in half points.
    pub(crate) fn add_pair(&mut self, half_points: [u32; 2]) {
        for points in half_points {
            self.games[2 - points.min(2) as usize] += 1;
        }
        self.pairs[(half_points[0] + half_points[1]).min(4) as usize] += 1;
    }

    /// Mean score a game and the variance of the mean, from the pairs: colours and openings cancel within them.
    fn mean(&self) -> Option<(f64, f64)> {
        let count: u32 = self.pairs.iter().sum();
        if count == 0 {
            return None;
        }
        let count = f64::from(count);
        let scores = || {
            self.pairs
                .iter()
                .enumerate()
                .map(|(i, &n)| (i as f64 / 4.0, f64::from(n)))
        };
        let mean = scores().map(|(score, n)| score * n).sum::<f64>() / count;
        let variance = scores().map(|(score, n)| n * (score - mean).powi(2)).sum::<f64>() / count;
        Some((mean, variance / count))
    }

    /// The Elo difference, as far as the games tell.
    pub(crate) fn elo(&self) -> Option<Elo> {
        let (mean, variance) = self.mean()?;
        let pairs = f64::from(self.pairs.iter().sum::<u32>());
        // Pairs that all ended alike have no spread; then the rule of three bounds the share of other pairs.
        let reach = if variance == 0.0 {
            3.0 / pairs
        } else {
            1.96 * variance.sqrt()
        };
        Some(Elo {
            value: to_elo(mean),
            low: to_elo(mean - reach),
            high: to_elo(mean + reach),
        })
    }

    /// The log-likelihood ratio of the test's hypotheses (normal approximation over pairs).
    pub(crate) fn ratio(&self, test: &Sprt) -> f64 {
        let Some((mean, variance)) = self.mean() else {
            return 0.0;
        };
        let (s0, s1) = (to_score(test.elo0), to_score(test.elo1));
        // One pair of draws says nothing; without spread there is no measure yet.
        if variance == 0.0 {
            0.0
        } else {
            (s1 - s0) * (2.0 * mean - s0 - s1) / (2.0 * variance)
        }
    }

    /// Whether the test has ended.
    pub(crate) fn verdict(&self, test: &Sprt) -> Verdict {
        let bound = ((1.0 - test.error) / test.error).ln();
        match self.ratio(test) {
            ratio if ratio >= bound => Verdict::Accepted,
            ratio if ratio <= -bound => Verdict::Rejected,
            _ => Verdict::Open,
        }
    }
}

fn to_elo(score: f64) -> f64 {
    let score = score.clamp(1e-4, 1.0 - 1e-4);
    -400.0 * (1.0 / score - 1.0).log10()
}

fn to_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(pairs: [u32; 5]) -> Tally {
        Tally { games: [0; 3], pairs }
    }

    #[test]
    fn points_are_counted() {
        let mut t = Tally::default();
        t.add_pair([2, 0]);
        t.add_pair([2, 1]);
        assert_eq!((t.games, t.pairs), ([2, 1, 1], [0, 0, 1, 1, 0]));
    }

    #[test]
    fn elo_of_known_scores() {
        let even = tally([10, 20, 40, 20, 10]).elo().expect("games");
        assert!(even.value.abs() < 1e-9 && (even.low + even.high).abs() < 1e-9 && even.high > 0.0);
        let better = tally([0, 0, 50, 0, 50]).elo().expect("games");
        assert!(
            (better.value - 190.848).abs() < 0.01,
            "75 % is +191, got {}",
            better.value
        );
        // Standard error of the mean: 0.25 / 10.
        assert!((better.low - to_elo(0.75 - 1.96 * 0.025)).abs() < 1e-9);
        let perfect = tally([0, 0, 0, 0, 30]).elo().expect("games");
        assert!(
            (perfect.low - to_elo(0.9)).abs() < 1e-9,
            "30 of 30 pairs: at least 90 %"
        );
        assert_eq!(Tally::default().elo(), None);
    }

    #[test]
    fn sequential_test_ends_on_both_sides() {
        let test = Sprt {
            elo0: 0.0,
            elo1: 5.0,
            error: 0.05,
        };
        assert_eq!(tally([5, 10, 20, 12, 6]).verdict(&test), Verdict::Open);
        assert_eq!(
            tally([100, 900, 2000, 1400, 300]).verdict(&test),
            Verdict::Accepted
        );
        assert_eq!(
            tally([400, 1400, 2000, 900, 100]).verdict(&test),
            Verdict::Rejected
        );
    }
}
