//! The public contract as Rust types and, with the feature `domain`, the bridge to the domain crates.

#![forbid(unsafe_code)]

pub mod codec;
#[cfg(feature = "domain")]
pub mod convert;
pub mod error;
mod wire;

/// Generated from `proto/tabiya/v1`.
pub mod v1 {
    #![allow(missing_docs, unreachable_pub, rustdoc::all, clippy::all)]
    tonic::include_proto!("tabiya.v1");
}

/// The descriptors of `tabiya.v1` and its imports, without comments, for reflection.
pub const FILE_DESCRIPTOR_SET: &[u8] = tonic::include_file_descriptor_set!("tabiya_descriptor");

/// Greatest size of a message in either direction, in bytes.
pub const MAX_MESSAGE_BYTES: usize = 4 * 1024 * 1024;

pub use codec::{METER, Meter};
pub use wire::MAX_READ_BYTES;

/// Greatest number of positions, or of moves, in one message.
pub const MAX_POSITIONS_PER_MESSAGE: usize = 4096;

/// Greatest length of a bulk item's `id`, in bytes.
pub const MAX_ID_BYTES: usize = 256;

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, path::Path};

    use prost::Message;
    use prost_types::FileDescriptorSet;

    /// Names of our files, and of what is in them that callers name: services, messages, enumerations.
    fn names(bytes: &[u8]) -> BTreeSet<String> {
        let files = FileDescriptorSet::decode(bytes).unwrap().file;
        let ours = files.iter().filter(|file| file.package() == "tabiya.v1");
        ours.flat_map(|file| {
            let services = file.service.iter().map(|service| service.name());
            let messages = file.message_type.iter().map(|message| message.name());
            let enums = file.enum_type.iter().map(|one| one.name());
            let inside = services.chain(messages).chain(enums);
            inside.chain([file.name()]).map(str::to_owned).collect::<Vec<_>>()
        })
        .collect()
    }

    /// `buf breaking` compares with the baseline: what is not in there is guarded by nothing.
    #[test]
    fn all_that_is_served_is_in_the_baseline() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../proto/baseline.binpb");
        let baseline = names(&std::fs::read(path).unwrap());
        let served = names(super::FILE_DESCRIPTOR_SET);
        assert!(served.contains("tabiya/v1/job_service.proto") && served.contains("JobService"));
        let missing: Vec<_> = served.difference(&baseline).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}
