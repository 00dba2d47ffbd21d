//! The teacher: a HalfKAv2_hm network whose static values we learn from.

use std::{fs, path::Path};

use nnue_rs::{Board, Color, Network, Piece, PieceKind};
use sha2::{Digest, Sha256};

use crate::{error::Error, label::bounded, record::Record};

/// Internal units of the teacher in one pawn, as its engine prints them.
const UNITS_PER_PAWN: i32 = 361;

const INPUTS: usize = 22_528;
const PSQT_BUCKETS: usize = 8;
const FEATURE_HASH: u32 = 0x7f23_4cb8;
const LEB128_MAGIC: &[u8; 17] = b"COMPRESSED_LEB128";

/// A network that labels positions.
pub(crate) struct Teacher {
    network: Network,
    /// SHA-256 of the file, in hex.
    pub(crate) sha256: String,
}

impl Teacher {
    /// Reads a network file as an engine exports it, raw or with LEB128 blocks.
    pub(crate) fn from_file(path: &Path) -> Result<Self, Error> {
        let bytes = fs::read(path).map_err(Error::file(path))?;
        let sha256 = Sha256::digest(&bytes)
            .iter()
            .map(|b| format!("{b:02x}"))
            .collect();
        let bytes =
            with_leb128_blocks(&bytes).ok_or_else(|| Error::content(path, "network file ends early"))?;
        let network = Network::from_bytes(&bytes).map_err(|e| Error::content(path, e.to_string()))?;
        Ok(Self { network, sha256 })
    }

    /// The static value from the side to move, in the teacher's internal units.
    pub(crate) fn units(&self, record: &Record) -> i32 {
        self.network.evaluate(&View(record))
    }

    /// The static value from the side to move, in centipawns.
    pub(crate) fn label(&self, record: &Record) -> i16 {
        let scaled = self.units(record) * 100;
        let half = UNITS_PER_PAWN / 2 * scaled.signum();
        bounded((scaled + half) / UNITS_PER_PAWN)
    }
}

/// A record seen by the loader's board trait.
struct View<'a>(&'a Record);

fn color(black: bool) -> Color {
    if black { Color::Black } else { Color::White }
}

impl Board for View<'_> {
    fn side_to_move(&self) -> Color {
        color(self.0.black_to_move())
    }

    fn king_square(&self, side: Color) -> u8 {
        self.0.king(side == Color::Black)
    }

    fn for_each_piece(&self, f: &mut dyn FnMut(u8, Piece)) {
        const KINDS: [PieceKind; 6] = [
            PieceKind::Pawn,
            PieceKind::Knight,
            PieceKind::Bishop,
            PieceKind::Rook,
            PieceKind::Queen,
            PieceKind::King,
        ];
        for piece in self.0.pieces() {
            f(
                piece.square,
                Piece::new(color(piece.black), KINDS[usize::from(piece.kind) % 6]),
            );
        }
    }
}

/// Rewrites the three raw blocks of the feature transformer as LEB128 blocks, which is the only form that the
/// loader takes for this architecture. Files that already have them pass unchanged; `None` if the file is too short.
fn with_leb128_blocks(bytes: &[u8]) -> Option<Vec<u8>> {
    let description = u32::from_le_bytes(*bytes.get(8..)?.first_chunk()?) as usize;
    let start = 16usize.checked_add(description)?;
    let width = (u32::from_le_bytes(*bytes.get(start - 4..)?.first_chunk()?) ^ FEATURE_HASH) as usize / 2;
    if bytes.get(start..)?.starts_with(LEB128_MAGIC) || !(16..=4096).contains(&width) {
        return Some(bytes.to_vec());
    }
    let (head, rest) = bytes.split_at(start);
    let (biases, rest) = rest.split_at_checked(2 * width)?;
    let (weights, rest) = rest.split_at_checked(2 * width * INPUTS)?;
    let (psqt, layers) = rest.split_at_checked(4 * PSQT_BUCKETS * INPUTS)?;

    let mut out = Vec::with_capacity(bytes.len() + bytes.len() / 8);
    out.extend_from_slice(head);
    for halves in [biases, weights] {
        let values = halves
            .as_chunks()
            .0
            .iter()
            .map(|&b| i32::from(i16::from_le_bytes(b)));
        push_block(&mut out, values);
    }
    push_block(
        &mut out,
        psqt.as_chunks().0.iter().map(|&b| i32::from_le_bytes(b)),
    );
    out.extend_from_slice(layers);
    Some(out)
}

