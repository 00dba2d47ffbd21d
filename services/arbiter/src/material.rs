use tabiya_rules::Board;

/// Whether neither king can be mated by any series of legal moves, because of the material alone: bare kings, one
/// minor piece against a bare king, or any number of bishops that all stand on one colour of square.
///
/// ```
/// use tabiya_arbiter::is_dead_by_material;
/// use tabiya_rules::Board;
///
/// assert!(is_dead_by_material(&Board::from_fen("8/8/4k3/8/8/3NK3/8/8 w - - 0 1").unwrap()));
/// assert!(!is_dead_by_material(&Board::from_fen("8/8/4k3/8/8/2NNK3/8/8 w - - 0 1").unwrap()));
/// ```
pub fn is_dead_by_material(board: &Board) -> bool {
    board.is_dead_by_material()
}
