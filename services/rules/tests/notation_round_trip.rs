//! Every legal move of many positions through every notation, and every position through FEN.

mod walk;

use std::collections::HashSet;

use tabiya_rules::fen::{self, FenMode};
use tabiya_rules::san::{self, SanMode};
use tabiya_rules::{Board, Move, MoveList, Piece, chinese, uci};
use walk::walk;

fn legal(board: &Board) -> MoveList {
    let mut list = MoveList::new();
    board.legal_moves(&mut list);
    list
}

#[test]
fn fen_uci_and_san_of_10_000_positions() {
    walk(1, 10_000, |game, variant| {
        let board = game.board();
        for text in [fen::xfen(board), fen::shredder(board)] {
            let mode = if variant == tabiya_rules::Variant::Standard && text.contains(['H', 'A', 'h', 'a']) {
                FenMode::Lenient
            } else {
                FenMode::Analysis
            };
            let read = fen::parse(&text, mode, variant).unwrap();
            assert_eq!(read.board, *board, "{text}");
            assert_eq!(read.board.halfmove_clock(), board.halfmove_clock());
            assert_eq!(read.board.fullmove_number(), board.fullmove_number());
            assert_eq!(fen::xfen(&read.board), fen::xfen(board));
        }
        let mut seen = HashSet::new();
        for mv in legal(board) {
            assert_eq!(uci::parse(board, &uci::write(mv, variant), variant), Ok(mv));
            let text = san::write(board, mv);
            assert!(seen.insert(text), "{text} twice in {}", fen::xfen(board));
            assert_eq!(
                san::parse(board, &text, SanMode::Strict),
                Ok(mv),
                "{text} in {}",
                fen::xfen(board)
            );
            assert_eq!(san::parse(board, &text, SanMode::Lenient), Ok(mv));
            assert_eq!(san::parse_bytes(board, text.as_bytes()), Ok(mv));
        }
    });
}

/// A position that real games lead to is plausible, whatever the test of plausibility is.
#[test]
fn played_positions_pass_strict_reading() {
    walk(2, 20_000, |game, variant| {
        let standard_start = game.start().fullmove_number() == 1 && game.start().occupied().count() == 32;
        if standard_start && game.start().castling_rooks().count() == 4 {
            let text = fen::xfen(game.board());
            let read = fen::parse(&text, FenMode::Strict, variant);
            assert!(read.is_ok(), "{text}: {}", read.unwrap_err());
        }
    });
}

/// The same text in Traditional characters and full-width letters and digits.
fn traditional(text: &str) -> String {
    text.chars()
        .map(|letter| match letter {
            '车' => '車',
            '马' => '馬',
            '变' => '變',
            '将' => '將',
            '军' => '軍',
            '长' => '長',
            '过' => '過',
            '!'..='~' => char::from_u32(letter as u32 + 0xfee0).unwrap(),
            _ => letter,
        })
        .collect()
}

/// The move as the lay rule texts write it: origin, letter, target, `x`, promotion, `e.p.`, mark.
fn rule_text_dialect(board: &Board, mv: Move) -> String {
    let text = san::write(board, mv);
    if mv.is_castle() {
        return text.replace('O', "0");
    }
    let mark = text
        .strip_suffix(['+', '#'])
        .map_or("", |body| &text[body.len()..]);
    let body = text.trim_end_matches(['+', '#']);
    let (body, promotion) = body
        .split_once('=')
        .map_or((body, String::new()), |(body, piece)| {
            (body, format!("(={piece})"))
        });
    let capture = if body.contains('x') { "x" } else { "" };
    let body = body.replace('x', "");
    let (head, target) = body.split_at(body.len() - 2);
    let (letter, origin) = match board.piece_on(mv.from()) {
        Some(Piece::Pawn) => ("", head),
        _ => head.split_at(1),
    };
    let en_passant = if mv.is_en_passant() { "e.p." } else { "" };
    format!("{origin}{letter}{target}{capture}{promotion}{en_passant}{mark}")
}

#[test]
fn chinese_of_10_000_positions() {
    let mut moves = 0;
    walk(3, 10_000, |game, _| {
        let board = game.board();
        let mut seen = HashSet::new();
        for mv in legal(board) {
            moves += 1;
            let text = chinese::write(board, mv);
            assert_eq!(
                chinese::parse(board, &text),
                Ok(mv),
                "{text} in {}",
                fen::xfen(board)
            );
            let other = traditional(&text);
            assert_eq!(
                chinese::parse(board, &other),
                Ok(mv),
                "{other} in {}",
                fen::xfen(board)
            );
            let other = rule_text_dialect(board, mv);
            assert_eq!(
                chinese::parse(board, &other),
                Ok(mv),
                "{other} in {}",
                fen::xfen(board)
            );
            assert!(seen.insert(text.clone()), "{text} twice in {}", fen::xfen(board));
        }
    });
    assert!(moves > 200_000, "{moves} moves");
}
