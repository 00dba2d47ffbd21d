use crate::{Board, MoveList, perft};

#[test]
fn perft_of_the_start() {
    assert_eq!(
        [1, 2, 3, 4, 5].map(|depth| perft(&Board::startpos(), depth)),
        [20, 400, 8_902, 197_281, 4_865_609]
    );
}

/// Plays random games and checks at each ply that incremental state equals state from scratch and that the move
/// classes partition the legal moves.
#[test]
fn random_games_keep_derived_state() {
    let mut state = 0x1234_5678_9abc_def1_u64;
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
            let mut fresh = board;
            fresh.update_checks();
            assert_eq!((fresh.checkers, fresh.pinned), (board.checkers, board.pinned));
        }
    }
}
