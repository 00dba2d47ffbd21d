//! What the text of a move says, before a position is asked what it means.

use super::error::SanErrorKind;
use crate::{Piece, Square};

/// The longest text that is looked at; no form of a move is near it.
const LONGEST: usize = 32;

/// What a text says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SanToken {
    /// Castling, on the king's side or not.
    Castle { king_side: bool },
    /// Anything else.
    Move(Described),
}

/// A move as described by its text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Described {
    /// The letter; `None` where none is written.
    pub(crate) piece: Option<Piece>,
    pub(crate) file: Option<u8>,
    pub(crate) rank: Option<u8>,
    pub(crate) to: Square,
    /// As written: a king or a pawn may be named here too.
    pub(crate) promotion: Option<Piece>,
    /// Whether the text says that it is an en-passant capture.
    pub(crate) en_passant: bool,
}

impl SanToken {
    /// Reads every form of the import format.
    pub(crate) fn read(text: &str) -> Result<Self, SanErrorKind> {
        if text.len() <= LONGEST && !text.is_ascii() {
            return Self::read_ascii(plain(text)?.as_bytes());
        }
        Self::read_ascii(text.as_bytes())
    }

    /// As [`Self::read`], of bytes that are ASCII wherever they are a move.
    pub(crate) fn read_ascii(text: &[u8]) -> Result<Self, SanErrorKind> {
        let text = text.trim_ascii();
        if text.len() > LONGEST {
            return Err(SanErrorKind::Syntax);
        }
        let (body, en_passant) = strip_marks(text);
        match body {
            [b'O' | b'0' | b'o', b'-', b'O' | b'0' | b'o'] => return Ok(Self::Castle { king_side: true }),
            [
                b'O' | b'0' | b'o',
                b'-',
                b'O' | b'0' | b'o',
                b'-',
                b'O' | b'0' | b'o',
            ] => {
                return Ok(Self::Castle { king_side: false });
            }
            b"--" | b"Z0" | b"0000" | b"@@@@" => return Err(SanErrorKind::NullMove),
            _ => {}
        }
        let (body, promotion) = split_promotion(body);
        let [origin @ .., file @ b'a'..=b'h', rank @ b'1'..=b'8'] = body else {
            return Err(SanErrorKind::Syntax);
        };
        let to = Square::at(file - b'a', rank - b'1');
        let (piece, file, rank) = read_origin(origin)?;
        Ok(Self::Move(Described {
            piece,
            file,
            rank,
            to,
            promotion,
            en_passant,
        }))
    }
}

/// Drops glyphs such as `!?`, the marks of check and mate, those of an en-passant capture, and that of an offer of a draw.
fn strip_marks(mut text: &[u8]) -> (&[u8], bool) {
    let mut en_passant = false;
    loop {
        match text {
            [rest @ .., b'+' | b'#' | b'!' | b'?' | b' '] => text = rest,
            [rest @ .., b'e', b'.', b'p', b'.'] | [rest @ .., b'e', b'n', b' ', b'p', b't'] => {
                text = rest;
                en_passant = true;
            }
            [rest @ .., b'(', b'=', b')'] => text = rest,
            _ => return (text, en_passant),
        }
    }
}

/// Splits off `=Q`, `/Q`, `(Q)`, `(=Q)`, or a letter straight after the rank.
fn split_promotion(text: &[u8]) -> (&[u8], Option<Piece>) {
    let bare = match text {
        [rest @ .., b')'] => rest,
        _ => text,
    };
    let [rest @ .., letter] = bare else {
        return (text, None);
    };
    let Some(piece) = Piece::from_letter(char::from(*letter)) else {
        return (text, None);
    };
    match (rest, bare.len() < text.len()) {
        ([rest @ .., b'(', b'='] | [rest @ .., b'('], true) => (rest, Some(piece)),
        ([rest @ .., b'=' | b'/'], false) => (rest, Some(piece)),
        ([.., b'1'..=b'8'], false) => (rest, Some(piece)),
        _ => (text, None),
    }
}

type Origin = (Option<Piece>, Option<u8>, Option<u8>);

/// Reads what stands before the target: letter, file, rank, and a mark of capture or a hyphen.
fn read_origin(text: &[u8]) -> Result<Origin, SanErrorKind> {
    let mut rest = text;
    let mut piece = None;
    // A lower-case b is always a file, never a bishop: one of two readings would be a guess.
    if let [
        letter @ (b'K' | b'Q' | b'R' | b'B' | b'N' | b'P' | b'k' | b'q' | b'r' | b'n'),
        tail @ ..,
    ] = rest
    {
        piece = Piece::from_letter(char::from(*letter));
        rest = tail;
    }
    if let [b'@'] = rest {
        // A drop: a move, but of another variant.
        return Err(SanErrorKind::Illegal);
    }
    let mut file = None;
    if let [letter @ b'a'..=b'h', tail @ ..] = rest {
        file = Some(letter - b'a');
        rest = tail;
    }
    let mut rank = None;
    if let [digit @ b'1'..=b'8', tail @ ..] = rest {
        rank = Some(digit - b'1');
        rest = tail;
    }
    let pawn = matches!(piece, None | Some(Piece::Pawn));
    match rest {
        [] => {}
        // A pawn's capture names at least its file.
        [b'x' | b'X' | b':'] if !pawn || file.is_some() => {}
        [b'-'] if rank.is_some() => {}
        _ => return Err(SanErrorKind::Syntax),
    }
    if pawn && rank.is_some() && file.is_none() {
        return Err(SanErrorKind::Syntax);
    }
    Ok((piece, file, rank))
}

/// Figurines, typographic marks and Chinese promotion pieces as ASCII.
fn plain(text: &str) -> Result<String, SanErrorKind> {
    let mut ascii = String::with_capacity(LONGEST);
    for letter in text.chars() {
        let promotes = ascii.ends_with(['=', '/', '(', '1', '8']);
        ascii.push(match letter {
            '♔' | '♚' => 'K',
            '♕' | '♛' => 'Q',
            '♖' | '♜' => 'R',
            '♗' | '♝' => 'B',
            '♘' | '♞' => 'N',
            '♙' | '♟' => 'P',
            '×' => 'x',
            '‐' | '‑' | '–' | '—' | '−' => '-',
            // Variation selectors say whether a figurine is drawn as text or as a picture.
            '\u{fe0e}' | '\u{fe0f}' => continue,
            '后' if promotes => 'Q',
            '车' | '車' if promotes => 'R',
            '象' if promotes => 'B',
            '马' | '馬' if promotes => 'N',
            _ if letter.is_ascii() => letter,
            _ => return Err(SanErrorKind::Syntax),
        });
    }
    Ok(ascii)
}
