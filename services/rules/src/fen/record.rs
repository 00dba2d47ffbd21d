//! Six well-formed fields, before anyone asks whether they make a position.

use super::castling::{self, CastlingLetter};
use super::error::{EnPassantFlaw, FenError, Reason};
use super::field::{counter, excerpt, split};
use super::placement::Placement;
use super::repair::{Log, Repair};
use super::setup::Setup;
use super::{FenMode, plausible, playable};
use crate::{Color, Square, Variant};

/// The six fields of a well-formed text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FenRecord {
    /// Where the pieces stand.
    pub placement: Placement,
    /// Who is to move.
    pub side_to_move: Color,
    /// The castling letters as written, each once and in order.
    pub castling: Vec<CastlingLetter>,
    /// The square that a pawn has just passed, whether it can be taken there or not.
    pub en_passant: Option<Square>,
    /// Half-moves since the last pawn move or capture.
    pub halfmove_clock: u32,
    /// The number of the move, from 1, raised after Black's moves.
    pub fullmove_number: u16,
}

impl FenRecord {
    /// Reads the fields; of the modes, only [`FenMode::Lenient`] makes a difference here.
    ///
    /// # Errors
    ///
    /// Every reason of the stage [`super::Stage::Syntax`].
    pub fn parse(text: &str, mode: FenMode, variant: Variant) -> Result<(Self, Vec<Repair>), FenError> {
        let mut log = Log::new(mode);
        let partial = Partial::read(text, variant, &mut log);
        match partial.complete() {
            Some(record) if log.reasons.is_empty() => Ok((record, log.repairs)),
            _ => Err(FenError::new(log.reasons)),
        }
    }
}

/// What could be read of a text: reasons are looked for in every field, also after the first bad one.
pub(super) struct Partial {
    placement: Option<Placement>,
    side_to_move: Option<Color>,
    castling: Option<Vec<CastlingLetter>>,
    /// `None`: unreadable; `Some(None)`: a dash.
    en_passant: Option<Option<Square>>,
    halfmove_clock: Option<u32>,
    fullmove_number: Option<u16>,
}

impl Partial {
    pub(super) fn read(text: &str, variant: Variant, log: &mut Log) -> Self {
        let fields = split(text, log);
        let short = (1..6).contains(&fields.len());
        if fields.len() > 6 || short && !log.is_lenient() {
            log.refuse(Reason::FieldCount(fields.len()));
        }
        // With a surplus field it is not known which one it is, so the counters cannot be judged.
        let surplus = fields.len() > 6;
        let mut next = fields.into_iter();
        let mut assume = |repair: Repair| {
            if log.is_lenient() && short && !log.repairs.contains(&repair) {
                log.repairs.push(repair);
            }
        };
        let (placement, side, castling, en_passant, halfmove, fullmove) = (
            next.next(),
            next.next(),
            next.next(),
            next.next(),
            next.next(),
            next.next(),
        );
        if side.is_none() {
            assume(Repair::SideAssumed);
        }
        if castling.is_none() {
            assume(Repair::CastlingAssumed);
        }
        if en_passant.is_none() {
            assume(Repair::EnPassantAssumed);
        }
        if fullmove.is_none() {
            assume(Repair::CounterAssumed);
        }
        Self {
            placement: placement.and_then(|field| Placement::read(field, log)),
            side_to_move: side.map_or(Some(Color::White), |field| read_side(field, log)),
            castling: castling.map_or(Some(Vec::new()), |field| castling::read(field, variant, log)),
            en_passant: en_passant.map_or(Some(None), |field| read_en_passant(field, log)),
            halfmove_clock: halfmove
                .filter(|_| !surplus)
                .map_or(Some(0), |field| counter(field, Reason::HalfmoveClock, log)),
            fullmove_number: fullmove
                .filter(|_| !surplus)
                .map_or(Some(1), |field| read_fullmove(field, log)),
        }
    }

    pub(super) fn complete(self) -> Option<FenRecord> {
        Some(FenRecord {
            placement: self.placement?,
            side_to_move: self.side_to_move?,
            castling: self.castling?,
            en_passant: self.en_passant?,
            halfmove_clock: self.halfmove_clock?,
            fullmove_number: self.fullmove_number?,
        })
    }

    /// Climbs on as far as the fields allow, and logs what it finds.
    pub(super) fn examine(self, variant: Variant, log: &mut Log) -> Option<Setup> {
        let placement = self.placement?;
        playable::pieces(&placement, log);
        let rooks = self
            .castling
            .map(|letters| castling::resolve(&letters, &placement, variant, log));
        let side_to_move = self.side_to_move?;
        playable::opposite_check(&placement, side_to_move, log);
        let en_passant = self
            .en_passant
            .map(|square| playable::en_passant(&placement, side_to_move, square, log));
        let setup = Setup {
            placement,
            side_to_move,
            castling_rooks: rooks?,
            en_passant: en_passant?,
            halfmove_clock: self.halfmove_clock?,
            fullmove_number: self.fullmove_number?,
        };
        if log.mode == FenMode::Strict {
            plausible::examine(&setup, variant, log);
        }
        Some(setup)
    }
}

fn read_side(field: &str, log: &mut Log) -> Option<Color> {
    let (color, lower) = match field {
        "w" => (Color::White, true),
        "b" => (Color::Black, true),
        "W" => (Color::White, false),
        "B" => (Color::Black, false),
        _ => {
            log.refuse(Reason::SideToMove(excerpt(field)));
            return None;
        }
    };
    if !lower {
        log.flaw(Reason::SideToMove(excerpt(field)), Repair::SideCase);
    }
    Some(color)
}

fn read_en_passant(field: &str, log: &mut Log) -> Option<Option<Square>> {
    if field == "-" {
        return Some(None);
    }
    let Ok(square) = field.to_ascii_lowercase().parse::<Square>() else {
        log.refuse(Reason::EnPassantField(excerpt(field)));
        return None;
    };
    if field.starts_with(|letter: char| letter.is_ascii_uppercase()) {
        log.flaw(Reason::EnPassantCase(excerpt(field)), Repair::EnPassantCase);
    }
    if !matches!(square.rank(), 2 | 5) {
        let repair = Repair::EnPassantDropped(square, EnPassantFlaw::Rank);
        log.flaw(Reason::EnPassantRank(square), repair);
        return Some(None);
    }
    Some(Some(square))
}

fn read_fullmove(field: &str, log: &mut Log) -> Option<u16> {
    let number = counter(field, Reason::FullmoveNumber, log)?;
    let Ok(number) = u16::try_from(number) else {
        log.refuse(Reason::FullmoveNumber(excerpt(field)));
        return None;
    };
    if number == 0 {
        log.flaw(Reason::FullmoveNumber(excerpt(field)), Repair::FullmoveRaised);
        return Some(1);
    }
    Some(number)
}
