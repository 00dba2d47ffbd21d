//! Games decided by the board and the moves.

use tabiya_arbiter::{Article, ClaimGround, Decision, Termination, adjudicate};
use tabiya_rules::{Board, Color, Game, Move, MoveList};

/// The game after moves written from-square to-square.
fn play(fen: &str, moves: &str) -> Game {
    let mut game = Game::new(Board::from_fen(fen).unwrap());
    for text in moves.split_whitespace() {
        game.play(find(game.board(), text));
    }
    game
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

fn ended(decision: &Decision) -> (Termination, Option<Color>, usize) {
    let ending = decision.ending.as_ref().expect("the game has ended");
    assert!(decision.claims.is_empty());
    (ending.termination, ending.winner, ending.ply)
}

#[test]
fn checkmate_wins() {
    let game = play(START, "f2f3 e7e5 g2g4 d8h4");
    assert_eq!(
        ended(&adjudicate(&game)),
        (Termination::Checkmate, Some(Color::Black), 4)
    );
}

#[test]
fn stalemate_draws() {
    let game = play("7k/8/5KQ1/8/8/8/8/8 w - - 0 1", "g6f7");
    assert_eq!(ended(&adjudicate(&game)), (Termination::Stalemate, None, 1));
}

#[test]
fn a_capture_can_leave_a_dead_position_and_later_moves_do_not_count() {
    let game = play("8/8/4k3/3p4/8/2N1K3/8/8 w - - 0 1", "c3d5 e6d5 e3d3");
    assert_eq!(ended(&adjudicate(&game)), (Termination::DeadPosition, None, 1));
}

#[test]
fn the_third_occurrence_may_be_claimed_and_the_fifth_draws() {
    // Before the last move of the second round, Black may announce it.
    let eve = adjudicate(&play(START, &format!("{SHUFFLE} g1f3 g8f6 f3g1")));
    let claim = eve.claims.iter().find(|claim| claim.with_move.is_some()).unwrap();
    assert_eq!(claim.with_move.unwrap().to_string(), "f6g8");
    assert_eq!(claim.article(), Article::ThreefoldAnnounced);
    assert_eq!(eve.claims.len(), 1);

    let third = adjudicate(&play(START, &SHUFFLE.repeat(2)));
    assert_eq!(third.ending, None);
    assert_eq!(third.claims[0].article(), Article::ThreefoldAppeared);
    assert_eq!(third.claims.len(), 1);

    let fifth = adjudicate(&play(START, &SHUFFLE.repeat(4)));
    assert_eq!(ended(&fifth), (Termination::FivefoldRepetition, None, 16));
}

#[test]
fn fifty_moves_may_be_claimed_and_seventy_five_draw() {
    let rooks = |clock: u32| format!("r3k3/8/8/8/8/8/8/R3K3 w - - {clock} 90");
    let quiet = adjudicate(&play(&rooks(98), ""));
    assert!(quiet.ending.is_none() && quiet.claims.is_empty());

    // Every move but the capture on a8 completes the count.
    let eve = adjudicate(&play(&rooks(99), ""));
    assert!(
        eve.claims
            .iter()
            .all(|claim| claim.article() == Article::FiftyAnnounced)
    );
    assert!(
        eve.claims
            .iter()
            .all(|claim| claim.with_move.unwrap().to_string() != "a1a8")
    );
    let mut legal = MoveList::new();
    Board::from_fen(&rooks(99)).unwrap().legal_moves(&mut legal);
    assert_eq!(eve.claims.len(), legal.len() - 1);

    let completed = adjudicate(&play(&rooks(99), "e1e2"));
    assert_eq!(completed.claims[0].ground, ClaimGround::FiftyMoves);
    assert_eq!(completed.claims[0].article(), Article::FiftyCompleted);

    let over = adjudicate(&play(&rooks(149), "e1e2"));
    assert_eq!(ended(&over), (Termination::SeventyFiveMoves, None, 1));
}

#[test]
fn mate_on_the_last_of_seventy_five_moves_wins() {
    let game = play("6k1/5ppp/8/8/8/8/8/R3K3 w - - 149 90", "a1a8");
    let decision = adjudicate(&game);
    assert_eq!(ended(&decision), (Termination::Checkmate, Some(Color::White), 1));
    assert_eq!(decision.ending.unwrap().also, [Termination::SeventyFiveMoves]);
}

#[test]
fn every_article_has_a_number_and_both_texts() {
    for termination in [
        Termination::Checkmate,
        Termination::Stalemate,
        Termination::DeadPosition,
        Termination::FivefoldRepetition,
        Termination::SeventyFiveMoves,
    ] {
        let article = termination.article();
        assert!(article.number().split('.').count() == 3);
        assert!(article.text_en().is_ascii());
        assert!(!article.text_zh().is_ascii());
    }
}
