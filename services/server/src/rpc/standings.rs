//! Ranking events, on a compute thread: large ones take longer than an I/O thread may wait.

use tabiya_api::{
    convert::{Desk, standings_question, standings_response},
    v1,
};
use tonic::{Response, Status};

use super::{Context, rules::on_the_spot_or};
use crate::compute::Pool;

pub(super) async fn standings(
    pool: &Pool,
    context: &Context,
    desk: Desk,
    message: v1::StandingsRequest,
) -> Result<Response<v1::StandingsResponse>, Status> {
    on_the_spot_or(pool, usize::MAX, context, move || {
        standings_response(&standings_question(&desk, &message)?)
    })
    .await
}
