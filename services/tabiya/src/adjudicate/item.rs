//! A game to rule on, with what the report says about it.

use std::{fmt, sync::Arc};

use prost::Message;
use tabiya_client::{
    MAX_MESSAGE_BYTES,
    v1::{BatchAdjudicateRequest, batch_adjudicate_request::Game},
};
use tabiya_rules::pgn::{GameTexts, Tags};

use super::{Lang, options::Options};

/// Where a game was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The file, `-` for standard input.
    pub(super) file: Arc<str>,
    /// Number of the game, from 1 over all files.
    pub(super) number: u64,
    /// Line on which it begins, from 1.
    pub(super) line: u64,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: game {}, line {}", self.file, self.number, self.line)
    }
}

/// A game to rule on.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// Where it is from.
    pub(super) place: Place,
    /// Its tags, if it is a PGN.
    pub(super) tags: Tags,
    /// What is asked.
    pub(super) request: BatchAdjudicateRequest,
}

impl Item {
    /// A game in PGN.
    pub(super) fn pgn(place: Place, tags: Tags, text: String) -> Self {
        let request = BatchAdjudicateRequest {
            game: Some(Game::Pgn(text)),
            ..BatchAdjudicateRequest::default()
        };
        Self { place, tags, request }
    }

    /// A game of events.
    pub(super) fn events(place: Place, request: BatchAdjudicateRequest) -> Self {
        let tags = match &request.game {
            Some(Game::Pgn(text)) => GameTexts::new(text.as_bytes(), 0)
                .next()
                .and_then(Result::ok)
                .map(|game| game.tags)
                .unwrap_or_default(),
            _ => Tags::default(),
        };
        Self { place, tags, request }
    }

    /// Applies the command line.
    ///
    /// # Errors
    /// If the request is then too long to be sent.
    pub(super) fn with(mut self, options: &Options) -> Result<Self, String> {
        options.apply(&mut self.request);
        let bytes = self.request.encoded_len();
        if bytes > MAX_MESSAGE_BYTES {
            return Err(format!(
                "{}: {bytes} bytes to send, more than {MAX_MESSAGE_BYTES}; left out",
                self.place
            ));
        }
        Ok(self)
    }

    /// The language of its report.
    pub(super) fn lang(&self) -> Lang {
        Lang::of(self.request.language())
    }
}
