//! A manifest in a job's bucket: a key for each part of a block that fits into a message.

use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use super::{
    api::Api,
    bucket::{AT_ONCE, Bucket},
    names,
    record::Record,
};
use crate::{Block, Fault, Item, Span};

/// Room in a message for its headers.
const HEADERS: usize = 1024;

/// Stores blocks in a bucket that is empty, and tells in how many messages each of them is.
pub(super) async fn write(bucket: &Bucket, max_payload: usize, blocks: &[Block]) -> Result<Vec<u32>, Fault> {
    let size = max_payload.saturating_sub(HEADERS).max(HEADERS);
    let mut counts = Vec::with_capacity(blocks.len());
    let mut messages = Vec::new();
    for (number, Block(block)) in blocks.iter().enumerate() {
        // An empty block is a message too.
        let parts = block.len().div_ceil(size).max(1);
        counts.push(u32::try_from(parts).unwrap_or(u32::MAX));
        for part in 0..parts {
            let bytes = block.chunks(size).nth(part).unwrap_or_default();
            messages.push((names::block_key(number, part), Bytes::copy_from_slice(bytes)));
        }
    }
    stream::iter(messages)
        .map(|(key, value)| async move { bucket.update(&key, value, 0).await.map(drop) })
        .buffer_unordered(AT_ONCE)
        .try_collect::<()>()
        .await?;
    Ok(counts)
}

/// The items of a span.
pub(super) async fn read(api: &Api, record: &Record, span: Span) -> Result<Vec<Item>, Fault> {
    let items = record.job()?.items;
    if span.end() > items {
        return Err(Fault::Failed(format!("items {span:?} of {items}")));
    }
    let blocks: Vec<Block> = stream::iter(Block::numbers(span))
        .map(|number| block(api, record, number as usize))
        .buffered(AT_ONCE)
        .try_collect()
        .await?;
    Block::pick(blocks, span)
}

async fn block(api: &Api, record: &Record, number: usize) -> Result<Block, Fault> {
    let parts = record.parts.get(number).copied().unwrap_or_default();
    let stream = names::stream_of(&record.bucket);
    let mut bytes = Vec::new();
    for part in 0..parts {
        let key = names::block_key(number, part as usize);
        let message = api.nearest(&stream, &names::key(&record.bucket, &key)).await?;
        let message = match message {
            Some(message) => message,
            // A copy of the stream may be behind the leader.
            None => api
                .last_message(&stream, &names::key(&record.bucket, &key))
                .await?
                .ok_or_else(|| Fault::Damaged(format!("no {key} in {stream}")))?,
        };
        bytes.extend_from_slice(&message.payload);
    }
    Ok(Block(bytes))
}
