use std::{
    collections::HashMap,
    fs, io,
    sync::atomic::{AtomicBool, Ordering},
    time::SystemTime,
};

use redb::{StorageBackend, backends::InMemoryBackend};
use tabiya_api::v1::JobState;

use super::*;
use crate::{
    Coordinator, Job, JobStore, Lease, Progress, Row, Span, Task, WorkQueue, WorkerInfo,
    testing::{best_move, failed, id, new_job, pins, row},
};

fn whole(items: u32) -> Span {
    Span {
        first: 0,
        count: items,
    }
}

async fn progress(jobs: &Embedded, name: &str) -> Progress {
    jobs.get(&id(name)).await.unwrap().unwrap().1
}

async fn read(jobs: &Embedded, name: &str, after: &str, limit: usize) -> Vec<Row> {
    jobs.results(&id(name), after, limit).await.unwrap().unwrap()
}

fn worker(engine: &str) -> WorkerInfo {
    WorkerInfo {
        name: "w".into(),
        pins: vec![pins(engine)],
        has_gpu: false,
    }
}

async fn lease(jobs: &Embedded) -> Option<Box<dyn Lease>> {
    let wait = Duration::from_millis(300);
    tokio::time::timeout(wait, jobs.lease(&worker("1")))
        .await
        .ok()
        .map(Result::unwrap)
}

async fn send(jobs: &Embedded, job: &Job) {
    let chunks: Vec<_> = job.chunks().collect();
    jobs.ensure(job, &chunks).await.unwrap();
}

