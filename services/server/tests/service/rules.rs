//! `RulesService` over a real connection.

use crate::common;

use tabiya_api::v1::{
    self, FenMode, MoveNotation, PieceType, PositionStatus, Variant, batch_legal_moves_response::Outcome,
    rules_service_client::RulesServiceClient,
};
use tonic::{Code, transport::Channel};
use tonic_types::StatusExt;

fn fen(fen: &str) -> Option<v1::Position> {
    Some(v1::Position {
        fen: fen.into(),
        ..Default::default()
    })
}

async fn client() -> (tabiya_server::RunningServer, RulesServiceClient<Channel>) {
    let server = common::start();
    let client = RulesServiceClient::new(common::channel(server.addr()).await);
    (server, client)
}

#[tokio::test]
async fn legal_moves_of_the_start_position() {
    let (_server, mut client) = client().await;
    let request = v1::LegalMovesRequest {
        position: None,
        include_fen: true,
    };
    let response = client.legal_moves(request).await.unwrap().into_inner();
    assert_eq!(response.moves.len(), 20);
    assert_eq!(response.status(), PositionStatus::Ongoing);
    assert_eq!(
        (
            response.halfmove_clock,
            response.fullmove_number,
            response.repetition_count
        ),
        (0, 1, 1)
    );
    assert_eq!(
        response.fen,
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    );
    let knight = response.moves.iter().find(|mv| mv.uci == "g1f3").unwrap();
    assert_eq!(knight.san, "Nf3");
    assert_eq!(
        (knight.from_square.as_str(), knight.to_square.as_str()),
        ("g1", "f3")
    );
    assert_eq!(
        knight.fen,
        "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1"
    );
}

#[tokio::test]
async fn moves_are_described() {
    let (_server, mut client) = client().await;
    // Castling, en passant, promotion with capture, and mate by promotion.
    let position = fen("1n4k1/P4ppp/8/3pP3/8/8/8/4K2R w K d6 0 1");
    let response = client
        .legal_moves(v1::LegalMovesRequest {
            position,
            include_fen: false,
        })
        .await
        .unwrap()
        .into_inner();
    let of = |uci: &str| response.moves.iter().find(|mv| mv.uci == uci).unwrap();
    let castling = of("e1g1");
    assert!(castling.is_castling && !castling.is_capture && castling.fen.is_empty());
    assert_eq!(
        (castling.san.as_str(), castling.to_square.as_str()),
        ("O-O", "g1")
    );
    let passing = of("e5d6");
    assert!(passing.is_en_passant && passing.is_capture);
    assert_eq!(passing.captured(), PieceType::Pawn);
    let mate = of("a7b8q");
    assert!(mate.is_check && mate.is_mate);
    assert_eq!(
        (mate.captured(), mate.promotion()),
        (PieceType::Knight, PieceType::Queen)
    );
    assert_eq!(mate.san, "axb8=Q#");
}

#[tokio::test]
async fn chess960_castling_takes_the_rook() {
    let (_server, mut client) = client().await;
    let mut position = fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1").unwrap();
    position.set_variant(Variant::Chess960);
    let request = v1::LegalMovesRequest {
        position: Some(position),
        include_fen: false,
    };
    let response = client.legal_moves(request).await.unwrap().into_inner();
    let castling = response.moves.iter().find(|mv| mv.is_castling).unwrap();
    assert_eq!(
        (castling.uci.as_str(), castling.to_square.as_str()),
        ("e1h1", "h1")
    );
}

