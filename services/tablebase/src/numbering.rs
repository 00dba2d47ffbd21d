//! How squares are counted: kings, trios and pawns up to the symmetries of the board.

use crate::material::MOST_MEN;

/// Placements of two kings, up to the symmetries of the board.
pub(crate) const KING_PAIRS: u64 = 462;
/// Placements of three different men, up to the symmetries of the board.
pub(crate) const TRIOS: u64 = 31_332;

/// The number of three different men that no symmetry maps to another such number.
pub(crate) fn trio(first: u8, second: u8, third: u8) -> Option<u64> {
    let [a, b, c] = [first, second, third].map(u64::from);
    let after_one = u64::from(second > first);
    let after_two = u64::from(third > first) + u64::from(third > second);
    let on = |square: u8| above_diagonal(square) == 0;
    let file = |square: u64| square & 7;
    Some(if !on(first) {
        triangle(first)? as u64 * 63 * 62 + (b - after_one) * 62 + (c - after_two)
    } else if !on(second) {
        6 * 63 * 62 + file(a) * 28 * 62 + below_diagonal(second)? * 62 + c - after_two
    } else if !on(third) {
        6 * 63 * 62 + 4 * 28 * 62 + file(a) * 7 * 28 + (file(b) - after_one) * 28 + below_diagonal(third)?
    } else {
        6 * 63 * 62
            + 4 * 28 * 62
            + 4 * 7 * 28
            + file(a) * 7 * 6
            + (file(b) - after_one) * 6
            + (file(c) - after_two)
    })
}

/// Positive above the diagonal from a1 to h8, zero on it.
pub(crate) const fn above_diagonal(square: u8) -> i32 {
    (square >> 3) as i32 - (square & 7) as i32
}

/// Squares of the triangle a1, d1, d4: those below the diagonal by rank, then the diagonal.
const TRIANGLE: [u8; 10] = [1, 2, 3, 10, 11, 19, 0, 9, 18, 27];

pub(crate) fn triangle(square: u8) -> Option<usize> {
    TRIANGLE.iter().position(|other| *other == square)
}

/// The number of a square among those below the diagonal, rank by rank.
fn below_diagonal(square: u8) -> Option<u64> {
    let (rank, file) = (u64::from(square >> 3), u64::from(square & 7));
    // Ranks below have 7, 6, 5, … such squares.
    (file > rank).then(|| rank * 7 - rank * rank.saturating_sub(1) / 2 + file - rank - 1)
}

/// The file of a square, a and h as 0 to d and e as 3.
pub(crate) const fn folded(square: u8) -> usize {
    let file = (square & 7) as usize;
    if file > 3 { 7 - file } else { file }
}

/// The rank of a leading pawn's square among its folded file's, files outside first: 0 to 23.
pub(crate) const fn pawn_flap(square: u8) -> usize {
    folded(square) * 6 + (square >> 3) as usize - 1
}

/// The number of a pawn's square as the other leading pawns are counted, highest first: 0 to 47.
pub(crate) const fn pawn_twist(square: u8) -> usize {
    47 - 12 * folded(square) - 2 * ((square >> 3) as usize - 1) - ((square & 7) > 3) as usize
}

/// Number of ways to choose `k` of `n`; zero if there are too few.
pub(crate) const fn choose(k: usize, n: usize) -> u64 {
    if k > n {
        return 0;
    }
    let mut ways = 1u64;
    let mut taken = 0;
    while taken < k {
        ways = ways * (n - taken) as u64 / (taken as u64 + 1);
        taken += 1;
    }
    ways
}

/// The first number of each leading square, and how many numbers each folded file has, by the count of leading pawns.
const PAWNS: ([[u64; 24]; MOST_MEN - 1], [[u64; 4]; MOST_MEN - 1]) = {
    let mut first = [[0; 24]; MOST_MEN - 1];
    let mut counts = [[0; 4]; MOST_MEN - 1];
    let mut others = 0;
    while others < MOST_MEN - 1 {
        let mut file = 0;
        while file < 4 {
            let mut sum = 0;
            let mut rank = 0;
            while rank < 6 {
                first[others][file * 6 + rank] = sum;
                sum += choose(others, pawn_twist(((rank + 1) * 8 + file) as u8));
                rank += 1;
            }
            counts[others][file] = sum;
            file += 1;
        }
        others += 1;
    }
    (first, counts)
};
pub(crate) const PAWN_INDEX: [[u64; 24]; MOST_MEN - 1] = PAWNS.0;
pub(crate) const PAWN_COUNT: [[u64; 4]; MOST_MEN - 1] = PAWNS.1;

/// The number of two kings that are not neighbours, the first in the triangle; if it is on the diagonal the second is not
/// above it. Pairs on the diagonal come last.
pub(crate) static KING_PAIR: [[Option<u16>; 64]; 10] = {
    let mut pairs = [[None; 64]; 10];
    let mut number = 0;
    let mut on_diagonal = 0;
    while on_diagonal < 2 {
        let mut place = 0;
        while place < 10 {
            let king = TRIANGLE[place];
            let mut other = 0;
            while other < 64 {
                let ranks = (king >> 3).abs_diff(other >> 3);
                let files = (king & 7).abs_diff(other & 7);
                let both = above_diagonal(king) == 0 && above_diagonal(other) == 0;
                let mapped = above_diagonal(king) == 0 && above_diagonal(other) > 0;
                if (ranks > 1 || files > 1) && !mapped && both == (on_diagonal == 1) {
                    pairs[place][other as usize] = Some(number);
                    number += 1;
                }
                other += 1;
            }
            place += 1;
        }
        on_diagonal += 1;
    }
    assert!(number as u64 == KING_PAIRS);
    pairs
};

#[cfg(test)]
mod tests {
    use super::*;

    /// The last numbers are reached, so no table is smaller than the formula says.
    #[test]
    fn trios_fill_their_range() {
        let mut seen = vec![false; TRIOS as usize];
        let squares = || 0..64u8;
        for (a, b, c) in TRIANGLE
            .into_iter()
            .flat_map(|a| squares().flat_map(move |b| squares().map(move |c| (a, b, c))))
        {
            let distinct = a != b && b != c && a != c;
            let first_off = [a, b, c]
                .into_iter()
                .map(above_diagonal)
                .find(|above| *above != 0);
            if distinct && first_off.is_none_or(|above| above < 0) {
                let number = trio(a, b, c).unwrap() as usize;
                assert!(!seen[number], "{a} {b} {c}");
                seen[number] = true;
            }
        }
        assert!(seen.iter().all(|seen| *seen));
    }

    #[test]
    fn twists_are_a_numbering_of_the_pawn_squares() {
        let mut numbers: Vec<_> = (8..56).map(pawn_twist).collect();
        numbers.sort_unstable();
        assert!(numbers.into_iter().eq(0..48));
    }
}
