use std::collections::HashMap;

use tabiya_rules::{Board, Color, Game};

use crate::{Article, Claim, claim, is_dead_by_material};

/// Occurrences of a position that end the game.
const FIVEFOLD: u32 = 5;

/// Plies without a pawn move or capture that end the game.
const SEVENTY_FIVE_MOVES: u32 = 150;

/// What ended a game, in order of precedence when one move brings about several.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Termination {
    /// The king is mated.
    Checkmate,
    /// The player on move has no legal move and is not in check.
    Stalemate,
    /// Neither king can be mated by any series of legal moves.
    DeadPosition,
    /// The same position stands for the fifth time.
    FivefoldRepetition,
    /// Each side made 75 moves without a pawn move or a capture.
    SeventyFiveMoves,
}

impl Termination {
    /// The article that says so.
    pub fn article(self) -> Article {
        match self {
            Self::Checkmate => Article::Checkmate,
            Self::Stalemate => Article::Stalemate,
            Self::DeadPosition => Article::DeadPosition,
            Self::FivefoldRepetition => Article::Fivefold,
            Self::SeventyFiveMoves => Article::SeventyFiveMoves,
        }
    }
}

/// How a game ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ending {
    /// What ended it.
    pub termination: Termination,
    /// Who won; `None` for a draw.
    pub winner: Option<Color>,
    /// Plies played when it ended. Later moves do not count.
    pub ply: usize,
    /// Other endings that the same ply brought about.
    pub also: Vec<Termination>,
}

/// What the board and the moves decide about a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decision {
    /// How it ended; `None` while it goes on.
    pub ending: Option<Ending>,
    /// Draws that the player on move may claim; none once the game has ended.
    pub claims: Vec<Claim>,
}

/// Follows a game to the first position that ends it.
///
/// ```
/// use tabiya_arbiter::{Termination, adjudicate};
/// use tabiya_rules::{Board, Color, Game};
///
/// let mated = Board::from_fen("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3").unwrap();
/// let ending = adjudicate(&Game::new(mated)).ending.unwrap();
/// assert_eq!(ending.termination, Termination::Checkmate);
/// assert_eq!(ending.winner, Some(Color::Black));
/// ```
pub fn adjudicate(game: &Game) -> Decision {
    let mut occurrences: HashMap<u64, u32> = HashMap::new();
    let mut board = *game.start();
    for ply in 0..=game.moves().len() {
        if let Some(&mv) = ply.checked_sub(1).and_then(|last| game.moves().get(last)) {
            board.play(mv);
        }
        let occurrence = occurrences.entry(board.key()).or_default();
        *occurrence += 1;
        let mut endings = endings(&board, *occurrence);
        if !endings.is_empty() {
            let termination = endings.remove(0);
            let winner = (termination == Termination::Checkmate).then(|| !board.side_to_move());
            let ending = Ending {
                termination,
                winner,
                ply,
                also: endings,
            };
            return Decision {
                ending: Some(ending),
                claims: Vec::new(),
            };
        }
    }
    Decision {
        ending: None,
        claims: claim::claims(game, &occurrences),
    }
}

/// Everything that ends a game in this position, by precedence.
fn endings(board: &Board, occurrence: u32) -> Vec<Termination> {
    let stuck = !board.has_legal_move();
    let found = [
        (stuck && board.in_check(), Termination::Checkmate),
        (stuck && !board.in_check(), Termination::Stalemate),
        (is_dead_by_material(board), Termination::DeadPosition),
        (occurrence >= FIVEFOLD, Termination::FivefoldRepetition),
        (
            board.halfmove_clock() >= SEVENTY_FIVE_MOVES,
            Termination::SeventyFiveMoves,
        ),
    ];
    found
        .into_iter()
        .filter_map(|(holds, termination)| holds.then_some(termination))
        .collect()
}
