//! Device layouts of weights and positions. The WGSL files hold the other half of each definition.

use crate::{
    layout::{PackedPosition, RECORD_BYTES},
    shape::KernelShape,
};

/// Bytes in front of the first record of an input buffer: a header of the size of one record.
pub const INPUT_HEADER_BYTES: usize = RECORD_BYTES;

/// Entries of the king table, one for each square as the king's owner sees it.
pub const KING_TABLE_ENTRIES: usize = 64;

/// Bit of a king-table entry that mirrors the files.
pub const MIRROR_BIT: u32 = 1 << 31;

/// Bytes of an input buffer for `positions` positions.
pub const fn input_bytes(positions: usize) -> usize {
    INPUT_HEADER_BYTES + positions * RECORD_BYTES
}

/// Writes header and records into `bytes`, whose former content is dropped and whose memory is kept.
///
/// The header holds the number of positions, so a batch is one upload.
pub fn write_input(positions: &[PackedPosition], bytes: &mut Vec<u8>) {
    bytes.clear();
    bytes.reserve(input_bytes(positions.len()));
    bytes.extend_from_slice(&(positions.len() as u32).to_le_bytes());
    bytes.resize(INPUT_HEADER_BYTES, 0);
    for position in positions {
        bytes.extend_from_slice(&position.to_bytes());
    }
}

/// Two 16-bit values as the integer `high * 65536 + low`, the borrow of a negative `low` included.
///
/// Adding such words with wrapping adds both values, exactly as long as each sum fits 16 bits.
const fn pair(low: i16, high: i16) -> u32 {
    (high as i32 as u32)
        .wrapping_shl(16)
        .wrapping_add(low as i32 as u32)
}

/// Two 16-bit values side by side.
const fn fields(low: i16, high: i16) -> u32 {
    (high as u16 as u32) << 16 | low as u16 as u32
}

fn join(values: &[i16], word: fn(i16, i16) -> u32, bytes: &mut Vec<u8>) {
    for two in values.chunks_exact(2) {
        bytes.extend_from_slice(&word(two[0], two[1]).to_le_bytes());
    }
}

fn push_element(words: [i32; 4], bytes: &mut Vec<u8>) {
    for word in words {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
}

/// The first layer: `weights` is `[feature_rows][l1]`, `biases` is `[l1]`.
///
/// # Panics
/// If the lengths differ from the shape; a loaded network's never do.
pub fn first_layer_bytes(shape: &KernelShape, weights: &[i16], biases: &[i16]) -> Vec<u8> {
    assert_eq!(weights.len(), shape.feature_rows as usize * shape.l1 as usize);
    assert_eq!(biases.len(), shape.l1 as usize);
    let mut bytes = Vec::with_capacity((weights.len() + biases.len()) * 2);
    join(weights, pair, &mut bytes);
    join(biases, pair, &mut bytes);
    bytes
}

/// The linear head: `weights` is `[output_buckets][2 * l1]`, side to move first; `biases` is `[output_buckets]`.
///
/// # Panics
/// If the lengths differ from the shape; a loaded network's never do.
pub fn linear_head_bytes(shape: &KernelShape, weights: &[i16], biases: &[i32]) -> Vec<u8> {
    let buckets = shape.output_buckets as usize;
    assert_eq!(weights.len(), buckets * 2 * shape.l1 as usize);
    assert_eq!(biases.len(), buckets);
    let mut bytes = Vec::with_capacity(weights.len() * 2 + biases.len() * 16);
    join(weights, fields, &mut bytes);
    for &bias in biases {
        push_element([bias, 0, 0, 0], &mut bytes);
    }
    bytes
}

/// Weights of a head with a hidden layer of `width` neurons.
#[derive(Clone, Copy, Debug)]
pub struct HiddenHead<'a> {
    /// `[output_buckets][width][2 * l1]`, side to move first.
    pub weights: &'a [i8],
    /// `[output_buckets][width]`.
    pub biases: &'a [i32],
    /// `[output_buckets][width]`.
    pub output_weights: &'a [i16],
    /// `[output_buckets]`.
    pub output_biases: &'a [i32],
}

/// The head with a hidden layer.
///
/// # Panics
/// If the shape has no hidden layer or the lengths differ from it; a loaded network's never do.
pub fn hidden_head_bytes(shape: &KernelShape, head: &HiddenHead<'_>) -> Vec<u8> {
    let width = shape.hidden.map_or(0, |hidden| hidden.width) as usize;
    let buckets = shape.output_buckets as usize;
    assert!(width > 0, "shape without a hidden layer");
    assert_eq!(head.weights.len(), buckets * width * 2 * shape.l1 as usize);
    assert_eq!(head.biases.len(), buckets * width);
    assert_eq!(head.output_weights.len(), buckets * width);
    assert_eq!(head.output_biases.len(), buckets);
    let mut bytes = Vec::with_capacity(head.weights.len() + buckets * (width + 1) * 16);
    bytes.extend(head.weights.iter().map(|&weight| weight as u8));
    for (bucket, &output_bias) in head.output_biases.iter().enumerate() {
        for neuron in bucket * width..(bucket + 1) * width {
            push_element(
                [head.biases[neuron], head.output_weights[neuron].into(), 0, 0],
                &mut bytes,
            );
        }
        push_element([output_bias, 0, 0, 0], &mut bytes);
    }
    bytes
}

/// The king table; each entry is the first feature row of a bucket, with [`MIRROR_BIT`] to mirror the files.
pub fn king_table_bytes(entries: &[u32; KING_TABLE_ENTRIES]) -> Vec<u8> {
    entries.iter().flat_map(|entry| entry.to_le_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_add_exactly_across_the_borrow() {
        let values = [i16::MIN, -32_000, -1, 0, 1, 77, 32_000, i16::MAX];
        let low_of = |sum: u32| (sum << 16) as i32 >> 16;
        for low in values {
            for high in values {
                let sum = pair(low, high)
                    .wrapping_add(pair(low / 2, high / 2))
                    .wrapping_sub(pair(low / 2, high / 2));
                let got_low = low_of(sum);
                assert_eq!(got_low, i32::from(low));
                assert_eq!((sum.wrapping_sub(got_low as u32)) as i32 >> 16, i32::from(high));
            }
        }
    }

    #[test]
    fn input_header_counts() {
        let position = PackedPosition::from_words_unchecked([1, 2, 3, 4, 5, 6, 7, 8]);
        let mut bytes = vec![9; 3];
        write_input(&[position, position], &mut bytes);
        assert_eq!(bytes.len(), input_bytes(2));
        assert_eq!(bytes[..4], [2, 0, 0, 0]);
        assert_eq!(bytes[4..32], [0; 28]);
        assert_eq!(bytes[32..36], [1, 0, 0, 0]);
        assert_eq!(bytes[92..], [8, 0, 0, 0]);
    }
}
