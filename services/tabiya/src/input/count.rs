//! Counts the whole work while it is being done, so that the time left can be told.

use super::{Feed, Inputs, STDIN};
use crate::progress::Progress;

/// Files beyond this size together are not counted: reading them twice would take too much from the work itself.
const MAX_BYTES: u64 = 256 << 20;

impl Inputs {
    /// Reads everything a second time on a thread of its own and tells the totals to `progress`. Does nothing for
    /// standard input, which can be read only once, and for very large files.
    pub(crate) fn count_in_background(&self, progress: &Progress) {
        let mut bytes = 0_u64;
        for path in &self.files {
            match path.metadata() {
                Ok(data) if path.as_os_str() != STDIN && data.is_file() => bytes += data.len(),
                _ => return,
            }
        }
        if bytes > MAX_BYTES {
            return;
        }
        let (inputs, progress) = (self.clone(), progress.clone());
        // Without the thread there is no estimate, which is no harm. It ends with the process if that ends first.
        let _ = std::thread::Builder::new()
            .name("tabiya-count".to_owned())
            .spawn(move || {
                let (mut games, mut positions) = (0, 0);
                let whole = inputs.read(&mut |feed| {
                    if let Feed::Game(game) = feed {
                        games += 1;
                        positions += game.positions() as u64;
                    }
                    true
                });
                if whole.is_ok() {
                    progress.set_total(games, positions);
                }
            });
    }
}
