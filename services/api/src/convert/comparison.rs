//! Several rulesets on one game.

use std::borrow::Cow;

use tabiya_arbiter::{
    compare::{Difference, Field, Ruled, Side, compare_while},
    replay::{Event, Report},
    words::Language,
};
use tabiya_rules::Variant;

use super::{
    adjudicate::{Case, CaseFields, Desk, spoken},
    arbiter::Writer,
    room::Room,
    ruleset::Chosen,
};
use crate::{
    error::{ServiceError, Violations},
    v1::{self, compare_rulings_request::Game},
};

/// Most rulesets of one comparison.
pub const MAX_COMPARED: usize = 16;

/// Decides a game by several rulesets and says where they differ.
///
/// # Errors
/// INVALID_ARGUMENT for what cannot be right, or would get too long an answer; DEADLINE_EXCEEDED if the desk was told to
/// stop.
pub fn compare_rulings(
    desk: &Desk,
    request: &v1::CompareRulingsRequest,
) -> Result<v1::CompareRulingsResponse, ServiceError> {
    let chosen = choose(desk, request)?;
    let mut violations = Violations::default();
    let language = spoken(desk, request.language, &mut violations);
    let (position, pgn) = match &request.game {
        Some(Game::Position(position)) => (Some(position), None),
        Some(Game::Pgn(pgn)) => (None, Some(pgn.as_str())),
        None => (None, None),
    };
    let fields = CaseFields {
        position,
        pgn,
        events: &request.events,
        time_control: request.time_control.as_ref(),
    };
    let case = Case::read(&fields, violations)?;
    let room = case.room(&desk.stop);
    let mut response = v1::CompareRulingsResponse::default();
    let mut reports = Vec::with_capacity(chosen.len());
    for chosen in &chosen {
        let decision = case.decide(chosen, Some(case.events(chosen, &desk.stop)), &desk.stop)?;
        response
            .answers
            .push(case.answer(chosen, &decision, language, &room)?);
        let mut report = decision.report;
        // What was ruled anew is told, not compared.
        for ruling in &mut report.rulings {
            ruling.replayed = Vec::new();
        }
        reports.push((decision.events, report));
    }
    response.differences = differences(&chosen, &reports, case.variant(), language, &room)?;
    room.whole(response)
}

