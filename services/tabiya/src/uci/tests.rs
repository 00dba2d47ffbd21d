use std::io::{self, BufReader, Cursor, Write};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tabiya_evaluator::{AnyKernel, Network};

use super::command::{Command, parse};
use super::{LONGEST_LINE, run};
use crate::syzygy::Endgames;

/// A writer whose text can be read from outside.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn session(lines: &str) -> String {
    let output = Shared::default();
    run(
        Cursor::new(lines.to_owned()),
        output.clone(),
        Network::default_network(),
        AnyKernel::best(),
        Endgames::default(),
    )
    .unwrap();
    let bytes = output.0.lock().unwrap().clone();
    String::from_utf8(bytes).unwrap()
}

/// The text after the last `bestmove `.
fn best_move(output: &str) -> &str {
    output
        .rsplit("bestmove ")
        .next()
        .unwrap()
        .split_whitespace()
        .next()
        .unwrap()
}

/// The text without what depends on time.
fn untimed(output: &str) -> Vec<String> {
    let timed = |word: &str| matches!(word, "nps" | "time");
    let line = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let keep = (0..words.len()).filter(|&i| !timed(words[i]) && (i == 0 || !timed(words[i - 1])));
        keep.map(|i| words[i]).collect::<Vec<_>>().join(" ")
    };
    output.lines().map(line).collect()
}

#[test]
fn introduces_itself() {
    let output = session("uci\nisready\nquit\n");
    assert!(output.starts_with("id name Tabiya "));
    assert!(output.contains("option name Hash type spin default 16 min 1 max "));
    assert!(output.ends_with("uciok\nreadyok\n"));
}

#[test]
fn finds_a_mate_and_says_so() {
    let output = session("position fen 6k1/5ppp/8/8/8/8/5PPP/4R1K1 w - - 0 1\ngo depth 4\n");
    assert!(output.contains("score mate 1 "), "{output}");
    assert!(output.ends_with("bestmove e1e8\n"));
}

#[test]
fn positions_without_a_move() {
    let output = session("position fen 7k/6Q1/6K1/8/8/8/8/8 b - - 0 1\ngo nodes 100\n");
    assert!(output.ends_with("bestmove (none)\n"), "{output}");
}

#[test]
fn castling_is_written_for_the_variant() {
    let position = "position fen 5k1r/8/8/8/8/8/8/4K2R w K - 0 1\ngo depth 1 searchmoves e1g1\n";
    assert_eq!(best_move(&session(position)), "e1g1");
    let chess960 = format!(
        "setoption name UCI_Chess960 value true\n{}",
        position.replace("e1g1", "e1h1")
    );
    assert_eq!(best_move(&session(&chess960)), "e1h1");
}

#[test]
fn a_new_game_forgets_everything() {
    let go = "position startpos moves e2e4 c7c5\ngo nodes 20000\n";
    let alone = session(go);
    let after = session(&format!(
        "position startpos moves d2d4\ngo depth 7\nisready\nucinewgame\n{go}"
    ));
    let last = |output: &str| {
        let lines = untimed(output);
        let start = lines
            .iter()
            .rposition(|line| line.starts_with("info depth 1 "))
            .unwrap();
        lines[start..].to_vec()
    };
    assert_eq!(last(&alone), last(&after));
}

/// What a busy machine may take for something that is over at once on a quiet one.
const PATIENCE: Duration = Duration::from_secs(20);

