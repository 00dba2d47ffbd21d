//! A stream taken apart into the texts of its games.

use std::io::{self, Read};

use super::{DefectKind, Flow, Location, Reader, Tags, Visitor};

/// The text of one game, as it was written (in UTF-8).
#[derive(Clone, Debug)]
pub struct GameText {
    /// Where the game begins.
    pub location: Location,
    /// Its tags; of one that is given twice, the first.
    pub tags: Tags,
    /// Tags and move text, without space around them; none if they are longer than the limit.
    pub text: Option<String>,
}

/// An iterator over the texts of a stream's games, whatever their moves: for those who hand games on.
///
/// ```
/// use tabiya_rules::pgn::GameTexts;
///
/// let pgn = "[White \"A\"]\n\n1. e4 Ke7 *\n\n1. d4 {best} *\n";
/// let games: Vec<_> = GameTexts::new(pgn.as_bytes(), 1 << 20).collect::<Result<_, _>>()?;
/// assert_eq!(games[0].tags.get("White"), Some("A"));
/// assert_eq!(games[0].text.as_deref(), Some("[White \"A\"]\n\n1. e4 Ke7 *"));
/// assert_eq!(games[1].location.line, 5);
/// assert_eq!(games[1].text.as_deref(), Some("1. d4 {best} *"));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct GameTexts<R> {
    reader: Reader<R>,
    limit: usize,
    ended: bool,
}

impl<R: Read> GameTexts<R> {
    /// Reads from `input`, which is buffered here; `limit` is the greatest length of a game in bytes.
    pub fn new(input: R, limit: usize) -> Self {
        Self {
            reader: Reader::new(input),
            limit,
            ended: false,
        }
    }
}

/// Takes the tags and nothing else.
#[derive(Default)]
struct Header {
    location: Location,
    tags: Tags,
}

impl Visitor for Header {
    fn begin_game(&mut self, at: Location) {
        self.location = at;
    }

    fn tag(&mut self, name: &str, value: &str) -> Result<(), DefectKind> {
        if self.tags.get(name).is_none() {
            self.tags.set(name, value);
        }
        Ok(())
    }

    fn begin_moves(&mut self) -> Result<Flow, DefectKind> {
        Ok(Flow::Skip)
    }
}

impl<R: Read> Iterator for GameTexts<R> {
    type Item = io::Result<GameText>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let mut header = Header::default();
        self.reader.source.keep(self.limit);
        match self.reader.read_game(&mut header) {
            Ok(true) => {
                let text = self.reader.source.take_kept();
                Some(Ok(GameText {
                    location: header.location,
                    tags: header.tags,
                    text: text.map(|text| text.trim_matches(is_space).to_owned()),
                }))
            }
            Ok(false) => {
                self.ended = true;
                None
            }
            Err(error) => {
                self.ended = true;
                Some(Err(error))
            }
        }
    }
}

fn is_space(letter: char) -> bool {
    letter.is_whitespace() || letter == '\u{feff}'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(pgn: &str, limit: usize) -> Vec<Option<String>> {
        GameTexts::new(pgn.as_bytes(), limit)
            .map(|game| game.unwrap().text)
            .collect()
    }

    #[test]
    fn every_game_is_given_whole() {
        let games = [
            "[Event \"a\"]\n[Result \"1-0\"]\n\n1. e4 {a [1] b} (1. d4 *) e5 1-0",
            "1. e4 nonsense Ke9 qq 0-1",
            "[FEN \"broken\"]\n\n1. e4 *",
        ];
        // Longer than a block of the reader, so that texts cross its refills.
        let many: Vec<&str> = games.iter().copied().cycle().take(9_000).collect();
        let found = texts(&many.join("\n\n"), 1 << 20);
        assert_eq!(found.len(), many.len());
        for (found, game) in found.iter().zip(&many) {
            assert_eq!(found.as_deref(), Some(*game));
        }
    }

    #[test]
    fn what_is_too_long_is_left_out_and_the_next_is_read() {
        let long = format!("1. e4 {{{}}} *", "x".repeat(200_000));
        let pgn = format!("{long}\n\n1. d4 *\n");
        assert_eq!(texts(&pgn, 1_000), [None, Some("1. d4 *".to_owned())]);
        assert_eq!(texts(&pgn, 1_000_000)[0].as_deref(), Some(long.as_str()));
    }
}
