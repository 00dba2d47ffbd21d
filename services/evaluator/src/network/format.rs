//! The network file; its table is at [`super::Network::to_bytes`].

use super::parts::Sizes;
use super::{
    Architecture, Digest, HiddenLayer, KingBuckets, NetworkError, NetworkParts, OutputBuckets, Scale,
};

const MAGIC: &[u8; 8] = b"TABIYANN";
const VERSION: u32 = 1;
/// Magic, version, length, digest.
const HEADER_BYTES: usize = 48;
/// The part of the body in front of the weights.
const SHAPE_BYTES: usize = 128;
const INPUT_PIECE_SQUARE: u8 = 0;
const ACTIVATION_CLIPPED_SQUARE: u8 = 0;
const FLAG_MIRROR: u8 = 1;

/// The whole file.
pub(super) fn file(parts: &NetworkParts) -> Vec<u8> {
    let body = body(parts);
    let mut file = Vec::with_capacity(HEADER_BYTES + body.len());
    file.extend_from_slice(MAGIC);
    file.extend_from_slice(&VERSION.to_le_bytes());
    // The largest shape there is takes about 100 MB.
    file.extend_from_slice(&(body.len() as u32).to_le_bytes());
    file.extend_from_slice(&Digest::of(&body).0);
    file.extend_from_slice(&body);
    file
}

/// The part of the file that the digest covers. The parts' sizes must have been checked.
pub(super) fn body(parts: &NetworkParts) -> Vec<u8> {
    let shape = &parts.architecture;
    let hidden = shape.hidden.unwrap_or(HiddenLayer { width: 0, shift: 0 });
    let mut body = Vec::with_capacity(SHAPE_BYTES + Sizes::of(shape).bytes());
    body.extend_from_slice(&[
        INPUT_PIECE_SQUARE,
        shape.king_buckets.count() as u8,
        if shape.king_buckets.mirror { FLAG_MIRROR } else { 0 },
        ACTIVATION_CLIPPED_SQUARE,
        shape.output_buckets.count() as u8,
        hidden.shift,
    ]);
    body.extend_from_slice(&(shape.width as u16).to_le_bytes());
    body.extend_from_slice(&(hidden.width as u16).to_le_bytes());
    body.extend_from_slice(&[parts.scale.shift, 0]);
    body.extend_from_slice(&parts.scale.numerator.to_le_bytes());
    body.extend_from_slice(&shape.king_buckets.map);
    body.extend_from_slice(parts.name.as_bytes());
    body.resize(SHAPE_BYTES, 0);
    body.extend(parts.feature_bias.iter().flat_map(|value| value.to_le_bytes()));
    body.extend(parts.feature_weights.iter().flat_map(|value| value.to_le_bytes()));
    body.extend(parts.hidden_weights.iter().flat_map(|value| value.to_le_bytes()));
    body.extend(parts.hidden_bias.iter().flat_map(|value| value.to_le_bytes()));
    body.extend(parts.output_weights.iter().flat_map(|value| value.to_le_bytes()));
    body.extend(parts.output_bias.iter().flat_map(|value| value.to_le_bytes()));
    body
}

/// Reads a file of unknown origin. Nothing is allocated before the lengths agree.
pub(super) fn parse(file: &[u8]) -> Result<(NetworkParts, Digest), NetworkError> {
    let short_header = || NetworkError::Length {
        what: "header",
        found: file.len(),
        expected: HEADER_BYTES,
    };
    let mut header = Reader(file);
    if header.array::<8>().ok_or_else(short_header)? != *MAGIC {
        return Err(NetworkError::Magic);
    }
    let version = header.array().map(u32::from_le_bytes).ok_or_else(short_header)?;
    if version != VERSION {
        return Err(NetworkError::Version(version));
    }
    let length = header.array().map(u32::from_le_bytes).ok_or_else(short_header)? as usize;
    let expected = header.array().map(Digest).ok_or_else(short_header)?;
    let body = header.0;
    if body.len() != length {
        return Err(NetworkError::Length {
            what: "body",
            found: body.len(),
            expected: length,
        });
    }
    let found = Digest::of(body);
    if found != expected {
        return Err(NetworkError::Digest { found, expected });
    }
    Ok((parse_body(body)?, found))
}

