//! Splitting the text into its fields.

use super::error::Reason;
use super::repair::{Log, Repair};

/// The fields of the text, at most seven of them, so that a surplus shows.
pub(super) fn split<'a>(text: &'a str, log: &mut Log) -> Vec<&'a str> {
    let mut body = text;
    if let Some(rest) = body.strip_prefix('\u{feff}') {
        body = rest;
        log.flaw(Reason::ByteOrderMark, Repair::ByteOrderMark);
    }
    let fields: Vec<&str> = body.split_ascii_whitespace().take(7).collect();
    if fields.is_empty() {
        log.refuse(Reason::Empty);
        return fields;
    }
    if let [only] = fields[..]
        && only.contains('_')
    {
        log.flaw(Reason::Underscores, Repair::Underscores);
        return only.split('_').take(7).collect();
    }
    // One blank between fields and nothing else is the only well-formed spacing.
    let clean = fields.len() <= 6 && {
        let length: usize = fields.iter().map(|field| field.len()).sum::<usize>() + fields.len() - 1;
        length == body.len() && !body.contains(['\t', '\n', '\r', '\x0c'])
    };
    if !clean && fields.len() <= 6 {
        log.flaw(Reason::Spacing, Repair::Spacing);
    }
    fields
}

/// A counter: decimal digits, no sign, no leading zero, below 2^32.
pub(super) fn counter(field: &str, refuse: impl FnOnce(String) -> Reason, log: &mut Log) -> Option<u32> {
    let digits_only = !field.is_empty() && field.bytes().all(|byte| byte.is_ascii_digit());
    match field.parse::<u32>() {
        Ok(value) if digits_only => {
            if field.len() > 1 && field.starts_with('0') {
                log.flaw(refuse(excerpt(field)), Repair::LeadingZeros(value));
            }
            Some(value)
        }
        _ => {
            log.refuse(refuse(excerpt(field)));
            None
        }
    }
}

/// At most 64 bytes of a caller's text, for messages.
pub(crate) fn excerpt(text: &str) -> String {
    let mut end = text.len().min(64);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].to_owned()
}
