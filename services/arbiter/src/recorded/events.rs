//! What a record tells of the end of its game, as events.

use tabiya_rules::{Color, Move, MoveList, uci};

use super::{Record, RecordedTermination as T};
use crate::{
    ClaimGround,
    replay::{Decision, Event, EventKind, GameResult, Witness, claim_holds},
    ruleset::Switches,
};

impl Record {
    /// The events that the record tells of, after its moves; see the table of the [module](super). `ended` says whether
    /// the moves by themselves have ended the game; the switches, which claims there are.
    pub fn events(&self, ended: bool, switches: &Switches) -> Vec<Event> {
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
            (Some(T::Agreement), Some(GameResult::Draw)) => agreement(on_move, switches),
            // What ended the game on the board needs no event.
            _ if ended => Vec::new(),
            (Some(T::Repetition), Some(GameResult::Draw)) => {
                vec![self.claimed(ClaimGround::ThreefoldRepetition, switches)]
            }
            (Some(T::QuietMoves), Some(GameResult::Draw)) => {
                vec![self.claimed(ClaimGround::FiftyMoves, switches)]
            }
            (None, Some(result)) if self.plies() == 0 && result != GameResult::Draw => vec![decision(result)],
            (Some(T::Normal) | None, Some(GameResult::Wins(winner))) => vec![resignation(!winner)],
            (Some(T::Normal) | None, Some(GameResult::Draw)) => match self.claim(switches) {
                Some(ground) => vec![claim(on_move, ground)],
                None => agreement(on_move, switches),
            },
            (Some(T::Normal) | None, Some(GameResult::BothLose)) => vec![decision(GameResult::BothLose)],
            _ => Vec::new(),
        }
    }

    /// The claim that a record tells of: with the move that was written down and not played, where only that makes it right.
    fn claimed(&self, ground: ClaimGround, switches: &Switches) -> Event {
        let by = self.game.board().side_to_move();
        let mut moves = MoveList::new();
        if !claim_holds(&self.game, ground, None, switches) {
            self.game.board().legal_moves(&mut moves);
        }
        let holds = |mv: &&Move| claim_holds(&self.game, ground, Some(**mv), switches);
        let written = moves.iter().find(holds);
        let text = written.map(|&mv| uci::write(mv, self.variant).to_string());
        claim_with(by, ground, text)
    }

    /// A claim that the last position gives the side on move.
    fn claim(&self, switches: &Switches) -> Option<ClaimGround> {
        let holds = |ground: &ClaimGround| claim_holds(&self.game, *ground, None, switches);
        [ClaimGround::ThreefoldRepetition, ClaimGround::FiftyMoves]
            .into_iter()
            .find(holds)
    }
}

/// The record does not tell who saw it; that it stands in the record means that it was established.
fn flag(side: Color) -> Event {
    let kind = EventKind::FlagFall {
        side: Some(side),
        last_period: None,
        witness: Witness::Arbiter,
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

fn claim(by: Color, ground: ClaimGround) -> Event {
    claim_with(by, ground, None)
}

fn claim_with(by: Color, ground: ClaimGround, with_move: Option<String>) -> Event {
    let kind = EventKind::Claim {
        ground,
        with_move,
        remaining: None,
        display_only: false,
    };
    Event::new(Some(by), kind)
}

/// The side that moved last offers before it presses, and the other accepts; where only the side on move may offer, it does.
fn agreement(on_move: Color, switches: &Switches) -> Vec<Event> {
    let (by, before_press) = match switches.offer_on_move_only {
        true => (on_move, None),
        false => (!on_move, Some(true)),
    };
    let offer = EventKind::DrawOffer {
        consent: None,
        before_press,
    };
    vec![
        Event::new(Some(by), offer),
        Event::new(Some(!by), EventKind::DrawAnswer { accept: true }),
    ]
}
