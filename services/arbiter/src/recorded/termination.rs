/// How a record says that the game ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RecordedTermination {
    /// By the players or on the board.
    Normal,
    /// By mate.
    Checkmate,
    /// By stalemate.
    Stalemate,
    /// Because nobody could mate.
    DeadPosition,
    /// By repetition.
    Repetition,
    /// By moves without pawn move or capture.
    QuietMoves,
    /// By agreement.
    Agreement,
    /// By resignation.
    Resignation,
    /// On time.
    Time,
    /// A player left, or did not come.
    Abandoned,
    /// By a decision from outside.
    Decision,
    /// It has not ended.
    Unterminated,
}

/// Words by which an ending is known. The first line that has a word of the text decides, so a draw "by timeout vs
/// insufficient material" is one on time.
const WORDS: &[(&[&str], RecordedTermination)] = {
    use RecordedTermination as T;
    &[
        (
            &[
                "time forfeit",
                "on time",
                "timeout",
                "time out",
                "out of time",
                "flag",
            ],
            T::Time,
        ),
        (&["stalemate"], T::Stalemate),
        (&["checkmate", "mated"], T::Checkmate),
        (
            &["insufficient", "dead position", "mating material"],
            T::DeadPosition,
        ),
        (&["repetition"], T::Repetition),
        (
            &["50-move", "50 move", "fifty", "75-move", "75 move"],
            T::QuietMoves,
        ),
        (&["agree"], T::Agreement),
        (&["resign"], T::Resignation),
        (
            &["abandon", "disconnect", "stalled", "no show", "forfeit"],
            T::Abandoned,
        ),
        (
            &[
                "adjudicat",
                "infraction",
                "death",
                "emergency",
                "illegal",
                "cheat",
                "arbiter",
            ],
            T::Decision,
        ),
        (&["unterminated", "in progress"], T::Unterminated),
        (&["normal"], T::Normal),
    ]
};

/// Greatest length of a tag that is looked through, in bytes.
const MAX_TAG_BYTES: usize = 256;

impl RecordedTermination {
    /// Reads a `Termination` tag: the standard's words and those of online services, such as `X won by resignation`.
    ///
    /// Source of the standard's words: "Portable Game Notation Specification", section 9.8.1.
    pub fn from_tag(tag: &str) -> Option<Self> {
        let text = tag[..tag.floor_char_boundary(MAX_TAG_BYTES)].to_lowercase();
        let found = WORDS
            .iter()
            .find(|(words, _)| words.iter().any(|word| text.contains(word)));
        found.map(|&(_, termination)| termination)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_understood() {
        use RecordedTermination as T;

        let table = [
            ("Normal", Some(T::Normal)),
            ("Time forfeit", Some(T::Time)),
            ("time forfeit", Some(T::Time)),
            ("Game drawn by timeout vs insufficient material", Some(T::Time)),
            ("Game drawn by insufficient material", Some(T::DeadPosition)),
            ("Anna won by checkmate", Some(T::Checkmate)),
            ("Game drawn by stalemate", Some(T::Stalemate)),
            ("Game drawn by repetition", Some(T::Repetition)),
            ("Game drawn by 50-move rule", Some(T::QuietMoves)),
            ("Game drawn by agreement", Some(T::Agreement)),
            ("Bo won by resignation", Some(T::Resignation)),
            ("Bo won - game abandoned", Some(T::Abandoned)),
            ("Abandoned", Some(T::Abandoned)),
            ("rules infraction", Some(T::Decision)),
            ("adjudication", Some(T::Decision)),
            ("unterminated", Some(T::Unterminated)),
            ("", None),
            ("?", None),
        ];
        for (tag, termination) in table {
            assert_eq!(RecordedTermination::from_tag(tag), termination, "{tag}");
        }
    }
}
