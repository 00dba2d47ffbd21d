use tabiya_arbiter::{Article, Claim, ClaimGround, Decision, FIDE_2023, Termination, adjudicate};
use tabiya_rules::{Color, Variant, uci};

use super::{ParsedPosition, enumeration::enumeration, parse_position, position::uci_reason};
use crate::{
    error::{ServiceError, Violations},
    v1::{self, adjudicate_request::Game},
};

/// A game to decide, checked.
#[derive(Clone, Debug)]
pub struct AdjudicateQuestion {
    position: ParsedPosition,
    /// Plies that `game` holds; further ones came as events.
    game_plies: usize,
    language: v1::Language,
}

impl AdjudicateQuestion {
    /// Plies to follow.
    pub fn plies(&self) -> usize {
        self.position.game.moves().len()
    }
}

/// Checks a request to decide a game.
///
/// # Errors
/// INVALID_ARGUMENT for what cannot be right; UNIMPLEMENTED for what needs more than the board and the moves.
pub fn adjudicate_question(request: &v1::AdjudicateRequest) -> Result<AdjudicateQuestion, ServiceError> {
    if !matches!(request.ruleset.as_str(), "" | FIDE_2023) {
        return Err(ServiceError::invalid(
            "ruleset",
            &request.ruleset,
            "unknown; only fide-2023 is served so far",
        ));
    }
    let mut violations = Violations::default();
    let language = enumeration(request.language, "language", &mut violations);
    let position = match &request.game {
        Some(Game::Position(position)) => parse_position(Some(position), "position"),
        Some(Game::Pgn(_)) => {
            return Err(ServiceError::Unimplemented(
                "adjudicating a pgn is not served yet; send a position".into(),
            ));
        }
        None => parse_position(None, "position"),
    };
    let mut position = match position {
        Ok(position) if violations.is_empty() => position,
        Ok(_) => return Err(violations.into()),
        Err(wrong) => {
            violations.append(wrong);
            return Err(violations.into());
        }
    };
    let game_plies = position.game.moves().len();
    for (index, event) in request.events.iter().enumerate() {
        play_event(&mut position, index, event)?;
    }
    Ok(AdjudicateQuestion {
        position,
        game_plies,
        language,
    })
}

fn play_event(position: &mut ParsedPosition, index: usize, event: &v1::Event) -> Result<(), ServiceError> {
    let Some(v1::event::Kind::Move(mv)) = &event.kind else {
        let message = format!("events[{index}]: only events of the kind `move` are adjudicated so far");
        return Err(ServiceError::Unimplemented(message));
    };
    let mut violations = Violations::default();
    let actor: v1::Color = enumeration(event.actor, format!("events[{index}].actor"), &mut violations);
    let to_move = match position.board().side_to_move() {
        Color::White => v1::Color::White,
        Color::Black => v1::Color::Black,
    };
    if violations.is_empty() && actor != v1::Color::Unspecified && actor != to_move {
        violations.add(
            format!("events[{index}].actor"),
            actor.as_str_name(),
            "not the side to move",
        );
    }
    if !violations.is_empty() {
        return Err(violations.into());
    }
    match uci::parse(position.board(), &mv.uci, position.variant) {
        Ok(mv) => {
            position.game.play(mv);
            Ok(())
        }
        Err(error) => Err(ServiceError::invalid(
            format!("events[{index}].move.uci"),
            &mv.uci,
            uci_reason(&error),
        )),
    }
}

/// Decides the game and writes the answer.
pub fn adjudicate_response(question: &AdjudicateQuestion) -> v1::AdjudicateResponse {
    let Decision { ending, claims } = adjudicate(&question.position.game);
    let variant = question.position.variant;
    let Some(ending) = ending else {
        return v1::AdjudicateResponse {
            status: v1::GameStatus::Ongoing.into(),
            reason: match question.language {
                v1::Language::Zh => "局面与着法均未使对局结束".into(),
                v1::Language::Unspecified | v1::Language::En => {
                    "the board and the moves do not end the game".into()
                }
            },
            claimable: claims
                .iter()
                .map(|&claim| claim_message(claim, variant))
                .collect(),
            ..Default::default()
        };
    };
    let article = ending.termination.article();
    v1::AdjudicateResponse {
        status: v1::GameStatus::Decided.into(),
        result: match ending.winner {
            Some(Color::White) => v1::GameResult::WhiteWins,
            Some(Color::Black) => v1::GameResult::BlackWins,
            None => v1::GameResult::Draw,
        }
        .into(),
        termination: termination_message(ending.termination).into(),
        decisive_event: ending
            .ply
            .checked_sub(question.game_plies + 1)
            .map(|event| event as u32),
        decisive_ply: Some(ending.ply as u32),
        citations: vec![citation(article)],
        also_applied: ending
            .also
            .iter()
            .map(|&other| termination_message(other).into())
            .collect(),
        reason: match question.language {
            v1::Language::Zh => article.text_zh().into(),
            v1::Language::Unspecified | v1::Language::En => article.text_en().into(),
        },
        claimable: Vec::new(),
    }
}

fn claim_message(claim: Claim, variant: Variant) -> v1::ClaimableDraw {
    v1::ClaimableDraw {
        ground: match claim.ground {
            ClaimGround::ThreefoldRepetition => v1::ClaimGround::ThreefoldRepetition,
            ClaimGround::FiftyMoves => v1::ClaimGround::FiftyMoves,
        }
        .into(),
        with_move: claim
            .with_move
            .map(|mv| uci::write(mv, variant).to_string())
            .unwrap_or_default(),
        citation: Some(citation(claim.article())),
    }
}

fn citation(article: Article) -> v1::Citation {
    v1::Citation {
        ruleset: FIDE_2023.into(),
        article: article.number().into(),
        text_en: article.text_en().into(),
        text_zh: article.text_zh().into(),
    }
}

fn termination_message(termination: Termination) -> v1::Termination {
    match termination {
        Termination::Checkmate => v1::Termination::Checkmate,
        Termination::Stalemate => v1::Termination::Stalemate,
        Termination::DeadPosition => v1::Termination::DeadPosition,
        Termination::FivefoldRepetition => v1::Termination::FivefoldRepetition,
        Termination::SeventyFiveMoves => v1::Termination::SeventyFiveMoves,
    }
}
