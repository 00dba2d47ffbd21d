//! Recorded games, several rulesets, rulesets sent along, and languages, over a real connection.

use crate::common;

use std::{io::Write, path::PathBuf};

use tabiya_api::v1::{
    self, ContradictionKind, DifferenceField, GameResult, GameStatus, Language, RecordedTermination,
    RulesetSource, Termination, adjudicate_request::Game, arbiter_service_client::ArbiterServiceClient,
    batch_adjudicate_request, batch_adjudicate_response::Outcome, compare_rulings_request,
};
use tonic::{Code, Request, Status, transport::Channel};
use tonic_types::StatusExt;

async fn client() -> (tabiya_server::RunningServer, ArbiterServiceClient<Channel>) {
    let server = common::start();
    let client = ArbiterServiceClient::new(common::channel(server.addr()).await);
    (server, client)
}

/// Black flagged, but White has a bare king.
const FLAG: &str = "[FEN \"8/8/4k3/8/8/3K4/8/r7 b - - 0 1\"]\n[SetUp \"1\"]\n[Result \"1-0\"]\n\
    [Termination \"Time forfeit\"]\n[TimeControl \"180+2\"]\n\n1... Ra2 {[%clk 0:00:07]} 2. Ke3 {[%clk 0:01:00]} 1-0\n";

fn recorded(pgn: &str) -> v1::AdjudicateRequest {
    v1::AdjudicateRequest {
        game: Some(Game::Pgn(pgn.into())),
        ..Default::default()
    }
}

/// The first field violation of a refusal: its field, and value and reason.
fn violation(status: &Status) -> (String, String) {
    assert_eq!(status.code(), Code::InvalidArgument, "{status:?}");
    let details = status.get_details_bad_request().unwrap();
    let first = &details.field_violations[0];
    (first.field.clone(), first.description.clone())
}

#[tokio::test]
async fn a_record_is_decided_and_its_contradiction_told() {
    let (_server, mut client) = client().await;
    let answer = client.adjudicate(recorded(FLAG)).await.unwrap().into_inner();
    assert_eq!(
        (answer.status(), answer.result()),
        (GameStatus::Decided, GameResult::Draw)
    );
    assert_eq!(
        (answer.termination(), answer.decisive_event),
        (Termination::Time, Some(0))
    );
    let contradiction = &answer.contradictions[0];
    assert_eq!(contradiction.kind(), ContradictionKind::Result);
    assert_eq!(contradiction.recorded, "1-0, Time forfeit");
    assert_eq!(contradiction.ruled, "1/2-1/2, FlagDraw");
    assert_eq!(contradiction.citations[0].article, "6.9");
    assert!(
        contradiction.reason.ends_with("(fide-2023: 6.9)"),
        "{}",
        contradiction.reason
    );
    assert_eq!(answer.contradictions.len(), 1);

    let record = answer.recorded.unwrap();
    assert_eq!((record.plies, record.result()), (2, GameResult::WhiteWins));
    assert_eq!(record.termination(), RecordedTermination::Time);
    assert_eq!(
        (record.marker.as_str(), record.result_tag.as_str()),
        ("1-0", "1-0")
    );
    assert_eq!(record.position.as_ref().unwrap().moves, ["a1a2", "d3e3"]);
    assert_eq!(
        record.time_control.unwrap().periods[0].increment.unwrap().seconds,
        2
    );
    assert_eq!(record.black_clock.unwrap().remaining.unwrap().seconds, 7);
    assert_eq!(record.white_clock.unwrap().moves, 1);

    // What was derived can be sent as a game and events, and is decided alike.
    let again = v1::AdjudicateRequest {
        game: Some(Game::Position(record.position.unwrap())),
        events: record.events,
        ..Default::default()
    };
    let again = client.adjudicate(again).await.unwrap().into_inner();
    assert_eq!(again.result(), GameResult::Draw);
    assert_eq!(again.rulings, answer.rulings);
}

