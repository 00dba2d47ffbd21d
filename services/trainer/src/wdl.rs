//! `wdl`: chances of a win, a draw and a loss by score and material, fitted to games.

use std::{
    fs::File,
    path::{Path, PathBuf},
};

use clap::Args;
use tabiya_rules::pgn::{Games, Mode};

use crate::error::Error;
use cells::Cells;
use fit::fit;

mod cells;
mod fit;
mod model;
mod observed;

/// Fit chances of a win, a draw and a loss to games of `match`.
///
/// Reads each engine's score from the comments and the result from the tag, and prints the numbers of both curves, how well they
/// say the results of games that they were not fitted to, and a table of what was expected and what happened.
///
/// Example: tabiya-trainer wdl --player tabiya games.pgn
#[derive(Args, Clone, Debug)]
pub(crate) struct WdlArgs {
    /// Files of games, as `match --pgn` writes them
    #[arg(required = true)]
    games: Vec<PathBuf>,
    /// Count only scores of the engine with this name
    #[arg(long)]
    player: Option<String>,
}

/// Every so many games one is held out.
const HELD_OUT: usize = 5;

/// Runs the subcommand.
pub(crate) fn run(args: &WdlArgs) -> Result<(), Error> {
    let (mut fitted, mut held_out) = (Cells::default(), Cells::default());
    let mut games = 0;
    for path in &args.games {
        read(path, &mut |tree| {
            let positions = observed::positions(tree, args.player.as_deref());
            let cells = if games % HELD_OUT == HELD_OUT - 1 {
                &mut held_out
            } else {
                &mut fitted
            };
            positions.iter().for_each(|position| cells.add(position));
            games += 1;
        })?;
    }
    if fitted.positions() == 0 {
        let path = args.games.first().map(PathBuf::as_path).unwrap_or(Path::new("-"));
        return Err(Error::content(
            path,
            "no finished game with scores of such an engine",
        ));
    }
    let model = fit(&fitted);
    let loss = |cells: &Cells| cells.loss(&model);
    println!(
        "{games} games, {} positions, {} held out",
        fitted.positions(),
        held_out.positions()
    );
    println!("{model}");
    println!(
        "nats a position: {:.4} fitted, {:.4} held out",
        loss(&fitted),
        loss(&held_out)
    );
    print!("{}", held_out.table(&model));
    Ok(())
}

fn read(path: &Path, each: &mut dyn FnMut(&tabiya_rules::pgn::GameTree)) -> Result<(), Error> {
    let file = File::open(path).map_err(Error::file(path))?;
    for game in Games::new(file, Mode::Lenient) {
        each(&game.map_err(|error| Error::content(path, error.to_string()))?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_scores_is_refused() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("games.pgn");
        std::fs::write(&path, "[Result \"1-0\"]\n\n1. e4 e5 1-0\n").expect("written");
        let args = WdlArgs {
            games: vec![path],
            player: None,
        };
        let error = run(&args).expect_err("nothing to fit");
        assert!(
            error.to_string().contains("no finished game with scores"),
            "{error}"
        );
    }
}