#[tokio::test]
async fn a_job_is_kept_once_and_its_results_too() {
    let folder = tempfile::tempdir().unwrap();
    let jobs = Embedded::open(folder.path()).unwrap();
    let new = new_job("a", 300);
    assert_eq!(jobs.create(new.clone()).await.unwrap(), new.job);
    // The same name is the first job, whatever comes with it.
    assert_eq!(jobs.create(new_job("a", 5)).await.unwrap(), new.job);
    let items = jobs
        .items(
            &id("a"),
            Span {
                first: 250,
                count: 20,
            },
        )
        .await
        .unwrap();
    assert_eq!((items.len(), items[19].item_id.as_str()), (20, "i269"));
    assert!(
        jobs.items(
            &id("a"),
            Span {
                first: 290,
                count: 20
            }
        )
        .await
        .is_err()
    );
    assert!(jobs.items(&id("b"), whole(1)).await.is_err());

    jobs.put(&id("a"), vec![row(7, "first"), failed(3), row(300, "beyond")])
        .await
        .unwrap();
    let told = jobs
        .put(&id("a"), vec![row(7, "second"), row(4, "x")])
        .await
        .unwrap()
        .unwrap();
    assert_eq!((told.results, told.errors), (3, 1));
    assert_eq!(
        jobs.missing(&id("a"), Span { first: 2, count: 7 }).await.unwrap(),
        [2, 5, 6, 8]
    );
    assert_eq!(jobs.missing(&id("a"), whole(300)).await.unwrap().len(), 297);

    let rows = read(&jobs, "a", "", 2).await;
    assert_eq!(
        (rows[0].index, best_move(&rows[0]), rows[1].index),
        (7, "first", 3)
    );
    let rest = read(&jobs, "a", &rows[1].cursor, 9).await;
    assert_eq!(rest.iter().map(|row| row.index).collect::<Vec<_>>(), [4]);
    assert_eq!(read(&jobs, "a", &rest[0].cursor, 9).await, []);
    for wrong in ["x", "1", "2.0", "1.x", "1.-1"] {
        assert_eq!(jobs.results(&id("a"), wrong, 9).await.unwrap(), None, "{wrong}");
    }
    assert_eq!(jobs.put(&id("b"), vec![row(0, "")]).await.unwrap(), None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_jobs_at_once_no_more_than_the_quota_are_let_in() {
    let folder = tempfile::tempdir().unwrap();
    let jobs = Embedded::open(folder.path()).unwrap();
    let attempts = (0..8).map(|nth| {
        let jobs = jobs.clone();
        let mut new = new_job(&format!("j{nth}"), 1);
        new.quotas.running_jobs = 3;
        tokio::spawn(async move { jobs.create(new).await })
    });
    let mut let_in = 0;
    for attempt in attempts.collect::<Vec<_>>() {
        match attempt.await.unwrap() {
            Ok(_) => let_in += 1,
            Err(fault) => assert!(matches!(fault, Fault::Full { .. }), "{fault}"),
        }
    }
    assert_eq!(let_in, 3);
    assert_eq!(jobs.unended().await.unwrap().len(), 3);
    // What is there is found, and a job that has ended makes room.
    let there = jobs.unended().await.unwrap().remove(0).job_id;
    let mut again = new_job(&there, 1);
    again.quotas.running_jobs = 3;
    jobs.create(again.clone()).await.unwrap();
    jobs.cancel(&id(&there)).await.unwrap();
    again.job.job_id = "another".into();
    jobs.create(again.clone()).await.unwrap();
    // Bytes are counted, too.
    again.job.job_id = "large".into();
    again.quotas.running_jobs = 10;
    again.quotas.bytes = again.job.bytes * 4 - 1;
    let fault = jobs.create(again.clone()).await.unwrap_err();
    assert!(matches!(fault, Fault::Full { .. }), "{fault}");
    again.quotas.bytes += 1;
    jobs.create(again).await.unwrap();
}

#[tokio::test]
async fn a_job_ends_complete_or_cancelled_and_stays_so() {
    let folder = tempfile::tempdir().unwrap();
    let jobs = Embedded::open(folder.path()).unwrap();
    for name in ["a", "b", "c"] {
        jobs.create(new_job(name, 2)).await.unwrap();
    }
    jobs.put(&id("a"), vec![row(0, ""), row(1, "")]).await.unwrap();
    jobs.put(&id("b"), vec![row(0, ""), failed(1)]).await.unwrap();
    assert_eq!(progress(&jobs, "a").await.state(2), JobState::Completed);
    assert_eq!(progress(&jobs, "b").await.state(2), JobState::CompletedWithErrors);
    assert_eq!(progress(&jobs, "c").await.state(2), JobState::Running);
    assert_eq!(progress(&jobs, "c").await.end_time, None);
    let running: Vec<_> = jobs
        .running()
        .await
        .unwrap()
        .into_iter()
        .map(|(job, _)| job.job_id)
        .collect();
    assert_eq!(running, ["c"]);

    jobs.put(&id("c"), vec![row(0, "kept")]).await.unwrap();
    let (_, cancelled) = jobs.cancel(&id("c")).await.unwrap().unwrap();
    assert_eq!(cancelled.state(2), JobState::Cancelled);
    // Late results are dropped, a second cancellation changes nothing, and what has ended is not cancelled.
    jobs.put(&id("c"), vec![row(1, "late")]).await.unwrap();
    assert_eq!(jobs.cancel(&id("c")).await.unwrap().unwrap().1, cancelled);
    assert_eq!(
        jobs.cancel(&id("a")).await.unwrap().unwrap().1.state(2),
        JobState::Completed
    );
    assert_eq!(jobs.cancel(&id("d")).await.unwrap(), None);
    assert_eq!(read(&jobs, "c", "", 9).await.len(), 1);
    assert_eq!(jobs.running().await.unwrap(), []);
}

#[tokio::test]
async fn lists_have_pages_from_new_to_old() {
    let folder = tempfile::tempdir().unwrap();
    let jobs = Embedded::open(folder.path()).unwrap();
    for name in ["a", "b", "c", "d", "e"] {
        jobs.create(new_job(name, 1)).await.unwrap();
    }
    let mut seen = Vec::new();
    let mut token = String::new();
    loop {
        let page = jobs.list(&token, 2).await.unwrap().unwrap();
        seen.push(
            page.jobs
                .iter()
                .map(|(job, _)| job.job_id.clone())
                .collect::<String>(),
        );
        token = page.next;
        if token.is_empty() {
            break;
        }
    }
    assert_eq!(seen, ["ed", "cb", "a"]);
    assert_eq!(jobs.list("x", 2).await.unwrap(), None);
}

#[tokio::test]
async fn tasks_are_found_again_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let new = new_job("a", 20);
    {
        let jobs = Embedded::open(folder.path()).unwrap();
        jobs.create(new.clone()).await.unwrap();
        send(&jobs, &new.job).await;
        let first = lease(&jobs).await.unwrap();
        let second = lease(&jobs).await.unwrap();
        assert_eq!(second.task().span, Span { first: 16, count: 4 });
        assert!(lease(&jobs).await.is_none());
        assert_eq!(jobs.why_waiting(&new.job).await.unwrap(), None);
        let parts = [Span { first: 0, count: 8 }, Span { first: 8, count: 8 }];
        first.split(&parts).await.unwrap();
        let third = lease(&jobs).await.unwrap();
        assert_eq!((third.task().span, third.task().tries()), (parts[0], 1));
        third.hand_back(Duration::ZERO).await.unwrap();
        // No word of its end: the process may have died of it.
        drop(second);
        // A failure that was told of.
        let fourth = lease(&jobs).await.unwrap();
        assert_eq!(fourth.task().span, parts[1]);
        fourth.retry(Duration::ZERO).await.unwrap();
    }
    let jobs = Embedded::open(folder.path()).unwrap();
    send(&jobs, &new.job).await;
    let mut found: Vec<Task> = Vec::new();
    let mut held = Vec::new();
    while let Some(lease) = lease(&jobs).await {
        found.push(lease.task().clone());
        held.push(lease);
    }
    let found: Vec<_> = found
        .iter()
        .map(|task| (task.span.first, task.span.count, task.tries(), task.past.suspect))
        .collect();
    assert_eq!(found, [(0, 8, 1, false), (8, 8, 2, false), (16, 4, 1, true)]);
    // What is forgotten is lost to those who hold it.
    jobs.forget(&id("a")).await.unwrap();
    assert!(held[0].renew().await.is_err());
    assert_eq!(jobs.depth().await.unwrap(), crate::Depth::default());
}

#[tokio::test]
async fn old_jobs_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    let jobs = Arc::new(Embedded::open(folder.path()).unwrap());
    for name in ["a", "b"] {
        jobs.create(new_job(name, 1)).await.unwrap();
    }
    jobs.put(&id("a"), vec![row(0, "")]).await.unwrap();
    let coordinator = Coordinator {
        store: jobs.clone(),
        queue: jobs.clone(),
        keep: Duration::from_secs(3600),
    };
    let hour = |hours: u64| SystemTime::now() + Duration::from_secs(3600 * hours - 60);
    coordinator.round(&mut HashMap::new(), hour(1)).await.unwrap();
    assert!(jobs.get(&id("a")).await.unwrap().is_some());
    coordinator.round(&mut HashMap::new(), hour(2)).await.unwrap();
    assert!(jobs.get(&id("a")).await.unwrap().is_none());
    assert_eq!(jobs.results(&id("a"), "", 9).await.unwrap(), None);
    assert!(jobs.get(&id("b")).await.unwrap().is_some());
    assert_eq!(jobs.depth().await.unwrap().waiting, 1, "what is missing is sent");
    // The name is free again, and nothing of the old job is there.
    jobs.create(new_job("a", 3)).await.unwrap();
    assert_eq!(jobs.missing(&id("a"), whole(3)).await.unwrap(), [0, 1, 2]);
}

