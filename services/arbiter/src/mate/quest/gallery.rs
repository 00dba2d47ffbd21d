use tabiya_rules::attacks::king_attacks;
use tabiya_rules::{Bitboard, Piece, Square};

use super::scene::{Scene, attacks};
use super::sketch::{BLOCKERS, BLOCKING_PROMOTIONS, Sketch};
use super::steps::{self, FAR};

/// Sketches with which no king is asked to walk far across a full board.
const ENOUGH: usize = 6;

const EDGES: Bitboard = Bitboard(0xff81_8181_8181_81ff);

/// The sketches with the least cost, at most one for each square of the king and checking piece.
#[derive(Clone, Debug, Default)]
pub(super) struct Gallery {
    sketches: Vec<Sketch>,
    /// How many are kept.
    kept: usize,
}

/// A piece that might give the mate.
#[derive(Clone, Copy)]
struct Checker {
    at: Square,
    kind: Piece,
    pawn: bool,
    /// What it attacks now.
    attacks: Bitboard,
}

/// A square for the king, and what that means.
struct Spot {
    king: Square,
    cost: u8,
    /// Neighbours that nobody blocks and no pawn covers.
    flights: Bitboard,
    /// Neighbours that men of the mated side block.
    stay: Bitboard,
    /// What stands still, for sliders.
    still: Bitboard,
}

impl Gallery {
    pub(super) fn sketches(&self) -> impl Iterator<Item = &Sketch> {
        self.sketches.iter()
    }

    /// Looks for the best `kept` sketches.
    pub(super) fn fill(&mut self, scene: &Scene<'_>, kept: usize) {
        self.sketches.clear();
        self.kept = kept;
        let checkers = checkers(scene);
        let weak = checkers.iter().all(|checker| {
            matches!(checker.kind, Piece::Knight | Piece::Bishop)
                || checker.pawn && blocked(scene, checker.at) > 0
        });
        let many = scene.board.occupied().count() > 12;
        let steps_of = |square: Square| scene.king_steps[square.index()];
        for cost in 0..FAR {
            let enough = many && cost > 3 && self.sketches.len() >= ENOUGH;
            if cost >= self.worst() || enough {
                break;
            }
            let spots = Square::all().filter(|&at| steps_of(at) == cost && (EDGES.has(at) || cost <= 1));
            for king in spots {
                let spot = Spot::new(scene, king, cost);
                for checker in &checkers {
                    self.try_spot(scene, &spot, checker, weak);
                }
            }
        }
    }

    /// What a new sketch must cost less than.
    fn worst(&self) -> u8 {
        if self.sketches.len() < self.kept {
            FAR * 2
        } else {
            self.sketches.last().map_or(FAR * 2, |sketch| sketch.cost)
        }
    }

    fn try_spot(&mut self, scene: &Scene<'_>, spot: &Spot, checker: &Checker, weak: bool) {
        let board = scene.board;
        let own_pawns = board.colors(scene.side) & scene.pawns & !checker.at.bitboard();
        let around = king_attacks(spot.king);
        let from_squares =
            attacks(checker.kind, scene.side, spot.king, spot.still) & !own_pawns & !scene.pawn_guarded;
        let others = scene.covered_twice | scene.covered & !checker.attacks;
        let defended = (board.colors(!scene.side) & !scene.pawns).count() > 1;
        let mut best: Option<Sketch> = None;
        for from in from_squares {
            let contact = around.has(from);
            let mut cost = spot.cost + approach(scene, checker, from);
            cost += u8::from(scene.guarded.has(from));
            cost += u8::from(defended && !contact && checker.kind != Piece::Knight);
            let limit = best.map_or(self.worst(), |best| best.cost);
            if cost >= limit {
                continue;
            }
            let reached = attacks(checker.kind, scene.side, from, spot.still);
            let mut open = spot.flights & !reached & !from.bitboard();
            if contact {
                open |= from.bitboard();
            }
            let relies = (open & others).any();
            cost += 2 * u8::from(relies);
            open &= !others;
            let sketch = Sketch {
                cost,
                king: spot.king,
                checker: checker.at,
                check_from: from.bitboard(),
                hunter: Bitboard::EMPTY,
                helper: None,
                blockers: [None; BLOCKERS],
                stay: spot.stay & !from.bitboard(),
                relies,
            };
            if let Some(sketch) = complete(scene, spot, sketch, open, limit, weak) {
                best = Some(sketch);
            }
        }
        if let Some(sketch) = best {
            self.hang(sketch);
        }
    }

