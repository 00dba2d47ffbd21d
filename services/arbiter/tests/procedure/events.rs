//! Short ways to write events.

use std::time::Duration;

use tabiya_arbiter::{
    ClaimGround,
    replay::{
        Breach, Choice, ClockReading, Decision, DelayMode, Effect, Event, EventKind, GameResult, Period,
        RecordingLapse, SetupFault, TimeControl, Witness,
    },
    ruleset::Library,
};
use tabiya_rules::{Board, Color, Move, MoveList, Square, Variant, uci};

/// Rulesets, by short names.
pub(crate) const F: &str = "fide-2023";
pub(crate) const A4: &str = "fide-2023-rapid-a4";
pub(crate) const A5: &str = "fide-2023-rapid-a5";
pub(crate) const B2: &str = "fide-2023-blitz-b2";
pub(crate) const B3: &str = "fide-2023-blitz-b3";
pub(crate) const CN: &str = "cn-classic";

pub(crate) const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
pub(crate) const ROOK: &str = "8/8/4k3/8/8/3K4/8/7R w - - 0 1";
pub(crate) const CENTRE: &str = "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
pub(crate) const LOCKED: &str = "4k3/8/8/p2p2p1/P2P2P1/8/8/4K3 w - - 0 1";
pub(crate) const SHUFFLE: &str = "g1f3 g8f6 f3g1 f6g8 ";
pub(crate) const FIFTY_ROOKS: &str = "r3k3/8/8/8/8/8/8/R3K3 w - - ";

pub(crate) const W: Option<Color> = Some(Color::White);
pub(crate) const B: Option<Color> = Some(Color::Black);
pub(crate) const ARBITER: Option<Color> = None;

/// An event without a time.
pub(crate) fn at(actor: Option<Color>, kind: EventKind) -> Event {
    Event::new(actor, kind)
}

/// The event, so many seconds after the start.
pub(crate) fn when(seconds: u64, event: Event) -> Event {
    Event {
        at: Some(Duration::from_secs(seconds)),
        ..event
    }
}

/// The rulesets in the program.
pub(crate) fn rulesets() -> &'static Library {
    Library::built_in().unwrap()
}

/// So many moves, or all that are left, in so many minutes, with seconds for each move.
pub(crate) fn period(moves: u32, minutes: u64, increment: u64) -> Period {
    Period {
        increment: Duration::from_secs(increment),
        ..short_period(moves, 60 * minutes)
    }
}

/// So many moves, or all that are left, in so many seconds.
pub(crate) fn short_period(moves: u32, seconds: u64) -> Period {
    Period {
        moves,
        time: Duration::from_secs(seconds),
        increment: Duration::ZERO,
        delay: Duration::ZERO,
        delay_mode: DelayMode::Simple,
    }
}

/// All moves in so many seconds.
pub(crate) fn guillotine(seconds: u64) -> TimeControl {
    TimeControl::new(vec![short_period(0, seconds)]).unwrap()
}

/// A move, legal or not.
pub(crate) fn mv(actor: Option<Color>, text: &str) -> Event {
    moved(actor, text, false, false)
}

pub(crate) fn two_hands(actor: Option<Color>, text: &str) -> Event {
    moved(actor, text, true, false)
}

/// A move against the rules that nobody notices.
pub(crate) fn unnoticed(actor: Option<Color>, text: &str) -> Event {
    moved(actor, text, false, true)
}

pub(crate) fn moved(actor: Option<Color>, text: &str, two_hands: bool, unnoticed: bool) -> Event {
    let kind = EventKind::Move {
        text: text.into(),
        notation: None,
        two_hands,
        unnoticed,
    };
    at(actor, kind)
}

pub(crate) fn press(actor: Option<Color>) -> Event {
    at(actor, EventKind::ClockPress)
}

/// Moves in turn from White's first, each with its press.
pub(crate) fn turns(moves: &[&str]) -> Vec<Event> {
    let sides = [W, B].into_iter().cycle();
    let turns = moves.iter().zip(sides);
    turns
        .flat_map(|(text, side)| [mv(side, text), press(side)])
        .collect()
}

/// 1. e4 e5 2. Ba4, which is illegal and which nobody notices, Nc6.
pub(crate) fn overlooked() -> Vec<Event> {
    let mut events = turns(&["e2e4", "e7e5", "f1a4", "b8c6"]);
    events[4] = unnoticed(W, "f1a4");
    events
}

pub(crate) fn offer(actor: Option<Color>) -> Event {
    offer_with(actor, None)
}

/// An offer, with the arbiter's consent or without.
pub(crate) fn offer_with(actor: Option<Color>, consent: Option<bool>) -> Event {
    let moment_unknown = false;
    at(
        actor,
        EventKind::DrawOffer {
            consent,
            moment_unknown,
        },
    )
}

