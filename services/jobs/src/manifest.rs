//! A manifest in the making: items in, blocks, chunks and a digest out.

use std::collections::HashSet;

use prost::Message;
use sha2::{Digest, Sha256};
use tabiya_api::convert::{OfGame, STRETCH, game_goes_on};

use crate::{Block, Item, MAX_CHUNK_ITEMS, Quotas};

/// Why an item cannot be part of a manifest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refused {
    #[error("the name of an earlier item, too")]
    Duplicate,
    #[error("more than {0} items, the most that a job may have here")]
    TooMany(u32),
    #[error("more than {0} bytes of positions and moves, the most that a job may have here")]
    TooLong(u64),
}

/// What has been put in so far. Items are kept encoded: a million of them with their histories would not fit otherwise.
pub(crate) struct Manifest {
    pub(crate) quotas: Quotas,
    /// How many items make a chunk.
    chunk_items: u32,
    along_game: bool,
    pub(crate) blocks: Vec<Block>,
    /// Items that do not make a block yet.
    pending: Vec<Item>,
    pub(crate) items: u32,
    /// Size of the blocks.
    block_bytes: u64,
    /// Uncompressed size.
    raw_bytes: u64,
    digest: Sha256,
    names: HashSet<[u8; 16]>,
    pub(crate) chunk_lens: Vec<u8>,
    /// Items of the chunk in the making that belong to finished stretches, and of the stretch in the making.
    chunk: u32,
    stretch: u32,
    /// The last two items of the stretch in the making.
    last: Option<Item>,
    before: Option<Item>,
}

impl Manifest {
    pub(crate) fn new(quotas: Quotas, chunk_items: u32, along_game: bool, head: &[u8]) -> Self {
        let mut digest = Sha256::new();
        add(&mut digest, head);
        Self {
            quotas,
            chunk_items,
            along_game,
            blocks: Vec::new(),
            pending: Vec::new(),
            items: 0,
            block_bytes: 0,
            raw_bytes: 0,
            digest,
            names: HashSet::new(),
            chunk_lens: Vec::new(),
            chunk: 0,
            stretch: 0,
            last: None,
            before: None,
        }
    }

    /// Puts an item in. One without a name is named by its place.
    ///
    /// # Errors
    /// If the name is taken, or a quota is used up; what is there stays.
    pub(crate) fn push(&mut self, mut item: Item) -> Result<(), Refused> {
        if item.item_id.is_empty() {
            item.item_id = self.items.to_string();
        }
        if self.items >= self.quotas.items_a_job {
            return Err(Refused::TooMany(self.quotas.items_a_job));
        }
        let size = item.encoded_len() as u64;
        if self.raw_bytes + size > self.quotas.bytes_a_job {
            return Err(Refused::TooLong(self.quotas.bytes_a_job));
        }
        if !self.names.insert(name_key(&item.item_id)) {
            return Err(Refused::Duplicate);
        }
        self.raw_bytes += size;
        self.items += 1;
        // The FEN follows from the rest, and its form may change with the version that writes it.
        let asked = Item {
            fen: String::new(),
            ..item.clone()
        };
        add(&mut self.digest, &asked.encode_to_vec());
        if self.along_game {
            self.place(&item);
        }
        self.pending.push(item);
        if self.pending.len() as u32 == Block::ITEMS {
            self.end_block();
        }
        Ok(())
    }

    /// Finishes blocks and chunks and gives the digest.
    pub(crate) fn finish(&mut self) -> Vec<u8> {
        if !self.pending.is_empty() {
            self.end_block();
        }
        if self.along_game {
            self.end_stretch();
            self.end_chunk();
        }
        self.digest.clone().finalize().to_vec()
    }

    /// Memory that it takes, in bytes, but for the block in the making.
    pub(crate) fn held_bytes(&self) -> u64 {
        let names = self.names.capacity() * size_of::<[u8; 16]>();
        self.bytes() + names as u64
    }

    /// Compressed size, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.block_bytes
    }

    fn end_block(&mut self) {
        let block = Block::encode(std::mem::take(&mut self.pending));
        self.block_bytes += block.0.len() as u64;
        self.blocks.push(block);
    }

    /// Counts an item into its stretch, a part of a game that is searched with one table.
    fn place(&mut self, item: &Item) {
        let goes_on = self.last.as_ref().is_some_and(|last| {
            (self.stretch as usize) < STRETCH
                && game_goes_on(self.before.as_ref().map(of), of(last), of(item))
        });
        if goes_on {
            self.before = self.last.take();
        } else {
            self.end_stretch();
            self.before = None;
        }
        self.stretch += 1;
        self.last = Some(item.clone());
    }

    fn end_stretch(&mut self) {
        if self.chunk > 0 && self.chunk + self.stretch > self.chunk_items.min(MAX_CHUNK_ITEMS) {
            self.end_chunk();
        }
        self.chunk += std::mem::take(&mut self.stretch);
    }

    fn end_chunk(&mut self) {
        // A stretch, and so a chunk, has at most 256 items.
        if let Some(less_one) = self.chunk.checked_sub(1) {
            self.chunk_lens.push(u8::try_from(less_one).unwrap_or(u8::MAX));
        }
        self.chunk = 0;
    }
}

fn of(item: &Item) -> OfGame<'_> {
    OfGame {
        game: &item.game,
        position: item.position.as_ref(),
    }
}

/// Adds bytes with their length, so that no two lists look alike.
fn add(digest: &mut Sha256, bytes: &[u8]) {
    digest.update((bytes.len() as u64).to_le_bytes());
    digest.update(bytes);
}

/// Half of a digest: a million names in little memory, and no two alike.
fn name_key(name: &str) -> [u8; 16] {
    let mut key = [0; 16];
    key.copy_from_slice(&Sha256::digest(name.as_bytes())[..16]);
    key
}
