use std::time::Duration;

use tabiya_arbiter::{
    Claim,
    replay::{
        ClockView, Clocks, Conclusion, Effect, EnvelopeItem, GameResult, GameStatus, MissingFact, Reason,
        Report, Ruling, TimeCategory,
    },
    ruleset::{Ruleset, SANCTIONS},
    words::{self, Language},
};
use tabiya_rules::{Color, Move, Variant, uci};

use super::{claim::ground_message, color::color_message as color, room::Room};
use crate::{error::ServiceError, v1};

/// Writes a report in the wire's words.
pub(super) struct Writer<'a> {
    pub(super) ruleset: &'a Ruleset,
    pub(super) variant: Variant,
    pub(super) language: Language,
}

impl Writer<'_> {
    /// The answer, as far as there is room for it.
    ///
    /// # Errors
    /// As [`Room::place`].
    pub(super) fn response(
        &self,
        report: &Report,
        room: &Room<'_>,
    ) -> Result<v1::AdjudicateResponse, ServiceError> {
        let end = report.conclusion.as_ref();
        let (mut rulings, mut penalties, mut missing_facts) = (Vec::new(), Vec::new(), Vec::new());
        for ruling in &report.rulings {
            rulings.push(self.ruling(ruling, room)?);
        }
        // What was taken back or corrected imposes nothing any more.
        for ruling in report.standing.as_ref().unwrap_or(&report.rulings) {
            for penalty in self.penalties(ruling) {
                penalties.push(room.place(penalty)?);
            }
        }
        for missing in &report.missing_facts {
            missing_facts.push(room.place(self.missing(missing))?);
        }
        Ok(v1::AdjudicateResponse {
            status: match report.status {
                GameStatus::Ongoing => v1::GameStatus::Ongoing,
                GameStatus::Decided => v1::GameStatus::Decided,
                GameStatus::Void => v1::GameStatus::Void,
                GameStatus::Suspended => v1::GameStatus::Suspended,
            }
            .into(),
            result: end
                .and_then(|end| end.result)
                .map(result)
                .unwrap_or_default()
                .into(),
            termination: end
                .map(|end| self.termination(end.reason))
                .unwrap_or_default()
                .into(),
            decisive_event: end.and_then(|end| end.event).map(|event| event as u32),
            decisive_ply: end.map(|end| end.ply as u32),
            citations: end.map(|end| self.citations(&end.articles)).unwrap_or_default(),
            claimable: report.claimable.iter().map(|&claim| self.claim(claim)).collect(),
            also_applied: end
                .map(|end| {
                    end.also
                        .iter()
                        .map(|&other| self.termination(other).into())
                        .collect()
                })
                .unwrap_or_default(),
            reason: self.reason(report),
            rulings,
            obligations: self.moves(report.obligations.as_deref().unwrap_or_default()),
            missing_facts,
            penalties,
            ruleset: self.ruleset.id.clone(),
            ruleset_version: self.ruleset.version.clone(),
            clocks: report.clocks.map(clocks),
            score: report
                .scores
                .map(|[white_half_points, black_half_points]| v1::GameScore {
                    white_half_points,
                    black_half_points,
                }),
            time_category: report.category.map(category).unwrap_or_default().into(),
            ..Default::default()
        })
    }

    fn missing(&self, missing: &MissingFact) -> v1::MissingFact {
        v1::MissingFact {
            event: missing.event.map(|event| event as u32),
            fact: missing.fact.into(),
            text: words::fact(missing.fact, self.language).into(),
            citations: self.citations(&missing.articles),
        }
    }

    /// A sentence with its articles and the ruleset that they are of.
    pub(super) fn cited(&self, sentence: &str, articles: &[String]) -> String {
        if articles.is_empty() {
            return sentence.to_owned();
        }
        let (id, articles) = (&self.ruleset.id, articles.join(", "));
        self.language.pick(
            format!("{sentence} ({id}: {articles})"),
            format!("{sentence}（{id}：{articles}）"),
        )
    }

    fn sentence(&self, reason: Reason, articles: &[String]) -> String {
        self.cited(self.language.pick(reason.en(), reason.zh()), articles)
    }

    fn reason(&self, report: &Report) -> String {
        match &report.conclusion {
            Some(Conclusion { articles, .. }) => self.sentence(report.reason, articles),
            None => self.sentence(report.reason, &[]),
        }
    }

    fn ruling(&self, ruling: &Ruling, room: &Room<'_>) -> Result<v1::Ruling, ServiceError> {
        let mut written = room.place(v1::Ruling {
            event: ruling.event as u32,
            accepted: ruling.accepted,
            reason: self.sentence(ruling.reason, &ruling.articles),
            code: ruling.reason.name().into(),
            citations: self.citations(&ruling.articles),
            effects: ruling
                .effects
                .iter()
                .map(|effect| self.effect_of(effect, ruling))
                .collect(),
            replayed: Vec::new(),
        })?;
        for again in &ruling.replayed {
            written.replayed.push(self.ruling(again, room)?);
        }
        Ok(written)
    }

    /// An effect of a ruling. An option that is no sanction rests on what the ruling does, where its own article is
    /// another's.
    fn effect_of(&self, effect: &Effect, ruling: &Ruling) -> v1::Effect {
        let mut message = self.effect(effect);
        if let Effect::Option(choice) = effect
            && !SANCTIONS.contains(&choice.name())
            && !ruling.articles.is_empty()
        {
            let own = self.ruleset.articles_of(choice.rule());
            if !own.iter().any(|article| ruling.articles.contains(article)) {
                message.citations = self.citations(&ruling.articles);
            }
        }
        message
    }

    fn penalties(&self, ruling: &Ruling) -> Vec<v1::Penalty> {
        let penalty = |effect: &Effect| {
            ruling.punished(effect).map(|offender| v1::Penalty {
                event: ruling.event as u32,
                offender: color(offender).into(),
                effect: Some(self.effect(effect)),
            })
        };
        ruling.effects.iter().filter_map(penalty).collect()
    }

    pub(super) fn moves(&self, moves: &[Move]) -> Vec<String> {
        let write = |&mv| uci::write(mv, self.variant).to_string();
        moves.iter().map(write).collect()
    }

    pub(super) fn citations(&self, articles: &[String]) -> Vec<v1::Citation> {
        articles.iter().map(|number| self.citation(number)).collect()
    }

    pub(super) fn citation(&self, number: &str) -> v1::Citation {
        let text = self.ruleset.articles.get(number);
        v1::Citation {
            ruleset: self.ruleset.id.clone(),
            article: number.into(),
            text_en: text.map(|text| text.en.clone()).unwrap_or_default(),
            text_zh: text.map(|text| text.zh.clone()).unwrap_or_default(),
        }
    }

    fn claim(&self, claim: Claim) -> v1::ClaimableDraw {
        let with_move = claim.with_move.map(|mv| uci::write(mv, self.variant).to_string());
        v1::ClaimableDraw {
            ground: ground_message(claim.ground).into(),
            with_move: with_move.unwrap_or_default(),
            citation: self
                .ruleset
                .articles_of(claim.rule())
                .first()
                .map(|number| self.citation(number)),
        }
    }

    fn termination(&self, reason: Reason) -> v1::Termination {
        use v1::Termination as T;

        let switches = &self.ruleset.switches;
        match reason {
            Reason::Mate => T::Checkmate,
            Reason::Stalemate => T::Stalemate,
            Reason::Dead | Reason::LineUp => T::DeadPosition,
            Reason::Repetition if switches.automatic_repetition == 5 => T::FivefoldRepetition,
            Reason::Repetition => T::Repetition,
            Reason::Quiet if switches.automatic_quiet_moves == 75 => T::SeventyFiveMoves,
            Reason::Quiet => T::QuietMoves,
            Reason::ChecksInARow | Reason::ChecksInTotal => T::Checks,
            Reason::Agreed => T::Agreement,
            Reason::ClaimUpheld => T::Claim,
            Reason::Resigned | Reason::ResignedDraw => T::Resignation,
            Reason::FlagLoss
            | Reason::FlagDraw
            | Reason::FlagVoid
            | Reason::FlagsDraw
            | Reason::ClaimWrongLoses => T::Time,
            Reason::IllegalLoses | Reason::IllegalLosesDraw | Reason::KingFoulsLose => T::IllegalMoves,
            Reason::TooLate | Reason::SealerTooLate | Reason::BothTooLate => T::Late,
            Reason::Device | Reason::Refusal | Reason::RecordingRefused | Reason::BothRefuse => T::Conduct,
            Reason::SealInvalid | Reason::SealInvalidDraw => T::SealedMove,
            Reason::IllegalPositionDraw => T::IllegalPosition,
            Reason::NewGame | Reason::SetupAnnulled | Reason::ColoursRestart => T::Setup,
            Reason::PositionAnnulled | Reason::EnvelopeAnnuls => T::PositionLost,
            Reason::Decided => T::Arbiter,
            _ => T::Unspecified,
        }
    }

    fn effect(&self, effect: &Effect) -> v1::Effect {
        use v1::EffectKind as K;

        let length = |time: Duration| prost_types::Duration::try_from(time).ok();
        let mut message = v1::Effect {
            text: words::effect(effect, self.variant, self.language),
            ..v1::Effect::default()
        };
        let mut concern = |side: Color| message.side = color(side).into();
        let kind = match effect {
            Effect::TimeAdded { side, time } => {
                concern(*side);
                message.time = length(*time);
                K::TimeAdded
            }
            Effect::UsedTimeAdded { side, time } => {
                concern(*side);
                message.time = length(*time);
                K::UsedTimeAdded
            }
            Effect::TimeLost { side, time } => {
                concern(*side);
                message.time = length(*time);
                K::TimeLost
            }
            Effect::IllegalCount { side, count } => {
                concern(*side);
                message.count = *count;
                K::IllegalCount
            }
            Effect::OfferOpen { by } => {
                concern(*by);
                K::OfferOpen
            }
            Effect::OfferClosed { by } => {
                concern(*by);
                K::OfferClosed
            }
            Effect::MayBePenalised { side } => {
                concern(*side);
                K::MayBePenalised
            }
            Effect::ClockRuns { side } => {
                concern(*side);
                K::ClockRuns
            }
            Effect::NeedNotRecord { side } => {
                concern(*side);
                K::NeedNotRecord
            }
            Effect::CompleteSheet { side } => {
                concern(*side);
                K::CompleteSheet
            }
            Effect::BecomesQueen(square) => {
                message.square = square.to_string();
                K::BecomesQueen
            }
            Effect::FinishPromotion(square) => {
                message.square = square.to_string();
                K::FinishPromotion
            }
            Effect::Option(choice) => {
                message.option = choice.name().into();
                message.citations = self.citations(self.ruleset.articles_of(choice.rule()));
                K::Option
            }
            Effect::RightLost { side, right } => {
                concern(*side);
                message.right = right.name().into();
                K::RightLost
            }
            Effect::RightRegained { side, right } => {
                concern(*side);
                message.right = right.name().into();
                K::RightRegained
            }
            Effect::ClockSet { side, time } => {
                concern(*side);
                message.time = length(*time);
                K::ClockSet
            }
            Effect::Points { side, half_points } => {
                concern(*side);
                message.half_points = *half_points;
                K::Points
            }
            Effect::CompleteEnvelope(items) => {
                message.envelope_items = items.iter().map(|&item| envelope_item(item).into()).collect();
                K::CompleteEnvelope
            }
            Effect::LendSheet { side } => {
                concern(*side);
                K::LendSheet
            }
            Effect::ClocksPaused => K::ClocksPaused,
            Effect::SecondBoard => K::SecondBoard,
            Effect::ArbiterRecords => K::ArbiterRecords,
            Effect::Obliged(moves) => {
                message.moves = self.moves(moves);
                K::Obliged
            }
            Effect::SealedMove(mv) => {
                message.moves = self.moves(&[*mv]);
                K::SealedMove
            }
            Effect::Restored => K::Restored,
            Effect::LastIdentifiable => K::LastIdentifiable,
            Effect::AnswerMayWait => K::AnswerMayWait,
            Effect::Free => K::Free,
            Effect::ShareTimes => K::ShareTimes,
            Effect::EnvelopeShut => K::EnvelopeShut,
            Effect::NewGame => K::NewGame,
            Effect::CarriedOver => K::CarriedOver,
            Effect::NextPeriod => K::NextPeriod,
        };
        message.kind = kind.into();
        message
    }
}

