use tabiya_arbiter::{
    ruleset::Switches,
    standings::{
        Contest, Edition, Field, Fraction, Rules, Scheme, Spec, System, Unit, default_primary,
        default_tie_breaks,
        trf::{Header, Report, too_wide_texts},
    },
    words::Language,
};

use super::{
    contest::{header, read_contest},
    ratings::{ClubTask, RatingTask, club_task, rating_task},
};
use crate::{
    convert::{Desk, adjudicate::spoken, enumeration::enumeration, ruleset::Chosen},
    error::{ServiceError, Violations},
    v1::{self, standings_request::Event},
};

/// Greatest number of tie-breaks.
const MAX_TIE_BREAKS: usize = 32;

/// Greatest number of boards of a match.
const MAX_BOARDS: u32 = 64;

/// Greatest rating that an unrated player may count as.
const MAX_RATING: u32 = 4_000;

/// An event to rank, checked.
#[derive(Clone, Debug)]
pub struct StandingsQuestion {
    pub(super) chosen: Chosen,
    pub(super) language: Language,
    /// The report that was sent, if one was.
    pub(super) report: Option<Report>,
    pub(super) header: Header,
    pub(super) contest: Contest,
    pub(super) field: Field,
    pub(super) rules: Rules,
    pub(super) own_points: bool,
    pub(super) place_points: Option<Vec<Fraction>>,
    pub(super) ratings: Option<RatingTask>,
    pub(super) club: Option<ClubTask>,
    pub(super) include_trf: bool,
}

/// Checks a request to rank an event.
///
/// # Errors
/// INVALID_ARGUMENT for what cannot be right, with the paths of the fields; errors in a report file name line and column.
pub fn standings_question(
    desk: &Desk,
    request: &v1::StandingsRequest,
) -> Result<StandingsQuestion, ServiceError> {
    let chosen = desk
        .rulesets
        .choose(&request.ruleset, &request.ruleset_toml, &request.overrides)?;
    let ruleset = &chosen.ruleset;
    let mut violations = Violations::default();
    let language = spoken(desk, request.language, &mut violations);
    let edition = match enumeration(request.edition, "edition", &mut violations) {
        v1::TieBreakEdition::Fide2017 => Edition::Fide2017,
        v1::TieBreakEdition::Fide2024 => Edition::Fide2024,
        v1::TieBreakEdition::Unspecified | v1::TieBreakEdition::Fide2026 => Edition::Fide2026,
    };
    let (report, header, mut contest) = event(request, &mut violations)?;
    match enumeration(request.pairing_system, "pairing_system", &mut violations) {
        v1::PairingSystem::Unspecified => {}
        v1::PairingSystem::Swiss => contest.system = System::Swiss,
        v1::PairingSystem::RoundRobin => contest.system = System::RoundRobin,
    }
    if let Some(points) = &request.points {
        contest.scheme = scheme(points, &mut violations);
    }
    score_teams(
        request.team_scoring.as_ref(),
        report.as_ref().and_then(Report::primary),
        &ruleset.switches,
        &mut contest,
        &mut violations,
    );
    if let Err(error) = contest.check_bounds() {
        violations.add(source(request), "", error);
    }
    if contest.people.is_empty() && violations.is_empty() {
        match &request.event {
            Some(Event::Trf(text)) => violations.add("trf", text, "holds no player: no line begins with 001"),
            _ => violations.add("contest.players", "", "missing"),
        }
    }
    if !violations.is_empty() {
        return Err(violations.into());
    }

    let field = contest.field();
    let (list, paths) = tie_breaks(
        request,
        &ruleset.switches,
        report.as_ref(),
        &field,
        &mut violations,
    );
    let mut rules = Rules::of(list, edition);
    rules.forfeits_count = !request.exclude_forfeits;
    rules.unrated = request.unrated_rating;
    if let Some(rating) = request
        .unrated_rating
        .filter(|rating| *rating == 0 || *rating > MAX_RATING)
    {
        violations.add(
            "unrated_rating",
            &rating.to_string(),
            format!("not from 1 to {MAX_RATING}"),
        );
    }
    if let Some(teams) = &contest.teams {
        rules.greatest_match = contest.scheme.win * teams.board_count();
    }
    if let Err((index, error)) = rules.check(&field) {
        let path = paths.get(index).cloned().unwrap_or_default();
        violations.add(path, &rules.list[index].to_string(), error);
    }
    let place_points = place_points(&request.place_points, field.entries.len(), &mut violations);
    let ratings = request.ratings.as_ref();
    let ratings = ratings.map(|asked| rating_task(asked, &contest, &header, &mut violations));
    let club = request
        .club
        .as_ref()
        .map(|asked| club_task(asked, &contest, &mut violations));
    if request.include_trf && report.is_none() && contest.teams.is_some() {
        violations.add(
            "include_trf",
            "true",
            "report files with teams are read, but not made",
        );
    }
    if request.include_trf && report.is_none() {
        check_columns(&contest, &mut violations);
    }
    if !violations.is_empty() {
        return Err(violations.into());
    }
    Ok(StandingsQuestion {
        chosen,
        language,
        report,
        header,
        contest,
        field,
        rules,
        own_points: request.points.is_some(),
        place_points,
        ratings,
        club,
        include_trf: request.include_trf,
    })
}

