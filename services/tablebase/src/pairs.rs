//! Values packed by recursive pairing: a symbol is a value or two symbols, and the symbols of a block are a canonical
//! Huffman code.

use crate::{ProbeError, bytes::Bytes};

/// Longest code that is read; the reader shifts a 64-bit window.
const LONGEST_CODE: u8 = 32;
/// Largest block, as a power of two of bytes.
const LARGEST_BLOCK: u8 = 20;
/// The right half of a symbol that is a value.
const VALUE: u16 = 0xfff;

/// One side's values of a table.
#[derive(Debug)]
pub(crate) enum Pairs {
    /// Every position has this value.
    Constant(u16),
    /// Packed values.
    Packed(Box<Packed>),
}

#[derive(Debug)]
pub(crate) struct Packed {
    positions: u64,
    /// Positions from one entry of the index to the next, as a power of two.
    index_bits: u8,
    /// Bytes of a block, as a power of two.
    block_bits: u8,
    shortest: u8,
    /// The first code of each length, left-aligned, and its symbol.
    codes: Vec<(u64, u16)>,
    symbols: Vec<Symbol>,
    /// Entries of the table of sizes, and blocks that are stored.
    sizes: u64,
    blocks: u64,
    index_at: u64,
    sizes_at: u64,
    blocks_at: u64,
}

#[derive(Clone, Copy, Debug)]
struct Symbol {
    left: u16,
    right: u16,
    /// Values that it stands for.
    values: u32,
}

impl Pairs {
    /// Reads the header at `at` for so many positions; gives the flags and the offset after it.
    pub(crate) fn read(bytes: &Bytes, at: u64, positions: u64) -> Result<(Self, u8, u64), ProbeError> {
        let flags = bytes.byte(at)?;
        if flags & 0x80 != 0 {
            let value = u16::from(bytes.byte(at + 1)?);
            return Ok((Self::Constant(value), flags, at + 2));
        }
        let head = bytes.read(at, 10)?;
        let (block_bits, index_bits, padding) = (head[1], head[2], head[3]);
        let blocks = u64::from(u32::from_le_bytes([head[4], head[5], head[6], head[7]]));
        let (longest, shortest) = (head[8], head[9]);
        if block_bits > LARGEST_BLOCK || index_bits == 0 || index_bits > LARGEST_BLOCK {
            return Err(bytes.damaged("its blocks have an absurd size"));
        }
        if shortest == 0 || shortest > longest || longest > LONGEST_CODE {
            return Err(bytes.damaged("its codes have absurd lengths"));
        }
        let lengths = usize::from(longest - shortest) + 1;
        let firsts = bytes.read(at + 10, 2 * lengths)?;
        let firsts: Vec<u16> = firsts
            .chunks_exact(2)
            .map(|pair| u16::from_le_bytes([pair[0], pair[1]]))
            .collect();
        let symbols_at = at + 12 + 2 * lengths as u64;
        let count = bytes.u16(symbols_at - 2)?;
        let symbols = symbols(bytes, symbols_at, count)?;
        let packed = Packed {
            positions,
            index_bits,
            block_bits,
            shortest,
            codes: codes(&firsts, shortest),
            symbols,
            sizes: blocks + u64::from(padding),
            blocks,
            index_at: 0,
            sizes_at: 0,
            blocks_at: 0,
        };
        let next = symbols_at + 3 * u64::from(count) + u64::from(count & 1);
        Ok((Self::Packed(Box::new(packed)), flags, next))
    }

    /// Sets where the index begins; gives where it ends.
    pub(crate) fn index_at(&mut self, at: u64) -> u64 {
        let Self::Packed(packed) = self else { return at };
        packed.index_at = at;
        at + 6 * packed.positions.div_ceil(1 << packed.index_bits)
    }

    /// Sets where the sizes of the blocks begin; gives where they end.
    pub(crate) fn sizes_at(&mut self, at: u64) -> u64 {
        let Self::Packed(packed) = self else { return at };
        packed.sizes_at = at;
        at + 2 * packed.sizes
    }

    /// Sets where the blocks begin, which is at the next multiple of 64 from `at`; gives where they end.
    pub(crate) fn blocks_at(&mut self, at: u64) -> u64 {
        let at = at.next_multiple_of(64);
        let Self::Packed(packed) = self else { return at };
        packed.blocks_at = at;
        at + (packed.blocks << packed.block_bits)
    }

    /// The value of a position by its number.
    pub(crate) fn value(&self, bytes: &Bytes, number: u64) -> Result<u16, ProbeError> {
        match self {
            Self::Constant(value) => Ok(*value),
            Self::Packed(packed) => packed.value(bytes, number),
        }
    }
}

impl Packed {
    fn value(&self, bytes: &Bytes, number: u64) -> Result<u16, ProbeError> {
        let (block, within) = self.find(bytes, number)?;
        if block >= self.blocks {
            return Err(bytes.damaged("a block is missing"));
        }
        let at = self.blocks_at + (block << self.block_bits);
        let length = 1 << self.block_bits;
        let block = bytes.read(at, length)?;
        self.unpack(&block, within)
            .ok_or_else(|| bytes.damaged("a block ends too early"))
    }

