//! Device, kernel and buffers: everything is allocated once, when the engine opens.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use tabiya_eval_shaders::{KernelLayout, KernelShape, PackedPosition, source::ENTRY_POINT, upload};

use super::{AdapterReport, GpuError, GpuOptions, adapter, fault::FaultCell, program::Program, slot::Slot};
use crate::network::Network;

/// Batches in flight at once: one uploads and one reads back while one computes.
pub(super) const SLOTS: usize = 3;

/// An open device with one network's kernel. It lives and dies on the GPU thread.
pub(super) struct Engine {
    device: wgpu::Device,
    queue: wgpu::Queue,
    pipeline: wgpu::ComputePipeline,
    slots: Vec<Slot>,
    layout: KernelLayout,
    fault: FaultCell,
    upload: Vec<u8>,
    /// When the last batch was done: the device computes one after the other.
    idle_since: Instant,
    // Dropped last.
    _instance: wgpu::Instance,
}

/// A batch on the device.
pub(super) struct Flight {
    slot: usize,
    positions: usize,
    submission: wgpu::SubmissionIndex,
    mapped: Arc<AtomicBool>,
    started: Instant,
}

impl Engine {
    /// Opens the chosen adapter and allocates everything. May panic inside wgpu.
    pub(super) fn open(network: &Network, options: &GpuOptions) -> Result<(Self, AdapterReport), GpuError> {
        let instance = adapter::open_instance()?;
        let (adapter, report) = adapter::choose(&instance, options)?;
        let layout = options.layout.unwrap_or(match report.kind {
            adapter::AdapterKind::Software => KernelLayout::ThreadPerPosition,
            _ => KernelLayout::WorkgroupPerPosition,
        });
        let program = Program::new(network, layout)?;
        let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
            label: Some("tabiya evaluator"),
            required_limits: adapter::required_limits(),
            memory_hints: wgpu::MemoryHints::Performance,
            ..Default::default()
        }))
        .map_err(|error| GpuError::DeviceRefused(error.to_string()))?;
        let fault = watch(&device);
        let (pipeline, slots) = set_up(&device, &queue, &program, options.max_batch)?;
        let engine = Self {
            device,
            queue,
            pipeline,
            slots,
            layout,
            fault,
            upload: vec![],
            idle_since: Instant::now(),
            _instance: instance,
        };
        Ok((engine, report))
    }

    /// Starts a batch in a slot that has none in flight; `positions` fits the slot.
    pub(super) fn submit(&mut self, slot: usize, positions: &[PackedPosition]) -> Result<Flight, GpuError> {
        let started = Instant::now();
        upload::write_input(positions, &mut self.upload);
        let Slot {
            input,
            output,
            readback,
            bind_group,
        } = &self.slots[slot];
        let size = wgpu::BufferSize::new(self.upload.len() as u64);
        match size.and_then(|size| self.queue.write_buffer_with(input, 0, size)) {
            Some(mut view) => view.copy_from_slice(&self.upload),
            None => return Err(self.fault_or("upload refused")),
        }
        let mut encoder = self.device.create_command_encoder(&Default::default());
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(&self.pipeline);
            pass.set_bind_group(0, bind_group, &[]);
            let [x, y] = KernelShape::workgroups(self.layout, positions.len() as u32);
            pass.dispatch_workgroups(x, y, 1);
        }
        let bytes = output_bytes(positions.len());
        encoder.copy_buffer_to_buffer(output, 0, readback, 0, bytes);
        let mapped = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&mapped);
        encoder.map_buffer_on_submit(readback, wgpu::MapMode::Read, 0..bytes, move |result| {
            flag.store(result.is_ok(), Ordering::Release);
        });
        let submission = self.queue.submit([encoder.finish()]);
        match self.fault.get() {
            Some(fault) => Err(fault),
            None => Ok(Flight {
                slot,
                positions: positions.len(),
                submission,
                mapped,
                started,
            }),
        }
    }

    /// Waits for a batch, at most for `timeout` from its start or from the end of the one before it, whichever was
    /// later. May panic inside wgpu if the device is lost.
    pub(super) fn finish(&mut self, flight: Flight, timeout: Duration) -> Result<Vec<i32>, GpuError> {
        let left = time_left(timeout, flight.started, self.idle_since, Instant::now());
        let poll = self.device.poll(wgpu::PollType::Wait {
            submission_index: Some(flight.submission),
            timeout: Some(left),
        });
        if let Some(fault) = self.fault.get() {
            return Err(fault);
        }
        match poll {
            Ok(_) => {}
            Err(wgpu::PollError::Timeout) => return Err(GpuError::Timeout(timeout)),
            Err(error) => return Err(GpuError::Driver(error.to_string())),
        }
        self.idle_since = Instant::now();
        if !flight.mapped.load(Ordering::Acquire) {
            return Err(self.fault_or("result buffer was not mapped"));
        }
        let readback = &self.slots[flight.slot].readback;
        let view = readback
            .get_mapped_range(0..output_bytes(flight.positions))
            .map_err(|error| GpuError::Driver(error.to_string()))?;
        let (words, _rest) = view.as_chunks::<4>();
        let values = words.iter().map(|&word| i32::from_le_bytes(word)).collect();
        drop(view);
        readback.unmap();
        Ok(values)
    }

    /// Destroys the device under the engine's feet, as a reset by its driver would.
    #[cfg(any(test, feature = "faults"))]
    pub(super) fn destroy_device(&self) {
        self.device.destroy();
    }

    fn fault_or(&self, otherwise: &str) -> GpuError {
        self.fault
            .get()
            .unwrap_or_else(|| GpuError::Driver(otherwise.to_owned()))
    }
}

