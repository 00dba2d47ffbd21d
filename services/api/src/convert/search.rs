use std::time::Duration;

use tabiya_rules::{Board, Variant, san, uci};
use tabiya_search::{Bound, Iteration, Limits, Line, Options, Score, SearchResult, Wdl};

use super::{
    ParsedPosition, duration::read_duration, enumeration::enumeration, parse_position, position::uci_reason,
    score_message,
};
use crate::{
    error::{ServiceError, Violations},
    v1,
};

/// Most lines that may be asked for: more than any position has legal moves.
pub const MAX_MULTIPV: u32 = 256;

/// Most root moves that may be named: more than any position has legal moves.
const MAX_SEARCH_MOVES: usize = 256;

/// Longest name of a game, in bytes.
pub const MAX_GAME_NAME_BYTES: usize = 256;

/// A question to a search, checked.
#[derive(Clone, Debug)]
pub struct SearchQuestion {
    /// The position and its history.
    pub position: ParsedPosition,
    /// When to end.
    pub limits: Limits,
    /// What is asked besides.
    pub options: Options,
    /// What shall compute the evaluations; never unspecified.
    pub backend: v1::Backend,
    /// Name or hash of the network; empty for the default.
    pub network: String,
    /// Threads that may search; at least one.
    pub threads: u32,
}

/// How a question may be bounded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asked {
    /// The call has a deadline, which bounds the search if nothing else does.
    WithDeadline,
    /// The limits have to bound the search.
    WithoutDeadline,
}

/// Checks the fields of a search request. One search may have up to `most_threads` threads.
///
/// # Errors
/// INVALID_ARGUMENT for every field that cannot be right, and for a search that nothing would end.
pub fn search_question(
    request: &v1::BestMoveRequest,
    asked: Asked,
    most_threads: u32,
) -> Result<SearchQuestion, ServiceError> {
    let mut violations = Violations::default();
    let limits = parse_limits(request.limits.as_ref(), asked, &mut violations);
    let backend = parse_backend(request.backend).unwrap_or_else(|wrong| {
        violations.append(wrong);
        v1::Backend::Auto
    });
    if request.multipv > MAX_MULTIPV {
        violations.add(
            "multipv",
            &request.multipv.to_string(),
            format!("more than {MAX_MULTIPV}"),
        );
    }
    if request.threads > most_threads.max(1) {
        let reason = format!("more than {most_threads}, the most that one search gets here");
        violations.add("threads", &request.threads.to_string(), reason);
    }
    let count = request.search_moves.len();
    if count > MAX_SEARCH_MOVES {
        let reason = format!("more than {MAX_SEARCH_MOVES} moves, which no position has");
        violations.add("search_moves", &count.to_string(), reason);
        return Err(violations.into());
    }
    let position = match parse_position(request.position.as_ref(), "position") {
        Ok(position) => position,
        Err(wrong) => {
            violations.append(wrong);
            return Err(violations.into());
        }
    };
    let mut search_moves = Vec::with_capacity(request.search_moves.len().min(512));
    for (index, text) in request.search_moves.iter().enumerate() {
        match uci::parse(position.board(), text, position.variant) {
            Ok(mv) if search_moves.contains(&mv) => {}
            Ok(mv) => search_moves.push(mv),
            Err(error) => violations.add(format!("search_moves[{index}]"), text, uci_reason(&error)),
        }
    }
    if !violations.is_empty() {
        return Err(violations.into());
    }
    Ok(SearchQuestion {
        position,
        limits,
        options: Options {
            multi_pv: request.multipv.max(1) as usize,
            search_moves,
            ..Options::default()
        },
        backend,
        network: request.network.clone(),
        threads: request.threads.max(1),
    })
}

/// Checks the number of a backend; unspecified is AUTO.
///
/// # Errors
/// A number that names no backend.
pub fn parse_backend(number: i32) -> Result<v1::Backend, Violations> {
    let mut violations = Violations::default();
    let backend = enumeration(number, "backend", &mut violations);
    match backend {
        _ if !violations.is_empty() => Err(violations),
        v1::Backend::Unspecified => Ok(v1::Backend::Auto),
        backend => Ok(backend),
    }
}

fn parse_limits(limits: Option<&v1::Limits>, asked: Asked, violations: &mut Violations) -> Limits {
    let limits = limits.copied().unwrap_or_default();
    let time = match limits.time.map(read_duration) {
        None | Some(Ok(Duration::ZERO)) => None,
        Some(Ok(time)) => Some(time),
        Some(Err((value, reason))) => {
            violations.add("limits.time", &value, reason);
            None
        }
    };
    let parsed = Limits {
        nodes: (limits.nodes > 0).then_some(limits.nodes),
        depth: (limits.depth > 0).then_some(limits.depth),
        mate: (limits.mate > 0).then_some(limits.mate),
        time,
        ..Limits::default()
    };
    let bounded = parsed.nodes.is_some() || parsed.depth.is_some() || parsed.mate.is_some() || time.is_some();
    if !bounded && asked == Asked::WithoutDeadline && violations.is_empty() {
        violations.add(
            "limits",
            "",
            "no limit is set and the call has no deadline, so the search would not end",
        );
    }
    parsed
}

/// The fields of an `Analyze` request as those of `BestMove`.
pub fn analyze_fields(request: v1::AnalyzeRequest) -> v1::BestMoveRequest {
    v1::BestMoveRequest {
        position: request.position,
        limits: request.limits,
        multipv: request.multipv,
        search_moves: request.search_moves,
        backend: request.backend,
        network: request.network,
        threads: request.threads,
    }
}

