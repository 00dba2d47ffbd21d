//! The switches: what a ruleset can decide one way or the other.

use super::choice::{
    BothFlags, Category, ClaimPenalty, DeadPosition, LateLimit, LossDraw, PressedPromotion, ReleaseBinds,
    Sealing, TeamScore, UnknownPosition, WrongSetup,
};
use super::{Endings, TieBreaks};
use crate::standings::{SpecError, System};

/// What values a switch takes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Domain {
    /// A whole number in a range, ends included.
    Number {
        /// The least.
        min: u32,
        /// The greatest.
        max: u32,
    },
    /// A whole number in a range, ends included, or 0 for none.
    Count {
        /// The least but for 0.
        min: u32,
        /// The greatest.
        max: u32,
    },
    /// `true` or `false`.
    Flag,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Words of this list, separated by commas.
    Words(&'static [&'static str]),
    /// Text of this form.
    Form(&'static str),
}

/// One switch as a caller sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SwitchInfo {
    /// Its name in a ruleset.
    pub name: &'static str,
    /// Its value.
    pub value: String,
    /// The values it takes.
    pub domain: Domain,
    /// What it decides.
    pub about: &'static str,
}

/// Why a switch was not set.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SwitchError {
    /// No switch has the name.
    #[error("no such switch")]
    Unknown,
    /// The switch was set before.
    #[error("set twice")]
    Twice,
    /// The value is not a whole number.
    #[error("not a whole number")]
    NotANumber,
    /// The number is out of range.
    #[error("not in {min}..={max}")]
    OutOfRange {
        /// The least.
        min: u32,
        /// The greatest.
        max: u32,
    },
    /// The number is no count that can be.
    #[error("neither 0 nor in {min}..={max}")]
    NotACount {
        /// The least but for 0.
        min: u32,
        /// The greatest.
        max: u32,
    },
    /// A list names something twice.
    #[error("names {0} twice")]
    Repeated(String),
    /// An incorrect claim costs time, and how much is not said.
    #[error("a claim_penalty needs claim_penalty_seconds in 1..=3600")]
    NoPenaltyTime,
    /// The value is not a list of endings with their counts.
    #[error("not a list of endings such as KRB-KR:75, each once and with 1 to 500 moves")]
    NotEndings,
    /// A listed count is not longer than the usual one.
    #[error("a listed count is not above the usual one of {0}")]
    NotLonger(u32),
    /// A listed count is never reached.
    #[error("a listed count is above the {0} that draw without a claim")]
    NotReached(u32),
    /// What the switch decides does not arise.
    #[error("nothing in this ruleset depends on it: it needs {0}")]
    Idle(&'static str),
    /// The value is not a list of tie-breaks for such events.
    #[error("not a list of tie-breaks such as SB, KS: {0}")]
    NotTieBreaks(SpecError),
    /// The list of tie-breaks is too long.
    #[error("more than {0} tie-breaks")]
    TooManyTieBreaks(usize),
    /// The value is neither `true` nor `false`.
    #[error("neither true nor false")]
    NotAFlag,
    /// The value is not one of the words that the switch takes.
    #[error("not one of {}", .0.join(", "))]
    NotAChoice(&'static [&'static str]),
}

/// Sanctions that an arbiter may choose from.
pub const SANCTIONS: &[&str] = &[
    "warning",
    "add-opponent-time",
    "take-own-time",
    "add-opponent-points",
    "take-own-points",
    "loss",
    "fine",
    "exclusion",
    "expulsion",
];

fn whole(text: &str) -> Result<u32, SwitchError> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let value = text.parse().ok().filter(|_| digits);
    value.ok_or(SwitchError::NotANumber)
}

fn number(text: &str, min: u32, max: u32) -> Result<u32, SwitchError> {
    let value = whole(text)?;
    let fits = (min..=max).contains(&value);
    fits.then_some(value).ok_or(SwitchError::OutOfRange { min, max })
}

fn count(text: &str, min: u32, max: u32) -> Result<u32, SwitchError> {
    let value = whole(text)?;
    let fits = value == 0 || (min..=max).contains(&value);
    fits.then_some(value).ok_or(SwitchError::NotACount { min, max })
}

