use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};

use tabiya_rules::{Board, Color, Move, MoveList, Piece};

use super::frontier::Frontier;
use super::seen::Seen;
use super::{Certificate, MaterialClass, Reach, Step, StepEnd, check, guide, reach};

/// Which of the four frontiers gives the next position, in turn.
const TURNS: [Turn; 6] = [
    Turn::ToMate,
    Turn::ToOpen,
    Turn::ToMate,
    Turn::ToKing,
    Turn::ToMate,
    Turn::Oldest,
];

/// Positions up to which the hunt follows its first idea alone: most mates are found by then.
const FOCUSED: usize = 600;

/// How many positions may turn out not to be confined, plus four for each that is, before no more are tried.
const PATIENCE: usize = 200;

/// Positions of a hunt whose memory is worth keeping: two quick hunts, some 200 KiB.
const SMALL: usize = 1 << 10;

/// How many opened positions the caller is told of.
const STRUCTURES: usize = 400;

/// A hash of the pawns and the numbers of pieces.
fn structure(board: &Board) -> u64 {
    let mut hash = 0u64;
    let mut mix = |value: u64| hash = (hash ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    for color in Color::ALL {
        mix(board.of(color, Piece::Pawn).0);
        for piece in [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen] {
            mix(u64::from(board.of(color, piece).count()));
        }
    }
    hash
}

#[derive(Clone, Copy)]
enum Turn {
    ToMate,
    ToKing,
    ToOpen,
    Oldest,
}

/// A position that the hunt has met.
#[derive(Clone, Debug)]
struct Node {
    board: Board,
    parent: u32,
    mv: Move,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Waiting,
    Expanded,
    Material(MaterialClass),
    /// The number of its reach.
    Confined(u32),
}

/// What a stretch of hunting led to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Outcome {
    /// The move from the position with this number mates.
    Mate(u32, Move),
    /// Every position that can arise has been met, and none is mate.
    Exhausted,
    /// A capture or promotion has led to this position, the first with its pawns and pieces.
    Opened(u32),
    /// The limit was reached, or the hunt was stopped.
    Limit,
}

/// A best-first search over the positions that can arise, with several ideas of what is best in turn.
#[derive(Clone, Debug, Default)]
pub(super) struct Hunt {
    nodes: Vec<Node>,
    seen: Seen,
    to_mate: Frontier,
    to_king: Frontier,
    to_open: Frontier,
    oldest: usize,
    turn: usize,
    reaches: Vec<Reach>,
    /// Positions whose reach allowed a mate.
    unconfined: usize,
    /// Pawns and numbers of pieces that were met, as hashes.
    structures: HashSet<u64>,
    /// Positions with new ones that nobody has been told of.
    opened: Vec<u32>,
}

impl Hunt {
    pub(super) fn start(&mut self, board: &Board, side: Color) {
        self.nodes.clear();
        self.seen.clear();
        self.to_mate.clear();
        self.to_king.clear();
        self.to_open.clear();
        self.reaches.clear();
        self.oldest = 0;
        self.turn = 0;
        self.unconfined = 0;
        self.structures.clear();
        self.opened.clear();
        self.add(*board, 0, Move::NULL, side);
    }

    /// Whether it has never met more positions than many do.
    pub(super) fn is_small(&self) -> bool {
        self.nodes.capacity() <= SMALL
    }

    /// Positions met.
    pub(super) fn positions(&self) -> u32 {
        self.nodes.len() as u32
    }

    /// Goes on until a mate is found, all is exhausted, `limit` positions have been met or `stop` is raised. With `confine`, positions
    /// after a capture or a pawn move are first tried by their reach, and the caller is told of opened positions.
    pub(super) fn run(&mut self, side: Color, limit: u32, confine: bool, stop: &AtomicBool) -> Outcome {
        while self.positions() < limit && !stop.load(Ordering::Relaxed) {
            if confine && let Some(number) = self.opened.pop() {
                return Outcome::Opened(number);
            }
            let Some(number) = self.next() else {
                return Outcome::Exhausted;
            };
            if confine && self.confine(number, side) {
                continue;
            }
            if let Some(mv) = self.expand(number, side) {
                return Outcome::Mate(number, mv);
            }
        }
        Outcome::Limit
    }

