//! What a record tells of the end of its game, as events.

use std::sync::{Arc, atomic::AtomicBool};

use tabiya_rules::{Color, uci};

use super::{Record, RecordedTermination as T};
use crate::{
    ClaimGround,
    mate::{DEFAULT_LIMIT, Prover},
    replay::{Decision, Event, EventKind, GameResult, Witness, announceable, claim_holds, loss_is_draw},
    ruleset::Ruleset,
};

impl Record {
    /// The events that the record tells of, after its moves; see the table of the [module](super). `ended` says whether
    /// the moves by themselves have ended the game; the ruleset, how draws are offered and which claims there are.
    /// A proof that this takes is given up when `stop` is raised; the events then mean nothing.
    pub fn events(&self, ended: bool, ruleset: &Ruleset, stop: &Arc<AtomicBool>) -> Vec<Event> {
        if self.broken.is_some() {
            return Vec::new();
        }
        let result = self.result();
        let on_move = self.game.board().side_to_move();
        match (self.termination, result) {
            (Some(T::Time), Some(GameResult::Wins(winner))) => vec![flag(!winner)],
            (Some(T::Time), _) => vec![flag(on_move)],
            (Some(T::Abandoned | T::Decision), Some(result)) => vec![decision(result)],
            (Some(T::Resignation), Some(GameResult::Wins(winner))) => vec![resignation(!winner)],
            (Some(T::Agreement), Some(GameResult::Draw)) => agreement(on_move, ruleset),
            // What ended the game on the board needs no event.
            _ if ended => Vec::new(),
            (Some(T::Resignation), Some(GameResult::Draw)) => self
                .drawn_resignation(ruleset, stop)
                .map(resignation)
                .into_iter()
                .collect(),
            (Some(T::Repetition), Some(GameResult::Draw)) => {
                vec![self.named_claim(ClaimGround::ThreefoldRepetition, ruleset)]
            }
            (Some(T::QuietMoves), Some(GameResult::Draw)) => {
                vec![self.named_claim(ClaimGround::FiftyMoves, ruleset)]
            }
            (None, Some(result)) if self.plies() == 0 && result != GameResult::Draw => vec![decision(result)],
            (Some(T::Normal) | None, Some(GameResult::Wins(winner))) => vec![resignation(!winner)],
            (Some(T::Normal) | None, Some(GameResult::Draw)) => match self.claim(ruleset) {
                Some(ground) => vec![claim(on_move, ground, None)],
                None => agreement(on_move, ruleset),
            },
            (Some(T::Normal) | None, Some(GameResult::BothLose)) => vec![decision(GameResult::BothLose)],
            _ => Vec::new(),
        }
    }

    /// A claim that the last position gives the side on move.
    fn claim(&self, ruleset: &Ruleset) -> Option<ClaimGround> {
        let holds = |ground: &ClaimGround| claim_holds(&self.game, *ground, None, &ruleset.switches);
        ClaimGround::ALL.into_iter().find(holds)
    }

    /// A claim that the record names. The move of one that is announced is written down and not played, so no record shows
    /// it: where the claim needs one, it is the first that makes it right.
    fn named_claim(&self, ground: ClaimGround, ruleset: &Ruleset) -> Event {
        let complete = claim_holds(&self.game, ground, None, &ruleset.switches);
        let announced = (!complete)
            .then(|| announceable(&self.game, ground, ruleset).first().copied())
            .flatten();
        let text = announced.map(|mv| uci::write(mv, self.variant).to_string());
        claim(self.game.board().side_to_move(), ground, text)
    }

    /// The side whose resignation draws, if it is the only one.
    fn drawn_resignation(&self, ruleset: &Ruleset, stop: &Arc<AtomicBool>) -> Option<Color> {
        let mut prover = Prover::stopped_by(stop.clone());
        let board = self.game.board();
        let reading = ruleset.switches.resignation_draw;
        let draws = Color::ALL.map(|side| {
            loss_is_draw(
                &mut prover,
                board,
                !side,
                reading,
                DEFAULT_LIMIT,
                &ruleset.switches,
            ) == Some(true)
        });
        match draws {
            [true, false] => Some(Color::White),
            [false, true] => Some(Color::Black),
            _ => None,
        }
    }
}

/// The record does not tell who saw it.
fn flag(side: Color) -> Event {
    let kind = EventKind::FlagFall {
        side: Some(side),
        last_period: None,
        witness: Witness::Record,
        confirmed: None,
    };
    Event::new(None, kind)
}

fn resignation(side: Color) -> Event {
    Event::new(Some(side), EventKind::Resignation)
}

fn decision(result: GameResult) -> Event {
    Event::new(None, EventKind::ArbiterDecision(Decision::Result(result)))
}

fn claim(by: Color, ground: ClaimGround, with_move: Option<String>) -> Event {
    let kind = EventKind::Claim {
        ground,
        with_move,
        remaining: None,
        display_only: false,
    };
    Event::new(Some(by), kind)
}

/// The side that moved last offers, or the one on move where only that side may; the other accepts.
fn agreement(on_move: Color, ruleset: &Ruleset) -> Vec<Event> {
    let by = match ruleset.switches.offer_on_move_only {
        true => on_move,
        false => !on_move,
    };
    let offer = EventKind::DrawOffer {
        consent: None,
        moment_unknown: true,
    };
    vec![
        Event::new(Some(by), offer),
        Event::new(Some(!by), EventKind::DrawAnswer { accept: true }),
    ]
}