#[tokio::test]
async fn the_end_of_a_game_has_a_status_and_history_counts() {
    let (_server, mut client) = client().await;
    let rows = [
        (
            "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
            PositionStatus::Checkmate,
        ),
        ("7k/5K2/6Q1/8/8/8/8/8 b - - 0 1", PositionStatus::Stalemate),
        (
            "8/8/4k3/8/8/4KN2/8/8 w - - 0 1",
            PositionStatus::InsufficientMaterial,
        ),
    ];
    for (text, status) in rows {
        let request = v1::LegalMovesRequest {
            position: fen(text),
            include_fen: false,
        };
        let response = client.legal_moves(request).await.unwrap().into_inner();
        assert_eq!(response.status(), status, "{text}");
        assert_eq!(response.in_check, status == PositionStatus::Checkmate);
        assert_eq!(
            response.checkers,
            if response.in_check { vec!["h4"] } else { vec![] }
        );
    }
    let moves = ["g1f3", "g8f6", "f3g1", "f6g8"].map(String::from).to_vec();
    let request = v1::LegalMovesRequest {
        position: Some(v1::Position {
            moves,
            ..Default::default()
        }),
        include_fen: false,
    };
    assert_eq!(
        client
            .legal_moves(request)
            .await
            .unwrap()
            .into_inner()
            .repetition_count,
        2
    );
}

#[tokio::test]
async fn bad_positions_are_refused_with_every_reason() {
    let (_server, mut client) = client().await;
    let mut refused = async |position: v1::Position| {
        let request = v1::LegalMovesRequest {
            position: Some(position),
            include_fen: false,
        };
        let status = client.legal_moves(request).await.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument, "{status:?}");
        assert!(status.message().len() <= 1024);
        assert!(status.details().len() <= 4096);
        status.get_details_bad_request().unwrap().field_violations
    };

    // 30 KB, in one-byte and in three-byte characters.
    for text in ["x".repeat(30_000), "马".repeat(10_000), "8/".repeat(15_000)] {
        let fields = refused(v1::Position {
            fen: text,
            ..Default::default()
        })
        .await;
        assert!(
            fields.iter().all(|field| field.description.len() < 300),
            "{fields:?}"
        );
    }
    let fields = refused(fen("8/8/8/8/8/8/8/8 w - - 0 1").unwrap()).await;
    assert!(
        fields.len() >= 2 && fields.iter().all(|field| field.field == "position.fen"),
        "{fields:?}"
    );
    let fields = refused(v1::Position {
        variant: 9,
        fen_mode: 1000,
        ..Default::default()
    })
    .await;
    assert_eq!(fields.len(), 2);

    let mut moves: Vec<String> = ["g1f3", "g8f6", "f3g1", "f6g8"]
        .repeat(5)
        .into_iter()
        .map(String::from)
        .collect();
    moves[17] = "e2e5".into();
    let fields = refused(v1::Position {
        moves: moves.clone(),
        ..Default::default()
    })
    .await;
    assert_eq!(fields[0].field, "position.moves[17]");
    assert!(fields[0].description.starts_with("`e2e5`"), "{fields:?}");
    moves[17] = "q".repeat(30_000);
    assert_eq!(
        refused(v1::Position {
            moves,
            ..Default::default()
        })
        .await[0]
            .field,
        "position.moves[17]"
    );
    let moves = vec!["g1f3".to_owned(); 5000];
    assert_eq!(
        refused(v1::Position {
            moves,
            ..Default::default()
        })
        .await[0]
            .field,
        "position.moves"
    );
}

#[tokio::test]
async fn lenient_reading_says_what_it_repaired() {
    let (_server, mut client) = client().await;
    let mut position = fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR").unwrap();
    position.set_fen_mode(FenMode::Lenient);
    let request = v1::LegalMovesRequest {
        position: Some(position),
        include_fen: false,
    };
    let response = client.legal_moves(request).await.unwrap().into_inner();
    assert!(!response.repairs.is_empty());
}

