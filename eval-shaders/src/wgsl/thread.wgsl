// One invocation for a position: suits a software device's CPU lanes; on a GPU its loads scatter over rows.

const THREADS: u32 = 64u;
const ITEMS: u32 = 2u * L1_COLUMNS;

fn position_index(group: vec3<u32>, groups: vec3<u32>, thread: u32) -> u32 {
    return (group.y * groups.x + group.x) * THREADS + thread;
}

// Rows of the pieces: the first MAX_PIECES seen by the side to move, the others by its opponent.
var<private> rows: array<u32, 2u * MAX_PIECES>;

// Fills `rows`; returns the number of pieces.
fn place_features(index: u32) -> u32 {
    let occupancy = input[2u + 2u * index].xy;
    let pieces = min(countOneBits(occupancy.x) + countOneBits(occupancy.y), MAX_PIECES);
    let side = black_to_move(index);
    let other = 1u - side;
    var kings = array<u32, 2>(0u, 0u);
    var left = occupancy;
    for (var rank = 0u; rank < pieces; rank++) {
        let square = lowest_square(left);
        left = without_lowest(left);
        let piece = nibble(index, rank);
        if (piece & 7u) == 5u {
            kings[piece >> 3u] = square;
        }
    }
    let side_entry = king_entry(kings[side] ^ (side * 56u));
    let other_entry = king_entry(kings[other] ^ (other * 56u));
    left = occupancy;
    for (var rank = 0u; rank < pieces; rank++) {
        let square = lowest_square(left);
        left = without_lowest(left);
        let piece = nibble(index, rank);
        rows[rank] = feature_column(side, side_entry, piece, square);
        rows[MAX_PIECES + rank] = feature_column(other, other_entry, piece, square);
    }
    return pieces;
}

fn lowest_square(occupancy: vec2<u32>) -> u32 {
    if occupancy.x != 0u {
        return countTrailingZeros(occupancy.x);
    }
    return 32u + countTrailingZeros(occupancy.y);
}

fn without_lowest(occupancy: vec2<u32>) -> vec2<u32> {
    if occupancy.x != 0u {
        return vec2<u32>(occupancy.x & (occupancy.x - 1u), occupancy.y);
    }
    return vec2<u32>(0u, occupancy.y & (occupancy.y - 1u));
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
