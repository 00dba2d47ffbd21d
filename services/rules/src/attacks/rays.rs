//! Sliding attacks by walking the board one step at a time: slow, obvious, and the source of every table.

/// Squares that a slider on `square` attacks with the given occupancy, walking each `(file, rank)` step
/// until the edge or the first occupied square, which is included.
pub(crate) const fn walk(square: u8, occupied: u64, steps: [(i8, i8); 4]) -> u64 {
    let mut attacks = 0;
    let mut i = 0;
    while i < 4 {
        let (df, dr) = steps[i];
        let mut file = (square % 8) as i8 + df;
        let mut rank = (square / 8) as i8 + dr;
        while file >= 0 && file < 8 && rank >= 0 && rank < 8 {
            let bit = 1u64 << (rank * 8 + file);
            attacks |= bit;
            if occupied & bit != 0 {
                break;
            }
            file += df;
            rank += dr;
        }
        i += 1;
    }
    attacks
}

/// Steps of a rook.
pub(crate) const ROOK_STEPS: [(i8, i8); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
/// Steps of a bishop.
pub(crate) const BISHOP_STEPS: [(i8, i8); 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];

// The build script includes this file too, and is the only one to call the next function.
#[allow(dead_code)]
/// Squares whose occupancy can change a slider's attacks: its rays without the last square of each.
pub(crate) const fn relevant_mask(square: u8, steps: [(i8, i8); 4]) -> u64 {
    let mut mask = 0;
    let mut i = 0;
    while i < 4 {
        let (df, dr) = steps[i];
        let mut file = (square % 8) as i8 + df;
        let mut rank = (square / 8) as i8 + dr;
        while file + df >= 0 && file + df < 8 && rank + dr >= 0 && rank + dr < 8 {
            mask |= 1u64 << (rank * 8 + file);
            file += df;
            rank += dr;
        }
        i += 1;
    }
    mask
}