/// Where the reports differ.
fn differences(
    chosen: &[Chosen],
    reports: &[(Cow<'_, [Event]>, Report)],
    variant: Variant,
    language: Language,
    room: &Room<'_>,
) -> Result<Vec<v1::RulingDifference>, ServiceError> {
    let ruled: Vec<_> = chosen
        .iter()
        .zip(reports)
        .map(|(chosen, (events, report))| Ruled {
            ruleset: &chosen.ruleset,
            events,
            report,
        })
        .collect();
    let writers: Vec<_> = chosen
        .iter()
        .map(|chosen| Writer {
            ruleset: &chosen.ruleset,
            variant,
            language,
        })
        .collect();
    let (mut differences, mut result) = (Vec::new(), Ok(()));
    compare_while(&ruled, variant, &mut |found| {
        result = room.go_on().and_then(|()| {
            for difference in &found {
                differences.push(room.place(difference_message(difference, &writers))?);
            }
            Ok(())
        });
        result.is_ok()
    });
    result.map(|()| differences)
}

/// The rulesets in order, each with its overrides.
fn choose(desk: &Desk, request: &v1::CompareRulingsRequest) -> Result<Vec<Chosen>, ServiceError> {
    let (ids, tomls) = (&request.rulesets, &request.ruleset_tomls);
    let count = ids.len() + tomls.len();
    if !(2..=MAX_COMPARED).contains(&count) {
        let reason = format!("not 2 to {MAX_COMPARED} rulesets");
        return Err(ServiceError::invalid("rulesets", &count.to_string(), reason));
    }
    let mut overrides: Vec<Option<(usize, &[v1::SwitchOverride])>> = vec![None; count];
    for (index, set) in request.overrides.iter().enumerate() {
        let field = format!("overrides[{index}].ruleset");
        let value = set.ruleset.to_string();
        match overrides.get_mut(set.ruleset as usize) {
            None => return Err(ServiceError::invalid(field, &value, "no ruleset has this place")),
            Some(Some(_)) => return Err(ServiceError::invalid(field, &value, "named before")),
            Some(place) => *place = Some((index, &set.switches)),
        }
    }
    let mut chosen = Vec::with_capacity(count);
    for (place, set) in overrides.iter().enumerate() {
        let (id, toml) = match ids.get(place) {
            Some(id) => (id.as_str(), ""),
            None => ("", tomls[place - ids.len()].as_str()),
        };
        if place >= ids.len() && toml.is_empty() {
            let field = format!("ruleset_tomls[{}]", place - ids.len());
            return Err(ServiceError::invalid(field, "", "empty"));
        }
        let switches = set.map(|(_, switches)| switches).unwrap_or_default();
        let one = desk.rulesets.choose(id, toml, switches);
        chosen.push(one.map_err(|error| rename(error, place, ids.len(), set.map(|(index, _)| index)))?);
    }
    Ok(chosen)
}

/// The error with the field names of a comparison.
fn rename(error: ServiceError, place: usize, ids: usize, overrides: Option<usize>) -> ServiceError {
    let ServiceError::Invalid(violations) = error else {
        return error;
    };
    let renamed = violations.renamed(|field| match field {
        "ruleset" => format!("rulesets[{place}]"),
        "ruleset_toml" => format!("ruleset_tomls[{}]", place - ids),
        other => match (other.strip_prefix("overrides"), overrides) {
            (Some(rest), Some(index)) => format!("overrides[{index}].switches{rest}"),
            _ => other.to_owned(),
        },
    });
    ServiceError::Invalid(renamed)
}

fn difference_message(difference: &Difference, writers: &[Writer<'_>]) -> v1::RulingDifference {
    let name = |place: usize| {
        let id = &writers[place].ruleset.id;
        // Two of one name are told apart by their places.
        let same = writers.iter().filter(|writer| writer.ruleset.id == *id).count() > 1;
        if same {
            format!("{id} [{place}]")
        } else {
            id.clone()
        }
    };
    let side = |side: &Side| v1::DifferenceSide {
        rulesets: side.rulesets.iter().map(|&(place, _)| place as u32).collect(),
        value: side.value.clone(),
        text: side.text(writers[0].language).to_owned(),
        citations: side
            .rulesets
            .iter()
            .flat_map(|(place, articles)| writers[*place].citations(articles))
            .collect(),
    };
    v1::RulingDifference {
        field: field(difference.field).into(),
        event: difference.event.map(|event| event as u32),
        sides: difference.sides.iter().map(side).collect(),
        reason: difference.sentence(writers[0].language, name),
    }
}

fn field(field: Field) -> v1::DifferenceField {
    use v1::DifferenceField as M;

    match field {
        Field::Status => M::Status,
        Field::Result => M::Result,
        Field::Termination => M::Termination,
        Field::DecisiveEvent => M::DecisiveEvent,
        Field::DecisivePly => M::DecisivePly,
        Field::Ruling => M::Ruling,
        Field::Penalty => M::Penalty,
        Field::Effects => M::Effects,
        Field::Claimable => M::Claimable,
        Field::Obligations => M::Obligations,
        Field::MissingFacts => M::MissingFacts,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::convert::{RulesetReader, Rulesets, adjudicate};

    fn desk() -> Desk {
        Desk {
            rulesets: RulesetReader::new(Arc::new(Rulesets::built_in().unwrap())),
            language: v1::Language::En,
            stop: Arc::default(),
        }
    }

    /// Each ruleset reads what the record tells of its end by itself: the order of the rulesets says nothing, and each
    /// answers what it answers alone.
    #[test]
    fn a_record_is_read_by_each_ruleset_in_whatever_order() {
        let pgn = "[FEN \"4k3/8/8/8/8/8/8/R3K3 w - - 99 80\"]\n[SetUp \"1\"]\n[Result \"1/2-1/2\"]\n\n80. Ra2 1/2-1/2\n";
        let ids = ["fide-2023", "club", "online-platform"];
        let alone = ids.map(|id| {
            let request = v1::AdjudicateRequest {
                ruleset: id.into(),
                game: Some(v1::adjudicate_request::Game::Pgn(pgn.into())),
                ..Default::default()
            };
            adjudicate(&desk(), &request).unwrap()
        });
        assert_eq!(alone[0].rulings[0].code, "ClaimUpheld");
        assert_eq!(alone[1].rulings[1].code, "Agreed");
        for order in [[0, 1, 2], [1, 0, 2], [2, 1, 0]] {
            let request = v1::CompareRulingsRequest {
                rulesets: order.map(|at: usize| ids[at].to_owned()).to_vec(),
                game: Some(Game::Pgn(pgn.into())),
                ..Default::default()
            };
            let compared = compare_rulings(&desk(), &request).unwrap();
            for (place, &at) in order.iter().enumerate() {
                let answer = &compared.answers[place];
                assert_eq!(answer.contradictions, alone[at].contradictions, "{order:?}");
                assert_eq!(answer.result, alone[at].result, "{order:?}");
                assert_eq!(answer.termination, alone[at].termination, "{order:?}");
            }
            let named =
                |field: v1::DifferenceField| compared.differences.iter().any(|one| one.field() == field);
            assert!(named(v1::DifferenceField::Termination), "{order:?}");
        }
    }

    /// The time control of a record, or of the request, says which part of the laws governs the game (A.6, B.4), and in
    /// which period a clock is.
    #[test]
    fn a_record_s_time_control_is_heard() {
        let tagged = |tag: &str| {
            format!("{tag}[Result \"*\"]\n\n1. e4 {{[%clk 0:00:50]}} e5 2. Nf3 {{[%clk 0:01:15]}} *\n")
        };
        let decide = |pgn: String, time_control: Option<v1::TimeControl>| {
            let request = v1::AdjudicateRequest {
                game: Some(v1::adjudicate_request::Game::Pgn(pgn)),
                time_control,
                ..Default::default()
            };
            adjudicate(&desk(), &request).unwrap()
        };
        let period = |moves, seconds| v1::Period {
            moves,
            time: Some(prost_types::Duration { seconds, nanos: 0 }),
            ..Default::default()
        };
        let asked = || {
            let periods = vec![period(1, 60), period(0, 120)];
            Some(v1::TimeControl { periods })
        };
        let by_tag = decide(tagged("[TimeControl \"1/60:120\"]\n"), None);
        let by_request = decide(tagged(""), asked());
        for answer in [&by_tag, &by_request] {
            assert_eq!(answer.time_category(), v1::TimeCategory::Blitz);
            let facts: Vec<_> = answer
                .missing_facts
                .iter()
                .map(|missing| missing.fact.as_str())
                .collect();
            assert_eq!(facts, ["ruleset"]);
            let clock = answer.recorded.as_ref().and_then(|record| record.white_clock);
            assert_eq!(clock.map(|clock| clock.period), Some(2));
            // Nobody followed the clocks themselves.
            assert!(answer.clocks.is_none());
        }
        assert_eq!(decide(tagged(""), None).missing_facts, []);
    }
}