fn envelope_item(item: EnvelopeItem) -> v1::EnvelopeItem {
    match item {
        EnvelopeItem::Names => v1::EnvelopeItem::Names,
        EnvelopeItem::Position => v1::EnvelopeItem::Position,
        EnvelopeItem::Times => v1::EnvelopeItem::Times,
        EnvelopeItem::Sealer => v1::EnvelopeItem::Sealer,
        EnvelopeItem::MoveNumber => v1::EnvelopeItem::MoveNumber,
        EnvelopeItem::Offer => v1::EnvelopeItem::Offer,
        EnvelopeItem::Resumption => v1::EnvelopeItem::Resumption,
    }
}

fn category(category: TimeCategory) -> v1::TimeCategory {
    match category {
        TimeCategory::Standard => v1::TimeCategory::Standard,
        TimeCategory::Rapid => v1::TimeCategory::Rapid,
        TimeCategory::Blitz => v1::TimeCategory::Blitz,
    }
}

fn clocks(clocks: Clocks) -> v1::Clocks {
    let clock = |view: ClockView| v1::Clock {
        remaining: prost_types::Duration::try_from(view.remaining).ok(),
        period: view.period as u32 + 1,
        moves: view.moves,
        run_out: view.run_out,
    };
    v1::Clocks {
        white: Some(clock(clocks.sides[0])),
        black: Some(clock(clocks.sides[1])),
        running: clocks.running.map(color).unwrap_or_default().into(),
    }
}

pub(super) fn result(result: GameResult) -> v1::GameResult {
    match result {
        GameResult::Wins(Color::White) => v1::GameResult::WhiteWins,
        GameResult::Wins(Color::Black) => v1::GameResult::BlackWins,
        GameResult::Draw => v1::GameResult::Draw,
        GameResult::BothLose => v1::GameResult::BothLose,
    }
}