macro_rules! field_type {
    ([number $min:literal $max:literal]) => { u32 };
    ([count $min:literal $max:literal]) => { u32 };
    ([flag]) => { bool };
    ([choice $kind:ty]) => { $kind };
    ([source]) => { String };
    ([words]) => { Vec<&'static str> };
    ([endings]) => { Endings };
    ([tie_breaks $system:ident $teams:literal]) => { TieBreaks };
}

macro_rules! read {
    ([number $min:literal $max:literal], $text:expr) => {
        number($text, $min, $max)?
    };
    ([count $min:literal $max:literal], $text:expr) => {
        count($text, $min, $max)?
    };
    ([flag], $text:expr) => {
        $text.parse::<bool>().map_err(|_| SwitchError::NotAFlag)?
    };
    ([choice $kind:ty], $text:expr) => {
        <$kind>::from_name($text).ok_or(SwitchError::NotAChoice(<$kind>::NAMES))?
    };
    ([source], $text:expr) => {
        if SOURCES.contains(&$text) {
            $text.to_owned()
        } else {
            return Err(SwitchError::NotAChoice(SOURCES));
        }
    };
    ([words], $text:expr) => {
        words($text)?
    };
    ([endings], $text:expr) => {
        Endings::read($text).ok_or(SwitchError::NotEndings)?
    };
    ([tie_breaks $system:ident $teams:literal], $text:expr) => {
        TieBreaks::read($text, System::$system, $teams)?
    };
}

macro_rules! write_value {
    ([number $min:literal $max:literal], $value:expr) => {
        $value.to_string()
    };
    ([count $min:literal $max:literal], $value:expr) => {
        $value.to_string()
    };
    ([flag], $value:expr) => {
        $value.to_string()
    };
    ([choice $kind:ty], $value:expr) => {
        $value.name().to_owned()
    };
    ([source], $value:expr) => {
        $value.clone()
    };
    ([words], $value:expr) => {
        $value.join(", ")
    };
    ([endings], $value:expr) => {
        $value.to_string()
    };
    ([tie_breaks $system:ident $teams:literal], $value:expr) => {
        $value.to_string()
    };
}

macro_rules! domain {
    ([number $min:literal $max:literal]) => {
        Domain::Number { min: $min, max: $max }
    };
    ([count $min:literal $max:literal]) => {
        Domain::Count { min: $min, max: $max }
    };
    ([flag]) => {
        Domain::Flag
    };
    ([choice $kind:ty]) => {
        Domain::Choice(<$kind>::NAMES)
    };
    ([source]) => {
        Domain::Choice(SOURCES)
    };
    ([words]) => {
        Domain::Words(SANCTIONS)
    };
    ([endings]) => {
        Domain::Form("line-ups with White's or Black's men first and a number of moves, such as KRB-KR:75, separated by spaces")
    };
    ([tie_breaks $system:ident $teams:literal]) => {
        Domain::Form("acronyms of FIDE's Tie-Break Regulations with their modifiers, such as BH/C1, separated by commas")
    };
}

/// Values of `popular_source`.
const SOURCES: &[&str] = &["none", "000", "001"];

fn words(text: &str) -> Result<Vec<&'static str>, SwitchError> {
    let mut words = Vec::new();
    for word in text.split(',').map(str::trim).filter(|_| !text.trim().is_empty()) {
        let known = SANCTIONS.iter().copied().find(|known| *known == word);
        let word = known.ok_or(SwitchError::NotAChoice(SANCTIONS))?;
        if words.contains(&word) {
            return Err(SwitchError::Repeated(word.to_owned()));
        }
        words.push(word);
    }
    Ok(words)
}

