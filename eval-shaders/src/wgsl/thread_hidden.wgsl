// Head: as in the workgroup kernel.

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let index = position_index(group, groups, thread);
    if index >= input[0].x {
        return;
    }
    let pieces = place_features(index);
    let bucket = output_bucket(pieces);
    var sums = array<i32, HIDDEN>();
    for (var column = 0u; column < L1_COLUMNS; column++) {
        let low = activate_column(accumulate(2u * column, pieces));
        let high = activate_column(accumulate(2u * column + 1u, pieces));
        for (var neuron = 0u; neuron < HIDDEN; neuron++) {
            let weights = head[(bucket * HIDDEN + neuron) * L1_COLUMNS + column];
            sums[neuron] += dot4I8Packed(low.x, weights.x) + dot4I8Packed(low.y, weights.y)
                + dot4I8Packed(high.x, weights.z) + dot4I8Packed(high.y, weights.w);
        }
    }
    let tail = hidden_tail(bucket);
    var sum = bitcast<i32>(head[tail + HIDDEN].x);
    for (var neuron = 0u; neuron < HIDDEN; neuron++) {
        let entry = head[tail + neuron];
        sum += activate_hidden(sums[neuron] + bitcast<i32>(entry.x)) * bitcast<i32>(entry.y);
    }
    output[index] = sum;
}
