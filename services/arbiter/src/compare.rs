//! Where rulesets differ on one game, and which articles make the difference.

use std::fmt::Write;

use tabiya_rules::{Move, Variant, uci};

use crate::{
    recorded::spelled,
    replay::{Effect, Event, GameStatus, Reason, Report, Ruling},
    ruleset::{Rule, Ruleset},
    words::{self, Language},
};

/// What a ruleset decided on a game.
#[derive(Clone, Copy, Debug)]
pub struct Ruled<'a> {
    /// The ruleset.
    pub ruleset: &'a Ruleset,
    /// The events that it decided on.
    pub events: &'a [Event],
    /// Its decision.
    pub report: &'a Report,
}

macro_rules! fields {
    ($($(#[$doc:meta])* $name:ident: $en:literal, $zh:literal;)+) => {
        /// What rulesets can differ on.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Field { $($(#[$doc])* $name,)+ }

        impl Field {
            /// Every field.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// Its name in a sentence.
            pub fn words(self, language: Language) -> &'static str {
                match self { $(Self::$name => language.pick($en, $zh),)+ }
            }
        }
    };
}

fields! {
    /// Whether the game is over.
    Status: "whether the game is over", "对局是否结束";
    /// The result.
    Result: "the result", "结果";
    /// What ended the game.
    Termination: "what ended the game", "终局原因";
    /// Which event ended it.
    DecisiveEvent: "which event ended the game", "由哪一事件终局";
    /// After which ply it ended.
    DecisivePly: "after which ply the game ended", "在第几着之后终局";
    /// Whether an event is accepted, and why.
    Ruling: "the ruling on an event", "对事件的裁定";
    /// What an event costs.
    Penalty: "what an event costs", "对事件的处罚";
    /// What else follows from an event.
    Effects: "what follows from an event", "事件的其他后果";
    /// Which draws may be claimed in the end.
    Claimable: "which draws may be claimed", "可提出的和棋";
    /// Which moves are due in the end.
    Obligations: "which moves are due", "必须走的着法";
    /// Which facts are missing.
    MissingFacts: "which facts are missing", "缺少的事实";
}

/// Something on which rulesets differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// What.
    pub field: Field,
    /// The event whose ruling it belongs to; `None` if it concerns the whole game.
    pub event: Option<usize>,
    /// The different answers, in the order of the first ruleset that gives each.
    pub sides: Vec<Side>,
}

/// One of several different answers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Side {
    /// The answer, as a name for machines; empty for none.
    pub value: String,
    /// The same in Chinese words.
    pub zh: String,
    /// The rulesets that give it, by their places, each with the articles that make the difference: none if it has no
    /// such rule.
    pub rulesets: Vec<(usize, Vec<String>)>,
}

impl Difference {
    /// The difference in one sentence. `name` names a ruleset by its place.
    pub fn sentence(&self, language: Language, name: impl Fn(usize) -> String) -> String {
        let mut sentence = match self.event {
            Some(event) => language.pick(format!("event {event}: "), format!("事件{event}：")),
            None => String::new(),
        };
        sentence.push_str(self.field.words(language));
        let mut separator = language.pick(": ", "：");
        for side in &self.sides {
            let names: Vec<_> = side
                .rulesets
                .iter()
                .map(|(place, articles)| match articles.as_slice() {
                    [] => name(*place),
                    articles => format!("{} {}", name(*place), articles.join(", ")),
                })
                .collect();
            let value = if side.value.is_empty() {
                language.pick("none", "无")
            } else {
                language.pick(&side.value, &side.zh)
            };
            // Writing to a string cannot fail.
            let _ = write!(sentence, "{separator}{value}");
            let names = names.join(language.pick("; ", "；"));
            let _ = write!(
                sentence,
                "{}",
                language.pick(format!(" ({names})"), format!("（{names}）"))
            );
            separator = language.pick(", ", "，");
        }
        sentence
    }
}

