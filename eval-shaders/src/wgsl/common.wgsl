// Shared by every kernel. The constants MAX_PIECES, L1_COLUMNS, BIAS_ROW, OUTPUT_BUCKETS, ACTIVATION_* and, with
// a hidden layer, HIDDEN* are written in front of this text by `source.rs`.
//
// Integers only, and no signed `/` or `%` (drivers have got those wrong): every sum below is proved at load
// time to fit its type, so order of summation, lane width and wrapping cannot change a value.

// 0: element 0 is a header whose x is the number of positions; position i is elements 2 + 2i and 3 + 2i:
//    (occupancy low, occupancy high, nibbles 0..7, nibbles 8..15), (nibbles 16..23, nibbles 24..31, meta,
//    nibbles 32 and 33).
@group(0) @binding(0) var<storage, read> input: array<vec4<u32>>;
// 1: the first layer: one row of L1_COLUMNS elements for each feature, then one row of biases. An element is
//    eight neurons as four packed pairs.
@group(0) @binding(1) var<storage, read> first_layer: array<vec4<u32>>;
// 2: the head; layout beside each head's code.
@group(0) @binding(2) var<storage, read> head: array<vec4<u32>>;
// 3: one unscaled sum a position; scaling is shared Rust code after the read-back.
@group(0) @binding(3) var<storage, read_write> output: array<i32>;
// 4: for each king square as its owner sees it: first feature row of its bucket, bit 31 set to mirror the files.
@group(0) @binding(4) var<uniform> king_table: array<vec4<u32>, 16>;

// A packed pair is the integer `hi * 65536 + lo`, borrow included, so one wrapping 32-bit addition adds both.
fn pair_low(pair: u32) -> i32 {
    return bitcast<i32>(pair << 16u) >> 16u;
}

fn pair_high(pair: u32) -> i32 {
    return bitcast<i32>(pair - bitcast<u32>(pair_low(pair))) >> 16u;
}

// Two neighbouring 16-bit fields, no borrow: how the linear head stores its weights.
fn field_low(fields: u32) -> i32 {
    return bitcast<i32>(fields << 16u) >> 16u;
}

fn field_high(fields: u32) -> i32 {
    return bitcast<i32>(fields) >> 16u;
}

fn activate(sum: i32) -> i32 {
    let clipped = clamp(sum, 0, ACTIVATION_MAX);
    return (clipped * clipped) >> ACTIVATION_SHIFT;
}

// Accumulator pairs in, activation of the low and the high neuron out.
fn activate_pair(pair: u32) -> vec2<i32> {
    return vec2<i32>(activate(pair_low(pair)), activate(pair_high(pair)));
}

fn king_entry(square: u32) -> u32 {
    return king_table[square >> 2u][square & 3u];
}

// The nibble (colour << 3 | type) of the piece with this rank in square order.
fn nibble(index: u32, rank: u32) -> u32 {
    let first = input[2u + 2u * index];
    let second = input[3u + 2u * index];
    var words = array<u32, 5>(first.z, first.w, second.x, second.y, second.w);
    return (words[rank >> 3u] >> ((rank & 7u) * 4u)) & 15u;
}

fn black_to_move(index: u32) -> u32 {
    return input[3u + 2u * index].z & 1u;
}

// First element of the row of a piece, as `viewer` (0 White, 1 Black) sees it. `entry` is the king table's
// entry of the viewer's king.
fn feature_column(viewer: u32, entry: u32, piece: u32, square: u32) -> u32 {
    let foreign = (piece >> 3u) ^ viewer;
    let flip = (viewer * 56u) ^ ((entry >> 31u) * 7u);
    let row = (entry & 0x7fffffffu) + (foreign * 6u + (piece & 7u)) * 64u + (square ^ flip);
    return row * L1_COLUMNS;
}

fn output_bucket(pieces: u32) -> u32 {
    return min(((max(pieces, 1u) - 1u) * OUTPUT_BUCKETS) >> 5u, OUTPUT_BUCKETS - 1u);
}
