//! The manifests as a cluster would get them.

use std::{collections::BTreeMap, fs, process::Command, sync::OnceLock};

use serde_json::Value;
use tabiya_tests::repository;

/// Every overlay and composition by name, each a list of objects.
pub(crate) type Rendered = BTreeMap<String, Vec<Value>>;

/// Renders everything once; `None`, with loud words, where there is no kubectl.
///
/// # Panics
/// If it does not render, or kubectl is missing although `TABIYA_REQUIRE_DEPLOY_TOOLS` is `1`.
pub(crate) fn rendered(skipped: &str) -> Option<&'static Rendered> {
    static RENDERED: OnceLock<Option<Rendered>> = OnceLock::new();
    let rendered = RENDERED.get_or_init(render).as_ref();
    if rendered.is_none() {
        let required = std::env::var("TABIYA_REQUIRE_DEPLOY_TOOLS").is_ok_and(|value| value == "1");
        assert!(!required, "no kubectl although it is required");
        eprintln!("SKIPPED: {skipped}: no kubectl");
    }
    rendered
}

fn render() -> Option<Rendered> {
    Command::new("kubectl").arg("help").output().ok()?;
    fs::create_dir_all(repository().join("target")).expect("a folder for output");
    let folder = tempfile::tempdir().expect("a folder");
    let output = Command::new(repository().join("tests/deploy/render"))
        .arg(folder.path())
        .output()
        .expect("bash runs");
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words}");
    let files = fs::read_dir(folder.path()).expect("the folder");
    let read = |path: std::path::PathBuf| {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        (name, documents(&fs::read_to_string(&path).expect("a file")))
    };
    Some(files.map(|file| read(file.expect("an entry").path())).collect())
}

/// The objects of a YAML file.
pub(crate) fn documents(text: &str) -> Vec<Value> {
    serde_saphyr::from_multiple(text).unwrap_or_else(|error| panic!("{error}"))
}

/// The objects of this kind.
pub(crate) fn of_kind<'a>(objects: &'a [Value], kind: &'a str) -> impl Iterator<Item = &'a Value> {
    objects.iter().filter(move |object| object["kind"] == kind)
}

/// The only object of this kind and name.
pub(crate) fn object<'a>(objects: &'a [Value], kind: &'a str, name: &str) -> &'a Value {
    let found: Vec<_> = of_kind(objects, kind)
        .filter(|object| object["metadata"]["name"] == name)
        .collect();
    assert_eq!(found.len(), 1, "{kind} {name}");
    found[0]
}

/// The items of a list; none where there is no list.
pub(crate) fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// A text.
pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text"))
}
