use std::{
    sync::{Arc, atomic::AtomicBool},
    time::Instant,
};

use tabiya_api::{
    convert::{
        Desk, RulesetReader, adjudicate, batch_adjudicate_fields, compare_rulings, standings_question,
        standings_response,
    },
    error::ServiceError,
    v1::{self, Language, arbiter_service_server::ArbiterService},
};
use tonic::{Request, Response, Status, Streaming};

use super::{
    Context,
    bulk::{self, Answers},
    long, mate,
};
use crate::{
    compute::StopGuard,
    engine::{ADJUDICATION_BYTES, COMPARISON_BYTES, Engine, Held},
};

/// What an arbiter decides, as a service.
#[derive(Clone, Debug)]
pub(crate) struct Arbiter {
    engine: Engine,
}

impl Arbiter {
    pub(crate) fn new(engine: Engine) -> Self {
        Self { engine }
    }

    /// What the work of a call needs besides its message.
    fn office(&self, context: &Context) -> Office {
        Office {
            engine: self.engine.clone(),
            language: context.language,
            answer_by: context.answer_by(),
        }
    }
}

/// Where the requests of a call are worked on.
struct Office {
    engine: Engine,
    language: Language,
    answer_by: Option<Instant>,
}

impl Office {
    fn desk(&self, stop: &Arc<AtomicBool>) -> Desk {
        Desk {
            rulesets: RulesetReader::new(self.engine.rulesets.clone()),
            language: self.language,
            stop: stop.clone(),
        }
    }

    /// Memory for work on this thread, once there is so much.
    ///
    /// # Errors
    /// DEADLINE_EXCEEDED if there is none in time.
    fn memory(&self, bytes: usize, stop: &AtomicBool) -> Result<Held, ServiceError> {
        let held = self.engine.proofs.take(bytes, self.answer_by, stop);
        held.ok_or(ServiceError::DeadlineExceeded)
    }
}

#[tonic::async_trait]
impl ArbiterService for Arbiter {
    async fn adjudicate(
        &self,
        request: Request<v1::AdjudicateRequest>,
    ) -> Result<Response<v1::AdjudicateResponse>, Status> {
        let (context, message) = Context::of(request);
        let office = self.office(&context);
        long::work(&self.engine, &self.engine.rules, &context, move |stop| {
            let _held = office.memory(ADJUDICATION_BYTES, stop)?;
            adjudicate(&office.desk(stop), &message)
        })
        .await
    }

    type BatchAdjudicateStream = Answers<v1::BatchAdjudicateResponse>;

    async fn batch_adjudicate(
        &self,
        request: Request<Streaming<v1::BatchAdjudicateRequest>>,
    ) -> Result<Response<Self::BatchAdjudicateStream>, Status> {
        let (context, items) = Context::of(request);
        let office = self.office(&context);
        let guard = StopGuard::default();
        let desk = office.desk(&guard.flag());
        let answer = move |item| {
            let _held = office.memory(ADJUDICATION_BYTES, &desk.stop)?;
            adjudicate(&desk, &batch_adjudicate_fields(item))
        };
        let answers = bulk::ordered(items, &context, &self.engine, guard, answer);
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
        let office = self.office(&context);
        long::work(&self.engine, &self.engine.rules, &context, move |stop| {
            office.desk(stop).rulesets.get(&message)
        })
        .await
    }

    async fn compare_rulings(
        &self,
        request: Request<v1::CompareRulingsRequest>,
    ) -> Result<Response<v1::CompareRulingsResponse>, Status> {
        let (context, message) = Context::of(request);
        let office = self.office(&context);
        long::work(&self.engine, &self.engine.rules, &context, move |stop| {
            let _held = office.memory(COMPARISON_BYTES, stop)?;
            compare_rulings(&office.desk(stop), &message)
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
        let office = self.office(&context);
        long::work(&self.engine, &self.engine.rules, &context, move |stop| {
            let desk = office.desk(stop);
            standings_response(&desk, &standings_question(&desk, &message)?)
        })
        .await
    }
}
