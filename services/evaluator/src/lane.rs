//! Aligned groups of weights, the unit in which kernels read.

/// Values in a [`Lane`].
pub const LANE_WIDTH: usize = 32;

/// 32 neighbouring 16-bit values in one cache line; a row of the first layer is a slice of these.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lane(pub [i16; LANE_WIDTH]);

impl Lane {
    /// All values zero.
    pub const ZERO: Self = Self([0; LANE_WIDTH]);
}

/// 64 neighbouring 8-bit values in one cache line, for the hidden layer.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteLane(pub [i8; 64]);

/// Splits `values` into lanes; its length must be a multiple of [`LANE_WIDTH`], a rest is dropped.
pub(crate) fn lanes_from_values(values: &[i16]) -> Vec<Lane> {
    let (lanes, _rest) = values.as_chunks::<LANE_WIDTH>();
    lanes.iter().map(|&lane| Lane(lane)).collect()
}

/// The values of `lanes` in order.
pub(crate) fn lane_values(lanes: &[Lane]) -> impl Iterator<Item = i16> + '_ {
    lanes.iter().flat_map(|lane| lane.0)
}
