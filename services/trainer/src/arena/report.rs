//! What a match has brought so far, on stderr after each pair and on stdout at its end.

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::PathBuf,
    time::Duration,
};

use crate::{
    arena::{
        MatchArgs, Pair,
        engine::EngineSpec,
        game::Fault,
        pgn,
        score::{Sprt, Tally, Verdict},
    },
    error::Error,
    record::Outcome,
    report::say,
};

/// What has been played so far.
pub(super) struct Report<'a> {
    args: &'a MatchArgs,
    specs: &'a [EngineSpec; 2],
    tally: Tally,
    sprt: Option<Sprt>,
    /// Time losses, illegal moves, crashes by engine.
    faults: [[u32; 3]; 2],
    overshoot: [Duration; 2],
    plies: usize,
    pgn: Option<(PathBuf, BufWriter<File>)>,
}

impl<'a> Report<'a> {
    pub(super) fn new(args: &'a MatchArgs, specs: &'a [EngineSpec; 2]) -> Result<Self, Error> {
        let pgn = match &args.pgn {
            Some(path) => Some((
                path.clone(),
                BufWriter::new(File::create(path).map_err(Error::file(path))?),
            )),
            None => None,
        };
        let sprt = match args.sprt[..] {
            [elo0, elo1] if elo0 < elo1 => Some(Sprt {
                elo0,
                elo1,
                error: 0.05,
            }),
            [] => None,
            _ => {
                return Err(Error::Flag {
                    flag: "--sprt",
                    reason: "ELO0 must be below ELO1".into(),
                });
            }
        };
        Ok(Self {
            args,
            specs,
            tally: Tally::default(),
            sprt,
            faults: [[0; 3]; 2],
            overshoot: [Duration::ZERO; 2],
            plies: 0,
            pgn,
        })
    }

    /// Counts a pair; whether the match may end.
    pub(super) fn add(&mut self, index: usize, pair: &Pair) -> Result<bool, Error> {
        let mut points = [0; 2];
        for (which, played) in pair.iter().enumerate() {
            let first_side = which; // The first engine is White in the first game.
            points[which] = match (played.outcome, first_side) {
                (Outcome::White, 0) | (Outcome::Black, 1) => 2,
                (Outcome::Draw | Outcome::Unknown, _) => 1,
                _ => 0,
            };
            for side in 0..2 {
                let engine = side ^ first_side;
                self.overshoot[engine] = self.overshoot[engine].max(played.overshoot[side]);
            }
            if let Some(fault) = played.fault {
                let loser = if points[which] == 0 { 0 } else { 1 };
                self.faults[loser][match fault {
                    Fault::Time => 0,
                    Fault::IllegalMove => 1,
                    Fault::Crash => 2,
                }] += 1;
                eprintln!("{} lost by {}", self.specs[loser].name, played.reason);
            }
            self.plies += played.moves.len();
            if let Some((path, out)) = &mut self.pgn {
                let names = [&self.specs[first_side].name, &self.specs[1 - first_side].name];
                let text = pgn::text(played, names, 2 * index + which + 1, self.args.tc);
                out.write_all(text.as_bytes())
                    .and_then(|()| out.flush())
                    .map_err(Error::file(&*path))?;
            }
        }
        self.tally.add_pair(points);
        let verdict = self.sprt.map_or(Verdict::Open, |test| self.tally.verdict(&test));
        eprintln!("{}", self.line());
        Ok(verdict != Verdict::Open)
    }

    fn line(&self) -> String {
        let [wins, draws, losses] = self.tally.games;
        let mut line = format!("{} games: +{wins} ={draws} -{losses}", wins + draws + losses);
        if let Some(elo) = self.tally.elo() {
            line += &format!(", Elo {:+.0} [{:+.0}, {:+.0}]", elo.value, elo.low, elo.high);
        }
        if let Some(test) = &self.sprt {
            line += &format!(
                ", LLR {:.2} ({:?})",
                self.tally.ratio(test),
                self.tally.verdict(test)
            );
        }
        line
    }

    pub(super) fn finish(&self) {
        say(&format!("{} against {}", self.specs[0].name, self.specs[1].name));
        say(&self.line());
        say(&format!(
            "pairs by points 0, 0.5, 1, 1.5, 2: {:?}",
            self.tally.pairs
        ));
        let games: u32 = self.tally.games.iter().sum();
        say(&format!(
            "mean length {:.0} plies",
            self.plies as f64 / f64::from(games.max(1))
        ));
        for (spec, (faults, over)) in self.specs.iter().zip(self.faults.iter().zip(self.overshoot)) {
            say(&format!(
                "{}: time losses {}, illegal moves {}, crashes {}, furthest over its clock {} ms",
                spec.name,
                faults[0],
                faults[1],
                faults[2],
                over.as_millis()
            ));
        }
    }
}