#[tokio::test]
async fn events_of_the_request_stand_in_for_the_recorded_end() {
    let (_server, mut client) = client().await;
    let mut request = recorded("[Result \"1-0\"]\n\n1. e4 e5 1-0\n");
    request.events = vec![v1::Event {
        actor: v1::Color::White.into(),
        kind: Some(v1::event::Kind::Resignation(v1::ResignationEvent {})),
        ..Default::default()
    }];
    let answer = client.adjudicate(request).await.unwrap().into_inner();
    assert_eq!(
        (answer.result(), answer.rulings.len()),
        (GameResult::BlackWins, 1)
    );
    assert_eq!(answer.contradictions[0].kind(), ContradictionKind::Result);
    assert!(answer.recorded.unwrap().events.is_empty());
}

#[tokio::test]
async fn a_stream_of_records_keeps_its_order_and_reads_a_ruleset_once() {
    let (_server, mut client) = client().await;
    let shown = client
        .get_ruleset(v1::GetRulesetRequest::default())
        .await
        .unwrap()
        .into_inner();
    let toml = shown.toml.replace("id = \"fide-2023\"", "id = \"house\"");
    let items = [FLAG, "1. e4 *\n\n1. d4 *\n", "1. e4 e5 2. Ke3 *\n"].map(|pgn| v1::BatchAdjudicateRequest {
        id: pgn.into(),
        game: Some(batch_adjudicate_request::Game::Pgn(pgn.into())),
        ruleset_toml: toml.clone(),
        ..Default::default()
    });
    let mut request = Request::new(tokio_stream::iter(items));
    request
        .metadata_mut()
        .insert("accept-language", "en;q=0.5, zh-CN".parse().unwrap());
    let mut answers = client.batch_adjudicate(request).await.unwrap().into_inner();
    let mut outcomes = Vec::new();
    while let Some(answer) = answers.message().await.unwrap() {
        assert_eq!(answer.index, outcomes.len() as u64);
        outcomes.push(answer.outcome.unwrap());
    }
    let [
        Outcome::Response(flag),
        Outcome::Error(two),
        Outcome::Response(illegal),
    ] = &outcomes[..]
    else {
        panic!("{outcomes:?}");
    };
    assert_eq!(
        (flag.ruleset.as_str(), flag.ruleset_source()),
        ("house", RulesetSource::Request)
    );
    assert_eq!(flag.reason, "超时，但对方不可能取胜（house：6.9）");
    assert!(flag.contradictions[0].reason.ends_with("（house：6.9）"));
    assert_eq!(two.violations[0].field, "pgn");
    assert_eq!(
        two.violations[0].reason,
        "holds more than one game; send each by itself"
    );
    assert_eq!(illegal.contradictions[0].kind(), ContradictionKind::IllegalMove);
    assert_eq!(
        (
            illegal.contradictions[0].recorded.as_str(),
            illegal.contradictions[0].ply
        ),
        ("Ke3", Some(3))
    );
}

#[tokio::test]
async fn a_record_that_is_none_is_refused_with_field_value_and_reason() {
    let (_server, mut client) = client().await;
    for (pgn, reason) in [
        ("", "``: holds no game"),
        ("[FEN \"8/8 w\"]\n\n*\n", "start position"),
        ("[Variant \"Atomic\"]\n\n1. e4 *\n", "not supported"),
    ] {
        let status = client.adjudicate(recorded(pgn)).await.unwrap_err();
        let (field, told) = violation(&status);
        assert_eq!(field, "pgn");
        assert!(told.contains(reason), "{told}");
    }
}

