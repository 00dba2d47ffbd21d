use std::time::SystemTime;

use super::*;
use crate::Block;

fn head() -> v1::SubmitJobRequest {
    v1::SubmitJobRequest {
        job_id: "j".into(),
        limits: Some(v1::Limits {
            nodes: 20_000,
            ..v1::Limits::default()
        }),
        ..v1::SubmitJobRequest::default()
    }
}

fn pins() -> Pins {
    Pins {
        engine: "1".into(),
        network: "ab".into(),
        tables: String::new(),
    }
}

fn line(item_id: &str, moves: &[&str]) -> v1::JobItem {
    v1::JobItem {
        item_id: item_id.into(),
        position: Some(v1::Position {
            moves: moves.iter().map(|&mv| mv.into()).collect(),
            ..v1::Position::default()
        }),
        ..v1::JobItem::default()
    }
}

fn submit(head: &v1::SubmitJobRequest, items: Vec<v1::JobItem>, pgn: &str) -> Result<NewJob, String> {
    let text = |error: ServiceError| error.to_string();
    let mut intake = Intake::begin(head, pins(), Quotas::default()).map_err(text)?;
    intake.add(items, pgn).map_err(text)?;
    intake.finish(SystemTime::UNIX_EPOCH).map_err(text)
}

fn items_of(new: &NewJob) -> Vec<Item> {
    new.blocks
        .iter()
        .flat_map(|block| block.decode().unwrap())
        .collect()
}

#[test]
fn a_pgn_is_the_list_of_its_positions() {
    let new = submit(
        &head(),
        Vec::new(),
        "1. e4 e5 *\n\n[FEN \"8/8/8/8/8/4k3/4p3/4K3 w - - 0 1\"]\n\n*\n",
    )
    .unwrap();
    let items = items_of(&new);
    let names: Vec<_> = items.iter().map(|item| item.item_id.as_str()).collect();
    assert_eq!(names, ["1.0", "1.1", "1.2", "2.0"]);
    assert_eq!(items[2].position.as_ref().unwrap().moves, ["e2e4", "e7e5"]);
    assert_eq!(items[2].position.as_ref().unwrap().fen, "");
    assert_eq!(
        items[1].fen,
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
    );
    assert_eq!(items[3].fen, "8/8/8/8/8/4k3/4p3/4K3 w - - 0 1");
    assert_eq!(new.job.items, 4);
}

#[test]
fn what_is_wrong_is_named() {
    let wrong = |change: &dyn Fn(&mut v1::SubmitJobRequest)| {
        let mut head = head();
        change(&mut head);
        submit(&head, vec![line("", &[])], "").unwrap_err()
    };
    assert!(wrong(&|head| head.job_id = "a/b".into()).starts_with("job_id `a/b`: "));
    assert!(wrong(&|head| head.limits = None).starts_with("limits ``: no limit"));
    assert!(wrong(&|head| head.bulk_mode = 9).starts_with("bulk_mode `9`: "));
    assert!(wrong(&|head| head.backend = 9).starts_with("backend `9`: "));
    assert!(wrong(&|head| head.multipv = 257).starts_with("multipv `257`: more than 256"));

    let bad = vec![line("", &["e2e4"]), line("", &["e2e5"])];
    let reason = submit(&head(), bad, "").unwrap_err();
    assert!(
        reason.starts_with("items[1].position.moves[0] `e2e5`: "),
        "{reason}"
    );
    let mut bad = line("", &[]);
    bad.search_moves = vec!["e2e4".into(), "e7e5".into()];
    let reason = submit(&head(), vec![bad], "").unwrap_err();
    assert!(
        reason.starts_with("items[0].search_moves[1] `e7e5`: "),
        "{reason}"
    );
    let reason = submit(&head(), vec![line("a", &[]), line("a", &[])], "").unwrap_err();
    assert_eq!(reason, "items[1].item_id `a`: the name of an earlier item, too");
    let reason = submit(&head(), vec![line("1", &[]), line("", &[])], "").unwrap_err();
    assert!(reason.starts_with("items[1].item_id `"), "{reason}");
    let reason = submit(&head(), Vec::new(), "1. e4 *\n\n1. e4 Ke3 *").unwrap_err();
    assert!(
        reason.starts_with("pgn ``: ") && reason.contains("game 2"),
        "{reason}"
    );
    assert!(
        submit(&head(), Vec::new(), "")
            .unwrap_err()
            .starts_with("items ``: ")
    );
    let reason = submit(&head(), vec![line("", &[])], "1. e4 *").unwrap_err();
    assert!(reason.contains("only one of items and pgn"), "{reason}");
}

