use super::*;
use crate::pgn::command::{Eval, EvalScore};
use crate::pgn::{NodeId, Outcome};
use crate::{Board, Move, MoveKind, Variant};

fn square(text: &str) -> crate::Square {
    text.parse().unwrap()
}

fn quiet(text: &str) -> Move {
    Move::normal(square(&text[..2]), square(&text[2..]))
}

#[test]
fn export_form() {
    let mut tree = GameTree::new(Board::startpos(), Variant::Standard);
    tree.tags_mut().set("White", "A \"B\" \\ C\nD");
    tree.tags_mut().set("ECO", "C20");
    tree.tags_mut().set("Annotator", "N");
    let e4 = tree.add_move(NodeId::ROOT, quiet("e2e4")).unwrap();
    let e5 = tree.add_move(e4, quiet("e7e5")).unwrap();
    let c5 = tree.add_move(e4, quiet("c7c5")).unwrap();
    let d4 = tree.add_move(NodeId::ROOT, quiet("d2d4")).unwrap();
    assert_eq!(tree.add_move(e5, quiet("e1e3")), None);
    tree.add_move(e5, quiet("g1f3")).unwrap();
    tree.add_comment(NodeId::ROOT, " before\nall ");
    tree.add_comment_before(c5, "Sicilian");
    tree.add_comment(c5, "a } b");
    tree.add_comment(e5, "");
    tree.add_nag(e5, 3);
    tree.add_nag(d4, 14);
    tree.set_eval(
        e4,
        Eval {
            score: EvalScore::Centipawns(-35),
            depth: None,
        },
    );
    tree.set_marker(Outcome::Draw);
    let expected = concat!(
        "[Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n",
        "[White \"A \\\"B\\\" \\\\ C D\"]\n[Black \"?\"]\n[Result \"1/2-1/2\"]\n[Annotator \"N\"]\n[ECO \"C20\"]\n\n",
        "{before all} 1. e4 {[%eval -0.35]} (1. d4 $14) 1... e5 $3 ({Sicilian} 1... c5 ",
    );
    let text = tree.to_string();
    assert!(text.starts_with(expected), "{text}");
    assert!(text.ends_with(";a } b\n) 2. Nf3 1/2-1/2\n\n"), "{text}");
}

#[test]
fn set_eval_keeps_the_rest_of_the_comment() {
    let mut tree = read_one("1. e4 {good [%clk 0:01:00]} e5 {[%eval 1.5,3] so so} 2. Nf3 {plain} *");
    let nodes: Vec<_> = tree.main_line().collect();
    for &node in &nodes {
        tree.set_eval(
            node,
            Eval {
                score: EvalScore::MateIn(-3),
                depth: Some(9),
            },
        );
    }
    let comments: Vec<_> = nodes.iter().flat_map(|&node| tree.comments(node)).collect();
    assert_eq!(
        comments,
        [
            "good [%eval #-3,9] [%clk 0:01:00]",
            "[%eval #-3,9] so so",
            "[%eval #-3,9]",
            "plain"
        ]
    );
    assert_eq!(tree.eval(nodes[1]).unwrap().score, EvalScore::MateIn(-3));
    assert_eq!(tree.clock(nodes[0]).unwrap().as_secs(), 60);
}

#[test]
fn a_start_position_gets_its_tags() {
    let fen = "4k3/8/8/8/8/8/4P3/4K2R b K - 3 30";
    let mut tree = GameTree::new(Board::from_fen(fen).unwrap(), Variant::Chess960);
    let king = tree.add_move(NodeId::ROOT, quiet("e8d7")).unwrap();
    tree.add_move(king, Move::new(square("e1"), square("h1"), MoveKind::Castle))
        .unwrap();
    let text = tree.to_string();
    let tags = format!(
        "[Result \"*\"]\n[FEN \"{fen}\"]\n[SetUp \"1\"]\n[Variant \"Chess960\"]\n\n30... Kd7 31. O-O *\n"
    );
    assert!(text.ends_with(&format!("{tags}\n")), "{text}");
    assert!(Games::new(text.as_bytes(), Mode::Strict).next().unwrap().is_ok());
}

#[test]
fn lines_break_between_words_and_commands_stay_whole() {
    let mut tree = read_one("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 *");
    for node in tree.main_line().collect::<Vec<_>>() {
        tree.add_comment(
            node,
            "a fairly long remark, %signs  and ;all [%csl Ga1,Gb2] [%cal Ra1b2] [%clk 0:01:02]",
        );
    }
    let text = tree.to_string();
    let lines: Vec<_> = text.lines().skip(8).collect();
    assert!(lines.len() > 10);
    for line in lines {
        assert!(
            (line.chars().count() <= 79 || line.contains("%signs")) && !line.starts_with('%'),
            "{line}"
        );
        assert_eq!(line.matches("[%").count(), line.matches(']').count(), "{line}");
    }
}
