//! What is refused names the element at fault and what it holds, once.

use std::sync::Arc;

use super::*;
use crate::convert::{RulesetReader, Rulesets};

fn refused(change: impl Fn(&mut v1::StandingsRequest, &mut v1::Contest)) -> Vec<(String, String, String)> {
    let desk = Desk {
        rulesets: RulesetReader::new(Arc::new(Rulesets::built_in().unwrap())),
        language: v1::Language::En,
        stop: Arc::default(),
    };
    let player = |number| v1::ContestPlayer {
        number,
        ..Default::default()
    };
    let mut contest = v1::Contest {
        players: vec![player(1), player(2)],
        ..Default::default()
    };
    let mut request = v1::StandingsRequest::default();
    change(&mut request, &mut contest);
    request.event.get_or_insert(Event::Contest(contest));
    let error = standings_question(&desk, &request).err();
    let kept = error.map_or(Vec::new(), |error| match error {
        ServiceError::Invalid(violations) => violations.kept().to_vec(),
        other => panic!("{other}"),
    });
    let told = kept.into_iter();
    told.map(|told| (told.field, told.value, told.reason)).collect()
}

fn named(change: impl Fn(&mut v1::StandingsRequest, &mut v1::Contest)) -> Vec<(String, String)> {
    let all = refused(change).into_iter();
    all.map(|(field, value, _)| (field, value)).collect()
}

fn one(field: &str, value: &str) -> Vec<(String, String)> {
    vec![(field.to_owned(), value.to_owned())]
}

#[test]
fn points_are_refused_by_their_own_field() {
    let points =
        |change: fn(&mut v1::PointScheme)| named(|request, _| change(request.points.get_or_insert_default()));
    assert_eq!(points(|points| points.win = "-1".into()), one("points.win", "-1"));
    assert_eq!(
        points(|points| points.allocated_bye = "1001".into()),
        one("points.allocated_bye", "1001")
    );
    // A win is worth 1 and a draw ½ unless something else is said.
    assert_eq!(points(|points| points.win = "0".into()), one("points.win", "0"));
    assert_eq!(points(|points| points.draw = "2".into()), one("points.draw", "2"));
    assert_eq!(points(|points| points.loss = "3".into()), one("points.loss", "3"));
    // What is no number is no less than a draw, too.
    assert_eq!(
        points(|points| points.win = "NaN".into()),
        one("points.win", "NaN")
    );
    assert_eq!(points(|points| points.win = "3".into()), []);
}

#[test]
fn sizes_are_refused_by_their_own_field() {
    let many = |contest: &mut v1::Contest, count| {
        contest.players = (1..=count)
            .map(|number| v1::ContestPlayer {
                number,
                ..Default::default()
            })
            .collect();
    };
    let rounds = named(|_, contest| {
        many(contest, 2000);
        contest.rounds = 31;
    });
    assert_eq!(rounds, one("contest.rounds", "31"));
    let extra = named(|_, contest| {
        let points = ["1", "10000"].map(|points| v1::PointAdjustment {
            player: 2,
            points: points.into(),
        });
        contest.adjustments = points.to_vec();
    });
    assert_eq!(extra, one("contest.adjustments[1].points", "10000"));
}

/// What is said of teams is checked where there are none, too.
#[test]
fn the_scoring_of_no_teams_is_checked() {
    let scoring = |change: fn(&mut v1::TeamScoring)| {
        named(|request, _| change(request.team_scoring.get_or_insert_default()))
    };
    assert_eq!(
        scoring(|scoring| scoring.match_win = "x".into()),
        one("team_scoring.match_win", "x")
    );
    assert_eq!(
        scoring(|scoring| scoring.match_loss = "-1".into()),
        one("team_scoring.match_loss", "-1")
    );
    assert_eq!(
        scoring(|scoring| scoring.boards = 65),
        one("team_scoring.boards", "65")
    );
    assert_eq!(scoring(|scoring| scoring.boards = 64), []);
}

#[test]
fn a_report_files_errors_have_one_field() {
    let told = refused(|request, _| request.event = Some(Event::Trf("202 FOO\n001    1\n".into())));
    let [(field, value, reason)] = &told[..] else {
        panic!("{told:?}");
    };
    assert_eq!((field.as_str(), value.as_str()), ("trf", "FOO"));
    assert!(reason.starts_with("line 1: "), "{reason}");
}

#[test]
fn a_kind_that_is_unknown_is_not_missing_too() {
    let bye = |kind| {
        named(|_, contest| {
            contest.byes = vec![v1::Bye {
                round: 1,
                player: 1,
                kind,
            }];
        })
    };
    assert_eq!(bye(99), one("contest.byes[0].kind", "99"));
    assert_eq!(bye(0), one("contest.byes[0].kind", "0"));
}

/// Whoever is told what is known is told all of it.
#[test]
fn every_ruleset_is_listed() {
    let told = refused(|request, _| request.ruleset = "x".into());
    let (field, value, reason) = &told[0];
    assert_eq!((field.as_str(), value.as_str()), ("ruleset", "x"));
    for ruleset in tabiya_arbiter::ruleset::Library::built_in().unwrap().rulesets() {
        assert!(reason.contains(&ruleset.id), "{}: {reason}", ruleset.id);
    }
    assert!(!reason.ends_with('…'), "{reason}");
}
