//! The codec of every service: protobuf by prost, for messages that do not grow beyond measure when they are read.
//!
//! Two bytes on the wire are an empty message in a repeated field, and some hundred bytes in memory: 4 MiB of them would be
//! hundreds. So what a request will take is counted on its bytes, before anything is made of them: it is bounded, and whoever
//! reads it may bound what all of his take together.

use std::{marker::PhantomData, sync::Arc};

use prost::{Message, Name, bytes::Buf};
use tonic::{
    Status,
    codec::{Codec, DecodeBuf, Decoder},
};
use tonic_prost::ProstEncoder;

use crate::{error::ServiceError, wire};

/// Hears of requests before they are read.
pub trait Meter: Send + Sync {
    /// A message that came in `sent` bytes will take `read` bytes in memory.
    ///
    /// # Errors
    /// If there is no room for it; then it is not read.
    fn take(&self, sent: usize, read: usize) -> Result<(), ServiceError>;
}

tokio::task_local! {
    /// What hears of the requests that are read within its scope.
    pub static METER: Arc<dyn Meter>;
}

/// Reads and writes messages.
#[derive(Debug)]
pub struct BoundedCodec<T, U>(PhantomData<(T, U)>);

impl<T, U> Default for BoundedCodec<T, U> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<T, U> Codec for BoundedCodec<T, U>
where
    T: Message + Send + 'static,
    U: Message + Name + Default + Send + 'static,
{
    type Encode = T;
    type Decode = U;
    type Encoder = ProstEncoder<T>;
    type Decoder = BoundedDecoder<U>;

    fn encoder(&mut self) -> Self::Encoder {
        ProstEncoder::default()
    }

    fn decoder(&mut self) -> Self::Decoder {
        BoundedDecoder(PhantomData)
    }
}

/// Reads messages.
#[derive(Debug)]
pub struct BoundedDecoder<U>(PhantomData<U>);

impl<U: Message + Name + Default> Decoder for BoundedDecoder<U> {
    type Item = U;
    type Error = Status;

    fn decode(&mut self, buf: &mut DecodeBuf<'_>) -> Result<Option<U>, Status> {
        let bytes = buf.copy_to_bytes(buf.remaining());
        // Answers come from a server that was chosen, and are bounded by their size alone.
        if U::NAME.ends_with("Request") {
            let read = wire::check(U::NAME, &bytes).map_err(|excess| {
                let reason = format!(
                    "the message would take more than {} bytes when it is read; ask for less in one message",
                    wire::MAX_READ_BYTES
                );
                Status::from(ServiceError::invalid(excess.field, "", reason))
            })?;
            // Whoever has not set one up measures in another way, or is a client.
            METER
                .try_with(|meter| meter.take(bytes.len(), read))
                .unwrap_or(Ok(()))?;
        }
        U::decode(bytes)
            .map(Some)
            // As tonic's own codec says it.
            .map_err(|error| Status::internal(error.to_string()))
    }
}
