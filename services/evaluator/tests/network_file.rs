//! Network files: what is written comes back, and nothing that is broken gets in.

mod common;

use common::{Random, random_network, shape, shapes};
use std::path::PathBuf;

use tabiya_evaluator::network::{
    Architecture, Digest, Head, HiddenLayer, KingBuckets, Network, NetworkError, NetworkParts, NetworkSource,
    OutputBuckets, Scale, SourceError,
};

const BODY: usize = 48;

fn parts(hidden: Option<HiddenLayer>) -> NetworkParts {
    let mut shape = shape(64);
    shape.hidden = hidden;
    NetworkParts::zeroed(
        "test",
        shape,
        Scale {
            numerator: 3,
            shift: 2,
        },
    )
    .unwrap()
}

/// A file with a body of our choice and a digest that fits it.
fn sealed(mut file: Vec<u8>) -> Vec<u8> {
    let length = (file.len() - BODY) as u32;
    file[12..16].copy_from_slice(&length.to_le_bytes());
    let digest = Digest::of(&file[BODY..]);
    file[16..48].copy_from_slice(&digest.0);
    file
}

#[test]
fn files_come_back() {
    for (index, shape) in shapes().into_iter().enumerate() {
        let network = random_network(shape, index as u64);
        let bytes = network.to_bytes();
        let back = Network::from_bytes(&bytes).unwrap();
        assert_eq!(back.to_parts(), network.to_parts());
        assert_eq!(back.digest(), network.digest());
        assert_eq!(back.to_bytes(), bytes);
    }
}

#[test]
fn embedded_networks_load_and_differ() {
    let names: Vec<_> = Network::embedded_names().collect();
    assert_eq!(names[0], "standard");
    let networks: Vec<_> = names
        .iter()
        .map(|name| Network::embedded(name).unwrap())
        .collect();
    assert_eq!(networks[0].digest(), Network::default_network().digest());
    for (index, network) in networks.iter().enumerate() {
        assert!(!network.name().is_empty());
        // A server may have all of them, and tells them apart.
        for other in &networks[..index] {
            assert_ne!(network.name(), other.name());
            assert_ne!(network.digest(), other.digest());
        }
    }
    assert!(Network::embedded("Standard").is_none());
}

#[test]
fn a_source_is_a_network_in_the_program_or_a_file() {
    let source = |text: &str| text.parse::<NetworkSource>().unwrap();
    let standard = source("standard");
    assert_eq!(standard, NetworkSource::default());
    assert_eq!(
        standard.load().unwrap().digest(),
        Network::default_network().digest()
    );
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/networks/standard.nnue"));
    let file = source(path.to_str().unwrap());
    assert_eq!(file, NetworkSource::File(path.clone()));
    assert_eq!(file.to_string(), path.to_str().unwrap());
    assert_eq!(file.load().unwrap().digest(), standard.load().unwrap().digest());
    assert_eq!(
        (file.embedded_name(), standard.embedded_name()),
        (None, Some("standard"))
    );
    for source in [&file, &standard] {
        assert_eq!(source.memory_bytes(), 2 * std::fs::read(&path).unwrap().len());
    }
    // A file may have the name of a network in the program, if its folder is said.
    let missing = source("./standard");
    assert!(matches!(missing.load(), Err(SourceError::Read(_))));
    assert!(matches!(
        source(file!()).load(),
        Err(SourceError::Read(_) | SourceError::Network(_))
    ));
    // What is not there yet may be of any size.
    let greatest = Architecture {
        king_buckets: KingBuckets {
            map: std::array::from_fn(|square| (square % 32) as u8),
            mirror: false,
        },
        hidden: Some(HiddenLayer { width: 32, shift: 9 }),
        ..shape(2048)
    };
    let scale = Scale {
        numerator: 1,
        shift: 0,
    };
    let greatest = NetworkParts::zeroed("greatest", greatest, scale).unwrap();
    let file = Network::from_parts(greatest).unwrap().to_bytes().len();
    let most = missing.memory_bytes() / 2;
    assert!(file <= most && most < file + file / 100, "{file} of {most}");
}

#[test]
fn weights_take_no_more_memory_than_twice_their_file() {
    let large = Architecture {
        output_buckets: OutputBuckets::Eight,
        hidden: Some(HiddenLayer { width: 16, shift: 9 }),
        ..shape(1024)
    };
    for shape in shapes().into_iter().chain([large]) {
        let network = random_network(shape, 1);
        let head = match network.head() {
            Head::Linear(head) => size_of_val(&*head.weights),
            Head::Hidden(head) => {
                size_of_val(&*head.hidden_weights)
                    + size_of_val(&*head.grouped_weights)
                    + size_of_val(&*head.weights)
            }
        };
        let taken = size_of_val(network.feature_weights()) + size_of_val(network.feature_bias()) + head;
        assert!(taken <= 2 * network.to_bytes().len(), "{taken}");
    }
}