#[tokio::test]
async fn rulesets_are_compared_with_the_article_of_each_side() {
    let (_server, mut client) = client().await;
    let request = v1::CompareRulingsRequest {
        rulesets: ["fide-2023", "cn-classic", "popular"].map(String::from).to_vec(),
        game: Some(compare_rulings_request::Game::Pgn(FLAG.into())),
        ..Default::default()
    };
    let answer = client
        .compare_rulings(request.clone())
        .await
        .unwrap()
        .into_inner();
    let ids: Vec<_> = answer
        .answers
        .iter()
        .map(|answer| answer.ruleset.as_str())
        .collect();
    assert_eq!(ids, ["fide-2023", "cn-classic", "popular"]);
    let result = answer
        .differences
        .iter()
        .find(|one| one.field() == DifferenceField::Result)
        .unwrap();
    assert_eq!(
        (result.sides[0].value.as_str(), &result.sides[0].rulesets[..]),
        ("1/2-1/2", &[0, 1][..])
    );
    assert_eq!(
        (result.sides[1].value.as_str(), &result.sides[1].rulesets[..]),
        ("1-0", &[2][..])
    );
    let cited: Vec<_> = result.sides[0]
        .citations
        .iter()
        .map(|citation| (citation.ruleset.as_str(), citation.article.as_str()))
        .collect();
    assert!(
        cited.contains(&("fide-2023", "6.9")) && cited.contains(&("cn-classic", "10.14")),
        "{cited:?}"
    );
    assert_eq!(result.sides[1].citations[0].article, "time");

    let mut chinese = Request::new(request);
    chinese
        .metadata_mut()
        .insert("accept-language", "zh".parse().unwrap());
    let answer = client.compare_rulings(chinese).await.unwrap().into_inner();
    assert!(answer.differences.iter().all(|one| !one.reason.is_ascii()));
}

#[tokio::test]
async fn one_ruleset_is_compared_with_itself_overridden_and_with_a_text() {
    let (_server, mut client) = client().await;
    let shown = client
        .get_ruleset(v1::GetRulesetRequest::default())
        .await
        .unwrap()
        .into_inner();
    let toml = shown
        .toml
        .replace("illegal_penalty_seconds = 120", "illegal_penalty_seconds = 90");
    assert_ne!(toml, shown.toml);
    let overridden = v1::SwitchOverride {
        name: "illegal_penalty_seconds".into(),
        value: "30".into(),
    };
    let event = |kind| v1::Event {
        actor: v1::Color::White.into(),
        kind: Some(kind),
        ..Default::default()
    };
    let request = v1::CompareRulingsRequest {
        rulesets: vec!["fide-2023".into(), "fide-2023".into()],
        overrides: vec![v1::RulesetOverrides {
            ruleset: 1,
            switches: vec![overridden.clone()],
        }],
        ruleset_tomls: vec![toml],
        events: vec![
            event(v1::event::Kind::Move(v1::MoveEvent {
                text: "e2e5".into(),
                ..Default::default()
            })),
            event(v1::event::Kind::ClockPress(v1::ClockPressEvent {})),
        ],
        ..Default::default()
    };
    let answer = client
        .compare_rulings(request.clone())
        .await
        .unwrap()
        .into_inner();
    let [penalty] = &answer.differences[..] else {
        panic!("{:?}", answer.differences);
    };
    assert_eq!(
        (penalty.field(), penalty.event),
        (DifferenceField::Penalty, Some(1))
    );
    let places: Vec<_> = penalty.sides.iter().map(|side| side.rulesets[0]).collect();
    assert_eq!(places, [0, 1, 2]);
    assert!(penalty.reason.contains("fide-2023 [1]"), "{}", penalty.reason);
    assert_eq!(answer.answers[1].overridden, [overridden]);
    assert_eq!(answer.answers[2].ruleset_source(), RulesetSource::Request);

    let mut wrong = request.clone();
    wrong.overrides[0].switches[0].value = "9999".into();
    let status = client.compare_rulings(wrong).await.unwrap_err();
    assert_eq!(violation(&status).0, "overrides[0].switches[0].value");
    let mut wrong = request.clone();
    wrong.overrides[0].ruleset = 3;
    assert_eq!(
        violation(&client.compare_rulings(wrong).await.unwrap_err()).0,
        "overrides[0].ruleset"
    );
    let mut wrong = request.clone();
    wrong.rulesets[1] = "fide-1997".into();
    assert_eq!(
        violation(&client.compare_rulings(wrong).await.unwrap_err()).0,
        "rulesets[1]"
    );
    let mut wrong = request.clone();
    wrong.ruleset_tomls[0] = "id = 3\n".into();
    let (field, told) = violation(&client.compare_rulings(wrong).await.unwrap_err());
    assert_eq!(
        (field.as_str(), told.as_str()),
        ("ruleset_tomls[0]", "`id = 3`: line 1: `id` is not a string")
    );
    let one = v1::CompareRulingsRequest {
        rulesets: vec!["club".into()],
        ..Default::default()
    };
    assert_eq!(
        violation(&client.compare_rulings(one).await.unwrap_err()).0,
        "rulesets"
    );
}

