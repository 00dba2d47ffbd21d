use tabiya_rules::{
    Board, Game, Variant,
    fen::{self, FenMode},
    uci::{self, UciError},
};

use super::enumeration::enumeration;
use crate::{MAX_ID_BYTES, MAX_POSITIONS_PER_MESSAGE, error::Violations, v1};

/// A position of the wire that turned out to be one.
#[derive(Clone, Debug)]
pub struct ParsedPosition {
    /// The start and the moves.
    pub game: Game,
    /// How castling is written in answers.
    pub variant: Variant,
    /// What `FEN_MODE_LENIENT` repaired.
    pub repairs: Vec<String>,
}

impl ParsedPosition {
    /// The position after all moves.
    pub fn board(&self) -> &Board {
        self.game.board()
    }
}

/// Reads a position. `path` is the field that holds it, for violations such as `position.moves[3]`.
///
/// # Errors
/// Every reason against the FEN, every unknown enum number, or the first move that is wrong.
pub fn parse_position(position: Option<&v1::Position>, path: &str) -> Result<ParsedPosition, Violations> {
    let Some(position) = position else {
        return Ok(ParsedPosition {
            game: Game::new(Board::startpos()),
            variant: Variant::Standard,
            repairs: Vec::new(),
        });
    };
    let mut violations = Violations::default();
    let variant = enumeration(position.variant, format!("{path}.variant"), &mut violations);
    let variant = match variant {
        v1::Variant::Unspecified | v1::Variant::Standard => Variant::Standard,
        v1::Variant::Chess960 => Variant::Chess960,
    };
    let mode = enumeration(position.fen_mode, format!("{path}.fen_mode"), &mut violations);
    let mode = match mode {
        v1::FenMode::Unspecified | v1::FenMode::Analysis => FenMode::Analysis,
        v1::FenMode::Strict => FenMode::Strict,
        v1::FenMode::Lenient => FenMode::Lenient,
    };
    if position.moves.len() > MAX_POSITIONS_PER_MESSAGE {
        let reason = format!("more than {MAX_POSITIONS_PER_MESSAGE} moves");
        violations.add(format!("{path}.moves"), &position.moves.len().to_string(), reason);
    }
    let (start, repairs) = match read_fen(&position.fen, mode, variant) {
        Ok(read) => read,
        Err(error) => {
            for reason in error.reasons() {
                violations.add(format!("{path}.fen"), &position.fen, reason);
            }
            return Err(violations);
        }
    };
    if !violations.is_empty() {
        return Err(violations);
    }
    let mut game = Game::new(start);
    for (index, text) in position.moves.iter().enumerate() {
        match uci::parse(game.board(), text, variant) {
            Ok(mv) => game.play(mv),
            Err(error) => {
                return Err(Violations::one(
                    format!("{path}.moves[{index}]"),
                    text,
                    uci_reason(&error),
                ));
            }
        }
    }
    Ok(ParsedPosition {
        game,
        variant,
        repairs,
    })
}

fn read_fen(text: &str, mode: FenMode, variant: Variant) -> Result<(Board, Vec<String>), fen::FenError> {
    if text.is_empty() {
        return Ok((Board::startpos(), Vec::new()));
    }
    let fen = fen::parse(text, mode, variant)?;
    Ok((fen.board, fen.repairs.iter().map(ToString::to_string).collect()))
}

/// Why a text is no move, without the text: the violation carries it already.
pub(super) fn uci_reason(error: &UciError) -> &'static str {
    match error {
        UciError::Syntax(_) => "not of the form e2e4 or e7e8q",
        UciError::NullMove => "a null move is no legal move",
        UciError::NoPiece(_) => "nothing stands on the first square",
        UciError::NotOwnPiece(_) => "the piece on the first square is the opponent's",
        UciError::MissingPromotion(_) => "the piece that the pawn becomes is missing",
        UciError::UnexpectedPromotion(_) => "the move does not promote",
        UciError::Illegal(_) => "not legal in the position before it",
    }
}

/// Checks the name of a bulk item.
///
/// # Errors
/// A name of more than 256 bytes.
pub fn check_id(id: &str) -> Result<(), Violations> {
    if id.len() > MAX_ID_BYTES {
        return Err(Violations::one(
            "id",
            id,
            format!("{} bytes, more than {MAX_ID_BYTES}", id.len()),
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn violations(position: v1::Position) -> Vec<(String, String)> {
        let refused = parse_position(Some(&position), "position").unwrap_err();
        refused
            .kept()
            .iter()
            .map(|v| (v.field.clone(), v.reason.clone()))
            .collect()
    }

    #[test]
    fn nothing_is_the_start_position() {
        for position in [None, Some(v1::Position::default())] {
            let parsed = parse_position(position.as_ref(), "position").unwrap();
            assert_eq!(parsed.board().key(), Board::startpos().key());
        }
    }

    #[test]
    fn moves_are_played_with_either_form_of_castling() {
        for castling in ["e1g1", "e1h1"] {
            let moves = ["e2e4", "e7e5", "g1f3", "g8f6", "f1c4", "f8c5", castling];
            let position = v1::Position {
                moves: moves.map(String::from).to_vec(),
                ..Default::default()
            };
            let parsed = parse_position(Some(&position), "position").unwrap();
            assert!(
                fen::xfen(parsed.board())
                    .starts_with("rnbqk2r/pppp1ppp/5n2/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQ1RK1 b")
            );
        }
    }

    #[test]
    fn the_wrong_move_is_named() {
        let mut moves: Vec<String> = ["g1f3", "g8f6", "f3g1", "f6g8"]
            .repeat(5)
            .into_iter()
            .map(String::from)
            .collect();
        moves[17] = "f6g4x".into();
        let found = violations(v1::Position {
            moves,
            ..Default::default()
        });
        assert_eq!(
            found,
            [(
                "position.moves[17]".to_owned(),
                "not of the form e2e4 or e7e8q".to_owned()
            )]
        );
    }

    #[test]
    fn every_reason_against_a_fen_is_told_and_long_text_is_cut() {
        let found = violations(v1::Position {
            fen: "8/8/8/8/8/8/8/8 w - - 0 1".into(),
            ..Default::default()
        });
        assert!(found.len() >= 2, "{found:?}");
        assert!(found.iter().all(|(field, _)| field == "position.fen"));
        let long = v1::Position {
            fen: "马".repeat(10_000),
            ..Default::default()
        };
        let refused = parse_position(Some(&long), "position").unwrap_err();
        assert!(refused.kept().iter().all(|v| v.value.len() <= 64));
    }

    #[test]
    fn unknown_numbers_are_refused() {
        let found = violations(v1::Position {
            variant: 77,
            fen_mode: -1,
            ..Default::default()
        });
        let fields: Vec<_> = found.iter().map(|(field, _)| field.as_str()).collect();
        assert_eq!(fields, ["position.variant", "position.fen_mode"]);
    }
}
