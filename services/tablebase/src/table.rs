//! One file: the values of one material, for won and lost (`.rtbw`) or for the distance to the next capture or pawn move
//! (`.rtbz`).

use std::path::Path;

use tabiya_rules::{Board, Color};

use crate::{
    ProbeError, Wdl,
    bytes::{Bytes, Room},
    digest::CHECKSUM,
    layout::Layout,
    material::Material,
    pairs::Pairs,
};

/// What a file tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Outcome,
    Distance,
}

impl Kind {
    const fn magic(self) -> [u8; 4] {
        match self {
            Self::Outcome => [0x71, 0xe8, 0x23, 0x5d],
            Self::Distance => [0xd7, 0x66, 0x0c, 0xa5],
        }
    }

    pub(crate) const fn extension(self) -> &'static str {
        match self {
            Self::Outcome => "rtbw",
            Self::Distance => "rtbz",
        }
    }
}

/// Flags of a distance table.
mod flag {
    /// The stored side is the second of the name.
    pub(super) const SECOND_SIDE: u8 = 1;
    pub(super) const MAPPED: u8 = 2;
    pub(super) const WINS_IN_PLIES: u8 = 4;
    pub(super) const LOSSES_IN_PLIES: u8 = 8;
    pub(super) const WIDE_MAP: u8 = 16;
}

/// An open table.
#[derive(Debug)]
pub(crate) struct Table {
    bytes: Bytes,
    material: Material,
    /// By the folded file of the leading pawn, one alone without pawns.
    files: Vec<Sides>,
}

/// The first side of the name to move, and the second where it is stored too.
#[derive(Debug)]
struct Sides(Part, Option<Part>);

#[derive(Debug)]
struct Part {
    layout: Layout,
    pairs: Pairs,
    flags: u8,
    /// Real distances of stored ones: of wins, losses, cursed wins, blessed losses.
    maps: [Vec<u16>; 4],
}

/// Which side of a table a position belongs to.
struct Side {
    /// The colours of the name are exchanged on the board.
    exchanged: bool,
    /// The second side of the name is to move.
    second: bool,
}

impl Table {
    pub(crate) fn open(
        path: &Path,
        kind: Kind,
        material: Material,
        room: &mut Room,
    ) -> Result<Self, ProbeError> {
        let bytes = Bytes::open(path, room)?;
        if *bytes.read(0, 4)? != kind.magic() {
            return Err(bytes.damaged("it does not begin as such a table does"));
        }
        // Blocks of 64 bytes, and a checksum.
        if bytes.length() % 64 != CHECKSUM as u64 {
            return Err(bytes.damaged(format!("{} bytes are not all of it", bytes.length())));
        }
        let flags = bytes.byte(4)?;
        if (flags & 2 != 0) != material.has_pawns() {
            return Err(bytes.damaged("pawns and no pawns contradict each other"));
        }
        let both_sides = kind == Kind::Outcome && flags & 1 != 0;
        if kind == Kind::Outcome && both_sides == material.is_symmetric() {
            return Err(bytes.damaged("the number of its sides is wrong"));
        }
        let mut reader = Reader { bytes, at: 5 };
        let layouts = reader.layouts(material, both_sides)?;
        reader.align(2);
        let mut files = reader.parts(layouts)?;
        if kind == Kind::Distance {
            reader.maps(&mut files)?;
        }
        let Reader { bytes, at } = reader;
        place(&mut files, at, &bytes)?;
        Ok(Self {
            bytes,
            material,
            files,
        })
    }

    /// The file.
    pub(crate) const fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// The outcome that is stored for a position: right unless a capture is better.
    pub(crate) fn outcome(&self, board: &Board) -> Result<Wdl, ProbeError> {
        let (part, number) = self.number(board)?;
        let value = part.pairs.value(&self.bytes, number)?;
        Wdl::from_value(value).ok_or_else(|| self.bytes.damaged("a value is none of the five"))
    }

    /// The distance in plies that is stored for a position of this outcome. Nothing if only the other side is stored.
    pub(crate) fn distance(&self, board: &Board, outcome: Wdl) -> Result<Option<i32>, ProbeError> {
        let side = self.side(board);
        let (part, number) = self.number(board)?;
        let stored_second = part.flags & flag::SECOND_SIDE != 0;
        if stored_second != side.second && !self.material.is_symmetric() {
            return Ok(None);
        }
        let mut value = match part.pairs {
            // All distances of the table are the least.
            Pairs::Constant(_) => 0,
            Pairs::Packed(_) => part.pairs.value(&self.bytes, number)?,
        };
        let (map, in_plies) = match outcome {
            Wdl::Win => (0, part.flags & flag::WINS_IN_PLIES != 0),
            Wdl::Loss => (1, part.flags & flag::LOSSES_IN_PLIES != 0),
            Wdl::CursedWin => (2, false),
            Wdl::BlessedLoss => (3, false),
            Wdl::Draw => return Ok(Some(0)),
        };
        if part.flags & flag::MAPPED != 0 {
            value = *part.maps[map]
                .get(usize::from(value))
                .ok_or_else(|| self.bytes.damaged("a distance is not in its map"))?;
        }
        let plies = if in_plies {
            i32::from(value)
        } else {
            2 * i32::from(value)
        };
        Ok(Some(plies))
    }

