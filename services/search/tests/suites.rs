//! Best-move and mate suites from outside, found through the environment variable `TABIYA_CASES`.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tabiya_evaluator::{AnyKernel, CpuEvaluator, Kernel, KernelVisitor, Network, dispatch};
use tabiya_rules::{Board, Game, san};
use tabiya_search::{Limits, Options, Score, SearchResult, search};

/// A position with the operations that the suites use.
struct Row {
    game: Game,
    best: Vec<String>,
    mate: Option<i32>,
}

fn read(name: &str) -> Option<Vec<Row>> {
    let Some(folder) = std::env::var_os("TABIYA_CASES") else {
        eprintln!("SKIPPED: {name}: TABIYA_CASES is not set");
        return None;
    };
    let path = PathBuf::from(folder).join("epd").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Some(text.lines().map(row).collect())
}

fn row(line: &str) -> Row {
    let mut fields = line.splitn(5, ' ');
    let position: Vec<&str> = fields.by_ref().take(4).collect();
    let mut row = Row {
        game: Game::new(Board::from_fen(&format!("{} 0 1", position.join(" "))).unwrap()),
        best: Vec::new(),
        mate: None,
    };
    for operation in fields.next().unwrap_or_default().split(';') {
        let mut words = operation.split_whitespace();
        match words.next() {
            Some("bm") => row.best = words.map(str::to_owned).collect(),
            Some("dm") => row.mate = words.next().and_then(|number| number.parse().ok()),
            _ => {}
        }
    }
    row
}

struct Question<'a> {
    game: &'a Game,
    nodes: u64,
}

impl KernelVisitor for Question<'_> {
    type Output = SearchResult;

    fn visit<K: Kernel>(self, kernel: K) -> SearchResult {
        let mut evaluator = CpuEvaluator::new(kernel, Arc::clone(&Network::default_network()));
        let limits = Limits::nodes(self.nodes);
        search(
            self.game,
            &limits,
            &Options::default(),
            &mut evaluator,
            &AtomicBool::new(false),
            &mut |_| {},
        )
    }
}

fn solve(game: &Game, nodes: u64) -> SearchResult {
    dispatch(AnyKernel::best(), Question { game, nodes })
}

#[test]
fn wac_at_90_000_nodes() {
    let Some(rows) = read("wac.epd") else { return };
    let mut solved = 0;
    for row in &rows {
        let result = solve(&row.game, 90_000);
        let is_best = |text: &String| {
            let mv = san::parse(row.game.board(), text, san::SanMode::Lenient);
            mv.is_ok_and(|mv| Some(mv) == result.best_move)
        };
        solved += usize::from(row.best.iter().any(is_best));
    }
    println!("wac.epd at 90,000 nodes: {solved} of {}", rows.len());
    assert!(solved * 100 >= rows.len() * 72, "{solved} of {}", rows.len());
}

#[test]
fn short_mates_at_1_000_000_nodes() {
    let Some(rows) = read("mate-in-1-to-8.epd") else {
        return;
    };
    let short: Vec<&Row> = rows
        .iter()
        .filter(|row| row.mate.is_some_and(|moves| (1..=3).contains(&moves)))
        .take(30)
        .collect();
    let found = short.iter().filter(|row| {
        let score = solve(&row.game, 1_000_000).score;
        score == Score::Mate(row.mate.unwrap_or_default())
    });
    let found = found.count();
    println!(
        "mate-in-1-to-8.epd, dm 1 to 3, at 1,000,000 nodes: {found} of {}",
        short.len()
    );
    assert_eq!(short.len(), 30);
    assert!(found >= 27, "{found} of 30");
}
