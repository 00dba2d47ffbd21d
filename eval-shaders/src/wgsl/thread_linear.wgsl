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
    var sum = bitcast<i32>(head[OUTPUT_BUCKETS * ITEMS + bucket].x);
    for (var item = 0u; item < ITEMS; item++) {
        let pairs = accumulate(item, pieces);
        let weights = head[bucket * ITEMS + item];
        for (var k = 0u; k < 4u; k++) {
            let activations = activate_pair(pairs[k]);
            sum += activations.x * field_low(weights[k]) + activations.y * field_high(weights[k]);
        }
    }
    output[index] = sum;
}