#[test]
fn quotas_bound_a_job() {
    let quotas = Quotas {
        items_a_job: 2,
        ..Quotas::default()
    };
    let mut intake = Intake::begin(&head(), pins(), quotas).unwrap();
    intake.add(vec![line("", &[]), line("", &[])], "").unwrap();
    let reason = intake.add(vec![line("", &[])], "").unwrap_err().to_string();
    assert!(
        reason.starts_with("items[0].item_id ") && reason.contains("more than 2 items"),
        "{reason}"
    );
    let quotas = Quotas {
        bytes_a_job: 100,
        ..Quotas::default()
    };
    let mut intake = Intake::begin(&head(), pins(), quotas).unwrap();
    assert!(intake.add(vec![line("", &[]), line("", &[])], "").is_err());
}

#[test]
fn one_message_has_at_most_4096_items() {
    let mut intake = Intake::begin(&head(), pins(), Quotas::default()).unwrap();
    let refused = intake.add(vec![line("", &[]); 4097], "").unwrap_err();
    let ServiceError::Invalid(wrong) = &refused else {
        panic!("{refused:?}");
    };
    assert_eq!(wrong.kept()[0].field, "items", "{refused}");
    assert!(refused.to_string().contains("4097"), "{refused}");
    // In several messages there may be more.
    for _ in 0..2 {
        intake.add(vec![line("", &[]); 4096], "").unwrap();
    }
    assert_eq!(intake.finish(SystemTime::UNIX_EPOCH).unwrap().job.items, 8192);
}

#[test]
fn equal_content_has_one_digest_and_other_content_another() {
    let ask =
        |head: &v1::SubmitJobRequest, items: Vec<v1::JobItem>| submit(head, items, "").unwrap().job.digest;
    let two = || vec![line("", &["e2e4"]), line("b", &[])];
    let digest = ask(&head(), two());
    assert_eq!(digest.len(), 32);
    // The name of the job, and defaults that are spelled out, change nothing.
    let spelled = v1::SubmitJobRequest {
        job_id: "other".into(),
        multipv: 1,
        bulk_mode: v1::BulkMode::Independent.into(),
        backend: v1::Backend::Auto.into(),
        ..head()
    };
    assert_eq!(ask(&spelled, two()), digest);
    let mut named = two();
    named[0].item_id = "0".into();
    assert_eq!(ask(&head(), named), digest);
    let mut heads = [head(), head(), head()];
    heads[0].multipv = 2;
    heads[1].limits.as_mut().unwrap().nodes = 1;
    heads[2].bulk_mode = v1::BulkMode::AlongGame.into();
    for other in &heads {
        assert_ne!(ask(other, two()), digest, "{other:?}");
    }
    assert_ne!(ask(&head(), vec![line("b", &[]), line("", &["e2e4"])]), digest);
    // In parts or at once.
    let mut intake = Intake::begin(&head(), pins(), Quotas::default()).unwrap();
    for item in two() {
        intake.add(vec![item], "").unwrap();
    }
    assert_eq!(intake.finish(SystemTime::UNIX_EPOCH).unwrap().job.digest, digest);
}

#[test]
fn chunks_follow_the_limits() {
    for (nodes, items) in [
        (0, 16),
        (1, 256),
        (1_000, 256),
        (20_000, 16),
        (160_000, 2),
        (9_000_000, 1),
    ] {
        let limits = v1::Limits {
            nodes,
            ..v1::Limits::default()
        };
        assert_eq!(chunk_items(&limits), items, "{nodes}");
    }
}

#[test]
fn games_are_not_cut_between_chunks() {
    let mut head = head();
    head.bulk_mode = v1::BulkMode::AlongGame.into();
    // Games of 3, 21, 5, 9 and 2 positions.
    let game = |plies: usize| {
        let moves = ["Nf3", "Nf6", "Ng1", "Ng8"];
        let text: Vec<_> = (0..plies).map(|ply| moves[ply % 4]).collect();
        format!("{} *\n\n", text.join(" "))
    };
    let pgn: String = [2, 20, 4, 8, 1].map(game).concat();
    let new = submit(&head, Vec::new(), &pgn).unwrap();
    let chunks: Vec<_> = new.job.chunks().map(|span| span.count).collect();
    assert_eq!(chunks, [3, 21, 16]);
    // A game of 700 positions is cut where a bulk search cuts it: at 256 and 512 moves.
    let new = submit(&head, Vec::new(), &game(699)).unwrap();
    let chunks: Vec<_> = new.job.chunks().map(|span| span.count).collect();
    assert_eq!(chunks, [256, 256, 188]);
    assert_eq!(new.blocks.len() as u32, 700_u32.div_ceil(Block::ITEMS));
}

#[test]
fn patience_grows_with_the_limits() {
    let nodes = |nodes| v1::Limits {
        nodes,
        ..v1::Limits::default()
    };
    assert_eq!(patience(&nodes(20_000)), 32);
    assert_eq!(patience(&nodes(u64::MAX)), 3630);
    assert_eq!(patience(&nodes(0)), 3630);
}