#[test]
fn stop_is_answered_at_once() {
    let (mut to_engine, input) = pipe();
    let output = Shared::default();
    let engine_output = output.clone();
    let engine = std::thread::spawn(move || {
        run(
            BufReader::new(input),
            engine_output,
            Network::default_network(),
            AnyKernel::best(),
            Endgames::default(),
        )
        .unwrap();
    });
    to_engine.write_all(b"position startpos\ngo infinite\n").unwrap();
    std::thread::sleep(Duration::from_millis(100));
    assert!(!String::from_utf8_lossy(&output.0.lock().unwrap()).contains("bestmove"));
    to_engine.write_all(b"isready\n").unwrap();
    let start = Instant::now();
    to_engine.write_all(b"stop\n").unwrap();
    while !String::from_utf8_lossy(&output.0.lock().unwrap()).contains("bestmove") {
        assert!(start.elapsed() < PATIENCE, "no answer to stop");
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(String::from_utf8_lossy(&output.0.lock().unwrap()).contains("readyok"));
    to_engine.write_all(b"quit\n").unwrap();
    engine.join().unwrap();
}

fn pipe() -> (io::PipeWriter, io::PipeReader) {
    let (reader, writer) = io::pipe().unwrap();
    (writer, reader)
}

#[test]
fn the_clock_is_kept() {
    for go in [
        "go wtime 300 btime 300 winc 0 binc 0",
        "go movetime 100",
        "go wtime 1 btime 1",
        "go wtime -5 btime 0",
    ] {
        let start = Instant::now();
        let output = session(&format!("position startpos\n{go}\n"));
        // Without a clock the search would go on for ever.
        assert!(start.elapsed() < PATIENCE, "{go}");
        assert!(output.contains("info string clock used "));
        assert_ne!(best_move(&output), "(none)");
    }
}

#[test]
fn several_lines() {
    let output = session("setoption name multipv value 3\nposition startpos\ngo depth 5\n");
    for line in 1..=3 {
        assert!(output.contains(&format!(" multipv {line} score")), "{output}");
    }
}

#[test]
fn nonsense_is_answered_and_changes_nothing() {
    let nonsense = "\n\u{0}\u{7f}\n  \t \nxyzzy\nposition\nposition fen\nposition fen 8/8 w\nposition startpos moves e2e5\n\
        position startpos moves e2e4 e2e4\nsetoption\nsetoption name\nsetoption name Hash value 0\n\
        setoption name Hash value lots\nsetoption name Nope value 1\n\
        go perft 99\nstop\nponderhit\nmoves\nposition moves\n";
    let output = session(&format!("position startpos moves e2e4\n{nonsense}d\n"));
    assert!(output.matches("info string error").count() >= 14, "{output}");
    assert!(
        output.contains("Fen: rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"),
        "{output}"
    );
    assert!(!output.contains("bestmove"));
}

#[test]
fn bytes_that_are_no_text_are_survived() {
    let output = Shared::default();
    let mut bytes: Vec<u8> = (0..=255).cycle().take(5_000).collect();
    bytes.extend_from_slice(b"\nisready\n");
    run(
        Cursor::new(bytes),
        output.clone(),
        Network::default_network(),
        AnyKernel::best(),
        Endgames::default(),
    )
    .unwrap();
    assert!(String::from_utf8_lossy(&output.0.lock().unwrap()).ends_with("readyok\n"));
}

#[test]
fn counting_and_showing() {
    let output = session("position startpos\ngo perft 3\neval\nd\n");
    assert!(output.contains("e2e4: 600\n") && output.contains("Nodes searched: 8902\n"));
    assert!(output.contains("evaluation of the side to move "));
    assert!(output.contains("R N B Q K B N R  1\n"));
}

#[test]
fn lines_are_read_word_by_word() {
    let Ok(Some(Command::Go(go))) = parse("go searchmoves e2e4 d2d4 nodes 5 wtime 100 mate 2") else {
        panic!("not understood");
    };
    assert_eq!(go.search_moves, ["e2e4", "d2d4"]);
    assert_eq!(
        (go.nodes, go.mate, go.time[0]),
        (Some(5), Some(2), Some(Duration::from_millis(100)))
    );
    assert_eq!(
        parse("setoption name Move Overhead value 30"),
        Ok(Some(Command::SetOption {
            name: "Move Overhead".to_owned(),
            value: "30".to_owned()
        }))
    );
}

#[test]
fn every_go_is_answered() {
    for (go, complaints) in [
        ("go searchmoves e2e5 depth 3", 1),
        ("go searchmoves e2e5", 1),
        ("go searchmoves e2e5 nonsense e2e4 depth 1", 2),
        ("go wtime", 1),
        ("go wtime btime 100", 1),
        ("go wtime 1e3", 1),
        ("go foo bar depth 2", 2),
        ("go sideways", 1),
        ("go depth", 1),
        ("go depth x", 1),
        ("go depth -99999999999999999999", 0),
        (
            "go depth 1 nodes 99999999999999999999 movetime 99999999999999999999",
            2,
        ),
        (
            "go depth 1 wtime 99999999999999999999 winc 99999999999999999999 movestogo 99999999999999999999",
            3,
        ),
        // Nothing that limits White's search.
        ("go btime 100", 0),
        ("go movestogo 5", 0),
    ] {
        // At the end of its input an endless search would be answered too: the move has to come before.
        let (mut to_engine, input) = pipe();
        let output = Shared::default();
        let engine_output = output.clone();
        let engine = std::thread::spawn(move || {
            run(
                BufReader::new(input),
                engine_output,
                Network::default_network(),
                AnyKernel::best(),
                Endgames::default(),
            )
            .unwrap();
        });
        to_engine
            .write_all(format!("position startpos\n{go}\n").as_bytes())
            .unwrap();
        let text = || String::from_utf8_lossy(&output.0.lock().unwrap()).into_owned();
        let start = Instant::now();
        while !text().contains("bestmove ") {
            assert!(start.elapsed() < Duration::from_secs(20), "{go}: {}", text());
            std::thread::sleep(Duration::from_millis(1));
        }
        to_engine.write_all(b"quit\n").unwrap();
        engine.join().unwrap();
        assert_ne!(best_move(&text()), "(none)", "{go}");
        assert_eq!(text().matches("bestmove ").count(), 1, "{go}");
        assert_eq!(
            text().matches("info string error: go: ").count(),
            complaints,
            "{go}: {}",
            text()
        );
    }
}

#[test]
fn what_can_be_read_of_a_go_counts() {
    let output = session("position startpos\ngo searchmoves e2e5 a2a3 depth 2 foo\n");
    assert_eq!(best_move(&output), "a2a3");
    // At the end of the input a search is waited for: these end by themselves.
    for go in [
        "depth 99999999999999999999",
        "nodes 99999999999999999999",
        "movetime 18446744073709551616",
    ] {
        let output = session(&format!("position startpos\ngo {go}\n"));
        assert_ne!(best_move(&output), "(none)");
        assert!(
            output.contains("not a number up to 18446744073709551615"),
            "{output}"
        );
    }
    let Ok(Some(Command::Go(go))) = parse("go depth 99999999999999999999 nodes 7 wtime -9 btime 5000000000")
    else {
        panic!("not understood");
    };
    assert_eq!((go.depth, go.nodes), (None, Some(7)));
    let times = [Duration::ZERO, Duration::from_millis(5_000_000_000)].map(Some);
    assert_eq!((go.time, go.complaints.len()), (times, 1));
    let Ok(Some(Command::Go(go))) = parse(&format!("go{}", " x".repeat(1_000))) else {
        panic!("not understood");
    };
    assert_eq!(go.complaints.len(), 8);
}

#[test]
fn the_rest_of_a_long_line_is_no_command() {
    // Spaces up to the longest line, then what would be a command.
    let padding = " ".repeat(usize::try_from(LONGEST_LINE).unwrap() - "isready".len());
    let output = session(&format!("isready{padding}d\nuci\n"));
    assert!(
        output.starts_with("info string error: a line is cut off after 524288 bytes\nreadyok\nid name"),
        "{output}"
    );
    assert!(!output.contains("Fen:"), "{output}");
    let fits = session(&format!("isready{padding}\nisready\n"));
    assert_eq!(fits, "readyok\nreadyok\n");
}

#[test]
fn several_threads_find_the_mate_and_keep_the_node_limit() {
    let output = session(
        "setoption name Threads value 3\nsetoption name Threads value 0\nsetoption name Threads value 257\n\
         position fen r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1\ngo nodes 200000\n",
    );
    assert!(output.contains(" score mate 3 "), "{output}");
    assert_ne!(best_move(&output), "(none)");
    assert_eq!(output.matches("setoption: Threads is ").count(), 2, "{output}");
    let words: Vec<&str> = output.split_whitespace().collect();
    let nodes = words.windows(2).filter(|pair| pair[0] == "nodes");
    assert!(nodes.clone().count() > 0);
    assert!(
        nodes
            .map(|pair| pair[1].parse::<u64>().unwrap())
            .all(|nodes| nodes <= 200_000)
    );
}
