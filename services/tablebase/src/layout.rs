//! How a position becomes a number: the order of the men in a table, and the weight of each group.

use arrayvec::ArrayVec;
use tabiya_rules::{Board, Color, Piece};

use crate::{
    material::{MOST_MEN, Material},
    numbering::{
        KING_PAIR, KING_PAIRS, PAWN_COUNT, PAWN_INDEX, TRIOS, above_diagonal, choose, folded, pawn_flap,
        pawn_twist, triangle, trio,
    },
};

/// Squares of the men in a table's order, 0 for a1.
pub(crate) type Placement = ArrayVec<u8, MOST_MEN>;

/// The order of a table's men, and what each group of equal men weighs in the index.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// The men, leading ones first.
    men: ArrayVec<(Color, Piece), MOST_MEN>,
    lead: Lead,
    /// Number of men of the group that begins here; zero within a group.
    group: [usize; MOST_MEN],
    /// What one step of the group that begins here adds to the index.
    weight: [u64; MOST_MEN],
    /// Number of positions.
    size: u64,
}

/// The men whose placement counts the symmetries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Lead {
    Kings,
    Trio,
    /// Pawns of one side, then of the other.
    Pawns(usize, usize),
}

impl Lead {
    const fn men(self) -> usize {
        match self {
            Self::Kings => 2,
            Self::Trio => 3,
            Self::Pawns(first, _) => first,
        }
    }
}

impl Layout {
    /// Reads the description of one side of a table: places in the order of weights, then the men, a nibble each.
    ///
    /// # Errors
    /// A reason, if the description does not fit the table's name.
    pub(crate) fn read(
        material: Material,
        folded_file: usize,
        order: [u8; 2],
        nibbles: impl Iterator<Item = u8>,
    ) -> Result<Self, &'static str> {
        let lead = if material.has_pawns() {
            let (first, second) = material.pawns();
            Lead::Pawns(first, second)
        } else if material.only_kings_are_single() {
            Lead::Kings
        } else {
            Lead::Trio
        };
        let mut men = ArrayVec::new();
        for nibble in nibbles {
            let color = if nibble & 8 == 0 {
                Color::White
            } else {
                Color::Black
            };
            let piece = Piece::ALL
                .get(usize::from(nibble & 7).wrapping_sub(1))
                .ok_or("a man of no known kind")?;
            men.push((color, *piece));
        }
        check(material, lead, &men)?;

        let mut group = [0; MOST_MEN];
        group[0] = lead.men();
        let mut next = group[0];
        if let Lead::Pawns(first, second) = lead
            && second > 0
        {
            group[first] = second;
            next += second;
        }
        let rest = next;
        while next < men.len() {
            let equal = men[next..].iter().take_while(|man| **man == men[next]).count();
            group[next] = equal;
            next += equal;
        }

        let (weight, size) = weigh(lead, folded_file, order, &group, rest, men.len())?;
        Ok(Self {
            men,
            lead,
            group,
            weight,
            size,
        })
    }

    /// Number of positions.
    pub(crate) const fn size(&self) -> u64 {
        self.size
    }

    /// The squares of a board's men in this order, with colours exchanged and the board turned as asked.
    pub(crate) fn place(&self, board: &Board, exchanged: bool, turned: bool) -> Placement {
        let mut placement = Placement::new();
        while let Some((color, piece)) = self.men.get(placement.len()) {
            let color = if exchanged { !*color } else { *color };
            let before = placement.len();
            for square in board.of(color, *piece) {
                let square = square.index() as u8 ^ if turned { 56 } else { 0 };
                if placement.try_push(square).is_err() {
                    return placement;
                }
            }
            if placement.len() == before {
                return placement;
            }
        }
        placement
    }

    /// The file of the leading pawn, folded to 0 (a or h) to 3 (d or e), which becomes the first of the placement.
    pub(crate) fn leading_file(&self, placement: &mut Placement) -> usize {
        let Lead::Pawns(count, _) = self.lead else {
            return 0;
        };
        for other in 1..count {
            if pawn_flap(placement[0]) > pawn_flap(placement[other]) {
                placement.swap(0, other);
            }
        }
        folded(placement[0])
    }

    /// The number of a placement, below [`Self::size`]. Nothing if the placement is no position of this table.
    pub(crate) fn index(&self, mut squares: Placement) -> Option<u64> {
        if squares.len() != self.men.len() {
            return None;
        }
        if squares[0] & 4 != 0 {
            squares.iter_mut().for_each(|square| *square ^= 7);
        }
        let (mut index, mut next) = match self.lead {
            Lead::Kings | Lead::Trio => {
                self.fold(&mut squares);
                let index = if self.lead == Lead::Kings {
                    u64::from(KING_PAIR[triangle(squares[0])?][usize::from(squares[1])]?)
                } else {
                    trio(squares[0], squares[1], squares[2])?
                };
                (index * self.weight[0], self.lead.men())
            }
            Lead::Pawns(first, second) => {
                squares[1..first].sort_unstable_by_key(|square| std::cmp::Reverse(pawn_twist(*square)));
                let mut index = PAWN_INDEX[first - 1][pawn_flap(squares[0])];
                for (place, square) in squares.iter().enumerate().take(first).skip(1) {
                    index += choose(first - place, pawn_twist(*square));
                }
                index *= self.weight[0];
                if second > 0 {
                    index += place_among(&mut squares, first, second, 8)? * self.weight[first];
                }
                (index, first + second)
            }
        };
        while next < squares.len() {
            let count = self.group[next];
            index += place_among(&mut squares, next, count, 0)? * self.weight[next];
            next += count;
        }
        (index < self.size).then_some(index)
    }

    /// Moves the first man into the triangle a1, d1, d4, and the first that is off the diagonal below it.
    fn fold(&self, squares: &mut Placement) {
        if squares[0] & 32 != 0 {
            squares.iter_mut().for_each(|square| *square ^= 56);
        }
        let off = squares.iter().position(|square| above_diagonal(*square) != 0);
        if let Some(place) = off
            && place < self.lead.men()
            && above_diagonal(squares[place]) > 0
        {
            squares
                .iter_mut()
                .for_each(|square| *square = *square >> 3 | (*square & 7) << 3);
        }
    }
}