#[tokio::test]
async fn a_folder_that_cannot_be_used_is_named_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let refusal = |path: &Path| Embedded::open(path).unwrap_err().to_string();
    let jobs = Embedded::open(folder.path()).unwrap();
    jobs.create(new_job("a", 300)).await.unwrap();
    let name = format!("jobs folder {}: ", folder.path().display());
    assert_eq!(refusal(folder.path()), format!("{name}in use by another process"));
    drop(jobs);

    let file = folder.path().join("jobs.redb");
    let good = fs::read(&file).unwrap();
    fs::write(
        &file,
        b"not a database at all, but long enough to be taken for one",
    )
    .unwrap();
    assert!(refusal(folder.path()).starts_with(&name));
    // Damage anywhere is found, or does no harm: nothing panics.
    for at in (0..good.len()).step_by(good.len() / 97) {
        let mut bad = good.clone();
        bad[at..(at + 64).min(good.len())].fill(0xa5);
        fs::write(&file, &bad).unwrap();
        if let Ok(jobs) = Embedded::open(folder.path()) {
            let _ = jobs.get(&id("a")).await;
            let _ = jobs.items(&id("a"), whole(300)).await;
        }
    }
    fs::write(&file, &good[..good.len() / 2]).unwrap();
    assert!(refusal(folder.path()).starts_with(&name));

    let plain = folder.path().join("plain");
    fs::write(&plain, "x").unwrap();
    assert!(refusal(&plain).contains("plain: "));
    #[cfg(target_os = "linux")]
    assert!(refusal(Path::new("/proc/jobs")).starts_with("jobs folder /proc/jobs: "));
}

