use std::time::{Duration, SystemTime};

use prost::Message;
use redb::{ReadTransaction, ReadableTable, WriteTransaction};
use tabiya_api::v1::stream_results_response::Outcome;

use super::{
    Embedded,
    tables::{self, BLOCKS, JOBS, META, NUMBERS, PLACES, PROGRESS, ROWS, RUNNING, TASKS},
    transaction::Trouble,
};
use crate::{Block, Fault, Item, Job, JobId, JobStore, NewJob, Page, Progress, Row, Span};

/// The longest that a reader waits before it looks again by itself.
const LONGEST_WAIT: Duration = Duration::from_secs(1);

#[async_trait::async_trait]
impl JobStore for Embedded {
    async fn create(&self, new: NewJob) -> Result<Job, Fault> {
        self.on_disk(move |file| file.write(|transaction| create(transaction, new)))
            .await
    }

    async fn get(&self, id: &JobId) -> Result<Option<(Job, Progress)>, Fault> {
        let id = id.clone();
        self.on_disk(move |file| {
            file.read(|transaction| match number_of(transaction, &id)? {
                None => Ok(None),
                Some(number) => by_number(transaction, number),
            })
        })
        .await
    }

    async fn list(&self, token: &str, limit: usize) -> Result<Option<Page>, Fault> {
        let before = match token {
            "" => u64::MAX,
            text => match text.parse() {
                Ok(number) => number,
                Err(_) => return Ok(None),
            },
        };
        self.on_disk(move |file| file.read(|transaction| list(transaction, before, limit).map(Some)))
            .await
    }

    async fn running(&self) -> Result<Vec<(Job, Progress)>, Fault> {
        self.on_disk(|file| {
            file.read(|transaction| {
                let mut jobs = Vec::new();
                for entry in transaction.open_table(RUNNING)?.iter()? {
                    jobs.extend(one_of_several(transaction, entry?.0.value())?);
                }
                Ok(jobs)
            })
        })
        .await
    }

    async fn unended(&self) -> Result<Vec<Job>, Fault> {
        let running = self.running().await?;
        Ok(running.into_iter().map(|(job, _)| job).collect())
    }

    async fn cancel(&self, id: &JobId) -> Result<Option<(Job, Progress)>, Fault> {
        let id = id.clone();
        let cancelled = self
            .on_disk(move |file| file.write(|transaction| cancel(transaction, &id)))
            .await?;
        self.shared.tell_news();
        Ok(cancelled)
    }

    async fn items(&self, id: &JobId, span: Span) -> Result<Vec<Item>, Fault> {
        let id = id.clone();
        self.on_disk(move |file| {
            let blocks = file.read(|transaction| {
                let Some(number) = number_of(transaction, &id)? else {
                    return Err(Fault::Failed(format!("there is no job {id}")).into());
                };
                let table = transaction.open_table(BLOCKS)?;
                let mut blocks = Vec::new();
                for block in Block::numbers(span) {
                    if let Some(bytes) = table.get((number, block))? {
                        blocks.push(Block(bytes.value().to_vec()));
                    }
                }
                Ok(blocks)
            })?;
            Block::pick(blocks, span)
        })
        .await
    }

    async fn missing(&self, id: &JobId, span: Span) -> Result<Vec<u32>, Fault> {
        let id = id.clone();
        self.on_disk(move |file| {
            file.read(|transaction| {
                let Some(number) = number_of(transaction, &id)? else {
                    return Ok(Vec::new());
                };
                let table = transaction.open_table(PLACES)?;
                let mut missing = Vec::new();
                let mut next = span.first;
                for entry in table.range((number, span.first)..(number, span.end()))? {
                    let (_, place) = entry?.0.value();
                    missing.extend(next..place);
                    next = place + 1;
                }
                missing.extend(next..span.end());
                Ok(missing)
            })
        })
        .await
    }

    async fn put(&self, id: &JobId, rows: Vec<Row>) -> Result<Option<Progress>, Fault> {
        let id = id.clone();
        let progress = self
            .on_disk(move |file| file.write(|transaction| put(transaction, &id, &rows)))
            .await?;
        self.shared.tell_news();
        Ok(progress)
    }

    async fn results(&self, id: &JobId, after: &str, limit: usize) -> Result<Option<Vec<Row>>, Fault> {
        let (id, after) = (id.clone(), after.to_owned());
        self.on_disk(move |file| file.read(|transaction| results(transaction, &id, &after, limit)))
            .await
    }

