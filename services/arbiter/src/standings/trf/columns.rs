/// A line by columns, in characters from 1.
pub(super) struct Columns<'a> {
    text: &'a str,
    /// Where each character starts, and the end.
    starts: Vec<usize>,
}

impl<'a> Columns<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        let starts = text.char_indices().map(|(at, _)| at).chain([text.len()]);
        Self {
            text,
            starts: starts.collect(),
        }
    }

    /// How many columns the line has.
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The text from one column to another, ends included; less where the line is shorter.
    pub(super) fn raw(&self, from: usize, to: usize) -> &'a str {
        let last = self.len();
        let (from, to) = ((from - 1).min(last), to.min(last));
        &self.text[self.starts[from]..self.starts[to.max(from)]]
    }

    /// The same without blanks at its ends.
    pub(super) fn field(&self, from: usize, to: usize) -> &'a str {
        self.raw(from, to).trim_matches(' ')
    }

    /// The line with the text between two columns replaced; it is filled up with blanks if it is shorter.
    pub(super) fn with(&self, from: usize, to: usize, text: &str) -> String {
        let head = self.raw(1, from - 1);
        let fill = (from - 1).saturating_sub(self.len());
        let tail = if self.len() > to {
            self.raw(to + 1, self.len())
        } else {
            ""
        };
        format!("{head}{}{text}{tail}", " ".repeat(fill))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters() {
        let line = Columns::of("001 丁立人 x");
        assert_eq!(
            (line.len(), line.field(5, 7), line.raw(8, 20), line.raw(30, 31)),
            (9, "丁立人", " x", "")
        );
        assert_eq!(line.with(9, 9, "yz"), "001 丁立人 yz");
        assert_eq!(Columns::of("ab").with(5, 6, "cd"), "ab  cd");
    }
}