/// Checks that the texts on players fit into a report file.
fn check_columns(contest: &Contest, violations: &mut Violations) {
    for (index, person) in contest.people.iter().enumerate() {
        for (field, value, width) in too_wide_texts(person) {
            let reason = format!("more than the {width} characters that a report file has for it");
            violations.add(format!("contest.players[{index}].{field}"), value, reason);
        }
    }
}

/// The name of the field that the event came in.
fn source(request: &v1::StandingsRequest) -> &'static str {
    match request.event {
        Some(Event::Trf(_)) => "trf",
        _ => "contest",
    }
}

fn event(
    request: &v1::StandingsRequest,
    violations: &mut Violations,
) -> Result<(Option<Report>, Header, Contest), ServiceError> {
    match &request.event {
        None => {
            violations.add("event", "", "either `contest` or `trf` is needed");
            Err(std::mem::take(violations).into())
        }
        Some(Event::Contest(contest)) => {
            let header = header(contest.info.as_ref(), violations);
            let contest = read_contest(contest, violations);
            Ok((None, header, contest))
        }
        Some(Event::Trf(text)) => match Report::read(text) {
            Ok(report) => {
                let (header, contest) = (report.header().clone(), report.contest().clone());
                Ok((Some(report), header, contest))
            }
            Err(errors) => {
                for error in errors.kept() {
                    let place = format!(
                        "line {}, column {}, {}: {}",
                        error.line, error.column, error.field, error.reason
                    );
                    violations.add("trf", &error.value, place);
                }
                Err(std::mem::take(violations).into())
            }
        },
    }
}

/// Reads an exact number from a field; zero, with a violation, if it is none.
pub(super) fn fraction(text: &str, field: impl Into<String>, violations: &mut Violations) -> Fraction {
    Fraction::parse(text).unwrap_or_else(|error| {
        violations.add(field, text, error);
        Fraction::ZERO
    })
}

fn scheme(points: &v1::PointScheme, violations: &mut Violations) -> Scheme {
    let mut read = |text: &str, field: &str, default: Fraction| match text {
        "" => default,
        _ => fraction(text, format!("points.{field}"), violations),
    };
    let win = read(&points.win, "win", Scheme::STANDARD.win);
    let draw = read(&points.draw, "draw", Scheme::STANDARD.draw);
    Scheme {
        win,
        draw,
        loss: read(&points.loss, "loss", Fraction::ZERO),
        absence: read(&points.absence, "absence", Fraction::ZERO),
        allocated_bye: read(&points.allocated_bye, "allocated_bye", win),
        unfinished: read(&points.unfinished, "unfinished", draw),
    }
}