/// What is left for a batch: in a full ring it first waits for others, which is no fault of its own.
fn time_left(timeout: Duration, started: Instant, idle_since: Instant, now: Instant) -> Duration {
    timeout.saturating_sub(now.saturating_duration_since(started.max(idle_since)))
}

/// Bytes of results.
fn output_bytes(positions: usize) -> u64 {
    positions as u64 * 4
}

/// Installs both callbacks at once: without them wgpu turns errors into panics.
fn watch(device: &wgpu::Device) -> FaultCell {
    let fault = FaultCell::default();
    let cell = fault.clone();
    device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
        cell.set(GpuError::Driver(error.to_string()));
    }));
    let cell = fault.clone();
    device.set_device_lost_callback(move |reason, message| {
        cell.set(GpuError::Lost(format!("{reason:?}: {message}")));
    });
    fault
}

/// Compiles the kernel and allocates every buffer, inside scopes that catch what goes wrong.
fn set_up(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    program: &Program,
    max_batch: usize,
) -> Result<(wgpu::ComputePipeline, Vec<Slot>), GpuError> {
    let scopes = [
        wgpu::ErrorFilter::Internal,
        wgpu::ErrorFilter::OutOfMemory,
        wgpu::ErrorFilter::Validation,
    ]
    .map(|filter| device.push_error_scope(filter));
    let (pipeline, bindings) = create_pipeline(device, &program.source);
    let weights = super::slot::Weights::upload(device, queue, program);
    let slots = (0..SLOTS)
        .map(|_| Slot::allocate(device, &bindings, &weights, max_batch))
        .collect();
    let mut error = None;
    // Scopes form a stack.
    for scope in scopes.into_iter().rev() {
        let found = pollster::block_on(scope.pop());
        error = error.or(found);
    }
    match error {
        None => Ok((pipeline, slots)),
        Some(error) => Err(GpuError::Setup(error.to_string())),
    }
}

fn create_pipeline(device: &wgpu::Device, source: &str) -> (wgpu::ComputePipeline, wgpu::BindGroupLayout) {
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("evaluation kernel"),
        source: wgpu::ShaderSource::Wgsl(source.into()),
    });
    let bindings = device.create_bind_group_layout(&super::slot::binding_layout());
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some("evaluation kernel"),
        bind_group_layouts: &[Some(&bindings)],
        immediate_size: 0,
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some("evaluation kernel"),
        layout: Some(&layout),
        module: &module,
        entry_point: Some(ENTRY_POINT),
        compilation_options: wgpu::PipelineCompilationOptions {
            // Every word of workgroup memory is written before it is read, kings of unchecked records aside:
            // those select a wrong row, nothing more.
            zero_initialize_workgroup_memory: false,
            ..Default::default()
        },
        cache: None,
    });
    (pipeline, bindings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_batch_of_a_full_ring_has_the_whole_time() {
        let ms = Duration::from_millis;
        let begin = Instant::now();
        // Three batches submitted at once, 300 ms each, with 400 ms for one.
        let mut idle_since = begin;
        for batch in 0..3 {
            let now = begin + ms(300) * batch;
            assert_eq!(time_left(ms(400), begin, idle_since, now), ms(400));
            idle_since = now + ms(300);
        }
        // On an idle device the time runs from the submission, and it does run.
        assert_eq!(
            time_left(ms(400), begin + ms(500), begin, begin + ms(650)),
            ms(250)
        );
        assert_eq!(time_left(ms(400), begin, begin, begin + ms(500)), Duration::ZERO);
    }
}
