//! A game seen with the colours swapped: ranks turned over, White's things Black's.

use tabiya_arbiter::replay::{
    ClockReading, Clocks, Conclusion, Decision, Effect, Event, EventKind, GameResult, Report, Ruling,
};
use tabiya_rules::{Board, Color, Game, Move, Square, fen};

pub(crate) fn game(game: &Game) -> Game {
    let text = fen::xfen(game.start());
    let mut fields = text.split(' ');
    let mut next = || fields.next().unwrap_or_default();
    let swap = |letter: char| {
        if letter.is_ascii_uppercase() {
            letter.to_ascii_lowercase()
        } else {
            letter.to_ascii_uppercase()
        }
    };
    let rows: Vec<String> = next()
        .split('/')
        .rev()
        .map(|row| row.chars().map(swap).collect())
        .collect();
    let turn = if next() == "w" { "b" } else { "w" };
    let mut castling: Vec<char> = next().chars().map(swap).collect();
    castling.sort_by_key(|letter| "KQkq-".find(*letter));
    let castling: String = castling.into_iter().collect();
    let passed = next().replace('3', "x").replace('6', "3").replace('x', "6");
    let text = format!(
        "{} {turn} {castling} {passed} {} {}",
        rows.join("/"),
        next(),
        next()
    );
    let mut mirrored = Game::new(Board::from_fen(&text).unwrap());
    for &mv in game.moves() {
        mirrored.play(move_(mv));
    }
    mirrored
}

fn flip(square: Square) -> Square {
    Square::at(square.file(), 7 - square.rank())
}

fn move_(mv: Move) -> Move {
    Move::new(flip(mv.from()), flip(mv.to()), mv.kind())
}

fn squares(squares: &[Square]) -> Vec<Square> {
    squares.iter().map(|square| flip(*square)).collect()
}

/// Moves from square to square; other texts are no moves and stay.
fn text(text: &str) -> String {
    let is_move = text.len() >= 4 && text[..2].parse::<Square>().is_ok();
    if !is_move {
        return text.to_owned();
    }
    let turn = |digit: char| match digit {
        '1'..='8' => char::from(b'1' + b'8' - digit as u8),
        other => other,
    };
    text.chars().map(turn).collect()
}

fn reading(reading: ClockReading) -> ClockReading {
    ClockReading([reading.0[1], reading.0[0]])
}

fn result(result: GameResult) -> GameResult {
    match result {
        GameResult::Wins(side) => GameResult::Wins(!side),
        other => other,
    }
}

fn decision(decision: &Decision) -> Decision {
    match decision.clone() {
        Decision::Result(by) => Decision::Result(result(by)),
        Decision::Annul => Decision::Annul,
        Decision::Choice {
            choice,
            event,
            side,
            time,
            half_points,
            result: changed,
            clocks,
        } => Decision::Choice {
            choice,
            event,
            side: side.map(|side| !side),
            time,
            half_points,
            result: changed.map(result),
            clocks: reading(clocks),
        },
    }
}

pub(crate) fn event(of: &Event) -> Event {
    let mut kind = of.kind.clone();
    match &mut kind {
        EventKind::Move { text: written, .. } | EventKind::Seal { text: written, .. } => {
            *written = text(written)
        }
        EventKind::Touch { squares: touched, .. }
        | EventKind::TouchComplaint { squares: touched, .. }
        | EventKind::SetupFault { squares: touched, .. } => *touched = squares(touched),
        EventKind::Release { from, to, .. } => {
            (*from, *to) = (flip(*from), flip(*to));
        }
        EventKind::Claim { with_move, .. } => *with_move = with_move.as_deref().map(text),
        EventKind::FlagFall { side, .. } | EventKind::IllegalMoveReport { side, .. } => {
            *side = side.map(|side| !side)
        }
        EventKind::ArbiterDecision(decided) => *decided = decision(decided),
        EventKind::Correction { by, .. } => **by = event(by),
        _ => {}
    }
    Event {
        actor: of.actor.map(|actor| !actor),
        at: of.at,
        reading: reading(of.reading),
        kind,
    }
}

fn effect(of: Effect) -> Effect {
    let mut image = of;
    match &mut image {
        Effect::TimeAdded { side, .. }
        | Effect::UsedTimeAdded { side, .. }
        | Effect::IllegalCount { side, .. }
        | Effect::OfferOpen { by: side }
        | Effect::OfferClosed { by: side }
        | Effect::MayBePenalised { side }
        | Effect::TimeLost { side, .. }
        | Effect::ClockRuns { side }
        | Effect::NeedNotRecord { side }
        | Effect::CompleteSheet { side }
        | Effect::RightLost { side, .. }
        | Effect::RightRegained { side, .. }
        | Effect::ClockSet { side, .. }
        | Effect::Points { side, .. }
        | Effect::LendSheet { side } => *side = !*side,
        Effect::BecomesQueen(square) | Effect::FinishPromotion(square) => *square = flip(*square),
        Effect::Obliged(moves) => moves.iter_mut().for_each(|mv| *mv = move_(*mv)),
        Effect::SealedMove(mv) => *mv = move_(*mv),
        _ => {}
    }
    image
}

fn ruling(of: Ruling) -> Ruling {
    Ruling {
        effects: of.effects.into_iter().map(effect).collect(),
        replayed: of.replayed.into_iter().map(ruling).collect(),
        ..of
    }
}

pub(crate) fn report(of: Report) -> Report {
    let conclusion = of.conclusion.map(|end| Conclusion {
        result: end.result.map(result),
        ..end
    });
    let clocks = of.clocks.map(|clocks| Clocks {
        sides: [clocks.sides[1], clocks.sides[0]],
        running: clocks.running.map(|side: Color| !side),
    });
    let mut claimable = of.claimable;
    for claim in &mut claimable {
        claim.with_move = claim.with_move.map(move_);
    }
    Report {
        conclusion,
        scores: of.scores.map(|[white, black]| [black, white]),
        clocks,
        claimable,
        rulings: of.rulings.into_iter().map(ruling).collect(),
        standing: of
            .standing
            .map(|rulings| rulings.into_iter().map(ruling).collect()),
        obligations: of.obligations.map(|moves| moves.into_iter().map(move_).collect()),
        ..of
    }
}

/// The report with lists whose order has no meaning put in one: moves, and what concerns one side beside the other.
pub(crate) fn sorted(mut of: Report) -> Report {
    let by_text = |mv: &Move| mv.to_string();
    if let Some(moves) = &mut of.obligations {
        moves.sort_by_key(by_text);
    }
    of.claimable
        .sort_by_key(|claim| format!("{:?} {:?}", claim.ground, claim.with_move.map(|mv| by_text(&mv))));
    fn order(rulings: &mut [Ruling]) {
        for ruling in rulings {
            for effect in &mut ruling.effects {
                if let Effect::Obliged(moves) = effect {
                    moves.sort_by_key(|mv| mv.to_string());
                }
            }
            ruling.effects.sort_by_key(|effect| format!("{effect:?}"));
            order(&mut ruling.replayed);
        }
    }
    order(&mut of.rulings);
    of.standing.iter_mut().for_each(|rulings| order(rulings));
    of
}
