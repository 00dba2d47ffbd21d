//! `tabiya evaluate`: a FEN a line in, a value out.

use tabiya_tests::{Serving, rows, run_with_input};

const LIST: &str = "\
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1

# a comment
4k3/8/8/8/8/8/8/3QK3 w - - 0 1
no position
4k3/8/8/8/8/8/8/3QK3 b - - 0 1
8/8/8/8/8/8/8/8 w - - 0 1
";

#[test]
fn order_is_kept_and_wrong_lines_are_named() {
    let run = run_with_input(
        ["evaluate", "-", "--backend", "cpu", "--format", "jsonl"],
        LIST.as_bytes(),
    );
    let run = run.expect_code(1);
    let rows = rows(&run.stdout);
    let fens: Vec<_> = rows
        .iter()
        .map(|row| row["fen"].as_str().unwrap_or_default())
        .collect();
    let good: Vec<_> = LIST
        .lines()
        .filter(|line| line.contains("KQkq") || line.contains("3QK3"))
        .collect();
    assert_eq!(fens, good);
    let values: Vec<_> = rows
        .iter()
        .map(|row| row["value"].as_i64().expect("an integer"))
        .collect();
    assert!(values[0].abs() < 200, "the start is about level: {values:?}");
    assert!(
        values[1] > 300 && values[2] < -300,
        "a queen more, from the side to move: {values:?}"
    );
    for line in ["line 5: ", "line 7: "] {
        assert!(run.stderr.contains(line), "{line} in {}", run.stderr);
    }
    assert!(
        !run.stderr.contains("line 2") && !run.stderr.contains("line 3"),
        "{}",
        run.stderr
    );
}

#[test]
fn all_backends_and_a_server_elsewhere_give_the_same() {
    let list: String = LIST
        .lines()
        .filter(|line| line.contains("KQkq") || line.contains("3QK3"))
        .fold(String::new(), |mut text, line| {
            text.push_str(line);
            text.push('\n');
            text
        });
    let evaluate = |extra: &[&str]| {
        let args = ["evaluate", "-"].iter().chain(extra);
        run_with_input(args, list.as_bytes()).expect_code(0).stdout
    };
    let reference = evaluate(&["--backend", "scalar"]);
    assert_eq!(reference.lines().count(), 3);
    assert_eq!(evaluate(&["--backend", "cpu"]), reference);
    assert_eq!(evaluate(&[]), reference);
    let server = Serving::start(&["--no-gpu"]);
    assert_eq!(evaluate(&["--endpoint", &server.endpoint()]), reference);
}
