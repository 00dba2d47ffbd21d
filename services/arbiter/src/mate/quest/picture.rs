use tabiya_rules::{Bitboard, Board, Move, Piece, Square};

use super::scene::Scene;
use super::sketch::{BLOCKING_PROMOTIONS, Sketch};
use super::steps::{self, FAR, Steps};

/// Most pieces with a part in a mate: two kings, checker, helper, blockers.
pub(super) const ROLES: usize = 7;

/// Where the pieces with a part in it stand in some position.
pub(super) type Cast = [Square; ROLES];

/// A sketch worked out: how far each piece with a part has to go, from every square.
pub(super) struct Picture {
    roles: Vec<Role>,
    /// Where the pieces with a part stand at the start; beyond the roles, it repeats the first.
    pub(super) cast: Cast,
    /// Squares that men of the mated side should stay on.
    pub(super) stay: Bitboard,
    /// Whether other pieces of the mating side should stay where they are.
    pub(super) relies: bool,
}

/// How far a piece has to go, by its kind: a pawn may become another.
struct Role {
    steps: [Steps; 6],
}

impl Role {
    fn of(kind: Piece, steps: Steps) -> Self {
        let mut role = Self {
            steps: [[FAR; 64]; 6],
        };
        role.steps[kind.index()] = steps;
        role
    }
}

impl Picture {
    pub(super) fn new(scene: &Scene<'_>, sketch: &Sketch) -> Self {
        let board = scene.board;
        let (hunted, hunter) = (board.king(!scene.side), board.king(scene.side));
        let mut cast = [hunted; ROLES];
        let mut roles = Vec::with_capacity(ROLES);
        let mut add = |at: Square, role: Role| {
            cast[roles.len()] = at;
            roles.push(role);
        };
        let king = steps::king(sketch.king.bitboard(), scene.closed_to_king);
        add(hunted, Role::of(Piece::King, king));
        if sketch.hunter.any() {
            let steps = steps::king(sketch.hunter, scene.closed_to_hunter);
            add(hunter, Role::of(Piece::King, steps));
        }
        let checker = board.piece_on(sketch.checker).unwrap_or(Piece::Pawn);
        if checker == Piece::Pawn {
            add(sketch.checker, runner(scene, sketch));
        } else {
            let steps = steps::piece(checker, sketch.check_from, scene.pawns);
            add(sketch.checker, Role::of(checker, steps.map(in_wait)));
        }
        if let Some((helper, posts)) = sketch.helper {
            let kind = board.piece_on(helper).unwrap_or(Piece::Pawn);
            add(helper, Role::of(kind, steps::piece(kind, posts, scene.pawns)));
        }
        for (man, to) in sketch.blockers.into_iter().flatten() {
            let kind = board.piece_on(man).unwrap_or(Piece::Pawn);
            let role = if kind == Piece::Pawn {
                blocking_pawn(scene, sketch, man, to)
            } else {
                Role::of(kind, steps::piece(kind, to.bitboard(), scene.pawns))
            };
            add(man, role);
        }
        Self {
            roles,
            cast,
            stay: sketch.stay,
            relies: sketch.relies,
        }
    }

    /// Squares of the pieces with a part.
    pub(super) fn places(&self, cast: &Cast) -> Bitboard {
        cast[..self.roles.len()].iter().copied().collect()
    }

    /// How far all of them have to go.
    pub(super) fn distance(&self, board: &Board) -> i16 {
        let steps = |(role, &at): (&Role, &Square)| {
            let kind = board.piece_on(at).unwrap_or(Piece::Pawn);
            i16::from(role.steps[kind.index()][at.index()])
        };
        self.roles.iter().zip(&self.cast).map(steps).sum()
    }

    /// What a move of a piece with a part adds to the distance.
    pub(super) fn change(&self, board: &Board, cast: &Cast, mv: Move) -> i16 {
        let Some(number) = cast[..self.roles.len()].iter().position(|&at| at == mv.from()) else {
            return 0;
        };
        let steps = &self.roles[number].steps;
        let kind = board.piece_on(mv.from()).unwrap_or(Piece::Pawn);
        let then = mv.promotion().unwrap_or(kind);
        let at = |kind: Piece, square: Square| i16::from(steps[kind.index()][square.index()]);
        at(then, mv.landing()) - at(kind, mv.from())
    }

    /// The cast after a move.
    pub(super) fn follow(&self, mut cast: Cast, mv: Move) -> Cast {
        for at in &mut cast[..self.roles.len()] {
            if *at == mv.from() {
                *at = mv.landing();
            }
        }
        cast
    }
}

/// A checking piece waits one move away: to give the check is tried at every turn, and in its place before time it
/// would keep the king from its own.
fn in_wait(steps: u8) -> u8 {
    steps.max(1)
}

/// A pawn that becomes the checking queen.
fn runner(scene: &Scene<'_>, sketch: &Sketch) -> Role {
    let queen = steps::piece(Piece::Queen, sketch.check_from, Bitboard::EMPTY);
    let mut role = Role::of(Piece::Queen, queen.map(in_wait));
    role.steps[Piece::Pawn.index()] = std::array::from_fn(|index| {
        Square::new(index as u8).map_or(FAR, |at| {
            let promoted = Scene::promotion_square(scene.side, at);
            Scene::ranks_to_go(scene.side, at) + 1 + queen[promoted.index()]
        })
    });
    role
}

/// A pawn of the mated side that blocks a square, as itself or promoted.
fn blocking_pawn(scene: &Scene<'_>, sketch: &Sketch, man: Square, to: Square) -> Role {
    let color = !scene.side;
    let mut role = Role {
        steps: [[FAR; 64]; 6],
    };
    let mut nearest = [FAR; 8];
    for kind in BLOCKING_PROMOTIONS {
        if !scene.harmless(sketch, kind, to) {
            continue;
        }
        let steps = steps::piece(kind, to.bitboard(), Bitboard::EMPTY);
        for (file, nearest) in (0..8).zip(&mut nearest) {
            let promoted = Scene::promotion_square(color, Square::at(file, 0));
            *nearest = (*nearest).min(steps[promoted.index()]);
        }
        role.steps[kind.index()] = steps;
    }
    let then = Scene::ranks_to_go(color, to);
    let itself = scene.harmless(sketch, Piece::Pawn, to)
        && man.file() == to.file()
        && then > 0
        && then <= Scene::ranks_to_go(color, man);
    role.steps[Piece::Pawn.index()] = std::array::from_fn(|index| {
        Square::new(index as u8).map_or(FAR, |at| {
            let now = Scene::ranks_to_go(color, at);
            if itself && at.file() == to.file() && then <= now {
                now - then
            } else {
                now + 1 + nearest[usize::from(at.file())]
            }
        })
    });
    role
}