/// The fields of a `BatchAnalyze` item as those of `BestMove`.
///
/// # Errors
/// INVALID_ARGUMENT for an unknown mode, or a game's name that is too long.
pub fn batch_analyze_fields(item: v1::BatchAnalyzeRequest) -> Result<v1::BestMoveRequest, ServiceError> {
    let mut violations = Violations::default();
    let _: v1::BulkMode = enumeration(item.bulk_mode, "bulk_mode", &mut violations);
    if item.game.len() > MAX_GAME_NAME_BYTES {
        violations.add(
            "game",
            &item.game,
            format!("more than {MAX_GAME_NAME_BYTES} bytes"),
        );
    }
    if !violations.is_empty() {
        return Err(violations.into());
    }
    Ok(v1::BestMoveRequest {
        position: item.position,
        limits: item.limits,
        multipv: item.multipv,
        search_moves: item.search_moves,
        backend: item.backend,
        network: item.network,
        threads: item.threads,
    })
}

/// A finished iteration of a search on so many threads, without what only the server knows: stats hold nodes, evaluations, hits of tables and time.
pub fn iteration_message(
    position: &ParsedPosition,
    iteration: &Iteration<'_>,
    threads: u32,
) -> v1::AnalyzeResponse {
    let lines = iteration
        .lines
        .iter()
        .map(|line| line_message(position.board(), line, position.variant))
        .collect();
    let stats = v1::SearchStats {
        threads,
        tb_hits: iteration.tb_hits,
        ..stats(
            iteration.nodes,
            iteration.evaluations,
            iteration.tt_hits,
            iteration.elapsed,
        )
    };
    with_best(lines, stats, iteration.depth)
}

/// The end of a search, without what only the server knows.
pub fn result_message(position: &ParsedPosition, result: &SearchResult) -> v1::AnalyzeResponse {
    let mut lines: Vec<_> = result
        .lines
        .iter()
        .map(|line| line_message(position.board(), line, position.variant))
        .collect();
    if lines.is_empty() {
        lines.push(no_move_line(result.score));
    }
    let stats = v1::SearchStats {
        threads: result.threads,
        tb_hits: result.tb_hits,
        ..stats(result.nodes, result.evaluations, result.tt_hits, result.elapsed)
    };
    with_best(lines, stats, result.depth)
}

fn with_best(lines: Vec<v1::Line>, stats: v1::SearchStats, depth: u32) -> v1::AnalyzeResponse {
    let first = |index: usize| {
        lines
            .first()
            .and_then(|line| line.moves.get(index))
            .cloned()
            .unwrap_or_default()
    };
    v1::AnalyzeResponse {
        best_move: first(0),
        ponder_move: first(1),
        lines,
        stats: Some(stats),
        stopped_by: v1::StoppedBy::Unspecified.into(),
        depth,
    }
}

/// The line of a position without a legal move: mate now, or a stalemate, which is no mere chance of a draw.
fn no_move_line(score: Score) -> v1::Line {
    let wdl = match score {
        Score::Centipawns(_) => Wdl::DRAW,
        Score::Mate(_) => score.wdl(),
    };
    v1::Line {
        score: Some(score_message(score, Bound::Exact, wdl)),
        ..Default::default()
    }
}

fn line_message(board: &Board, line: &Line, variant: Variant) -> v1::Line {
    let mut board = *board;
    let mut message = v1::Line {
        moves: Vec::with_capacity(line.moves.len()),
        san: Vec::with_capacity(line.moves.len()),
        score: Some(score_message(line.score, line.bound, line.wdl)),
        depth: line.depth,
        seldepth: line.seldepth,
    };
    for &mv in &line.moves {
        let after = board.after(mv);
        message.moves.push(uci::write(mv, variant).to_string());
        message.san.push(san::write_to(&board, mv, &after).to_string());
        board = after;
    }
    message
}

fn stats(nodes: u64, evaluations: u64, tt_hits: u64, elapsed: Duration) -> v1::SearchStats {
    let seconds = elapsed.as_secs_f64();
    v1::SearchStats {
        nodes,
        evaluations,
        tt_hits,
        time: Some(duration_message(elapsed)),
        nodes_per_second: if seconds > 0.0 {
            (nodes as f64 / seconds) as u64
        } else {
            0
        },
        ..Default::default()
    }
}

/// A duration of the wire. Spans of more than 290,000 million years do not occur.
pub fn duration_message(duration: Duration) -> prost_types::Duration {
    prost_types::Duration {
        seconds: i64::try_from(duration.as_secs()).unwrap_or(i64::MAX),
        nanos: duration.subsec_nanos() as i32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_moves_than_a_position_has_are_not_even_read() {
        let request = |count| v1::BestMoveRequest {
            limits: Some(v1::Limits {
                nodes: 1,
                ..Default::default()
            }),
            search_moves: vec!["e2e4".into(); count],
            ..Default::default()
        };
        let question = search_question(&request(MAX_SEARCH_MOVES), Asked::WithoutDeadline, 1).unwrap();
        assert_eq!(question.options.search_moves.len(), 1);
        let error = search_question(&request(MAX_SEARCH_MOVES + 1), Asked::WithoutDeadline, 1).unwrap_err();
        assert!(error.to_string().starts_with("search_moves `257`"), "{error}");
    }
}
