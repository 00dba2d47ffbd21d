//! What rulesets differ on, field by field.

use tabiya_rules::Variant;

use super::{
    Difference, Field, Ruled, Side, articles,
    claims::claimable,
    draws::{draw_rules, on_draw},
    said::Said,
};
use crate::{
    recorded::spelled,
    replay::{Effect, Event, Report, Ruling},
};

/// Decisions that are compared.
pub(super) struct Comparer<'a> {
    ruled: &'a [Ruled<'a>],
    variant: Variant,
    /// How many events from the first on are the same for all.
    pub(super) common: usize,
}

impl<'a> Comparer<'a> {
    pub(super) fn new(ruled: &'a [Ruled<'a>], variant: Variant) -> Self {
        let (first, others) = match ruled {
            [first, others @ ..] => (first.events, others),
            [] => (&[][..], &[][..]),
        };
        let alike = |(place, event): &(usize, &Event)| {
            let mut others = others.iter();
            others.all(|one| one.events.get(*place) == Some(event))
        };
        Self {
            ruled,
            variant,
            common: first.iter().enumerate().take_while(alike).count(),
        }
    }

    /// How and when the game ended.
    pub(super) fn on_the_end(&self) -> Vec<Difference> {
        let alike = self.ruled.iter().all(|one| one.events.len() == self.common);
        let found = [
            self.whole(Field::Status, |report| Said::status(report.status)),
            self.whole(Field::Result, |report| {
                let result = report.conclusion.as_ref().and_then(|end| end.result);
                let result = result.map(|result| spelled(Some(result)));
                Said::plain(result.unwrap_or_default())
            }),
            self.whole(Field::Termination, |report| {
                let reason = report.conclusion.as_ref().map(|end| end.reason);
                reason.map(Said::reason).unwrap_or_default()
            }),
            self.whole(Field::DecisiveEvent, |report| {
                Said::number(report.conclusion.as_ref().and_then(|end| end.event))
            })
            .filter(|_| alike),
            self.whole(Field::DecisivePly, |report| {
                Said::number(report.conclusion.as_ref().map(|end| end.ply))
            }),
        ];
        found.into_iter().flatten().collect()
    }

    /// The ruling on an event and what follows from it.
    pub(super) fn on_event(&self, event: usize) -> Vec<Difference> {
        let effects = |ruling: &Ruling, costs: bool| {
            let wanted = ruling
                .effects
                .iter()
                .filter(|effect| is_cost(ruling, effect) == costs);
            Said::effects(wanted, self.variant)
        };
        let found = [
            self.event(Field::Ruling, event, Said::ruling),
            self.event(Field::Penalty, event, |ruling| effects(ruling, true)),
            self.event(Field::Effects, event, |ruling| effects(ruling, false)),
        ];
        found.into_iter().flatten().collect()
    }

    /// What may be claimed, has to be played or is not known in the end.
    pub(super) fn on_what_is_left(&self) -> Vec<Difference> {
        let claims = self.differ(Field::Claimable, None, |one| claimable(one, self.variant));
        let obligations = self.differ(Field::Obligations, None, |one| {
            let moves = one.report.obligations.as_deref().unwrap_or_default();
            (Said::moves(moves, self.variant), self.binding(one.report))
        });
        let missing = self.differ(Field::MissingFacts, None, |one| {
            let missing = &one.report.missing_facts;
            (Said::missing_facts(missing), asking(one.report))
        });
        [claims, obligations, missing].into_iter().flatten().collect()
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
            let (Said { value, words }, articles) = answer(one);
            match sides.iter_mut().find(|side| side.value == value) {
                Some(side) => side.rulesets.push((place, articles)),
                None => sides.push(Side {
                    value,
                    words,
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
        let ended_by = ends()
            .find_map(|end| end.event)
            .filter(|&event| event < self.common);
        let drawn = ends()
            .map(|end| end.reason)
            .find(|&reason| draw_rules(reason).is_some());
        self.differ(field, None, |one| {
            let ruling = ended_by.and_then(|event| one.report.rulings.get(event));
            let ruled = ruling.map(|ruling| &ruling.articles[..]).unwrap_or_default();
            let articles = match (&one.report.conclusion, ruled, drawn) {
                (Some(end), ..) => &end.articles,
                (None, [], Some(reason)) => on_draw(one.ruleset, reason),
                (None, ruled, _) => ruled,
            };
            (value(one.report), articles.to_vec())
        })
    }

    fn event(&self, field: Field, event: usize, value: impl Fn(&Ruling) -> Said) -> Option<Difference> {
        self.differ(field, Some(event), |one| {
            let ruling = one.report.rulings.get(event);
            ruling
                .map(|ruling| (value(ruling), ruling.articles.clone()))
                .unwrap_or_default()
        })
    }

    /// The articles by which moves are due in the end; where none are, those of the ruling on the event that bound elsewhere.
    fn binding(&self, report: &Report) -> Vec<String> {
        let elsewhere = || self.ruled.iter().find_map(|one| bound_by(one.report));
        let event = bound_by(report).or_else(elsewhere);
        let ruling = event.and_then(|event| report.rulings.get(event));
        ruling.map(|ruling| ruling.articles.clone()).unwrap_or_default()
    }
}

/// Whether an effect costs somebody something, or may.
fn is_cost(ruling: &Ruling, effect: &Effect) -> bool {
    ruling.punished(effect).is_some()
        || matches!(
            effect,
            Effect::TimeLost { .. } | Effect::IllegalCount { .. } | Effect::MayBePenalised { .. }
        )
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

/// The articles that ask for the facts that are missing: those of the ruling on the event that lacks one, where it has none
/// itself.
fn asking(report: &Report) -> Vec<String> {
    articles(report.missing_facts.iter().flat_map(|missing| {
        let ruling = missing.event.and_then(|event| report.rulings.get(event));
        match (missing.articles.as_slice(), ruling) {
            ([], Some(ruling)) => &ruling.articles[..],
            (own, _) => own,
        }
    }))
}