pub(crate) fn answer(actor: Option<Color>, accept: bool) -> Event {
    at(actor, EventKind::DrawAnswer { accept })
}

pub(crate) fn claim(
    actor: Option<Color>,
    ground: ClaimGround,
    with: Option<&str>,
    remaining: Option<u64>,
) -> Event {
    let with_move = with.map(str::to_owned);
    let remaining = remaining.map(Duration::from_secs);
    at(
        actor,
        EventKind::Claim {
            ground,
            with_move,
            remaining,
            display_only: false,
        },
    )
}

/// The arbiter sees a flag.
pub(crate) fn flag(side: Option<Color>) -> Event {
    flag_seen(ARBITER, side, Witness::Actor, None)
}

pub(crate) fn flag_seen(
    actor: Option<Color>,
    side: Option<Color>,
    witness: Witness,
    confirmed: Option<bool>,
) -> Event {
    at(
        actor,
        EventKind::FlagFall {
            side,
            last_period: None,
            witness,
            confirmed,
        },
    )
}

pub(crate) fn both_flags(last_period: bool) -> Event {
    at(
        ARBITER,
        EventKind::FlagFall {
            side: None,
            last_period: Some(last_period),
            witness: Witness::Actor,
            confirmed: None,
        },
    )
}

/// A report of an illegal move; the position before it is known.
pub(crate) fn report(actor: Option<Color>, after_signature: bool, times_known: bool) -> Event {
    at(
        actor,
        EventKind::IllegalMoveReport {
            after_signature,
            position_known: true,
            times_known,
            both_agree: false,
            moves_before: None,
            side: None,
        },
    )
}

pub(crate) fn late(actor: Option<Color>, minutes: u64) -> Event {
    arrival(actor, minutes, false, false)
}

pub(crate) fn arrival(actor: Option<Color>, minutes: u64, opponent_absent: bool, excused: bool) -> Event {
    at(
        actor,
        EventKind::Arrival {
            late: Duration::from_secs(60 * minutes),
            opponent_absent,
            excused,
        },
    )
}

pub(crate) fn sq(text: &str) -> Square {
    text.parse().unwrap()
}

pub(crate) fn touch(actor: Option<Color>, squares: &str, order_unclear: bool) -> Event {
    let squares = squares.split(' ').map(sq).collect();
    at(
        actor,
        EventKind::Touch {
            squares,
            adjust: false,
            order_unclear,
            accidental: false,
            consent: None,
            out_of_hole: None,
        },
    )
}

pub(crate) fn adjust(actor: Option<Color>, square: &str, consent: Option<bool>) -> Event {
    at(
        actor,
        EventKind::Touch {
            squares: vec![sq(square)],
            adjust: true,
            order_unclear: false,
            accidental: false,
            consent,
            out_of_hole: None,
        },
    )
}

/// A piece touched plainly by accident.
pub(crate) fn brush(actor: Option<Color>, square: &str) -> Event {
    at(
        actor,
        EventKind::Touch {
            squares: vec![sq(square)],
            adjust: false,
            order_unclear: false,
            accidental: true,
            consent: None,
            out_of_hole: None,
        },
    )
}

pub(crate) fn release(actor: Option<Color>, from: &str, to: &str, released: bool) -> Event {
    at(
        actor,
        EventKind::Release {
            from: sq(from),
            to: sq(to),
            released,
            promotion: None,
            announced: None,
        },
    )
}

/// A complaint that the opponent had touched these squares before his last move.
pub(crate) fn complaint(
    actor: Option<Color>,
    touched_since: bool,
    squares: &str,
    established: Option<bool>,
) -> Event {
    at(
        actor,
        EventKind::TouchComplaint {
            touched_since,
            squares: squares.split_whitespace().map(sq).collect(),
            promotion: None,
            established,
        },
    )
}

pub(crate) fn displaced(actor: Option<Color>) -> Event {
    at(
        actor,
        EventKind::Displacement {
            found_later: false,
            position_known: true,
            pressed: false,
            times_known: true,
            moves_before: None,
        },
    )
}

pub(crate) fn setup(fault: SetupFault, first_period_permille: Option<u32>) -> Event {
    setup_at(fault, first_period_permille, "")
}

/// Kings and rooks that stood wrong, on these squares.
pub(crate) fn setup_at(fault: SetupFault, first_period_permille: Option<u32>, squares: &str) -> Event {
    at(
        ARBITER,
        EventKind::SetupFault {
            fault,
            first_period_permille,
            squares: squares.split_whitespace().map(sq).collect(),
        },
    )
}

pub(crate) fn breach(actor: Option<Color>, breach: Breach) -> Event {
    at(actor, EventKind::Breach { breach })
}

pub(crate) fn seal(text: &str, clock_stopped: bool) -> Event {
    seal_by(W, text, clock_stopped, None)
}

