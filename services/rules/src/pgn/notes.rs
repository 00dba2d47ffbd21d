//! Comments and glyphs of a move.

/// What is written about a move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Notes {
    /// Comments before the move, where it begins a variation.
    pub(super) before: Vec<String>,
    pub(super) nags: Vec<u8>,
    pub(super) after: Vec<String>,
}

pub(super) static NO_NOTES: Notes = Notes {
    before: Vec::new(),
    nags: Vec::new(),
    after: Vec::new(),
};

/// A comment's text as it is kept, or none if it is empty.
pub(super) fn normalized(text: &str) -> Option<String> {
    let text = text.trim_matches(|c: char| c.is_ascii_whitespace());
    if text.is_empty() {
        return None;
    }
    if !text.contains(['\n', '\r']) {
        return Some(text.to_owned());
    }
    let lines = text
        .split(['\n', '\r'])
        .map(|line| line.trim_matches([' ', '\t']));
    let mut whole = String::with_capacity(text.len());
    for line in lines.filter(|line| !line.is_empty()) {
        if !whole.is_empty() {
            whole.push(' ');
        }
        whole.push_str(line);
    }
    Some(whole)
}
