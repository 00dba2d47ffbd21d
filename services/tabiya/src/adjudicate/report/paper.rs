//! Lines of text, wrapped and aligned by the width that letters have on screen: Chinese ones take two columns.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Columns of a line.
const WIDTH: usize = 100;
/// Columns of the labels on the left.
const LABEL: usize = 14;

/// A report being written.
#[derive(Debug, Default)]
pub(super) struct Paper(String);

impl Paper {
    /// What was written.
    pub(super) fn text(&self) -> &str {
        &self.0
    }

    /// Columns that a text takes.
    pub(super) fn width(text: &str) -> usize {
        text.width()
    }

    /// A title between rules.
    pub(super) fn title(&mut self, text: &str) {
        let rule = "=".repeat(WIDTH);
        self.line(&rule);
        self.hang("", 0, text);
        self.line(&rule);
    }

    /// A heading after an empty line.
    pub(super) fn heading(&mut self, text: &str) {
        self.line("");
        self.line(text);
    }

    /// An empty line.
    pub(super) fn gap(&mut self) {
        self.line("");
    }

    /// A label and its text; nothing if the text is empty.
    pub(super) fn pair(&mut self, label: &str, text: &str) {
        if !text.is_empty() {
            self.hang(label, LABEL, text);
        }
    }

    /// Text behind a lead, indented by so many columns; the lead gets a line of its own if it does not fit.
    pub(super) fn hang(&mut self, lead: &str, indent: usize, text: &str) {
        let lead = clean(lead);
        let mut begin = lead.clone();
        if lead.width() + 1 > indent && indent > 0 {
            self.line(&lead);
            begin.clear();
        }
        for line in wrap(&clean(text), WIDTH.saturating_sub(indent).max(1)) {
            let padding = indent.saturating_sub(begin.width());
            self.line(&format!("{begin}{}{line}", " ".repeat(padding)));
            begin.clear();
        }
    }

    /// Rows of cells in columns, the first row being their names.
    pub(super) fn table(&mut self, rows: &[Vec<String>]) {
        let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
        let cell =
            |row: &Vec<String>, column: usize| row.get(column).map(|text| clean(text)).unwrap_or_default();
        let widths: Vec<usize> = (0..columns)
            .map(|column| {
                rows.iter()
                    .map(|row| cell(row, column).width())
                    .max()
                    .unwrap_or_default()
            })
            .collect();
        for row in rows {
            let mut line = String::from("  ");
            for (column, width) in widths.iter().enumerate() {
                let text = cell(row, column);
                line.push_str(&text);
                line.push_str(&" ".repeat(width - text.width() + 2));
            }
            self.line(&line);
        }
    }

    fn line(&mut self, text: &str) {
        self.0.push_str(text.trim_end());
        self.0.push('\n');
    }
}

/// The text without letters that would move the cursor or turn the direction of writing.
fn clean(text: &str) -> String {
    let harmful = |letter: char| {
        letter.is_control() || matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.replace(harmful, "\u{fffd}")
}

/// Breaks a text into lines of at most so many columns: at spaces, and between Chinese letters.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for piece in pieces(text) {
        if line.width() + piece.trim_end().width() > width && !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        if piece.trim_end().width() <= width {
            line.push_str(piece);
            continue;
        }
        for letter in piece.chars() {
            if line.width() + letter.width().unwrap_or_default() > width && !line.is_empty() {
                lines.push(std::mem::take(&mut line));
            }
            line.push(letter);
        }
    }
    lines.push(line);
    lines
}

/// Parts between which a line may end, each with the spaces behind it.
fn pieces(text: &str) -> Vec<&str> {
    const NEVER_FIRST: &str = "，。、；：！？）”’》」』】.,;:!?)]";
    const NEVER_LAST: &str = "（“‘《「『【([";
    let mut pieces = Vec::new();
    let mut begin = 0;
    let mut letters = text.char_indices().peekable();
    while let Some((_, letter)) = letters.next() {
        let Some(&(at, next)) = letters.peek() else { break };
        let is_wide = |letter: char| letter.width() == Some(2);
        let may_end = match (letter, next) {
            // A space that does not break keeps a word and its number together.
            (_, ' ' | '\u{a0}') | ('\u{a0}', _) => false,
            (' ', _) => true,
            _ => {
                (is_wide(letter) || is_wide(next))
                    && !NEVER_FIRST.contains(next)
                    && !NEVER_LAST.contains(letter)
            }
        };
        if may_end {
            pieces.push(&text[begin..at]);
            begin = at;
        }
    }
    pieces.push(&text[begin..]);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_where_they_may() {
        assert_eq!(wrap("one two  three", 8), ["one two  ", "three"]);
        assert_eq!(wrap("abcdefghij kl", 4), ["abcd", "efgh", "ij ", "kl"]);
        assert_eq!(wrap("白方超时，黑方胜", 8), ["白方超", "时，黑方", "胜"]);
        assert_eq!(wrap("见（第6.9条）。", 8), ["见（第", "6.9", "条）。"]);
        assert_eq!(wrap("一二三四 条款\u{a0}5", 12), ["一二三四 条", "款\u{a0}5"]);
        assert_eq!(wrap("", 8), [""]);
    }

    #[test]
    fn columns_line_up_in_both_scripts() {
        let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        let mut paper = Paper::default();
        paper.table(&[row(["规则", "结果", "x"]), row(["fide-2023", "1-0", "x"])]);
        assert_eq!(paper.text(), "  规则       结果  x\n  fide-2023  1-0   x\n");
    }

    #[test]
    fn nothing_moves_the_cursor() {
        let mut paper = Paper::default();
        paper.pair("Event", "a\u{1b}[2Jb\nc\u{202e}d");
        assert_eq!(paper.text(), "Event         a\u{fffd}[2Jb\u{fffd}c\u{fffd}d\n");
    }

    #[test]
    fn a_long_lead_stands_alone() {
        let mut paper = Paper::default();
        paper.hang("abcdef", 4, "x");
        paper.hang("ab", 4, "x");
        assert_eq!(paper.text(), "abcdef\n    x\nab  x\n");
    }
}
