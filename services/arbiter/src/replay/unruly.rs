//! What an illegal move has left standing where no board holds it: a king that could be taken, or a pawn on its last
//! rank.

use tabiya_rules::{Color, Square, fen::Setup};

use super::{
    Answer, Effect, GameResult, GameStatus, Notation, Reason, Replay, Unmade,
    doubts::LEAST,
    position,
    setup_moves::{self, SetupMove},
    written,
};
use crate::ruleset::{LossDraw, Rule};

/// How far ahead a board is looked for where none holds the position: plies, set-ups kept and boards asked about.
const PLIES_AHEAD: usize = 3;
const SETUPS_KEPT: usize = 256;
const BOARDS_ASKED: usize = 64;

/// A position that no board holds.
#[derive(Clone, Debug)]
pub(super) struct Unruly {
    /// What stands where; `None` if that is not known.
    pub(super) setup: Option<Setup>,
    pub(super) to_move: Color,
    /// Plies since the last position that a board held.
    pub(super) plies: usize,
}

/// What a text means in such a position.
pub(super) enum Read {
    Played(SetupMove),
    PawnLeft(Square, Square),
    Illegal(Option<(Square, Square)>),
    Ambiguous,
    Unreadable,
}

impl Unruly {
    /// Whether a loss against `winner` is a draw; `None` if that is not known.
    pub(super) fn loss_is_draw(&self, winner: Color, reading: LossDraw) -> Option<bool> {
        let men = self.setup.map(|setup| setup.placement.color(winner).count());
        match reading {
            LossDraw::Never => Some(false),
            LossDraw::BareKing => men.map(|men| men == 1),
            // A king alone never mates; of the rest no proof is made.
            LossDraw::Unwinnable => men.filter(|&men| men == 1).map(|_| true),
        }
    }
}

/// Reads a move; see [`written::read`].
pub(super) fn read(setup: &Setup, text: &str, notation: Option<Notation>) -> Read {
    let text = written::bare(text);
    let moves = setup_moves::moves(setup);
    let coordinates = written::way(text).filter(|_| text.len() <= 5);
    match (notation, coordinates) {
        (None | Some(Notation::Uci), Some((from, to))) => from_squares(setup, &moves, from, to, text),
        (Some(Notation::Uci), None) => Read::Unreadable,
        _ => from_words(setup, &moves, text),
    }
}

/// Whether a text is a move by the rules of movement.
pub(super) fn is_move(setup: &Setup, text: &str, notation: Option<Notation>) -> bool {
    matches!(read(setup, text, notation), Read::Played(_))
}

fn from_squares(setup: &Setup, moves: &[SetupMove], from: Square, to: Square, text: &str) -> Read {
    let promotion = written::promotion(text);
    let found: Vec<_> = moves.iter().filter(|mv| mv.from == from && mv.to == to).collect();
    if let Some(mv) = found.iter().find(|mv| mv.promotion == promotion) {
        return Read::Played(**mv);
    }
    if promotion.is_none() && !found.is_empty() {
        return Read::PawnLeft(from, to);
    }
    // Castling written with the king's target.
    let aside = to.file().abs_diff(from.file()) == 2 && to.rank() == from.rank();
    let king = |mv: &&SetupMove| {
        mv.castles && mv.from == from && aside && (mv.to.file() > from.file()) == (to.file() > from.file())
    };
    match moves.iter().find(king) {
        Some(mv) => Read::Played(*mv),
        None => Read::Illegal(setup.placement.piece_on(from).map(|_| (from, to))),
    }
}

fn from_words(setup: &Setup, moves: &[SetupMove], text: &str) -> Read {
    let us = setup.side_to_move;
    if let Some(long) = written::castles(text) {
        let side = |mv: &&SetupMove| mv.castles && (mv.to.file() < mv.from.file()) == long;
        let way = setup.placement.king(us).map(|king| {
            let file = if long { 2 } else { 6 };
            (king, Square::at(file, king.rank()))
        });
        return moves
            .iter()
            .find(side)
            .map_or(Read::Illegal(way), |mv| Read::Played(*mv));
    }
    let Some(words) = written::words(text).filter(|words| words.ends(text)) else {
        return Read::Unreadable;
    };
    let meant = |from: Square| {
        setup.placement.piece_on(from) == Some((us, words.piece))
            && words.file.is_none_or(|file| from.file() == file)
            && words.rank.is_none_or(|rank| from.rank() == rank)
    };
    let found: Vec<_> = moves
        .iter()
        .filter(|mv| !mv.castles && mv.to == words.to && meant(mv.from))
        .collect();
    let promotion = written::promotion(text);
    let exact: Vec<_> = found.iter().filter(|mv| mv.promotion == promotion).collect();
    match (exact.as_slice(), found.as_slice()) {
        (&[only], _) => Read::Played(**only),
        (&[], &[first, ..]) if promotion.is_none() => {
            let one = found.iter().all(|mv| mv.from == first.from);
            match one {
                true => Read::PawnLeft(first.from, first.to),
                false => Read::Ambiguous,
            }
        }
        (&[], _) => {
            let from: Vec<Square> = setup
                .placement
                .color(us)
                .into_iter()
                .filter(|&from| from != words.to && meant(from))
                .collect();
            Read::Illegal(match from.as_slice() {
                &[only] => Some((only, words.to)),
                _ => None,
            })
        }
        _ => Read::Ambiguous,
    }
}

