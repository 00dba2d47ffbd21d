use std::fmt;

use super::{
    Edition, System, Unit,
    catalogue::{CATALOGUE, Code, Cuts, Scope},
};

/// Longest text of one tie-break, in bytes.
const MAX_TEXT: usize = 32;

/// A tie-break with its modifiers, written `NAME[:MP|:GP][/C1|/C2|/M1|/M2][/L+n|/L-n][/Kn][/P][/F][/R]`, as in records
/// 202 and 212 of FIDE's report file. Letters count in either case, and `BH-C1` and `BH:C1` mean `BH/C1`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spec {
    /// Which tie-break.
    pub code: Code,
    /// Whose scores are meant; the deciding ones if unset.
    pub unit: Option<Unit>,
    /// How many of the least values are left out: 0, 1 or 2 (14.1, 14.2).
    pub cut_low: usize,
    /// How many of the greatest values are left out as well: 0, or as many as of the least (14.3, 14.4).
    pub cut_high: usize,
    /// By how many half points the limit of the Koya system is moved (14.5).
    pub limit: i32,
    /// What the schedule strength is divided by, if the rules of the event say so (13.4.2).
    pub factor: Option<u32>,
    /// Forfeits count as games against the scheduled opponent.
    pub forfeits: bool,
    /// Fore Buchholz takes the place of Buchholz.
    pub fore: bool,
    /// The order is reversed.
    pub reverse: bool,
}

/// Why a tie-break cannot be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SpecError {
    /// Its acronym is not known.
    #[error("no tie-break has this acronym")]
    Unknown,
    /// A modifier is not known or does not go with the tie-break.
    #[error("a modifier is unknown or does not go with this tie-break")]
    Modifier,
    /// The edition does not have it, or we could not establish how it defines it.
    #[error("not defined in {}", .0.name())]
    Edition(Edition),
    /// It ranks teams, and these are players, or the reverse.
    #[error("{}", if *.0 == Scope::Teams { "for teams only" } else { "for players only" })]
    Scope(Scope),
    /// Buchholz in a round robin (note to article 8).
    #[error("not for round robins (C.07 8)")]
    RoundRobin,
}

impl Spec {
    /// A tie-break without modifiers.
    pub fn of(code: Code) -> Self {
        Self {
            code,
            unit: None,
            cut_low: 0,
            cut_high: 0,
            limit: 0,
            factor: None,
            forfeits: false,
            fore: false,
            reverse: false,
        }
    }

