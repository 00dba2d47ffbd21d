use tabiya_rules::{Bitboard, Move, Square};

/// The answer to whether a side can still mate, and what it took.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proof {
    /// The answer.
    pub verdict: Verdict,
    /// Positions that the hunt generated.
    pub positions: u32,
}

/// Whether a side can still mate by some series of legal moves of both sides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It can: these legal moves, played from the position, end in mate. Empty if the mate is on the board.
    Yes(Vec<Move>),
    /// It cannot, and this is why.
    No(Certificate),
    /// Undecided at the node limit, or stopped.
    Unknown,
}

/// Why a side can never mate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Certificate {
    /// The material suffices for no mate, however it stands, and captures only lessen it.
    Material(MaterialClass),
    /// No piece ever leaves these squares, and no mate can be put together on them.
    Confined(Reach),
    /// Every position that can arise, each ending open or in a simpler argument; none is mate.
    Exhausted {
        /// The positions as a tree: each is reached from an earlier one by a move.
        steps: Vec<Step>,
        /// Sum of the positions' keys modulo 2^64, to tell two sets apart at a glance.
        digest: u64,
    },
}

/// Material with which a side can never mate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MaterialClass {
    /// A king alone.
    BareKing,
    /// Bishops that all stand on one colour, against no pawn, no knight and no bishop of the other colour.
    ///
    /// Why: the mated king stands on the bishops' colour, and its neighbours by rank and file on the other. The
    /// mating king, which is not adjacent, covers at most one of these (of two, three or four); the rest must be
    /// occupied by the mated side's rooks and queens. The check comes over a diagonal neighbour, which lies beside
    /// two of them; at least one of the two is occupied, except where more than one would be uncovered. That piece
    /// takes the bishop or steps between. No line but its own leads to the king through it, so it is not pinned;
    /// and two bishops of one colour never check at once.
    BishopsOfOneColor,
    /// One knight against nothing but queens.
    ///
    /// Why: name the checking knight's square (1, 2) from the mated king. A queen on (0, 1) or (1, 1) takes the
    /// knight, and so does one on (1, 0) across an empty (1, 1); no queen is pinned, as there is no slider against
    /// it. So the mating king must cover (0, 1), (1, 0) and (1, 1), which only a king adjacent to the other could.
    KnightAgainstQueens,
}

/// Where each piece can ever get, no matter how both sides play: closed under every move that might be possible.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reach {
    /// One entry for each piece on the board, by square.
    pub pieces: Vec<PieceReach>,
}

/// Where one piece can ever get.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PieceReach {
    /// Where it stands.
    pub from: Square,
    /// Squares that it may ever stand on, `from` among them.
    pub squares: Bitboard,
    /// Whether, a pawn, it may ever become another piece.
    pub promotes: bool,
    /// Whether it may ever be taken.
    pub capturable: bool,
}

/// A position of an exhausted set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// Number of an earlier position; the first step, the root, names itself.
    pub parent: u32,
    /// The move from there; [`Move::NULL`] at the root.
    pub mv: Move,
    /// What is claimed of the position.
    pub end: StepEnd,
}

/// What is claimed of a position in an exhausted set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StepEnd {
    /// All its successors are in the set.
    Open,
    /// From here on, the material suffices for no mate.
    Material(MaterialClass),
    /// From here on, the pieces are confined.
    Confined(Reach),
}
