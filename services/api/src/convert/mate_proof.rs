//! Proofs that a side can never mate, as messages that can be checked without anything else.

use prost::Message;
use sha2::{Digest, Sha256};
use tabiya_arbiter::mate::{self, Certificate, MaterialClass, PieceReach, Reach, Step, StepEnd};
use tabiya_rules::{
    Bitboard, Board, Color, Move, MoveKind, Piece, Square, Variant,
    fen::{self, FenMode},
};

use super::color::color_message;
use crate::{
    error::Violations,
    v1::{self, mate_proof::Argument},
};

/// Greatest length of a certificate that is sent, in bytes.
pub const MAX_CERTIFICATE_BYTES: usize = 1 << 20;

/// Version of the encoding of proofs.
const VERSION: u32 = 1;

/// The claim of a position whose pieces are confined.
const CONFINED: u8 = 255;

/// A certificate with its digest, and the proof unless it is too long.
pub(super) fn certificate_message(
    board: &Board,
    side: Color,
    certificate: &Certificate,
) -> v1::MateCertificate {
    let proof = proof_message(board, side, certificate);
    let encoded = proof.encode_to_vec();
    v1::MateCertificate {
        states: match certificate {
            Certificate::Exhausted { steps, .. } => steps.len() as u64,
            _ => 1,
        },
        size: encoded.len() as u64,
        sha256: Sha256::digest(&encoded).to_vec(),
        proof: (encoded.len() <= MAX_CERTIFICATE_BYTES).then_some(proof),
    }
}

fn proof_message(board: &Board, side: Color, certificate: &Certificate) -> v1::MateProof {
    let argument = match certificate {
        Certificate::Material(class) => Argument::Material(material(*class).into()),
        Certificate::Confined(reach) => Argument::Confined(confinement(reach)),
        Certificate::Exhausted { steps, digest } => Argument::Exhausted(exhaustion(steps, *digest)),
    };
    v1::MateProof {
        version: VERSION,
        fen: fen::xfen(board),
        side: color_message(side).into(),
        argument: Some(argument),
    }
}

fn material(class: MaterialClass) -> v1::MateMaterial {
    match class {
        MaterialClass::BareKing => v1::MateMaterial::BareKing,
        MaterialClass::BishopsOfOneColor => v1::MateMaterial::BishopsOfOneColor,
        MaterialClass::KnightAgainstQueens => v1::MateMaterial::KnightAgainstQueens,
    }
}

fn confinement(reach: &Reach) -> v1::MateConfinement {
    let piece = |piece: &PieceReach| v1::PieceReach {
        square: piece.from.index() as u32,
        squares: piece.squares.0,
        promotes: piece.promotes,
        capturable: piece.capturable,
    };
    v1::MateConfinement {
        pieces: reach.pieces.iter().map(piece).collect(),
    }
}

fn exhaustion(steps: &[Step], digest: u64) -> v1::MateExhaustion {
    let mut message = v1::MateExhaustion {
        digest,
        ..Default::default()
    };
    for step in steps {
        message.parents.push(step.parent);
        message.moves.push(move_number(step.mv));
        message.claims.push(match &step.end {
            StepEnd::Open => 0,
            StepEnd::Material(class) => material(*class) as u8,
            StepEnd::Confined(reach) => {
                message.confinements.push(confinement(reach));
                CONFINED
            }
        });
    }
    message
}

fn move_number(mv: Move) -> u32 {
    let promotion = match mv.kind() {
        MoveKind::Promotion(piece) => piece as u32,
        MoveKind::Normal | MoveKind::Castle | MoveKind::EnPassant => 0,
    };
    mv.from().index() as u32 | (mv.to().index() as u32) << 6 | promotion << 12
}

/// Checks a proof that came over the wire, and believes nothing of it.
///
/// # Errors
/// What is wrong, by field.
pub fn check_mate_proof(proof: &v1::MateProof) -> Result<(), Violations> {
    let wrong = |field: &str, value: &str, reason: &str| Violations::one(field, value, reason);
    if proof.version != VERSION {
        return Err(wrong("version", &proof.version.to_string(), "unknown"));
    }
    let side = match proof.side() {
        v1::Color::White => Color::White,
        v1::Color::Black => Color::Black,
        v1::Color::Unspecified => return Err(wrong("side", "", "missing")),
    };
    let board = fen::parse(&proof.fen, FenMode::Analysis, Variant::Chess960)
        .map_err(|error| wrong("fen", &proof.fen, &error.to_string()))?
        .board;
    let certificate = match &proof.argument {
        None => return Err(wrong("argument", "", "missing")),
        Some(Argument::Material(number)) => Certificate::Material(
            read_material(*number).ok_or_else(|| wrong("material", &number.to_string(), "unknown"))?,
        ),
        Some(Argument::Confined(confined)) => Certificate::Confined(
            read_confinement(confined).ok_or_else(|| wrong("confined", "", "no square has this number"))?,
        ),
        Some(Argument::Exhausted(set)) => read_exhaustion(&board, set)
            .map_err(|(step, reason)| wrong(&format!("exhausted.moves[{step}]"), "", reason))?,
    };
    mate::check(&board, side, &certificate).map_err(|error| wrong("argument", "", &error.to_string()))
}

