use tabiya_arbiter::{
    ruleset::Rule,
    standings::{
        Fraction, Standing, Table, Unit, Value, awards, table, table_until,
        trf::{self, WriteError},
    },
};

use super::question::StandingsQuestion;
use crate::convert::{Desk, room::Room};
use crate::{
    error::ServiceError,
    v1::{self, tie_break_value},
};

/// Ranks an event.
///
/// # Errors
/// INVALID_ARGUMENT if a report file was asked for and a value does not fit into its columns, or if the answer would be too
/// long; DEADLINE_EXCEEDED if the desk was told to stop.
pub fn standings_response(
    desk: &Desk,
    question: &StandingsQuestion,
) -> Result<v1::StandingsResponse, ServiceError> {
    let StandingsQuestion {
        chosen,
        contest,
        field,
        rules,
        ..
    } = question;
    let ranked = table_until(field, rules, &desk.stop).ok_or(ServiceError::DeadlineExceeded)?;
    let source = match &question.report {
        Some(_) => "trf",
        None => "contest",
    };
    let room = Room::new(&desk.stop, source, contest.people.len());
    let worth = question
        .place_points
        .as_ref()
        .map(|places| awards(&ranked, places));
    let row = |(index, standing): (usize, &Standing)| {
        let mut row = row(question, standing);
        row.place_points = worth.as_ref().map(|worth| exact(worth[index]));
        room.place(row)
    };
    let ratings = match &question.ratings {
        Some(task) => task
            .rows(contest)
            .map(|row| room.place(row))
            .collect::<Result<_, _>>()?,
        None => Vec::new(),
    };
    let discrepancies = question.report.iter().flat_map(|report| report.discrepancies());
    let discrepancy = |found: trf::Discrepancy| v1::PointsDiscrepancy {
        line: u32::try_from(found.line).unwrap_or(u32::MAX),
        number: contest.people[found.player].number,
        claimed: Some(exact(found.claimed)),
        computed: Some(exact(found.computed)),
    };
    room.whole(v1::StandingsResponse {
        ruleset: chosen.ruleset.id.clone(),
        ruleset_version: chosen.ruleset.version.clone(),
        ruleset_source: chosen.source.into(),
        overridden: chosen.overridden.clone(),
        edition: rules.edition.name().into(),
        teams: field.teams,
        score_title: score_title(question).into(),
        score_citation: score_citation(question),
        columns: columns(question, &ranked),
        rows: ranked
            .standings
            .iter()
            .enumerate()
            .map(row)
            .collect::<Result<_, _>>()?,
        ties_left: ranked
            .standings
            .iter()
            .any(|standing| standing.place != standing.last_place),
        ratings,
        rating_edition: question
            .ratings
            .as_ref()
            .map(|task| task.edition().into())
            .unwrap_or_default(),
        club: question
            .club
            .as_ref()
            .map(|task| task.rows(contest))
            .unwrap_or_default(),
        trf: if question.include_trf {
            report(question, &ranked)?
        } else {
            String::new()
        },
        discrepancies: discrepancies.map(discrepancy).collect(),
    })
}

/// An exact number on the wire.
pub(super) fn exact(number: Fraction) -> v1::ExactNumber {
    v1::ExactNumber {
        exact: number.to_string(),
        decimal: number.decimal(2),
    }
}

fn score_title(question: &StandingsQuestion) -> &'static str {
    match (question.field.teams, question.field.primary) {
        (false, _) => question.language.pick("Points", "积分"),
        (true, Unit::Match) => question.language.pick("Match points", "场分"),
        (true, Unit::Game) => question.language.pick("Game points", "局分"),
    }
}

/// The first article on points.
fn score_citation(question: &StandingsQuestion) -> Option<v1::Citation> {
    let ruleset = &question.chosen.ruleset;
    if question.own_points {
        return None;
    }
    let number = ruleset.articles_of(Rule::Score).first()?;
    let text = ruleset.articles.get(number)?;
    Some(v1::Citation {
        ruleset: ruleset.id.clone(),
        article: number.clone(),
        text_en: text.en.clone(),
        text_zh: text.zh.clone(),
    })
}

