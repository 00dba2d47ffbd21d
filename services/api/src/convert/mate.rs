//! Questions about who can still mate, and their answers.

use std::time::Duration;

use tabiya_arbiter::mate::{self, Proof, Verdict};
use tabiya_rules::{Color, uci};

use super::{
    ParsedPosition, duration::read_duration, enumeration::enumeration, mate_proof::certificate_message,
    parse_position,
};
use crate::{
    error::{ServiceError, Violations},
    v1,
};

/// Positions that a proof may generate unless the caller says otherwise.
pub const DEFAULT_PROOF_NODES: u32 = mate::DEFAULT_LIMIT;

/// Most positions that a proof may generate: they are kept in memory.
pub const MAX_PROOF_NODES: u32 = 1_000_000;

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
    let time = read_duration(limits.time.unwrap_or_default()).unwrap_or_else(|(value, reason)| {
        violations.add("limits.time", &value, reason);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn castling_in_a_line_is_written_as_the_variant_has_it() {
        let mut request = v1::ProveMateRequest {
            position: Some(v1::Position {
                fen: "5k2/4p1p1/4P1P1/8/8/8/8/4K2R w K - 0 1".into(),
                ..Default::default()
            }),
            side: v1::Color::White.into(),
            ..Default::default()
        };
        for (variant, written) in [(v1::Variant::Standard, "e1g1"), (v1::Variant::Chess960, "e1h1")] {
            request.position.as_mut().unwrap().set_variant(variant);
            let question = mate_question(&request).unwrap();
            let castling = uci::parse(question.position.board(), "e1g1", question.position.variant).unwrap();
            let proof = Proof {
                verdict: Verdict::Yes(vec![castling]),
                positions: 1,
            };
            assert_eq!(mate_response(&question, proof).helpmate, [written]);
        }
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