fn read_material(number: i32) -> Option<MaterialClass> {
    match v1::MateMaterial::try_from(number).ok()? {
        v1::MateMaterial::BareKing => Some(MaterialClass::BareKing),
        v1::MateMaterial::BishopsOfOneColor => Some(MaterialClass::BishopsOfOneColor),
        v1::MateMaterial::KnightAgainstQueens => Some(MaterialClass::KnightAgainstQueens),
        v1::MateMaterial::Unspecified => None,
    }
}

fn read_confinement(message: &v1::MateConfinement) -> Option<Reach> {
    let piece = |piece: &v1::PieceReach| {
        Some(PieceReach {
            from: square(piece.square)?,
            squares: Bitboard(piece.squares),
            promotes: piece.promotes,
            capturable: piece.capturable,
        })
    };
    let pieces = message.pieces.iter().map(piece).collect::<Option<_>>()?;
    Some(Reach { pieces })
}

fn square(number: u32) -> Option<Square> {
    let (file, rank) = (number % 8, number / 8);
    (rank < 8).then(|| Square::at(file as u8, rank as u8))
}

/// The set, or the first step that is wrong and why.
fn read_exhaustion(root: &Board, set: &v1::MateExhaustion) -> Result<Certificate, (usize, &'static str)> {
    if set.moves.len() != set.parents.len() || set.claims.len() != set.parents.len() {
        return Err((0, "parents, moves and claims are not of one length"));
    }
    let mut confinements = set.confinements.iter();
    let mut boards: Vec<Board> = Vec::with_capacity(set.parents.len());
    let mut steps = Vec::with_capacity(set.parents.len());
    for (number, ((&parent, &mv), &claim)) in set.parents.iter().zip(&set.moves).zip(&set.claims).enumerate()
    {
        let (board, mv) = if number == 0 {
            (*root, Move::NULL)
        } else {
            let before = boards.get(parent as usize).ok_or((number, "no earlier parent"))?;
            let mv = read_move(before, mv).ok_or((number, "no legal move from its parent"))?;
            (before.after(mv), mv)
        };
        boards.push(board);
        let end = match claim {
            0 => StepEnd::Open,
            CONFINED => confinements
                .next()
                .and_then(read_confinement)
                .map(StepEnd::Confined)
                .ok_or((number, "its confinement is missing or wrong"))?,
            class => StepEnd::Material(read_material(class.into()).ok_or((number, "unknown claim"))?),
        };
        steps.push(Step { parent, mv, end });
    }
    Ok(Certificate::Exhausted {
        steps,
        digest: set.digest,
    })
}

/// The legal move with a number.
fn read_move(board: &Board, number: u32) -> Option<Move> {
    let mut moves = tabiya_rules::MoveList::new();
    board.legal_moves(&mut moves);
    moves.into_iter().find(|&mv| move_number(mv) == number)
}

const _: () = assert!(Piece::Knight as u32 == 1 && Piece::Queen as u32 == 4);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::{mate_question, mate_response};

    fn answer(fen: &str, side: v1::Color) -> v1::ProveMateResponse {
        let request = v1::ProveMateRequest {
            position: Some(v1::Position {
                fen: fen.into(),
                ..Default::default()
            }),
            side: side.into(),
            limits: None,
            with_certificate: true,
        };
        let question = mate_question(&request).unwrap();
        let proof = mate::prove(question.position.board(), question.side, question.nodes);
        mate_response(&question, proof)
    }

    /// One position for each kind of argument.
    const NEVER: [&str; 3] = [
        "8/8/4k3/8/8/4KB2/8/8 b - - 0 1",
        "8/8/4k3/1p1p1p1p/1P1P1P1P/4K3/8/8 w - - 0 1",
        "k7/P1K5/8/8/8/8/8/8 b - - 0 1",
    ];

    #[test]
    fn every_kind_of_proof_survives_the_wire_and_is_checked() {
        for fen in NEVER {
            let answer = answer(fen, v1::Color::Black);
            assert_eq!(answer.verdict(), v1::MateVerdict::No, "{fen}");
            let certificate = answer.certificate.unwrap();
            let proof = certificate.proof.unwrap();
            let encoded = proof.encode_to_vec();
            assert_eq!(certificate.size, encoded.len() as u64);
            assert_eq!(certificate.sha256, Sha256::digest(&encoded).to_vec());
            let read = v1::MateProof::decode(encoded.as_slice()).unwrap();
            check_mate_proof(&read).unwrap();
        }
    }

    #[test]
    fn a_forged_proof_is_refused() {
        let proof = answer(NEVER[1], v1::Color::White)
            .certificate
            .unwrap()
            .proof
            .unwrap();
        let mut open = proof.clone();
        open.fen = "8/8/4k3/1p1p1p2/1P1P1P1P/4K3/8/8 w - - 0 1".into();
        assert!(check_mate_proof(&open).is_err());
        let mut newer = proof.clone();
        newer.version = 2;
        assert_eq!(check_mate_proof(&newer).unwrap_err().kept()[0].field, "version");
        let forged = v1::MateExhaustion {
            parents: vec![0, 7],
            moves: vec![0, 0],
            claims: vec![0, 0],
            ..Default::default()
        };
        let set = v1::MateProof {
            argument: Some(Argument::Exhausted(forged)),
            ..proof
        };
        let refused = check_mate_proof(&set).unwrap_err();
        assert_eq!(refused.kept()[0].field, "exhausted.moves[1]");
    }
}
