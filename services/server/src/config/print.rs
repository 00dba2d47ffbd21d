//! Configurations as text: the effective one with its sources, and an example of everything.

use std::fmt::Write;

use super::{Config, Effective, SETTINGS};

/// Longest line of the example.
const WIDTH: usize = 100;

impl Effective {
    /// The configuration as a file, with the source of each value. Secrets are hidden, so that it can be shown to
    /// anybody.
    pub fn print(&self) -> String {
        let mut text = String::new();
        for setting in SETTINGS {
            let source = self.source(setting);
            let line = match setting.value(&self.config) {
                None => format!("# {} is not set", setting.key),
                Some(_) if setting.is_secret => format!("# {} is set, and hidden", setting.key),
                Some(value) => format!("{} = {value}", setting.key),
            };
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{line:<48} # {source}");
        }
        text
    }
}

/// A file that describes every setting and sets none.
pub fn example() -> String {
    let config = Config::for_cores(8);
    let mut text = String::from(
        "# Settings of `tabiya serve --config FILE`, each with its default. Defaults that follow from the number of cores\n\
         # are those for 8. A variable such as TABIYA_IO_THREADS goes before this file, a flag such as --io-threads before\n\
         # both. `tabiya config check FILE` says what is wrong with a file, `tabiya config show` what is in effect.\n",
    );
    let mut section = "";
    for setting in SETTINGS {
        if setting.section != section {
            section = setting.section;
            let _ = write!(text, "\n# ---- {section}\n");
        }
        text.push('\n');
        let range = setting
            .range()
            .map_or_else(String::new, |range| format!(" {range}."));
        let description = format!("{}{range}", setting.description());
        for line in wrapped(&description) {
            let _ = writeln!(text, "# {line}");
        }
        let _ = match setting.value(&config) {
            Some(value) => writeln!(text, "#{} = {value}", setting.key),
            None => writeln!(text, "#{} = \"{}\"", setting.key, setting.placeholder),
        };
    }
    text
}

/// Lines of at most [`WIDTH`] bytes, broken at spaces.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is a line");
        if !line.is_empty() && line.len() + word.len() >= WIDTH {
            lines.push(word.to_owned());
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}
