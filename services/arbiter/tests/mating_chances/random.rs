//! Random numbers and placements that a seed reproduces.

pub(crate) fn next(random: &mut u64) -> usize {
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    (*random >> 16) as usize
}

/// The FEN of a random placement; most are legal positions.
pub(crate) fn placement(pieces: &[u8], to_move: char, random: &mut u64) -> String {
    let mut squares = [None; 64];
    for &piece in pieces {
        let mut at = next(random) % 64;
        while squares[at].is_some() {
            at = (at + 1) % 64;
        }
        squares[at] = Some(char::from(piece));
    }
    fen(squares.chunks(8), to_move)
}

/// The FEN of a random wall of pawns, each stopped by another, with the kings on their own sides of it.
pub(crate) fn wall(to_move: char, random: &mut u64) -> String {
    let mut squares = [[None; 8]; 8];
    let mut rank = 1 + next(random) % 4;
    for file in 0..8 {
        // One up or one down, so that every pawn that a king might attack is defended.
        rank = match rank {
            1 => 2,
            4 => 3,
            _ => rank + 2 * (next(random) % 2) - 1,
        };
        squares[rank][file] = Some('P');
        squares[rank + 1][file] = Some('p');
    }
    let file = next(random) % 8;
    squares[0][file] = Some('K');
    squares[7][next(random) % 8] = Some('k');
    for piece in ['b', 'B'].into_iter().take(next(random) % 3) {
        let rank = if piece == 'b' { 7 } else { 0 };
        let free = squares[rank].iter_mut().find(|square| square.is_none());
        *free.unwrap() = Some(piece);
    }
    fen(squares.iter().rev().map(|rank| &rank[..]), to_move)
}

fn fen<'a>(ranks: impl Iterator<Item = &'a [Option<char>]>, to_move: char) -> String {
    let cell = |piece: &Option<char>| piece.map_or("1".to_owned(), String::from);
    let ranks: Vec<String> = ranks.map(|rank| rank.iter().map(cell).collect()).collect();
    let mut text = ranks.join("/");
    for run in (2..=8).rev() {
        text = text.replace(&"1".repeat(run), &run.to_string());
    }
    format!("{text} {to_move} - - 0 1")
}
