use std::{
    pin::Pin,
    task::{Context, Poll},
};

use tokio_stream::Stream;

use super::{item::Item, placed::Placed};

/// Most items that travel to a compute thread together.
const CHUNK: usize = 32;

/// No further item goes with items of so many bytes together: answers may be a hundred times as long, and those of a chunk
/// are kept until the last is there.
const CHUNK_BYTES: usize = 16 << 10;

/// Items that are ready, together.
pub(super) struct Chunks<S> {
    /// `None` after the end.
    items: Option<S>,
}

impl<S> Chunks<S> {
    pub(super) fn of(items: S) -> Self {
        Self { items: Some(items) }
    }
}

impl<S: Stream<Item = Placed<Q>> + Unpin, Q: Item> Stream for Chunks<S> {
    type Item = Vec<Placed<Q>>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut chunk = Vec::new();
        let mut bytes = 0;
        while chunk.len() < CHUNK && bytes < CHUNK_BYTES {
            let Some(items) = &mut self.items else {
                break;
            };
            match Pin::new(items).poll_next(cx) {
                Poll::Ready(Some(item)) => {
                    bytes += item.1.as_ref().map_or(0, Q::encoded_len);
                    chunk.push(item);
                }
                Poll::Ready(None) => self.items = None,
                Poll::Pending if chunk.is_empty() => return Poll::Pending,
                Poll::Pending => break,
            }
        }
        Poll::Ready((!chunk.is_empty()).then_some(chunk))
    }
}

#[cfg(test)]
mod tests {
    use futures_util::{StreamExt, stream};
    use tabiya_api::v1::{BatchAdjudicateRequest, batch_adjudicate_request::Game};

    use super::{super::placed::Place, *};

    #[tokio::test]
    async fn long_items_travel_alone_and_short_ones_together() {
        let item = |(index, bytes): (usize, usize)| {
            let item = BatchAdjudicateRequest {
                game: Some(Game::Pgn("x".repeat(bytes))),
                ..Default::default()
            };
            (Place::own(index as u64), Ok(item))
        };
        let sizes = [vec![CHUNK_BYTES; 2], vec![1; 2 * CHUNK + 1]].concat();
        let items = stream::iter(sizes.into_iter().enumerate().map(item));
        let chunks: Vec<usize> = Chunks::of(items).map(|chunk| chunk.len()).collect().await;
        assert_eq!(chunks, [1, 1, CHUNK, CHUNK, 1]);
    }
}
