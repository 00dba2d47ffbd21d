//! What is asked about every position of a run.

use std::time::Duration;

use tabiya_client::v1::{BatchAnalyzeRequest, Limits, Position};
use tabiya_rules::Variant;

use crate::{
    choice::{self, Backend, BulkMode},
    input::InputGame,
};

/// The part of the requests that is the same for all positions.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    /// When a search ends.
    pub(crate) nodes: Option<u64>,
    /// When a search ends, in plies.
    pub(crate) depth: Option<u32>,
    /// When a search ends, in milliseconds.
    pub(crate) movetime: Option<u64>,
    /// Lines a position.
    pub(crate) multipv: u32,
    /// Whether the positions of a game are searched together.
    pub(crate) bulk_mode: BulkMode,
    /// What computes evaluations.
    pub(crate) backend: Backend,
    /// Name of the network; empty for the server's default.
    pub(crate) network: String,
}

impl Ask {
    /// When a search ends.
    pub(crate) fn limits(&self) -> Limits {
        Limits {
            nodes: self.nodes.unwrap_or(0),
            depth: self.depth.unwrap_or(0),
            time: self
                .movetime
                .and_then(|milliseconds| Duration::from_millis(milliseconds).try_into().ok()),
            mate: 0,
        }
    }

    /// The request about a position of a game, with the moves that led to it.
    pub(crate) fn request(&self, sequence: u64, game: &InputGame, ply: usize) -> BatchAnalyzeRequest {
        BatchAnalyzeRequest {
            id: sequence.to_string(),
            position: Some(Position {
                fen: game.fen(0),
                moves: game.moves.get(..ply).unwrap_or_default().to_vec(),
                variant: choice::variant(game.variant == Variant::Chess960).into(),
                ..Position::default()
            }),
            limits: Some(self.limits()),
            multipv: self.multipv,
            backend: tabiya_client::v1::Backend::from(self.backend).into(),
            network: self.network.clone(),
            bulk_mode: tabiya_client::v1::BulkMode::from(self.bulk_mode).into(),
            game: match self.bulk_mode {
                BulkMode::Independent => String::new(),
                BulkMode::AlongGame => game.number.to_string(),
            },
            ..BatchAnalyzeRequest::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::tests::two_moves;

    #[test]
    fn a_request_carries_the_history() {
        let ask = Ask {
            nodes: Some(500),
            depth: None,
            movetime: Some(1_500),
            multipv: 2,
            bulk_mode: BulkMode::AlongGame,
            backend: Backend::Scalar,
            network: String::new(),
        };
        let request = ask.request(7, &two_moves(), 1);
        assert_eq!((request.id.as_str(), request.multipv), ("7", 2));
        assert_eq!(request.bulk_mode(), tabiya_client::v1::BulkMode::AlongGame);
        assert_eq!(request.game, two_moves().number.to_string());
        let position = request.position.unwrap();
        assert_eq!(position.moves, ["e2e4"]);
        assert!(position.fen.starts_with("rnbqkbnr/pppppppp/8"));
        let limits = request.limits.unwrap();
        assert_eq!((limits.nodes, limits.depth), (500, 0));
        assert_eq!(
            limits.time.map(|time| (time.seconds, time.nanos)),
            Some((1, 500_000_000))
        );
    }
}
