//! Extended Position Description: a position and operations on it, one record a line.
//!
//! `r1b2rk1/2q1b1pp/p2ppn2/1p6/3QP3/1BN1B3/PPP3PP/R4RK1 w - - bm Nd5 a4; id "position 12"; c0 "quiet";`
//!
//! Source: PGN standard (S. J. Edwards, 1994), section 16.2. Beyond it, six-field FEN may stand in front, `\"` and
//! `\\` are escapes inside quotes, and the last semicolon may be missing.

mod error;
mod operation;
mod scan;
#[cfg(test)]
mod tests;

use std::fmt;

pub use error::EpdError;
pub use operation::{Operand, Operation};

use crate::fen::{self, FenMode};
use crate::san::{self, SanMode};
use crate::{Board, Move, Variant};

/// One record.
#[derive(Clone, Debug)]
pub struct Epd {
    /// The position; the operations `hmvc` and `fmvn` are its counters.
    pub board: Board,
    /// The other operations, in the order in which they were written.
    pub operations: Vec<Operation>,
}

impl Epd {
    /// A record without operations.
    pub fn new(board: Board) -> Self {
        Self {
            board,
            operations: Vec::new(),
        }
    }

    /// Reads one line. Operands are looked at only when they are asked for.
    ///
    /// # Errors
    ///
    /// What is wrong with the position or with the form of an operation.
    ///
    /// ```
    /// use tabiya_rules::{Variant, epd::Epd};
    ///
    /// let line = r#"4k3/8/8/8/8/8/8/4K2R w K - bm O-O Rh8+; id "castle"; dm 7;"#;
    /// let epd = Epd::parse(line, Variant::Standard).unwrap();
    /// assert_eq!(epd.best_moves().unwrap().len(), 2);
    /// assert_eq!(epd.id(), Some("castle"));
    /// assert_eq!(epd.mate_in().unwrap(), Some(7));
    /// assert_eq!(epd.to_string(), line);
    /// ```
    pub fn parse(line: &str, variant: Variant) -> Result<Self, EpdError> {
        let (fields, rest) = scan::position(line);
        if fields.len() < 4 {
            return Err(EpdError::Fields(fields.len()));
        }
        let mut operations = scan::operations(rest)?;
        let halfmove =
            counter(&mut operations, "hmvc", fields.get(4).copied())?.unwrap_or_else(|| "0".to_owned());
        let fullmove =
            counter(&mut operations, "fmvn", fields.get(5).copied())?.unwrap_or_else(|| "1".to_owned());
        let text = format!("{} {halfmove} {fullmove}", fields[..4].join(" "));
        let board = fen::parse(&text, FenMode::Analysis, variant)
            .map_err(EpdError::Position)?
            .board;
        Ok(Self { board, operations })
    }

    /// Appends an operation, in place of one with the same opcode.
    pub fn set(&mut self, operation: Operation) {
        self.operations.retain(|known| known.opcode != operation.opcode);
        self.operations.push(operation);
    }

    /// The operation with an opcode.
    pub fn operation(&self, opcode: &str) -> Option<&Operation> {
        self.operations
            .iter()
            .find(|operation| operation.opcode == opcode)
    }

    /// `bm`: the best moves; empty without the operation.
    ///
    /// # Errors
    ///
    /// An operand that is no legal move.
    pub fn best_moves(&self) -> Result<Vec<Move>, EpdError> {
        self.moves("bm")
    }

    /// `am`: moves to avoid; empty without the operation.
    ///
    /// # Errors
    ///
    /// An operand that is no legal move.
    pub fn avoided_moves(&self) -> Result<Vec<Move>, EpdError> {
        self.moves("am")
    }

    /// `dm`: mate in so many moves of the side to move, negative when it is mated.
    ///
    /// # Errors
    ///
    /// Anything but one whole number.
    pub fn mate_in(&self) -> Result<Option<i64>, EpdError> {
        self.integer("dm")
    }

    /// `ce`: the evaluation in centipawns, from the side to move.
    ///
    /// # Errors
    ///
    /// Anything but one whole number.
    pub fn centipawns(&self) -> Result<Option<i64>, EpdError> {
        self.integer("ce")
    }