/// Where the decisions differ: first on the whole game, then event by event. All decisions are on the same game; events
/// are compared as far as all have the same.
pub fn compare(ruled: &[Ruled<'_>], variant: Variant) -> Vec<Difference> {
    let mut all = Vec::new();
    compare_while(ruled, variant, &mut |mut found| {
        all.append(&mut found);
        true
    });
    all
}

/// As [`compare`], for as long as it is wanted: `wanted` hears of the differences in the end of the game, then of those on
/// each event, if there are any, then of those in what is left open. False ends the comparison.
pub fn compare_while(ruled: &[Ruled<'_>], variant: Variant, wanted: &mut dyn FnMut(Vec<Difference>) -> bool) {
    let comparer = Comparer { ruled, variant };
    if !wanted(comparer.on_the_end()) {
        return;
    }
    for event in 0..comparer.common() {
        if !wanted(comparer.on_event(event)) {
            return;
        }
    }
    wanted(comparer.on_what_is_left());
}

/// Whether an effect costs somebody something.
fn is_penalty(effect: &Effect) -> bool {
    matches!(
        effect,
        Effect::TimeAdded { .. }
            | Effect::UsedTimeAdded { .. }
            | Effect::TimeLost { .. }
            | Effect::IllegalCount { .. }
            | Effect::MayBePenalised { .. }
            | Effect::Points { .. }
    )
}

/// An answer as a name for machines, and in Chinese words.
type Said = (String, String);

fn status(status: GameStatus) -> Said {
    let (name, zh) = match status {
        GameStatus::Ongoing => ("ONGOING", "对局继续"),
        GameStatus::Decided => ("DECIDED", "已有结果"),
        GameStatus::Void => ("VOID", "对局作废"),
        GameStatus::Suspended => ("SUSPENDED", "已封棋"),
    };
    (name.into(), zh.into())
}

/// What is written alike in every language.
fn plain(text: String) -> Said {
    (text.clone(), text)
}

fn number(number: Option<usize>) -> String {
    number.map(|number| number.to_string()).unwrap_or_default()
}

/// The event whose ruling left the moves that are due in the end.
fn bound_by(report: &Report) -> Option<usize> {
    let due = report.obligations.as_ref()?;
    let binds = |ruling: &&Ruling| {
        let left = |effect: &Effect| matches!(effect, Effect::Obliged(moves) if moves == due);
        ruling.effects.iter().any(left)
    };
    report.rulings.iter().rev().find(binds).map(|ruling| ruling.event)
}

/// The facts that are missing, and the articles that ask for them.
fn missing_facts(report: &Report) -> (Said, Vec<String>) {
    let told = |zh: bool| {
        let facts: Vec<_> = (report.missing_facts.iter())
            .map(|missing| match (zh, missing.event) {
                (false, event) => format!("{} {}", number(event), missing.fact),
                (true, None) => words::fact(missing.fact, Language::Chinese).to_owned(),
                (true, Some(event)) => {
                    format!("事件{event}：{}", words::fact(missing.fact, Language::Chinese))
                }
            })
            .collect();
        facts.join(if zh { "；" } else { "; " })
    };
    let mut articles: Vec<String> = Vec::new();
    for missing in &report.missing_facts {
        let asking = missing.event.and_then(|event| report.rulings.get(event));
        let asking = asking
            .map(|ruling| ruling.articles.as_slice())
            .unwrap_or_default();
        let cited = missing
            .articles
            .iter()
            .chain(asking.iter().filter(|_| missing.articles.is_empty()));
        for article in cited {
            if !articles.contains(article) {
                articles.push(article.clone());
            }
        }
    }
    ((told(false), told(true)), articles)
}

/// The rules on a draw by position: on a claim of it, where there is one, before others.
fn draw_rules(reason: Reason) -> Option<&'static [Rule]> {
    Some(match reason {
        Reason::Dead | Reason::LineUp => &[Rule::DeadPosition],
        Reason::Repetition => &[Rule::ClaimRepetition, Rule::AutomaticRepetition],
        Reason::Quiet => &[Rule::ClaimQuietMoves, Rule::AutomaticQuietMoves],
        Reason::ChecksInARow => &[Rule::ChecksInARow],
        Reason::ChecksInTotal => &[Rule::ChecksInTotal],
        _ => return None,
    })
}

/// What a ruleset says of a draw by position that does not end the game by it; failing that, that it does not mention it.
fn on_draw(ruleset: &Ruleset, reason: Reason) -> &[String] {
    let rules = draw_rules(reason).unwrap_or_default().iter();
    let stated = rules.map(|&rule| ruleset.articles_of(rule));
    let mut stated = stated.filter(|articles| !articles.is_empty());
    stated
        .next()
        .unwrap_or_else(|| ruleset.articles_of(Rule::NotMentioned))
}

struct Comparer<'a> {
    ruled: &'a [Ruled<'a>],
    variant: Variant,
}