    fn next(&mut self) -> Option<u32> {
        loop {
            self.turn = (self.turn + 1) % TURNS.len();
            let turn = if self.nodes.len() < FOCUSED {
                Turn::ToMate
            } else {
                TURNS[self.turn]
            };
            let number = match turn {
                Turn::ToMate => self.to_mate.pop(),
                Turn::ToKing => self.to_king.pop(),
                Turn::ToOpen => self.to_open.pop(),
                Turn::Oldest => {
                    let number = (self.oldest < self.nodes.len()).then_some(self.oldest as u32);
                    self.oldest += 1;
                    number
                }
            };
            // Every position is in all of them; where one has run dry, so have the others, but for what was met since.
            match number {
                Some(number) if self.nodes[number as usize].state == State::Waiting => return Some(number),
                Some(_) => {}
                None => {
                    let waiting = |node: &Node| node.state == State::Waiting;
                    return self.nodes.iter().position(waiting).map(|number| number as u32);
                }
            }
        }
    }

    fn confine(&mut self, number: u32, side: Color) -> bool {
        let board = &self.nodes[number as usize].board;
        let hopeless = self.unconfined > PATIENCE + 4 * self.reaches.len();
        if hopeless || number != 0 && board.halfmove_clock() != 0 {
            return false;
        }
        let Some(reach) = reach::reach(board) else {
            return false;
        };
        if check::confined(board, side, &reach).is_err() {
            self.unconfined += 1;
            return false;
        }
        self.nodes[number as usize].state = State::Confined(self.reaches.len() as u32);
        self.reaches.push(reach);
        true
    }

    fn expand(&mut self, number: u32, side: Color) -> Option<Move> {
        let node = &mut self.nodes[number as usize];
        node.state = State::Expanded;
        let board = node.board;
        let mut moves = MoveList::new();
        board.legal_moves(&mut moves);
        for &mv in &moves {
            let after = board.after(mv);
            if board.side_to_move() == side && after.in_check() && !after.has_legal_move() {
                return Some(mv);
            }
            self.add(after, number, mv, side);
        }
        None
    }

    fn add(&mut self, board: Board, parent: u32, mv: Move, side: Color) {
        let number = self.positions();
        let nodes = &self.nodes;
        if !self
            .seen
            .insert(&board, number, |number| &nodes[number as usize].board)
        {
            return;
        }
        let class = MaterialClass::of(&board, side);
        if class.is_none() && board.halfmove_clock() == 0 && number != 0 {
            let before = nodes[parent as usize].board;
            let opens = mv.promotion().is_some() || before.occupied().count() != board.occupied().count();
            if opens && self.structures.insert(structure(&board)) && self.structures.len() <= STRUCTURES {
                self.opened.push(number);
            }
        }
        if class.is_none() {
            let (by_flights, by_kings) = guide::to_mate(&board, side);
            self.to_mate.push(by_flights, number);
            self.to_king.push(by_kings, number);
            self.to_open.push(guide::to_open(&board, side), number);
        }
        self.nodes.push(Node {
            board,
            parent,
            mv,
            state: class.map_or(State::Waiting, State::Material),
        });
    }

    /// The position with a number.
    pub(super) fn board(&self, number: u32) -> &Board {
        &self.nodes[number as usize].board
    }

    /// The moves from the root to a position, and those that follow.
    pub(super) fn line(&self, mut number: u32, rest: &[Move]) -> Vec<Move> {
        let mut line: Vec<Move> = rest.iter().rev().copied().collect();
        while number != 0 {
            let node = &self.nodes[number as usize];
            line.push(node.mv);
            number = node.parent;
        }
        line.reverse();
        line
    }

    /// What has been exhausted, as a certificate.
    pub(super) fn certificate(&self) -> Certificate {
        let steps = self.nodes.iter().map(|node| Step {
            parent: node.parent,
            mv: node.mv,
            end: match node.state {
                State::Waiting | State::Expanded => StepEnd::Open,
                State::Material(class) => StepEnd::Material(class),
                State::Confined(reach) => StepEnd::Confined(self.reaches[reach as usize].clone()),
            },
        });
        Certificate::Exhausted {
            steps: steps.collect(),
            digest: (self.nodes.iter()).fold(0u64, |sum, node| sum.wrapping_add(node.board.key())),
        }
    }
}