    async fn changed(&self, id: &JobId, after: &str) -> Result<(), Fault> {
        let mut news = self.shared.news.subscribe();
        let more = self
            .results(id, after, 1)
            .await?
            .is_some_and(|rows| !rows.is_empty());
        let running = |(job, progress): (Job, Progress)| progress.is_running(job.items);
        if more || !self.get(id).await?.is_some_and(running) {
            return Ok(());
        }
        // Any change of any job wakes every reader: they look, and wait again.
        let _ = tokio::time::timeout(LONGEST_WAIT, news.changed()).await;
        Ok(())
    }

    async fn delete(&self, id: &JobId) -> Result<(), Fault> {
        let id = id.clone();
        self.on_disk(move |file| file.write(|transaction| delete(transaction, &id)))
            .await?;
        self.shared.tell_news();
        Ok(())
    }
}

fn number_of(transaction: &ReadTransaction, id: &JobId) -> Result<Option<u64>, Trouble> {
    tables::number(&transaction.open_table(NUMBERS)?, id.as_str())
}

fn by_number(transaction: &ReadTransaction, number: u64) -> Result<Option<(Job, Progress)>, Trouble> {
    let job = tables::job(&transaction.open_table(JOBS)?, number)?;
    let progress = tables::progress(&transaction.open_table(PROGRESS)?, number)?;
    Ok(job.zip(progress))
}

/// The job of a number, unless it cannot be read: that is no reason to tell nothing about the others.
fn one_of_several(transaction: &ReadTransaction, number: u64) -> Result<Option<(Job, Progress)>, Trouble> {
    match by_number(transaction, number) {
        Err(Trouble::Own(fault @ Fault::Damaged(_))) => {
            tracing::error!(%fault, "a job is left aside");
            Ok(None)
        }
        found => found,
    }
}

fn create(transaction: &WriteTransaction, new: NewJob) -> Result<Job, Trouble> {
    let mut numbers = transaction.open_table(NUMBERS)?;
    let mut jobs = transaction.open_table(JOBS)?;
    if let Some(number) = tables::number(&numbers, &new.job.job_id)? {
        return match tables::job(&jobs, number)? {
            Some(job) => Ok(job),
            None => Err(Fault::Damaged(format!("job {number} is missing")).into()),
        };
    }
    let mut running = transaction.open_table(RUNNING)?;
    let mut others = Vec::new();
    for entry in running.iter()? {
        others.extend(tables::job(&jobs, entry?.0.value())?);
    }
    new.quotas.admit(&others, &new.job)?;
    let mut meta = transaction.open_table(META)?;
    let number = meta.get("next")?.map_or(1, |next| next.value());
    meta.insert("next", number + 1)?;
    numbers.insert(new.job.job_id.as_str(), number)?;
    jobs.insert(number, new.job.encode_to_vec().as_slice())?;
    let begun = Progress::default().encode_to_vec();
    transaction
        .open_table(PROGRESS)?
        .insert(number, begun.as_slice())?;
    running.insert(number, ())?;
    let mut blocks = transaction.open_table(BLOCKS)?;
    for (index, block) in (0..).zip(new.blocks.iter()) {
        blocks.insert((number, index), block.0.as_slice())?;
    }
    Ok(new.job)
}

fn list(transaction: &ReadTransaction, before: u64, limit: usize) -> Result<Page, Trouble> {
    let jobs = transaction.open_table(JOBS)?;
    let mut page = Page::default();
    let mut last = 0;
    for entry in jobs.range(..before)?.rev() {
        if page.jobs.len() == limit {
            page.next = last.to_string();
            break;
        }
        last = entry?.0.value();
        page.jobs.extend(one_of_several(transaction, last)?);
    }
    Ok(page)
}

/// A job's number and record, and how far it is, in a transaction that changes it.
fn open(transaction: &WriteTransaction, id: &JobId) -> Result<Option<(u64, Job, Progress)>, Trouble> {
    let Some(number) = tables::number(&transaction.open_table(NUMBERS)?, id.as_str())? else {
        return Ok(None);
    };
    let job = tables::job(&transaction.open_table(JOBS)?, number)?;
    let progress = tables::progress(&transaction.open_table(PROGRESS)?, number)?;
    match job.zip(progress) {
        Some((job, progress)) => Ok(Some((number, job, progress))),
        None => Err(Fault::Damaged(format!("job {number} is missing")).into()),
    }
}