/// How teams are scored: as the request says, else as the report file does (`named`), else by the ruleset.
fn score_teams(
    asked: Option<&v1::TeamScoring>,
    named: Option<Unit>,
    switches: &Switches,
    contest: &mut Contest,
    violations: &mut Violations,
) {
    let primary = asked.map(|asked| enumeration(asked.primary, "team_scoring.primary", violations));
    let Some(teams) = &mut contest.teams else {
        return;
    };
    teams.primary = match primary.unwrap_or_default() {
        v1::TeamScore::Unspecified => named.unwrap_or_else(|| default_primary(switches)),
        v1::TeamScore::MatchPoints => Unit::Match,
        v1::TeamScore::GamePoints => Unit::Game,
    };
    let Some(asked) = asked else {
        return;
    };
    let texts = [&asked.match_win, &asked.match_draw, &asked.match_loss];
    for (index, (text, name)) in texts
        .into_iter()
        .zip(["match_win", "match_draw", "match_loss"])
        .enumerate()
    {
        if !text.is_empty() {
            teams.match_points[index] = fraction(text, format!("team_scoring.{name}"), violations);
        }
    }
    match asked.boards {
        0 => {}
        boards @ 1..=MAX_BOARDS if (boards as usize) < teams.boards_per_match => violations.add(
            "team_scoring.boards",
            &boards.to_string(),
            format!("less than the {} that were occupied", teams.boards_per_match),
        ),
        boards @ 1..=MAX_BOARDS => teams.boards_per_match = boards as usize,
        boards => violations.add(
            "team_scoring.boards",
            &boards.to_string(),
            format!("more than {MAX_BOARDS}"),
        ),
    }
}

/// The tie-breaks to apply, each with the path of the field that names it.
fn tie_breaks(
    request: &v1::StandingsRequest,
    switches: &Switches,
    report: Option<&Report>,
    field: &Field,
    violations: &mut Violations,
) -> (Vec<Spec>, Vec<String>) {
    if request.without_tie_breaks {
        if !request.tie_breaks.is_empty() {
            violations.add("without_tie_breaks", "true", "tie-breaks are named as well");
        }
        return (Vec::new(), Vec::new());
    }
    let named = || request.tie_breaks.iter().enumerate();
    let from_report = || report.and_then(Report::tie_breaks);
    let names: Vec<(String, String)> = if !request.tie_breaks.is_empty() {
        named()
            .map(|(index, name)| (format!("tie_breaks[{index}]"), name.clone()))
            .collect()
    } else if let Some((line, names)) = from_report() {
        names
            .into_iter()
            .map(|name| (format!("trf: line {line}"), name.to_owned()))
            .collect()
    } else {
        let default = default_tie_breaks(switches, field.system, field.teams);
        default
            .iter()
            .map(|spec| ("tie_breaks".to_owned(), spec.to_string()))
            .collect()
    };
    if names.len() > MAX_TIE_BREAKS {
        violations.add(
            "tie_breaks",
            &names.len().to_string(),
            format!("more than {MAX_TIE_BREAKS}"),
        );
        return (Vec::new(), Vec::new());
    }
    let mut list = (Vec::new(), Vec::new());
    for (path, name) in names {
        match Spec::parse(&name) {
            Ok(spec) => {
                list.0.push(spec);
                list.1.push(path);
            }
            Err(error) => violations.add(path, &name, error),
        }
    }
    list
}

fn place_points(texts: &[String], participants: usize, violations: &mut Violations) -> Option<Vec<Fraction>> {
    if texts.is_empty() {
        return None;
    }
    if texts.len() > participants {
        let reason = format!("more than the {participants} participants");
        violations.add("place_points", &texts.len().to_string(), reason);
        return None;
    }
    let points = texts.iter().enumerate();
    let read = points.map(|(index, text)| fraction(text, format!("place_points[{index}]"), violations));
    Some(read.collect())
}
