//! One game between two engines: clocks, rules, adjudication.

use std::{collections::BTreeMap, time::Duration};

use tabiya_rules::{Board, Game, Move, MoveList};

use crate::{
    arena::engine::{Engine, Failure},
    ending::ending,
    record::Outcome,
};

/// A hung engine is given this much beyond its clock and margin.
const GRACE: Duration = Duration::from_secs(5);
/// A game that nothing else ends.
const PLY_LIMIT: usize = 1000;

/// What each side has to think with.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Thinking {
    /// A clock: base and increment a move.
    Clock { base: Duration, increment: Duration },
    /// Nodes a move.
    Nodes(u64),
}

/// When to stop a game early.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Adjudication {
    /// Both engines see at least this for the same side, centipawns; 0 never.
    pub(crate) resign_score: i32,
    /// For this many plies in a row.
    pub(crate) resign_plies: u32,
    /// Both engines see at most this, centipawns; negative never.
    pub(crate) draw_score: i32,
    /// For this many plies in a row.
    pub(crate) draw_plies: u32,
    /// Not before this ply.
    pub(crate) draw_after: usize,
}

/// Rules of a match that hold for each game.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms {
    pub(crate) thinking: Thinking,
    /// Overstepping of the clock that is forgiven.
    pub(crate) margin: Duration,
    pub(crate) adjudication: Adjudication,
}

/// Why an engine lost without being beaten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The clock and the margin ran out.
    Time,
    /// A move that the rules do not allow, or none.
    IllegalMove,
    /// The process ended.
    Crash,
}

/// A finished game.
#[derive(Clone, Debug)]
pub(crate) struct Played {
    pub(crate) moves: Vec<Move>,
    /// Plies of the opening.
    pub(crate) opening: usize,
    pub(crate) outcome: Outcome,
    pub(crate) reason: String,
    pub(crate) fault: Option<Fault>,
    /// `score/depth time` by ply, as a comment for the PGN.
    pub(crate) comments: BTreeMap<usize, String>,
    /// The furthest that White and Black went over their clocks.
    pub(crate) overshoot: [Duration; 2],
}

/// The `position` command for a game from the start.
pub(crate) fn position_line(moves: &[Move]) -> String {
    let mut line = String::from("position startpos");
    let mut board = Board::startpos();
    for (index, &mv) in moves.iter().enumerate() {
        line += if index == 0 { " moves " } else { " " };
        line += &uci_text(mv);
        board.play(mv);
    }
    line
}

/// UCI text in standard chess, where castling is the king's move.
pub(crate) fn uci_text(mv: Move) -> String {
    if mv.is_castle() {
        format!("{}{}", mv.from(), mv.landing())
    } else {
        mv.to_string()
    }
}

fn find_move(board: &Board, text: &str) -> Option<Move> {
    let mut moves = MoveList::new();
    board.legal_moves(&mut moves);
    moves
        .iter()
        .copied()
        .find(|&mv| uci_text(mv) == text || mv.to_string() == text)
}

