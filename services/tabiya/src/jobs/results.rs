//! `tabiya jobs results`.

use std::io::{self, Write};

use clap::Args;
use tabiya_client::v1::StreamResultsRequest;

use super::{PlaceArgs, row::ResultRow};
use crate::{
    failure::{Failure, Outcome},
    session::interrupt,
};

const EXAMPLE: &str = "\
Example:
  tabiya jobs results games-2026 --follow --endpoint http://127.0.0.1:50051

An object a result, in the order in which they were stored: cursor, item_id, index, fen, then best_move, score, pv, depth,
seldepth and nodes, or error. --after with the last cursor that was read goes on from there.";

/// Read a job's results, and with --follow wait for those to come.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub(super) struct ReadResults {
    /// The job's name
    #[arg(value_name = "JOB")]
    job: String,
    /// Leave out the results up to the one with this cursor
    #[arg(long, value_name = "CURSOR", default_value = "")]
    after: String,
    /// Go on with results as they come, until the job has ended
    #[arg(long)]
    follow: bool,
    #[command(flatten)]
    place: PlaceArgs,
}

impl ReadResults {
    pub(super) fn run(self) -> Result<Outcome, Failure> {
        let session = self.place.open()?;
        let request = StreamResultsRequest {
            job_id: self.job,
            after: self.after,
            follow: self.follow,
        };
        let failed = session.run(async {
            let mut results = session.client().job_results(request);
            let mut out = io::stdout();
            let mut failed = 0;
            let mut any = false;
            let work = async {
                while let Some(result) = results.next().await {
                    let result = match result {
                        Ok(result) => result,
                        Err(error) if any => return Err(Failure::BrokenOff(error.to_string())),
                        Err(error) => return Err(error.into()),
                    };
                    any = true;
                    let row = ResultRow::new(&result);
                    failed += u64::from(row.has_failed());
                    // A line at a time: whoever follows wants it now.
                    let mut line = serde_json::to_vec(&row).map_err(|error| Failure::stdout(error.into()))?;
                    line.push(b'\n');
                    out.write_all(&line).map_err(Failure::stdout)?;
                }
                out.flush().map_err(Failure::stdout)
            };
            let ended = tokio::select! {
                ended = work => ended,
                () = interrupt() => Err(Failure::Interrupted(String::new())),
            };
            ended.map(|()| failed)
        })?;
        if failed > 0 {
            eprintln!("{failed} items failed");
        }
        Ok(Outcome::of_failures(failed))
    }
}
