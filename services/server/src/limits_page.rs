//! README.md's table of limits says what the code holds to: every row, and every number in it.

use std::{fs, time::Duration};

use tabiya_api::{
    MAX_ID_BYTES, MAX_MESSAGE_BYTES, MAX_POSITIONS_PER_MESSAGE, MAX_READ_BYTES,
    convert::{
        DEFAULT_PROOF_NODES, MAX_CERTIFICATE_BYTES, MAX_COMPARED, MAX_EDITS, MAX_MOVE_BYTES, MAX_MULTIPV,
        MAX_PROOF_NODES, MAX_RULESET_BYTES, MAX_SQUARES,
    },
    error::MAX_VALUE_BYTES,
};
use tabiya_search::MAX_PLY;

use crate::{Config, auth, config, edge, perft, rpc, telemetry};

/// The rows of the table: what is limited, and the limit.
fn rows() -> Vec<(String, String)> {
    let readme = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");
    let text = fs::read_to_string(readme).expect("README.md");
    let (_, section) = text.split_once("\n## Limits\n").expect("a section on limits");
    let (section, _) = section.split_once("\n## ").expect("an end of it");
    let rows = section.lines().filter_map(|line| line.strip_prefix("| "));
    rows.skip(1)
        .map(|row| {
            let cells: Vec<_> = row.trim_end_matches(" |").split(" | ").collect();
            let [what, limit] = cells[..] else {
                panic!("two cells: {row}");
            };
            (what.to_owned(), limit.to_owned())
        })
        .collect()
}

