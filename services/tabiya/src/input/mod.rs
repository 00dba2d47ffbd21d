//! Games and positions from files: PGN, or a position a line; plain, gzip or Zstandard.

mod count;
mod game;
mod lines;
mod open;
mod pgn;
mod sniff;

use std::path::PathBuf;

pub(crate) use game::{InputGame, Source};
pub(crate) use lines::Lines;
pub(crate) use open::{STDIN, check_readable, is_read_once, open};
pub(crate) use sniff::{Kind, sniff};

use crate::failure::Failure;

/// What a reader hands on.
pub(crate) enum Feed {
    /// A game to work on.
    Game(Box<InputGame>),
    /// A game that cannot be read, and why, with its place.
    Broken(String),
}

/// Files to read, in order.
#[derive(Clone, Debug)]
pub(crate) struct Inputs {
    files: Vec<PathBuf>,
    chess960: bool,
}

impl Inputs {
    /// Files to read; `chess960` says how to read lists of positions; a game in PGN says it itself.
    pub(crate) fn new(files: Vec<PathBuf>, chess960: bool) -> Self {
        Self { files, chess960 }
    }

    /// Opens every file once, so that a wrong name is found before work begins.
    ///
    /// # Errors
    /// The first file that cannot be opened.
    pub(crate) fn check_readable(&self) -> Result<(), Failure> {
        check_readable(&self.files)
    }

    /// Reads everything and hands it to `take`, until that says false.
    ///
    /// # Errors
    /// If a file cannot be read on; a game that cannot be read is no error.
    pub(crate) fn read(&self, take: &mut dyn FnMut(Feed) -> bool) -> Result<(), Failure> {
        let mut number = 0;
        for path in &self.files {
            let name = path.display().to_string();
            let (kind, text) = sniff(path, open(path)?).map_err(|error| Failure::input(&name, error))?;
            let wants_more = match kind {
                Kind::Pgn => pgn::read(&name, text, &mut number, take)?,
                Kind::Lines => lines::read(&name, text, self.chess960, &mut number, take)?,
                Kind::Json | Kind::JsonLines => {
                    return Err(Failure::input(&name, "is JSON, which `tabiya adjudicate` reads"));
                }
            };
            if !wants_more {
                break;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::{error::Error, fs};

    use super::*;

    /// The third game of a file: 1. e4 e5.
    pub(crate) fn two_moves() -> InputGame {
        let mut games = Vec::new();
        let mut number = 2;
        pgn::read(
            "games.pgn",
            Box::new("1. e4 {best} e5 *".as_bytes()),
            &mut number,
            &mut |feed| {
                if let Feed::Game(game) = feed {
                    games.push(*game);
                }
                true
            },
        )
        .unwrap();
        games.remove(0)
    }

    /// The position of a line.
    pub(crate) fn one_position(line: &'static str) -> InputGame {
        let mut games = Vec::new();
        lines::read(
            "suite.epd",
            Box::new(line.as_bytes()),
            false,
            &mut 0,
            &mut |feed| {
                if let Feed::Game(game) = feed {
                    games.push(*game);
                }
                true
            },
        )
        .unwrap();
        games.remove(0)
    }

    #[test]
    fn games_are_counted_over_all_files() -> Result<(), Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let (first, second) = (folder.path().join("a.pgn"), folder.path().join("b.fen"));
        fs::write(&first, "1. e4 *\n\n1. e4 Ke4 2. d4 *\n\n1. d4 d5 *\n")?;
        fs::write(
            &second,
            "# a comment\n\n8/8/8/8/8/4k3/4p3/4K3 w - - 0 1\nnonsense\n4k3/8/8/8/8/8/8/4K2R w K -\n",
        )?;
        let mut games = Vec::new();
        let mut broken = Vec::new();
        Inputs::new(vec![first, second], false).read(&mut |feed| {
            match feed {
                Feed::Game(game) => games.push((game.number, game.moves.len(), game.positions())),
                Feed::Broken(reason) => broken.push(reason),
            }
            true
        })?;
        assert_eq!(games, [(1, 1, 2), (3, 2, 3), (4, 0, 1), (6, 0, 1)]);
        assert!(broken[0].contains("a.pgn: game 2, line 3"), "{}", broken[0]);
        assert!(broken[1].contains("b.fen: line 4: "), "{}", broken[1]);
        assert_eq!(broken.len(), 2);
        Ok(())
    }

    #[test]
    fn a_reader_stops_when_told() -> Result<(), Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("a.pgn");
        fs::write(&path, "1. e4 *\n\n1. d4 *\n\n1. c4 *\n")?;
        let mut taken = 0;
        Inputs::new(vec![path], false).read(&mut |_| {
            taken += 1;
            taken < 2
        })?;
        assert_eq!(taken, 2);
        Ok(())
    }

    #[test]
    fn missing_files_and_folders_are_named() -> Result<(), Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let missing = Inputs::new(vec![folder.path().join("no.pgn")], false);
        assert!(
            missing
                .check_readable()
                .unwrap_err()
                .to_string()
                .contains("no.pgn: ")
        );
        let refusal = Inputs::new(vec![folder.path().to_owned()], false)
            .check_readable()
            .unwrap_err();
        assert!(refusal.to_string().ends_with(": is a folder"), "{refusal}");
        Ok(())
    }
}
