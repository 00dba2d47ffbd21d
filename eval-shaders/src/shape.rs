//! What a kernel must know about a network, and the limits that it lives within.

use crate::layout::MAX_PIECES;

/// Invocations in a workgroup, in both layouts.
pub const WORKGROUP_SIZE: u32 = 64;

/// Most workgroups in one dimension of a dispatch that core WebGPU allows.
pub const MAX_WORKGROUPS_PER_DIMENSION: u32 = 65_535;

/// Bytes of workgroup memory that a kernel may take: the `downlevel` limit of WebGPU, just under 16 KiB.
pub const MAX_WORKGROUP_BYTES: u32 = 16_352;

/// Bytes that one storage buffer may bind.
pub const MAX_STORAGE_BYTES: u64 = 128 << 20;

/// Neurons in a column, the 16-byte element of the first layer: four packed pairs.
pub(crate) const NEURONS_PER_COLUMN: u32 = 8;

/// Shape of the small layer between the first layer and the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HiddenShape {
    /// Neurons, 1 to 64.
    pub width: u32,
    /// Right shift of a neuron's sum before it is clipped.
    pub shift: u32,
    /// Highest value of a clipped neuron; the lowest is 0.
    pub max: i32,
}

/// Shape of a network as the kernels see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelShape {
    /// Neurons of the first layer for one perspective, a multiple of 32.
    pub l1: u32,
    /// Rows of the first layer: 768 for each king bucket.
    pub feature_rows: u32,
    /// Output buckets by number of pieces, 1 to 32; a bucket spans `32 / output_buckets` pieces.
    pub output_buckets: u32,
    /// Highest clipped accumulator; the lowest is 0.
    pub activation_max: i32,
    /// Right shift of the squared clipped accumulator.
    pub activation_shift: u32,
    /// The hidden layer, if there is one.
    pub hidden: Option<HiddenShape>,
}

/// How positions are dealt to invocations. The values are the same either way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum KernelLayout {
    /// 64 invocations share a position: coalesced loads, for real GPUs.
    #[default]
    WorkgroupPerPosition,
    /// Each invocation has a position of its own: faster on software devices, whose lanes are CPU SIMD.
    ThreadPerPosition,
}

/// Why there is no kernel for a shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShapeError {
    /// Field of [`KernelShape`].
    pub field: &'static str,
    /// Its value.
    pub value: i64,
    /// What it must be.
    pub reason: &'static str,
}

impl core::fmt::Display for ShapeError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self { field, value, reason } = self;
        write!(f, "kernel shape field {field} is {value}: {reason}")
    }
}

impl core::error::Error for ShapeError {}

impl KernelShape {
    /// Columns of eight neurons in a row of the first layer.
    pub const fn columns(&self) -> u32 {
        self.l1 / NEURONS_PER_COLUMN
    }

    /// Checks that a kernel exists for the shape within core WebGPU's limits.
    ///
    /// # Errors
    /// The first field that no kernel can serve.
    pub fn validate(&self) -> Result<(), ShapeError> {
        let check = |good: bool, field, value: i64, reason| {
            if good {
                Ok(())
            } else {
                Err(ShapeError { field, value, reason })
            }
        };
        let l1 = i64::from(self.l1);
        check(
            self.l1 > 0 && self.l1.is_multiple_of(32),
            "l1",
            l1,
            "must be a multiple of 32",
        )?;
        check(
            self.feature_rows > 0 && self.feature_rows.is_multiple_of(768),
            "feature_rows",
            self.feature_rows.into(),
            "must be a multiple of 768",
        )?;
        let table_bytes = (u64::from(self.feature_rows) + 1) * u64::from(self.l1) * 2;
        check(
            table_bytes <= MAX_STORAGE_BYTES,
            "feature_rows",
            self.feature_rows.into(),
            "the first layer must fit 128 MiB",
        )?;
        check(
            self.output_buckets > 0 && 32 % self.output_buckets == 0,
            "output_buckets",
            self.output_buckets.into(),
            "must divide 32",
        )?;
        check(
            (1..=32_767).contains(&self.activation_max),
            "activation_max",
            self.activation_max.into(),
            "must lie within 1..=32767",
        )?;
        check(
            self.activation_shift < 31,
            "activation_shift",
            self.activation_shift.into(),
            "must be below 31",
        )?;
        let Some(hidden) = self.hidden else { return Ok(()) };
        check(
            (1..=WORKGROUP_SIZE).contains(&hidden.width),
            "hidden.width",
            hidden.width.into(),
            "must lie within 1..=64",
        )?;
        check(
            hidden.shift < 31,
            "hidden.shift",
            hidden.shift.into(),
            "must be below 31",
        )?;
        check(
            hidden.max > 0,
            "hidden.max",
            hidden.max.into(),
            "must be positive",
        )?;
        let highest =
            (i64::from(self.activation_max) * i64::from(self.activation_max)) >> self.activation_shift;
        check(
            highest <= 127,
            "activation_shift",
            self.activation_shift.into(),
            "activations must lie within 0..=127 in front of a hidden layer",
        )?;
        check(
            self.workgroup_bytes() <= MAX_WORKGROUP_BYTES,
            "l1",
            l1,
            "the workgroup kernel must fit 16352 bytes of workgroup memory",
        )
    }

    /// Bytes of workgroup memory of [`KernelLayout::WorkgroupPerPosition`], every variable rounded up to 16.
    pub const fn workgroup_bytes(&self) -> u32 {
        let rows_and_kings = (2 * MAX_PIECES * 4).next_multiple_of(16) + 16;
        rows_and_kings
            + match self.hidden {
                None => WORKGROUP_SIZE * 4,
                Some(hidden) => {
                    let active = 4 * self.columns() * 4;
                    active + (hidden.width * (WORKGROUP_SIZE + 1) * 4).next_multiple_of(16)
                }
            }
    }

    /// Workgroups in x and y for `positions` positions (at least one): two dimensions beyond 65,535 groups.
    ///
    /// Surplus groups of the last row find their index above the count and do nothing.
    pub const fn workgroups(layout: KernelLayout, positions: u32) -> [u32; 2] {
        let groups = match layout {
            KernelLayout::WorkgroupPerPosition => positions,
            KernelLayout::ThreadPerPosition => positions.div_ceil(WORKGROUP_SIZE),
        };
        if groups <= MAX_WORKGROUPS_PER_DIMENSION {
            [groups, 1]
        } else {
            let rows = groups.div_ceil(MAX_WORKGROUPS_PER_DIMENSION);
            [groups.div_ceil(rows), rows]
        }
    }
}
