//! From text to a record.

use tabiya_rules::{
    Game, Move,
    pgn::{Games, Mode, PgnError},
};

use super::{BrokenLine, Record, RecordedTermination, defects, result_of, time_control};

/// Why a text is not the record of one game.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RecordError {
    /// It holds no game.
    #[error("holds no game")]
    Empty,
    /// It holds something else.
    #[error("is no game: {0}")]
    Other(String),
    /// It holds more than one.
    #[error("holds more than one game; send each by itself")]
    Several,
    /// The start cannot be known, or the variant is another game.
    #[error("{0}")]
    Start(String),
    /// More plies than the caller allows.
    #[error("more than {0} moves")]
    TooLong(usize),
}

impl Record {
    /// Reads the text of one game, at most `max_plies` long. Whatever can mean only one thing is taken.
    ///
    /// # Errors
    /// A text that is not one game, or a start that cannot be played from.
    pub fn read(pgn: &str, max_plies: usize) -> Result<Self, RecordError> {
        let mut games = Games::new(pgn.as_bytes(), Mode::Lenient);
        let tree = match games.next() {
            None => return Err(RecordError::Empty),
            Some(Ok(tree)) => tree,
            Some(Err(PgnError::Rejected(game))) => {
                let reason = game.defects.first().map(|defect| defect.kind.to_string());
                return Err(RecordError::Start(reason.unwrap_or_default()));
            }
            Some(Err(error)) => return Err(RecordError::Start(error.to_string())),
        };
        if let Some(reason) = defects::no_game(&tree) {
            return Err(RecordError::Other(reason));
        }
        if games.next().is_some() {
            return Err(RecordError::Several);
        }
        let tags = tree.tags();
        let termination_tag = tags.get("Termination").map(str::to_owned);
        let result_tag = tags.get("Result").map(str::to_owned);
        let mut record = Self {
            game: Game::new(*tree.start()),
            variant: tree.variant(),
            tag: result_tag.as_deref().and_then(result_of),
            result_tag,
            marker: tree.marker().map(|marker| marker.as_str()),
            termination: termination_tag.as_deref().and_then(RecordedTermination::from_tag),
            termination_tag,
            control: tags.get("TimeControl").and_then(time_control::read),
            clocks: Vec::new(),
            spent: Vec::new(),
            broken: defects::broken(&tree).map_err(RecordError::Start)?,
            unread: defects::unread(&tree),
        };
        for node in tree.main_line() {
            let mv = tree.mv(node);
            if mv == Move::NULL {
                record.broken = Some(BrokenLine {
                    text: "--".into(),
                    after_end: false,
                });
                break;
            }
            if record.plies() == max_plies {
                return Err(RecordError::TooLong(max_plies));
            }
            record.game.play(mv);
            record.clocks.push(tree.clock(node));
            record.spent.push(tree.elapsed(node));
        }
        Ok(record)
    }
}