pub(crate) fn seal_by(
    actor: Option<Color>,
    text: &str,
    clock_stopped: bool,
    minutes_left: Option<u64>,
) -> Event {
    at(
        actor,
        EventKind::Seal {
            text: text.into(),
            clock_stopped,
            session_left: minutes_left.map(|minutes| Duration::from_secs(60 * minutes)),
        },
    )
}

pub(crate) fn envelope_lost(position_known: Option<bool>, times_known: bool) -> Event {
    at(
        ARBITER,
        EventKind::EnvelopeLost {
            position_known,
            times_known,
        },
    )
}

/// A resumption; the sealer is present, and so many minutes late.
pub(crate) fn resume(replier_present: bool, minutes: u64) -> Event {
    resumption(replier_present, true, minutes, 0)
}

pub(crate) fn resumption(
    replier_present: bool,
    sealer_present: bool,
    sealer_minutes: u64,
    replier_minutes: u64,
) -> Event {
    at(
        ARBITER,
        EventKind::Resume {
            replier_present,
            sealer_present,
            sealer_late: Duration::from_secs(60 * sealer_minutes),
            replier_late: Duration::from_secs(60 * replier_minutes),
        },
    )
}

/// White stops recording with so many seconds left, without increment.
pub(crate) fn record(seconds: u64) -> Event {
    at(
        W,
        EventKind::Recording {
            lapse: RecordingLapse::Stopped,
            remaining: Some(Duration::from_secs(seconds)),
            increment: Some(Duration::ZERO),
        },
    )
}

/// A lapse in recording; plenty of time is left.
pub(crate) fn lapse(actor: Option<Color>, lapse: RecordingLapse) -> Event {
    at(
        actor,
        EventKind::Recording {
            lapse,
            remaining: Some(Duration::from_secs(3600)),
            increment: Some(Duration::ZERO),
        },
    )
}

/// The arbiter chooses an option.
pub(crate) fn choose(choice: Choice) -> Event {
    choose_with(choice, None, None)
}

pub(crate) fn choose_with(choice: Choice, event: Option<usize>, seconds: Option<u64>) -> Event {
    at(
        ARBITER,
        EventKind::ArbiterDecision(Decision::Choice {
            choice,
            event,
            side: None,
            time: seconds.map(Duration::from_secs),
            half_points: 0,
            result: None,
            clocks: ClockReading::default(),
        }),
    )
}

/// The arbiter sets the clocks, in seconds.
pub(crate) fn set_clocks(choice: Choice, left: [Option<u64>; 2]) -> Event {
    decide(Decision::Choice {
        choice,
        event: None,
        side: None,
        time: None,
        half_points: 0,
        result: None,
        clocks: ClockReading(left.map(|left| left.map(Duration::from_secs))),
    })
}

/// The arbiter changes points, of this side or of its opponent.
pub(crate) fn change_points(choice: Choice, side: Option<Color>, half_points: u32) -> Event {
    decide(Decision::Choice {
        choice,
        event: None,
        side,
        time: None,
        half_points,
        result: None,
        clocks: ClockReading::default(),
    })
}

pub(crate) fn decide(decision: Decision) -> Event {
    at(ARBITER, EventKind::ArbiterDecision(decision))
}

pub(crate) fn retract(event: usize) -> Event {
    at(ARBITER, EventKind::Retraction { event })
}

pub(crate) fn correct(event: usize, by: Event) -> Event {
    let by = Box::new(by);
    at(ARBITER, EventKind::Correction { event, by })
}

/// Rounds of knights that go out and back.
pub(crate) fn rounds(count: usize) -> String {
    let moves: Vec<_> = SHUFFLE.split_whitespace().cycle().take(2 * count).collect();
    moves.join(" ")
}

pub(crate) fn resign(actor: Option<Color>) -> Event {
    at(actor, EventKind::Resignation)
}

pub(crate) fn moves(fen: &str, list: &str) -> Effect {
    let board = Board::from_fen(fen).unwrap();
    let read = |text| uci::parse(&board, text, Variant::Standard).unwrap();
    Effect::Obliged(list.split(' ').map(read).collect())
}

/// The same, with the moves in any order.
pub(crate) fn exactly(fen: &str, list: &str) -> Effect {
    let board = Board::from_fen(fen).unwrap();
    let mut legal = MoveList::new();
    board.legal_moves(&mut legal);
    let read = |text| uci::parse(&board, text, Variant::Standard).unwrap();
    let named: Vec<Move> = list.split(' ').map(read).collect();
    Effect::Obliged(legal.iter().copied().filter(|mv| named.contains(mv)).collect())
}

pub(crate) const WHITE: Color = Color::White;
pub(crate) const BLACK: Color = Color::Black;
pub(crate) const WHITE_WINS: GameResult = GameResult::Wins(WHITE);
pub(crate) const BLACK_WINS: GameResult = GameResult::Wins(BLACK);
pub(crate) const DRAW: GameResult = GameResult::Draw;
