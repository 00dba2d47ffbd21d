use std::{sync::mpsc, time::Duration};

use super::*;

fn start(name: &'static str, threads: usize, capacity: usize, class: Class) -> Pool {
    Pool::start(name, threads, capacity, class, &Arc::new(Metrics::new())).unwrap()
}

/// A pool of one thread that is busy until the sender is dropped.
fn busy(capacity: usize) -> (Pool, mpsc::Sender<()>, Ticket<()>) {
    let pool = start("test", 1, capacity, Class::Bulk);
    let (release, held) = mpsc::channel::<()>();
    let (begun, has_begun) = mpsc::channel();
    let ticket = pool
        .submit(1, move || {
            begun.send(()).unwrap();
            let _ = held.recv();
        })
        .unwrap();
    has_begun.recv().unwrap();
    (pool, release, ticket)
}

#[tokio::test]
async fn work_comes_back_with_its_times() {
    let pool = start("test", 2, 10, Class::Bulk);
    let timed = pool.submit(1, || 6 * 7).unwrap().await.unwrap();
    assert_eq!(timed.value, 42);
    assert!(timed.queue_time < Duration::from_secs(5));
}

#[tokio::test]
async fn a_full_queue_refuses_and_a_dropped_ticket_makes_room() {
    let (pool, release, running) = busy(10);
    let waiting = pool.submit(8, || ()).unwrap();
    assert_eq!(pool.waiting(), 8);
    assert!(matches!(
        pool.submit(3, || ()),
        Err(ServiceError::Overloaded { waiting: 8, .. })
    ));
    assert!(matches!(pool.submit(11, || ()), Err(ServiceError::Invalid(_))));
    drop(waiting);
    assert_eq!(pool.waiting(), 0);
    let third = pool.submit(3, || 3).unwrap();
    drop(release);
    assert_eq!(third.await.unwrap().value, 3);
    running.await.unwrap();
}

#[tokio::test]
async fn a_panic_is_an_error_and_the_thread_goes_on() {
    let pool = start("test", 1, 10, Class::Bulk);
    let failed = pool
        .submit(1, || panic!("on purpose"))
        .unwrap()
        .await
        .map(|timed: Timed<()>| timed.value);
    assert!(matches!(failed, Err(ServiceError::Internal(_))));
    assert_eq!(pool.submit(1, || 1).unwrap().await.unwrap().value, 1);
}

#[tokio::test]
async fn what_is_left_for_afterwards_keeps_nobody_waiting() {
    let pool = start("test", 1, 10, Class::Bulk);
    let (release, held) = mpsc::channel::<()>();
    let (done, is_done) = mpsc::channel();
    let ticket = pool.submit(1, move || {
        crate::compute::after(move || {
            let _ = held.recv();
            done.send(()).unwrap();
        });
        7
    });
    assert_eq!(ticket.unwrap().await.unwrap().value, 7);
    assert!(is_done.try_recv().is_err());
    drop(release);
    is_done.recv().unwrap();
    // On this thread it is done at once.
    let (done, is_done) = mpsc::channel();
    crate::compute::after(move || done.send(()).unwrap());
    is_done.try_recv().unwrap();
}

#[tokio::test]
async fn whoever_would_wait_for_more_than_so_many_rounds_is_refused() {
    for rounds in [0, 1, 3] {
        let (pool, release, running) = busy(10);
        // One runs, and as many as there are rounds wait.
        let waiting: Vec<_> = (0..rounds)
            .map(|_| pool.submit_within(rounds, || ()).unwrap())
            .collect();
        for _ in 0..2 {
            let refused = pool.submit_within(rounds, || ());
            assert!(
                matches!(refused, Err(ServiceError::Overloaded { .. })),
                "{rounds}"
            );
        }
        // There is room for those who can wait.
        let patient = pool.submit(1, || ()).unwrap();
        drop(release);
        running.await.unwrap();
        for ticket in waiting.into_iter().chain([patient]) {
            ticket.await.unwrap();
        }
        pool.submit_within(rounds, || ()).unwrap().await.unwrap();
    }
}

#[test]
fn threads_end_with_the_last_handle() {
    let pool = start("test", 3, 10, Class::Bulk);
    let shared = Arc::downgrade(&pool.shared);
    drop(pool.clone());
    assert!(!pool.shared.is_closed());
    drop(pool);
    let begun = Instant::now();
    while shared.strong_count() > 0 {
        assert!(begun.elapsed() < Duration::from_secs(60), "threads go on");
        thread::yield_now();
    }
}

#[tokio::test]
async fn closing_drops_what_waits() {
    let (pool, release, running) = busy(10);
    let waiting = pool.submit(1, || ()).unwrap();
    pool.close();
    assert!(matches!(waiting.await, Err(ServiceError::ShuttingDown)));
    drop(release);
    running.await.unwrap();
}