fn columns(question: &StandingsQuestion, ranked: &Table) -> Vec<v1::TieBreakColumn> {
    let column = |(index, spec): (usize, &tabiya_arbiter::standings::Spec)| {
        let info = spec.code.info();
        v1::TieBreakColumn {
            code: spec.to_string(),
            title: question.language.pick(info.title_en, info.title_zh).into(),
            explanation: question.language.pick(info.about_en, info.about_zh).into(),
            article: info.article(question.rules.edition).unwrap_or_default().into(),
            is_void: ranked.void.contains(&index),
        }
    };
    question.rules.list.iter().enumerate().map(column).collect()
}

fn row(question: &StandingsQuestion, standing: &Standing) -> v1::StandingsRow {
    let StandingsQuestion {
        contest,
        field,
        rules,
        ..
    } = question;
    let name = match &contest.teams {
        Some(teams) => teams.teams[standing.entry].name.clone(),
        None => contest.people[standing.entry].name.clone(),
    };
    let score = |unit| Some(exact(field.score(standing.entry, unit)));
    v1::StandingsRow {
        number: field.entries[standing.entry].number,
        name,
        place: standing.place,
        last_place: standing.last_place,
        score: Some(exact(standing.score)),
        values: standing
            .values
            .iter()
            .map(|value| tie_break_value(*value))
            .collect(),
        decided_by: standing
            .decided_by
            .map(|index| rules.list[index].to_string())
            .unwrap_or_default(),
        place_points: None,
        team_points: field.teams.then(|| v1::TeamPoints {
            match_points: score(Unit::Match),
            game_points: score(Unit::Game),
        }),
    }
}

fn tie_break_value(value: Value) -> v1::TieBreakValue {
    v1::TieBreakValue {
        value: match value {
            Value::Number(number) => Some(tie_break_value::Value::Number(exact(number))),
            Value::Order(place) => Some(tie_break_value::Value::Order(place)),
            Value::Absent => None,
        },
    }
}

