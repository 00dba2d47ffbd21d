//! Devices that work, and devices that break.

use std::{
    sync::{
        Arc, Condvar, Mutex,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};

use tabiya_evaluator::{
    Backend, BackendError, BackendInfo, BackendKind, Network, PackedPosition,
    batch::{Device, DeviceFactory, DeviceThread},
    cpu::ReferenceBatch,
};

/// How a backend breaks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fault {
    /// Not at all.
    None,
    /// Reports an error.
    Error,
    /// Panics.
    Panic,
    /// Never answers.
    Hang,
    /// Writes nonsense, then reports an error.
    Nonsense,
}

/// Time-out of the devices here.
pub(crate) const TIMEOUT: Duration = Duration::from_millis(200);

/// What the devices of one test did and shall do.
pub(crate) struct Script {
    network: Arc<Network>,
    /// Sizes of the batches that were evaluated, in order of their arrival.
    pub(crate) batches: Mutex<Vec<usize>>,
    /// Devices opened.
    pub(crate) opened: AtomicUsize,
    /// For each device opened the batches that it does well before it breaks, and how it breaks then. The
    /// last entry stands for all later devices.
    lives: Vec<(usize, Fault)>,
    /// Never set: what hanging backends wait for.
    never: (Mutex<bool>, Condvar),
}

impl Script {
    pub(crate) fn new(network: Arc<Network>, lives: &[(usize, Fault)]) -> Arc<Self> {
        Arc::new(Self {
            network,
            batches: Mutex::default(),
            opened: AtomicUsize::new(0),
            lives: lives.to_vec(),
            never: Default::default(),
        })
    }

    /// Opens one scripted device after another.
    pub(crate) fn factory(self: &Arc<Self>) -> DeviceFactory {
        let script = Arc::clone(self);
        Box::new(move || {
            let index = script.opened.fetch_add(1, SeqCst).min(script.lives.len() - 1);
            let (left, fault) = script.lives[index];
            let backend = Scripted {
                inner: ReferenceBatch::new(Arc::clone(&script.network)),
                info: BackendInfo {
                    name: "scripted".to_owned(),
                    kind: BackendKind::Gpu,
                    device: format!("device {index}"),
                    driver: String::new(),
                },
                script: Arc::clone(&script),
                left,
                fault,
            };
            let device =
                DeviceThread::start(Box::new(backend), 256, TIMEOUT).map_err(|error| error.to_string())?;
            Ok(Arc::new(device) as Arc<dyn Device>)
        })
    }
}

struct Scripted {
    inner: ReferenceBatch,
    info: BackendInfo,
    script: Arc<Script>,
    left: usize,
    fault: Fault,
}

impl Backend for Scripted {
    fn network(&self) -> &Arc<Network> {
        self.inner.network()
    }

    fn info(&self) -> &BackendInfo {
        &self.info
    }

    fn evaluate_raw(&mut self, positions: &[PackedPosition], out: &mut [i32]) -> Result<(), BackendError> {
        self.script.batches.lock().unwrap().push(positions.len());
        if self.fault == Fault::None || self.left > 0 {
            self.left = self.left.saturating_sub(1);
            return self.inner.evaluate_raw(positions, out);
        }
        match self.fault {
            Fault::None => unreachable!(),
            Fault::Error => Err(BackendError::Device("scripted error".to_owned())),
            Fault::Panic => panic!("scripted panic"),
            Fault::Hang => {
                let (never, wake) = &self.script.never;
                let _set = wake.wait_while(never.lock().unwrap(), |set| !*set).unwrap();
                Ok(())
            }
            Fault::Nonsense => {
                out.fill(12_345);
                Err(BackendError::DeviceLost("scripted loss".to_owned()))
            }
        }
    }
}