/// A number with commas between its thousands.
fn number(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Bytes in a unit that they are a whole number of.
fn bytes(count: usize) -> String {
    let units = [("GiB", 30), ("MiB", 20), ("KiB", 10), ("bytes", 0)];
    let (unit, shift) = units
        .into_iter()
        .find(|&(_, shift)| count.is_multiple_of(1 << shift))
        .expect("bytes are whole");
    format!("{} {unit}", number(count >> shift))
}

/// A time in words, in the greatest unit that it is a whole number of.
fn time(time: Duration) -> String {
    let seconds = time.as_secs();
    let units = [("hour", 3600), ("minute", 60), ("second", 1)];
    let (unit, length) = units
        .into_iter()
        .find(|(_, length)| seconds.is_multiple_of(*length))
        .expect("seconds are whole");
    match (seconds / length, unit) {
        (1, "minute") => "a minute".to_owned(),
        (1, unit) => format!("1 {unit}"),
        (count, unit) => format!("{count} {unit}s"),
    }
}

/// What each row has to say, in this order; beside it there are no numbers.
fn expected() -> Vec<(&'static str, Vec<String>)> {
    // A number of cores at which nothing is at its least or at its most.
    const CORES: usize = 12;
    let (settings, least, most) = (
        Config::for_cores(CORES),
        Config::for_cores(1),
        Config::for_cores(1024),
    );
    assert_eq!(settings.interactive_threads, 8 * CORES, "eight a core");
    assert_eq!(settings.interactive_rounds, 1, "as many again");
    assert_eq!(settings.threads_per_search, CORES, "as many as there are cores");
    let (threads, searches, proofs) = (
        format!("{} to {}", least.interactive_threads, most.interactive_threads),
        settings.search_memory / CORES,
        settings.proof_memory / CORES,
    );
    // The least is some thousand MiB, and reads better so.
    let mib = |count: usize| format!("{} MiB", number(count >> 20));
    vec![
        ("message size, both ways", vec![bytes(MAX_MESSAGE_BYTES)]),
        ("memory of a request once it is read", vec![bytes(MAX_READ_BYTES)]),
        (
            "positions, or items of a job, in a message",
            vec![number(MAX_POSITIONS_PER_MESSAGE)],
        ),
        (
            "events of a game",
            vec![number(MAX_POSITIONS_PER_MESSAGE), format!("{MAX_EDITS} of them")],
        ),
        (
            "an event",
            vec![format!("{MAX_SQUARES} squares"), bytes(MAX_MOVE_BYTES)],
        ),
        (
            "error message, details",
            vec![
                bytes(edge::MAX_STATUS_BYTES),
                bytes(edge::MAX_DETAILS_BYTES),
                bytes(MAX_VALUE_BYTES),
            ],
        ),
        (
            "positions in the server at once",
            vec![
                number(settings.interactive_positions),
                number(settings.bulk_positions),
            ],
        ),
        ("searches without a deadline", vec![threads]),
        ("work waiting", vec![]),
        (
            "a caller's quotas",
            vec![
                time(auth::QUOTA_RETRY_AFTER),
                time(rpc::MEMORY_PATIENCE),
                time(tabiya_jobs::QUOTA_PATIENCE),
            ],
        ),
        (
            "`x-request-id`",
            vec![format!("{} visible", telemetry::MAX_REQUEST_ID_BYTES)],
        ),
        ("networks of a server", vec![config::MAX_NETWORKS.to_string()]),
        ("search depth", vec![format!("{} plies", MAX_PLY - 1)]),
        (
            "moves in a position's history",
            vec![number(MAX_POSITIONS_PER_MESSAGE)],
        ),
        ("threads of a search", vec![]),
        ("lines of a search (`multipv`)", vec![MAX_MULTIPV.to_string()]),
        ("perft depth", vec![format!("{} plies", perft::MAX_DEPTH)]),
        (
            "positions of a `ProveMate`",
            vec![
                number(DEFAULT_PROOF_NODES as usize),
                number(MAX_PROOF_NODES as usize),
            ],
        ),
        ("a certificate", vec![bytes(MAX_CERTIFICATE_BYTES)]),
        (
            "a ruleset sent along or read from a file",
            // What is said of names and texts is held by the arbiter's own tests.
            vec![
                bytes(MAX_RULESET_BYTES),
                "64 bytes a name".to_owned(),
                "1 KiB a text".to_owned(),
            ],
        ),
        ("rulesets of a comparison", vec![format!("2 to {MAX_COMPARED}")]),
        ("a bulk item's `id`", vec![bytes(MAX_ID_BYTES)]),
        (
            "time of a search that somebody waits for, of a count, of a decision",
            vec![time(settings.longest_call), time(settings.longest_item)],
        ),
        (
            "memory of searches that somebody waits for",
            vec![format!("{} a core", mib(searches)), mib(least.search_memory)],
        ),
        (
            "memory of proofs and adjudications",
            vec![format!("{} a core", mib(proofs)), mib(least.proof_memory)],
        ),
        (
            "memory of requests, as they come and once they are read",
            vec![bytes(settings.request_bytes), time(settings.message_patience)],
        ),
        (
            "a job",
            vec![
                format!("{} items", number(settings.job_items as usize)),
                bytes(settings.job_bytes),
                bytes(settings.jobs_incoming),
            ],
        ),
        (
            "jobs of one caller that run at once",
            vec![number(settings.jobs_running), bytes(settings.jobs_bytes)],
        ),
        (
            "connections",
            vec![
                number(settings.max_connections),
                time(settings.handshake_patience),
                time(settings.idle_connection),
                time(settings.connection_age),
            ],
        ),
        (
            "calls of a connection",
            vec![number(settings.streams_per_connection as usize)],
        ),
        (
            "metadata of a call",
            vec![
                bytes(settings.header_bytes),
                bytes(edge::METADATA_OVERHEAD),
                "HTTP status 431".to_owned(),
            ],
        ),
        (
            "streams of results (`StreamResults`)",
            vec![number(settings.result_streams)],
        ),
        (
            "a stream",
            vec![time(settings.idle_stream), time(settings.stalled_reader)],
        ),
    ]
}

#[test]
fn the_table_of_limits_is_that_of_the_code() {
    let (rows, expected) = (rows(), expected());
    let names: Vec<_> = rows.iter().map(|(what, _)| what.as_str()).collect();
    let wanted: Vec<_> = expected.iter().map(|(what, _)| *what).collect();
    assert_eq!(names, wanted);
    for ((what, limit), (_, pieces)) in rows.iter().zip(expected) {
        let mut rest = limit.as_str();
        for piece in pieces {
            let (before, after) = rest
                .split_once(&piece)
                .unwrap_or_else(|| panic!("{what}: the code has {piece}, the table {limit}"));
            let has_number = before.contains(|letter: char| letter.is_ascii_digit());
            assert!(!has_number, "{what}: {before} stands before {piece}");
            rest = after;
        }
        let has_number = rest.contains(|letter: char| letter.is_ascii_digit());
        assert!(!has_number, "{what}: nothing in the code says {rest}");
    }
    assert_eq!(edge::READ_TIMES, 4, "four times that and more is HTTP status 431");
    // One fixed time for all that another call of the same caller gives back.
    assert_eq!(auth::QUOTA_RETRY_AFTER, edge::INTAKE_RETRY_AFTER);
}
