//! `ArbiterService` over a real connection.

use crate::common;

use tabiya_api::v1::{
    self, ClaimGround, Color, GameResult, GameStatus, Language, Termination, adjudicate_request::Game,
    arbiter_service_client::ArbiterServiceClient, batch_adjudicate_request,
    batch_adjudicate_response::Outcome,
};
use tonic::{Code, transport::Channel};

async fn client() -> (tabiya_server::RunningServer, ArbiterServiceClient<Channel>) {
    let server = common::start();
    let client = ArbiterServiceClient::new(common::channel(server.addr()).await);
    (server, client)
}

fn line(moves: &str) -> v1::Position {
    v1::Position {
        moves: moves.split_whitespace().map(String::from).collect(),
        ..Default::default()
    }
}

fn game(moves: &str) -> v1::AdjudicateRequest {
    v1::AdjudicateRequest {
        game: Some(Game::Position(line(moves))),
        ..Default::default()
    }
}

#[tokio::test]
async fn mate_is_decided_with_its_article_in_both_languages() {
    let (_server, mut client) = client().await;
    let mut request = game("f2f3 e7e5 g2g4 d8h4");
    request.set_language(Language::Zh);
    let decision = client.adjudicate(request).await.unwrap().into_inner();
    assert_eq!(decision.status(), GameStatus::Decided);
    assert_eq!(decision.result(), GameResult::BlackWins);
    assert_eq!(decision.termination(), Termination::Checkmate);
    assert_eq!((decision.decisive_ply, decision.decisive_event), (Some(4), None));
    let citation = &decision.citations[0];
    assert_eq!(
        (citation.ruleset.as_str(), citation.article.as_str()),
        ("fide-2023", "5.1.1")
    );
    assert!(citation.text_en.is_ascii() && !citation.text_zh.is_ascii());
    assert_eq!(decision.reason, "将死（fide-2023：5.1.1）");
}

#[tokio::test]
async fn moves_can_come_as_events() {
    let (_server, mut client) = client().await;
    let event = |color: Color, uci: &str| v1::Event {
        actor: color.into(),
        kind: Some(v1::event::Kind::Move(v1::MoveEvent {
            text: uci.into(),
            ..Default::default()
        })),
        ..Default::default()
    };
    let mut request = game("f2f3 e7e5");
    request.events = vec![event(Color::White, "g2g4"), event(Color::Black, "d8h4")];
    let decision = client.adjudicate(request.clone()).await.unwrap().into_inner();
    assert_eq!(
        (decision.termination(), decision.decisive_event),
        (Termination::Checkmate, Some(1))
    );

    request.events[1].actor = Color::White.into();
    let answer = client.adjudicate(request.clone()).await.unwrap().into_inner();
    assert_eq!(
        (answer.status(), answer.rulings[1].accepted),
        (GameStatus::Ongoing, false)
    );
    assert_eq!(answer.rulings[1].code, "NotOnMove");
    request.events[1].kind = None;
    let refused = client.adjudicate(request).await.unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument);
    assert!(
        refused.message().contains("events[1].kind"),
        "{}",
        refused.message()
    );
}