#[tokio::test]
async fn a_ruleset_goes_out_as_text_and_comes_back_edited() {
    let (_server, mut client) = client().await;
    let late = v1::SwitchOverride {
        name: "late_limit_minutes".into(),
        value: "20".into(),
    };
    let asked = v1::GetRulesetRequest {
        ruleset: "cn-domestic".into(),
        overrides: vec![late.clone()],
        ..Default::default()
    };
    let shown = client.get_ruleset(asked).await.unwrap().into_inner();
    assert_eq!(
        (shown.source(), &shown.overridden[..]),
        (RulesetSource::BuiltIn, &[late][..])
    );
    assert!(shown.toml.contains("\nlate_limit_minutes = 20\n"));
    let back = v1::GetRulesetRequest {
        ruleset_toml: shown.toml.clone(),
        ..Default::default()
    };
    let again = client.get_ruleset(back).await.unwrap().into_inner();
    assert_eq!((&again.toml, &again.switches), (&shown.toml, &shown.switches));
    assert_eq!(again.source(), RulesetSource::Request);

    let broken = shown
        .toml
        .replace("late_limit_minutes = 20", "late_limit_minutes = 601");
    let line = 1 + broken[..broken.find("late_limit_minutes = 601").unwrap()]
        .matches('\n')
        .count();
    let request = v1::AdjudicateRequest {
        ruleset_toml: broken,
        ..Default::default()
    };
    let (field, told) = violation(&client.adjudicate(request).await.unwrap_err());
    assert_eq!(field, "ruleset_toml");
    assert!(
        told.starts_with(&format!("`late_limit_minutes = 601`: line {line}: ")),
        "{told}"
    );
    let long = v1::AdjudicateRequest {
        ruleset_toml: "#".repeat(256 * 1024 + 1),
        ..Default::default()
    };
    assert!(
        violation(&client.adjudicate(long).await.unwrap_err())
            .1
            .contains("more than 262144")
    );
    let both = v1::AdjudicateRequest {
        ruleset: "club".into(),
        ruleset_toml: shown.toml,
        ..Default::default()
    };
    assert_eq!(
        violation(&client.adjudicate(both).await.unwrap_err()).0,
        "ruleset"
    );
}

/// A file with a text, in the system's folder for such.
fn file(name: &str, text: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("tabiya-{}-{name}", std::process::id()));
    std::fs::File::create(&path)
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
    path
}

