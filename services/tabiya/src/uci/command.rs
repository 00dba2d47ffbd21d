//! Lines of the protocol as values.

use std::num::IntErrorKind;
use std::time::Duration;

/// A line understood.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Command {
    Uci,
    IsReady,
    NewGame,
    SetOption {
        name: String,
        value: String,
    },
    /// A FEN (none: the standard start) and the moves played from it.
    Position {
        fen: Option<String>,
        moves: Vec<String>,
    },
    Go(Box<Go>),
    Stop,
    Quit,
    /// Show the position.
    Display,
    /// Show its static value.
    Evaluate,
}

/// What `go` says; times and counts below zero are taken as zero.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Go {
    /// Time left of White and of Black.
    pub(super) time: [Option<Duration>; 2],
    pub(super) increment: [Duration; 2],
    pub(super) moves_to_go: Option<u32>,
    pub(super) depth: Option<u32>,
    pub(super) nodes: Option<u64>,
    pub(super) mate: Option<u32>,
    pub(super) move_time: Option<Duration>,
    /// No answer before `stop`.
    pub(super) infinite: bool,
    pub(super) search_moves: Vec<String>,
    /// Count positions to this depth instead of searching.
    pub(super) perft: Option<u32>,
    /// Whether a limit was named or anything left out: such a search has to end by itself.
    pub(super) wants_limit: bool,
    /// What was left out and why, the first [`MAX_COMPLAINTS`] of it.
    pub(super) complaints: Vec<String>,
}

impl Go {
    fn leave_out(&mut self, reason: String) {
        self.wants_limit = true;
        if self.complaints.len() < MAX_COMPLAINTS {
            self.complaints.push(reason);
        }
    }
}

/// Most complaints about one line.
pub(super) const MAX_COMPLAINTS: usize = 8;
/// Words of `go` that begin something.
const GO_WORDS: [&str; 13] = [
    "infinite",
    "ponder",
    "searchmoves",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movetime",
    "movestogo",
    "depth",
    "nodes",
    "mate",
    "perft",
];

/// Longest piece of a bad line that is repeated in the complaint, in bytes.
const EXCERPT: usize = 64;

/// Reads a line; an empty one is nothing.
///
/// # Errors
/// What is wrong with it.
pub(super) fn parse(line: &str) -> Result<Option<Command>, String> {
    let mut words = line.split_whitespace();
    let Some(first) = words.next() else {
        return Ok(None);
    };
    let rest: Vec<&str> = words.collect();
    Ok(Some(match first {
        "uci" => Command::Uci,
        "isready" => Command::IsReady,
        "ucinewgame" => Command::NewGame,
        "setoption" => set_option(&rest)?,
        "position" => position(&rest)?,
        "go" => Command::Go(Box::new(go(&rest))),
        // No search ponders, so a hit means: answer now.
        "stop" | "ponderhit" => Command::Stop,
        "quit" => Command::Quit,
        "d" => Command::Display,
        "eval" => Command::Evaluate,
        "debug" | "register" => return Ok(None),
        other => return Err(format!("unknown command {:?}", excerpt(other))),
    }))
}

/// The beginning of a text, at most [`EXCERPT`] bytes.
pub(super) fn excerpt(text: &str) -> &str {
    let mut end = text.len().min(EXCERPT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

fn set_option(words: &[&str]) -> Result<Command, String> {
    if words.first() != Some(&"name") {
        return Err("setoption: the word \"name\" is missing".to_owned());
    }
    let value = words
        .iter()
        .position(|&word| word == "value")
        .unwrap_or(words.len());
    Ok(Command::SetOption {
        name: words[1..value].join(" "),
        value: words.get(value + 1..).unwrap_or_default().join(" "),
    })
}

fn position(words: &[&str]) -> Result<Command, String> {
    let moves_at = words
        .iter()
        .position(|&word| word == "moves")
        .unwrap_or(words.len());
    let fen = match words.first() {
        Some(&"startpos") => None,
        Some(&"fen") => Some(words[1..moves_at.max(1)].join(" ")),
        _ => return Err("position: neither \"startpos\" nor \"fen\"".to_owned()),
    };
    let moves = words.get(moves_at + 1..).unwrap_or_default();
    Ok(Command::Position {
        fen,
        moves: moves.iter().map(|&mv| mv.to_owned()).collect(),
    })
}

/// Reads what it can: whoever says `go` waits for an answer.
fn go(words: &[&str]) -> Go {
    let mut go = Go::default();
    let mut words = words.iter().copied().peekable();
    while let Some(word) = words.next() {
        match word {
            "infinite" | "ponder" => go.infinite = true,
            "searchmoves" => {
                while let Some(mv) = words.next_if(|word| !GO_WORDS.contains(word)) {
                    go.search_moves.push(mv.to_owned());
                }
            }
            word if GO_WORDS.contains(&word) => {
                go.wants_limit = true;
                let Some(text) = words.next_if(|word| !GO_WORDS.contains(word)) else {
                    go.leave_out(format!("go: {word} has no number"));
                    continue;
                };
                let Some(value) = number(text) else {
                    go.leave_out(format!(
                        "go: {word} is {:?}, not a number up to {}",
                        excerpt(text),
                        u64::MAX
                    ));
                    continue;
                };
                let time = Duration::from_millis(value);
                let small = u32::try_from(value).unwrap_or(u32::MAX);
                match word {
                    "wtime" => go.time[0] = Some(time),
                    "btime" => go.time[1] = Some(time),
                    "winc" => go.increment[0] = time,
                    "binc" => go.increment[1] = time,
                    "movetime" => go.move_time = Some(time),
                    "movestogo" => go.moves_to_go = Some(small),
                    "depth" => go.depth = Some(small),
                    "nodes" => go.nodes = Some(value),
                    "mate" => go.mate = Some(small),
                    _ => go.perft = Some(small),
                }
            }
            other => go.leave_out(format!("go: unknown word {:?}", excerpt(other))),
        }
    }
    go
}

/// A whole number; below zero it is 0, as clocks below zero do occur. One beyond the largest is none: to take it for
/// the largest would mean a search without end.
fn number(text: &str) -> Option<u64> {
    let (digits, negative) = match text.strip_prefix('-') {
        Some(digits) => (digits, true),
        None => (text, false),
    };
    match digits.parse::<u64>() {
        Ok(value) => Some(if negative { 0 } else { value }),
        Err(error) if negative && *error.kind() == IntErrorKind::PosOverflow => Some(0),
        Err(_) => None,
    }
}
