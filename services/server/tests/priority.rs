//! Threads that compute yield to threads that move bytes.
#![cfg(target_os = "linux")]

mod common;

use std::fs;

/// How nice the process itself is: the tests may be run with less priority than others.
fn own() -> i32 {
    nice(&fs::read_to_string("/proc/self/stat").unwrap()).1
}

/// The name and the nice value in a line of the system's.
fn nice(stat: &str) -> (String, i32) {
    // pid (name) state ppid ... ; the name may hold anything, and nice is the 19th field.
    let (head, tail) = stat.rsplit_once(") ").unwrap();
    let name = head.split_once('(').unwrap().1;
    let nice = tail.split(' ').nth(16).unwrap();
    (name.to_owned(), nice.parse().unwrap())
}

/// The names of this process's threads, with how much nicer they are than it, as far as the system goes.
fn threads() -> Vec<(String, i32)> {
    let own = own();
    let tasks = fs::read_dir("/proc/self/task").unwrap();
    let mut threads = Vec::new();
    for task in tasks {
        // A thread may have ended meanwhile.
        let Ok(stat) = fs::read_to_string(task.unwrap().path().join("stat")) else {
            continue;
        };
        let (name, nice) = nice(&stat);
        threads.push((name, nice - own));
    }
    threads
}

#[tokio::test]
async fn only_the_threads_that_move_bytes_are_in_a_hurry() {
    let server = common::start();
    let channel = common::channel(server.admin_addr()).await;
    common::until_ready(&channel).await;
    let threads = threads();
    let nicer = |much: i32| much.min(19 - own());
    let of = |name: &str| -> Vec<i32> {
        let named = threads.iter().filter(|(thread, _)| thread.starts_with(name));
        named.map(|&(_, nice)| nice).collect()
    };
    for io in ["tabiya-io", "tabiya-admin"] {
        assert!(
            !of(io).is_empty() && of(io).iter().all(|&nice| nice == 0),
            "{threads:?}"
        );
    }
    for compute in ["tabiya-search", "tabiya-rules", "tabiya-eval"] {
        assert!(
            !of(compute).is_empty() && of(compute).iter().all(|&nice| nice == nicer(10)),
            "{compute}: {threads:?}"
        );
    }
    assert!(
        of("tabiya-bulk").iter().all(|&nice| nice == nicer(14)),
        "{threads:?}"
    );
}