/// The report file: the one that was sent with new points and ranks, or a new one.
///
/// In a team event the records of players get the players' points; their ranks are those among the players.
fn report(question: &StandingsQuestion, ranked: &Table) -> Result<String, ServiceError> {
    let contest = &question.contest;
    let wide = |player: usize, field: &str| {
        let reason = format!("does not fit into the columns of {field} in a report file");
        ServiceError::invalid(
            format!("contest.players[{player}]"),
            &contest.people[player].number.to_string(),
            reason,
        )
    };
    let Some(report) = &question.report else {
        return trf::write(&question.header, contest, ranked).map_err(|error| match error {
            WriteError::TooWide { player, field } => wide(player, field),
            WriteError::Points => ServiceError::invalid("points", "", error),
            WriteError::Teams => ServiceError::invalid("include_trf", "true", error),
        });
    };
    let mut report = report.clone();
    let players = contest.player_field();
    let among_players;
    let ranked = if contest.teams.is_some() {
        let rules = tabiya_arbiter::standings::Rules::of(Vec::new(), question.rules.edition);
        among_players = table(&players, &rules);
        &among_players
    } else {
        ranked
    };
    for standing in &ranked.standings {
        let points = trf::points_text(standing.score).ok_or_else(|| wide(standing.entry, "points"))?;
        report.set_result(standing.entry, &points, standing.place);
    }
    Ok(report.text())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::convert::{RulesetReader, Rulesets, standings_question};

    fn desk(rulesets: Rulesets) -> Desk {
        Desk {
            rulesets: RulesetReader::new(Arc::new(rulesets)),
            language: v1::Language::En,
            stop: Arc::default(),
        }
    }

    /// Two players who have not met.
    fn contest() -> v1::Contest {
        let player = |number| v1::ContestPlayer {
            number,
            ..Default::default()
        };
        v1::Contest {
            players: vec![player(1), player(2)],
            ..Default::default()
        }
    }

    /// A ruleset of the house ranks as the one it builds on, and cites the same article on points.
    #[test]
    fn a_ruleset_of_the_house_keeps_the_practice_that_it_builds_on() {
        let mut rulesets = Rulesets::built_in().unwrap();
        for (id, base, switches) in [
            ("ours", "cn-domestic", ""),
            (
                "theirs",
                "cn-domestic",
                "[switches]\ntie_breaks_round_robin = \"\"\n",
            ),
            ("fide-like", "popular", ""),
        ] {
            let text = format!(
                "id = \"{id}\"\nversion = \"1\"\ntitle_en = \"House\"\ntitle_zh = \"本店\"\nbase = \"{base}\"\n{switches}"
            );
            rulesets.add_file(&format!("{id}.toml"), &text).unwrap();
        }
        let desk = desk(rulesets);
        let ranked = |ruleset: &str| {
            let request = v1::StandingsRequest {
                ruleset: ruleset.into(),
                pairing_system: v1::PairingSystem::RoundRobin.into(),
                event: Some(v1::standings_request::Event::Contest(contest())),
                ..Default::default()
            };
            let question = standings_question(&desk, &request).unwrap();
            let answer = standings_response(&desk, &question).unwrap();
            let columns: Vec<_> = answer.columns.into_iter().map(|column| column.code).collect();
            let cited = answer.score_citation.map(|cited| cited.article);
            (columns.join(" "), cited.unwrap_or_default())
        };
        let expected = |columns: &str, cited: &str| (columns.to_owned(), cited.to_owned());
        assert_eq!(ranked("cn-domestic"), expected("SMALL", "17"));
        assert_eq!(ranked("ours"), expected("SMALL", "17"));
        assert_eq!(ranked("theirs"), expected("", "17"));
        // No identifier makes it FIDE's, and the popular rules have no article on points.
        assert_eq!(ranked("fide-like"), expected("", ""));
        assert_eq!(ranked("fide-2023-blitz-b2"), expected("DE SB KS", "10.1"));
    }

    /// Switches changed and rulesets sent along count here as they do for games.
    #[test]
    fn overrides_decide_and_are_told() {
        let desk = desk(Rulesets::built_in().unwrap());
        let set = |name: &str, value: &str| v1::SwitchOverride {
            name: name.into(),
            value: value.into(),
        };
        let mut request = v1::StandingsRequest {
            event: Some(v1::standings_request::Event::Contest(contest())),
            overrides: vec![set("tie_breaks_swiss", "SB, KS")],
            ..Default::default()
        };
        let answer = standings_response(&desk, &standings_question(&desk, &request).unwrap()).unwrap();
        let columns: Vec<_> = answer.columns.iter().map(|column| column.code.as_str()).collect();
        assert_eq!(columns, ["SB", "KS"]);
        assert_eq!(answer.overridden, request.overrides);
        assert_eq!(answer.ruleset_source(), v1::RulesetSource::BuiltIn);
        request.overrides = vec![set("tie_break_swiss", "SB")];
        let refused = standings_question(&desk, &request).unwrap_err();
        let ServiceError::Invalid(violations) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(violations.kept()[0].field, "overrides[0].name");
        request.overrides = Vec::new();
        let head = "id = \"house\"\nversion = \"1\"\ntitle_en = \"House\"\ntitle_zh = \"本店\"\nbase = \"popular\"\n";
        request.ruleset_toml = format!("{head}[switches]\ntie_breaks_swiss = \"SB\"\n");
        let answer = standings_response(&desk, &standings_question(&desk, &request).unwrap()).unwrap();
        assert_eq!(answer.ruleset_source(), v1::RulesetSource::Request);
        assert_eq!((answer.ruleset.as_str(), answer.columns.len()), ("house", 1));
    }
}
