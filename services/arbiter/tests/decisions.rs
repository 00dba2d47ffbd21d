//! Games decided by the board and the moves.

use tabiya_arbiter::{
    ClaimGround,
    replay::{GameResult, Reason, Report, replay},
    ruleset::Library,
};
use tabiya_rules::{Board, Color, Game, Move, MoveList, Variant};

/// The report on the game after moves written from-square to-square.
fn play(fen: &str, moves: &str) -> Report {
    let mut game = Game::new(Board::from_fen(fen).unwrap());
    for text in moves.split_whitespace() {
        game.play(find(game.board(), text));
    }
    let ruleset = Library::built_in().unwrap().find("fide-2023").unwrap();
    replay(ruleset, &game, Variant::Standard, None, &[])
}

fn find(board: &Board, text: &str) -> Move {
    let mut list = MoveList::new();
    board.legal_moves(&mut list);
    *list
        .iter()
        .find(|mv| mv.to_string() == text)
        .unwrap_or_else(|| panic!("{text} is not legal"))
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const SHUFFLE: &str = "g1f3 g8f6 f3g1 f6g8 ";

const WHITE_WINS: GameResult = GameResult::Wins(Color::White);
const BLACK_WINS: GameResult = GameResult::Wins(Color::Black);

fn ended(report: &Report) -> (Reason, GameResult, usize) {
    let end = report.conclusion.as_ref().expect("the game has ended");
    assert!(report.claimable.is_empty());
    (end.reason, end.result.unwrap(), end.ply)
}

#[test]
fn checkmate_wins() {
    let game = play(START, "f2f3 e7e5 g2g4 d8h4");
    assert_eq!(ended(&game), (Reason::Mate, BLACK_WINS, 4));
}

#[test]
fn stalemate_draws() {
    let game = play("7k/8/5KQ1/8/8/8/8/8 w - - 0 1", "g6f7");
    assert_eq!(ended(&game), (Reason::Stalemate, GameResult::Draw, 1));
}

#[test]
fn a_capture_can_leave_a_dead_position_and_later_moves_do_not_count() {
    let game = play("8/8/4k3/3p4/8/2N1K3/8/8 w - - 0 1", "c3d5 e6d5 e3d3");
    assert_eq!(ended(&game), (Reason::Dead, GameResult::Draw, 1));
}

#[test]
fn the_third_occurrence_may_be_claimed_and_the_fifth_draws() {
    // Before the last move of the second round, Black may announce it.
    let eve = play(START, &format!("{SHUFFLE} g1f3 g8f6 f3g1"));
    let claim = eve
        .claimable
        .iter()
        .find(|claim| claim.with_move.is_some())
        .unwrap();
    assert_eq!(claim.with_move.unwrap().to_string(), "f6g8");
    assert_eq!(claim.ground, ClaimGround::ThreefoldRepetition);
    assert_eq!(eve.claimable.len(), 1);

    let third = play(START, &SHUFFLE.repeat(2));
    assert_eq!(third.conclusion, None);
    assert_eq!(
        (third.claimable[0].ground, third.claimable[0].with_move),
        (ClaimGround::ThreefoldRepetition, None)
    );
    assert_eq!(third.claimable.len(), 1);

    let fifth = play(START, &SHUFFLE.repeat(4));
    assert_eq!(ended(&fifth), (Reason::Repetition, GameResult::Draw, 16));
}

#[test]
fn fifty_moves_may_be_claimed_and_seventy_five_draw() {
    let rooks = |clock: u32| format!("r3k3/8/8/8/8/8/8/R3K3 w - - {clock} 90");
    let quiet = play(&rooks(98), "");
    assert!(quiet.conclusion.is_none() && quiet.claimable.is_empty());

    // Every move but the capture on a8 completes the count.
    let eve = play(&rooks(99), "");
    assert!(
        eve.claimable
            .iter()
            .all(|claim| claim.ground == ClaimGround::FiftyMoves && claim.with_move.is_some())
    );
    assert!(
        eve.claimable
            .iter()
            .all(|claim| claim.with_move.unwrap().to_string() != "a1a8")
    );
    let mut legal = MoveList::new();
    Board::from_fen(&rooks(99)).unwrap().legal_moves(&mut legal);
    assert_eq!(eve.claimable.len(), legal.len() - 1);

    let completed = play(&rooks(99), "e1e2");
    assert_eq!(completed.claimable[0].ground, ClaimGround::FiftyMoves);
    assert_eq!(completed.claimable[0].with_move, None);

    let over = play(&rooks(149), "e1e2");
    assert_eq!(ended(&over), (Reason::Quiet, GameResult::Draw, 1));
}

#[test]
fn mate_on_the_last_of_seventy_five_moves_wins() {
    let game = play("6k1/5ppp/8/8/8/8/8/R3K3 w - - 149 90", "a1a8");
    assert_eq!(ended(&game), (Reason::Mate, WHITE_WINS, 1));
    let end = game.conclusion.unwrap();
    assert_eq!(end.also, [Reason::Quiet]);
    assert_eq!(end.articles, ["5.1.1", "9.6.2"]);
}
