use tabiya_rules::{Board, Move, MoveKind, MoveList, Piece, Variant, chinese, fen, san, uci};

use super::{MoveReader, ParsedPosition};
use crate::{error::Violations, v1};

/// The answer of `LegalMoves`.
pub fn legal_moves_response(position: &ParsedPosition, include_fen: bool) -> v1::LegalMovesResponse {
    let board = position.board();
    let mut legal = MoveList::new();
    board.legal_moves(&mut legal);
    v1::LegalMovesResponse {
        moves: legal
            .iter()
            .map(|&mv| legal_move(board, mv, position.variant, include_fen))
            .collect(),
        in_check: board.in_check(),
        checkers: board
            .checkers()
            .into_iter()
            .map(|square| square.to_string())
            .collect(),
        status: status(board).into(),
        fen: fen::xfen(board),
        halfmove_clock: board.halfmove_clock(),
        fullmove_number: board.fullmove_number().into(),
        repetition_count: position.game.repetition_count(),
        repairs: position.repairs.clone(),
    }
}

fn legal_move(board: &Board, mv: Move, variant: Variant, include_fen: bool) -> v1::LegalMove {
    let after = board.after(mv);
    // It begins with both squares, two letters each.
    let uci = uci::write(mv, variant);
    let is_castling = mv.is_castle();
    let captured = match mv.kind() {
        MoveKind::EnPassant => Some(Piece::Pawn),
        MoveKind::Castle => None,
        MoveKind::Normal | MoveKind::Promotion(_) => board.piece_on(mv.to()),
    };
    let is_check = after.in_check();
    v1::LegalMove {
        from_square: uci[..2].to_owned(),
        to_square: uci[2..4].to_owned(),
        uci: (*uci).to_owned(),
        san: (*san::write_to(board, mv, &after)).to_owned(),
        captured: piece_type(captured).into(),
        promotion: piece_type(mv.promotion()).into(),
        is_capture: captured.is_some(),
        is_check,
        is_mate: is_check && !after.has_legal_move(),
        is_en_passant: mv.is_en_passant(),
        is_castling,
        fen: if include_fen {
            fen::xfen(&after)
        } else {
            String::new()
        },
    }
}

fn piece_type(piece: Option<Piece>) -> v1::PieceType {
    match piece {
        None => v1::PieceType::Unspecified,
        Some(Piece::Pawn) => v1::PieceType::Pawn,
        Some(Piece::Knight) => v1::PieceType::Knight,
        Some(Piece::Bishop) => v1::PieceType::Bishop,
        Some(Piece::Rook) => v1::PieceType::Rook,
        Some(Piece::Queen) => v1::PieceType::Queen,
        Some(Piece::King) => v1::PieceType::King,
    }
}

/// What the board alone decides. Mate and stalemate go before a lack of material.
pub fn status(board: &Board) -> v1::PositionStatus {
    if !board.has_legal_move() {
        if board.in_check() {
            v1::PositionStatus::Checkmate
        } else {
            v1::PositionStatus::Stalemate
        }
    } else if board.is_dead_by_material() {
        v1::PositionStatus::InsufficientMaterial
    } else {
        v1::PositionStatus::Ongoing
    }
}

/// The answer of `PlayMoves`.
///
/// # Errors
/// The first move that is wrong.
pub fn play_moves(
    mut position: ParsedPosition,
    moves: &[String],
    read: MoveReader,
) -> Result<v1::PlayMovesResponse, Violations> {
    let mut played = Vec::with_capacity(moves.len());
    for (index, text) in moves.iter().enumerate() {
        let board = *position.board();
        let mv = read(&board, text, position.variant)
            .map_err(|reason| Violations::one(format!("moves[{index}]"), text, reason))?;
        position.game.play(mv);
        let after = position.board();
        played.push(v1::PlayedMove {
            uci: uci::write(mv, position.variant).to_string(),
            san: san::write_to(&board, mv, after).to_string(),
            chinese: chinese::write(&board, mv),
            fen: fen::xfen(after),
        });
    }
    Ok(v1::PlayMovesResponse {
        moves: played,
        fen: fen::xfen(position.board()),
        status: status(position.board()).into(),
        repetition_count: position.game.repetition_count(),
        repairs: position.repairs,
    })
}
