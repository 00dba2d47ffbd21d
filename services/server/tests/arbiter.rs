//! `ArbiterService` over a real connection.

mod common;

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
    assert_eq!(decision.reason, citation.text_zh);
}

#[tokio::test]
async fn moves_can_come_as_events() {
    let (_server, mut client) = client().await;
    let event = |color: Color, uci: &str| v1::Event {
        actor: color.into(),
        at: None,
        kind: Some(v1::event::Kind::Move(v1::MoveEvent { uci: uci.into() })),
    };
    let mut request = game("f2f3 e7e5");
    request.events = vec![event(Color::White, "g2g4"), event(Color::Black, "d8h4")];
    let decision = client.adjudicate(request.clone()).await.unwrap().into_inner();
    assert_eq!(
        (decision.termination(), decision.decisive_event),
        (Termination::Checkmate, Some(1))
    );

    request.events[1].actor = Color::White.into();
    assert_eq!(
        client.adjudicate(request.clone()).await.unwrap_err().code(),
        Code::InvalidArgument
    );
    request.events[1].kind = None;
    assert_eq!(
        client.adjudicate(request).await.unwrap_err().code(),
        Code::Unimplemented
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
async fn what_is_not_served_is_said_plainly() {
    let (_server, mut client) = client().await;
    let pgn = v1::AdjudicateRequest {
        game: Some(Game::Pgn("1. e4 *".into())),
        ..Default::default()
    };
    assert_eq!(
        client.adjudicate(pgn).await.unwrap_err().code(),
        Code::Unimplemented
    );
    let other = v1::AdjudicateRequest {
        ruleset: "popular".into(),
        ..Default::default()
    };
    let status = client.adjudicate(other).await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
    assert!(status.message().contains("fide-2023"), "{}", status.message());
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