fn parse_body(body: &[u8]) -> Result<NetworkParts, NetworkError> {
    let short = || NetworkError::Length {
        what: "shape",
        found: body.len(),
        expected: SHAPE_BYTES,
    };
    let (shape, weights) = body.split_first_chunk::<SHAPE_BYTES>().ok_or_else(short)?;
    let (name, architecture, scale) = parse_shape(shape).ok_or_else(short)??;
    architecture.check()?;
    let sizes = Sizes::of(&architecture);
    let expected = sizes.bytes();
    if weights.len() != expected {
        return Err(NetworkError::Length {
            what: "weights",
            found: weights.len(),
            expected,
        });
    }
    let mut reader = Reader(weights);
    Ok(NetworkParts {
        name,
        architecture,
        scale,
        feature_bias: reader.list(sizes.feature_bias, i16::from_le_bytes),
        feature_weights: reader.list(sizes.feature_weights, i16::from_le_bytes),
        hidden_weights: reader.list(sizes.hidden_weights, i8::from_le_bytes),
        hidden_bias: reader.list(sizes.hidden_bias, i32::from_le_bytes),
        output_weights: reader.list(sizes.output_weights, i16::from_le_bytes),
        output_bias: reader.list(sizes.output_bias, i32::from_le_bytes),
    })
}

type Shape = (String, Architecture, Scale);

/// `None` only if the shape is too short, which its type excludes.
fn parse_shape(shape: &[u8; SHAPE_BYTES]) -> Option<Result<Shape, NetworkError>> {
    let mut reader = Reader(shape);
    let [
        input,
        king_buckets,
        flags,
        activation,
        output_buckets,
        hidden_shift,
    ] = reader.array()?;
    let width = usize::from(u16::from_le_bytes(reader.array()?));
    let hidden_width = usize::from(u16::from_le_bytes(reader.array()?));
    let [scale_shift, reserved] = reader.array()?;
    let numerator = i32::from_le_bytes(reader.array()?);
    let map = reader.array::<64>()?;
    let name = reader.array::<{ NetworkParts::MAX_NAME }>()?;

    let unknown = |field, value: u8| {
        Some(Err(NetworkError::Field {
            field,
            value: u32::from(value),
        }))
    };
    if input != INPUT_PIECE_SQUARE {
        return unknown("input kind", input);
    }
    if activation != ACTIVATION_CLIPPED_SQUARE {
        return unknown("activation", activation);
    }
    if flags & !FLAG_MIRROR != 0 {
        return unknown("flags", flags);
    }
    if reserved != 0 {
        return unknown("reserved byte", reserved);
    }
    let output_buckets = match output_buckets {
        1 => OutputBuckets::One,
        8 => OutputBuckets::Eight,
        other => return unknown("output buckets", other),
    };
    let map = KingBuckets {
        map,
        mirror: flags & FLAG_MIRROR != 0,
    };
    if map.count() != usize::from(king_buckets) {
        return unknown("king buckets", king_buckets);
    }
    let hidden = match (hidden_width, hidden_shift) {
        (0, 0) => None,
        (0, shift) => return unknown("hidden shift", shift),
        (width, shift) => Some(HiddenLayer { width, shift }),
    };
    let scale = Scale {
        numerator,
        shift: scale_shift,
    };
    if !scale.is_valid() {
        return Some(Err(NetworkError::Scale {
            numerator,
            shift: scale_shift,
        }));
    }
    let Some(name) = parse_name(&name) else {
        return Some(Err(NetworkError::Name));
    };
    Some(Ok((
        name,
        Architecture {
            king_buckets: map,
            width,
            output_buckets,
            hidden,
        },
        scale,
    )))
}

/// The text in front of the zero padding; nothing but zeros may follow the first zero.
fn parse_name(padded: &[u8]) -> Option<String> {
    let end = padded.iter().position(|&byte| byte == 0).unwrap_or(padded.len());
    let (name, padding) = padded.split_at(end);
    let clean = padding.iter().all(|&byte| byte == 0);
    String::from_utf8(name.to_vec()).ok().filter(|_| clean)
}

/// Takes values off the front of a slice.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (array, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*array)
    }

    /// The next `count` values; fewer if the slice is shorter, which callers rule out first.
    fn list<T, const N: usize>(&mut self, count: usize, value: impl Fn([u8; N]) -> T) -> Vec<T> {
        let (list, rest) = self.0.split_at(self.0.len().min(count * N));
        self.0 = rest;
        list.as_chunks().0.iter().map(|&bytes| value(bytes)).collect()
    }
}
