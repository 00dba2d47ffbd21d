//! Keeps the device, buries broken ones and opens new ones.

use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, atomic::Ordering::Relaxed},
    time::{Duration, Instant},
};

use super::{Device, DeviceFactory, DeviceHealth, RecoveryOptions, counters::CounterCells};
use crate::backend::{BackendError, BackendInfo};

/// The device as workers see it.
pub(super) struct DevicePlace {
    state: Mutex<State>,
    changed: Condvar,
    recovery: RecoveryOptions,
}

struct State {
    health: DeviceHealth,
    device: Option<Arc<dyn Device>>,
    info: Option<BackendInfo>,
    /// Tries since the device last counted as sound.
    tries: u32,
    opened: Instant,
    /// Dropping a device joins its thread, which may take seconds: only the supervisor does it.
    graves: Vec<Arc<dyn Device>>,
    closed: bool,
}

impl DevicePlace {
    /// A place for a device that opens now or is absent for a reason.
    pub(super) fn new(device: Result<Arc<dyn Device>, String>, recovery: RecoveryOptions) -> Self {
        let (health, device) = match device {
            Ok(device) => (DeviceHealth::Healthy, Some(device)),
            Err(reason) => (DeviceHealth::Absent(reason), None),
        };
        let state = State {
            health,
            info: device.as_ref().map(|device| device.info().clone()),
            device,
            tries: 0,
            opened: Instant::now(),
            graves: vec![],
            closed: false,
        };
        Self {
            state: Mutex::new(state),
            changed: Condvar::new(),
            recovery,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The device, if it is healthy.
    pub(super) fn device(&self) -> Option<Arc<dyn Device>> {
        self.lock().device.clone()
    }

    pub(super) fn health(&self) -> DeviceHealth {
        self.lock().health.clone()
    }

    /// The last device that was open.
    pub(super) fn info(&self) -> Option<BackendInfo> {
        self.lock().info.clone()
    }

    /// Takes note that `device` failed. Several workers may say so of one device: the first counts.
    pub(super) fn report(&self, device: Arc<dyn Device>, error: &BackendError, counters: &CounterCells) {
        let mut state = self.lock();
        if state
            .device
            .as_ref()
            .is_some_and(|current| Arc::ptr_eq(current, &device))
        {
            if state.opened.elapsed() >= self.recovery.sound_after {
                state.tries = 0;
            }
            counters.device_failures.fetch_add(1, Relaxed);
            let reason = error.to_string();
            tracing::error!(
                device = device.info().device,
                reason,
                "device failed, the cpu stands in"
            );
            state.health = DeviceHealth::Broken {
                reason,
                tries: state.tries,
            };
            let current = state.device.take();
            state.graves.extend(current);
        }
        state.graves.push(device);
        drop(state);
        self.changed.notify_all();
    }

    /// Ends the supervisor and lets the device go.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    /// The supervisor's thread: until the place is closed.
    pub(super) fn supervise(&self, mut open: DeviceFactory, counters: &CounterCells) {
        loop {
            let graves = {
                let state = self.lock();
                let idle = |state: &mut State| {
                    !state.closed
                        && state.graves.is_empty()
                        && !matches!(state.health, DeviceHealth::Broken { .. })
                };
                let mut state = self
                    .changed
                    .wait_while(state, idle)
                    .unwrap_or_else(PoisonError::into_inner);
                if state.closed {
                    let last = state.device.take();
                    state.graves.extend(last);
                }
                std::mem::take(&mut state.graves)
            };
            drop(graves);
            if self.pause_is_cut_short() {
                return;
            }
            if matches!(self.health(), DeviceHealth::Broken { .. }) {
                self.try_again(&mut open, counters);
            }
        }
    }

    /// Waits before the next try; true if the place was closed meanwhile. No wait for a device that is well.
    fn pause_is_cut_short(&self) -> bool {
        let state = self.lock();
        let pause = match state.health {
            DeviceHealth::Broken { .. } => self.pause(state.tries),
            _ => Duration::ZERO,
        };
        let (state, _) = self
            .changed
            .wait_timeout_while(state, pause, |state| !state.closed)
            .unwrap_or_else(PoisonError::into_inner);
        // What the workers left meanwhile is buried in the next round, or by the last one to drop it.
        state.closed && state.graves.is_empty() && state.device.is_none()
    }

    fn pause(&self, tries: u32) -> Duration {
        let doubled = self.recovery.first_pause.saturating_mul(1_u32 << tries.min(16));
        doubled.min(self.recovery.longest_pause)
    }

    fn try_again(&self, open: &mut DeviceFactory, counters: &CounterCells) {
        // Closed while it buried a device: opening the next could take half a minute, which closing would wait for.
        if self.lock().closed {
            return;
        }
        if self.lock().tries >= self.recovery.tries {
            let mut state = self.lock();
            if let DeviceHealth::Broken { reason, .. } = &state.health {
                let (reason, tries) = (reason.clone(), state.tries);
                tracing::error!(reason, tries, "device given up, the cpu serves from now on");
                state.health = DeviceHealth::GivenUp { reason, tries };
            }
            return;
        }
        // Takes long, so not under the lock.
        let outcome = open();
        let mut state = self.lock();
        state.tries += 1;
        match outcome {
            Ok(device) => {
                counters.device_recoveries.fetch_add(1, Relaxed);
                tracing::info!(device = device.info().device, "device opened again");
                state.info = Some(device.info().clone());
                state.device = Some(device);
                state.opened = Instant::now();
                state.health = DeviceHealth::Healthy;
            }
            Err(reason) => {
                tracing::warn!(reason, tries = state.tries, "device could not be opened again");
                state.health = DeviceHealth::Broken {
                    reason,
                    tries: state.tries,
                };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Weak;

    use tabiya_eval_shaders::PackedPosition;

    use super::*;
    use crate::backend::BackendKind;

    /// A device in whose last moments others do things.
    struct Dying {
        info: BackendInfo,
        last_wish: Mutex<Option<Box<dyn FnOnce() + Send>>>,
    }

    impl Dying {
        fn device(last_wish: Option<Box<dyn FnOnce() + Send>>) -> Arc<dyn Device> {
            let text = || "dying".to_owned();
            Arc::new(Self {
                info: BackendInfo {
                    name: text(),
                    kind: BackendKind::Gpu,
                    device: text(),
                    driver: text(),
                },
                last_wish: Mutex::new(last_wish),
            })
        }
    }

    impl Device for Dying {
        fn info(&self) -> &BackendInfo {
            &self.info
        }

        fn max_batch(&self) -> usize {
            1
        }

        fn evaluate_raw(&self, _positions: &Arc<[PackedPosition]>) -> Result<Vec<i32>, BackendError> {
            Err(BackendError::DeviceLost("dying".to_owned()))
        }
    }

    impl Drop for Dying {
        fn drop(&mut self) {
            let wish = self
                .last_wish
                .get_mut()
                .unwrap_or_else(PoisonError::into_inner)
                .take();
            if let Some(wish) = wish {
                wish();
            }
        }
    }

    #[test]
    fn nothing_is_opened_once_the_place_is_closed() {
        let place = Arc::new_cyclic(|place: &Weak<DevicePlace>| {
            let place = place.clone();
            // While it is buried, a worker that used it too says that it failed, and the evaluator closes.
            let device = Dying::device(Some(Box::new(move || {
                let place = place.upgrade().expect("the test holds it");
                let error = BackendError::DeviceLost("late".to_owned());
                place.report(Dying::device(None), &error, &CounterCells::default());
                place.close();
            })));
            DevicePlace::new(Ok(device), RecoveryOptions::default())
        });
        let counters = CounterCells::default();
        let device = place.device().expect("open");
        place.report(device, &BackendError::DeviceLost("first".to_owned()), &counters);
        let opened = Arc::new(Mutex::new(0));
        let open: DeviceFactory = {
            let opened = Arc::clone(&opened);
            Box::new(move || {
                *opened.lock().expect("whole") += 1;
                Err("none".to_owned())
            })
        };
        place.supervise(open, &counters);
        assert_eq!(*opened.lock().expect("whole"), 0);
        assert!(matches!(place.health(), DeviceHealth::Broken { .. }));
    }
}
