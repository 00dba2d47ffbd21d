use tabiya_api::{
    convert::{Desk, RulesetReader, adjudicate, batch_adjudicate_fields, compare_rulings},
    v1::{self, arbiter_service_server::ArbiterService},
};
use tonic::{Request, Response, Status, Streaming};

use super::{
    Context,
    bulk::{self, Answers},
    mate,
    rules::on_the_spot_or,
    standings,
};
use crate::engine::Engine;

/// Work that is never done on the spot: a proof of who can mate, or a ruleset's text, may take longer than an I/O thread may
/// wait.
const LONG: usize = usize::MAX;

/// What an arbiter decides, as a service.
#[derive(Clone, Debug)]
pub(crate) struct Arbiter {
    engine: Engine,
}

impl Arbiter {
    pub(crate) fn new(engine: Engine) -> Self {
        Self { engine }
    }

    /// What the requests of a call have in common.
    fn desk(&self, context: &Context) -> Desk {
        Desk {
            rulesets: RulesetReader::new(self.engine.rulesets.clone()),
            language: context.language,
        }
    }
}

#[tonic::async_trait]
impl ArbiterService for Arbiter {
    async fn adjudicate(
        &self,
        request: Request<v1::AdjudicateRequest>,
    ) -> Result<Response<v1::AdjudicateResponse>, Status> {
        let (context, message) = Context::of(request);
        let desk = self.desk(&context);
        on_the_spot_or(&self.engine.rules, LONG, &context, move || {
            adjudicate(&desk, &message)
        })
        .await
    }

    type BatchAdjudicateStream = Answers<v1::BatchAdjudicateResponse>;

    async fn batch_adjudicate(
        &self,
        request: Request<Streaming<v1::BatchAdjudicateRequest>>,
    ) -> Result<Response<Self::BatchAdjudicateStream>, Status> {
        let (context, items) = Context::of(request);
        let desk = self.desk(&context);
        let answers = bulk::ordered(
            items,
            &context,
            &self.engine.rules_bulk,
            &self.engine.lifecycle,
            move |item| adjudicate(&desk, &batch_adjudicate_fields(item)),
        );
        Ok(Response::new(answers))
    }

    async fn list_rulesets(
        &self,
        _request: Request<v1::ListRulesetsRequest>,
    ) -> Result<Response<v1::ListRulesetsResponse>, Status> {
        Ok(Response::new(self.engine.rulesets.list()))
    }

    async fn get_ruleset(
        &self,
        request: Request<v1::GetRulesetRequest>,
    ) -> Result<Response<v1::GetRulesetResponse>, Status> {
        let (context, message) = Context::of(request);
        let desk = self.desk(&context);
        on_the_spot_or(&self.engine.rules, LONG, &context, move || {
            desk.rulesets.get(&message)
        })
        .await
    }

    async fn compare_rulings(
        &self,
        request: Request<v1::CompareRulingsRequest>,
    ) -> Result<Response<v1::CompareRulingsResponse>, Status> {
        let (context, message) = Context::of(request);
        let desk = self.desk(&context);
        on_the_spot_or(&self.engine.rules, LONG, &context, move || {
            compare_rulings(&desk, &message)
        })
        .await
    }

    async fn prove_mate(
        &self,
        request: Request<v1::ProveMateRequest>,
    ) -> Result<Response<v1::ProveMateResponse>, Status> {
        let (context, message) = Context::of(request);
        mate::prove(&self.engine, &context, message).await
    }

    async fn standings(
        &self,
        request: Request<v1::StandingsRequest>,
    ) -> Result<Response<v1::StandingsResponse>, Status> {
        let (context, message) = Context::of(request);
        let desk = self.desk(&context);
        standings::standings(&self.engine.rules, &context, desk, message).await
    }
}