/// Plays a game from `opening`; the engines are White and Black.
pub(crate) fn play(engines: [&mut Engine; 2], opening: &[Move], terms: &Terms) -> Played {
    let mut game = Game::new(Board::startpos());
    opening.iter().for_each(|&mv| game.play(mv));
    let mut played = Played {
        moves: Vec::new(),
        opening: opening.len(),
        outcome: Outcome::Unknown,
        reason: String::new(),
        fault: None,
        comments: BTreeMap::new(),
        overshoot: [Duration::ZERO; 2],
    };
    let [white, black] = engines;
    let mut engines = [white, black];
    let mut clocks = [match terms.thinking {
        Thinking::Clock { base, .. } => base,
        Thinking::Nodes(_) => Duration::from_secs(3600),
    }; 2];
    let mut watch = Watch::default();
    let loss = |side: usize| if side == 0 { Outcome::Black } else { Outcome::White };
    for (side, engine) in engines.iter_mut().enumerate() {
        if engine.new_game().is_err() {
            (played.outcome, played.fault, played.reason) = (loss(side), Some(Fault::Crash), "crash".into());
        }
    }
    while played.outcome == Outcome::Unknown {
        if let Some((outcome, reason)) = ending(&game) {
            (played.outcome, played.reason) = (outcome, reason.into());
            break;
        }
        let ply = game.moves().len();
        if let Some((outcome, reason)) = watch.verdict(&terms.adjudication, ply) {
            (played.outcome, played.reason) = (outcome, reason.into());
            break;
        }
        let side = game.board().side_to_move().index();
        let go = match terms.thinking {
            Thinking::Nodes(nodes) => format!("go nodes {nodes}"),
            Thinking::Clock { increment, .. } => format!(
                "go wtime {} btime {} winc {2} binc {2}",
                clocks[0].as_millis().max(1),
                clocks[1].as_millis().max(1),
                increment.as_millis()
            ),
        };
        let limit = clocks[side] + terms.margin + GRACE;
        let reply = engines[side].search(&position_line(game.moves()), &go, limit);
        let (fault, reason) = match reply {
            Err(Failure::Crash) => (Fault::Crash, "crash".into()),
            Err(Failure::Silence) => (Fault::Time, "no answer".into()),
            Ok(reply) => {
                let over = reply.elapsed.saturating_sub(clocks[side]);
                played.overshoot[side] = played.overshoot[side].max(over);
                if over > terms.margin {
                    (Fault::Time, format!("time, over by {} ms", over.as_millis()))
                } else if let Some(mv) = find_move(game.board(), &reply.best_move) {
                    if let Thinking::Clock { increment, .. } = terms.thinking {
                        clocks[side] = clocks[side].saturating_sub(reply.elapsed) + increment;
                    }
                    watch.note(side, reply.score);
                    let score = reply
                        .score
                        .map_or("?".into(), |s| format!("{:+.2}", f64::from(s) / 100.0));
                    let seconds = reply.elapsed.as_secs_f64();
                    played
                        .comments
                        .insert(ply, format!("{score}/{} {seconds:.3}s", reply.depth));
                    game.play(mv);
                    continue;
                } else {
                    (
                        Fault::IllegalMove,
                        format!("illegal move {:.16}", reply.best_move),
                    )
                }
            }
        };
        (played.outcome, played.fault, played.reason) = (loss(side), Some(fault), reason);
    }
    played.moves = game.moves().to_vec();
    played
}

/// What the engines said about the game, for adjudication.
#[derive(Default)]
struct Watch {
    /// Scores of both sides, White's view.
    last: [Option<i32>; 2],
    /// Plies in a row with both scores above the resign score, by winner; and with both within the draw score.
    white: u32,
    black: u32,
    level: u32,
}

impl Watch {
    fn note(&mut self, side: usize, score: Option<i32>) {
        self.last[side] = score.map(|s| if side == 0 { s } else { -s });
    }

    fn verdict(&mut self, terms: &Adjudication, ply: usize) -> Option<(Outcome, &'static str)> {
        if ply >= PLY_LIMIT {
            return Some((Outcome::Draw, "ply limit"));
        }
        let [Some(a), Some(b)] = self.last else {
            (self.white, self.black, self.level) = (0, 0, 0);
            return None;
        };
        let count = |run: &mut u32, holds: bool| *run = if holds { *run + 1 } else { 0 };
        count(
            &mut self.white,
            terms.resign_score > 0 && a.min(b) >= terms.resign_score,
        );
        count(
            &mut self.black,
            terms.resign_score > 0 && a.max(b) <= -terms.resign_score,
        );
        count(&mut self.level, a.abs().max(b.abs()) <= terms.draw_score);
        if self.white >= terms.resign_plies && terms.resign_score > 0 {
            Some((Outcome::White, "adjudicated win"))
        } else if self.black >= terms.resign_plies && terms.resign_score > 0 {
            Some((Outcome::Black, "adjudicated win"))
        } else if self.level >= terms.draw_plies && terms.draw_score >= 0 && ply >= terms.draw_after {
            Some((Outcome::Draw, "adjudicated draw"))
        } else {
            None
        }
    }
}