impl Comparer<'_> {
    /// How many events from the first on are the same for all.
    fn common(&self) -> usize {
        let first = self.ruled.first().map(|one| one.events).unwrap_or_default();
        let same = |(place, event): &(usize, &Event)| {
            self.ruled.iter().all(|one| one.events.get(*place) == Some(event))
        };
        first.iter().enumerate().take_while(same).count()
    }

    /// Whether all have the same events.
    fn alike(&self) -> bool {
        self.ruled.iter().all(|one| one.events.len() == self.common())
    }

    /// How and when the game ended.
    fn on_the_end(&self) -> Vec<Difference> {
        let found = [
            self.whole(Field::Status, |report| status(report.status)),
            self.whole(Field::Result, |report| {
                let end = report.conclusion.as_ref();
                let result = end.and_then(|end| end.result);
                plain(
                    result
                        .map(|result| spelled(Some(result)))
                        .unwrap_or_default()
                        .into(),
                )
            }),
            self.whole(Field::Termination, |report| {
                let reason = report.conclusion.as_ref().map(|end| end.reason);
                let said = reason.map(|reason| (reason.name().into(), reason.zh().into()));
                said.unwrap_or_default()
            }),
            self.whole(Field::DecisiveEvent, |report| {
                plain(number(report.conclusion.as_ref().and_then(|end| end.event)))
            })
            .filter(|_| self.alike()),
            self.whole(Field::DecisivePly, |report| {
                plain(number(report.conclusion.as_ref().map(|end| end.ply)))
            }),
        ];
        found.into_iter().flatten().collect()
    }

    /// The ruling on an event and what follows from it.
    fn on_event(&self, event: usize) -> Vec<Difference> {
        let others = |effect: &Effect| !is_penalty(effect);
        let found = [
            self.event(Field::Ruling, event, |ruling| {
                let accepted = [("refused", "不予接受"), ("accepted", "接受")][usize::from(ruling.accepted)];
                (
                    format!("{}, {}", accepted.0, ruling.reason.name()),
                    format!("{}：{}", accepted.1, ruling.reason.zh()),
                )
            }),
            self.event(Field::Penalty, event, |ruling| self.effects(ruling, is_penalty)),
            self.event(Field::Effects, event, |ruling| self.effects(ruling, others)),
        ];
        found.into_iter().flatten().collect()
    }

    /// What may be claimed, has to be played or is not known in the end.
    fn on_what_is_left(&self) -> Vec<Difference> {
        let obligations = self.differ(Field::Obligations, None, |one| {
            let moves = one.report.obligations.as_deref().unwrap_or_default();
            (plain(self.moves(moves)), self.binding(one.report))
        });
        let missing = self.differ(Field::MissingFacts, None, |one| missing_facts(one.report));
        let found = [self.claimable(), obligations, missing];
        found.into_iter().flatten().collect()
    }

    /// The difference in what `answer` gives, if there is one.
    fn differ(
        &self,
        field: Field,
        event: Option<usize>,
        answer: impl Fn(&Ruled<'_>) -> (Said, Vec<String>),
    ) -> Option<Difference> {
        let mut sides: Vec<Side> = Vec::new();
        for (place, one) in self.ruled.iter().enumerate() {
            let ((value, zh), articles) = answer(one);
            match sides.iter_mut().find(|side| side.value == value) {
                Some(side) => side.rulesets.push((place, articles)),
                None => sides.push(Side {
                    value,
                    zh,
                    rulesets: vec![(place, articles)],
                }),
            }
        }
        (sides.len() > 1).then_some(Difference { field, event, sides })
    }

    /// A difference in the end of the game. Where a ruleset lets it go on, the article is that of its ruling on the event
    /// that ended it elsewhere; failing that, what it says itself of the draw that ended it elsewhere, or that it does not
    /// mention it.
    fn whole(&self, field: Field, value: impl Fn(&Report) -> Said) -> Option<Difference> {
        let ends = || self.ruled.iter().filter_map(|one| one.report.conclusion.as_ref());
        let ended_by = ends().find_map(|end| end.event);
        let drawn = ends()
            .map(|end| end.reason)
            .find(|&reason| draw_rules(reason).is_some());
        let common = self.common();
        self.differ(field, None, |one| {
            let articles = match &one.report.conclusion {
                Some(end) => end.articles.clone(),
                None => ended_by
                    .filter(|&event| event < common)
                    .and_then(|event| one.report.rulings.get(event))
                    .map(|ruling| ruling.articles.as_slice())
                    .filter(|articles| !articles.is_empty())
                    .or_else(|| drawn.map(|reason| on_draw(one.ruleset, reason)))
                    .unwrap_or_default()
                    .to_vec(),
            };
            (value(one.report), articles)
        })
    }

    fn event(&self, field: Field, event: usize, value: impl Fn(&Ruling) -> Said) -> Option<Difference> {
        self.differ(field, Some(event), |one| match one.report.rulings.get(event) {
            // The event that ends the game rests on the articles of the end.
            Some(ruling) => {
                let end = one
                    .report
                    .conclusion
                    .as_ref()
                    .filter(|end| end.event == Some(event));
                let articles = match end {
                    Some(end) if ruling.articles.is_empty() => end.articles.clone(),
                    _ => ruling.articles.clone(),
                };
                (value(ruling), articles)
            }
            None => Default::default(),
        })
    }

    fn effects(&self, ruling: &Ruling, wanted: impl Fn(&Effect) -> bool) -> Said {
        let told = |language: Language| {
            let effects = ruling.effects.iter().filter(|effect| wanted(effect));
            let words: Vec<_> = effects
                .map(|effect| words::effect(effect, self.variant, language))
                .collect();
            words.join(language.pick("; ", "；"))
        };
        (told(Language::English), told(Language::Chinese))
    }

    fn moves(&self, moves: &[Move]) -> String {
        let moves: Vec<_> = moves
            .iter()
            .map(|&mv| uci::write(mv, self.variant).to_string())
            .collect();
        moves.join(" ")
    }

    /// The articles by which moves are due in the end; where none are, those of the ruling on the event that bound elsewhere.
    fn binding(&self, report: &Report) -> Vec<String> {
        let elsewhere = || self.ruled.iter().find_map(|one| bound_by(one.report));
        let event = bound_by(report).or_else(elsewhere);
        let ruling = event.and_then(|event| report.rulings.get(event));
        ruling.map(|ruling| ruling.articles.clone()).unwrap_or_default()
    }

    fn claimable(&self) -> Option<Difference> {
        use crate::ClaimGround::{FiftyMoves, ThreefoldRepetition};

        self.differ(Field::Claimable, None, |one| {
            let (mut text, mut zh, mut articles) = (String::new(), String::new(), Vec::new());
            for (ground, name, chinese, rules) in [
                (
                    ThreefoldRepetition,
                    "repetition",
                    "重复局面",
                    [Rule::ClaimRepetition, Rule::ClaimRepetitionAnnounced],
                ),
                (
                    FiftyMoves,
                    "quiet moves",
                    "未动兵未吃子的回合",
                    [Rule::ClaimQuietMoves, Rule::ClaimQuietMovesAnnounced],
                ),
            ] {
                let claims = one.report.claimable.iter().filter(|claim| claim.ground == ground);
                for claim in claims {
                    let separator = if text.is_empty() { "" } else { "; " };
                    let with = claim.with_move.map(|mv| uci::write(mv, self.variant).to_string());
                    let english = with.as_ref().map(|mv| format!(" with {mv}")).unwrap_or_default();
                    let _ = write!(text, "{separator}{name}{english}");
                    let separator = if zh.is_empty() { "" } else { "；" };
                    let with = with.map(|mv| format!("（着法 {mv}）")).unwrap_or_default();
                    let _ = write!(zh, "{separator}{chinese}{with}");
                    let rule = rules[usize::from(claim.with_move.is_some())];
                    for article in one.ruleset.articles_of(rule) {
                        if !articles.contains(article) {
                            articles.push(article.clone());
                        }
                    }
                }
            }
            ((text, zh), articles)
        })
    }
}