#[tokio::test]
async fn one_flag_is_ruled_by_several_rulesets_in_both_languages() {
    let (_server, mut client) = client().await;
    let flag = v1::Event {
        actor: Color::Unspecified.into(),
        kind: Some(v1::event::Kind::FlagFall(v1::FlagFallEvent {
            side: Color::White.into(),
            ..Default::default()
        })),
        ..Default::default()
    };
    // White has a rook, Black has a bare king.
    let request = |ruleset: &str| v1::AdjudicateRequest {
        ruleset: ruleset.into(),
        game: Some(Game::Position(v1::Position {
            fen: "8/8/4k3/8/8/3K4/8/7R w - - 0 1".into(),
            ..Default::default()
        })),
        events: vec![flag.clone()],
        language: Language::Zh.into(),
        ..Default::default()
    };
    let expected = [
        ("fide-2023", GameStatus::Decided, GameResult::Draw, "6.9"),
        ("cn-classic", GameStatus::Decided, GameResult::Draw, "10.14"),
        ("popular", GameStatus::Decided, GameResult::BlackWins, "time"),
        (
            "online-platform",
            GameStatus::Void,
            GameResult::Unspecified,
            "time",
        ),
    ];
    for (ruleset, status, result, article) in expected {
        let answer = client.adjudicate(request(ruleset)).await.unwrap().into_inner();
        assert_eq!((answer.status(), answer.result()), (status, result), "{ruleset}");
        assert_eq!(answer.citations[0].article, article);
        assert_eq!(
            (answer.ruleset.as_str(), answer.ruleset_version.as_str()),
            (ruleset, "1")
        );
        let cited: Vec<_> = answer
            .citations
            .iter()
            .map(|citation| citation.article.as_str())
            .collect();
        let source = format!("（{ruleset}：{}）", cited.join(", "));
        assert!(answer.reason.ends_with(&source), "{}", answer.reason);
        assert!(
            answer.rulings[0].reason.ends_with(&source),
            "{}",
            answer.rulings[0].reason
        );
    }
}

#[tokio::test]
async fn penalties_obligations_and_missing_facts_are_reported() {
    use v1::event::Kind;

    let (_server, mut client) = client().await;
    let event = |actor: Color, kind: Kind| v1::Event {
        actor: actor.into(),
        kind: Some(kind),
        ..Default::default()
    };
    let illegal = Kind::Move(v1::MoveEvent {
        text: "e2e5".into(),
        ..Default::default()
    });
    let press = Kind::ClockPress(v1::ClockPressEvent {});
    let both = Kind::FlagFall(v1::FlagFallEvent::default());
    let request = v1::AdjudicateRequest {
        events: vec![
            event(Color::White, illegal),
            event(Color::White, press),
            event(Color::Unspecified, both),
        ],
        ..Default::default()
    };
    let answer = client.adjudicate(request).await.unwrap().into_inner();
    assert_eq!(answer.status(), GameStatus::Ongoing);
    assert_eq!(answer.obligations, ["e2e3", "e2e4"]);
    let penalty = &answer.penalties[0];
    assert_eq!((penalty.event, penalty.offender()), (1, Color::White));
    assert_eq!(penalty.effect.as_ref().unwrap().time.unwrap().seconds, 120);
    assert_eq!(answer.missing_facts[0].fact, "guideline_iii");
    assert_eq!(answer.missing_facts[0].event, Some(2));
}

#[tokio::test]
async fn clocks_are_computed_and_times_do_not_run_backwards() {
    let (_server, mut client) = client().await;
    let seconds = |seconds| prost_types::Duration { seconds, nanos: 0 };
    let event = |actor: Color, at: i64, kind| v1::Event {
        actor: actor.into(),
        at: Some(seconds(at)),
        kind: Some(kind),
        ..Default::default()
    };
    let mv = v1::event::Kind::Move(v1::MoveEvent {
        text: "e2e4".into(),
        ..Default::default()
    });
    let press = v1::event::Kind::ClockPress(v1::ClockPressEvent {});
    let mut request = v1::AdjudicateRequest {
        time_control: Some(v1::TimeControl {
            periods: vec![v1::Period {
                time: Some(seconds(180)),
                increment: Some(seconds(2)),
                ..Default::default()
            }],
        }),
        events: vec![event(Color::White, 9, mv), event(Color::White, 10, press)],
        ..Default::default()
    };
    let clocks = client
        .adjudicate(request.clone())
        .await
        .unwrap()
        .into_inner()
        .clocks
        .unwrap();
    let white = clocks.white.as_ref().unwrap();
    assert_eq!((white.remaining.unwrap().seconds, white.moves), (172, 1));
    assert_eq!(clocks.running(), Color::Black);
    request.events[1].at = Some(seconds(8));
    let refused = client.adjudicate(request).await.unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument);
    assert!(
        refused.message().contains("events[1].at"),
        "{}",
        refused.message()
    );
}

