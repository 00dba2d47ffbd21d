//! Cutting a line into the fields of its position, opcodes and operands.

use super::error::EpdError;
use super::operation::{Operand, Operation};
use crate::fen::excerpt;

/// The first four fields, or six where two plain numbers follow them, and what comes after.
pub(super) fn position(line: &str) -> (Vec<&str>, &str) {
    let mut fields = Vec::new();
    let mut rest = line.trim_ascii();
    while fields.len() < 4 && !rest.is_empty() {
        let (field, tail) = word(rest);
        fields.push(field);
        rest = tail;
    }
    let (halfmove, tail) = word(rest);
    let (fullmove, tail) = word(tail);
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number(halfmove) && is_number(fullmove) {
        fields.extend([halfmove, fullmove]);
        rest = tail;
    }
    (fields, rest)
}

fn word(text: &str) -> (&str, &str) {
    let end = text
        .find(|letter: char| letter.is_ascii_whitespace())
        .unwrap_or(text.len());
    (&text[..end], text[end..].trim_ascii_start())
}

/// The operations of the rest of the line.
pub(super) fn operations(mut rest: &str) -> Result<Vec<Operation>, EpdError> {
    let mut operations: Vec<Operation> = Vec::new();
    loop {
        rest = rest.trim_ascii_start();
        if rest.is_empty() {
            return Ok(operations);
        }
        let end = rest
            .find(|letter: char| letter.is_ascii_whitespace() || letter == ';')
            .unwrap_or(rest.len());
        let (opcode, tail) = rest.split_at(end);
        if !is_opcode(opcode) {
            return Err(EpdError::Opcode(excerpt(opcode)));
        }
        if operations.iter().any(|known| known.opcode == opcode) {
            return Err(EpdError::Repeated(opcode.to_owned()));
        }
        let (operands, tail) = operands(opcode, tail)?;
        operations.push(Operation {
            opcode: opcode.to_owned(),
            operands,
        });
        rest = tail;
    }
}

fn is_opcode(text: &str) -> bool {
    text.len() <= 15
        && text.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Operands up to the semicolon or the end of the line.
fn operands<'a>(opcode: &str, mut rest: &'a str) -> Result<(Vec<Operand>, &'a str), EpdError> {
    let mut operands = Vec::new();
    loop {
        rest = rest.trim_ascii_start();
        if let Some(tail) = rest.strip_prefix(';') {
            return Ok((operands, tail));
        }
        if rest.is_empty() {
            return Ok((operands, rest));
        }
        if let Some(tail) = rest.strip_prefix('"') {
            let (text, tail) = quoted(tail).ok_or_else(|| EpdError::OpenQuote {
                opcode: opcode.to_owned(),
            })?;
            operands.push(Operand::Quoted(text));
            rest = tail;
        } else {
            let end = rest
                .find(|letter: char| letter.is_ascii_whitespace() || letter == ';')
                .unwrap_or(rest.len());
            operands.push(Operand::Bare(rest[..end].to_owned()));
            rest = &rest[end..];
        }
    }
}

/// A text up to its closing quote. A backslash that escapes neither a quote nor a backslash stands for itself.
fn quoted(rest: &str) -> Option<(String, &str)> {
    let mut text = String::new();
    let mut letters = rest.char_indices().peekable();
    while let Some((index, letter)) = letters.next() {
        match letter {
            '"' => return Some((text, &rest[index + 1..])),
            '\\' => {
                let escaped = letters.next_if(|(_, next)| matches!(next, '"' | '\\'));
                text.push(escaped.map_or('\\', |(_, next)| next));
            }
            _ => text.push(letter),
        }
    }
    None
}
