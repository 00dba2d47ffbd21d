//! Tie-breaks that a ruleset applies where the regulations of an event name none.

use std::{fmt, ops::Deref};

use super::SwitchError;
use crate::standings::{Edition, Spec, System};

/// Most tie-breaks in a list.
const MOST: usize = 32;

/// Tie-breaks in the order in which they apply; none: equal scores share their places.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TieBreaks(Vec<Spec>);

impl TieBreaks {
    /// Reads a list such as `BH/C1, SB` for such events.
    ///
    /// # Errors
    /// An acronym or a modifier that is not known, a tie-break that no edition has for such events, or too many.
    pub(super) fn read(text: &str, system: System, teams: bool) -> Result<Self, SwitchError> {
        let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
        if names.clone().count() > MOST {
            return Err(SwitchError::TooManyTieBreaks(MOST));
        }
        let mut list = Vec::new();
        for name in names {
            let spec = Spec::parse(name).map_err(SwitchError::NotTieBreaks)?;
            let fits = |edition| spec.check(edition, system, teams);
            fits(Edition::Fide2026)
                .or_else(|error| {
                    let older = [Edition::Fide2024, Edition::Fide2017];
                    older
                        .into_iter()
                        .find_map(|edition| fits(edition).ok())
                        .ok_or(error)
                })
                .map_err(SwitchError::NotTieBreaks)?;
            if list.contains(&spec) {
                return Err(SwitchError::Repeated(spec.to_string()));
            }
            list.push(spec);
        }
        Ok(Self(list))
    }
}

impl Deref for TieBreaks {
    type Target = [Spec];

    fn deref(&self) -> &[Spec] {
        &self.0
    }
}

impl fmt::Display for TieBreaks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, spec) in self.0.iter().enumerate() {
            let separator = if place > 0 { ", " } else { "" };
            write!(f, "{separator}{spec}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::standings::{Scope, SpecError};

    #[test]
    fn lists_are_read_and_written() {
        let players = |text| TieBreaks::read(text, System::Swiss, false);
        assert_eq!(players("bh-c1,SB").unwrap().to_string(), "BH/C1, SB");
        assert_eq!(players("").unwrap(), TieBreaks::default());
        for (text, system, teams, error) in [
            ("BH, XX", System::Swiss, false, SpecError::Unknown),
            ("BH/C3", System::Swiss, false, SpecError::Modifier),
            ("MPvGP", System::Swiss, false, SpecError::Scope(Scope::Teams)),
        ] {
            let read = TieBreaks::read(text, system, teams);
            assert_eq!(read, Err(SwitchError::NotTieBreaks(error)), "{text}");
        }
        let many = vec!["SB"; MOST + 1].join(", ");
        assert_eq!(players(&many), Err(SwitchError::TooManyTieBreaks(MOST)));
    }
}