macro_rules! switches {
    ($($name:ident: $form:tt = $default:expr, $about:literal;)+) => {
        /// The value of every switch of a ruleset.
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub struct Switches { $(#[doc = $about] pub $name: field_type!($form),)+ }

        impl Default for Switches {
            fn default() -> Self { Self { $($name: $default,)+ } }
        }

        impl Switches {
            /// Sets a switch from text.
            ///
            /// # Errors
            /// An unknown name, or a value that the switch does not take.
            pub fn set(&mut self, name: &str, text: &str) -> Result<(), SwitchError> {
                match name {
                    $(stringify!($name) => self.$name = read!($form, text),)+
                    _ => return Err(SwitchError::Unknown),
                }
                Ok(())
            }

            /// The value of a switch as text; empty for an unknown one.
            pub(super) fn value(&self, name: &str) -> String {
                match name {
                    $(stringify!($name) => write_value!($form, &self.$name),)+
                    _ => String::new(),
                }
            }

            /// Every switch with its value.
            pub fn list(&self) -> Vec<SwitchInfo> {
                vec![$(SwitchInfo {
                    name: stringify!($name),
                    value: write_value!($form, &self.$name),
                    domain: domain!($form),
                    about: $about,
                },)+]
            }
        }
    };
}

switches! {
    claim_repetition: [count 2 10] = 0, "occurrences of a position from which a draw may be claimed; 0: no claim";
    claim_quiet_moves: [number 0 500] = 0, "moves by each side without pawn move or capture from which a draw may be claimed; 0: no claim";
    listed_endings: [endings] = Endings::default(), "longer counts for endings that the organiser listed before the event, such as KRB-KR:75 KNN-KP:100; none: no longer count";
    unwinnable_by_count: [flag] = false, "whether a position counts as one that cannot be won when the automatic count of quiet moves ends every line before a mate";
    announced_mate_claims: [flag] = true, "whether a claim stands whose announced move mates or stalemates";
    automatic_repetition: [count 2 10] = 0, "occurrences of a position that draw without a claim; 0: none";
    automatic_quiet_moves: [number 0 500] = 0, "moves by each side without pawn move or capture that draw without a claim; 0: none";
    quiet_moves_bishop_knight: [number 0 500] = 0, "the same with bishop and knight against a bare king; 0: no exception";
    checks_in_a_row: [count 2 500] = 0, "checks by one side on consecutive moves that draw; 0: no rule";
    checks_in_total: [count 2 500] = 0, "checks received by one side in the whole game that draw; 0: no rule";
    dead_position: [choice DeadPosition] = DeadPosition::None, "which positions are drawn because nobody can win them";
    popular_source: [source] = "none".into(), "which of the popular sources decides where they differ";
    flag_draw: [choice LossDraw] = LossDraw::Never, "against whom running out of time only draws";
    resignation_draw: [choice LossDraw] = LossDraw::Never, "against whom resigning only draws";
    illegal_loss_draw: [choice LossDraw] = LossDraw::Never, "against whom the last illegal move only draws";
    flag_void_rounds: [number 0 500] = 0, "completed rounds up to which running out of time makes the game void; 0: no rule";
    resignation_rounds: [number 0 500] = 0, "completed rounds from which resigning is allowed";
    agreement_moves: [number 0 500] = 0, "moves that each side must have made before a draw is agreed; those of the event the arbiter can waive, where the laws say so";
    offer_rounds: [number 0 500] = 0, "completed rounds from which a draw may be offered";
    offer_limit: [number 0 500] = 0, "offers of a draw that a player has in a game; 0: no limit";
    offers_alternate: [flag] = false, "whether a refused player may offer again only after the opponent has offered";
    offers_alternate_refused: [flag] = false, "whether the opponent's offer has to be refused as well before a refused player may offer again";
    offer_on_move_only: [flag] = false, "whether only the player on move may offer a draw";
    offer_after_move_only: [flag] = false, "whether the answer to an offer made before moving may wait for the move";
    rounds_in_progress: [flag] = false, "whether the round in progress counts where completed rounds are counted";
    offers_need_consent: [flag] = false, "whether the event bans offers and agreed draws without the arbiter's consent";
    claim_penalty: [choice ClaimPenalty] = ClaimPenalty::None, "what an incorrect claim costs";
    claim_penalty_seconds: [number 0 3600] = 0, "how much time an incorrect claim costs, in seconds";
    illegal_penalty_seconds: [number 0 3600] = 0, "time that the opponent gets for a completed illegal move, in seconds";
    illegal_refused: [flag] = false, "whether an illegal move is refused at once, as by a program, and never stands on the board";
    illegal_limit: [number 0 20] = 0, "completed illegal moves by one player that lose; 0: no limit";
    king_fouls_limit: [number 0 20] = 0, "moves of the king into attack that lose; 0: no limit";
    illegal_stands_after_reply: [flag] = false, "whether an illegal move stands once the opponent has replied";
    illegal_position_draw: [flag] = false, "whether a position with both kings in check, or a pawn on its last rank, is drawn one move later";
    pressed_promotion: [choice PressedPromotion] = PressedPromotion::Finish, "what becomes of a pawn left on its last rank when the clock was pressed";
    unknown_position: [choice UnknownPosition] = UnknownPosition::LastIdentifiable, "what happens when the position before an irregularity is not known";
    late_limit: [choice LateLimit] = LateLimit::None, "when a late player loses";
    late_limit_minutes: [number 0 600] = 0, "how late, in minutes";
    wrong_setup: [choice WrongSetup] = WrongSetup::Unstated, "what a wrong initial position leads to";
    colours_reversed_moves: [number 0 100] = 0, "moves by both sides up to which reversed colours restart the game; 0: no rule";
    colours_reversed_quarter: [flag] = false, "whether reversed colours may restart the game in the first quarter of the first period only";
    colours_reversed_restart: [flag] = false, "whether reversed colours in that quarter restart the game, rather than letting the arbiter restart it";
    setup_claim_moves: [number 0 100] = 0, "moves by both sides after which wrong set-up and wrong clock settings are no longer claimed; 0: no limit";
    signed_result_may_change: [flag] = false, "whether the arbiter may decide otherwise than a signed result says";
    clock_fault_before_flag: [flag] = false, "whether a defective clock has to be reported before a flag falls";
    flag_needs_confirmation: [flag] = false, "whether a flag that a player claims counts only once the arbiter confirms it";
    category: [choice Category] = Category::Any, "the time controls that the ruleset is for";
    recording: [flag] = false, "whether moves have to be recorded";
    recording_refusal_loses: [flag] = false, "whether refusing to record loses, where recording is due";
    recording_exempt_seconds: [number 0 3600] = 0, "time left below which recording may stop, in seconds";
    recording_increment_seconds: [number 0 600] = 0, "increment from which recording may not stop, in seconds; 0: whatever the increment";
    sheet_on_own_move: [flag] = false, "whether a player uses the opponent's sheet on his own move only, rather than on his own time whoever is on move";
    both_flags: [choice BothFlags] = BothFlags::Unstated, "what happens when both flags have fallen in an unknown order";
    guideline_iii: [flag] = false, "whether the guidelines for games without increment were announced";
    touch_move: [flag] = false, "whether a touched piece has to be moved or captured";
    touch_ends_rights: [flag] = false, "whether touching a piece refuses an open offer and loses the claim of this move, rather than moving only";
    promotion_touch_binds: [flag] = false, "whether the new piece of a promotion is fixed once it touches its square, rather than once it is released";
    adjust_needs_consent: [flag] = false, "whether adjusting needs the consent of the opponent or the arbiter";
    release_binds: [choice ReleaseBinds] = ReleaseBinds::Hand, "when a piece is bound to a square";
    sealing: [choice Sealing] = Sealing::None, "how moves are sealed";
    device_loses: [flag] = false, "whether a device found on a player loses";
    captain_consult: [flag] = true, "whether players may ask their captain about offering, agreeing and resigning";
    sanctions: [words] = Vec::new(), "sanctions that the arbiter may choose from";
    team_score: [choice TeamScore] = TeamScore::Game, "the score that ranks teams, where the event does not say";
    tie_breaks_swiss: [tie_breaks Swiss false] = TieBreaks::default(), "tie-breaks for players in a Swiss, where the event names none; none: equal scores share a place";
    tie_breaks_round_robin: [tie_breaks RoundRobin false] = TieBreaks::default(), "the same for players in a round robin";
    tie_breaks_teams: [tie_breaks Swiss true] = TieBreaks::default(), "the same for teams";
}

impl Switches {
    /// Whether the values go together.
    ///
    /// # Errors
    /// Switches of which the first does not go with the other, and why.
    pub(super) fn check(&self) -> Result<(), ([&'static str; 2], SwitchError)> {
        if self.claim_penalty != ClaimPenalty::None && self.claim_penalty_seconds == 0 {
            let names = ["claim_penalty_seconds", "claim_penalty"];
            return Err((names, SwitchError::NoPenaltyTime));
        }
        let usual = self.claim_quiet_moves;
        if self.listed_endings.least().is_some_and(|least| least <= usual) {
            let names = ["listed_endings", "claim_quiet_moves"];
            return Err((names, SwitchError::NotLonger(usual)));
        }
        let automatic = self.automatic_quiet_moves;
        let most = self.listed_endings.greatest();
        if automatic > 0 && most.is_some_and(|most| most > automatic) {
            let names = ["listed_endings", "automatic_quiet_moves"];
            return Err((names, SwitchError::NotReached(automatic)));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_switch_takes_the_value_it_shows_and_refuses_nonsense() {
        let shown = Switches::default().list();
        let mut again = Switches::default();
        for switch in &shown {
            assert_eq!(again.set(switch.name, &switch.value), Ok(()), "{}", switch.name);
            assert!(
                again.set(switch.name, "fifty-one thousand").is_err(),
                "{}",
                switch.name
            );
        }
        assert_eq!(again, Switches::default());
        for switch in &shown {
            let (least, most, error) = match switch.domain {
                Domain::Number { min, max } => (min, max, SwitchError::OutOfRange { min, max }),
                Domain::Count { min, max } => (min, max, SwitchError::NotACount { min, max }),
                _ => continue,
            };
            let mut set = |value: u32| again.set(switch.name, &value.to_string());
            assert_eq!(
                [0, least, most].map(&mut set),
                [Ok(()), Ok(()), Ok(())],
                "{}",
                switch.name
            );
            for wrong in (1..least).chain([most + 1]) {
                assert_eq!(set(wrong), Err(error.clone()), "{}", switch.name);
            }
            for wrong in ["", "-1", "+1", " 1", "1.0", "4294967296"] {
                assert_eq!(
                    again.set(switch.name, wrong),
                    Err(SwitchError::NotANumber),
                    "{wrong}"
                );
            }
        }
        assert_eq!(again.set("claim_repetitions", "3"), Err(SwitchError::Unknown));
    }

    /// A position that has occurred once repeats nothing, and one check is none in a row.
    #[test]
    fn counts_begin_where_they_can_mean_something() {
        let mut switches = Switches::default();
        for (name, least) in [
            ("claim_repetition", 2),
            ("automatic_repetition", 2),
            ("checks_in_a_row", 2),
            ("checks_in_total", 2),
            ("claim_quiet_moves", 1),
            ("automatic_quiet_moves", 1),
        ] {
            let taken = (0..4_u32).filter(|value| switches.set(name, &value.to_string()).is_ok());
            let expected = (0..4).filter(|&value| value == 0 || value >= least);
            assert!(taken.eq(expected), "{name}");
        }
    }

    #[test]
    fn lists_name_everything_once() {
        let mut switches = Switches::default();
        assert_eq!(switches.set("sanctions", "warning, loss"), Ok(()));
        assert_eq!(switches.sanctions, ["warning", "loss"]);
        let twice = SwitchError::Repeated("warning".into());
        assert_eq!(switches.set("sanctions", "warning, loss, warning"), Err(twice));
        let gap = SwitchError::NotAChoice(SANCTIONS);
        assert_eq!(switches.set("sanctions", "warning,,loss"), Err(gap.clone()));
        assert_eq!(switches.set("sanctions", ","), Err(gap));
        assert_eq!(switches.set("sanctions", " "), Ok(()));
        assert!(switches.sanctions.is_empty());
        let twice = SwitchError::Repeated("BH/C1".into());
        assert_eq!(switches.set("tie_breaks_swiss", "BH/C1, SB, bh-c1"), Err(twice));
        assert_eq!(switches.set("tie_breaks_swiss", "BH/C1, BH"), Ok(()));
    }
}