/// Appends magic, byte length and the signed LEB128 form of `values`.
fn push_block(out: &mut Vec<u8>, values: impl Iterator<Item = i32>) {
    out.extend_from_slice(LEB128_MAGIC);
    let length_at = out.len();
    out.extend_from_slice(&[0; 4]);
    for mut value in values {
        loop {
            let low = value as u8 & 0x7f;
            value >>= 7;
            let sign_fits = (value == 0 && low & 0x40 == 0) || (value == -1 && low & 0x40 != 0);
            out.push(if sign_fits { low } else { low | 0x80 });
            if sign_fits {
                break;
            }
        }
    }
    let length = (out.len() - length_at - 4) as u32;
    out[length_at..length_at + 4].copy_from_slice(&length.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use std::{
        io::Write,
        process::{Command, Stdio},
    };

    use super::*;
    use crate::record::tests::record_from_fen;

    /// Positions without check, both sides to move, all phases.
    const FENS: [&str; 8] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
        "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9",
        "2r3k1/5pp1/p3p2p/1p1n4/3P4/P4N1P/1P3PP1/2R3K1 b - - 0 26",
        "8/5pk1/6p1/8/3K4/6P1/5P2/8 w - - 0 40",
        "8/2k5/8/8/3Q4/8/4K3/8 w - - 0 60",
        "4k3/8/8/3r4/8/8/4P3/4KB2 w - - 0 50",
    ];

    fn stockfish(commands: &str) -> Option<String> {
        let program = ["stockfish", "/usr/games/stockfish"]
            .into_iter()
            .find(|p| Command::new(p).arg("quit").stdout(Stdio::null()).status().is_ok())?;
        let mut child = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .ok()?;
        child.stdin.take()?.write_all(commands.as_bytes()).ok()?;
        String::from_utf8(child.wait_with_output().ok()?.stdout).ok()
    }

    #[test]
    fn leb128_is_read_back() {
        let values = [
            0,
            1,
            -1,
            63,
            64,
            -64,
            -65,
            8191,
            8192,
            i32::from(i16::MIN),
            i32::MAX,
            i32::MIN,
        ];
        let mut block = Vec::new();
        push_block(&mut block, values.into_iter());
        let mut rest = &block[21..];
        for value in values {
            let (mut read, mut shift) = (0i64, 0);
            while let Some((&byte, tail)) = rest.split_first() {
                rest = tail;
                read |= i64::from(byte & 0x7f) << shift;
                shift += 7;
                if byte & 0x80 == 0 {
                    if byte & 0x40 != 0 {
                        read -= 1 << shift;
                    }
                    break;
                }
            }
            assert_eq!(read, i64::from(value));
        }
        assert!(rest.is_empty());
    }

    #[test]
    fn short_files_are_refused() {
        for length in 0..40 {
            assert!(with_leb128_blocks(&vec![0x20; length]).is_none_or(|b| Network::from_bytes(&b).is_err()));
        }
    }

    /// The loader's values are those that the engine prints as `NNUE evaluation`.
    #[test]
    fn values_are_the_engines_own() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("teacher.nnue");
        let mut script = format!("export_net {}\n", file.display());
        for fen in FENS {
            script += &format!("position fen {fen}\neval\n");
        }
        let Some(output) = stockfish(&(script + "quit\n")) else {
            eprintln!("SKIPPED: no stockfish to export the teacher network and to compare with");
            return;
        };
        if !file.exists() {
            eprintln!("SKIPPED: this stockfish does not export its network");
            return;
        }
        let teacher = Teacher::from_file(&file).expect("the exported network loads");
        let printed: Vec<f64> = output
            .lines()
            .filter_map(|line| line.strip_prefix("NNUE evaluation"))
            .filter_map(|rest| rest.split_whitespace().next()?.parse().ok())
            .collect();
        assert_eq!(printed.len(), FENS.len(), "an evaluation for each position");
        for (fen, pawns) in FENS.into_iter().zip(printed) {
            let record = record_from_fen(fen);
            let white = if record.black_to_move() { -1.0 } else { 1.0 };
            let ours = white * f64::from(teacher.units(&record)) / f64::from(UNITS_PER_PAWN);
            assert!((ours - pawns).abs() <= 0.0051, "{fen}: {ours} against {pawns}");
            let label = white * f64::from(teacher.label(&record));
            assert!((label - ours * 100.0).abs() <= 0.5001, "{fen}: label {label}");
        }
    }
}
