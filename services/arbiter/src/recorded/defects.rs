//! What is wrong with the text of a record, apart from chess.

use tabiya_rules::pgn::{Defect, DefectKind, GameTree, Severity};

use super::BrokenLine;
use crate::words::{self, Language};

/// Most defects of a text that are told.
const MAX_TOLD: usize = 16;

/// Why a text is no record at all; `None` if it is one: it has a tag, a move, at least what is meant as a move, or a result
/// and nothing strange.
pub(super) fn no_game(tree: &GameTree) -> Option<String> {
    if !tree.tags().is_empty() || tree.main_line().next().is_some() {
        return None;
    }
    match tree.defects().iter().find(|defect| is_strange(defect)) {
        Some(defect) => Some(words::defect(defect, Language::English)),
        None if tree.marker().is_some() || tree.cut().is_some() => None,
        None => Some("it has neither a tag, a move nor a result".into()),
    }
}

/// Whether no game has this.
fn is_strange(defect: &Defect) -> bool {
    match &defect.kind {
        // It has the form of a move.
        DefectKind::BadMove { .. } => false,
        DefectKind::ReservedText => true,
        kind => kind.severity() == Severity::Error,
    }
}

/// What cut the main line short.
///
/// # Errors
/// More text than is read.
pub(super) fn broken(tree: &GameTree) -> Result<Option<BrokenLine>, String> {
    let Some(cut) = tree.cut() else {
        return Ok(None);
    };
    let (text, after_end) = match &cut.kind {
        DefectKind::GameTooLarge => return Err(cut.kind.to_string()),
        DefectKind::BadMove { text, .. } | DefectKind::UnexpectedText(text) => (text, false),
        DefectKind::MoveAfterEnd(text) => (text, true),
        _ => return Ok(None),
    };
    Ok(Some(BrokenLine {
        text: text.clone(),
        after_end,
    }))
}

/// What was not read as it stands: everything but moves, which are told as such, and what concerns variations alone.
pub(super) fn unread(tree: &GameTree) -> Vec<Defect> {
    let unread = tree.defects().iter().filter(|defect| {
        let moves = defect.kind.ends_line() || defect.kind == DefectKind::VariationBeforeMove;
        defect.kind.severity() == Severity::Error && !moves
    });
    unread.take(MAX_TOLD).cloned().collect()
}
