//! What a message will take in memory, counted on its bytes.

use std::{collections::HashMap, sync::LazyLock};

use prost::{
    Message,
    encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field},
};
use prost_types::{
    DescriptorProto, FileDescriptorSet,
    field_descriptor_proto::{Label, Type},
};

use crate::{FILE_DESCRIPTOR_SET, MAX_MESSAGE_BYTES};

/// Most bytes that a request may take once it is read, as they are counted here: texts of a few letters, such as moves, take
/// some twelve times what they were sent in.
pub const MAX_READ_BYTES: usize = 16 * MAX_MESSAGE_BYTES;

/// The package whose messages are known, with its dot.
const PACKAGE: &str = ".tabiya.v1.";

/// Messages within messages that are followed; prost goes no deeper either.
const MAX_DEPTH: usize = 100;

/// Bytes of a string, a vector or a box with what it is aligned to, and of a number.
const LIST_BYTES: usize = 24;
const BOX_BYTES: usize = 8;
const NUMBER_BYTES: usize = 8;

/// What an allocator hands out: multiples of this, no less than two of it, with a word of its own.
const ALIGNMENT: usize = 16;

/// Places of a list with anything in it; it doubles them whenever there are too few.
const FIRST_PLACES: usize = 4;

/// What is counted of a message: its fields, by number.
#[derive(Debug, Default)]
struct Shape {
    fields: Vec<Field>,
    /// Bytes of the Rust struct, about.
    bytes: usize,
}

#[derive(Debug)]
struct Field {
    number: u32,
    name: String,
    is_repeated: bool,
    holds: Holds,
    /// Bytes of each value in a list.
    bytes: usize,
}

/// What a field's values are.
#[derive(Clone, Copy, Debug)]
enum Holds {
    /// Messages, of the shape at this place.
    Message(usize),
    /// Strings, bytes, and known messages of others.
    Text,
    Number,
}

#[derive(Debug)]
struct Shapes {
    by_name: HashMap<String, usize>,
    shapes: Vec<Shape>,
}

static SHAPES: LazyLock<Shapes> = LazyLock::new(Shapes::read);

/// The field with which a message takes too much.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Excess {
    /// Its path, such as `positions[70000]`.
    pub(crate) field: String,
}

/// Counts the bytes that a message of the package will take once it is read. Messages of others are taken to be flat.
///
/// # Errors
/// Where it becomes more than [`MAX_READ_BYTES`]. Bytes that are no message pass: whoever reads them says what is wrong.
pub(crate) fn check(name: &str, bytes: &[u8]) -> Result<usize, Excess> {
    let Some(&shape) = SHAPES.by_name.get(name) else {
        return Ok(bytes.len());
    };
    let mut left = MAX_READ_BYTES.saturating_sub(SHAPES.shapes[shape].bytes);
    match count(shape, bytes, MAX_DEPTH, &mut left) {
        Ok(()) => Ok(MAX_READ_BYTES - left),
        Err(mut path) => {
            path.reverse();
            Err(Excess {
                field: path.join("."),
            })
        }
    }
}

/// Takes what a message holds off `left`. An error is the path to the excess, from its end.
fn count(shape: usize, mut bytes: &[u8], depth: usize, left: &mut usize) -> Result<(), Vec<String>> {
    let Some(depth) = depth.checked_sub(1).filter(|_| !bytes.is_empty()) else {
        return Ok(());
    };
    let shape = &SHAPES.shapes[shape];
    let mut seen = vec![0_usize; shape.fields.len()];
    while let Some((number, value)) = next(&mut bytes) {
        let Some(at) = shape.fields.iter().position(|field| field.number == number) else {
            continue;
        };
        let field = &shape.fields[at];
        let index = seen[at];
        seen[at] += 1;
        let path = || match field.is_repeated {
            true => format!("{}[{index}]", field.name),
            false => field.name.clone(),
        };
        let itself = match (field.holds, value) {
            // A packed list of numbers is one value.
            (Holds::Number, Some(packed)) if field.is_repeated => packed.len().saturating_mul(NUMBER_BYTES),
            _ if field.is_repeated => grown(index).saturating_mul(field.bytes),
            (Holds::Message(_), _) => field.bytes,
            _ => 0,
        };
        let text = match (field.holds, value) {
            (Holds::Text, Some(text)) => allocated(text.len()),
            _ => 0,
        };
        *left = left.checked_sub(itself + text).ok_or_else(|| vec![path()])?;
        if let (Holds::Message(message), Some(inner)) = (field.holds, value) {
            count(message, inner, depth, left).map_err(|mut inner| {
                inner.push(path());
                inner
            })?;
        }
    }
    Ok(())
}

