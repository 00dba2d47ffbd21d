//! Switches that choose between named readings.

macro_rules! choices {
    ($($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal,)+ })+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum $name { $($(#[$vdoc])* $variant,)+ }

        impl $name {
            /// Every value as it is written in a ruleset.
            pub const NAMES: &'static [&'static str] = &[$($text,)+];

            /// The value as it is written in a ruleset.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }

            /// The value that a text names.
            pub fn from_name(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$variant),)+ _ => None }
            }
        }
    )+};
}

choices! {
    /// Which positions are drawn because nobody can win them.
    DeadPosition {
        /// None.
        None = "none",
        /// Those in which no series of legal moves mates either king.
        Unwinnable = "unwinnable",
        /// The three line-ups of the older Chinese code (10.4).
        CodeLineUps = "code-line-ups",
        /// The line-ups that the popular source 000 lists, and those in which no series of legal moves mates.
        PopularLineUps = "popular-line-ups",
    }
    /// Whom a loss is turned into a draw against.
    LossDraw {
        /// Nobody: the loss stands.
        Never = "never",
        /// An opponent with nothing but a king.
        BareKing = "bare-king",
        /// An opponent who cannot mate by any series of legal moves.
        Unwinnable = "unwinnable",
    }
    /// What an incorrect claim costs.
    ClaimPenalty {
        /// Nothing.
        None = "none",
        /// Time is added to what the opponent has left.
        OpponentTime = "opponent-time",
        /// Time is added to what the claimant has used; he loses if that oversteps the limit.
        ClaimantUsedTime = "claimant-used-time",
    }
    /// What happens to a pawn that was left on its last rank when the clock was pressed.
    PressedPromotion {
        /// It becomes a queen and the move counts as illegal.
        Queen = "queen",
        /// The promotion is finished.
        Finish = "finish",
        /// It becomes what was announced; without an announcement it is asked for.
        Announce = "announce",
        /// The player is asked.
        Ask = "ask",
    }
    /// What happens when the position before an irregularity is not known.
    UnknownPosition {
        /// The game goes on from the last position that can be identified.
        LastIdentifiable = "last-identifiable",
        /// The game is annulled.
        Annul = "annul",
    }
    /// When a late player loses.
    LateLimit {
        /// Never.
        None = "none",
        /// When he arrives after the event's default time.
        DefaultTime = "default-time",
        /// When he is more than a number of minutes late.
        Minutes = "minutes",
    }
    /// What a wrong initial position leads to.
    WrongSetup {
        /// The ruleset does not say.
        Unstated = "unstated",
        /// The game is cancelled and a new one is played.
        NewGame = "new-game",
        /// The game is annulled and replayed.
        Annul = "annul",
    }
    /// What happens when both flags have fallen and nobody knows which fell first.
    BothFlags {
        /// The ruleset does not say.
        Unstated = "unstated",
        /// The game goes on, or is drawn in the last period, if the guidelines for games without increment were announced.
        Announced = "announced",
        /// The game goes on.
        Continue = "continue",
    }
    /// When a piece is bound to a square.
    ReleaseBinds {
        /// When the hand leaves it.
        Hand = "hand",
        /// When it touches the square.
        Square = "square",
    }
    /// How fast the games are that a ruleset is for.
    Category {
        /// Any.
        Any = "any",
        /// An hour or more for 60 moves.
        Standard = "standard",
        /// More than ten minutes and less than an hour.
        Rapid = "rapid",
        /// Ten minutes or less.
        Blitz = "blitz",
    }
    /// Which score ranks teams.
    TeamScore {
        /// The points of their players' games.
        Game = "game",
        /// The points of their matches.
        Match = "match",
    }
    /// How moves are sealed.
    Sealing {
        /// Not at all.
        None = "none",
        /// By guideline I of the FIDE Laws.
        Guideline = "guideline",
        /// By articles 13 and 14 of the older Chinese code.
        Code = "code",
    }
}
