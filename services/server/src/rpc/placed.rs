//! Items of a request stream, each with its place in it.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context as Wake, Poll, ready},
};

use tabiya_api::error::in_part;
use tokio_stream::Stream;
use tonic::{Status, Streaming};

use super::Context;
use crate::edge::{self, Share, Weight};

/// An item, or the stream's error, with its place.
pub(super) type Placed<Q> = (Place, Result<Q, Status>);

/// Where an item stands in its stream. Kept until the item is answered: so long its memory counts as taken.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) index: u64,
    _weight: Option<Weight>,
}

impl Place {
    /// The place of an item that was not sent by a caller.
    pub(super) fn own(index: u64) -> Self {
        Self { index, _weight: None }
    }
}

/// Reads a request stream no faster than there is memory for its items.
pub(super) struct PlacedItems<Q> {
    items: Streaming<Q>,
    /// Absent only if the services are called without the edge.
    share: Option<Arc<Share>>,
    next: u64,
    /// Whether the rest of a message is waited for: its sender has only so long, so it is read to its end.
    is_within: bool,
}

impl<Q> PlacedItems<Q> {
    pub(super) fn of(items: Streaming<Q>, context: &Context) -> Self {
        Self {
            items,
            share: context.share.clone(),
            next: 0,
            is_within: false,
        }
    }
}

impl<Q> Stream for PlacedItems<Q> {
    type Item = Placed<Q>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Wake<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        if let Some(share) = this.share.as_ref().filter(|_| !this.is_within) {
            ready!(share.poll_room(cx));
        }
        let polled = Pin::new(&mut this.items).poll_next(cx);
        this.is_within =
            polled.is_pending() && this.share.as_ref().is_some_and(|share| share.is_within_message());
        let Some(item) = ready!(polled) else {
            return Poll::Ready(None);
        };
        let item = item.map_err(|status| {
            // What the library says of bytes that are no message says nothing of which one it was.
            let status = edge::in_our_words(&status).unwrap_or(status);
            in_part(status, &format!("item[{}]", this.next))
        });
        let place = Place {
            index: this.next,
            _weight: this.share.as_ref().map(Share::weigh),
        };
        this.next += 1;
        Poll::Ready(Some((place, item)))
    }
}
