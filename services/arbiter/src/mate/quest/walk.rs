use std::sync::atomic::{AtomicBool, Ordering};

use tabiya_rules::attacks::{bishop_attacks, knight_attacks, pawn_attacks, rook_attacks};
use tabiya_rules::{Bitboard, Board, Color, Move, MoveList, Piece};

use super::picture::{Cast, Picture};

/// Distances are cut off here.
const WORST: usize = 95;

/// What is added to every distance, so that it stays positive when the mated side's pieces are taken.
const MENACE: i16 = 16;

/// Slots for keys of positions met; a later position takes an earlier one's slot.
const SLOTS: usize = 1 << 12;

/// Positions of a walk whose memory is worth keeping; their moves take some 300 KiB.
const SMALL: usize = 1 << 10;

/// A best-first search towards a picture. Positions are made only when their turn comes.
#[derive(Clone, Debug)]
pub(super) struct Walk {
    nodes: Vec<Node>,
    /// Moves yet to be made, by distance after them; the latest of a distance comes first.
    waiting: Vec<Vec<(u32, Move)>>,
    /// No distance below this one waits.
    best: usize,
    seen: Vec<u64>,
    /// Tells the keys of one walk from another's.
    salt: u64,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    board: Board,
    parent: u32,
    mv: Move,
    distance: i16,
    cast: Cast,
}

impl Default for Walk {
    fn default() -> Self {
        Self {
            nodes: Vec::new(),
            waiting: vec![Vec::new(); WORST + 1],
            best: WORST,
            seen: vec![0; SLOTS],
            salt: 0,
        }
    }
}

/// Squares from which a piece checks a king.
struct Checks([Bitboard; 6]);

impl Checks {
    fn on(board: &Board, king_of: Color) -> Self {
        let king = board.king(king_of);
        let occupied = board.occupied();
        let (diagonal, straight) = (bishop_attacks(king, occupied), rook_attacks(king, occupied));
        Self([
            pawn_attacks(king_of, king),
            knight_attacks(king),
            diagonal,
            straight,
            diagonal | straight,
            Bitboard::EMPTY,
        ])
    }
}

impl Checks {
    /// Squares from which any piece checks.
    fn anywhere(&self) -> Bitboard {
        self.0[Piece::Pawn.index()] | self.0[Piece::Knight.index()] | self.0[Piece::Queen.index()]
    }
}

impl Walk {
    /// Whether no walk has ever met more positions than many do.
    pub(super) fn is_small(&self) -> bool {
        self.nodes.capacity() <= SMALL
    }

    /// Positions met on the last walk.
    pub(super) fn positions(&self) -> u32 {
        self.nodes.len() as u32
    }

    /// Walks until `side` mates, or `patience` positions have been met since it last came
    /// nearer, or `limit` in all.
    pub(super) fn towards(
        &mut self,
        picture: &Picture,
        board: &Board,
        side: Color,
        patience: u32,
        limit: u32,
        stop: &AtomicBool,
    ) -> Option<Vec<Move>> {
        self.nodes.clear();
        self.waiting.iter_mut().for_each(Vec::clear);
        self.best = WORST;
        self.salt = self.salt.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let distance = picture.distance(board) + MENACE;
        self.note(board);
        self.nodes.push(Node {
            board: *board,
            parent: 0,
            mv: Move::NULL,
            distance,
            cast: picture.cast,
        });
        let mut number = 0;
        let (mut nearest, mut since) = (distance, 0);
        loop {
            if let Some(line) = self.expand(picture, side, number) {
                return Some(line);
            }
            let distance = self.nodes[number as usize].distance;
            since += 1;
            if distance < nearest {
                (nearest, since) = (distance, 0);
            }
            if since > patience || self.positions() >= limit || stop.load(Ordering::Relaxed) {
                return None;
            }
            number = self.advance(picture)?;
        }
    }

    /// Makes the most promising move that leads somewhere new.
    fn advance(&mut self, picture: &Picture) -> Option<u32> {
        loop {
            let Some((parent, mv)) = self.waiting[self.best].pop() else {
                if self.best == WORST {
                    return None;
                }
                self.best += 1;
                continue;
            };
            let from = &self.nodes[parent as usize];
            let board = from.board.after(mv);
            if !self.note(&board) {
                continue;
            }
            let from = &self.nodes[parent as usize];
            let node = Node {
                board,
                parent,
                mv,
                distance: self.best as i16,
                cast: picture.follow(from.cast, mv),
            };
            self.nodes.push(node);
            return Some(self.nodes.len() as u32 - 1);
        }
    }

    /// Notes a position; whether it is new, as far as is remembered.
    fn note(&mut self, board: &Board) -> bool {
        let key = board.key() ^ self.salt;
        let slot = &mut self.seen[board.key() as usize % SLOTS];
        let new = *slot != key;
        *slot = key;
        new
    }

    /// Puts the moves of a position in line, or finds the one that mates.
    fn expand(&mut self, picture: &Picture, side: Color, number: u32) -> Option<Vec<Move>> {
        let node = self.nodes[number as usize];
        let board = &node.board;
        let mut moves = MoveList::new();
        board.legal_moves(&mut moves);
        let hunting = board.side_to_move() == side;
        if moves.is_empty() {
            return (!hunting && board.in_check()).then(|| self.line(number, None));
        }
        if hunting {
            let checks = Checks::on(board, !side);
            let anywhere = checks.anywhere();
            for &mv in &moves {
                if !anywhere.has(mv.to()) {
                    continue;
                }
                let kind = mv.promotion().or_else(|| board.piece_on(mv.from()));
                let gives = kind.is_some_and(|kind| checks.0[kind.index()].has(mv.to()));
                if gives && board.after(mv).is_checkmate() {
                    return Some(self.line(number, Some(mv)));
                }
            }
        }
        let places = picture.places(&node.cast);
        let menace = board.colors(!side) & !board.pieces(Piece::Pawn) & !picture.stay;
        let idle = if hunting { i16::from(picture.relies) } else { 0 };
        for &mv in &moves {
            let (from, to) = (mv.from(), mv.landing());
            if places.has(to) {
                // It would take a piece with a part.
                continue;
            }
            let mut distance = node.distance;
            if places.has(from) {
                distance += picture.change(board, &node.cast, mv);
            } else if hunting {
                distance += idle + 2 * i16::from(picture.stay.has(to));
            } else {
                distance += 2 * (i16::from(picture.stay.has(from)) - i16::from(picture.stay.has(to)));
            }
            if hunting {
                distance -= i16::from(menace.has(to));
            }
            let distance = distance.clamp(0, WORST as i16) as usize;
            self.waiting[distance].push((number, mv));
            self.best = self.best.min(distance);
        }
        None
    }

    /// The moves from the root to a position, and perhaps one more.
    fn line(&self, mut number: u32, last: Option<Move>) -> Vec<Move> {
        let mut line: Vec<Move> = last.into_iter().collect();
        while number != 0 {
            let node = &self.nodes[number as usize];
            line.push(node.mv);
            number = node.parent;
        }
        line.reverse();
        line
    }
}
