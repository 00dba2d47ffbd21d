use crate::{Bitboard, Board, MoveList, perft};

#[test]
fn perft_of_the_start() {
    assert_eq!(
        [1, 2, 3, 4, 5].map(|depth| perft(&Board::startpos(), depth)),
        [20, 400, 8_902, 197_281, 4_865_609]
    );
}

/// Plays random games and checks at each ply that the key equals the key from scratch, that checkers and pinned men
/// are those found by another way, and that the move classes partition the legal moves.
#[test]
fn random_games_keep_derived_state() {
    let mut state = 0x1234_5678_9abc_def1_u64;
    let (mut checks, mut pins) = (0, 0);
    for _ in 0..200 {
        let mut board = Board::startpos();
        for _ in 0..200 {
            let mut list = MoveList::new();
            board.legal_moves(&mut list);
            if list.is_empty() || board.halfmove_clock() > 100 {
                break;
            }
            let mut parts = MoveList::new();
            board.captures(&mut parts);
            board.quiets(&mut parts);
            let sorted = |mut list: MoveList| {
                list.sort();
                list
            };
            assert_eq!(sorted(list.clone()), sorted(parts));
            assert_eq!(board.count_legal(), list.len() as u64);
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            board.play(list[(state % list.len() as u64) as usize]);
            assert_eq!(board.key(), board.key_from_scratch());
            assert_eq!(board.checkers(), attackers_of_king(&board, board.occupied()));
            assert_eq!(board.pinned(), pinned_by_lifting(&board));
            checks += u32::from(board.in_check());
            pins += board.pinned().count();
        }
    }
    assert!(checks > 500 && pins > 500, "{checks} checks, {pins} pins");
}

/// Whoever attacks the king of the side to move, with these squares occupied.
fn attackers_of_king(board: &Board, occupied: Bitboard) -> Bitboard {
    let us = board.side_to_move();
    board.attackers(board.king(us), occupied) & board.colors(!us)
}

/// Pinned are the men that, lifted off the board, let a new attacker through to their king.
fn pinned_by_lifting(board: &Board) -> Bitboard {
    let us = board.side_to_move();
    let mut pinned = Bitboard::EMPTY;
    for square in board.colors(us) & !board.king(us).bitboard() {
        let without = board.occupied() & !square.bitboard();
        if attackers_of_king(board, without) != board.checkers() {
            pinned |= square.bitboard();
        }
    }
    pinned
}