#[tokio::test]
async fn ruleset_files_are_served_or_refused_at_the_start() {
    let house = "base = \"fide-2023\"\nid = \"house\"\nversion = \"3\"\ntitle_en = \"House\"\ntitle_zh = \"本店\"\n\
        [switches]\nlate_limit_minutes = 45\n";
    let (good, bad) = (
        file("good.toml", house),
        file("bad.toml", &house.replace("45", "4500")),
    );
    let config = |rulesets| tabiya_server::Config {
        rulesets,
        ..common::config()
    };
    let refused = tabiya_server::Server::start(config(vec![bad.clone()]))
        .unwrap_err()
        .to_string();
    let place = format!("ruleset {}:7: switch `late_limit_minutes`", bad.display());
    assert!(refused.starts_with(&place), "{refused}");
    let missing = tabiya_server::Server::start(config(vec!["no/such.toml".into()])).unwrap_err();
    assert!(
        missing.to_string().starts_with("ruleset no/such.toml: "),
        "{missing}"
    );

    let server = tabiya_server::Server::start(config(vec![good.clone()])).unwrap();
    let mut client = ArbiterServiceClient::new(common::channel(server.addr()).await);
    let listed = client
        .list_rulesets(v1::ListRulesetsRequest {})
        .await
        .unwrap()
        .into_inner();
    assert_eq!(listed.rulesets.last().unwrap().id, "house");
    let request = v1::AdjudicateRequest {
        ruleset: "house".into(),
        ..Default::default()
    };
    let answer = client.adjudicate(request).await.unwrap().into_inner();
    assert_eq!(
        (answer.ruleset_version.as_str(), answer.ruleset_source()),
        ("3", RulesetSource::File)
    );
    for path in [good, bad] {
        std::fs::remove_file(path).unwrap();
    }
}

#[tokio::test]
async fn the_field_wins_over_the_metadata() {
    let (_server, mut client) = client().await;
    for (header, language, chinese) in [
        (Some("zh-Hans"), Language::Unspecified, true),
        (Some("zh-Hans"), Language::En, false),
        (Some("fr"), Language::Unspecified, false),
        (Some("en"), Language::Zh, true),
        (None, Language::Unspecified, false),
    ] {
        let mut body = recorded(FLAG);
        body.language = language.into();
        let mut request = Request::new(body);
        if let Some(header) = header {
            request
                .metadata_mut()
                .insert("accept-language", header.parse().unwrap());
        }
        let answer = client.adjudicate(request).await.unwrap().into_inner();
        assert_eq!(!answer.reason.is_ascii(), chinese, "{header:?} {language:?}");
    }
}

#[tokio::test]
async fn several_headers_are_one_list_of_languages() {
    let (_server, mut client) = client().await;
    for (headers, chinese) in [
        (&["fr", "zh"][..], true),
        (&["fr", "zh;q=0.1"], true),
        (&["en;q=0.5", "zh"], true),
        (&["en", "zh"], false),
        (&["zh;q=0.1", "en;q=0.2"], false),
    ] {
        let mut request = Request::new(recorded(FLAG));
        for header in headers {
            request
                .metadata_mut()
                .append("accept-language", header.parse().unwrap());
        }
        let answer = client.adjudicate(request).await.unwrap().into_inner();
        assert_eq!(!answer.reason.is_ascii(), chinese, "{headers:?}");
    }
}

#[tokio::test]
async fn what_is_no_game_is_refused_and_what_was_not_read_is_told() {
    let (_server, mut client) = client().await;
    for (text, reason) in [
        ("<html><body>404</body></html>", "reserved text in angle brackets"),
        ("\0\0\0\0", "unexpected character"),
        ("Dear sirs, this is no game.", "unexpected text \"Dear\""),
        ("", "holds no game"),
    ] {
        let status = client.adjudicate(recorded(text)).await.unwrap_err();
        let (field, description) = violation(&status);
        assert_eq!(field, "pgn", "{text:?}");
        assert!(description.contains(reason), "{description}");
    }
    let unclosed = "[Result \"1-0\"]\n\n1. e4 e5 {never closed 2. Nf3 1-0\n";
    let answer = client.adjudicate(recorded(unclosed)).await.unwrap().into_inner();
    let first = &answer.contradictions[0];
    assert_eq!(first.kind(), ContradictionKind::Unread);
    assert!(
        first.recorded.ends_with("comment not closed"),
        "{}",
        first.recorded
    );
    assert!(first.reason.contains("could not be read"), "{}", first.reason);
}