    /// The block that holds a position, and its place in the block.
    fn find(&self, bytes: &Bytes, number: u64) -> Result<(u64, u64), ProbeError> {
        if number >= self.positions {
            return Err(bytes.damaged("a position is not in it"));
        }
        // An entry of the index is about the position in the middle of its span.
        let entry = self.index_at + 6 * (number >> self.index_bits);
        let mut block = u64::from(bytes.u32(entry)?);
        let half = 1i64 << (self.index_bits - 1);
        let mut within =
            (number & ((1 << self.index_bits) - 1)) as i64 - half + i64::from(bytes.u16(entry + 4)?);
        let size = |block: u64| -> Result<i64, ProbeError> {
            if block >= self.sizes {
                return Err(bytes.damaged("its index points nowhere"));
            }
            Ok(i64::from(bytes.u16(self.sizes_at + 2 * block)?) + 1)
        };
        while within < 0 {
            block = block
                .checked_sub(1)
                .ok_or_else(|| bytes.damaged("its index points nowhere"))?;
            within += size(block)?;
        }
        loop {
            let here = size(block)?;
            if within < here {
                return Ok((block, within as u64));
            }
            within -= here;
            block += 1;
        }
    }

    /// The value at a place of a block. Nothing if the block has no such place.
    fn unpack(&self, block: &[u8], mut within: u64) -> Option<u16> {
        let mut bit = 0usize;
        let mut symbol = loop {
            if bit > 8 * block.len() {
                return None;
            }
            let window = window(block, bit);
            let place = self.codes.iter().position(|(first, _)| window >= *first)?;
            let length = self.shortest + place as u8;
            let (first, symbol) = self.codes[place];
            let offset = (window - first) >> (64 - length);
            let symbol = u64::from(symbol) + offset;
            let values = u64::from(self.symbols.get(usize::try_from(symbol).ok()?)?.values);
            if within < values {
                break symbol as usize;
            }
            within -= values;
            bit += usize::from(length);
        };
        // Halves stand for fewer values than their whole, so this ends.
        loop {
            let Symbol { left, right, values } = *self.symbols.get(symbol)?;
            if values == 1 {
                return Some(left);
            }
            let left_values = u64::from(self.symbols.get(usize::from(left))?.values);
            symbol = if within < left_values {
                usize::from(left)
            } else {
                within -= left_values;
                usize::from(right)
            };
        }
    }
}

/// 64 bits from a bit on, with zeros after the end.
fn window(block: &[u8], bit: usize) -> u64 {
    let from = (bit / 8).min(block.len());
    let mut bytes = [0; 16];
    let there = (block.len() - from).min(16);
    bytes[..there].copy_from_slice(&block[from..from + there]);
    let wide = u128::from_be_bytes(bytes) << (bit % 8);
    (wide >> 64) as u64
}

/// The first code of each length. Codes of a length follow those that are longer, so a code is as long as the first
/// length whose first code it reaches.
fn codes(firsts: &[u16], shortest: u8) -> Vec<(u64, u16)> {
    let mut codes: Vec<_> = firsts.iter().map(|symbol| (0u64, *symbol)).collect();
    for place in (0..firsts.len().saturating_sub(1)).rev() {
        codes[place].0 = codes[place + 1]
            .0
            .wrapping_add(u64::from(firsts[place]))
            .wrapping_sub(u64::from(firsts[place + 1]))
            / 2;
    }
    for (place, (code, _)) in codes.iter_mut().enumerate() {
        *code = code.wrapping_shl(64 - u32::from(shortest) - place as u32);
    }
    codes
}

/// Reads the symbols and counts the values of each, halves before wholes.
fn symbols(bytes: &Bytes, at: u64, count: u16) -> Result<Vec<Symbol>, ProbeError> {
    let raw = bytes.read(at, 3 * usize::from(count))?;
    let mut symbols: Vec<Symbol> = raw
        .chunks_exact(3)
        .map(|three| {
            let [a, b, c] = [three[0], three[1], three[2]].map(u16::from);
            let (left, right) = (a | (b & 0xf) << 8, b >> 4 | c << 4);
            // A value is its own twelve bits; zero values mean "not yet counted".
            let values = u32::from(right == VALUE);
            Symbol { left, right, values }
        })
        .collect();
    // A whole on the stack twice would contain itself.
    let mut open = vec![false; symbols.len()];
    let mut stack = Vec::new();
    for start in 0..symbols.len() {
        stack.push(start);
        while let Some(&symbol) = stack.last() {
            let Symbol { left, right, values } = symbols[symbol];
            if values > 0 {
                stack.pop();
                continue;
            }
            let halves = [left, right].map(usize::from);
            let mut counts = [0u32; 2];
            let mut waiting = false;
            for (half, count) in halves.into_iter().zip(&mut counts) {
                let Some(known) = symbols.get(half) else {
                    return Err(bytes.damaged("a symbol is missing"));
                };
                *count = known.values;
                if known.values == 0 {
                    if open[symbol] && open[half] {
                        return Err(bytes.damaged("a symbol contains itself"));
                    }
                    stack.push(half);
                    waiting = true;
                }
            }
            open[symbol] = true;
            if !waiting {
                // A block of the largest size holds no more than 65,536 values.
                let values = counts[0].saturating_add(counts[1]);
                if values > 1 << 16 {
                    return Err(bytes.damaged("a symbol is too long"));
                }
                symbols[symbol].values = values;
                stack.pop();
            }
        }
    }
    Ok(symbols)
}