/// Places by which a list grows for its value at `index`.
fn grown(index: usize) -> usize {
    match index {
        0 => FIRST_PLACES,
        _ if index >= FIRST_PLACES && index.is_power_of_two() => index,
        _ => 0,
    }
}

/// Bytes that an allocator takes for so many.
fn allocated(bytes: usize) -> usize {
    match bytes {
        0 => 0,
        _ => (bytes + size_of::<usize>())
            .next_multiple_of(ALIGNMENT)
            .max(2 * ALIGNMENT),
    }
}

/// The next field: its number, and its bytes if it has a length; `None` at the end, and where no field can be read.
fn next<'a>(bytes: &mut &'a [u8]) -> Option<(u32, Option<&'a [u8]>)> {
    let (number, wire_type) = decode_key(bytes).ok()?;
    if wire_type != WireType::LengthDelimited {
        skip_field(wire_type, number, bytes, DecodeContext::default()).ok()?;
        return Some((number, None));
    }
    let length = usize::try_from(decode_varint(bytes).ok()?).ok()?;
    let (value, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some((number, Some(value)))
}

impl Shapes {
    fn read() -> Self {
        // The descriptors are part of the program; a test reads them.
        let files = FileDescriptorSet::decode(FILE_DESCRIPTOR_SET)
            .unwrap_or_default()
            .file;
        let ours = files.iter().filter(|file| file.package() == "tabiya.v1");
        let messages: Vec<_> = ours.flat_map(|file| &file.message_type).collect();
        let by_name: HashMap<_, _> = (messages.iter().enumerate())
            .map(|(at, message)| (message.name().to_owned(), at))
            .collect();
        let mut bytes = vec![None; messages.len()];
        for at in 0..messages.len() {
            size(at, &messages, &by_name, &mut bytes, &mut Vec::new());
        }
        let bytes_of = |at: usize| bytes[at].unwrap_or(BOX_BYTES);
        let shapes = messages.iter().enumerate().map(|(at, message)| Shape {
            fields: (message.field.iter())
                .map(|field| {
                    let holds = match (message_of(field, &by_name), field.r#type()) {
                        (Some(inner), _) => Holds::Message(inner),
                        // Known types of others are small.
                        (None, Type::Message | Type::String | Type::Bytes) => Holds::Text,
                        (None, _) => Holds::Number,
                    };
                    Field {
                        number: field.number().unsigned_abs(),
                        name: field.name().to_owned(),
                        is_repeated: field.label() == Label::Repeated,
                        bytes: match holds {
                            Holds::Message(inner) => bytes_of(inner),
                            Holds::Text => LIST_BYTES,
                            Holds::Number => NUMBER_BYTES,
                        },
                        holds,
                    }
                })
                .collect(),
            bytes: bytes_of(at),
        });
        Self {
            shapes: shapes.collect(),
            by_name,
        }
    }
}

fn message_of(field: &prost_types::FieldDescriptorProto, by_name: &HashMap<String, usize>) -> Option<usize> {
    by_name.get(field.type_name().strip_prefix(PACKAGE)?).copied()
}

/// About the size of a message's struct: fields side by side, alternatives over each other, what would contain itself
/// in a box.
fn size(
    at: usize,
    messages: &[&DescriptorProto],
    by_name: &HashMap<String, usize>,
    bytes: &mut [Option<usize>],
    above: &mut Vec<usize>,
) -> usize {
    if above.contains(&at) {
        return BOX_BYTES;
    }
    if let Some(known) = bytes[at] {
        return known;
    }
    above.push(at);
    let mut side_by_side = 0;
    let mut alternatives = vec![0; messages[at].oneof_decl.len()];
    for field in &messages[at].field {
        let one = match (message_of(field, by_name), field.label(), field.r#type()) {
            (_, Label::Repeated, _) | (_, _, Type::String | Type::Bytes) => LIST_BYTES,
            (Some(inner), ..) => size(inner, messages, by_name, bytes, above) + NUMBER_BYTES,
            (None, _, Type::Message) => LIST_BYTES,
            (None, ..) => NUMBER_BYTES,
        };
        match field.oneof_index {
            Some(index) => {
                let greatest = &mut alternatives[index as usize];
                *greatest = one.max(*greatest);
            }
            None => side_by_side += one,
        }
    }
    above.pop();
    let total = side_by_side + alternatives.iter().map(|one| one + NUMBER_BYTES).sum::<usize>();
    bytes[at] = Some(total);
    total
}

#[cfg(test)]
mod tests {
    use prost::Name;

    use super::*;
    use crate::v1;

    /// As many values without content as 4 MiB hold: key and length, two bytes each.
    fn empty(number: u8) -> Vec<u8> {
        [number << 3 | 2, 0].repeat(MAX_MESSAGE_BYTES / 2)
    }

    fn excess<M: Name>(bytes: &[u8]) -> Option<String> {
        check(M::NAME, bytes).err().map(|excess| excess.field)
    }

    #[test]
    fn lists_double_and_texts_are_allocated_in_steps() {
        let places = |len| (0..len).map(grown).sum::<usize>();
        assert_eq!([0, 1, 4, 5, 8, 9, 1000].map(places), [0, 4, 4, 8, 8, 16, 1024]);
        assert_eq!([0, 1, 24, 25, 100].map(allocated), [0, 32, 32, 48, 112]);
    }

    fn bytes_of(name: &str) -> usize {
        SHAPES.shapes[SHAPES.by_name[name]].bytes
    }

    #[test]
    fn what_is_counted_is_what_it_takes() {
        for (name, real) in [
            ("Position", size_of::<v1::Position>()),
            ("JobItem", size_of::<v1::JobItem>()),
            ("Event", size_of::<v1::Event>()),
            ("SwitchOverride", size_of::<v1::SwitchOverride>()),
            ("Pairing", size_of::<v1::Pairing>()),
            ("ContestPlayer", size_of::<v1::ContestPlayer>()),
            ("SubmitJobRequest", size_of::<v1::SubmitJobRequest>()),
            ("AdjudicateRequest", size_of::<v1::AdjudicateRequest>()),
        ] {
            let counted = bytes_of(name);
            println!("{name}: {counted} counted, {real} real");
            assert!(
                counted >= real && counted <= 2 * real,
                "{name}: {counted}, not {real}"
            );
        }
    }

    #[test]
    fn empty_values_by_the_million_are_not_read() {
        // How far it gets: until there is no room beside the message itself for the list's next doubling.
        fn place<M: Name>(field: &str, beside: usize, one: usize) -> Option<String> {
            let room = MAX_READ_BYTES - bytes_of(M::NAME) - beside;
            let places = (2..).map(|bits| 1 << bits).find(|places| 2 * places * one > room);
            Some(format!("{field}[{}]", places?))
        }
        assert_eq!(
            excess::<v1::AdjudicateRequest>(&empty(4)),
            place::<v1::AdjudicateRequest>("events", 0, bytes_of("Event"))
        );
        assert_eq!(
            excess::<v1::SubmitJobRequest>(&empty(2)),
            place::<v1::SubmitJobRequest>("items", 0, bytes_of("JobItem"))
        );
        assert_eq!(
            excess::<v1::EvaluateRequest>(&empty(1)),
            place::<v1::EvaluateRequest>("positions", 0, bytes_of("Position"))
        );
        // Texts within others: the list has a million places when all of its letters fit beside it, and not two.
        let letters = [2 << 3 | 2, 1, b'x'].repeat(MAX_MESSAGE_BYTES / 3);
        let mut inner = vec![1 << 3 | 2];
        prost::encoding::encode_varint(letters.len() as u64, &mut inner);
        inner.extend(letters);
        let places: usize = 1 << 20;
        let room = MAX_READ_BYTES - bytes_of("LegalMovesRequest") - bytes_of("Position");
        assert!((places * (LIST_BYTES + 32)..places * (2 * LIST_BYTES + 32)).contains(&room));
        assert_eq!(
            excess::<v1::LegalMovesRequest>(&inner),
            Some(format!("position.moves[{places}]"))
        );
    }

    #[test]
    fn as_much_as_is_allowed_passes() {
        let position = v1::Position {
            fen: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".into(),
            moves: vec!["e2e4".into(); 160],
            ..Default::default()
        };
        let mut request = v1::EvaluateRequest {
            positions: vec![position; 4096],
            ..Default::default()
        };
        // The greatest message with moves in it.
        while request.encoded_len() > MAX_MESSAGE_BYTES {
            request.positions.pop();
        }
        assert_eq!(excess::<v1::EvaluateRequest>(&request.encode_to_vec()), None);
        let events = v1::AdjudicateRequest {
            events: vec![v1::Event::default(); 4096],
            ..Default::default()
        };
        assert_eq!(excess::<v1::AdjudicateRequest>(&events.encode_to_vec()), None);
    }

    #[test]
    fn bytes_that_are_no_message_are_left_to_whoever_reads_them() {
        let good = v1::EvaluateRequest {
            positions: vec![v1::Position::default(); 3],
            network: "n".into(),
            ..Default::default()
        }
        .encode_to_vec();
        for length in 0..good.len() {
            assert_eq!(excess::<v1::EvaluateRequest>(&good[..length]), None);
        }
        for bytes in [
            &[0xff; 32][..],
            &[0x0b, 0x0b, 0x0c],
            &[0x0a, 0xff, 0xff, 0xff, 0xff, 0x7f],
        ] {
            assert_eq!(excess::<v1::EvaluateRequest>(bytes), None);
        }
    }
}