#[tokio::test]
async fn lines_are_played_in_every_notation() {
    let (_server, mut client) = client().await;
    let san = ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "O-O"]
        .map(String::from)
        .to_vec();
    let request = v1::PlayMovesRequest {
        position: None,
        moves: san.clone(),
        notation: MoveNotation::San.into(),
    };
    let played = client.play_moves(request).await.unwrap().into_inner();
    assert_eq!(
        played.moves.iter().map(|mv| mv.san.clone()).collect::<Vec<_>>(),
        san
    );
    assert_eq!(played.moves[6].uci, "e1g1");
    assert!(played.moves.iter().all(|mv| !mv.chinese.is_ascii()));
    assert_eq!(played.fen, played.moves[6].fen);

    // Each notation that came out goes in again.
    for (notation, texts) in [
        (
            MoveNotation::Uci,
            played.moves.iter().map(|mv| mv.uci.clone()).collect(),
        ),
        (
            MoveNotation::Chinese,
            played.moves.iter().map(|mv| mv.chinese.clone()).collect(),
        ),
        (
            MoveNotation::Unspecified,
            vec!["e2e4".into(), "e5".into(), played.moves[2].chinese.clone()],
        ),
    ] {
        let texts: Vec<String> = texts;
        let request = v1::PlayMovesRequest {
            position: None,
            moves: texts.clone(),
            notation: notation.into(),
        };
        let again = client.play_moves(request).await.unwrap().into_inner();
        assert_eq!(
            again.moves.as_slice(),
            &played.moves[..texts.len()],
            "{notation:?}"
        );
    }

    let moves = ["e4", "e5", "Ke3"].map(String::from).to_vec();
    let request = v1::PlayMovesRequest {
        position: None,
        moves,
        notation: 0,
    };
    let status = client.play_moves(request).await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
    assert_eq!(
        status.get_details_bad_request().unwrap().field_violations[0].field,
        "moves[2]"
    );
    let request = v1::PlayMovesRequest {
        position: None,
        moves: vec![],
        notation: 42,
    };
    assert_eq!(
        client.play_moves(request).await.unwrap_err().code(),
        Code::InvalidArgument
    );
    let request = v1::PlayMovesRequest {
        position: None,
        moves: vec!["e4".into(); 5000],
        notation: 0,
    };
    assert_eq!(
        client.play_moves(request).await.unwrap_err().code(),
        Code::InvalidArgument
    );
}

#[tokio::test]
async fn perft_counts_and_divides() {
    let (_server, mut client) = client().await;
    let ask = |depth, divide| v1::PerftRequest {
        position: None,
        depth,
        divide,
    };
    for (depth, nodes) in [(0, 1), (1, 20), (2, 400), (5, 4_865_609)] {
        let response = client.perft(ask(depth, false)).await.unwrap().into_inner();
        assert_eq!(response.nodes, nodes);
        assert!(response.divisions.is_empty());
    }
    let divided = client.perft(ask(4, true)).await.unwrap().into_inner();
    assert_eq!(divided.nodes, 197_281);
    assert_eq!(divided.divisions.len(), 20);
    assert_eq!(
        divided
            .divisions
            .iter()
            .map(|division| division.nodes)
            .sum::<u64>(),
        197_281
    );
    assert_eq!(
        client.perft(ask(21, false)).await.unwrap_err().code(),
        Code::InvalidArgument
    );
}

#[tokio::test]
async fn a_stream_keeps_its_order_and_survives_wrong_items() {
    let (_server, mut client) = client().await;
    let items: Vec<_> = (0..500)
        .map(|index| v1::BatchLegalMovesRequest {
            id: format!("item {index}"),
            position: if index % 7 == 3 { fen("nonsense") } else { None },
            include_fen: false,
        })
        .collect();
    let mut answers = client
        .batch_legal_moves(tokio_stream::iter(items))
        .await
        .unwrap()
        .into_inner();
    for index in 0..500_u64 {
        let answer = answers.message().await.unwrap().unwrap();
        assert_eq!(
            (answer.index, answer.id.as_str()),
            (index, format!("item {index}").as_str())
        );
        match answer.outcome.unwrap() {
            Outcome::Response(response) => assert_eq!((index % 7 != 3, response.moves.len()), (true, 20)),
            Outcome::Error(error) => {
                assert_eq!((index % 7, error.code), (3, Code::InvalidArgument as i32));
                assert_eq!(error.violations[0].field, "position.fen");
            }
        }
    }
    assert!(answers.message().await.unwrap().is_none());

    let item = v1::BatchLegalMovesRequest {
        id: "x".repeat(300),
        ..Default::default()
    };
    let mut answers = client
        .batch_legal_moves(tokio_stream::iter([item]))
        .await
        .unwrap()
        .into_inner();
    let answer = answers.message().await.unwrap().unwrap();
    assert!(matches!(answer.outcome, Some(Outcome::Error(_))));
    assert_eq!(answer.id.len(), 256);
}
