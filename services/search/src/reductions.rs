//! Late-move reductions: how much shallower a move late in the order is searched.

/// Natural logarithm in units of 1/1024, from an integer series, so that every machine has the same table.
const fn ln_1024(n: u64) -> i32 {
    // ln(n) = 2 * sum of z^(2k+1) / (2k+1) with z = (n - 1) / (n + 1), after taking out powers of two.
    const LN_2: i64 = 0xb17_217f; // ln 2 in units of 2^-28
    let mut twos = 0;
    let mut scaled = (n as i64) << 28;
    while scaled >= 2 << 28 {
        scaled /= 2;
        twos += 1;
    }
    let z = ((scaled - (1 << 28)) << 28) / (scaled + (1 << 28));
    let square = (z * z) >> 28;
    let mut term = z;
    let mut sum = 0;
    let mut k = 0;
    while k < 12 {
        sum += term / (2 * k + 1);
        term = (term * square) >> 28;
        k += 1;
    }
    ((2 * sum + twos * LN_2) >> 18) as i32
}

const fn table() -> [[i16; 64]; 64] {
    let mut table = [[0; 64]; 64];
    let mut depth = 1;
    while depth < 64 {
        let mut count = 1;
        while count < 64 {
            let product = ln_1024(depth as u64) * ln_1024(count as u64) / 1024;
            table[depth][count] = (700 + product * 100 / 235) as i16;
            count += 1;
        }
        depth += 1;
    }
    table
}

static REDUCTIONS: [[i16; 64]; 64] = table();

/// Reduction in 1/1024 ply for the `count`th move (from 1) at `depth`.
pub(crate) fn reduction(depth: i32, count: usize) -> i32 {
    i32::from(REDUCTIONS[depth.clamp(0, 63) as usize][count.min(63)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithm_is_right() {
        for n in 1..64_u64 {
            let exact = (n as f64).ln() * 1024.0;
            assert!(
                (f64::from(ln_1024(n)) - exact).abs() <= 1.5,
                "{n}: {} {exact}",
                ln_1024(n)
            );
        }
    }

    #[test]
    fn later_and_deeper_means_more() {
        for depth in 2..63 {
            for count in 2..63 {
                assert!(reduction(depth + 1, count) >= reduction(depth, count));
                assert!(reduction(depth, count + 1) >= reduction(depth, count));
            }
        }
    }
}
