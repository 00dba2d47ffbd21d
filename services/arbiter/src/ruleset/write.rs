//! Writes a ruleset as the text that [`Library::read`](super::Library::read) reads.

use std::fmt::Write;

use super::{Domain, Ruleset, SwitchInfo};

impl Ruleset {
    /// The ruleset as TOML, complete in itself: every switch with its value, no `base`. Read again, it is the same
    /// ruleset.
    pub fn to_toml(&self) -> String {
        let mut out = String::new();
        for (key, value) in [
            ("id", &self.id),
            ("version", &self.version),
            ("title_en", &self.title_en),
            ("title_zh", &self.title_zh),
        ] {
            line(&mut out, key, &quoted(value));
        }
        out.push_str("\n[switches]\n");
        let switches = self.switches.list();
        for switch in &switches {
            let _ = writeln!(out, "# {}", switch.about);
            line(&mut out, switch.name, &value(switch, &switch.value));
        }
        for ((name, choice), set) in &self.choices {
            let _ = writeln!(out, "\n[choices.{}.{}]", quoted(name), quoted(choice));
            for (name, text) in set {
                if let Some(switch) = switches.iter().find(|switch| switch.name == name) {
                    line(&mut out, switch.name, &value(switch, text));
                }
            }
        }
        out.push_str("\n[rules]\n");
        for (rule, articles) in &self.rules {
            let articles: Vec<_> = articles.iter().map(|number| quoted(number)).collect();
            line(&mut out, rule.name(), &format!("[{}]", articles.join(", ")));
        }
        for (number, text) in &self.articles {
            let _ = writeln!(out, "\n[articles.{}]", quoted(number));
            line(&mut out, "en", &quoted(&text.en));
            line(&mut out, "zh", &quoted(&text.zh));
        }
        out
    }
}

fn line(out: &mut String, key: &str, value: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{key} = {value}");
}

/// A switch's value: bare where TOML has such a type.
fn value(switch: &SwitchInfo, text: &str) -> String {
    match switch.domain {
        Domain::Number { .. } | Domain::Count { .. } | Domain::Flag => text.to_owned(),
        Domain::Choice(_) | Domain::Words(_) | Domain::Form(_) => quoted(text),
    }
}

/// A basic string of TOML, on one line.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ruleset::Library;

    #[test]
    fn a_written_ruleset_reads_as_the_same() {
        let library = Library::built_in().unwrap();
        for ruleset in library.rulesets() {
            let text = ruleset.to_toml();
            let again = library.read("again.toml", &text);
            assert_eq!(again.as_ref(), Ok(&**ruleset), "{text}");
        }
    }

    #[test]
    fn strings_are_escaped() {
        assert_eq!(quoted("a\"b\\c\nd\u{7f}将"), "\"a\\\"b\\\\c\\u000Ad\\u007F将\"");
    }
}
