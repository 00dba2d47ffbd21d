//! Every number of the page on capacity that is no measurement follows from those that are.

use std::fs;

use tabiya_tests::repository;

const SECONDS_A_DAY: f64 = 86_400.0;

/// Nodes a position in the page's plan.
const NODES: f64 = 20_000.0;

/// Cores of a pod, and what share of them workers and servers for waiting callers are planned to use.
const CORES_A_POD: f64 = 2.0;
const WORKERS: f64 = 0.9;
const CALLERS: f64 = 0.7;

fn page() -> String {
    fs::read_to_string(repository().join("deploy/capacity.md")).expect("the page")
}

/// The cells of the rows below a heading that begin with this.
fn rows(page: &str, heading: &str, begin: impl Fn(&str) -> bool) -> Vec<Vec<String>> {
    let (_, part) = page.split_once(heading).unwrap_or_else(|| panic!("no {heading}"));
    let part = part.split("\n## ").next().unwrap_or_default();
    let cells = |line: &str| {
        let cells = line.trim_matches('|').split('|');
        cells.map(|cell| cell.trim().to_owned()).collect::<Vec<_>>()
    };
    let rows = part.lines().filter(|line| line.starts_with("| ")).map(cells);
    rows.filter(|cells| begin(&cells[0])).collect()
}

/// A measured figure, by its name in the page's table.
fn measured(page: &str, name: &str) -> f64 {
    let rows = rows(page, "## What was measured", |cell| cell == format!("`{name}`"));
    let [row] = &rows[..] else {
        panic!("{name} is not one row: {rows:?}");
    };
    number(&row[1])
}

fn number(text: &str) -> f64 {
    text.replace(',', "")
        .parse()
        .unwrap_or_else(|_| panic!("no number: {text}"))
}

/// A number with so many significant digits, as the page writes it.
fn rounded(number: f64, digits: i32) -> String {
    let places = (digits - 1 - number.abs().log10().floor() as i32).max(0);
    let scale = 10_f64.powi(digits - 1 - number.abs().log10().floor() as i32);
    let number = (number * scale).round() / scale;
    let text = format!("{number:.*}", places as usize);
    let (whole, rest) = text.split_once('.').unwrap_or((&text, ""));
    let mut grouped = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    if rest.is_empty() {
        grouped
    } else {
        format!("{grouped}.{rest}")
    }
}

/// A number as a power of ten, such as `2.0 × 10¹⁰`.
fn power(number: f64) -> String {
    let exponent = number.log10().floor() as i32;
    let superscript: String = exponent
        .to_string()
        .chars()
        .filter_map(|digit| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(digit.to_digit(10)? as usize))
        .collect();
    format!("{:.1} × 10{superscript}", number / 10_f64.powi(exponent))
}

#[test]
fn what_follows_from_the_measured_figures_is_what_the_page_says() {
    let page = page();
    let on_two_cores = measured(&page, "positions a second");
    let a_core = on_two_cores / 2.0;
    assert_eq!(
        number(&rounded(a_core, 3)),
        measured(&page, "positions a second a core")
    );
    let nodes = measured(&page, "nodes a second a core");
    assert_eq!(number(&rounded(a_core * NODES, 2)), nodes);

    let plan = rows(&page, "## 1, 10 and 100 million positions a day", |cell| {
        cell.ends_with(",000,000")
    });
    assert_eq!(plan.len(), 3);
    for (row, positions) in plan.iter().zip([1e6, 1e7, 1e8]) {
        let rate = positions / SECONDS_A_DAY;
        let cores = rate / (a_core * WORKERS);
        let pods = (cores / CORES_A_POD).ceil();
        // As many digits as there are to tell one from another.
        let digits = |number: f64| if number >= 1000.0 { 4 } else { 3 };
        let expected = [
            rounded(positions, 7),
            rounded(rate, digits(rate)),
            rounded(cores, 2),
            format!("{pods} + 1"),
            power(positions * NODES),
        ];
        assert_eq!(
            row[..],
            expected,
            "what follows from {a_core} positions a second a core"
        );
    }

    // Those who wait, at a peak of four times the mean.
    let rate = 1e7 / SECONDS_A_DAY;
    let told = format!(
        "{} × 4 / ({} × 0.7) = {} cores",
        rounded(rate, 3),
        rounded(a_core, 3),
        rounded(rate * 4.0 / (a_core * CALLERS), 3)
    );
    let words = page.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(&told), "the page does not say {told:?}");
    let told = format!("with the figure above ({} a core)", rounded(a_core, 3));
    assert!(words.contains(&told), "the page does not say {told:?}");

    // A result is one write.
    let [few, some, many] = [1e6, 1e7, 1e8].map(|positions: f64| (positions / SECONDS_A_DAY).round());
    let told = format!(
        "{few}, {some} and {} results a second for the three rows",
        rounded(many, 4)
    );
    assert!(words.contains(&told), "the page does not say {told:?}");
}
