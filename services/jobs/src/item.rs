use tabiya_api::v1;

/// One position of a manifest, as it is stored.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Item {
    /// The caller's name for it, unique in the job; its place where the caller gave none.
    #[prost(string, tag = "1")]
    pub item_id: String,
    /// The position, with the moves that led to it.
    #[prost(message, optional, tag = "2")]
    pub position: Option<v1::Position>,
    /// The name of its game, for searches along games.
    #[prost(string, tag = "3")]
    pub game: String,
    /// The position after the moves, as X-FEN.
    #[prost(string, tag = "4")]
    pub fen: String,
    /// Moves to choose from, in UCI notation; empty for all.
    #[prost(string, repeated, tag = "5")]
    pub search_moves: Vec<String>,
}
