//! A small seeded generator, so that every run can be repeated.

/// SplitMix64: one word of state, good enough to shuffle and to pick moves.
#[derive(Clone, Debug)]
pub(crate) struct Rng(u64);

impl Rng {
    /// A generator for `seed`; `stream` separates users of the same seed (chunk, epoch, game).
    pub(crate) fn new(seed: u64, stream: u64) -> Self {
        let mut rng = Self(seed ^ stream.wrapping_mul(0xd1b5_4a32_d192_ed03));
        rng.next();
        rng
    }

    /// The next 64 bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which must not be 0. The bias of the multiply-shift is below 2^-32 here.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }

    /// A number in `0.0..1.0`.
    pub(crate) fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 24) as f32
    }

    /// A number between -`reach` and `reach`.
    pub(crate) fn around_zero(&mut self, reach: f32) -> f32 {
        (self.unit() * 2.0 - 1.0) * reach
    }

    /// Puts `items` in random order (Fisher-Yates, every order equally likely).
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.below(last + 1);
            items.swap(last, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Rng;

    #[test]
    fn shuffle_is_a_permutation_that_leaves_no_trace_of_the_order() {
        let n = 100_000u32;
        let mut items: Vec<u32> = (0..n).collect();
        Rng::new(7, 1).shuffle(&mut items);
        let mut sorted = items.clone();
        sorted.sort_unstable();
        assert!(sorted.iter().copied().eq(0..n), "every item once");

        // Neighbours of a random order are n/3 apart on average; position and value are uncorrelated.
        let gap: f64 = items
            .windows(2)
            .map(|w| f64::from(w[0].abs_diff(w[1])))
            .sum::<f64>()
            / f64::from(n - 1);
        assert!((gap / f64::from(n) - 1.0 / 3.0).abs() < 0.01, "mean gap {gap}");
        let mean = f64::from(n - 1) / 2.0;
        let covariance: f64 = items
            .iter()
            .enumerate()
            .map(|(i, &v)| (i as f64 - mean) * (f64::from(v) - mean))
            .sum();
        let variance: f64 = (0..n).map(|v| (f64::from(v) - mean).powi(2)).sum();
        assert!(
            (covariance / variance).abs() < 0.02,
            "correlation {}",
            covariance / variance
        );
    }

    #[test]
    fn streams_differ_and_repeat() {
        assert_eq!(Rng::new(1, 2).next(), Rng::new(1, 2).next());
        assert_ne!(Rng::new(1, 2).next(), Rng::new(1, 3).next());
        assert_ne!(Rng::new(1, 2).next(), Rng::new(2, 2).next());
    }
}
