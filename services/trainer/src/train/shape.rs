//! From the shape asked for at run time to the types that are compiled for it.

use crate::train::head::{Head, Hidden, Linear};

/// Work that is compiled once for each shape; see [`dispatch`].
pub(crate) trait ShapeVisitor {
    /// What the work gives.
    type Output;

    /// Does the work with a first layer of `H` neurons a side and this head.
    fn visit<const H: usize, T: Head<H>>(self) -> Self::Output;
}

/// Runs the visitor's code for `width` neurons a side and a hidden layer of `hidden` (0: none); `None` if the shape
/// is none of those built in.
pub(crate) fn dispatch<V: ShapeVisitor>(width: usize, hidden: usize, visitor: V) -> Option<V::Output> {
    match width {
        64 => with_head::<64, V>(hidden, visitor),
        128 => with_head::<128, V>(hidden, visitor),
        256 => with_head::<256, V>(hidden, visitor),
        384 => with_head::<384, V>(hidden, visitor),
        512 => with_head::<512, V>(hidden, visitor),
        1024 => with_head::<1024, V>(hidden, visitor),
        _ => None,
    }
}

fn with_head<const H: usize, V: ShapeVisitor>(hidden: usize, visitor: V) -> Option<V::Output> {
    match hidden {
        0 => Some(visitor.visit::<H, Linear<H>>()),
        16 => Some(visitor.visit::<H, Hidden<H, 16>>()),
        32 => Some(visitor.visit::<H, Hidden<H, 32>>()),
        _ => None,
    }
}
