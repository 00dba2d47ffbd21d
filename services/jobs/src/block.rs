use std::io::{Read, Write};

use flate2::{Compression, read::DeflateDecoder, write::DeflateEncoder};
use prost::Message;

use crate::{Fault, Item, Span};

/// Greatest size of a block's items, uncompressed, in bytes: 256 items whose histories are as long as histories may be,
/// and more. What is larger was not written by us.
const MAX_BYTES: u64 = 64 << 20;

/// Items of a manifest, encoded and compressed: histories of one game repeat each other, so a block is a small part of
/// its items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block(pub Vec<u8>);

#[derive(Clone, PartialEq, Message)]
struct Items {
    #[prost(message, repeated, tag = "1")]
    items: Vec<Item>,
}

impl Block {
    /// Items of every block but the last.
    pub const ITEMS: u32 = 256;

    /// Encodes items, no more than [`Block::ITEMS`].
    pub fn encode(items: Vec<Item>) -> Self {
        let bytes = Items { items }.encode_to_vec();
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
        // Writing to memory cannot fail.
        let _ = encoder.write_all(&bytes);
        Self(encoder.finish().unwrap_or_default())
    }

    /// The items.
    ///
    /// # Errors
    /// [`Fault::Damaged`] if the bytes are no block.
    pub fn decode(&self) -> Result<Vec<Item>, Fault> {
        let damaged = |reason: String| Fault::Damaged(format!("a block of a manifest: {reason}"));
        let mut bytes = Vec::new();
        DeflateDecoder::new(self.0.as_slice())
            .take(MAX_BYTES)
            .read_to_end(&mut bytes)
            .map_err(|error| damaged(error.to_string()))?;
        let items = Items::decode(bytes.as_slice()).map_err(|error| damaged(error.to_string()))?;
        Ok(items.items)
    }

    /// The numbers of the blocks that hold a span.
    pub fn numbers(span: Span) -> std::ops::Range<u32> {
        span.first / Self::ITEMS..span.end().div_ceil(Self::ITEMS)
    }

    /// Picks a span's items out of the blocks that hold it, which come in order.
    ///
    /// # Errors
    /// [`Fault::Damaged`] if a block is none, or items are missing.
    pub fn pick(blocks: impl IntoIterator<Item = Self>, span: Span) -> Result<Vec<Item>, Fault> {
        let mut items = Vec::new();
        for block in blocks {
            items.extend(block.decode()?);
        }
        let skipped = (span.first % Self::ITEMS) as usize;
        let picked: Vec<_> = items.drain(..).skip(skipped).take(span.count as usize).collect();
        if picked.len() as u32 == span.count {
            Ok(picked)
        } else {
            Err(Fault::Damaged(format!(
                "items {} to {} of a manifest are not all there",
                span.first,
                span.end()
            )))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(index: u32) -> Item {
        Item {
            item_id: index.to_string(),
            ..Item::default()
        }
    }

    #[test]
    fn a_span_is_picked_across_blocks() {
        let blocks: Vec<_> = [0..256, 256..512, 512..600]
            .map(|range| Block::encode(range.map(item).collect()))
            .into();
        let span = Span {
            first: 250,
            count: 20,
        };
        assert_eq!(Block::numbers(span), 0..2);
        assert_eq!(
            Block::numbers(Span {
                first: 256,
                count: 256
            }),
            1..2
        );
        let picked = Block::pick(blocks[0..2].to_vec(), span).unwrap();
        assert_eq!(picked, (250..270).map(item).collect::<Vec<_>>());
        let beyond = Span {
            first: 590,
            count: 20,
        };
        assert!(matches!(
            Block::pick(blocks[2..].to_vec(), beyond),
            Err(Fault::Damaged(_))
        ));
        assert!(matches!(Block(vec![1, 2, 3]).decode(), Err(Fault::Damaged(_))));
    }
}
