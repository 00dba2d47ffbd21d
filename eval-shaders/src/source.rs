//! The WGSL text of a kernel: constants for one network in front of shared text.

use core::fmt::Write as _;

use crate::layout::MAX_PIECES;
use crate::shape::{KernelLayout, KernelShape, ShapeError};

/// Name of the entry point in every kernel.
pub const ENTRY_POINT: &str = "main";

const COMMON: &str = include_str!("wgsl/common.wgsl");
const HIDDEN: &str = include_str!("wgsl/hidden.wgsl");
const WORKGROUP: &str = include_str!("wgsl/workgroup.wgsl");
const WORKGROUP_LINEAR: &str = include_str!("wgsl/workgroup_linear.wgsl");
const WORKGROUP_HIDDEN: &str = include_str!("wgsl/workgroup_hidden.wgsl");
const THREAD: &str = include_str!("wgsl/thread.wgsl");
const THREAD_LINEAR: &str = include_str!("wgsl/thread_linear.wgsl");
const THREAD_HIDDEN: &str = include_str!("wgsl/thread_hidden.wgsl");

/// The WGSL module for a shape in a layout. It needs no optional feature of the device.
///
/// Constants are text rather than pipeline overrides because the sizes of function-local arrays depend on them.
///
/// # Errors
/// The field of the shape that no kernel can serve.
pub fn kernel_source(shape: &KernelShape, layout: KernelLayout) -> Result<String, ShapeError> {
    shape.validate()?;
    let mut text = constants(shape);
    let parts: &[&str] = match (layout, shape.hidden) {
        (KernelLayout::WorkgroupPerPosition, None) => &[COMMON, WORKGROUP, WORKGROUP_LINEAR],
        (KernelLayout::WorkgroupPerPosition, Some(_)) => &[COMMON, WORKGROUP, HIDDEN, WORKGROUP_HIDDEN],
        (KernelLayout::ThreadPerPosition, None) => &[COMMON, THREAD, THREAD_LINEAR],
        (KernelLayout::ThreadPerPosition, Some(_)) => &[COMMON, THREAD, HIDDEN, THREAD_HIDDEN],
    };
    for part in parts {
        text.push('\n');
        text.push_str(part);
    }
    Ok(text)
}

fn constants(shape: &KernelShape) -> String {
    let mut text = String::new();
    let mut define = |name: &str, value: i64, suffix: &str| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "const {name} = {value}{suffix};");
    };
    define("MAX_PIECES", MAX_PIECES.into(), "u");
    define("L1_COLUMNS", shape.columns().into(), "u");
    define("BIAS_ROW", shape.feature_rows.into(), "u");
    define("OUTPUT_BUCKETS", shape.output_buckets.into(), "u");
    define("ACTIVATION_MAX", shape.activation_max.into(), "i");
    define("ACTIVATION_SHIFT", shape.activation_shift.into(), "u");
    if let Some(hidden) = shape.hidden {
        define("HIDDEN", hidden.width.into(), "u");
        define("HIDDEN_SHIFT", hidden.shift.into(), "u");
        define("HIDDEN_MAX", hidden.max.into(), "i");
    }
    text
}
