//! The words of Chinese move texts, in Simplified characters.

use crate::Piece;

/// What a word says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Word {
    /// Castling; `None` if the text does not say on which side.
    Castle(Option<bool>),
    Piece(Piece),
    File(u8),
    Rank(u8),
    Capture,
    /// A hyphen, 到 and the like between two squares.
    To,
    /// 升变 and the like before a piece.
    Promotes,
    EnPassant,
    /// Check, mate, or a glyph such as `!?`: said, but of no consequence.
    Mark,
    Open,
    Close,
}

/// The name of a piece as it is written.
pub(super) const fn name(piece: Piece) -> char {
    match piece {
        Piece::King => '王',
        Piece::Queen => '后',
        Piece::Rook => '车',
        Piece::Bishop => '象',
        Piece::Knight => '马',
        Piece::Pawn => '兵',
    }
}

/// Every word, after [`fold`]. The longest that fits is taken: 王后 is a queen, 后翼易位 is castling.
pub(super) const WORDS: &[(&str, Word)] = &[
    ("王车短易位", Word::Castle(Some(true))),
    ("王翼易位", Word::Castle(Some(true))),
    ("短易位", Word::Castle(Some(true))),
    ("王车长易位", Word::Castle(Some(false))),
    ("后翼易位", Word::Castle(Some(false))),
    ("长易位", Word::Castle(Some(false))),
    ("王车易位", Word::Castle(None)),
    ("易位", Word::Castle(None)),
    ("O-O-O", Word::Castle(Some(false))),
    ("0-0-0", Word::Castle(Some(false))),
    ("o-o-o", Word::Castle(Some(false))),
    ("O-O", Word::Castle(Some(true))),
    ("0-0", Word::Castle(Some(true))),
    ("o-o", Word::Castle(Some(true))),
    ("国王", Word::Piece(Piece::King)),
    ("王", Word::Piece(Piece::King)),
    ("王后", Word::Piece(Piece::Queen)),
    ("皇后", Word::Piece(Piece::Queen)),
    ("后", Word::Piece(Piece::Queen)),
    ("车", Word::Piece(Piece::Rook)),
    ("战车", Word::Piece(Piece::Rook)),
    ("城堡", Word::Piece(Piece::Rook)),
    ("堡垒", Word::Piece(Piece::Rook)),
    ("象", Word::Piece(Piece::Bishop)),
    ("主教", Word::Piece(Piece::Bishop)),
    ("牧师", Word::Piece(Piece::Bishop)),
    ("传教士", Word::Piece(Piece::Bishop)),
    ("马", Word::Piece(Piece::Knight)),
    ("骑士", Word::Piece(Piece::Knight)),
    ("兵", Word::Piece(Piece::Pawn)),
    ("小兵", Word::Piece(Piece::Pawn)),
    ("卒", Word::Piece(Piece::Pawn)),
    ("战士", Word::Piece(Piece::Pawn)),
    ("近卫军", Word::Piece(Piece::Pawn)),
    ("吃过路兵", Word::EnPassant),
    ("过路兵", Word::EnPassant),
    ("en passant", Word::EnPassant),
    ("en pt", Word::EnPassant),
    ("e.p.", Word::EnPassant),
    // What is left of it when a full stop at the end of the text is dropped.
    ("e.p", Word::EnPassant),
    ("吃掉", Word::Capture),
    ("吃", Word::Capture),
    ("x", Word::Capture),
    ("X", Word::Capture),
    (":", Word::Capture),
    ("走到", Word::To),
    ("走", Word::To),
    ("到", Word::To),
    ("至", Word::To),
    ("-", Word::To),
    ("升变为", Word::Promotes),
    ("升变成", Word::Promotes),
    ("升变", Word::Promotes),
    ("升为", Word::Promotes),
    ("升", Word::Promotes),
    ("变为", Word::Promotes),
    ("变成", Word::Promotes),
    ("变", Word::Promotes),
    ("=", Word::Promotes),
    ("/", Word::Promotes),
    ("将军", Word::Mark),
    ("照将", Word::Mark),
    ("将死", Word::Mark),
    ("将杀", Word::Mark),
    ("将", Word::Mark),
    ("+", Word::Mark),
    ("#", Word::Mark),
    ("!", Word::Mark),
    ("?", Word::Mark),
    ("(", Word::Open),
    (")", Word::Close),
];

/// A character as the words have it: Simplified, half-width, with one form of each mark.
pub(super) fn fold(letter: char) -> char {
    match letter {
        // Full-width forms lie at one distance from ASCII.
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(letter as u32 - 0xfee0).unwrap_or(letter),
        '\u{3000}' | '\u{a0}' | '\t' => ' ',
        '×' | '✕' | '╳' => 'x',
        '‐' | '‑' | '–' | '—' | '―' | '−' | '→' => '-',
        '〇' => '0',
        '國' => '国',
        '後' => '后',
        '車' => '车',
        '馬' => '马',
        '戰' => '战',
        '壘' => '垒',
        '敎' => '教',
        '師' => '师',
        '傳' => '传',
        '騎' => '骑',
        '衛' | '衞' => '卫',
        '軍' => '军',
        '過' => '过',
        '變' => '变',
        '為' | '爲' => '为',
        '將' => '将',
        '殺' => '杀',
        '長' => '长',
        _ => letter,
    }
}
