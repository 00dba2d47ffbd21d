use std::sync::atomic::Ordering::Relaxed;

use tabiya_evaluator::{
    AnyKernel, Backend, CpuBatch, CpuEvaluator, Kernel, KernelVisitor, Network,
    batch::{BatchEvaluator, BatchOptions, Device, DeviceThread},
    dispatch,
};
use tabiya_rules::{Board, Game};
use tabiya_search::{Options, SearchResult, StoppedBy, search};

use super::*;

const PATIENCE: Duration = Duration::from_secs(60);

struct MakeBatch(Arc<Network>);

impl KernelVisitor for MakeBatch {
    type Output = Box<dyn Backend + Send>;

    fn visit<K: Kernel>(self, kernel: K) -> Self::Output {
        Box::new(CpuBatch::new(kernel, self.0))
    }
}

/// Evaluators by these networks whose device is a thread of the CPU.
fn batches(networks: &[Arc<Network>]) -> Arc<[Batches]> {
    let batches = networks.iter().map(|network| {
        let own = network.clone();
        let open = move || {
            let backend = dispatch(AnyKernel::best(), MakeBatch(own.clone()));
            let device = DeviceThread::start(backend, 256, PATIENCE);
            Ok(Arc::new(device.map_err(|error| error.to_string())?) as Arc<dyn Device>)
        };
        let evaluator = BatchEvaluator::start_with_device(network, &BatchOptions::default(), Box::new(open));
        let batches = Batches::new(network.name(), &Arc::new(Metrics::new()));
        batches.open(Ok(Arc::new(evaluator.unwrap())));
        batches
    });
    batches.collect()
}

type Reply = oneshot::Receiver<Result<Fetched, ServiceError>>;

fn ask(fibers: &Fibers, network: usize, limits: Limits, stop: &Arc<AtomicBool>) -> Reply {
    let (reply, receiver) = oneshot::channel();
    fibers.queue.push(Order {
        network,
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
    let batches = batches(&[Network::default_network()]);
    let fibers = Fibers::start_with(1, 8, batches, &Arc::new(Metrics::new())).unwrap();
    let (stop_long, never) = (Arc::default(), Arc::default());
    let mut long = ask(&fibers, 0, Limits::default(), &stop_long);
    // The thread has found its queue empty, and so have we by now.
    thread::sleep(Duration::from_millis(50));
    for _ in 0..3 {
        let fetched = answer(&mut ask(&fibers, 0, Limits::nodes(200), &never));
        assert_eq!(fetched.sought.result.stopped_by, StoppedBy::Nodes);
    }
    assert!(long.try_recv().is_err(), "the long search has not ended");
    stop_long.store(true, Relaxed);
    assert_eq!(answer(&mut long).sought.result.stopped_by, StoppedBy::Stop);
    fibers.close();
}

struct Direct<'a> {
    network: &'a Arc<Network>,
    limits: &'a Limits,
}

impl KernelVisitor for Direct<'_> {
    type Output = SearchResult;

    fn visit<K: Kernel>(self, kernel: K) -> SearchResult {
        let mut evaluator = CpuEvaluator::new(kernel, self.network.clone());
        let game = Game::new(Board::startpos());
        let never = AtomicBool::new(false);
        search(
            &game,
            self.limits,
            &Options::default(),
            &mut evaluator,
            &never,
            &mut |_| {},
        )
    }
}

#[test]
fn searches_by_two_networks_share_a_thread_and_neither_keeps_the_other_waiting() {
    let standard = Network::default_network();
    let mut parts = standard.to_parts();
    parts.scale.numerator *= 2;
    let networks = [standard, Arc::new(Network::from_parts(parts).unwrap())];
    let fibers = Fibers::start_with(1, 64, batches(&networks), &Arc::new(Metrics::new())).unwrap();
    let (stop_long, never) = (Arc::default(), Arc::default());
    // By the first network, for ever.
    let mut long = ask(&fibers, 0, Limits::default(), &stop_long);
    thread::sleep(Duration::from_millis(50));
    let asked: Vec<_> = (0..24)
        .map(|number| {
            let (network, limits) = (number % 2, Limits::nodes(300 + 50 * number as u64));
            (network, limits.clone(), ask(&fibers, network, limits, &never))
        })
        .collect();
    for (network, limits, mut reply) in asked {
        let found = answer(&mut reply).sought.result;
        let direct = Direct {
            network: &networks[network],
            limits: &limits,
        };
        let expected = dispatch(AnyKernel::best(), direct);
        assert_eq!(
            (&found.lines, found.nodes),
            (&expected.lines, expected.nodes),
            "network {network}, {limits:?}"
        );
    }
    assert!(long.try_recv().is_err(), "the long search has not ended");
    stop_long.store(true, Relaxed);
    assert_eq!(answer(&mut long).sought.result.stopped_by, StoppedBy::Stop);
    fibers.close();
}
