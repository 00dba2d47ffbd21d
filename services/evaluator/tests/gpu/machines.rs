//! Machines without a loader, without a driver, with broken ones: the program starts on the CPU and says why.
//!
//! Each machine is a child process of this test with an environment of its own, as the Vulkan loader reads
//! its variables once in a process.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use tabiya_evaluator::{
    BackendChoice, BatchEvaluator, BatchOptions, Network, evaluate_reference,
    gpu::{GpuDevice, GpuOptions, list_adapters},
};

use crate::scattered;

const CHILD: &str = "TABIYA_TEST_MACHINE";

/// The child's part: tries all that a service tries, and prints what it was told.
#[test]
fn child() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    let network = Network::default_network();
    let gpu = GpuOptions {
        allow_software: true,
        ..GpuOptions::default()
    };
    match GpuDevice::open(&network, &gpu) {
        Ok(device) => println!("OPENED {}", device.adapter().name),
        Err(error) => println!("OPEN {error}"),
    }
    match list_adapters(&gpu) {
        Ok(adapters) => println!("LISTED {}", adapters.len()),
        Err(error) => println!("LIST {error}"),
    }
    let options = BatchOptions {
        gpu,
        ..BatchOptions::default()
    };
    let evaluator = BatchEvaluator::start(&network, &options).unwrap();
    println!("AUTO {}", evaluator.status().auto_reason);
    let positions = scattered::positions(200, 1);
    let reply = evaluator
        .submit(BackendChoice::Auto, positions.clone())
        .unwrap()
        .wait()
        .unwrap();
    for (position, value) in positions.iter().zip(reply.values) {
        assert_eq!(
            value,
            network.to_centipawns(evaluate_reference(&network, position))
        );
    }
    println!("SERVED {:?}", reply.lane);
    let insisting = BatchOptions {
        backend: BackendChoice::Gpu,
        ..options
    };
    if let Err(error) = BatchEvaluator::start(&network, &insisting) {
        println!("INSISTED {error}");
    }
}

/// Runs the child with more environment; gives its lines.
fn machine(name: &str, environment: &[(&str, &Path)]) -> Vec<String> {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "machines::child", "--nocapture", "--test-threads=1"])
        .env(CHILD, name);
    for (key, value) in environment {
        command.env(key, value);
    }
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.status.success(),
        "{name}: {:?}\n{text}\n{errors}",
        output.status
    );
    assert!(!errors.contains("panicked"), "{name}: {errors}");
    text.lines().map(str::to_owned).collect()
}

fn assert_serves_on_cpu(name: &str, lines: &[String], reasons: &[&str]) {
    let line = |start: &str| {
        let found = lines
            .iter()
            .find_map(|line| line.split_once(start))
            .map(|(_, rest)| rest.to_owned());
        found.unwrap_or_else(|| panic!("{name}: no line {start}: {lines:#?}"))
    };
    let reason = line("OPEN ");
    assert!(reasons.contains(&reason.as_str()), "{name}: {reason}");
    assert_eq!(line("LIST "), reason);
    assert_eq!(line("AUTO "), format!("cpu: no gpu, {reason}"));
    assert_eq!(line("SERVED "), "Cpu");
    assert_eq!(line("INSISTED "), format!("no gpu: {reason}"));
}

/// A folder for one test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("tabiya-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str, content: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, content).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn manifest(library: &str) -> String {
    format!(
        r#"{{"file_format_version": "1.0.0", "ICD": {{"library_path": "{library}", "api_version": "1.3.0"}}}}"#
    )
}

const NO_LOADER: &str = "no vulkan loader or no driver that it can load";
const NO_ADAPTER: &str = "vulkan is present but its drivers offer no adapter";

#[cfg(target_os = "linux")]
#[test]
fn no_loader() {
    let folder = Folder::new("no-loader");
    // The first match in the search path counts, and this one is no library.
    folder.file("libvulkan.so.1", "no library");
    folder.file("libvulkan.so", "no library");
    let lines = machine("no loader", &[("LD_LIBRARY_PATH", &folder.0)]);
    assert_serves_on_cpu("no loader", &lines, &[NO_LOADER]);
}

#[cfg(target_os = "linux")]
#[test]
fn no_driver() {
    let nothing = Path::new("/nonexistent/driver.json");
    let lines = machine(
        "no driver",
        &[("VK_DRIVER_FILES", nothing), ("VK_ICD_FILENAMES", nothing)],
    );
    assert_serves_on_cpu("no driver", &lines, &[NO_LOADER, NO_ADAPTER]);
}

#[cfg(target_os = "linux")]
#[test]
fn broken_drivers() {
    let folder = Folder::new("broken-drivers");
    let text = folder.file("libnonsense.so", "no library");
    let drivers = [
        (
            "a library that is not there",
            manifest("/nonexistent/libdriver.so"),
        ),
        ("a library that is none", manifest(text.to_str().unwrap())),
        ("a library that is no driver", manifest("libm.so.6")),
        ("a manifest that is none", "{".to_owned()),
    ];
    for (name, content) in drivers {
        let driver = folder.file("driver.json", &content);
        let lines = machine(
            name,
            &[("VK_DRIVER_FILES", &driver), ("VK_ICD_FILENAMES", &driver)],
        );
        assert_serves_on_cpu(name, &lines, &[NO_LOADER, NO_ADAPTER]);
    }
}