#[test]
fn header_faults_are_named() {
    let good = Network::from_parts(parts(None)).unwrap().to_bytes();
    let with = |place: usize, byte: u8| {
        let mut file = good.clone();
        file[place] = byte;
        file
    };
    let error = |file: &[u8]| Network::from_bytes(file).unwrap_err();
    assert_eq!(
        error(&[]),
        NetworkError::Length {
            what: "header",
            found: 0,
            expected: 48
        }
    );
    assert_eq!(error(&with(0, b'X')), NetworkError::Magic);
    assert_eq!(error(&with(8, 2)), NetworkError::Version(2));
    assert!(matches!(
        error(&good[..good.len() - 1]),
        NetworkError::Length { what: "body", .. }
    ));
    assert!(matches!(
        error(&with(good.len() - 1, 1)),
        NetworkError::Digest { .. }
    ));
    for (place, field) in [
        (0, "input kind"),
        (1, "king buckets"),
        (2, "flags"),
        (3, "activation"),
        (4, "output buckets"),
        (5, "hidden shift"),
        (11, "reserved byte"),
    ] {
        let file = sealed(with(BODY + place, 99));
        assert_eq!(error(&file), NetworkError::Field { field, value: 99 });
    }
    assert_eq!(error(&sealed(with(BODY + 6, 65))), NetworkError::Width(65));
    assert_eq!(
        error(&sealed(with(BODY + 10, 31))),
        NetworkError::Scale {
            numerator: 3,
            shift: 31
        }
    );
    assert_eq!(error(&sealed(with(BODY + 80, 0xff))), NetworkError::Name);
    assert_eq!(error(&sealed(with(BODY + 127, 1))), NetworkError::Name);
    assert!(matches!(
        error(&sealed([good.as_slice(), &[0]].concat())),
        NetworkError::Length { what: "weights", .. }
    ));
}

#[test]
fn possible_overflows_are_named() {
    let refuse = |parts| Network::from_parts(parts).unwrap_err();

    // 34 squares with a weight of 963 and a bias of 25 just fit.
    let mut first_layer = parts(None);
    for feature in 0..34 {
        first_layer.feature_weights[feature * 64 + 5] = 963;
    }
    first_layer.feature_bias[5] = 25;
    assert!(Network::from_parts(first_layer.clone()).is_ok());
    // A second piece on the same square, or a 35th square, cannot add to that.
    first_layer.feature_weights[64 * 64 + 5] = 963;
    first_layer.feature_weights[40 * 64 + 5] = 963;
    assert!(Network::from_parts(first_layer.clone()).is_ok());
    first_layer.feature_bias[5] = 26;
    let expected = NetworkError::FeatureOverflow {
        king_bucket: 0,
        neuron: 5,
        reach: 32_768,
    };
    assert_eq!(refuse(first_layer), expected);

    let mut below = parts(None);
    below.feature_weights[7] = i16::MIN;
    below.feature_bias[7] = -1;
    let expected = NetworkError::FeatureOverflow {
        king_bucket: 0,
        neuron: 7,
        reach: -32_769,
    };
    assert_eq!(refuse(below), expected);

    let mut output = parts(None);
    output.output_bias[3] = i32::MAX;
    assert!(Network::from_parts(output.clone()).is_ok());
    output.output_weights[3 * 128] = -1;
    let reach = i64::from(i32::MAX) + 254;
    assert_eq!(
        refuse(output),
        NetworkError::OutputOverflow {
            output_bucket: 3,
            reach
        }
    );

    let mut hidden = parts(Some(HiddenLayer { width: 16, shift: 6 }));
    hidden.hidden_bias[17] = i32::MIN + 1;
    assert!(Network::from_parts(hidden.clone()).is_ok());
    hidden.hidden_weights[17 * 128 + 1] = -2;
    let reach = i64::from(i32::MAX) + 254;
    assert_eq!(
        refuse(hidden),
        NetworkError::HiddenOverflow {
            output_bucket: 1,
            neuron: 1,
            reach
        }
    );
}

#[test]
fn wrong_sizes_are_named() {
    let mut short = parts(None);
    short.output_bias.pop();
    let expected = NetworkError::Weights {
        what: "output biases",
        found: 7,
        expected: 8,
    };
    assert_eq!(Network::from_parts(short).unwrap_err(), expected);
    let long_name = NetworkParts {
        name: "x".repeat(49),
        ..parts(None)
    };
    assert_eq!(Network::from_parts(long_name).unwrap_err(), NetworkError::Name);
}

#[test]
fn broken_files_never_panic() {
    let mut random = Random(5);
    let hidden = Some(HiddenLayer { width: 16, shift: 6 });
    for hidden in [None, hidden] {
        let good = Network::from_parts(parts(hidden)).unwrap().to_bytes();
        let mut accepted = 0;
        for round in 0..3_000 {
            let mut file = good.clone();
            for _ in 0..=random.below(4) {
                // Half of the hits go into the shape, where they can do most harm.
                let end = if random.below(2) == 0 {
                    BODY + 128
                } else {
                    file.len()
                };
                let place = random.below(end);
                file[place] = random.next() as u8;
            }
            if random.below(4) == 0 {
                file.truncate(random.below(file.len()));
            }
            // A right digest lets the fault pass to the inner checks.
            if round % 2 == 0 && file.len() >= BODY {
                file = sealed(file);
            }
            accepted += usize::from(Network::from_bytes(&file).is_ok());
        }
        // Weights and names may change freely, so some files are good ones.
        assert!(
            accepted > 0,
            "no file passed, so the inner checks were never reached"
        );
    }
}
