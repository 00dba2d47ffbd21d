//! Ranking events, on a compute thread: large ones take longer than an I/O thread may wait.

use tabiya_api::{
    convert::{standings_question, standings_response},
    error::ServiceError,
    v1,
};
use tonic::{Request, Response, Status};

use super::{Context, rules::on_the_spot_or};
use crate::compute::Pool;

pub(super) async fn standings(
    pool: &Pool,
    request: Request<v1::StandingsRequest>,
) -> Result<Response<v1::StandingsResponse>, Status> {
    let (context, message) = Context::of(request);
    on_the_spot_or(pool, usize::MAX, &context, move || answer(&message)).await
}

fn answer(request: &v1::StandingsRequest) -> Result<v1::StandingsResponse, ServiceError> {
    standings_response(&standings_question(request)?)
}
