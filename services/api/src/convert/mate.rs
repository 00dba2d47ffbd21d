//! Questions about who can still mate, and their answers with evidence.

use std::time::Duration;

use prost::Message;
use sha2::{Digest, Sha256};
use tabiya_arbiter::mate::{
    self, Certificate, MaterialClass, PieceReach, Proof, Reach, Step, StepEnd, Verdict,
};
use tabiya_rules::{
    Bitboard, Board, Color, Move, MoveKind, Piece, Square, Variant,
    fen::{self, FenMode},
    uci,
};

use super::{ParsedPosition, color::color_message, enumeration::enumeration, parse_position};
use crate::{
    error::{ServiceError, Violations},
    v1::{self, mate_proof::Argument},
};

/// Positions that a proof may generate unless the caller says otherwise.
pub const DEFAULT_PROOF_NODES: u32 = mate::DEFAULT_LIMIT;

/// Most positions that a proof may generate: they are kept in memory.
pub const MAX_PROOF_NODES: u32 = 1_000_000;

/// Greatest length of a certificate that is sent, in bytes.
pub const MAX_CERTIFICATE_BYTES: usize = 1 << 20;

/// Version of the encoding of proofs.
const VERSION: u32 = 1;

/// The claim of a position whose pieces are confined.
const CONFINED: u8 = 255;

/// A question about who can mate, checked.
#[derive(Clone, Debug)]
pub struct MateQuestion {
    /// The position.
    pub position: ParsedPosition,
    /// The side that would mate.
    pub side: Color,
    /// Positions that the proof may generate.
    pub nodes: u32,
    /// How long it may take.
    pub time: Option<Duration>,
    with_certificate: bool,
}

/// Checks a question.
///
/// # Errors
/// INVALID_ARGUMENT for what cannot be right.
pub fn mate_question(request: &v1::ProveMateRequest) -> Result<MateQuestion, ServiceError> {
    let mut violations = Violations::default();
    let side = match enumeration(request.side, "side", &mut violations) {
        v1::Color::White => Color::White,
        v1::Color::Black => Color::Black,
        v1::Color::Unspecified => {
            if violations.is_empty() {
                violations.add("side", "", "missing");
            }
            Color::White
        }
    };
    let limits = request.limits.unwrap_or_default();
    for (field, value) in [("limits.depth", limits.depth), ("limits.mate", limits.mate)] {
        if value != 0 {
            violations.add(field, &value.to_string(), "has no meaning for a proof");
        }
    }
    let time = limits.time.unwrap_or_default();
    let time = Duration::try_from(time).unwrap_or_else(|_| {
        violations.add(
            "limits.time",
            &time.seconds.to_string(),
            "negative or out of range",
        );
        Duration::ZERO
    });
    let position = match parse_position(request.position.as_ref(), "position") {
        Ok(position) if violations.is_empty() => position,
        Ok(_) => return Err(violations.into()),
        Err(wrong) => {
            violations.append(wrong);
            return Err(violations.into());
        }
    };
    Ok(MateQuestion {
        position,
        side,
        nodes: match limits.nodes {
            0 => DEFAULT_PROOF_NODES,
            nodes => nodes.min(MAX_PROOF_NODES.into()) as u32,
        },
        time: (!time.is_zero()).then_some(time),
        with_certificate: request.with_certificate,
    })
}

/// Writes an answer.
pub fn mate_response(question: &MateQuestion, proof: Proof) -> v1::ProveMateResponse {
    let mut response = undecided(proof.positions);
    match proof.verdict {
        Verdict::Yes(line) => {
            response.set_verdict(v1::MateVerdict::Yes);
            let write = |&mv| uci::write(mv, question.position.variant).to_string();
            response.helpmate = line.iter().map(write).collect();
        }
        Verdict::No(certificate) => {
            response.set_verdict(v1::MateVerdict::No);
            let board = question.position.board();
            response.certificate = question
                .with_certificate
                .then(|| certificate_message(board, question.side, &certificate));
        }
        Verdict::Unknown => {}
    }
    response
}

/// The answer of a proof that was given up.
pub fn undecided(nodes: u32) -> v1::ProveMateResponse {
    v1::ProveMateResponse {
        verdict: v1::MateVerdict::Unknown.into(),
        nodes: nodes.into(),
        ..Default::default()
    }
}

fn certificate_message(board: &Board, side: Color, certificate: &Certificate) -> v1::MateCertificate {
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

    #[test]
    fn limits_that_mean_nothing_are_refused_and_nodes_are_bounded() {
        let mut request = v1::ProveMateRequest {
            side: 7,
            limits: Some(v1::Limits {
                depth: 3,
                mate: 2,
                ..Default::default()
            }),
            ..Default::default()
        };
        let Err(ServiceError::Invalid(refused)) = mate_question(&request) else {
            panic!("accepted");
        };
        let fields: Vec<_> = refused
            .kept()
            .iter()
            .map(|violation| violation.field.as_str())
            .collect();
        assert_eq!(fields, ["side", "limits.depth", "limits.mate"]);
        request = v1::ProveMateRequest {
            side: v1::Color::White.into(),
            ..Default::default()
        };
        assert_eq!(mate_question(&request).unwrap().nodes, DEFAULT_PROOF_NODES);
        request.limits = Some(v1::Limits {
            nodes: u64::MAX,
            ..Default::default()
        });
        assert_eq!(mate_question(&request).unwrap().nodes, MAX_PROOF_NODES);
    }
}