/// A disk that is full when it is told so.
#[derive(Debug)]
struct Disk {
    memory: Arc<InMemoryBackend>,
    full: Arc<AtomicBool>,
}

impl Disk {
    fn room(&self) -> io::Result<()> {
        if self.full.load(Ordering::Relaxed) {
            Err(io::ErrorKind::StorageFull.into())
        } else {
            Ok(())
        }
    }
}

impl StorageBackend for Disk {
    fn len(&self) -> io::Result<u64> {
        self.memory.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.memory.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.room()?;
        self.memory.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.room()?;
        self.memory.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.room()?;
        self.memory.write(offset, data)
    }
}

#[tokio::test]
async fn a_full_disk_is_told_and_what_was_stored_is_there_when_it_has_room_again() {
    let (memory, full) = (Arc::new(InMemoryBackend::new()), Arc::new(AtomicBool::new(false)));
    let open = {
        let full = full.clone();
        move || {
            redb::Builder::new().create_with_backend(Disk {
                memory: memory.clone(),
                full: full.clone(),
            })
        }
    };
    let jobs = Embedded::over(File::with(Box::new(open)).unwrap(), LEASE);
    let new = new_job("a", 20);
    jobs.create(new.clone()).await.unwrap();
    jobs.put(&id("a"), vec![row(0, "kept")]).await.unwrap();
    full.store(true, Ordering::Relaxed);
    for _ in 0..3 {
        let fault = jobs.put(&id("a"), vec![row(1, "lost")]).await.unwrap_err();
        assert!(matches!(fault, Fault::Full { .. }), "{fault:?}");
    }
    assert!(matches!(
        jobs.create(new_job("b", 2)).await,
        Err(Fault::Full { .. })
    ));
    full.store(false, Ordering::Relaxed);
    assert_eq!(jobs.create(new_job("b", 2)).await.unwrap().items, 2);
    let told = jobs.put(&id("a"), vec![row(1, "now")]).await.unwrap().unwrap();
    assert_eq!(told.results, 2);
    let rows = read(&jobs, "a", "", 9).await;
    assert_eq!(rows.iter().map(best_move).collect::<Vec<_>>(), ["kept", "now"]);
}

#[tokio::test]
async fn readers_are_woken_by_results_and_by_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let jobs = Embedded::open(folder.path()).unwrap();
    jobs.create(new_job("a", 2)).await.unwrap();
    let waiting = {
        let jobs = jobs.clone();
        tokio::spawn(async move { jobs.changed(&id("a"), "").await })
    };
    tokio::time::sleep(Duration::from_millis(50)).await;
    jobs.put(&id("a"), vec![row(0, "")]).await.unwrap();
    waiting.await.unwrap().unwrap();
    // With something to read, or nothing to come, nobody waits.
    let soon = Duration::from_millis(500);
    tokio::time::timeout(soon, jobs.changed(&id("a"), ""))
        .await
        .unwrap()
        .unwrap();
    jobs.cancel(&id("a")).await.unwrap();
    tokio::time::timeout(soon, jobs.changed(&id("a"), "1.1"))
        .await
        .unwrap()
        .unwrap();
}