    fn hang(&mut self, sketch: Sketch) {
        let place = self.sketches.partition_point(|other| other.cost <= sketch.cost);
        if self.sketches.len() == self.kept {
            self.sketches.pop();
        }
        self.sketches.insert(place.min(self.sketches.len()), sketch);
    }
}

impl Spot {
    fn new(scene: &Scene<'_>, king: Square, cost: u8) -> Self {
        let board = scene.board;
        let around = king_attacks(king);
        let stay = around & board.colors(!scene.side) & !board.pieces(Piece::King);
        Self {
            king,
            cost,
            flights: around & !stay & !(scene.closed_to_king & !scene.pawns),
            stay,
            still: (scene.pawns | stay) & !king.bitboard(),
        }
    }
}

/// Completes a sketch so that the open flights are covered or blocked, for less than `limit` in all.
fn complete(
    scene: &Scene<'_>,
    spot: &Spot,
    sketch: Sketch,
    open: Bitboard,
    limit: u8,
    weak: bool,
) -> Option<Sketch> {
    if open.is_empty() {
        return Some(sketch);
    }
    let zone = king_attacks(spot.king) | spot.king.bitboard();
    let barred = zone | sketch.check_from | scene.closed_to_hunter;
    let posts = open
        .into_iter()
        .fold(!barred, |posts, flight| posts & king_attacks(flight));
    let mut best: Option<Sketch> = None;
    let mut offer = |candidate: Sketch| {
        if candidate.cost < best.map_or(limit, |best| best.cost) {
            best = Some(candidate);
        }
    };
    if let Some(steps) = nearest(scene, posts) {
        offer(Sketch {
            cost: sketch.cost + steps,
            hunter: posts,
            ..sketch
        });
    }
    if open.count() <= 2
        && let Some((helper, cost)) = helper(scene, spot, &sketch, open)
    {
        offer(Sketch {
            cost: sketch.cost + cost + 1,
            helper: Some(helper),
            ..sketch
        });
    }
    if weak {
        // A ring around the king's neighbours: posts for the mating king that leave something to others.
        let ring = king_attacks_of(zone) & !barred;
        for post in ring {
            let steps = scene.hunter_steps[post.index()];
            let cost = sketch.cost.saturating_add(steps);
            let rest = open & !king_attacks(post);
            if steps >= FAR || rest.is_empty() || rest.count() as usize > BLOCKERS || cost >= limit {
                continue;
            }
            let with_post = Sketch {
                cost,
                hunter: post.bitboard(),
                ..sketch
            };
            if let Some((helper, more)) = helper(scene, spot, &sketch, rest) {
                offer(Sketch {
                    cost: cost + more,
                    helper: Some(helper),
                    ..with_post
                });
            }
            if let Some((blockers, more)) = blockers(scene, spot, &sketch, rest) {
                offer(Sketch {
                    cost: cost.saturating_add(more),
                    blockers,
                    ..with_post
                });
            }
        }
    }
    best
}

fn king_attacks_of(set: Bitboard) -> Bitboard {
    set.into_iter()
        .fold(Bitboard::EMPTY, |all, at| all | king_attacks(at))
}

fn nearest(scene: &Scene<'_>, posts: Bitboard) -> Option<u8> {
    posts
        .into_iter()
        .map(|post| scene.hunter_steps[post.index()])
        .min()
        .filter(|&steps| steps < FAR)
}

/// The nearest other piece that can cover all of `open`, where it does so, and the moves that it takes.
fn helper(
    scene: &Scene<'_>,
    spot: &Spot,
    sketch: &Sketch,
    open: Bitboard,
) -> Option<((Square, Bitboard), u8)> {
    let board = scene.board;
    let zone = king_attacks(spot.king);
    let pieces =
        board.colors(scene.side) & !scene.pawns & !board.pieces(Piece::King) & !sketch.checker.bitboard();
    let mut best: Option<((Square, Bitboard), u8)> = None;
    for piece in pieces {
        let kind = board.piece_on(piece)?;
        let posts = open.into_iter().fold(
            !(zone | sketch.check_from | spot.king.bitboard()),
            |posts, flight| posts & attacks(kind, scene.side, flight, scene.pawns),
        ) & !scene.pawn_guarded;
        let steps = posts
            .into_iter()
            .map(|post| steps::between(kind, piece, post))
            .min();
        if let Some(steps) = steps
            && steps < FAR
            && best.is_none_or(|(_, other)| steps < other)
        {
            best = Some(((piece, posts), steps));
        }
    }
    best
}

