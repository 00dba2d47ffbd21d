use std::sync::atomic::Ordering::Relaxed;

use tabiya_evaluator::{
    AnyKernel, Backend, CpuBatch, Kernel, KernelVisitor, Network,
    batch::{BatchOptions, Device, DeviceThread},
    dispatch,
};
use tabiya_rules::{Board, Game};
use tabiya_search::{Options, StoppedBy};

use super::*;

const PATIENCE: Duration = Duration::from_secs(60);

struct MakeBatch;

impl KernelVisitor for MakeBatch {
    type Output = Box<dyn Backend + Send>;

    fn visit<K: Kernel>(self, kernel: K) -> Self::Output {
        Box::new(CpuBatch::new(kernel, Network::default_network()))
    }
}

/// An evaluator whose device is a thread of the CPU.
fn batches() -> Arc<BatchEvaluator> {
    let open = || {
        let device = DeviceThread::start(dispatch(AnyKernel::best(), MakeBatch), 256, PATIENCE);
        Ok(Arc::new(device.map_err(|error| error.to_string())?) as Arc<dyn Device>)
    };
    let network = Network::default_network();
    let evaluator = BatchEvaluator::start_with_device(&network, &BatchOptions::default(), Box::new(open));
    Arc::new(evaluator.unwrap())
}

type Reply = oneshot::Receiver<Result<Fetched, ServiceError>>;

fn ask(fibers: &Fibers, batches: &Arc<BatchEvaluator>, limits: Limits, stop: &Arc<AtomicBool>) -> Reply {
    let (reply, receiver) = oneshot::channel();
    fibers.queue.push(Order {
        batches: batches.clone(),
        game: Game::new(Board::startpos()),
        limits,
        options: Options::default(),
        stop: stop.clone(),
        reply,
        submitted: Instant::now(),
        place: fibers.places.clone().try_acquire_owned().unwrap(),
    });
    receiver
}

fn answer(reply: &mut Reply) -> Fetched {
    let begin = Instant::now();
    loop {
        match reply.try_recv() {
            Ok(fetched) => return fetched.unwrap(),
            Err(error) => assert!(begin.elapsed() < PATIENCE, "{error}"),
        }
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_long_search_does_not_keep_others_waiting() {
    let batches = batches();
    let fibers = Fibers::start(1, 8, &Arc::new(Metrics::new())).unwrap();
    let (stop_long, never) = (Arc::default(), Arc::default());
    let mut long = ask(&fibers, &batches, Limits::default(), &stop_long);
    // The thread has found its queue empty, and so have we by now.
    thread::sleep(Duration::from_millis(50));
    for _ in 0..3 {
        let fetched = answer(&mut ask(&fibers, &batches, Limits::nodes(200), &never));
        assert_eq!(fetched.sought.result.stopped_by, StoppedBy::Nodes);
    }
    assert!(long.try_recv().is_err(), "the long search has not ended");
    stop_long.store(true, Relaxed);
    assert_eq!(answer(&mut long).sought.result.stopped_by, StoppedBy::Stop);
    fibers.close();
}
