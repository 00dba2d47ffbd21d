//! From characters to words.

use super::words::{WORDS, Word, fold};
use crate::Piece;
use crate::san::SanErrorKind;

/// No move text comes near this many characters.
const LONGEST: usize = 48;

/// The words of a text.
pub(super) fn words(text: &str) -> Result<Vec<Word>, SanErrorKind> {
    let letters: Vec<char> = text.chars().take(LONGEST + 1).map(fold).collect();
    if letters.len() > LONGEST {
        return Err(SanErrorKind::Syntax);
    }
    let folded: String = letters.into_iter().collect();
    let mut rest = strip_end(&folded);
    if matches!(rest, "--" | "Z0" | "0000") {
        return Err(SanErrorKind::NullMove);
    }
    let mut words = Vec::new();
    let mut piece_named = false;
    while let Some(letter) = rest.chars().next() {
        if letter == ' ' {
            rest = &rest[1..];
            continue;
        }
        let (length, word) = next(rest, letter, &words, piece_named).ok_or(SanErrorKind::Syntax)?;
        piece_named |= matches!(word, Word::Piece(_));
        words.push(word);
        rest = &rest[length..];
    }
    Ok(words)
}

/// The word at the start of the text and its length in bytes.
fn next(rest: &str, letter: char, before: &[Word], piece_named: bool) -> Option<(usize, Word)> {
    let fitting = WORDS.iter().filter(|(text, _)| rest.starts_with(text));
    if let Some(&(text, word)) = fitting.max_by_key(|(text, _)| text.len()) {
        return Some((text.len(), word));
    }
    let word = match letter {
        'a'..='h' => Word::File(letter as u8 - b'a'),
        '1'..='8' => Word::Rank(letter as u8 - b'1'),
        'K' | 'Q' | 'R' | 'N' | 'P' => Word::Piece(Piece::from_letter(letter)?),
        // A capital B is a bishop, unless the piece has been named: 兵B4. After a whole square it is what the
        // pawn becomes, unless another square begins with it: 兵B2B4.
        'B' => {
            let after_square = matches!(before, [.., Word::File(_), Word::Rank(_)]);
            let square_follows = rest[1..].starts_with(|digit| matches!(digit, '1'..='8'));
            let promotes = matches!(before, [.., Word::Promotes]);
            if !promotes && piece_named && (!after_square || square_follows) {
                Word::File(1)
            } else {
                Word::Piece(Piece::Bishop)
            }
        }
        'A'..='H' => Word::File(letter as u8 - b'A'),
        _ => return None,
    };
    Some((1, word))
}

/// Drops a full stop and the result of the game, which the rule texts write straight after the mate.
fn strip_end(text: &str) -> &str {
    let text = text.trim().trim_end_matches(['。', '.', ',', ';']);
    for result in ["1/2-1/2", "½-½", "1-0", "0-1"] {
        if let Some(rest) = text.strip_suffix(result)
            && rest.ends_with(['#', '+', '死', '军', '杀', ' '])
        {
            return rest.trim_end();
        }
    }
    text
}
