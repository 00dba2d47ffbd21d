// One workgroup of 64 invocations for a position: coalesced 16-byte loads along the first layer. For real GPUs.

const THREADS: u32 = 64u;
// Columns of both perspectives, side to move first: one work item each.
const ITEMS: u32 = 2u * L1_COLUMNS;

// Rows of the pieces: the first MAX_PIECES seen by the side to move, the others by its opponent.
var<workgroup> rows: array<u32, 2u * MAX_PIECES>;
var<workgroup> kings: array<u32, 2>;

fn position_index(group: vec3<u32>, groups: vec3<u32>) -> u32 {
    return group.y * groups.x + group.x;
}

// Fills `rows`; returns the number of pieces.
fn place_features(index: u32, thread: u32) -> u32 {
    let occupancy = input[2u + 2u * index].xy;
    let pieces = min(countOneBits(occupancy.x) + countOneBits(occupancy.y), MAX_PIECES);
    // Thread t looks at square t, and ranks its piece by the occupied squares below.
    let below_bits = (1u << (thread & 31u)) - 1u;
    let upper = thread >= 32u;
    let own_word = select(occupancy.x, occupancy.y, upper);
    let rank = countOneBits(own_word & below_bits) + select(0u, countOneBits(occupancy.x), upper);
    let present = ((own_word >> (thread & 31u)) & 1u) == 1u && rank < MAX_PIECES;
    var piece = 0u;
    if present {
        piece = nibble(index, rank);
        if (piece & 7u) == 5u {
            kings[piece >> 3u] = thread;
        }
    }
    workgroupBarrier();
    if present {
        let side = black_to_move(index);
        let other = 1u - side;
        rows[rank] = feature_column(side, king_entry(kings[side] ^ (side * 56u)), piece, thread);
        rows[MAX_PIECES + rank] = feature_column(other, king_entry(kings[other] ^ (other * 56u)), piece, thread);
    }
    workgroupBarrier();
    return pieces;
}

// Eight accumulators of work item `item`, as four packed pairs.
fn accumulate(item: u32, pieces: u32) -> vec4<u32> {
    let opponent = item >= L1_COLUMNS;
    let column = item - select(0u, L1_COLUMNS, opponent);
    let first = select(0u, MAX_PIECES, opponent);
    var sum = first_layer[BIAS_ROW * L1_COLUMNS + column];
    for (var i = 0u; i < pieces; i++) {
        sum += first_layer[rows[first + i] + column];
    }
    return sum;
}
