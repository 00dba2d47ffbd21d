//! Gathers the nibbles of a packed position from bit planes.
#![allow(unsafe_code)]

/// The nibbles of the occupied squares in rising order, sixteen to a word, lowest bits first; bit `b` of a
/// square's nibble is its bit in `planes[b]`. Pieces beyond the 48th are left out.
#[inline]
pub(crate) fn nibbles(occupied: u64, planes: [u64; 4]) -> [u64; 3] {
    #[cfg(target_arch = "x86_64")]
    if fast_bit_gather() {
        // SAFETY: BMI2 was detected.
        return unsafe { gather_bmi2(occupied, planes) };
    }
    gather(occupied, planes)
}

/// BMI2 alone is not enough: the first AMD processors that have it take hundreds of cycles for one `pext`. Those
/// lack both other features.
#[cfg(target_arch = "x86_64")]
#[inline]
fn fast_bit_gather() -> bool {
    is_x86_feature_detected!("bmi2")
        && (is_x86_feature_detected!("avx512f") || is_x86_feature_detected!("vaes"))
}

fn gather(occupied: u64, planes: [u64; 4]) -> [u64; 3] {
    let mut words = [0; 3];
    let mut rest = occupied;
    for index in 0..48 {
        if rest == 0 {
            break;
        }
        let square = rest.trailing_zeros();
        rest &= rest - 1;
        let nibble = (0..4).fold(0, |nibble, bit| nibble | (planes[bit] >> square & 1) << bit);
        words[index / 16] |= nibble << (4 * (index % 16));
    }
    words
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi2")]
fn gather_bmi2(occupied: u64, planes: [u64; 4]) -> [u64; 3] {
    use std::arch::x86_64::{_pdep_u64, _pext_u64};
    const LOWEST_BITS: u64 = 0x1111_1111_1111_1111;
    let mut words = [0; 3];
    for (bit, plane) in planes.into_iter().enumerate() {
        let packed = _pext_u64(plane, occupied);
        words[0] |= _pdep_u64(packed & 0xffff, LOWEST_BITS << bit);
        words[1] |= _pdep_u64(packed >> 16 & 0xffff, LOWEST_BITS << bit);
        words[2] |= _pdep_u64(packed >> 32 & 0xffff, LOWEST_BITS << bit);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn both_ways_agree_on_any_planes() {
        // Also where it is slow, and so not chosen.
        if !is_x86_feature_detected!("bmi2") {
            eprintln!("SKIPPED: no bmi2");
            return;
        }
        let mut state = 88_172_645_463_325_252_u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        for _ in 0..100_000 {
            let occupied = if next() & 1 == 0 { next() } else { next() & next() };
            let planes = [next(), next(), next(), next()];
            // SAFETY: BMI2 was detected.
            let fast = unsafe { gather_bmi2(occupied, planes) };
            assert_eq!(fast, gather(occupied, planes), "{occupied:#x} {planes:x?}");
        }
    }
    #[test]
    fn nibbles_stand_in_square_order() {
        // A white rook (3) on a1, a black king (13) on e8, a white pawn (0) between them, and the word's end.
        let squares = [(0, 3_u64), (12, 0), (60, 13)];
        let occupied = squares.iter().fold(0, |set, &(square, _)| set | 1_u64 << square);
        let plane = |bit: u32| {
            squares
                .iter()
                .fold(0, |set, &(square, nibble)| set | (nibble >> bit & 1) << square)
        };
        let planes = [plane(0), plane(1), plane(2), plane(3)];
        assert_eq!(gather(occupied, planes), [0xd03, 0, 0]);
        assert_eq!(nibbles(occupied, planes), [0xd03, 0, 0]);
        // Of 64 occupied squares the first 48 fill the words.
        let all = [u64::MAX, 0, u64::MAX, 0];
        assert_eq!(nibbles(u64::MAX, all), [0x5555_5555_5555_5555; 3]);
    }
}
