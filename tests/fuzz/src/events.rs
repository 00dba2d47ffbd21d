//! Lists of events under every ruleset: no panic, an answer for each, the same twice, and a prefix that does not know
//! the future.

#![no_main]

#[path = "../../../services/arbiter/tests/support/random_events.rs"]
mod random_events;

use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use random_events::{Scope, Source, events};
use tabiya_arbiter::replay::{DelayMode, Period, TimeControl, replay};
use tabiya_arbiter::ruleset::Library;
use tabiya_rules::{Board, Game, Variant};

/// Most events in a list.
const MOST: usize = 24;

/// Where a game starts.
const STARTS: [&str; 4] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/pppq1ppp/2n2n2/3pp3/3PP3/2N2N2/PPPQ1PPP/R3K2R b KQkq - 96 30",
    "8/P5k1/8/8/5r2/8/1p4K1/8 w - - 10 60",
    "4k3/8/8/8/8/8/8/4K2R w K - 147 90",
];

/// The input's bytes as numbers; zeros when they run out.
struct Bytes<'a>(&'a [u8]);

impl Source for Bytes<'_> {
    fn below(&mut self, count: usize) -> usize {
        let mut value = 0;
        // One byte for small choices, two for times.
        for _ in 0..1 + usize::from(count > 256) {
            let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
            self.0 = rest;
            value = value << 8 | usize::from(*first);
        }
        value % count
    }
}

fuzz_target!(|data: &[u8]| {
    let mut source = Bytes(data);
    let library = Library::built_in().unwrap();
    let ruleset = &library.rulesets()[source.below(library.rulesets().len())];
    let start = Game::new(Board::from_fen(STARTS[source.below(STARTS.len())]).unwrap());
    let period = |moves, minutes: u64| Period {
        moves,
        time: Duration::from_secs(60 * minutes),
        increment: Duration::from_secs(2),
        delay: Duration::ZERO,
        delay_mode: DelayMode::Bronstein,
    };
    let control = match source.below(3) {
        0 => None,
        1 => TimeControl::new(vec![period(0, 5)]).ok(),
        _ => TimeControl::new(vec![period(4, 60), period(0, 30)]).ok(),
    };
    let count = 1 + source.below(MOST);
    let scope = Scope {
        edits: true,
        one_sided: true,
        places: true,
        times: true,
    };
    let list = events(&mut source, &start, count, scope);
    let ask = |list| replay(ruleset, &start, Variant::Standard, control.as_ref(), list);
    let report = ask(&list);
    assert_eq!(report.rulings.len(), list.len());
    assert_eq!(format!("{report:?}"), format!("{:?}", ask(&list)));
    let half = list.len() / 2;
    assert_eq!(ask(&list[..half]).rulings, report.rulings[..half]);
    for ruling in &report.rulings {
        for number in &ruling.articles {
            assert!(ruleset.articles.contains_key(number), "{number}");
        }
    }
});
