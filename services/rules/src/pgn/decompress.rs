//! Compressed PGN files, told by their first bytes.

use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::{
    BlockDecodingStrategy, FrameDecoder,
    errors::{FrameDecoderError, ReadFrameHeaderError},
};

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// Skippable frames have the magics 184D2A50 to 184D2A5F, little-endian.
const ZSTD_SKIPPABLE_TAIL: [u8; 3] = [0x2a, 0x4d, 0x18];

type Input<R> = BufReader<Chain<Cursor<Vec<u8>>, R>>;

/// Reads gzip, Zstandard or plain bytes; made by [`decompress`].
pub struct Decompress<R: Read>(Kind<R>);

enum Kind<R: Read> {
    Plain(Chain<Cursor<Vec<u8>>, R>),
    Gzip(Box<MultiGzDecoder<Input<R>>>),
    Zstd(Box<ZstdFrames<Input<R>>>),
}

/// Looks at the first bytes of a stream and decompresses gzip (`.gz`, several members too) and Zstandard (`.zst`,
/// several frames too); anything else is passed on as it is.
///
/// # Errors
/// If the first bytes cannot be read. Damage further on shows as an error of the returned reader.
pub fn decompress<R: Read>(mut input: R) -> io::Result<Decompress<R>> {
    let mut head = Vec::with_capacity(ZSTD_MAGIC.len());
    input
        .by_ref()
        .take(ZSTD_MAGIC.len() as u64)
        .read_to_end(&mut head)?;
    let gzip = head.starts_with(&GZIP_MAGIC);
    let zstd =
        head == ZSTD_MAGIC || (head.len() == 4 && head[0] & 0xf0 == 0x50 && head[1..] == ZSTD_SKIPPABLE_TAIL);
    let whole = Cursor::new(head).chain(input);
    Ok(Decompress(if gzip {
        Kind::Gzip(Box::new(MultiGzDecoder::new(BufReader::new(whole))))
    } else if zstd {
        Kind::Zstd(Box::new(ZstdFrames {
            input: BufReader::new(whole),
            decoder: FrameDecoder::new(),
            inside: false,
        }))
    } else {
        Kind::Plain(whole)
    }))
}

impl<R: Read> Decompress<R> {
    /// Whether the bytes are passed on as they are, because they did not look compressed.
    pub fn is_plain(&self) -> bool {
        matches!(self.0, Kind::Plain(_))
    }
}

impl<R: Read> std::fmt::Debug for Decompress<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self.0 {
            Kind::Plain(_) => "Decompress::Plain",
            Kind::Gzip(_) => "Decompress::Gzip",
            Kind::Zstd(_) => "Decompress::Zstd",
        })
    }
}

impl<R: Read> Read for Decompress<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.0 {
            Kind::Plain(plain) => plain.read(buffer),
            Kind::Gzip(gzip) => gzip.read(buffer),
            Kind::Zstd(frames) => frames.read(buffer),
        }
    }
}

/// `ruzstd` decodes one frame at a time; parallel compressors write many, with skippable frames between.
struct ZstdFrames<R> {
    input: R,
    decoder: FrameDecoder,
    inside: bool,
}

impl<R: BufRead> ZstdFrames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            if !self.inside && !self.open_frame()? {
                return Ok(0);
            }
            while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                self.decoder
                    .decode_blocks(&mut self.input, BlockDecodingStrategy::UptoBlocks(1))
                    .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))?;
            }
            let length = self.decoder.read(buffer)?;
            if length > 0 {
                return Ok(length);
            }
            self.inside = false;
        }
    }

    /// Goes to the next frame with content; false at the end of the stream.
    fn open_frame(&mut self) -> io::Result<bool> {
        while !self.input.fill_buf()?.is_empty() {
            match self.decoder.init(&mut self.input) {
                Ok(()) => {
                    self.inside = true;
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let length = u64::from(length);
                    if io::copy(&mut self.input.by_ref().take(length), &mut io::sink())? < length {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(io::Error::new(io::ErrorKind::InvalidData, error.to_string())),
            }
        }
        Ok(false)
    }
}
