use tabiya_api::{
    convert::{adjudicate_question, adjudicate_response, check_id, get_ruleset, list_rulesets},
    error::ServiceError,
    v1::{
        self, adjudicate_request, arbiter_service_server::ArbiterService, batch_adjudicate_request,
        batch_adjudicate_response::Outcome,
    },
};
use tonic::{Request, Response, Status, Streaming};

use super::{
    Context,
    bulk::{self, Answers},
    rules::{bounded, on_the_spot_or},
    standings,
};
use crate::engine::Engine;

/// What an arbiter decides, as a service.
#[derive(Clone, Debug)]
pub(crate) struct Arbiter {
    engine: Engine,
}

impl Arbiter {
    pub(crate) fn new(engine: Engine) -> Self {
        Self { engine }
    }
}

#[tonic::async_trait]
impl ArbiterService for Arbiter {
    async fn adjudicate(
        &self,
        request: Request<v1::AdjudicateRequest>,
    ) -> Result<Response<v1::AdjudicateResponse>, Status> {
        let (context, message) = Context::of(request);
        on_the_spot_or(
            &self.engine.rules,
            // Never on the spot: a proof of who can mate may take longer than an I/O thread may wait.
            usize::MAX,
            &context,
            move || adjudicate(&message),
        )
        .await
    }

    type BatchAdjudicateStream = Answers<v1::BatchAdjudicateResponse>;

    async fn batch_adjudicate(
        &self,
        request: Request<Streaming<v1::BatchAdjudicateRequest>>,
    ) -> Result<Response<Self::BatchAdjudicateStream>, Status> {
        let (context, items) = Context::of(request);
        let answers = bulk::ordered(
            items,
            &context,
            &self.engine.rules_bulk,
            &self.engine.lifecycle,
            adjudicate_item,
            lost_item,
        );
        Ok(Response::new(answers))
    }

    async fn list_rulesets(
        &self,
        _request: Request<v1::ListRulesetsRequest>,
    ) -> Result<Response<v1::ListRulesetsResponse>, Status> {
        Ok(Response::new(list_rulesets()?))
    }

    async fn get_ruleset(
        &self,
        request: Request<v1::GetRulesetRequest>,
    ) -> Result<Response<v1::GetRulesetResponse>, Status> {
        Ok(Response::new(get_ruleset(request.get_ref())?))
    }

    async fn compare_rulings(
        &self,
        _request: Request<v1::CompareRulingsRequest>,
    ) -> Result<Response<v1::CompareRulingsResponse>, Status> {
        Err(ServiceError::Unimplemented("comparing rulings is not served yet".into()).into())
    }

    async fn prove_mate(
        &self,
        _request: Request<v1::ProveMateRequest>,
    ) -> Result<Response<v1::ProveMateResponse>, Status> {
        Err(ServiceError::Unimplemented("proving mates is not served yet".into()).into())
    }

    async fn standings(
        &self,
        request: Request<v1::StandingsRequest>,
    ) -> Result<Response<v1::StandingsResponse>, Status> {
        standings::standings(&self.engine.rules, request).await
    }
}

fn adjudicate(request: &v1::AdjudicateRequest) -> Result<v1::AdjudicateResponse, ServiceError> {
    Ok(adjudicate_response(&adjudicate_question(request)?))
}

fn adjudicate_item(index: u64, item: v1::BatchAdjudicateRequest) -> v1::BatchAdjudicateResponse {
    use batch_adjudicate_request::Game as ItemGame;

    let request = v1::AdjudicateRequest {
        ruleset: item.ruleset,
        game: item.game.map(|game| match game {
            ItemGame::Position(position) => adjudicate_request::Game::Position(position),
            ItemGame::Pgn(pgn) => adjudicate_request::Game::Pgn(pgn),
        }),
        events: item.events,
        language: item.language,
        overrides: item.overrides,
        time_control: item.time_control,
        ruleset_toml: item.ruleset_toml,
    };
    let answer = check_id(&item.id)
        .map_err(ServiceError::from)
        .and_then(|()| adjudicate(&request));
    let outcome = match answer {
        Ok(response) => Outcome::Response(response),
        Err(error) => Outcome::Error(error.to_item_error()),
    };
    v1::BatchAdjudicateResponse {
        id: bounded(item.id),
        index,
        outcome: Some(outcome),
    }
}

fn lost_item(index: u64, error: ServiceError) -> v1::BatchAdjudicateResponse {
    v1::BatchAdjudicateResponse {
        id: String::new(),
        index,
        outcome: Some(Outcome::Error(error.to_item_error())),
    }
}
