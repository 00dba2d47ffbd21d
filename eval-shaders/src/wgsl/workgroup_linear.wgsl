// Head: per bucket ITEMS elements of weights (four pairs of 16-bit fields), then one element each whose x is the bias.

var<workgroup> partial_sums: array<i32, THREADS>;

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
    var sum = 0;
    for (var item = thread; item < ITEMS; item += THREADS) {
        let pairs = accumulate(item, pieces);
        let weights = head[bucket * ITEMS + item];
        for (var k = 0u; k < 4u; k++) {
            let activations = activate_pair(pairs[k]);
            sum += activations.x * field_low(weights[k]) + activations.y * field_high(weights[k]);
        }
    }
    partial_sums[thread] = sum;
    for (var width = THREADS / 2u; width > 0u; width >>= 1u) {
        workgroupBarrier();
        if thread < width {
            partial_sums[thread] += partial_sums[thread + width];
        }
    }
    if thread == 0u {
        output[index] = partial_sums[0] + bitcast<i32>(head[OUTPUT_BUCKETS * ITEMS + bucket].x);
    }
}
