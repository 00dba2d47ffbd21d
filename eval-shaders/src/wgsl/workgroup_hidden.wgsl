// Head: for each bucket and hidden neuron L1_COLUMNS elements of 16 signed bytes, in activation order; then for
// each bucket HIDDEN + 1 elements: (bias, output weight, 0, 0) of each neuron, and (output bias, 0, 0, 0).

// Four activations (0..127) a word, side to move first.
var<workgroup> activations: array<u32, 2u * ITEMS>;
// One padded row of partial sums for each hidden neuron: rows start in different memory banks.
const PARTIAL_STRIDE: u32 = THREADS + 1u;
var<workgroup> partial_sums: array<i32, HIDDEN * PARTIAL_STRIDE>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let index = position_index(group, groups);
    if index >= input[0].x {
        return;
    }
    let pieces = place_features(index, thread);
    let bucket = output_bucket(pieces);
    for (var item = thread; item < ITEMS; item += THREADS) {
        let words = activate_column(accumulate(item, pieces));
        activations[2u * item] = words.x;
        activations[2u * item + 1u] = words.y;
    }
    workgroupBarrier();
    for (var neuron = 0u; neuron < HIDDEN; neuron++) {
        let first = (bucket * HIDDEN + neuron) * L1_COLUMNS;
        var sum = 0;
        for (var column = thread; column < L1_COLUMNS; column += THREADS) {
            let weights = head[first + column];
            for (var k = 0u; k < 4u; k++) {
                sum += dot4I8Packed(activations[4u * column + k], weights[k]);
            }
        }
        partial_sums[neuron * PARTIAL_STRIDE + thread] = sum;
    }
    workgroupBarrier();
    if thread < HIDDEN {
        var sum = 0;
        for (var k = 0u; k < THREADS; k++) {
            sum += partial_sums[thread * PARTIAL_STRIDE + k];
        }
        let neuron = head[hidden_tail(bucket) + thread];
        partial_sums[thread * PARTIAL_STRIDE] = activate_hidden(sum + bitcast<i32>(neuron.x)) * bitcast<i32>(neuron.y);
    }
    workgroupBarrier();
    if thread == 0u {
        var sum = bitcast<i32>(head[hidden_tail(bucket) + HIDDEN].x);
        for (var neuron = 0u; neuron < HIDDEN; neuron++) {
            sum += partial_sums[neuron * PARTIAL_STRIDE];
        }
        output[index] = sum;
    }
}
