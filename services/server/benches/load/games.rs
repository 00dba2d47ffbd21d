//! Games as callers send them: begun as masters began them and gone on with at random, so that no two are alike.

use tabiya_api::v1;
use tabiya_rules::{
    Board, MoveList, Variant, fen,
    pgn::{Games, Mode},
    uci,
};

const CLASSICS: &[u8] = include_bytes!("../../../../tests/fixtures/classics.pgn");

const GAMES: usize = 64;

/// Plies from a classic, and plies of a game: what half of all games of masters are shorter than.
const BEGUN: usize = 16;
const PLIES: usize = 80;

/// The games, each with its moves.
pub(crate) fn games() -> Vec<v1::Position> {
    let played = played().into_iter();
    let game = |(_, moves)| v1::Position {
        moves,
        ..Default::default()
    };
    played.map(game).collect()
}

/// Every position of every game, without the way to it.
pub(crate) fn positions() -> Vec<v1::Position> {
    let boards = played().into_iter().flat_map(|(boards, _)| boards);
    let position = |board| v1::Position {
        fen: fen::xfen(&board),
        ..Default::default()
    };
    boards.map(position).collect()
}

/// For each game the positions before its moves, and the moves.
fn played() -> Vec<(Vec<Board>, Vec<String>)> {
    let classics: Vec<Vec<_>> = Games::new(CLASSICS, Mode::Lenient)
        .map(|game| {
            let game = game.expect("a game");
            game.main_line().map(|node| game.mv(node)).collect()
        })
        .collect();
    let mut random = 1;
    (0..GAMES)
        .map(|number| {
            let mut begun = classics[number % classics.len()].iter().copied().take(BEGUN);
            let mut board = Board::startpos();
            let (mut boards, mut moves) = (Vec::new(), Vec::new());
            while moves.len() < PLIES {
                let mut legal = MoveList::default();
                board.legal_moves(&mut legal);
                let at_random = || legal.get(below(&mut random, legal.len().max(1))).copied();
                let Some(mv) = begun.next().or_else(at_random) else {
                    break;
                };
                boards.push(board);
                moves.push(uci::write(mv, Variant::Standard).to_string());
                board.play(mv);
            }
            (boards, moves)
        })
        .collect()
}

/// A number below `end`, by SplitMix64.
fn below(state: &mut u64, end: usize) -> usize {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((mixed ^ (mixed >> 31)) % end as u64) as usize
}