/// Ends a job: its tasks are of no use any more.
fn end(transaction: &WriteTransaction, number: u64, progress: &mut Progress) -> Result<(), Trouble> {
    progress.end_time = Some(SystemTime::now().into());
    transaction.open_table(RUNNING)?.remove(number)?;
    let all = (number, 0)..=(number, u32::MAX);
    transaction.open_table(TASKS)?.retain_in(all, |_, _| false)?;
    Ok(())
}

fn cancel(transaction: &WriteTransaction, id: &JobId) -> Result<Option<(Job, Progress)>, Trouble> {
    let Some((number, job, mut progress)) = open(transaction, id)? else {
        return Ok(None);
    };
    if progress.is_running(job.items) {
        progress.cancelled = true;
        end(transaction, number, &mut progress)?;
        let bytes = progress.encode_to_vec();
        transaction
            .open_table(PROGRESS)?
            .insert(number, bytes.as_slice())?;
    }
    Ok(Some((job, progress)))
}

fn put(transaction: &WriteTransaction, id: &JobId, rows: &[Row]) -> Result<Option<Progress>, Trouble> {
    let Some((number, job, mut progress)) = open(transaction, id)? else {
        return Ok(None);
    };
    if !progress.is_running(job.items) {
        return Ok(Some(progress));
    }
    {
        let mut places = transaction.open_table(PLACES)?;
        let mut table = transaction.open_table(ROWS)?;
        for row in rows.iter().filter(|row| row.index < job.items) {
            if places.insert((number, row.index), ())?.is_some() {
                continue;
            }
            table.insert((number, progress.results), row.encode_to_vec().as_slice())?;
            progress.results += 1;
            progress.errors += u32::from(matches!(row.outcome, Some(Outcome::Error(_))));
        }
    }
    if !progress.is_running(job.items) {
        end(transaction, number, &mut progress)?;
    }
    let bytes = progress.encode_to_vec();
    transaction
        .open_table(PROGRESS)?
        .insert(number, bytes.as_slice())?;
    Ok(Some(progress))
}

/// A cursor is the job's number and how many results the reader has.
fn cursor(number: u64, has: u32) -> String {
    format!("{number}.{has}")
}

fn results(
    transaction: &ReadTransaction,
    id: &JobId,
    after: &str,
    limit: usize,
) -> Result<Option<Vec<Row>>, Trouble> {
    let Some(number) = number_of(transaction, id)? else {
        return Ok(None);
    };
    let has: u32 = match after.split_once('.') {
        None if after.is_empty() => 0,
        Some((of, has)) if of.parse() == Ok(number) => match has.parse() {
            Ok(has) => has,
            Err(_) => return Ok(None),
        },
        _ => return Ok(None),
    };
    let table = transaction.open_table(ROWS)?;
    let mut rows = Vec::new();
    for entry in table.range((number, has)..=(number, u32::MAX))?.take(limit) {
        let (key, value) = entry?;
        let (_, place) = key.value();
        let row = Row::decode(value.value())
            .map_err(|error| Fault::Damaged(format!("result {place} of job {number}: {error}")))?;
        rows.push(Row {
            cursor: cursor(number, place + 1),
            ..row
        });
    }
    Ok(Some(rows))
}

fn delete(transaction: &WriteTransaction, id: &JobId) -> Result<(), Trouble> {
    let Some(number) = transaction
        .open_table(NUMBERS)?
        .remove(id.as_str())?
        .map(|number| number.value())
    else {
        return Ok(());
    };
    transaction.open_table(JOBS)?.remove(number)?;
    transaction.open_table(PROGRESS)?.remove(number)?;
    transaction.open_table(RUNNING)?.remove(number)?;
    let all = || (number, 0)..=(number, u32::MAX);
    transaction.open_table(BLOCKS)?.retain_in(all(), |_, _| false)?;
    transaction.open_table(ROWS)?.retain_in(all(), |_, _| false)?;
    transaction.open_table(PLACES)?.retain_in(all(), |_, _| false)?;
    transaction.open_table(TASKS)?.retain_in(all(), |_, _| false)?;
    Ok(())
}
