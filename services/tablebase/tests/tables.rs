//! Handed tables against what chess says: replies, mates, and an outside reader.

mod support;

use support::{board, folder, positions, tables};
use tabiya_rules::{Game, MoveList, fen};
use tabiya_tablebase::{ProbeError, Tablebase, Wdl};

/// Known endings: outcome and distance as any textbook or public table has them.
#[test]
fn known_endings() {
    let Some(tables) = tables() else { return };
    for (fen, wdl, dtz) in [
        ("8/8/8/8/8/8/8/K1k5 w - - 0 1", Wdl::Draw, 0),
        // The queen hangs.
        ("8/8/8/8/8/8/2k5/K1Q5 b - - 0 1", Wdl::Draw, 0),
        // Mate in one.
        ("k7/8/1K6/8/8/8/8/7R w - - 0 1", Wdl::Win, 1),
        // The opposition decides.
        ("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1", Wdl::Win, 3),
        ("8/8/8/4k3/8/4K3/4P3/8 w - - 0 1", Wdl::Draw, 0),
        // A rook's pawn.
        ("k7/8/K7/P7/8/8/8/8 w - - 0 1", Wdl::Draw, 0),
        // Two knights win nothing.
        ("8/8/8/3k4/8/3NKN2/8/8 w - - 0 1", Wdl::Draw, 0),
    ] {
        let board = board(fen);
        assert_eq!(tables.wdl(&board), Ok(wdl), "{fen}");
        assert_eq!(tables.dtz(&board), Ok(dtz), "{fen}");
    }
}

/// The two files of a material may be in different folders, and the digest goes by what the files are.
#[test]
fn folders_are_one_set_and_the_digest_tells_sets_apart() {
    let Some(source) = folder() else { return };
    let split = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let put = |folder: usize, name: &str| {
        std::fs::copy(source.join(name), split[folder].path().join(name)).unwrap();
    };
    let open = || Tablebase::open(split.iter().map(tempfile::TempDir::path)).unwrap();
    put(1, "KRvK.rtbw");
    let outcomes = open();
    assert_eq!((outcomes.len(), outcomes.distances()), (1, 0));
    let position = board("8/8/8/3k4/8/8/8/KR6 w - - 0 1");
    assert_eq!(outcomes.wdl(&position), Ok(Wdl::Win));
    assert_eq!(
        outcomes.dtz(&position),
        Err(ProbeError::Missing("KRvK.rtbz".into()))
    );
    put(0, "KRvK.rtbz");
    let both = open();
    assert_eq!((both.len(), both.distances(), both.most_men()), (1, 1, 3));
    assert!(both.dtz(&position).unwrap() > 1);
    assert_ne!(both.digest(), outcomes.digest());
    put(0, "KRvK.rtbw");
    assert_eq!(open().digest(), both.digest());
    assert_eq!(open().digest().len(), 64);
    put(1, "KQvK.rtbw");
    assert_ne!(open().digest(), both.digest());
}

/// What no table can answer says why.
#[test]
fn refusals() {
    let Some(tables) = tables() else { return };
    let wdl = |fen| tables.wdl(&board(fen));
    assert_eq!(wdl("4k3/8/8/8/8/8/8/4K2R w K - 0 1"), Err(ProbeError::Castling));
    assert_eq!(
        wdl("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1"),
        Err(ProbeError::TooManyMen { men: 32, most: 4 })
    );
}

/// Bishop and knight: following the first move mates within fifty moves, whatever Black tries.
#[test]
fn bishop_and_knight_mate() {
    let Some(tables) = tables() else { return };
    for fen in [
        "8/8/8/3k4/8/8/8/KBN5 w - - 0 1",
        "7k/8/8/8/8/8/8/KBN5 w - - 0 1",
        "8/8/4k3/8/8/3N4/8/K6B w - - 0 1",
    ] {
        let mut game = Game::new(board(fen));
        let distance = tables.dtz(game.board()).unwrap();
        assert!(distance > 1 && distance < 70, "{fen}: {distance}");
        while !game.board().is_checkmate() {
            assert!(game.moves().len() < 100, "{fen}: no mate in fifty moves");
            let ranked = tables.rank_moves(&game).unwrap();
            game.play(ranked[0].mv);
        }
        // Nothing but mate ends the count here, so it is reached in the plies that were promised.
        assert!(
            (distance..=distance + 1).contains(&(game.moves().len() as i32)),
            "{fen}"
        );
    }
}

/// Pseudo-random positions of every material: an outcome is the best of the replies' outcomes, turned round.
#[test]
fn outcomes_follow_from_replies() {
    let Some(tables) = tables() else { return };
    let mut checked = 0u32;
    for board in positions(40) {
        let wdl = tables.wdl(&board).unwrap();
        let mut moves = MoveList::new();
        board.legal_moves(&mut moves);
        let best = moves.iter().map(|mv| {
            let after = board.after(*mv);
            let reply = -tables.wdl(&after).unwrap();
            // A reply that needs the fifty-move rule's whole span may be a win one ply later; with four men at most
            // there are none.
            assert!(![Wdl::CursedWin, Wdl::BlessedLoss].contains(&reply));
            reply
        });
        let expected = match best.max() {
            Some(best) => best,
            None if board.in_check() => Wdl::Loss,
            None => Wdl::Draw,
        };
        assert_eq!(wdl, expected, "{}", fen::xfen(&board));
        checked += 1;
    }
    assert!(checked > 1000, "{checked}");
}

/// Distances fall by one ply, or a capture or pawn move is on.
#[test]
fn distances_fall_by_one() {
    let Some(tables) = tables() else { return };
    for board in positions(12) {
        let dtz = tables.dtz(&board).unwrap();
        let ranked = tables.rank_moves(&Game::new(board)).unwrap();
        let Some(first) = ranked.first() else { continue };
        // A table rounds by a ply at most.
        assert!(
            (first.dtz - dtz).abs() <= 1,
            "{}: {dtz}, {first:?}",
            fen::xfen(&board)
        );
        assert_eq!(first.dtz.signum(), dtz.signum(), "{}", fen::xfen(&board));
    }
}
