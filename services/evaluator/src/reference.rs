//! The evaluation written as plainly as possible: slow, and the judge of every kernel.

use tabiya_eval_shaders::PackedPosition;

use crate::lane::lane_values;
use crate::network::features::View;
use crate::network::{Head, HiddenHead, LinearHead, Network};

/// The network's integer output for a position, before scaling.
///
/// Sums are made in 64 bits; the loader's proof says that they fit the narrower words of the kernels, and
/// debug builds check it.
///
/// # Panics
/// If the record was not checked and holds an unknown piece.
pub fn evaluate_reference(network: &Network, position: &PackedPosition) -> i32 {
    let us = u8::from(position.black_to_move());
    let kings = position.kings();
    let mut values = first_layer(network, position, us, kings[usize::from(us)]);
    values.extend(first_layer(network, position, us ^ 1, kings[usize::from(us ^ 1)]));
    let bucket = network
        .architecture()
        .output_buckets
        .select(position.piece_count());
    let output = match network.head() {
        Head::Linear(head) => linear(head, &values, bucket),
        Head::Hidden(head) => hidden(head, &values, bucket),
    };
    debug_assert!(i32::try_from(output).is_ok(), "output {output} left 32 bits");
    output as i32
}

fn first_layer(network: &Network, position: &PackedPosition, perspective: u8, king: u8) -> Vec<i64> {
    let view = View::new(network.architecture(), perspective, king);
    let mut sums: Vec<i64> = lane_values(network.feature_bias()).map(i64::from).collect();
    for piece in position.pieces() {
        let row = view.row(piece.color, piece.kind, piece.square) as usize;
        let lanes = network.row_lanes();
        let weights = &network.feature_weights()[row * lanes..][..lanes];
        for (sum, weight) in sums.iter_mut().zip(lane_values(weights)) {
            *sum += i64::from(weight);
        }
    }
    debug_assert!(
        sums.iter().all(|&sum| i16::try_from(sum).is_ok()),
        "a first-layer sum left 16 bits"
    );
    sums
}

fn linear(head: &LinearHead, values: &[i64], bucket: usize) -> i64 {
    let lanes = values.len() / crate::lane::LANE_WIDTH;
    let weights = lane_values(&head.weights[bucket * lanes..][..lanes]);
    let products = values.iter().zip(weights).map(|(&x, weight)| {
        let activation = (x.clamp(0, 255) * x.clamp(0, 255)) >> 8;
        activation * i64::from(weight)
    });
    i64::from(head.bias[bucket]) + products.sum::<i64>()
}

fn hidden(head: &HiddenHead, values: &[i64], bucket: usize) -> i64 {
    let neurons = head.layer.width;
    let mut output = i64::from(head.bias[bucket]);
    for neuron in bucket * neurons..(bucket + 1) * neurons {
        let weights = &head.hidden_weights[neuron * values.len()..][..values.len()];
        let products = values.iter().zip(weights).map(|(&x, &weight)| {
            let activation = (x.clamp(0, 255) * x.clamp(0, 255)) >> 9;
            activation * i64::from(weight)
        });
        let sum = i64::from(head.hidden_bias[neuron]) + products.sum::<i64>();
        debug_assert!(i32::try_from(sum).is_ok(), "hidden sum {sum} left 32 bits");
        output += (sum >> head.layer.shift).clamp(0, 255) * i64::from(head.weights[neuron]);
    }
    output
}