impl Replay<'_> {
    /// Whether a few moves lead from a position that no board holds to one from which a side can mate.
    pub(super) fn mates_soon(&mut self, unruly: &Unruly, winner: Color) -> bool {
        let Some(setup) = unruly.setup else { return false };
        let mut reached = vec![setup];
        let mut asked = 0;
        for _ in 0..PLIES_AHEAD {
            let mut next = Vec::new();
            for mv in reached.iter().flat_map(setup_moves::moves) {
                let Ok(board) = mv.after.to_board() else {
                    next.push(mv.after);
                    continue;
                };
                asked += 1;
                let prove = |prover: &mut _| position::can_mate(prover, &board, winner, LEAST);
                if self.doubts.apart(prove) == Some(true) {
                    return true;
                }
                if asked == BOARDS_ASKED {
                    return false;
                }
            }
            next.truncate(SETUPS_KEPT);
            reached = next;
        }
        false
    }

    /// A move in a position that no board holds.
    pub(super) fn on_unruly_move(
        &mut self,
        text: &str,
        notation: Option<Notation>,
        two_hands: bool,
    ) -> Answer {
        let Some(setup) = self.unruly.as_ref().and_then(|unruly| unruly.setup) else {
            self.lacks("position");
            return Answer::no(Reason::MissingFact, &[Rule::IllegalStands]);
        };
        match read(&setup, text, notation) {
            Read::Played(mv) => {
                let us = setup.side_to_move;
                let refuses = self.stands(!us);
                let earlier = self.before_two_hands(two_hands);
                let stands = self.let_stand(us);
                self.play_setup(Some(mv.after));
                let mut answer = self.made(stands);
                if refuses && self.conclusion.is_none() {
                    answer.effects.push(Effect::OfferClosed { by: !us });
                }
                self.note_two_hands(us, None, earlier, &mut answer);
                answer
            }
            Read::PawnLeft(from, to) => {
                self.attempt(Reason::PromotionLeft, Rule::PromotionLeft, Some((from, to)), None)
            }
            Read::Illegal(way) => {
                let promotion = written::promotion(text);
                self.attempt(Reason::IllegalAttempt, Rule::IllegalMove, way, promotion)
            }
            Read::Ambiguous => {
                self.lacks("text");
                self.unmade(Unmade::Unread, Answer::no(Reason::Ambiguous, &[]))
            }
            Read::Unreadable => {
                let answer = Answer::no(Reason::Unreadable, &[Rule::IllegalMove]);
                self.unmade(Unmade::Unread, answer)
            }
        }
    }

    /// Plays a move that led to this set-up, as [`Replay::play`] does on a board.
    pub(super) fn play_setup(&mut self, after: Option<Setup>) {
        let us = self.to_move();
        self.refuse(!us);
        self.leave_turn(us);
        self.stand_on(after, !us);
        match self.unruly.as_ref().and_then(|unruly| unruly.setup) {
            Some(setup) => self.end_by_setup(&setup),
            None if self.unruly.is_none() => self.end_by_position(),
            None => {}
        }
    }

    /// Mate and stalemate need no board.
    fn end_by_setup(&mut self, setup: &Setup) {
        if !setup_moves::moves(setup).is_empty() {
            return;
        }
        let side = setup.side_to_move;
        let decided = GameStatus::Decided;
        if setup_moves::is_safe(setup, side) {
            let draw = Some(GameResult::Draw);
            self.conclude(decided, draw, Reason::Stalemate, &[Rule::Stalemate], Vec::new());
        } else {
            let win = Some(GameResult::Wins(!side));
            self.conclude(decided, win, Reason::Mate, &[Rule::Checkmate], Vec::new());
        }
    }
}

#[cfg(test)]
mod tests {
    use tabiya_rules::{Board, Piece};

    use super::*;

    #[test]
    fn moves_are_read_where_no_board_is() {
        // White has left a pawn on a8; Black is to move, and may castle on either side or promote.
        let mut setup = Setup::from(&Board::from_fen("r3k2r/8/8/8/8/8/1p6/6K1 b kq - 0 1").unwrap());
        setup.placement.clear("a8".parse().unwrap());
        setup
            .placement
            .put("c8".parse().unwrap(), Color::White, Piece::Pawn);
        setup.castling_rooks = "h8".parse::<Square>().unwrap().bitboard();
        let played = |text| match read(&setup, text, None) {
            Read::Played(mv) => {
                let promotion = mv.promotion.map_or(' ', Piece::letter);
                format!("{}{}{promotion}", mv.from, mv.to).trim().to_owned()
            }
            Read::PawnLeft(from, to) => format!("left {from}{to}"),
            Read::Illegal(way) => format!("illegal {}", way.is_some()),
            Read::Ambiguous => "ambiguous".into(),
            Read::Unreadable => "unreadable".into(),
        };
        for (text, expected) in [
            ("e8g8", "e8h8"),
            ("e8h8", "e8h8"),
            ("O-O", "e8h8"),
            ("12...O-O", "e8h8"),
            ("12. e8g8", "e8h8"),
            ("O-O-O", "illegal true"),
            ("b2b1q", "b2b1q"),
            ("b1=Q+", "b2b1q"),
            ("b1N", "b2b1n"),
            ("兵b1升变后", "b2b1q"),
            ("b2b1", "left b2b1"),
            ("b1", "left b2b1"),
            ("Rh2", "h8h2"),
            ("Rh2 (=)", "h8h2"),
            ("e8g8(=)", "e8h8"),
            ("b1=Q(=)", "b2b1q"),
            ("车h2", "h8h2"),
            ("Rc8", "illegal true"),
            ("Kd8", "e8d8"),
            ("Nf6", "illegal false"),
            ("h8h9", "unreadable"),
            ("?", "unreadable"),
        ] {
            assert_eq!(played(text), expected, "{text}");
        }
    }
}
