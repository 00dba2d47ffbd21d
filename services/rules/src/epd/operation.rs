//! Operations and their operands.

use std::fmt;

/// An operand. The two kinds differ in how they are written, not in what they can say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Operand {
    /// In quotes.
    Quoted(String),
    /// Without quotes: a move, a number, a symbol.
    Bare(String),
}

impl Operand {
    /// What it says, without quotes and escapes.
    pub fn text(&self) -> &str {
        match self {
            Self::Quoted(text) | Self::Bare(text) => text,
        }
    }
}

/// A bare operand that could not be read back as one is put in quotes. Line ends become blanks: a record is a line.
impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.text();
        let separates = |letter: char| letter.is_whitespace() || matches!(letter, '"' | ';');
        if matches!(self, Self::Bare(_)) && !text.is_empty() && !text.contains(separates) {
            return f.write_str(text);
        }
        f.write_str("\"")?;
        for letter in text.chars() {
            match letter {
                '"' | '\\' => write!(f, "\\{letter}")?,
                '\n' | '\r' => f.write_str(" ")?,
                _ => write!(f, "{letter}")?,
            }
        }
        f.write_str("\"")
    }
}

/// An opcode with its operands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Operation {
    /// A letter followed by at most fourteen letters, digits and underscores.
    pub opcode: String,
    /// The operands, perhaps none.
    pub operands: Vec<Operand>,
}

impl Operation {
    /// An operation with one text, written in quotes.
    pub fn quoted(opcode: &str, text: impl Into<String>) -> Self {
        Self {
            opcode: opcode.to_owned(),
            operands: vec![Operand::Quoted(text.into())],
        }
    }

    /// An operation with operands written without quotes.
    pub fn bare<T: fmt::Display>(opcode: &str, operands: impl IntoIterator<Item = T>) -> Self {
        let operands = operands
            .into_iter()
            .map(|operand| Operand::Bare(operand.to_string()))
            .collect();
        Self {
            opcode: opcode.to_owned(),
            operands,
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.opcode)?;
        for operand in &self.operands {
            write!(f, " {operand}")?;
        }
        f.write_str(";")
    }
}
