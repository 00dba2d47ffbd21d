use tabiya_arbiter::{
    ruleset::Switches,
    standings::{
        Contest, ContestError, Edition, Field, Fraction, Rules, Scheme, Spec, System, TeamEvent, Unit,
        default_primary, default_tie_breaks,
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
        out_of_bounds(request, &contest, error, &mut violations);
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
        path.refuse(&rules.list[index].to_string(), error, &mut violations);
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

/// Names the field that keeps an event from being within its bounds, and what it holds.
fn out_of_bounds(
    request: &v1::StandingsRequest,
    contest: &Contest,
    error: ContestError,
    violations: &mut Violations,
) {
    let sent = match &request.event {
        Some(Event::Contest(sent)) => Some(sent),
        _ => None,
    };
    let (field, value) = match (error, sent) {
        // Named where they are read. What could not be read counts as nothing, and breaks no bound of its own.
        (ContestError::Points | ContestError::Order, _) if !violations.is_empty() => return,
        (ContestError::TooManyRounds, Some(sent)) if sent.rounds as usize >= contest.played() => {
            ("contest.rounds".to_owned(), sent.rounds.to_string())
        }
        (ContestError::TooManyRounds | ContestError::TooManyPlayers, Some(sent)) => {
            ("contest.players".to_owned(), sent.players.len().to_string())
        }
        (ContestError::TooManyTeams, Some(sent)) => {
            ("contest.teams".to_owned(), sent.teams.len().to_string())
        }
        (ContestError::Extra, Some(sent)) => {
            let over = contest.people.iter().zip(&contest.extra);
            let over = over.filter(|(_, extra)| !Contest::may_be_extra(**extra));
            let numbers: Vec<u32> = over.map(|(person, _)| person.number).collect();
            let last = sent
                .adjustments
                .iter()
                .rposition(|given| numbers.contains(&given.player));
            let points = last.map(|place| sent.adjustments[place].points.clone());
            (
                format!("contest.adjustments[{}].points", last.unwrap_or_default()),
                points.unwrap_or_default(),
            )
        }
        _ => (source(request).to_owned(), String::new()),
    };
    violations.add(field, &value, error);
}

/// What a field says that a result is worth, and what that comes to.
type Worth<'a> = (String, &'a str, Fraction);

/// Checks what results are worth, the first three of them a win, a draw and a loss.
fn check_worth(list: &[Worth<'_>], violations: &mut Violations) {
    let before = violations.kept().len() + violations.others();
    for (field, text, points) in list {
        // What is not said follows from the rest.
        if !text.is_empty() && !Contest::may_be_worth(*points) {
            violations.add(field.as_str(), text, ContestError::Points);
        }
    }
    if violations.kept().len() + violations.others() > before {
        return;
    }
    for pair in list[..3].windows(2).filter(|pair| pair[0].2 < pair[1].2) {
        // The better result, unless only the other is said.
        let (field, text, _) = &pair[usize::from(pair[0].1.is_empty())];
        violations.add(field.as_str(), text, ContestError::Order);
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
    let before = violations.kept().len() + violations.others();
    let mut read = |text: &str, field: &str, default: Fraction| match text {
        "" => default,
        _ => fraction(text, format!("points.{field}"), violations),
    };
    let win = read(&points.win, "win", Scheme::STANDARD.win);
    let draw = read(&points.draw, "draw", Scheme::STANDARD.draw);
    let scheme = Scheme {
        win,
        draw,
        loss: read(&points.loss, "loss", Fraction::ZERO),
        absence: read(&points.absence, "absence", Fraction::ZERO),
        allocated_bye: read(&points.allocated_bye, "allocated_bye", win),
        unfinished: read(&points.unfinished, "unfinished", draw),
    };
    if violations.kept().len() + violations.others() == before {
        let list = [
            ("win", &points.win, scheme.win),
            ("draw", &points.draw, scheme.draw),
            ("loss", &points.loss, scheme.loss),
            ("absence", &points.absence, scheme.absence),
            ("allocated_bye", &points.allocated_bye, scheme.allocated_bye),
            ("unfinished", &points.unfinished, scheme.unfinished),
        ];
        check_worth(
            &list.map(|(name, text, points)| (format!("points.{name}"), text.as_str(), points)),
            violations,
        );
    }
    scheme
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
        // What nobody is scored by is checked all the same, so that a slip shows.
        if let Some(asked) = asked {
            match_points(asked, TeamEvent::MATCH_POINTS, violations);
            if asked.boards > MAX_BOARDS {
                too_many_boards(asked.boards, violations);
            }
        }
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
    teams.match_points = match_points(asked, teams.match_points, violations);
    match asked.boards {
        0 => {}
        boards @ 1..=MAX_BOARDS if (boards as usize) < teams.boards_per_match => violations.add(
            "team_scoring.boards",
            &boards.to_string(),
            format!("less than the {} that were occupied", teams.boards_per_match),
        ),
        boards @ 1..=MAX_BOARDS => teams.boards_per_match = boards as usize,
        boards => too_many_boards(boards, violations),
    }
}

/// What matches are worth as a request says, else as they were.
fn match_points(
    asked: &v1::TeamScoring,
    mut points: [Fraction; 3],
    violations: &mut Violations,
) -> [Fraction; 3] {
    let before = violations.kept().len() + violations.others();
    let texts = [
        ("team_scoring.match_win", asked.match_win.as_str()),
        ("team_scoring.match_draw", asked.match_draw.as_str()),
        ("team_scoring.match_loss", asked.match_loss.as_str()),
    ];
    for (worth, (field, text)) in points.iter_mut().zip(texts) {
        if !text.is_empty() {
            *worth = fraction(text, field, violations);
        }
    }
    if violations.kept().len() + violations.others() == before {
        let list = texts.iter().zip(points);
        let list: Vec<Worth<'_>> = list
            .map(|((field, text), points)| ((*field).to_owned(), *text, points))
            .collect();
        check_worth(&list, violations);
    }
    points
}

fn too_many_boards(boards: u32, violations: &mut Violations) {
    violations.add(
        "team_scoring.boards",
        &boards.to_string(),
        format!("more than {MAX_BOARDS}"),
    );
}

/// Where a tie-break is named: a field, and the line of a report file in it.
#[derive(Clone, Debug, Default)]
struct Place {
    field: String,
    line: Option<usize>,
}

impl Place {
    fn refuse(&self, value: &str, reason: impl std::fmt::Display, violations: &mut Violations) {
        let reason = match self.line {
            Some(line) => format!("line {line}: {reason}"),
            None => reason.to_string(),
        };
        violations.add(self.field.as_str(), value, reason);
    }
}

/// The tie-breaks to apply, each with the place that names it.
fn tie_breaks(
    request: &v1::StandingsRequest,
    switches: &Switches,
    report: Option<&Report>,
    field: &Field,
    violations: &mut Violations,
) -> (Vec<Spec>, Vec<Place>) {
    if request.without_tie_breaks {
        if !request.tie_breaks.is_empty() {
            violations.add("without_tie_breaks", "true", "tie-breaks are named as well");
        }
        return (Vec::new(), Vec::new());
    }
    let named = || request.tie_breaks.iter().enumerate();
    let from_report = || report.and_then(Report::tie_breaks);
    let place = |field: String, line| Place { field, line };
    let names: Vec<(Place, String)> = if !request.tie_breaks.is_empty() {
        named()
            .map(|(index, name)| (place(format!("tie_breaks[{index}]"), None), name.clone()))
            .collect()
    } else if let Some((line, names)) = from_report() {
        names
            .into_iter()
            .map(|name| (place("trf".to_owned(), Some(line)), name.to_owned()))
            .collect()
    } else {
        let default = default_tie_breaks(switches, field.system, field.teams);
        default
            .iter()
            .map(|spec| (place("tie_breaks".to_owned(), None), spec.to_string()))
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
            Err(error) => path.refuse(&name, error, violations),
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

#[cfg(test)]
mod tests;
