//! A case: a list of events, and how it is ruled.

use tabiya_arbiter::replay::{Effect, Event, GameResult, GameStatus, Reason, Report, replay};
use tabiya_rules::{Board, Game, Variant, uci};

use crate::events::{START, rulesets};

pub(crate) enum Want {
    /// The game is decided for this reason.
    Ends(GameResult, Reason),
    /// The game does not count.
    Void(Reason),
    /// The last event is ruled so, and the game goes on or is adjourned.
    Rules(bool, Reason),
    /// The position alone leaves the game going.
    GoesOn,
}

use Want::{Ends, GoesOn, Rules, Void};

pub(crate) struct Case {
    /// The row of the handed cases that it plays, if there is one.
    pub(crate) id: &'static str,
    pub(crate) ruleset: &'static str,
    pub(crate) overrides: Vec<(&'static str, &'static str)>,
    pub(crate) fen: String,
    pub(crate) moves: String,
    pub(crate) events: Vec<Event>,
    pub(crate) want: Want,
    pub(crate) articles: &'static [&'static str],
    /// Effects of the rulings, among others.
    pub(crate) effects: Vec<Effect>,
    /// Articles that the rulings of earlier events cite.
    pub(crate) told: Vec<(usize, &'static [&'static str])>,
}

pub(crate) fn case(
    id: &'static str,
    ruleset: &'static str,
    events: Vec<Event>,
    want: Want,
    articles: &'static [&'static str],
) -> Case {
    Case {
        id,
        ruleset,
        overrides: Vec::new(),
        fen: START.into(),
        moves: String::new(),
        events,
        want,
        articles,
        effects: Vec::new(),
        told: Vec::new(),
    }
}

impl Case {
    pub(crate) fn fen(mut self, fen: &str) -> Self {
        self.fen = fen.into();
        self
    }

    pub(crate) fn moves(mut self, moves: &str) -> Self {
        self.moves = moves.into();
        self
    }

    pub(crate) fn set(mut self, name: &'static str, value: &'static str) -> Self {
        self.overrides.push((name, value));
        self
    }

    pub(crate) fn effect(mut self, effect: Effect) -> Self {
        self.effects.push(effect);
        self
    }

    pub(crate) fn told(mut self, event: usize, articles: &'static [&'static str]) -> Self {
        self.told.push((event, articles));
        self
    }

    pub(crate) fn game(&self) -> Game {
        let mut game = Game::new(Board::from_fen(&self.fen).unwrap());
        for text in self.moves.split_whitespace() {
            let mv = uci::parse(game.board(), text, Variant::Standard)
                .unwrap_or_else(|error| panic!("{}: {error}", self.id));
            game.play(mv);
        }
        game
    }

    pub(crate) fn report(&self) -> Report {
        let overrides: Vec<_> = self
            .overrides
            .iter()
            .map(|&(k, v)| (k.to_owned(), v.to_owned()))
            .collect();
        let ruleset = rulesets().find(self.ruleset).unwrap();
        let ruleset = ruleset.with_overrides(&overrides).unwrap();
        replay(&ruleset, &self.game(), Variant::Standard, None, &self.events)
    }

    /// What is wrong with the report, if anything.
    pub(crate) fn check(&self) -> Option<String> {
        let report = self.report();
        let last = report.rulings.last();
        let end = report.conclusion.as_ref();
        let right = match &self.want {
            Ends(result, reason) => {
                end.is_some_and(|end| end.result == Some(*result) && end.reason == *reason)
            }
            Void(reason) => report.status == GameStatus::Void && end.is_some_and(|end| end.reason == *reason),
            Rules(accepted, reason) => {
                last.is_some_and(|last| last.accepted == *accepted && last.reason == *reason)
            }
            GoesOn => report.status == GameStatus::Ongoing,
        };
        // The last ruling says why, and so does what ended the game: never an earlier event.
        let mut cited = last.map(|ruling| ruling.articles.clone()).unwrap_or_default();
        let decisive = end.and_then(|end| end.event);
        cited.extend(
            decisive
                .iter()
                .flat_map(|&event| report.rulings[event].articles.clone()),
        );
        cited.extend(end.map(|end| end.articles.clone()).unwrap_or_default());
        let mut missing: Vec<&str> = self.articles.to_vec();
        missing.retain(|&article| !cited.iter().any(|c| c == article));
        for &(event, articles) in &self.told {
            let cited = &report.rulings[event].articles;
            missing.extend(
                articles
                    .iter()
                    .filter(|&&article| !cited.iter().any(|c| c == article)),
            );
        }
        let absent: Vec<_> = self
            .effects
            .iter()
            .filter(|&effect| {
                !report
                    .rulings
                    .iter()
                    .any(|ruling| ruling.effects.contains(effect))
            })
            .collect();
        let wrong = !right || !missing.is_empty() || !absent.is_empty();
        wrong.then(|| {
            format!(
                "{}: articles {missing:?} and effects {absent:?} are missing in {report:?}",
                self.id
            )
        })
    }
}
