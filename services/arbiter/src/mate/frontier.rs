/// Scores are cut off here; lower is better.
pub(super) const WORST: usize = 127;

/// Positions that wait to be expanded, best score first, the latest of a score first.
#[derive(Clone, Debug)]
pub(super) struct Frontier {
    buckets: Vec<Vec<u32>>,
    /// No bucket below this one holds anything.
    best: usize,
}

impl Default for Frontier {
    fn default() -> Self {
        Self {
            buckets: vec![Vec::new(); WORST + 1],
            best: WORST,
        }
    }
}

impl Frontier {
    pub(super) fn clear(&mut self) {
        self.buckets.iter_mut().for_each(Vec::clear);
        self.best = WORST;
    }

    pub(super) fn push(&mut self, score: usize, number: u32) {
        let score = score.min(WORST);
        self.buckets[score].push(number);
        self.best = self.best.min(score);
    }

    pub(super) fn pop(&mut self) -> Option<u32> {
        loop {
            if let Some(number) = self.buckets[self.best].pop() {
                return Some(number);
            }
            if self.best == WORST {
                return None;
            }
            self.best += 1;
        }
    }
}