type Blockers = [Option<(Square, Square)>; BLOCKERS];

/// The nearest men of the mated side to block all of `rest`, if it can be done without harm to the check.
fn blockers(scene: &Scene<'_>, spot: &Spot, sketch: &Sketch, rest: Bitboard) -> Option<(Blockers, u8)> {
    if (rest & sketch.check_from).any() {
        return None;
    }
    let board = scene.board;
    let mut men = board.colors(!scene.side) & !board.pieces(Piece::King) & !spot.stay;
    let mut chosen = [None; BLOCKERS];
    let mut cost = 0;
    for (place, flight) in chosen.iter_mut().zip(rest) {
        let (steps, man) = men
            .into_iter()
            .map(|man| (block(scene, sketch, man, flight), man))
            .min_by_key(|&(steps, _)| steps)?;
        if steps >= FAR {
            return None;
        }
        men &= !man.bitboard();
        cost += steps;
        *place = Some((man, flight));
    }
    Some((chosen, cost))
}

/// Moves that a man of the mated side needs to block a square.
fn block(scene: &Scene<'_>, sketch: &Sketch, man: Square, to: Square) -> u8 {
    let color = !scene.side;
    match scene.board.piece_on(man) {
        Some(Piece::Pawn) => {
            let (now, then) = (Scene::ranks_to_go(color, man), Scene::ranks_to_go(color, to));
            if man.file() == to.file() && then <= now && then > 0 && scene.harmless(sketch, Piece::Pawn, to) {
                return now - then;
            }
            let promoted = Scene::promotion_square(color, man);
            BLOCKING_PROMOTIONS
                .into_iter()
                .filter(|&kind| scene.harmless(sketch, kind, to))
                .map(|kind| now + 1 + steps::between(kind, promoted, to))
                .min()
                .unwrap_or(FAR)
        }
        Some(kind) if scene.harmless(sketch, kind, to) => steps::between(kind, man, to),
        _ => FAR,
    }
}

/// Moves that the checking piece needs to a square.
fn approach(scene: &Scene<'_>, checker: &Checker, to: Square) -> u8 {
    if checker.pawn {
        let promoted = Scene::promotion_square(scene.side, checker.at);
        let ahead = Scene::ranks_to_go(scene.side, checker.at) + 1;
        return ahead + steps::between(Piece::Queen, promoted, to);
    }
    if checker.at == to {
        0
    } else if checker.attacks.has(to) {
        1
    } else {
        steps::between(checker.kind, checker.at, to).max(2)
    }
}

fn checkers(scene: &Scene<'_>) -> Vec<Checker> {
    let board = scene.board;
    let own = board.colors(scene.side);
    let mut checkers: Vec<Checker> = (own & !scene.pawns & !board.pieces(Piece::King))
        .into_iter()
        .filter_map(|at| {
            let kind = board.piece_on(at)?;
            Some(Checker {
                at,
                kind,
                pawn: false,
                attacks: attacks(kind, scene.side, at, scene.seen_through),
            })
        })
        .collect();
    let heavy = checkers
        .iter()
        .any(|checker| matches!(checker.kind, Piece::Queen | Piece::Rook));
    if !heavy {
        let mut pawns: Vec<Square> = (own & scene.pawns).into_iter().collect();
        pawns.sort_by_key(|&at| (blocked(scene, at), Scene::ranks_to_go(scene.side, at)));
        checkers.extend(pawns.into_iter().take(2).map(|at| Checker {
            at,
            kind: Piece::Queen,
            pawn: true,
            attacks: attacks(Piece::Pawn, scene.side, at, Bitboard::EMPTY),
        }));
    }
    checkers
}

/// Men of pawn kind that stand before a pawn on its file.
fn blocked(scene: &Scene<'_>, at: Square) -> u32 {
    let file = Bitboard::file(at.file()) & scene.pawns;
    let ahead = |other: &Square| Scene::ranks_to_go(scene.side, *other) < Scene::ranks_to_go(scene.side, at);
    file.into_iter().filter(ahead).count() as u32
}
