//! Lines of the protocol as values.

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
    Perft(u32),
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
}

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
        "go" => go(&rest)?,
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

fn go(words: &[&str]) -> Result<Command, String> {
    let mut go = Go::default();
    let mut words = words.iter().copied().peekable();
    while let Some(word) = words.next() {
        match word {
            "infinite" | "ponder" => go.infinite = true,
            "searchmoves" => {
                while let Some(mv) = words.next_if(|word| looks_like_a_move(word)) {
                    go.search_moves.push(mv.to_owned());
                }
            }
            "wtime" | "btime" | "winc" | "binc" | "movetime" | "movestogo" | "depth" | "nodes" | "mate"
            | "perft" => {
                let value = number(word, words.next())?;
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
                    _ => return Ok(Command::Perft(small)),
                }
            }
            other => return Err(format!("go: unknown word {:?}", excerpt(other))),
        }
    }
    Ok(Command::Go(Box::new(go)))
}

fn looks_like_a_move(word: &str) -> bool {
    let bytes = word.as_bytes();
    matches!(bytes.len(), 4 | 5) && bytes[0].is_ascii_lowercase() && bytes[1].is_ascii_digit()
}

fn number(name: &str, text: Option<&str>) -> Result<u64, String> {
    let text = text.ok_or_else(|| format!("go: {name} has no number"))?;
    if let Some(digits) = text.strip_prefix('-') {
        // Clocks below zero do occur.
        return digits
            .parse::<u64>()
            .map(|_| 0)
            .map_err(|_| not_a_number(name, text));
    }
    text.parse().map_err(|_| not_a_number(name, text))
}

fn not_a_number(name: &str, text: &str) -> String {
    format!("go: {name} is {:?}, not a number", excerpt(text))
}
