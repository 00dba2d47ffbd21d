//! Asks for legal moves, then for searches of three positions.

use tabiya_client::{Client, v1};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let endpoint = std::env::args().nth(1).unwrap_or("127.0.0.1:50051".to_owned());
    let client = Client::connect(&endpoint).await?;
    let after = |line: &str| v1::Position {
        moves: line.split_whitespace().map(str::to_owned).collect(),
        ..Default::default()
    };
    let limits = v1::Limits {
        nodes: 20_000,
        ..Default::default()
    };

    let legal = client.legal_moves(v1::LegalMovesRequest {
        position: Some(after("e2e4 e7e5")),
        include_fen: false,
    });
    println!("{} legal moves", legal.await?.moves.len());

    // Many at once: sent as answers come back, resumed if the connection breaks.
    let items = ["e2e4", "d2d4", "g1f3"].map(|line| v1::BatchAnalyzeRequest {
        id: line.to_owned(),
        position: Some(after(line)),
        limits: Some(limits),
        ..Default::default()
    });
    let mut results = client.analyze_many(tokio_stream::iter(items), 64);
    while let Some(result) = results.next().await {
        let result = result?;
        match result.outcome {
            Some(v1::batch_analyze_response::Outcome::Response(answer)) => {
                println!("{}: {}", result.id, answer.best_move);
            }
            other => println!("{}: {other:?}", result.id),
        }
    }
    Ok(())
}