/// Whether the men are those of the name, equal ones side by side, and the leading ones such as may lead.
fn check(material: Material, lead: Lead, men: &[(Color, Piece)]) -> Result<(), &'static str> {
    let runs = men.chunk_by(|a, b| a == b);
    let mut seen: ArrayVec<(Color, Piece), MOST_MEN> = ArrayVec::new();
    for run in runs {
        if seen.contains(&run[0]) {
            return Err("equal men stand apart");
        }
        if usize::from(material.count(run[0].0, run[0].1)) != run.len() {
            return Err("the men are not those of its name");
        }
        seen.push(run[0]);
    }
    if men.len() != material.men() {
        return Err("the men are not those of its name");
    }
    let leads = match lead {
        Lead::Kings => men[..2].iter().all(|man| man.1 == Piece::King),
        Lead::Trio => men[..3].iter().all(|man| material.count(man.0, man.1) == 1),
        Lead::Pawns(first, second) => {
            men[..first + second].iter().all(|man| man.1 == Piece::Pawn)
                && men[..first].iter().all(|man| *man == men[0])
        }
    };
    leads.then_some(()).ok_or("its leading men cannot lead")
}

/// The weight of each group, and the number of positions. `order` says at which step the leading men and the other
/// side's pawns are counted.
fn weigh(
    lead: Lead,
    folded_file: usize,
    order: [u8; 2],
    group: &[usize; MOST_MEN],
    rest: usize,
    men: usize,
) -> Result<([u64; MOST_MEN], u64), &'static str> {
    let mut weight = [0; MOST_MEN];
    let mut size = 1u64;
    let mut free = 64 - rest;
    let mut next = rest;
    let [leading, others] = order.map(usize::from);
    let others = matches!(lead, Lead::Pawns(_, second) if second > 0).then_some(others);
    let mut leading_counted = false;
    let mut others_counted = others.is_none();
    let mut step = 0;
    while next < men || step == leading || Some(step) == others {
        let count = if step == leading {
            weight[0] = size;
            leading_counted = true;
            match lead {
                Lead::Kings => KING_PAIRS,
                Lead::Trio => TRIOS,
                Lead::Pawns(first, _) => PAWN_COUNT[first - 1][folded_file],
            }
        } else if Some(step) == others {
            let Lead::Pawns(first, second) = lead else {
                return Err("pawns where there are none");
            };
            weight[first] = size;
            others_counted = true;
            choose(second, 48 - first)
        } else {
            weight[next] = size;
            let count = choose(group[next], free);
            free -= group[next];
            next += group[next];
            count
        };
        size = size
            .checked_mul(count)
            .ok_or("more positions than there can be")?;
        step += 1;
    }
    if !leading_counted || !others_counted {
        return Err("the order of its men makes no sense");
    }
    Ok((weight, size))
}

/// The number of the placement of `count` equal men from `from` on, on the squares that those before leave.
/// `skipped` squares at the lower end cannot be used.
fn place_among(squares: &mut Placement, from: usize, count: usize, skipped: usize) -> Option<u64> {
    squares[from..from + count].sort_unstable();
    let (before, rest) = squares.split_at(from);
    let mut index = 0;
    for (place, square) in rest[..count].iter().enumerate() {
        let lower = before.iter().filter(|other| *other < square).count();
        index += choose(place + 1, usize::from(*square).checked_sub(lower + skipped)?);
    }
    Some(index)
}
