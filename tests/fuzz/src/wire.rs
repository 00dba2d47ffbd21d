//! Requests as they come off the wire: whatever is asked, there is an answer that fits into a message, or a refusal that
//! does, and no panic.

#![no_main]

use std::{
    sync::{
        Arc, LazyLock,
        atomic::{AtomicBool, Ordering},
        mpsc::{Sender, channel},
    },
    thread,
    time::Duration,
};

use libfuzzer_sys::fuzz_target;
use prost::Message;
use tabiya_api::{
    MAX_MESSAGE_BYTES,
    convert::{
        Desk, RulesetReader, Rulesets, adjudicate, compare_rulings, legal_moves_response, move_reader,
        parse_position, play_moves, standings_question, standings_response,
    },
    error::{MAX_VALUE_BYTES, MAX_VIOLATIONS, ServiceError},
    v1,
};

/// No answer is waited for any longer than this: proofs may take as long as they like.
const PATIENCE: Duration = Duration::from_secs(1);

static RULESETS: LazyLock<Arc<Rulesets>> = LazyLock::new(|| Arc::new(Rulesets::built_in().unwrap()));

/// Raises the flag that it was sent last, after a while.
static WATCH: LazyLock<Sender<Arc<AtomicBool>>> = LazyLock::new(|| {
    let (sender, receiver) = channel::<Arc<AtomicBool>>();
    thread::spawn(move || {
        let mut next = receiver.recv();
        while let Ok(flag) = next {
            next = receiver.recv_timeout(PATIENCE).or_else(|_| {
                flag.store(true, Ordering::Relaxed);
                receiver.recv()
            });
        }
    });
    sender
});

fn desk() -> Desk {
    let stop = Arc::<AtomicBool>::default();
    WATCH.send(stop.clone()).unwrap();
    Desk {
        rulesets: RulesetReader::new(RULESETS.clone()),
        language: v1::Language::Unspecified,
        stop,
    }
}

/// Answers bytes, if they are a request.
fn answer<Q: Message + Default, A: Message>(bytes: &[u8], answer: impl Fn(&Q) -> Result<A, ServiceError>) {
    let Ok(request) = Q::decode(bytes) else {
        return;
    };
    match answer(&request) {
        Ok(answer) => assert!(answer.encoded_len() <= MAX_MESSAGE_BYTES),
        Err(error) => {
            let error = error.to_item_error();
            assert!(error.violations.len() <= MAX_VIOLATIONS);
            for violation in &error.violations {
                assert!(violation.value.len() <= MAX_VALUE_BYTES);
            }
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let Some((kind, bytes)) = data.split_first() else {
        return;
    };
    match kind % 5 {
        0 => answer(bytes, |request| adjudicate(&desk(), request)),
        1 => answer(bytes, |request| compare_rulings(&desk(), request)),
        2 => answer(bytes, |request| {
            let desk = desk();
            standings_response(&desk, &standings_question(&desk, request)?)
        }),
        3 => answer(bytes, |request: &v1::LegalMovesRequest| {
            let position = parse_position(request.position.as_ref(), "position")?;
            Ok(legal_moves_response(&position, request.include_fen))
        }),
        _ => answer(bytes, |request: &v1::PlayMovesRequest| {
            let reader = move_reader(request.notation)?;
            let position = parse_position(request.position.as_ref(), "position")?;
            Ok(play_moves(position, &request.moves, reader)?)
        }),
    }
});
