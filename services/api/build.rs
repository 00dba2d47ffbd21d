//! Compiles the protos without `protoc`: `protox` parses, `tonic-prost-build` generates.

use std::{env, error::Error, fs, path::PathBuf};

use prost::Message;

/// The files of the public contract, below `proto/`.
const PROTOS: &[&str] = &[
    "tabiya/v1/position.proto",
    "tabiya/v1/score.proto",
    "tabiya/v1/batch.proto",
    "tabiya/v1/rules_service.proto",
    "tabiya/v1/outcome.proto",
    "tabiya/v1/time_control.proto",
    "tabiya/v1/event.proto",
    "tabiya/v1/ruling.proto",
    "tabiya/v1/ruleset.proto",
    "tabiya/v1/recorded.proto",
    "tabiya/v1/comparison.proto",
    "tabiya/v1/search_service.proto",
    "tabiya/v1/job_service.proto",
    "tabiya/v1/mate.proto",
    "tabiya/v1/contest.proto",
    "tabiya/v1/standings.proto",
    "tabiya/v1/arbiter_service.proto",
];

fn main() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("../../proto");
    // tonic-prost-build emits no rerun lines when it is handed descriptors (grpc/grpc-rust#2511).
    println!("cargo::rerun-if-changed=build.rs");
    for proto in PROTOS {
        println!("cargo::rerun-if-changed={}", root.join(proto).display());
    }

    let mut compiler = protox::Compiler::new([&root])?;
    compiler.include_imports(true).include_source_info(true);
    compiler.open_files(PROTOS)?;
    let with_comments = compiler.file_descriptor_set();

    // Reflection serves the descriptors without their comments: a sixth of the size.
    let mut bare = with_comments.clone();
    for file in &mut bare.file {
        file.source_code_info = None;
    }
    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out.join("tabiya_descriptor.bin"), bare.encode_to_vec())?;

    // The codec looks messages up by their names.
    let mut config = tonic_prost_build::Config::new();
    config.enable_type_names();
    tonic_prost_build::configure()
        .codec_path("crate::codec::BoundedCodec")
        .compile_fds_with_config(with_comments, config)?;
    Ok(())
}