    fn side(&self, board: &Board) -> Side {
        let white_moves = board.side_to_move() == Color::White;
        if self.material.is_symmetric() {
            return Side {
                exchanged: !white_moves,
                second: false,
            };
        }
        let exchanged = Material::of(board) != self.material;
        Side {
            exchanged,
            second: white_moves == exchanged,
        }
    }

    /// Where a position is stored.
    fn number(&self, board: &Board) -> Result<(&Part, u64), ProbeError> {
        let Side { exchanged, second } = self.side(board);
        // Pawns have a direction: with the colours the board is turned. All files list the leading pawns alike.
        let turned = exchanged && self.material.has_pawns();
        let first = &self.files[0].0.layout;
        let mut placement = first.place(board, exchanged, turned);
        let file = if self.material.has_pawns() && !placement.is_empty() {
            first.leading_file(&mut placement)
        } else {
            0
        };
        let Sides(one, other) = &self.files[file];
        let part = match other {
            Some(other) if second => other,
            _ => one,
        };
        let mut placement = part.layout.place(board, exchanged, turned);
        part.layout.leading_file(&mut placement);
        let number = part
            .layout
            .index(placement)
            .ok_or_else(|| self.bytes.damaged("a position has no number in it"))?;
        Ok((part, number))
    }
}

/// Reads a file from its beginning.
struct Reader {
    bytes: Bytes,
    at: u64,
}

impl Reader {
    fn align(&mut self, to: u64) {
        self.at = self.at.next_multiple_of(to);
    }

    fn byte(&mut self) -> Result<u8, ProbeError> {
        self.at += 1;
        self.bytes.byte(self.at - 1)
    }

    fn u16(&mut self) -> Result<u16, ProbeError> {
        self.at += 2;
        self.bytes.u16(self.at - 2)
    }

    /// The order of the men, for each file and side.
    fn layouts(
        &mut self,
        material: Material,
        both: bool,
    ) -> Result<Vec<(Layout, Option<Layout>)>, ProbeError> {
        let files = if material.has_pawns() { 4 } else { 1 };
        let mut layouts = Vec::new();
        for file in 0..files {
            let order = self.byte()?;
            let pawns_too = if material.pawns().1 > 0 {
                self.byte()?
            } else {
                0xff
            };
            let men = self.bytes.read(self.at, material.men())?.into_owned();
            self.at += material.men() as u64;
            let layout = |shift: u8| {
                let order = [order, pawns_too].map(|order| order >> shift & 0xf);
                Layout::read(material, file, order, men.iter().map(|man| man >> shift & 0xf))
                    .map_err(|reason| self.bytes.damaged(reason))
            };
            let second = if both { Some(layout(4)?) } else { None };
            layouts.push((layout(0)?, second));
        }
        Ok(layouts)
    }

    fn parts(&mut self, layouts: Vec<(Layout, Option<Layout>)>) -> Result<Vec<Sides>, ProbeError> {
        let mut part = |layout: Layout| {
            let (pairs, flags, next) = Pairs::read(&self.bytes, self.at, layout.size())?;
            self.at = next;
            Ok::<_, ProbeError>(Part {
                layout,
                pairs,
                flags,
                maps: Default::default(),
            })
        };
        layouts
            .into_iter()
            .map(|(first, second)| Ok(Sides(part(first)?, second.map(&mut part).transpose()?)))
            .collect()
    }

    /// The real distances, for those files that have a map.
    fn maps(&mut self, files: &mut [Sides]) -> Result<(), ProbeError> {
        for Sides(part, _) in files {
            if part.flags & flag::MAPPED == 0 {
                continue;
            }
            let wide = part.flags & flag::WIDE_MAP != 0;
            if wide {
                self.align(2);
            }
            for map in &mut part.maps {
                let length = if wide {
                    self.u16()?
                } else {
                    u16::from(self.byte()?)
                };
                for _ in 0..length {
                    let distance = if wide {
                        self.u16()?
                    } else {
                        u16::from(self.byte()?)
                    };
                    map.push(distance);
                }
            }
        }
        self.align(2);
        Ok(())
    }
}

/// Places index, sizes and blocks, which follow the headers in this order.
fn place(files: &mut [Sides], mut at: u64, bytes: &Bytes) -> Result<(), ProbeError> {
    for set in [Pairs::index_at, Pairs::sizes_at, Pairs::blocks_at] {
        for Sides(first, second) in files.iter_mut() {
            at = set(&mut first.pairs, at);
            if let Some(second) = second {
                at = set(&mut second.pairs, at);
            }
        }
    }
    if at > bytes.length() {
        return Err(bytes.damaged(format!("it has {} bytes and needs {at}", bytes.length())));
    }
    Ok(())
}
