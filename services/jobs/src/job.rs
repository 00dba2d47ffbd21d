use std::sync::Arc;

use tabiya_api::v1;

use crate::{Block, JobId, Pins, Quotas, Span};

/// What a job is, as it is stored: nothing of it ever changes.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Job {
    /// Its name, a [`JobId`].
    #[prost(string, tag = "1")]
    pub job_id: String,
    /// When each search ends.
    #[prost(message, optional, tag = "2")]
    pub limits: Option<v1::Limits>,
    /// Lines for each item; 0 means 1.
    #[prost(uint32, tag = "3")]
    pub multipv: u32,
    /// What shall compute the evaluations.
    #[prost(enumeration = "v1::Backend", tag = "4")]
    pub backend: i32,
    /// The network as the caller named it; empty for the default.
    #[prost(string, tag = "5")]
    pub asked_network: String,
    /// Whether items are related.
    #[prost(enumeration = "v1::BulkMode", tag = "6")]
    pub bulk_mode: i32,
    /// Pin: version of the engine.
    #[prost(string, tag = "7")]
    pub engine_version: String,
    /// Pin: SHA-256 of the network's file.
    #[prost(string, tag = "8")]
    pub network_hash: String,
    /// Pin: hash of the endgame tables; empty without.
    #[prost(string, tag = "17")]
    pub tables_hash: String,
    /// SHA-256 of everything that the caller asked for: the same for a resubmission, whatever the pins.
    #[prost(bytes = "vec", tag = "9")]
    pub digest: Vec<u8>,
    /// Number of items.
    #[prost(uint32, tag = "10")]
    pub items: u32,
    /// Size of its blocks, in bytes.
    #[prost(uint64, tag = "11")]
    pub bytes: u64,
    /// When it was submitted.
    #[prost(message, optional, tag = "12")]
    pub create_time: Option<prost_types::Timestamp>,
    /// Seconds that one item may take, on the slowest machine that counts, before its worker is thought stuck.
    #[prost(uint32, tag = "13")]
    pub patience_seconds: u32,
    /// Items of every chunk but the last, where `chunk_lens` is empty.
    #[prost(uint32, tag = "14")]
    pub chunk_items: u32,
    /// For each chunk its number of items less one, where they differ.
    #[prost(bytes = "vec", tag = "16")]
    pub chunk_lens: Vec<u8>,
    /// Who submitted it; empty where callers are not told apart. Quotas are counted by it, and nobody else but admins sees
    /// the job.
    #[prost(string, tag = "15")]
    pub owner: String,
}

impl Job {
    /// The name as a checked one.
    ///
    /// # Errors
    /// Why the stored name is none, which means that the record is damaged.
    pub fn id(&self) -> Result<JobId, &'static str> {
        JobId::parse(&self.job_id)
    }

    /// What its answers have to come from.
    pub fn pins(&self) -> Pins {
        Pins {
            engine: self.engine_version.clone(),
            network: self.network_hash.clone(),
            tables: self.tables_hash.clone(),
        }
    }

    /// Whether only a worker with a GPU can compute it.
    pub fn needs_gpu(&self) -> bool {
        self.backend() == v1::Backend::Gpu
    }

    /// All items.
    pub fn whole(&self) -> Option<Span> {
        Span::new(0, self.items)
    }

    /// The chunks that the manifest is handed out in, in order. Items of a game that is searched as a whole are in one
    /// chunk.
    pub fn chunks(&self) -> impl Iterator<Item = Span> + '_ {
        let uniform = self.chunk_items.max(1);
        let mut first = 0;
        let mut lens = self.chunk_lens.iter();
        std::iter::from_fn(move || {
            let count = lens.next().map_or(uniform, |&less_one| u32::from(less_one) + 1);
            let span = Span::new(first, first.saturating_add(count).min(self.items))?;
            first = span.end();
            Some(span)
        })
    }

    /// The chunks that hold any of these places, which rise.
    pub fn chunks_with(&self, places: &[u32]) -> Vec<Span> {
        let mut places = places.iter().copied().peekable();
        let mut found = Vec::new();
        for chunk in self.chunks() {
            let mut holds = false;
            while places.next_if(|&place| place < chunk.end()).is_some() {
                holds = true;
            }
            if holds {
                found.push(chunk);
            }
            if places.peek().is_none() {
                break;
            }
        }
        found
    }
}

/// A job with its manifest, ready to be stored.
#[derive(Clone, Debug)]
pub struct NewJob {
    /// The job.
    pub job: Job,
    /// Its items in blocks of [`Block::ITEMS`], the last one shorter.
    pub blocks: Arc<[Block]>,
    /// What it has to find room in, beside the jobs that run.
    pub quotas: Quotas,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(job: &Job) -> Vec<(u32, u32)> {
        job.chunks().map(|span| (span.first, span.end())).collect()
    }

    #[test]
    fn chunks_are_the_whole_manifest() {
        let mut job = Job {
            items: 10,
            chunk_items: 4,
            ..Job::default()
        };
        assert_eq!(spans(&job), [(0, 4), (4, 8), (8, 10)]);
        assert_eq!(
            job.chunks_with(&[3, 9]),
            [Span { first: 0, count: 4 }, Span { first: 8, count: 2 }]
        );
        assert_eq!(job.chunks_with(&[]), []);
        job.chunk_lens = vec![1, 6, 0];
        assert_eq!(spans(&job), [(0, 2), (2, 9), (9, 10)]);
        assert_eq!(job.chunks_with(&[2, 3, 8]), [Span { first: 2, count: 7 }]);
        assert_eq!(spans(&Job::default()), []);
    }
}
