//! What must hold for any bytes and any tree.

use proptest::prelude::*;

use super::*;
use crate::pgn::{MainLine, NodeId, Outcome, Reader};
use crate::{Board, Move, MoveList, Variant};

/// Pieces of PGN that a fuzzer would take long to find.
const FRAGMENTS: [&str; 48] = [
    "[Event \"a\"]\n",
    "[Result \"1-0\"]\n",
    "[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 0 30\"]\n",
    "[SetUp \"1\"]\n",
    "[Variant \"Chess960\"]\n",
    "[White \"\\\"x\\\\\"]\n",
    "[Bad \"x\n",
    "[",
    "]",
    "\n\n",
    "\n",
    "\r\n",
    "\r",
    " ",
    "\t",
    "1.",
    "1...",
    "e4",
    "e5",
    "Nf3",
    "Nc6",
    "O-O",
    "0-0",
    "Qh9",
    "--",
    "$1",
    "$999",
    "!?",
    "??",
    "(",
    ")",
    "(=)",
    "{",
    "}",
    "{ [%clk 0:01:02] }",
    ";",
    "%",
    "<",
    ">",
    "1-0",
    "½-½",
    "*",
    "e.p.",
    "\u{feff}",
    "国",
    "♘f3",
    "\"",
    "\\",
];

fn fragments() -> impl Strategy<Value = Vec<u8>> {
    let fragment = prop_oneof![
        8 => (0..FRAGMENTS.len()).prop_map(|at| FRAGMENTS[at].as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 1..4),
    ];
    prop::collection::vec(fragment, 0..60).prop_map(|parts| parts.concat())
}

fn read_bytes(bytes: &[u8], step: usize, mode: Mode) -> Vec<Result<GameTree, String>> {
    Games::new(Trickle { bytes, step }, mode)
        .map(|game| game.map_err(|error| error.to_string()))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_alike_in_any_pieces(bytes in fragments(), step in 1usize..9) {
        let whole = read_bytes(&bytes, usize::MAX, Mode::Lenient);
        let pieces = read_bytes(&bytes, step, Mode::Lenient);
        prop_assert_eq!(&whole, &pieces);
        for (one, other) in whole.iter().zip(&pieces) {
            if let (Ok(one), Ok(other)) = (one, other) {
                prop_assert_eq!(one.defects(), other.defects());
            }
        }
        read_bytes(&bytes, step, Mode::Strict);
        let mut reader = Reader::new(&bytes[..]);
        let mut line = MainLine::default();
        while reader.read_game(&mut line).unwrap() {}
    }

    #[test]
    fn what_was_read_survives_writing(bytes in fragments()) {
        for game in read_bytes(&bytes, usize::MAX, Mode::Lenient).into_iter().flatten() {
            let first = reread(&game);
            prop_assert_eq!(&reread(&first), &first);
            prop_assert_eq!(first.move_count(), game.move_count());
            prop_assert!(first.errors().next().is_none(), "{:?}\n{}", first.defects(), game);
        }
    }

    #[test]
    fn written_trees_are_read_back(seed in any::<u64>(), moves in 0usize..80) {
        let tree = random_tree(seed, moves);
        let again = reread(&tree);
        prop_assert_eq!(&again, &tree, "{}", tree);
        prop_assert!(again.defects().is_empty(), "{:?}", again.defects());
        let strict = Games::new(tree.to_string().as_bytes(), Mode::Strict).next().unwrap().unwrap();
        prop_assert_eq!(&strict, &tree);
    }
}

fn reread(tree: &GameTree) -> GameTree {
    let text = tree.to_string();
    let mut games: Vec<_> = Games::new(text.as_bytes(), Mode::Lenient).collect();
    assert_eq!(games.len(), 1, "{text}");
    games.remove(0).unwrap()
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }

    fn text(&mut self) -> String {
        const PARTS: [&str; 19] = [
            "a",
            "word",
            " ",
            "  ",
            "\n",
            "\t ",
            "%",
            "% x",
            ";",
            "{",
            "}",
            "[%clk 0:00:01]",
            "[Event \"x\"]",
            "\"",
            "\\",
            "后翼",
            "1-0",
            "(",
            "longer than others",
        ];
        (0..self.below(12))
            .map(|_| PARTS[self.below(PARTS.len())])
            .collect()
    }
}

/// A tree with variations, comments and glyphs in random places, complete tags, and a marker that fits the board.
fn random_tree(seed: u64, moves: usize) -> GameTree {
    let mut random = Random(seed);
    let (start, variant) = match random.below(3) {
        0 => ("4k2r/1P4p1/8/3pP3/8/8/6p1/R3K3 w Qk d6 0 30", Variant::Standard),
        1 => (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            Variant::Standard,
        ),
        _ => (
            "nbbrknrq/pppppppp/8/8/8/8/PPPPPPPP/NBBRKNRQ w KQkq - 0 1",
            Variant::Chess960,
        ),
    };
    let start = crate::fen::parse(start, crate::fen::FenMode::Analysis, variant)
        .unwrap()
        .board;
    let mut tree = GameTree::new(start, variant);
    let mut nodes = vec![NodeId::ROOT];
    for _ in 0..moves {
        // Mostly at the end of the last line, sometimes anywhere.
        let parent = if random.below(4) > 0 {
            nodes[nodes.len() - 1]
        } else {
            nodes[random.below(nodes.len())]
        };
        let board: Board = tree.board(parent);
        let mut list = MoveList::new();
        board.legal_moves(&mut list);
        if list.is_empty() {
            continue;
        }
        // A null move only where a variation is: the main line of an export may not have one.
        let null = random.below(12) == 0 && !board.in_check() && tree.children(parent).next().is_some();
        let mv = if null {
            Move::NULL
        } else {
            list[random.below(list.len())]
        };
        let Some(node) = tree.add_move(parent, mv) else {
            continue;
        };
        nodes.push(node);
        for _ in 0..random.below(3) {
            let text = random.text();
            match random.below(3) {
                0 => tree.add_comment_before(node, &text),
                _ => tree.add_comment(node, &text),
            }
        }
        for _ in 0..random.below(2) {
            let nag = random.below(256) as u8;
            tree.add_nag(node, nag);
        }
    }
    let marker = tree.board_outcome().unwrap_or(Outcome::Unknown);
    tree.set_marker(marker);
    for name in ["Event", "Site", "Date", "Round", "White", "Black"] {
        let value = random.text();
        tree.tags_mut().set(name, &value);
    }
    tree.tags_mut().set("Result", marker.as_str());
    let fen = crate::fen::xfen(tree.start());
    let mut others = vec![("Annotator", random.text()), ("ECO", random.text())];
    if variant == Variant::Chess960 {
        others.push(("Variant", "Chess960".to_owned()));
    }
    if fen != crate::fen::xfen(&Board::startpos()) {
        others.extend([("FEN", fen), ("SetUp", "1".to_owned())]);
    }
    others.sort();
    for (name, value) in others {
        tree.tags_mut().set(name, &value);
    }
    tree
}
