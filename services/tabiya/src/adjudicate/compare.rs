//! One game under several rulesets.

use tabiya_client::{
    Client, ClientError,
    v1::{
        BatchAdjudicateRequest, CompareRulingsRequest, CompareRulingsResponse, RulesetOverrides,
        batch_adjudicate_request, compare_rulings_request,
    },
};

/// Asks for the rulings of each of `rulesets` on a game; the switches of the request are changed in all of them.
pub(super) async fn compare(
    client: &Client,
    rulesets: &[String],
    item: &BatchAdjudicateRequest,
) -> Result<CompareRulingsResponse, ClientError> {
    client.compare_rulings(request(rulesets, item)).await
}

fn request(rulesets: &[String], item: &BatchAdjudicateRequest) -> CompareRulingsRequest {
    let places = 0..u32::try_from(rulesets.len()).unwrap_or(u32::MAX);
    let overrides = |ruleset| RulesetOverrides {
        ruleset,
        switches: item.overrides.clone(),
    };
    CompareRulingsRequest {
        rulesets: rulesets.to_vec(),
        game: item.game.clone().map(|game| match game {
            batch_adjudicate_request::Game::Position(position) => {
                compare_rulings_request::Game::Position(position)
            }
            batch_adjudicate_request::Game::Pgn(pgn) => compare_rulings_request::Game::Pgn(pgn),
        }),
        events: item.events.clone(),
        language: item.language,
        overrides: if item.overrides.is_empty() {
            Vec::new()
        } else {
            places.map(overrides).collect()
        },
        time_control: item.time_control.clone(),
        ruleset_tomls: Vec::new(),
    }
}