#[tokio::test]
async fn repetitions_are_claimed_then_decided() {
    let (_server, mut client) = client().await;
    let shuffle = "g1f3 g8f6 f3g1 f6g8 ";
    let open = client
        .adjudicate(game(&shuffle.repeat(2)))
        .await
        .unwrap()
        .into_inner();
    assert_eq!(open.status(), GameStatus::Ongoing);
    assert_eq!(open.claimable[0].ground(), ClaimGround::ThreefoldRepetition);
    assert_eq!(open.claimable[0].citation.as_ref().unwrap().article, "9.2.2");

    // More rounds than the game has: it ended with the fifth occurrence.
    let decided = client
        .adjudicate(game(&shuffle.repeat(60)))
        .await
        .unwrap()
        .into_inner();
    assert_eq!(
        (decided.termination(), decided.decisive_ply),
        (Termination::FivefoldRepetition, Some(16))
    );
    assert_eq!(decided.result(), GameResult::Draw);
}

#[tokio::test]
async fn what_cannot_be_is_said_plainly() {
    let (_server, mut client) = client().await;
    let other = v1::AdjudicateRequest {
        ruleset: "fide-1997".into(),
        ..Default::default()
    };
    let status = client.adjudicate(other).await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
    assert!(status.message().contains("cn-classic"), "{}", status.message());
    let tongue = v1::AdjudicateRequest {
        language: 99,
        ..Default::default()
    };
    assert_eq!(
        client.adjudicate(tongue).await.unwrap_err().code(),
        Code::InvalidArgument
    );
}

#[tokio::test]
async fn a_stream_keeps_its_order() {
    let (_server, mut client) = client().await;
    let moves = ["f2f3 e7e5 g2g4 d8h4", "e2e4 e9e5", "e2e4"];
    let items = moves.map(|moves| v1::BatchAdjudicateRequest {
        id: moves.into(),
        game: Some(batch_adjudicate_request::Game::Position(line(moves))),
        ..Default::default()
    });
    let mut answers = client
        .batch_adjudicate(tokio_stream::iter(items))
        .await
        .unwrap()
        .into_inner();
    for (index, id) in moves.iter().enumerate() {
        let answer = answers.message().await.unwrap().unwrap();
        assert_eq!((answer.index, answer.id.as_str()), (index as u64, *id));
        match (index, answer.outcome.unwrap()) {
            (0, Outcome::Response(decision)) => assert_eq!(decision.status(), GameStatus::Decided),
            (1, Outcome::Error(error)) => assert_eq!(error.violations[0].field, "position.moves[1]"),
            (2, Outcome::Response(decision)) => assert_eq!(decision.status(), GameStatus::Ongoing),
            other => panic!("{other:?}"),
        }
    }
    assert!(answers.message().await.unwrap().is_none());
}

#[tokio::test]
async fn rulesets_are_listed_shown_and_overridden() {
    let (_server, mut client) = client().await;
    let listed = client
        .list_rulesets(v1::ListRulesetsRequest {})
        .await
        .unwrap()
        .into_inner();
    let ids: Vec<_> = listed
        .rulesets
        .iter()
        .map(|ruleset| ruleset.id.as_str())
        .collect();
    assert!(
        ids.starts_with(&["fide-2023"]) && ids.contains(&"online-platform"),
        "{ids:?}"
    );

    let late = |value: &str| v1::GetRulesetRequest {
        ruleset: "cn-domestic".into(),
        overrides: vec![v1::SwitchOverride {
            name: "late_limit_minutes".into(),
            value: value.into(),
        }],
        ..Default::default()
    };
    let shown = client.get_ruleset(late("20")).await.unwrap().into_inner();
    let switch = shown
        .switches
        .iter()
        .find(|switch| switch.name == "late_limit_minutes")
        .unwrap();
    assert_eq!(switch.value, "20");
    assert!(shown.articles.iter().any(|article| article.number == "10.15"));
    let refused = client.get_ruleset(late("601")).await.unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument);
    assert!(
        refused.message().contains("overrides[0].value"),
        "{}",
        refused.message()
    );
}
