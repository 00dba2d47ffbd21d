//! What the kernels share behind the hidden layer.

use crate::network::HiddenHead;

/// Most neurons of a hidden layer.
pub(super) const MAX_NEURONS: usize = 32;

/// The output for the finished hidden sums, biases included.
#[inline(always)]
pub(super) fn output(head: &HiddenHead, sums: &[i32], bucket: usize) -> i32 {
    let neurons = sums.len();
    let weights = &head.weights[bucket * neurons..][..neurons];
    let mut output = head.bias[bucket];
    for (&sum, &weight) in sums.iter().zip(weights) {
        output += (sum >> head.layer.shift).clamp(0, 255) * i32::from(weight);
    }
    output
}
