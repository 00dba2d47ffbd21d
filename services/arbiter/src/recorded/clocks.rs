//! Clock readings that cannot be.

use std::time::Duration;

use tabiya_rules::Color;

use super::{Contradiction, ContradictionKind, Record, RecordedTermination};
use crate::replay::{Period, TimeControl};

/// What readings may be off by: they are mostly whole seconds, and servers make up for delays of the line.
const TOLERANCE: Duration = Duration::from_secs(2);

/// Most contradictions of one kind that are told.
const MAX_TOLD: usize = 4;

impl Record {
    /// Where the clocks contradict the time control or the record. `control` is the time control in force, if it is
    /// known; `on_board`, whether the game ended on the board.
    pub(super) fn clock_contradictions(
        &self,
        control: Option<&TimeControl>,
        on_board: bool,
    ) -> Vec<Contradiction> {
        let mut found = Vec::new();
        if let Some(control) = control {
            for side in Color::ALL {
                self.follow(side, control, &mut found);
            }
        }
        found.sort_by_key(|one| one.ply);
        for kind in [ContradictionKind::ClockTooHigh, ContradictionKind::ClockTimeSpent] {
            let mut told = 0;
            found.retain(|one| {
                told += usize::from(one.kind == kind);
                one.kind != kind || told <= MAX_TOLD
            });
        }
        found.extend(self.flag(on_board));
        found
    }

    /// Follows one side's clock from reading to reading.
    fn follow(&self, side: Color, control: &TimeControl, found: &mut Vec<Contradiction>) {
        let mut schedule = Schedule::new(control);
        // What the clock showed, and how much may have been added since.
        let mut before = Some(schedule.period().time);
        let mut gained = Duration::ZERO;
        for (ply, clock) in self.clocks.iter().enumerate() {
            if self.mover(ply) != side {
                continue;
            }
            gained += schedule.gain();
            let Some(clock) = *clock else {
                // Time was spent, nobody knows how much: what may be left is an upper bound only.
                continue;
            };
            let most = before.unwrap_or_default() + gained;
            let told = |kind, ruled: Duration| Contradiction {
                kind,
                recorded: format!("[%clk {}]", written(clock)),
                recorded_zh: String::new(),
                ruled: written(ruled),
                ruled_zh: String::new(),
                ply: Some(ply + 1),
                articles: Vec::new(),
            };
            if clock > most + TOLERANCE {
                found.push(told(ContradictionKind::ClockTooHigh, most));
            } else if let Some(spent) = self.spent[ply] {
                let left = most.saturating_sub(spent);
                // Before the first reading nothing is known of when the clock began to run.
                let known = ply > 1 && self.clocks[ply - 2].is_some();
                if known && clock.abs_diff(left) > TOLERANCE {
                    found.push(told(ContradictionKind::ClockTimeSpent, left));
                }
            }
            before = Some(clock);
            gained = Duration::ZERO;
        }
    }

    /// A flag that the clocks show and the record does not name, or the other way round.
    fn flag(&self, on_board: bool) -> Option<Contradiction> {
        use crate::replay::GameResult::Wins;

        let on_time = self.termination == Some(RecordedTermination::Time);
        if on_time {
            let Some(Wins(winner)) = self.result() else {
                return None;
            };
            let (ply, clock) = self.last_clock(!winner)?;
            // He pressed his clock with time left, and the game went no further.
            let pressed = ply + 1 == self.plies() && !clock.is_zero();
            return pressed.then(|| Contradiction {
                kind: ContradictionKind::FlagNotShown,
                recorded: format!("[%clk {}], {}", written(clock), self.told()),
                recorded_zh: String::new(),
                ruled: String::new(),
                ruled_zh: String::new(),
                ply: Some(ply + 1),
                articles: Vec::new(),
            });
        }
        if on_board || self.broken.is_some() {
            return None;
        }
        let shown = Color::ALL
            .into_iter()
            .filter_map(|side| self.last_clock(side))
            .find(|(_, clock)| clock.is_zero());
        shown.map(|(ply, clock)| Contradiction {
            kind: ContradictionKind::FlagShown,
            recorded: format!("[%clk {}], {}", written(clock), self.told()),
            recorded_zh: String::new(),
            ruled: String::new(),
            ruled_zh: String::new(),
            ply: Some(ply + 1),
            articles: Vec::new(),
        })
    }
}

/// Where a side stands in its time control.
struct Schedule<'a> {
    periods: &'a [Period],
    at: usize,
    moves: u32,
}

impl<'a> Schedule<'a> {
    fn new(control: &'a TimeControl) -> Self {
        Self {
            periods: control.periods(),
            at: 0,
            moves: 0,
        }
    }

    fn period(&self) -> Period {
        self.periods[self.at]
    }

    /// What completing a move adds at most.
    fn gain(&mut self) -> Duration {
        let period = self.period();
        let mut gain = period.increment.max(period.delay);
        self.moves += 1;
        if period.moves > 0 && self.moves == period.moves {
            self.moves = 0;
            self.at += 1;
            gain += self.period().time;
        }
        gain
    }
}

/// A time as PGN writes it.
fn written(time: Duration) -> String {
    let seconds = time.as_secs();
    let tenths = time.subsec_millis() / 100;
    let whole = format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    if tenths == 0 {
        whole
    } else {
        format!("{whole}.{tenths}")
    }
}
