use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::runtime::Handle;

/// Bytes of a request that are still taken in after its answer.
const MOST: usize = 64 * 1024;

/// How long the rest of a request is waited for after its answer.
const PATIENCE: Duration = Duration::from_millis(250);

/// A request's body, whose rest is thrown away when its call has been answered without it.
///
/// A call that is refused is often answered before all of it is here. Without its reader, HTTP/2 resets it; frames that
/// come after that are errors of the peer's to the library, which ends the connection, with all that others have on it,
/// after 1,024 of them. So the rest of a short request is read, for a moment.
#[derive(Debug)]
pub(super) struct Drained<B: Body<Data = Bytes> + Send + Unpin + 'static>(Option<B>);

impl<B: Body<Data = Bytes> + Send + Unpin + 'static> Drained<B> {
    pub(super) fn new(body: B) -> Self {
        Self(Some(body))
    }
}

impl<B: Body<Data = Bytes> + Send + Unpin + 'static> Body for Drained<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let Some(body) = &mut self.0 else {
            return Poll::Ready(None);
        };
        let frame = std::task::ready!(Pin::new(body).poll_frame(cx));
        if !matches!(frame, Some(Ok(_))) {
            self.0 = None;
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.0.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.0.as_ref().map_or_else(SizeHint::default, Body::size_hint)
    }
}

impl<B: Body<Data = Bytes> + Send + Unpin + 'static> Drop for Drained<B> {
    fn drop(&mut self) {
        let Some(body) = self.0.take().filter(|body| !body.is_end_stream()) else {
            return;
        };
        // Without a runtime the server has ended.
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(tokio::time::timeout(PATIENCE, throw_away(body)));
        }
    }
}

async fn throw_away<B: Body<Data = Bytes> + Unpin>(mut body: B) {
    let mut left = MOST;
    while let Some(Ok(frame)) = std::future::poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        match left.checked_sub(frame.data_ref().map_or(0, Bytes::len)) {
            Some(fewer) => left = fewer,
            None => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        collections::VecDeque,
        convert::Infallible,
        sync::{
            Arc,
            atomic::{AtomicUsize, Ordering},
        },
    };

    use super::*;

    /// Frames of so many bytes; counts those that were taken.
    struct Frames(VecDeque<usize>, Arc<AtomicUsize>);

    impl Body for Frames {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            let next = self.0.pop_front();
            Poll::Ready(next.map(|bytes| {
                self.1.fetch_add(1, Ordering::Relaxed);
                Ok(Frame::data(vec![0; bytes].into()))
            }))
        }
    }

    /// How many of the frames are taken in when nobody reads them.
    async fn taken(frames: impl IntoIterator<Item = usize>) -> usize {
        let count = Arc::new(AtomicUsize::new(0));
        drop(Drained::new(Frames(frames.into_iter().collect(), count.clone())));
        // The task is done when it holds the counter no more.
        while Arc::strong_count(&count) > 1 {
            tokio::task::yield_now().await;
        }
        count.load(Ordering::Relaxed)
    }

    #[tokio::test]
    async fn the_rest_of_a_short_request_is_taken_in() {
        assert_eq!(taken([100, 16_000, 5]).await, 3);
        assert_eq!(taken([]).await, 0);
    }

    #[tokio::test]
    async fn a_long_one_is_left_to_its_sender() {
        assert_eq!(taken([16 * 1024; 100]).await, 5);
    }
}
