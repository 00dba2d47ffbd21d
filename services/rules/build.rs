//! Fills the sliding-attack tables, indexed by magic multiplication.
//!
//! `pext` would do without the multipliers, but only unsafe code may call it.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs, io};

#[path = "src/attacks/magic_numbers.rs"]
mod magic_numbers;
#[path = "src/attacks/rays.rs"]
mod rays;

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/attacks/rays.rs");
    println!("cargo::rerun-if-changed=src/attacks/magic_numbers.rs");

    let mut table = Vec::new();
    let mut text = String::new();
    slider(
        "ROOK",
        rays::ROOK_STEPS,
        &magic_numbers::ROOK_MAGICS,
        &mut table,
        &mut text,
    )?;
    slider(
        "BISHOP",
        rays::BISHOP_STEPS,
        &magic_numbers::BISHOP_MAGICS,
        &mut table,
        &mut text,
    )?;
    let _ = write!(text, "static SLIDER_ATTACKS: [u64; {}] = [", table.len());
    for attacks in &table {
        let _ = write!(text, "{attacks:#x},");
    }
    text.push_str("];\n");
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    fs::write(Path::new(&out).join("slider_tables.rs"), text)
}

/// Appends one slider's attack sets to `table` and its per-square lookup records to `text`.
/// Fails if a multiplier maps two occupancies with different attacks to one index.
fn slider(
    name: &str,
    steps: [(i8, i8); 4],
    magics: &[u64; 64],
    table: &mut Vec<u64>,
    text: &mut String,
) -> io::Result<()> {
    let _ = write!(text, "static {name}_LOOKUP: [Lookup; 64] = [");
    for square in 0..64u8 {
        let mask = rays::relevant_mask(square, steps);
        let magic = magics[usize::from(square)];
        let (offset, shift) = (table.len(), 64 - mask.count_ones());
        let _ = write!(
            text,
            "Lookup {{ mask: {mask:#x}, magic: {magic:#x}, offset: {offset}, shift: {shift} }},"
        );
        table.resize(offset + (1 << mask.count_ones()), 0);
        // The carry-rippler visits every subset of the mask.
        let mut subset = 0u64;
        loop {
            let index = (subset.wrapping_mul(magic) >> shift) as usize;
            let (slot, attacks) = (&mut table[offset + index], rays::walk(square, subset, steps));
            // Every slider attacks something, so 0 is an empty slot.
            if *slot != 0 && *slot != attacks {
                return Err(io::Error::other(format!(
                    "magic {magic:#x} of {name} {square} collides"
                )));
            }
            *slot = attacks;
            subset = subset.wrapping_sub(mask) & mask;
            if subset == 0 {
                break;
            }
        }
    }
    text.push_str("];\n");
    Ok(())
}
