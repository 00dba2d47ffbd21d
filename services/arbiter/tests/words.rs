//! Everything that rulings say, in both languages.

use std::time::Duration;

use tabiya_arbiter::{
    replay::{Choice, Effect, EnvelopeItem, Reason, Right},
    words::{self, Language},
};
use tabiya_rules::{Board, Color, MoveList, Square, Variant};

fn effects() -> Vec<Effect> {
    let mut moves = MoveList::new();
    Board::startpos().legal_moves(&mut moves);
    let (white, black) = (Color::White, Color::Black);
    let square: Square = "e8".parse().unwrap();
    let mut effects = vec![
        Effect::TimeAdded {
            side: white,
            time: Duration::from_secs(120),
        },
        Effect::UsedTimeAdded {
            side: black,
            time: Duration::from_secs(90),
        },
        Effect::Restored,
        Effect::LastIdentifiable,
        Effect::IllegalCount {
            side: white,
            count: 1,
        },
        Effect::IllegalCount {
            side: black,
            count: 2,
        },
        Effect::BecomesQueen(square),
        Effect::FinishPromotion(square),
        Effect::OfferOpen { by: black },
        Effect::OfferClosed { by: white },
        Effect::AnswerMayWait,
        Effect::MayBePenalised { side: white },
        Effect::Obliged(moves.iter().copied().take(2).collect()),
        Effect::Free,
        Effect::ShareTimes,
        Effect::TimeLost {
            side: black,
            time: Duration::from_secs(3_600),
        },
        Effect::ClockRuns { side: white },
        Effect::EnvelopeShut,
        Effect::NewGame,
        Effect::CarriedOver,
        Effect::NextPeriod,
        Effect::NeedNotRecord { side: white },
        Effect::CompleteSheet { side: black },
    ];
    effects.extend(moves.iter().next().map(|&mv| Effect::SealedMove(mv)));
    effects.extend(Choice::ALL.iter().map(|&choice| Effect::Option(choice)));
    effects.extend(Right::ALL.map(|right| Effect::RightLost { side: white, right }));
    effects.extend([
        Effect::RightRegained {
            side: black,
            right: Right::Claim,
        },
        Effect::ClocksPaused,
        Effect::ClockSet {
            side: white,
            time: Duration::from_secs(754),
        },
        Effect::Points {
            side: white,
            half_points: 1,
        },
        Effect::Points {
            side: black,
            half_points: -3,
        },
        Effect::CompleteEnvelope(vec![
            EnvelopeItem::Names,
            EnvelopeItem::Position,
            EnvelopeItem::Times,
            EnvelopeItem::Sealer,
            EnvelopeItem::MoveNumber,
            EnvelopeItem::Offer,
            EnvelopeItem::Resumption,
        ]),
        Effect::SecondBoard,
        Effect::ArbiterRecords,
        Effect::LendSheet { side: black },
    ]);
    effects
}

/// Names of facts that rulings have asked for; a new one is said by its name until it has words.
const FACTS: [&str; 30] = [
    "actor",
    "at",
    "can_mate",
    "clocks",
    "confirmed",
    "consent",
    "dead_position",
    "decision",
    "established",
    "first_period_permille",
    "guideline_iii",
    "half_points",
    "increment",
    "last_period",
    "moves_before",
    "order_unclear",
    "position",
    "position_known",
    "promotion",
    "remaining",
    "result",
    "ruleset",
    "sheets_agree",
    "side",
    "squares",
    "start_position",
    "text",
    "time",
    "time_control",
    "with_move",
];

/// A line for each text: what it belongs to, the English, the Chinese.
fn everything() -> String {
    let mut lines = Vec::new();
    for &reason in Reason::ALL {
        lines.push(format!("{} | {} | {}", reason.name(), reason.en(), reason.zh()));
    }
    for effect in effects() {
        let said = |language| words::effect(&effect, Variant::Standard, language);
        lines.push(format!(
            "{effect:?} | {} | {}",
            said(Language::English),
            said(Language::Chinese)
        ));
    }
    for fact in FACTS {
        let said = |language| words::fact(fact, language);
        lines.push(format!(
            "{fact} | {} | {}",
            said(Language::English),
            said(Language::Chinese)
        ));
    }
    lines.push(String::new());
    lines.join("\n")
}

/// Every text as it was last read and found good. `UPDATE_SNAPSHOTS=1` writes it anew, to be read again.
#[test]
fn texts_are_as_they_were_read() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/words.txt");
    let now = everything();
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(path, &now).unwrap();
    }
    let then = std::fs::read_to_string(path).unwrap();
    for (then, now) in then.lines().zip(now.lines()) {
        assert_eq!(then, now, "{path}; UPDATE_SNAPSHOTS=1 writes it anew");
    }
    assert_eq!(then, now, "{path}; UPDATE_SNAPSHOTS=1 writes it anew");
}

#[test]
fn every_text_is_in_its_language() {
    let is_chinese = |letter: char| ('\u{4e00}'..='\u{9fff}').contains(&letter);
    for line in everything().lines() {
        let parts: Vec<_> = line.split(" | ").collect();
        let [name, english, chinese] = parts[..] else {
            panic!("{line}");
        };
        assert!(
            !english.contains(is_chinese) && !english.is_empty(),
            "{name}: {english}"
        );
        assert!(chinese.contains(is_chinese), "{name}: {chinese}");
        assert!(english != name, "{name} has no words");
    }
}