    /// `acd`: the depth of the analysis, in plies.
    ///
    /// # Errors
    ///
    /// Anything but one whole number.
    pub fn depth(&self) -> Result<Option<i64>, EpdError> {
        self.integer("acd")
    }

    /// `acn`: the nodes of the analysis.
    ///
    /// # Errors
    ///
    /// Anything but one whole number.
    pub fn nodes(&self) -> Result<Option<i64>, EpdError> {
        self.integer("acn")
    }

    /// `pv`: the line played out from the position, in SAN or UCI; empty without the operation.
    ///
    /// # Errors
    ///
    /// An operand that is no legal move where it stands.
    pub fn principal_variation(&self) -> Result<Vec<Move>, EpdError> {
        let mut board = self.board;
        let mut line = Vec::new();
        for operand in self.operands("pv") {
            let mv = read_move("pv", &board, operand)?;
            board.play(mv);
            line.push(mv);
        }
        Ok(line)
    }

    /// `id`: the name of the record.
    pub fn id(&self) -> Option<&str> {
        self.text("id")
    }

    /// `c0` to `c9`: a comment.
    pub fn comment(&self, number: u8) -> Option<&str> {
        self.text(&format!("c{number}"))
    }

    /// The first operand of an operation.
    pub fn text(&self, opcode: &str) -> Option<&str> {
        self.operands(opcode).first().map(Operand::text)
    }

    /// The operand of an operation with one whole number.
    ///
    /// # Errors
    ///
    /// Anything but one whole number.
    pub fn integer(&self, opcode: &str) -> Result<Option<i64>, EpdError> {
        let Some(operation) = self.operation(opcode) else {
            return Ok(None);
        };
        let refuse = |text: &str| EpdError::operand(opcode, text, "one whole number");
        match &operation.operands[..] {
            [operand] => operand
                .text()
                .parse()
                .map(Some)
                .map_err(|_| refuse(operand.text())),
            operands => Err(refuse(operands.first().map_or("", Operand::text))),
        }
    }

    fn operands(&self, opcode: &str) -> &[Operand] {
        self.operation(opcode)
            .map_or(&[], |operation| &operation.operands)
    }

    fn moves(&self, opcode: &str) -> Result<Vec<Move>, EpdError> {
        self.operands(opcode)
            .iter()
            .map(|operand| read_move(opcode, &self.board, operand))
            .collect()
    }
}

fn read_move(opcode: &str, board: &Board, operand: &Operand) -> Result<Move, EpdError> {
    san::parse(board, operand.text(), SanMode::Lenient).map_err(|error| EpdError::Move {
        opcode: opcode.to_owned(),
        error,
    })
}

/// A counter of the position: its operation's one operand, or the field of six-field FEN. Both may be there if they
/// agree.
fn counter(
    operations: &mut Vec<Operation>,
    opcode: &'static str,
    field: Option<&str>,
) -> Result<Option<String>, EpdError> {
    let Some(operation) = take(operations, opcode) else {
        return Ok(field.map(str::to_owned));
    };
    let number = match &operation.operands[..] {
        [operand] => operand.text(),
        [] => return Err(EpdError::operand(opcode, "", "one number")),
        [_, second, ..] => return Err(EpdError::operand(opcode, second.text(), "one number")),
    };
    if field.is_some_and(|field| field != number) {
        return Err(EpdError::operand(opcode, number, "the number in the position"));
    }
    Ok(Some(number.to_owned()))
}

fn take(operations: &mut Vec<Operation>, opcode: &str) -> Option<Operation> {
    let index = operations
        .iter()
        .position(|operation| operation.opcode == opcode)?;
    Some(operations.remove(index))
}

/// The record as one line, without a line end. Counters other than `0 1` become `hmvc` and `fmvn`.
impl fmt::Display for Epd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut position = String::with_capacity(80);
        fen::epd_fields(&self.board, false, &mut position);
        f.write_str(&position)?;
        for operation in &self.operations {
            write!(f, " {operation}")?;
        }
        if self.board.halfmove_clock() != 0 {
            write!(f, " hmvc {};", self.board.halfmove_clock())?;
        }
        if self.board.fullmove_number() != 1 {
            write!(f, " fmvn {};", self.board.fullmove_number())?;
        }
        Ok(())
    }
}
