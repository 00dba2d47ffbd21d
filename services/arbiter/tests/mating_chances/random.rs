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
    let mut files = [[None; 8]; 8];
    let mut rank = 1 + next(random) % 4;
    for file in &mut files {
        // One up or one down, so that every pawn that a king might attack is defended.
        rank = match rank {
            1 => 2,
            4 => 3,
            _ => rank + 2 * (next(random) % 2) - 1,
        };
        file[rank] = Some('P');
        file[rank + 1] = Some('p');
    }
    files[next(random) % 8][0] = Some('K');
    files[next(random) % 8][7] = Some('k');
    for (piece, rank) in [('b', 7), ('B', 0)].into_iter().take(next(random) % 3) {
        if let Some(file) = files.iter_mut().find(|file| file[rank].is_none()) {
            file[rank] = Some(piece);
        }
    }
    let ranks: Vec<[Option<char>; 8]> = (0..8).rev().map(|rank| files.map(|file| file[rank])).collect();
    fen(ranks.iter().map(|rank| &rank[..]), to_move)
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
