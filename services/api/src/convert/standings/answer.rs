use tabiya_arbiter::standings::{
    Fraction, Standing, Table, Unit, Value, awards, table,
    trf::{self, WriteError},
};

use super::question::StandingsQuestion;
use crate::{
    error::ServiceError,
    v1::{self, tie_break_value},
};

/// Ranks an event.
///
/// # Errors
/// INVALID_ARGUMENT if a report file was asked for and a number does not fit into its columns.
pub fn standings_response(question: &StandingsQuestion) -> Result<v1::StandingsResponse, ServiceError> {
    let StandingsQuestion {
        ruleset,
        contest,
        field,
        rules,
        ..
    } = question;
    let ranked = table(field, rules);
    let worth = question
        .place_points
        .as_ref()
        .map(|places| awards(&ranked, places));
    let row = |(index, standing): (usize, &Standing)| {
        let mut row = row(question, standing);
        row.place_points = worth.as_ref().map(|worth| exact(worth[index]));
        row
    };
    let discrepancies = question.report.iter().flat_map(|report| report.discrepancies());
    let discrepancy = |found: trf::Discrepancy| v1::PointsDiscrepancy {
        line: u32::try_from(found.line).unwrap_or(u32::MAX),
        number: contest.people[found.player].number,
        claimed: Some(exact(found.claimed)),
        computed: Some(exact(found.computed)),
    };
    Ok(v1::StandingsResponse {
        ruleset: ruleset.id.clone(),
        ruleset_version: ruleset.version.clone(),
        edition: rules.edition.name().into(),
        teams: field.teams,
        score_title: score_title(question).into(),
        score_citation: score_citation(question),
        columns: columns(question, &ranked),
        rows: ranked.standings.iter().enumerate().map(row).collect(),
        ties_left: ranked
            .standings
            .iter()
            .any(|standing| standing.place != standing.last_place),
        ratings: question
            .ratings
            .as_ref()
            .map(|task| task.rows(contest))
            .unwrap_or_default(),
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

/// The article on points: 10.1 or 10 of the FIDE Laws, 17 of the older Chinese code.
fn score_citation(question: &StandingsQuestion) -> Option<v1::Citation> {
    let ruleset = &question.ruleset;
    if question.own_points {
        return None;
    }
    let article = ["10.1", "10", "17"]
        .iter()
        .filter(|number| **number != "10.1" || ruleset.id.starts_with("fide"));
    let (number, text) = article
        .filter_map(|number| Some((number, ruleset.articles.get(number)?)))
        .next()?;
    Some(v1::Citation {
        ruleset: ruleset.id.clone(),
        article: (*number).to_owned(),
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
