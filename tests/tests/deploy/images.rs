//! Container files: the user, the ports and the start are those that the manifests count on.

use std::fs;

use tabiya_server::Config;
use tabiya_tests::{repository, run};

use crate::rendered::{object, rendered};

fn lines<'a>(text: &'a str, word: &str) -> Vec<&'a str> {
    text.lines()
        .filter_map(|line| line.strip_prefix(word)?.strip_prefix(' '))
        .collect()
}

#[test]
fn images_run_the_program_as_the_manifests_user() {
    let Some(rendered) = rendered("users of the images") else {
        return;
    };
    for name in ["Containerfile", "Containerfile.gpu"] {
        let text = fs::read_to_string(repository().join("deploy").join(name)).expect("a container file");
        let pod = &object(&rendered["dev"], "Deployment", "tabiya")["spec"]["template"]["spec"];
        let context = &pod["securityContext"];
        let user = format!("{}:{}", context["runAsUser"], context["runAsGroup"]);
        assert_eq!(lines(&text, "USER"), [user], "{name}");
        let config = Config::default();
        let ports = format!("{} {}", config.listen.port(), config.admin_listen.port());
        assert_eq!(lines(&text, "EXPOSE"), [ports], "{name}");
        let command: Vec<String> = serde_json::from_str(lines(&text, "CMD")[0]).expect("a list");
        let _ = run(command.iter().map(String::as_str).chain(["--help"])).expect_code(0);
        // As in the manifests: arguments only, so the image's entry point stands.
        assert!(pod["containers"][0]["command"].is_null());
        assert_eq!(
            lines(&text, "ENTRYPOINT"),
            ["[\"/usr/local/bin/tabiya\"]"],
            "{name}"
        );
    }
}

/// Without them no encrypted link to a host with a public certificate can be made: the base image has none.
#[test]
fn images_bring_the_authorities_that_the_system_trusts() {
    for name in ["Containerfile", "Containerfile.gpu"] {
        let text = fs::read_to_string(repository().join("deploy").join(name)).expect("a container file");
        let copies = lines(&text, "COPY");
        let bundle = "/etc/ssl/certs/ca-certificates.crt";
        assert!(
            copies.contains(&format!("--from=build {bundle} {bundle}").as_str()),
            "{name}"
        );
    }
}

#[test]
fn the_gpu_image_asks_for_vulkan() {
    let text = fs::read_to_string(repository().join("deploy/Containerfile.gpu")).expect("a container file");
    assert!(text.contains("NVIDIA_DRIVER_CAPABILITIES=compute,graphics,utility"));
    for library in ["libvulkan1", "libx11-6", "libxext6"] {
        assert!(text.contains(library), "{library}");
    }
    assert!(!text.contains("--no-default-features"));
    let Some(rendered) = rendered("the GPU pod") else {
        return;
    };
    let container =
        &object(&rendered["gpu"], "Deployment", "tabiya")["spec"]["template"]["spec"]["containers"][0];
    assert_eq!(container["resources"]["limits"]["nvidia.com/gpu"], "1");
    let image = container["image"].as_str().expect("an image");
    assert!(image.starts_with("tabiya-gpu:"), "{image}");
}

/// The commands and the sample of the page name what is there, and its tables name all of it.
#[test]
fn the_page_names_what_is_there() {
    let page = fs::read_to_string(repository().join("deploy/README.md")).expect("the page");
    let blocks: Vec<&str> = page.split("```").skip(1).step_by(2).collect();
    let mut named = 0;
    for word in blocks
        .iter()
        .flat_map(|block| block.split([' ', '\n', '[', ']', ',']))
    {
        let Some(at) = word.find("deploy/") else { continue };
        assert!(repository().join(&word[at..]).exists(), "{word}");
        named += 1;
    }
    assert!(named >= 5, "{named}");
    for folder in ["overlays", "components"] {
        let entries = fs::read_dir(repository().join("deploy").join(folder)).expect("a folder");
        for entry in entries {
            let name = entry.expect("an entry").file_name();
            let row = format!("\n| `{}` |", name.to_string_lossy());
            assert!(page.contains(&row), "{row}");
        }
    }
}
