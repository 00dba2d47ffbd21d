//! One game between two engines: clocks, rules, adjudication.

use std::{collections::BTreeMap, time::Duration};

use tabiya_rules::{Board, Game, Move, Variant, uci};

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

/// Reasons for which an engine loses without being beaten, or how they begin.
const OVER_TIME: &str = "time";
const NO_ANSWER: &str = "no answer";
const ILLEGAL_MOVE: &str = "illegal move";
const CRASHED: &str = "crash";

/// Whether a game was lost by a fault, by the reason that stands in its PGN.
pub(crate) fn is_fault(reason: &str) -> bool {
    let faults = [OVER_TIME, NO_ANSWER, ILLEGAL_MOVE, CRASHED];
    faults.iter().any(|fault| reason.starts_with(fault))
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
    for (index, &mv) in moves.iter().enumerate() {
        line += if index == 0 { " moves " } else { " " };
        line += &uci::write(mv, Variant::Standard);
    }
    line
}

/// The legal move that an engine's answer means.
pub(crate) fn find_move(board: &Board, text: &str) -> Option<Move> {
    uci::parse(board, text, Variant::Standard).ok()
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
            (played.outcome, played.fault, played.reason) = (loss(side), Some(Fault::Crash), CRASHED.into());
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
            Err(Failure::Crash) => (Fault::Crash, CRASHED.into()),
            Err(Failure::Silence) => (Fault::Time, NO_ANSWER.into()),
            Ok(reply) => {
                let over = reply.elapsed.saturating_sub(clocks[side]);
                played.overshoot[side] = played.overshoot[side].max(over);
                if over > terms.margin {
                    (
                        Fault::Time,
                        format!("{OVER_TIME}, over by {} ms", over.as_millis()),
                    )
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
                        format!("{ILLEGAL_MOVE} {:.16}", reply.best_move),
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

#[cfg(all(test, unix))]
mod tests {
    use std::fs;

    use super::*;
    use crate::arena::engine::EngineSpec;

    /// An engine that answers `go` with a line of shell.
    fn engine(folder: &tempfile::TempDir, name: &str, on_go: &str) -> Engine {
        let script = folder.path().join(name);
        let text = format!(
            "while read -r line; do case \"$line\" in uci) echo uciok;; isready) echo readyok;; quit) exit;; \
             go*) {on_go};; esac; done"
        );
        fs::write(&script, text).expect("written");
        let command = format!("sh {}", script.display());
        Engine::start(&EngineSpec {
            name: name.into(),
            command,
            options: Vec::new(),
        })
        .expect("started")
    }

    fn terms() -> Terms {
        Terms {
            thinking: Thinking::Clock {
                base: Duration::from_millis(300),
                increment: Duration::ZERO,
            },
            margin: Duration::from_millis(50),
            adjudication: Adjudication {
                resign_score: 0,
                resign_plies: 4,
                draw_score: -1,
                draw_plies: 4,
                draw_after: 0,
            },
        }
    }

    #[test]
    fn faults_are_told_apart_and_lose() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let fine = "echo info depth 1 score cp 900; echo bestmove e2e4";
        let faults = [
            ("illegal", "echo bestmove e2e4", Fault::IllegalMove),
            ("silent", "sleep 0.5; echo bestmove e7e5", Fault::Time),
            ("broken", "exit", Fault::Crash),
        ];
        for (name, on_go, fault) in faults {
            let (mut white, mut black) = (engine(&folder, "fine", fine), engine(&folder, name, on_go));
            let played = play([&mut white, &mut black], &[], &terms());
            assert_eq!(
                (played.outcome, played.fault),
                (Outcome::White, Some(fault)),
                "{name}"
            );
            assert!(is_fault(&played.reason), "{}", played.reason);
            assert_eq!(played.moves.len(), 1);
            assert_eq!(played.comments[&0].split('/').next(), Some("+9.00"));
        }
    }

    #[test]
    fn agreed_scores_end_a_game() {
        let adjudication = Adjudication {
            resign_score: 500,
            resign_plies: 2,
            draw_score: 10,
            draw_plies: 2,
            draw_after: 4,
        };
        let mut watch = Watch::default();
        watch.note(0, Some(-600));
        assert_eq!(watch.verdict(&adjudication, 1), None, "one side has not spoken");
        watch.note(1, Some(700));
        assert_eq!(watch.verdict(&adjudication, 2), None);
        assert_eq!(
            watch.verdict(&adjudication, 3),
            Some((Outcome::Black, "adjudicated win"))
        );

        let mut watch = Watch::default();
        watch.note(0, Some(3));
        watch.note(1, Some(-9));
        assert_eq!(watch.verdict(&adjudication, 2), None);
        assert_eq!(watch.verdict(&adjudication, 3), None, "too early");
        assert_eq!(
            watch.verdict(&adjudication, 4),
            Some((Outcome::Draw, "adjudicated draw"))
        );
    }
}
