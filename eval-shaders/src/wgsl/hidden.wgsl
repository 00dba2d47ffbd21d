// Shared by the kernels with a hidden layer. A neuron's weights are 2 * L1 bytes, 16 an element: L1_COLUMNS elements.

fn activate_hidden(sum: i32) -> i32 {
    return clamp(sum >> HIDDEN_SHIFT, 0, HIDDEN_MAX);
}

// First of the bucket's HIDDEN + 1 elements behind all the byte weights.
fn hidden_tail(bucket: u32) -> u32 {
    return OUTPUT_BUCKETS * HIDDEN * L1_COLUMNS + bucket * (HIDDEN + 1u);
}

// Eight accumulators in, eight activations (0..127, so no sign bit) out, four a word.
fn activate_column(pairs: vec4<u32>) -> vec2<u32> {
    let a = vec2<u32>(activate_pair(pairs.x));
    let b = vec2<u32>(activate_pair(pairs.y));
    let c = vec2<u32>(activate_pair(pairs.z));
    let d = vec2<u32>(activate_pair(pairs.w));
    return vec2<u32>(
        a.x | (a.y << 8u) | (b.x << 16u) | (b.y << 24u),
        c.x | (c.y << 8u) | (d.x << 16u) | (d.y << 24u),
    );
}