    /// Reads a tie-break.
    ///
    /// # Errors
    /// The acronym or a modifier is not known, or they do not go together.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        if text.len() > MAX_TEXT || !text.is_ascii() {
            return Err(SpecError::Unknown);
        }
        let text = text.trim().to_ascii_uppercase();
        // `KS/L-1` has a sign: hyphens part a modifier only before a letter.
        let end = text.find(['/', ':', '-']).unwrap_or(text.len());
        let (head, mut rest) = text.split_at(end);
        let head = if head == "GE" { "REP" } else { head };
        let info = CATALOGUE
            .iter()
            .find(|info| info.acronym.eq_ignore_ascii_case(head));
        let mut spec = Self::of(info.ok_or(SpecError::Unknown)?.code);
        while let Some(tail) = rest.strip_prefix(['/', ':', '-']) {
            let parted = |at: usize, byte: u8| at > 0 && matches!(byte, b'/' | b':');
            let end = tail.bytes().enumerate().find(|&(at, byte)| parted(at, byte));
            let (modifier, more) = tail.split_at(end.map_or(tail.len(), |(at, _)| at));
            spec.modify(modifier).ok_or(SpecError::Modifier)?;
            rest = more;
        }
        Ok(spec)
    }

    /// Applies a modifier; `None` if the tie-break does not take it, or has it already.
    fn modify(&mut self, modifier: &str) -> Option<()> {
        let info = self.code.info();
        let plain = self.cut_low == 0;
        match modifier {
            "MP" | "GP" if self.unit.is_none() && self.takes_unit() => {
                self.unit = Some(if modifier == "MP" { Unit::Match } else { Unit::Game });
            }
            "C1" | "C2" if plain && info.cuts != Cuts::None => self.cut_low = digit(modifier)?,
            "M1" | "M2" if plain && info.cuts == Cuts::LowAndHigh => {
                self.cut_low = digit(modifier)?;
                self.cut_high = self.cut_low;
            }
            "P" if self.takes_forfeits() => self.forfeits = true,
            "F" if matches!(self.code, Code::AverageBuchholz | Code::ScheduleStrength) => self.fore = true,
            "R" if matches!(self.code, Code::PairingNumber | Code::Rating) => self.reverse = true,
            _ => match modifier.split_at_checked(1)? {
                ("L", steps) if self.code == Code::Koya && steps.starts_with(['+', '-']) => {
                    self.limit = steps.parse().ok().filter(|steps: &i32| steps.abs() <= 200)?;
                }
                ("K", factor) if self.code == Code::ScheduleStrength && !factor.starts_with('+') => {
                    self.factor = Some(
                        factor
                            .parse()
                            .ok()
                            .filter(|factor| (1..=10_000).contains(factor))?,
                    );
                }
                _ => return None,
            },
        }
        Some(())
    }

    fn takes_unit(self) -> bool {
        use Code::{
            AverageBuchholz, Buchholz, ForeBuchholz, GamesWon, Koya, Progressive, SonnebornBerger,
            StandardPoints, Wins,
        };
        matches!(
            self.code,
            AverageBuchholz
                | Buchholz
                | ForeBuchholz
                | GamesWon
                | Koya
                | Progressive
                | SonnebornBerger
                | StandardPoints
                | Wins
        )
    }

    fn takes_forfeits(self) -> bool {
        use Code::{
            AverageBuchholz, Buchholz, DirectEncounter, Extended, ExtendedBoardBottom, ExtendedBoardTop,
            ExtendedBottom, ExtendedTop, ForeBuchholz, GameGame, GameMatch, MatchGame, MatchMatch,
            ScheduleStrength, SonnebornBerger,
        };
        matches!(
            self.code,
            AverageBuchholz
                | Buchholz
                | DirectEncounter
                | Extended
                | ExtendedBoardBottom
                | ExtendedBoardTop
                | ExtendedBottom
                | ExtendedTop
                | ForeBuchholz
                | GameGame
                | GameMatch
                | MatchGame
                | MatchMatch
                | ScheduleStrength
                | SonnebornBerger
        )
    }

    /// Whether an edition has the tie-break for such an event.
    ///
    /// # Errors
    /// Why it has not.
    pub fn check(self, edition: Edition, system: System, teams: bool) -> Result<(), SpecError> {
        let info = self.code.info();
        if info.article(edition).is_none() || (self.fore && edition < Edition::Fide2026 && !teams) {
            return Err(SpecError::Edition(edition));
        }
        let fits = match info.scope {
            Scope::Any => true,
            Scope::Players => !teams,
            Scope::Teams => teams,
        };
        if !fits {
            return Err(SpecError::Scope(info.scope));
        }
        if self.unit.is_some() && !teams {
            return Err(SpecError::Scope(Scope::Teams));
        }
        if edition == Edition::Fide2026 && system == System::RoundRobin && self.code.is_buchholz() {
            return Err(SpecError::RoundRobin);
        }
        Ok(())
    }

    /// Whether less is better.
    pub fn lower_is_better(self) -> bool {
        match self.code {
            Code::BoardCount | Code::PairingNumber => !self.reverse,
            Code::Rating => self.reverse,
            _ => false,
        }
    }
}

fn digit(modifier: &str) -> Option<usize> {
    modifier.get(1..)?.parse().ok()
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code.info().acronym)?;
        match self.unit {
            Some(Unit::Match) => f.write_str(":MP")?,
            Some(Unit::Game) => f.write_str(":GP")?,
            None => {}
        }
        match (self.cut_low, self.cut_high) {
            (0, _) => {}
            (low, 0) => write!(f, "/C{low}")?,
            (low, _) => write!(f, "/M{low}")?,
        }
        if self.limit != 0 {
            write!(f, "/L{:+}", self.limit)?;
        }
        if let Some(factor) = self.factor {
            write!(f, "/K{factor}")?;
        }
        for (set, modifier) in [(self.forfeits, "/P"), (self.fore, "/F"), (self.reverse, "/R")] {
            if set {
                f.write_str(modifier)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tie_breaks_are_read_and_written() {
        for (text, shown) in [
            ("bh", "BH"),
            ("BH-C1", "BH/C1"),
            ("BH:C1", "BH/C1"),
            ("BH:GP/M2/P", "BH:GP/M2/P"),
            ("KS/L-1", "KS/L-1"),
            ("ks/l+3", "KS/L+3"),
            ("SSSC/K4/F/P", "SSSC/K4/P/F"),
            ("mpvgp", "MPvGP"),
            ("GE", "REP"),
            ("TPN/R", "TPN/R"),
        ] {
            assert_eq!(Spec::parse(text).unwrap().to_string(), shown, "{text}");
        }
        for text in ["", "XX", "BHC1", "索伯"] {
            assert_eq!(Spec::parse(text), Err(SpecError::Unknown), "{text}");
        }
        for text in [
            "BH/C3", "DE/C1", "BH/C1/C1", "KS/L1", "WIN/R", "SSSC/K0", "ARO:GP", "EMGSB/M1", "BH/", "PS/M1",
        ] {
            assert_eq!(Spec::parse(text), Err(SpecError::Modifier), "{text}");
        }
    }
}
