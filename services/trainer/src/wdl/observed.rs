//! What games say: a score, the material on the board, and how it ended.

use tabiya_rules::{
    Board, Color, Piece,
    pgn::{self, GameTree},
};

use super::model::MAX_SCORE;
use crate::arena::game::is_fault;

/// A score that an engine gave, and what came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Observed {
    /// Centipawns, from the side to move.
    pub(crate) score: i32,
    /// Points on the board: pawns 1, knights and bishops 3, rooks 5, queens 9.
    pub(crate) material: u32,
    /// How it ended, from the side to move.
    pub(crate) end: End,
}

/// How a game ended for one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Loss,
    Draw,
    Win,
}

/// The scores of a finished game that no engine lost by a fault, which says nothing about them: those of one player, or of both.
pub(crate) fn positions(tree: &GameTree, player: Option<&str>) -> Vec<Observed> {
    let fault = tree.tags().get("Termination").is_some_and(is_fault);
    let winner = match tree.marker() {
        Some(pgn::Outcome::WhiteWins) => Some(Some(Color::White)),
        Some(pgn::Outcome::BlackWins) => Some(Some(Color::Black)),
        Some(pgn::Outcome::Draw) => Some(None),
        _ => None,
    };
    let counts = |color: Color| {
        let tag = if color == Color::White { "White" } else { "Black" };
        player.is_none_or(|player| tree.tags().get(tag) == Some(player))
    };
    let counts = [counts(Color::White), counts(Color::Black)];
    let mut observed = Vec::new();
    let mut board = *tree.start();
    for node in tree.main_line() {
        let side = board.side_to_move();
        let score = tree.comments(node).iter().find_map(|comment| score(comment));
        if let (false, Some(winner), Some(score), true) = (fault, winner, score, counts[side.index()]) {
            observed.push(Observed {
                score,
                material: material(&board),
                end: match winner {
                    None => End::Draw,
                    Some(winner) if winner == side => End::Win,
                    Some(_) => End::Loss,
                },
            });
        }
        pgn::play(&mut board, tree.mv(node));
    }
    observed
}

/// The score of a comment such as `+0.31/14 0.020s`, in centipawns; mates and what is all but decided are left out.
fn score(comment: &str) -> Option<i32> {
    let (pawns, _) = comment.split_once('/')?;
    let pawns: f64 = pawns.trim().parse().ok()?;
    let score = (pawns * 100.0).round();
    (score.abs() <= f64::from(MAX_SCORE)).then_some(score as i32)
}

fn material(board: &Board) -> u32 {
    const POINTS: [(Piece, u32); 5] = [
        (Piece::Pawn, 1),
        (Piece::Knight, 3),
        (Piece::Bishop, 3),
        (Piece::Rook, 5),
        (Piece::Queen, 9),
    ];
    POINTS
        .iter()
        .map(|&(piece, points)| points * board.pieces(piece).count())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn observed(pgn: &str, player: Option<&str>) -> Vec<Observed> {
        let mut games = pgn::Games::new(pgn.as_bytes(), pgn::Mode::Lenient);
        let tree = games.next().expect("a game").expect("readable");
        positions(&tree, player)
    }

    const GAME: &str = "[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\n\
        1. e4 {book} d5 {+0.31/9 0.1s} 2. exd5 {-0.20/9 0.1s} Qxd5 {+300.00/5 0.1s} 1-0\n";

    #[test]
    fn scores_are_the_movers_and_ends_too() {
        let first = Observed {
            score: 31,
            material: 78,
            end: End::Loss,
        };
        let second = Observed {
            score: -20,
            material: 78,
            end: End::Win,
        };
        assert_eq!(observed(GAME, None), [first, second]);
        assert_eq!(observed(GAME, Some("a")), [second]);
        assert_eq!(observed(GAME, Some("c")), []);
    }

    #[test]
    fn faults_and_unfinished_games_say_nothing() {
        assert_eq!(observed(&GAME.replace("1-0", "*"), None), []);
        for (reason, told) in [
            ("time, over by 3 ms", 0),
            ("no answer", 0),
            ("illegal move e2e5", 0),
            ("crash", 0),
            ("checkmate", 2),
            ("adjudicated win", 2),
        ] {
            let ended = GAME.replace("[Result", &format!("[Termination \"{reason}\"]\n[Result"));
            assert_eq!(observed(&ended, None).len(), told, "{reason}");
        }
    }
}
