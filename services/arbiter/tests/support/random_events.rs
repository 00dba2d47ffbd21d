//! Random lists of events, from any source of random numbers: what players and arbiters report, sense or nonsense.

use std::time::Duration;

use tabiya_arbiter::{
    ClaimGround,
    replay::{
        Breach, Choice, ClockFault, ClockReading, Decision, EnvelopeItem, Event, EventKind, GameResult,
        PauseReason, QuickplayClaim, RecordingLapse, SetupFault, Witness,
    },
};
use tabiya_rules::{Color, Game, MoveList, Piece, Square, Variant, uci};

/// Where numbers come from.
pub(crate) trait Source {
    /// A number below `count`.
    fn below(&mut self, count: usize) -> usize;

    /// Whether something holds.
    fn flag(&mut self) -> bool {
        self.below(2) == 1
    }

    /// One of several.
    fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

/// What a list may hold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope {
    /// Retractions and corrections.
    pub(crate) edits: bool,
    /// What treats White and Black differently by its nature: arrivals.
    pub(crate) one_sided: bool,
    /// Events that speak of places in the list, edits aside.
    pub(crate) places: bool,
    /// Times and readings.
    pub(crate) times: bool,
}

/// So many events after a game.
pub(crate) fn events(source: &mut impl Source, start: &Game, count: usize, scope: Scope) -> Vec<Event> {
    let mut game = start.clone();
    let mut now = 0;
    let mut list = Vec::with_capacity(count);
    while list.len() < count {
        let mut event = one(source, &mut game, list.len(), scope);
        if scope.times && source.below(4) > 0 {
            now += source.below(400) as u64;
            event.at = Some(Duration::from_secs(now));
        }
        if scope.times && source.below(12) == 0 {
            let mut left = || Some(Duration::from_secs(source.below(900) as u64));
            event.reading = ClockReading([left(), left()]);
        }
        list.push(event);
    }
    list
}

fn one(source: &mut impl Source, game: &mut Game, index: usize, scope: Scope) -> Event {
    let us = game.board().side_to_move();
    match source.below(10) {
        0..=3 => legal_move(source, game),
        4 => Event::new(Some(!us), EventKind::ClockPress),
        _ => {
            let kind = kind(source, game, index, scope);
            let actor = source.pick(&[Some(us), Some(!us), Some(us), None]);
            Event::new(actor, kind)
        }
    }
}

fn legal_move(source: &mut impl Source, game: &mut Game) -> Event {
    let us = game.board().side_to_move();
    let mut moves = MoveList::new();
    game.board().legal_moves(&mut moves);
    let Some(&mv) = moves.get(source.below(moves.len().max(1))) else {
        return Event::new(Some(us), EventKind::Resignation);
    };
    let text = uci::write(mv, Variant::Standard).to_string();
    game.play(mv);
    let (notation, two_hands) = (None, source.below(30) == 0);
    Event::new(
        Some(us),
        EventKind::Move {
            text,
            notation,
            two_hands,
            unnoticed: false,
        },
    )
}

fn square(source: &mut impl Source) -> Square {
    Square::at(source.below(8) as u8, source.below(8) as u8)
}

fn any_move(source: &mut impl Source) -> String {
    match source.below(6) {
        0 => "no move".into(),
        _ => format!("{}{}", square(source), square(source)),
    }
}

fn maybe(source: &mut impl Source) -> Option<bool> {
    source.pick(&[None, Some(true), Some(false)])
}

fn side(source: &mut impl Source) -> Option<Color> {
    source.pick(&[None, Some(Color::White), Some(Color::Black)])
}

fn time(source: &mut impl Source, most: usize) -> Duration {
    Duration::from_secs(source.below(most) as u64)
}

fn maybe_time(source: &mut impl Source, most: usize) -> Option<Duration> {
    source.flag().then(|| time(source, most))
}

