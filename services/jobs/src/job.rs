use tabiya_api::v1;

use crate::{Block, CHUNK_ITEMS, JobId, Pins, Span};

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
    /// For each chunk its number of items less one. Empty: every chunk has [`CHUNK_ITEMS`], the last one what is left.
    #[prost(bytes = "vec", tag = "14")]
    pub chunk_lens: Vec<u8>,
    /// Who submitted it, where callers have names; quotas are counted by it.
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
        }
    }

    /// The chunks that the manifest is handed out in, in order. Items of a game that is searched as a whole are in one
    /// chunk.
    pub fn chunks(&self) -> impl Iterator<Item = Span> + '_ {
        let mut first = 0;
        let mut lens = self.chunk_lens.iter();
        std::iter::from_fn(move || {
            let count = lens
                .next()
                .map_or(CHUNK_ITEMS, |&less_one| u32::from(less_one) + 1);
            let span = Span::new(first, first.saturating_add(count).min(self.items))?;
            first = span.end();
            Some(span)
        })
    }
}

/// A job with its manifest, ready to be stored.
#[derive(Clone, Debug)]
pub struct NewJob {
    /// The job.
    pub job: Job,
    /// Its items in blocks of [`Block::ITEMS`], the last one shorter.
    pub blocks: Vec<Block>,
}
