use super::*;

/// Every table lookup equals the walk, on every square with many occupancies.
#[test]
fn sliders_equal_the_walk() {
    let mut state = 0x0123_4567_89ab_cdef_u64;
    for square in Square::all() {
        for _ in 0..2_000 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let occupied = state & state.rotate_left(21);
            let number = square.index() as u8;
            assert_eq!(
                rook_attacks(square, Bitboard(occupied)).0,
                walk(number, occupied, ROOK_STEPS)
            );
            assert_eq!(
                bishop_attacks(square, Bitboard(occupied)).0,
                walk(number, occupied, BISHOP_STEPS)
            );
        }
    }
}

#[test]
fn between_and_line_on_known_squares() {
    let [a1, d4, h8, b3] = ["a1", "d4", "h8", "b3"].map(|s| s.parse::<Square>().unwrap());
    assert_eq!(between(a1, d4).count(), 2);
    assert_eq!(line(d4, a1).count(), 8);
    assert_eq!(between(a1, h8).count(), 6);
    assert!(between(a1, b3).is_empty());
    assert!(line(a1, b3).is_empty());
    assert!(line(a1, a1).is_empty());
}
