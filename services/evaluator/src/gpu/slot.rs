//! One place of the ring: the buffers and bindings of a batch in flight.

use tabiya_eval_shaders::upload;

use super::program::Program;

/// Buffers and bindings of one batch, allocated once.
pub(super) struct Slot {
    pub(super) input: wgpu::Buffer,
    pub(super) output: wgpu::Buffer,
    pub(super) readback: wgpu::Buffer,
    pub(super) bind_group: wgpu::BindGroup,
}

/// Buffers that all slots share.
pub(super) struct Weights {
    first_layer: wgpu::Buffer,
    head: wgpu::Buffer,
    king_table: wgpu::Buffer,
}

impl Weights {
    pub(super) fn upload(device: &wgpu::Device, queue: &wgpu::Queue, program: &Program) -> Self {
        let store = |label, bytes: &[u8], usage| {
            let buffer = device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size: bytes.len() as u64,
                usage: usage | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            queue.write_buffer(&buffer, 0, bytes);
            buffer
        };
        Self {
            first_layer: store("first layer", &program.first_layer, wgpu::BufferUsages::STORAGE),
            head: store("head", &program.head, wgpu::BufferUsages::STORAGE),
            king_table: store("king table", &program.king_table, wgpu::BufferUsages::UNIFORM),
        }
    }
}

impl Slot {
    pub(super) fn allocate(
        device: &wgpu::Device,
        bindings: &wgpu::BindGroupLayout,
        weights: &Weights,
        max_batch: usize,
    ) -> Self {
        let allocate = |label, bytes: usize, usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size: bytes as u64,
                usage,
                mapped_at_creation: false,
            })
        };
        let input = allocate(
            "positions",
            upload::input_bytes(max_batch),
            wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
        );
        let output = allocate(
            "sums",
            max_batch * 4,
            wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
        );
        let readback = allocate(
            "read-back",
            max_batch * 4,
            wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        );
        let buffers = [
            &input,
            &weights.first_layer,
            &weights.head,
            &output,
            &weights.king_table,
        ];
        let entries: Vec<_> = (0..)
            .zip(buffers)
            .map(|(binding, buffer)| wgpu::BindGroupEntry {
                binding,
                resource: buffer.as_entire_binding(),
            })
            .collect();
        let bind_group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("batch"),
            layout: bindings,
            entries: &entries,
        });
        Self {
            input,
            output,
            readback,
            bind_group,
        }
    }
}

/// Bindings 0 to 4 as the kernels declare them.
pub(super) fn binding_layout() -> wgpu::BindGroupLayoutDescriptor<'static> {
    const fn entry(binding: u32, ty: wgpu::BufferBindingType) -> wgpu::BindGroupLayoutEntry {
        wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer {
                ty,
                has_dynamic_offset: false,
                min_binding_size: None,
            },
            count: None,
        }
    }
    const READ: wgpu::BufferBindingType = wgpu::BufferBindingType::Storage { read_only: true };
    const WRITE: wgpu::BufferBindingType = wgpu::BufferBindingType::Storage { read_only: false };
    const ENTRIES: [wgpu::BindGroupLayoutEntry; 5] = [
        entry(0, READ),
        entry(1, READ),
        entry(2, READ),
        entry(3, WRITE),
        entry(4, wgpu::BufferBindingType::Uniform),
    ];
    wgpu::BindGroupLayoutDescriptor {
        label: Some("evaluation kernel"),
        entries: &ENTRIES,
    }
}
