//! `tabiya jobs status`, `list` and `cancel`.

use std::io::{self, Write};

use clap::Args;
use tabiya_client::v1::{CancelJobRequest, GetJobRequest, Job, ListJobsRequest};

use super::{PlaceArgs, row::JobRow};
use crate::failure::{Failure, Outcome};

/// Jobs that are asked for at once.
const PAGE: i32 = 500;

/// Tell how far a job is.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  tabiya jobs status games-2026 --endpoint http://127.0.0.1:50051")]
pub(super) struct Status {
    /// The job's name
    #[arg(value_name = "JOB")]
    job: String,
    #[command(flatten)]
    place: PlaceArgs,
}

/// List all jobs, the newest first.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  tabiya jobs list --endpoint http://127.0.0.1:50051")]
pub(super) struct List {
    #[command(flatten)]
    place: PlaceArgs,
}

/// End a job early; what it has found stays readable.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  tabiya jobs cancel games-2026 --endpoint http://127.0.0.1:50051")]
pub(super) struct Cancel {
    /// The job's name
    #[arg(value_name = "JOB")]
    job: String,
    #[command(flatten)]
    place: PlaceArgs,
}

impl Status {
    pub(super) fn run(self) -> Result<Outcome, Failure> {
        let session = self.place.open()?;
        let request = GetJobRequest { job_id: self.job };
        let answer = session.run(session.client().get_job(request))?;
        print(answer.job.as_ref())
    }
}

impl List {
    pub(super) fn run(self) -> Result<Outcome, Failure> {
        let session = self.place.open()?;
        let mut request = ListJobsRequest {
            page_size: PAGE,
            ..ListJobsRequest::default()
        };
        loop {
            let page = session.run(session.client().list_jobs(request.clone()))?;
            print(&page.jobs)?;
            if page.next_page_token.is_empty() {
                return Ok(Outcome::Done);
            }
            request.page_token = page.next_page_token;
        }
    }
}

impl Cancel {
    pub(super) fn run(self) -> Result<Outcome, Failure> {
        let session = self.place.open()?;
        let request = CancelJobRequest { job_id: self.job };
        let answer = session.run(session.client().cancel_job(request))?;
        print(answer.job.as_ref())
    }
}

/// Prints a line for each job.
pub(super) fn print<'a>(jobs: impl IntoIterator<Item = &'a Job>) -> Result<Outcome, Failure> {
    let mut out = io::stdout().lock();
    for job in jobs {
        serde_json::to_writer(&mut out, &JobRow::new(job)).map_err(|error| Failure::stdout(error.into()))?;
        out.write_all(b"\n").map_err(Failure::stdout)?;
    }
    out.flush().map_err(Failure::stdout)?;
    Ok(Outcome::Done)
}