fn squares(source: &mut impl Source) -> Vec<Square> {
    (0..1 + source.below(3)).map(|_| square(source)).collect()
}

fn result(source: &mut impl Source) -> GameResult {
    source.pick(&[
        GameResult::Wins(Color::White),
        GameResult::Wins(Color::Black),
        GameResult::Draw,
        GameResult::BothLose,
    ])
}

fn decision(source: &mut impl Source, index: usize, scope: Scope) -> Decision {
    match source.below(8) {
        0 => Decision::Result(result(source)),
        1 => Decision::Annul,
        _ => Decision::Choice {
            choice: source.pick(Choice::ALL),
            event: (scope.places && source.flag()).then(|| source.below(index + 1)),
            side: side(source),
            time: maybe_time(source, 400),
            half_points: source.below(4) as u32,
            result: source.flag().then(|| result(source)),
            clocks: ClockReading([maybe_time(source, 4000), maybe_time(source, 4000)]),
        },
    }
}

fn kind(source: &mut impl Source, game: &mut Game, index: usize, scope: Scope) -> EventKind {
    match source.below(34) {
        0 | 1 => EventKind::Move {
            text: any_move(source),
            notation: None,
            two_hands: source.flag(),
            unnoticed: source.flag(),
        },
        2 => EventKind::ClockPress,
        3 => EventKind::Touch {
            squares: squares(source),
            adjust: source.flag(),
            order_unclear: source.flag(),
            accidental: source.flag(),
            consent: maybe(source),
            out_of_hole: maybe(source),
        },
        4 => EventKind::Release {
            from: square(source),
            to: square(source),
            released: source.flag(),
            promotion: source.pick(&[None, None, Some(Piece::Queen)]),
            announced: maybe(source),
        },
        5 => EventKind::TouchComplaint {
            touched_since: source.flag(),
            squares: squares(source),
            promotion: None,
            established: maybe(source),
        },
        6 | 7 => EventKind::DrawOffer {
            consent: maybe(source),
            moment_unknown: source.below(4) == 0,
        },
        8 => EventKind::Withdrawal,
        9 => EventKind::DrawAnswer {
            accept: source.below(4) == 0,
        },
        10 => EventKind::Claim {
            ground: source.pick(&[ClaimGround::ThreefoldRepetition, ClaimGround::FiftyMoves]),
            with_move: source.flag().then(|| any_move(source)),
            remaining: maybe_time(source, 900),
            display_only: source.flag(),
        },
        11 if source.below(6) == 0 => EventKind::Resignation,
        12 if source.below(4) == 0 => EventKind::FlagFall {
            side: side(source),
            last_period: maybe(source),
            witness: source.pick(&[
                Witness::Actor,
                Witness::Arbiter,
                Witness::Player,
                Witness::Bystander,
            ]),
            confirmed: maybe(source),
        },
        13 if scope.one_sided => EventKind::Arrival {
            late: time(source, 5000),
            opponent_absent: source.flag(),
            excused: source.flag(),
        },
        14 => EventKind::IllegalMoveReport {
            after_signature: source.flag(),
            position_known: source.below(4) > 0,
            times_known: source.flag(),
            both_agree: source.flag(),
            moves_before: source.flag().then(|| source.below(9) as u32),
            side: side(source),
        },
        15 => EventKind::IllegalPosition,
        16 => EventKind::Displacement {
            found_later: source.flag(),
            position_known: source.below(4) > 0,
            pressed: source.flag(),
            times_known: source.flag(),
            moves_before: source.flag().then(|| source.below(9) as u32),
        },
        17 => EventKind::SetupFault {
            fault: source.pick(&[
                SetupFault::WrongPieces,
                SetupFault::BoardTurned,
                SetupFault::ColoursReversed,
                SetupFault::ResumedWrong,
            ]),
            first_period_permille: source.flag().then(|| source.below(1000) as u32),
            squares: squares(source),
        },
        18 => EventKind::Recording {
            lapse: source.pick(&[
                RecordingLapse::Stopped,
                RecordingLapse::Behind,
                RecordingLapse::InAdvance,
                RecordingLapse::OfferUnmarked,
                RecordingLapse::Refused,
                RecordingLapse::BothStopped,
                RecordingLapse::Borrows,
                RecordingLapse::OneIncomplete,
                RecordingLapse::BothIncomplete,
                RecordingLapse::Insufficient,
                RecordingLapse::Unclear,
            ]),
            remaining: maybe_time(source, 900),
            increment: maybe_time(source, 60),
        },
        19 => EventKind::Breach {
            breach: source.pick(&[
                Breach::Disrepute,
                Breach::LeftArea,
                Breach::Help,
                Breach::DeviceInVenue,
                Breach::InspectionRefused,
                Breach::Smoking,
                Breach::Disturbing,
                Breach::NotesOnSheet,
                Breach::AnalysisInRoom,
                Breach::ClockHandling,
                Breach::Captain,
                Breach::Other,
                Breach::Other,
                Breach::DeviceOnPlayer,
                Breach::Refusal,
                Breach::BothRefuse,
            ]),
        },
        20 => EventKind::Seal {
            text: match source.flag() {
                true => any_move(source),
                false => sealed(source, game),
            },
            clock_stopped: source.flag(),
            session_left: maybe_time(source, 900),
        },
        21 => EventKind::EnvelopeLost {
            position_known: maybe(source),
            times_known: source.flag(),
        },
        22 => EventKind::EnvelopeChecked {
            items: vec![source.pick(&[EnvelopeItem::Names, EnvelopeItem::Position, EnvelopeItem::Offer])],
        },
        23 => EventKind::Resume {
            replier_present: source.flag(),
            sealer_present: source.flag(),
            sealer_late: time(source, 5000),
            replier_late: time(source, 5000),
        },
        24 => EventKind::ArbiterDecision(decision(source, index, scope)),
        25 if scope.edits => EventKind::Retraction {
            event: source.below(index + 2),
        },
        26 if scope.edits => {
            let inner = Scope {
                edits: false,
                ..scope
            };
            EventKind::Correction {
                event: source.below(index + 2),
                by: Box::new(one(source, game, index, inner)),
            }
        }
        27 => EventKind::Pause {
            reason: source.pick(&[
                PauseReason::Assistance,
                PauseReason::PromotionPiece,
                PauseReason::Claim,
                PauseReason::Groundless,
            ]),
        },
        28 => EventKind::ClockStart,
        29 => EventKind::ClockFault {
            fault: source.pick(&[
                ClockFault::Defect,
                ClockFault::Doubted,
                ClockFault::Setting,
                ClockFault::ResumedWrong,
            ]),
            flag_fallen: source.flag(),
            moved_since_resumption: source.flag(),
        },
        30 => EventKind::Disturbance {
            interrupted: source.flag(),
        },
        31 => EventKind::QuickplayClaim {
            claim: source.pick(&[
                QuickplayClaim::Increment,
                QuickplayClaim::NormalMeans,
                QuickplayClaim::Unsupervised,
            ]),
            remaining: maybe_time(source, 200),
        },
        32 => match source.below(4) {
            0 => EventKind::Assistance {
                disability: source.flag(),
            },
            1 => EventKind::SlipOfTongue {
                clock_started: source.flag(),
            },
            2 => EventKind::BoardsDiffer {
                sheets_agree: maybe(source),
                moves_before: None,
            },
            _ => EventKind::Appeal,
        },
        _ => EventKind::DrawAnswer { accept: false },
    }
}

/// A legal move, not played.
fn sealed(source: &mut impl Source, game: &Game) -> String {
    let mut moves = MoveList::new();
    game.board().legal_moves(&mut moves);
    let mv = moves.get(source.below(moves.len().max(1)));
    mv.map_or_else(String::new, |&mv| uci::write(mv, Variant::Standard).to_string())
}
