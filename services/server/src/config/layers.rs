use std::{collections::BTreeMap, path::Path};

use super::{Config, ConfigFault, ConfigFaults, SETTINGS, Setting, Source, environment, file};

/// A value that somebody gave.
#[derive(Debug)]
pub(super) struct Given {
    pub(super) setting: &'static Setting,
    pub(super) texts: Vec<String>,
    pub(super) source: Source,
}

/// What was given by a file, the environment and flags. A later layer wins.
#[derive(Debug, Default)]
pub struct Layers {
    given: Vec<Given>,
    faults: Vec<ConfigFault>,
    ignored: Vec<String>,
}

/// The configuration that results, and where each value comes from.
#[derive(Clone, Debug)]
pub struct Effective {
    /// The configuration.
    pub config: Config,
    /// Variables of the environment that look like settings and are none.
    pub ignored: Vec<String>,
    sources: BTreeMap<&'static str, Source>,
}

impl Layers {
    /// Adds the settings of a file. Its faults are told by [`Layers::load`].
    #[must_use]
    pub fn file(mut self, path: &Path) -> Self {
        match file::read(path) {
            Ok(given) => self.given.extend(given),
            Err(faults) => self.faults.extend(faults),
        }
        self
    }

    /// Adds the settings among variables of the environment.
    #[must_use]
    pub fn environment(mut self, variables: impl IntoIterator<Item = (String, String)>) -> Self {
        let (given, faults, ignored) = environment::read(variables.into_iter());
        self.given.extend(given);
        self.faults.extend(faults);
        self.ignored.extend(ignored);
        self
    }

    /// Adds a flag with its values; a list may also be in one text.
    #[must_use]
    pub fn flag(mut self, setting: &'static Setting, name: &str, values: &[String]) -> Self {
        let split = values.iter().flat_map(|value| environment::split(setting, value));
        self.given.push(Given {
            setting,
            texts: split.collect(),
            source: Source::Flag(name.to_owned()),
        });
        self
    }

    /// The configuration that results.
    ///
    /// # Errors
    /// All that is wrong: unknown keys, values that cannot be read, values out of range or that do not go together.
    pub fn load(self) -> Result<Effective, ConfigFaults> {
        let mut faults = self.faults;
        // Other defaults follow from the number of cores.
        let mut config = Config::default();
        for given in self.given.iter().filter(|given| given.setting.key == "cores") {
            // A fault is told below.
            let _ = (given.setting.read)(&mut config, &given.texts);
        }
        let mut config = Config::for_cores(config.cores.clamp(1, 1024));
        let mut sources = BTreeMap::new();
        for Given {
            setting,
            texts,
            source,
        } in self.given
        {
            if let Err(expected) = (setting.read)(&mut config, &texts) {
                faults.push(ConfigFault {
                    key: setting.key.to_owned(),
                    reason: format!("{} is {}: {expected}", setting.key, file::quoted(setting, &texts)),
                    source: source.clone(),
                });
            }
            sources.insert(setting.key, source);
        }
        faults.extend(config.faults(&|key| sources.get(key).cloned().unwrap_or(Source::Default)));
        if !faults.is_empty() {
            return Err(ConfigFaults(faults));
        }
        Ok(Effective {
            config,
            ignored: self.ignored,
            sources,
        })
    }
}

impl Effective {
    /// Where a setting's value comes from.
    pub fn source(&self, setting: &Setting) -> Source {
        self.sources.get(setting.key).cloned().unwrap_or(Source::Default)
    }
}

/// The complaint about a key that nobody knows.
pub(super) fn unknown(key: &str, source: Source) -> ConfigFault {
    let known = tabiya_api::error::excerpt(key);
    let hint = nearest(key).map_or_else(String::new, |setting| format!("; `{}` is meant?", setting.key));
    ConfigFault {
        key: known.clone(),
        reason: format!("no setting is called `{known}`{hint}"),
        source,
    }
}

/// The setting that a misspelt name most likely means.
pub(super) fn nearest(key: &str) -> Option<&'static Setting> {
    /// Below it two names have little in common.
    const ALIKE: f64 = 0.8;
    let near = SETTINGS
        .iter()
        .map(|setting| (strsim::normalized_damerau_levenshtein(setting.key, key), setting));
    let best = near.max_by(|a, b| a.0.total_cmp(&b.0));
    best.filter(|(alike, _)| *alike >= ALIKE)
        .map(|(_, setting)| setting)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn variable(name: &str, value: &str) -> (String, String) {
        (name.to_owned(), value.to_owned())
    }

    fn in_file(text: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tabiya.toml");
        std::fs::write(&path, text).unwrap();
        (folder, path)
    }

    fn faults(layers: Layers) -> Vec<String> {
        let faults = layers.load().unwrap_err().0;
        faults.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn later_layers_win() {
        let (_folder, path) = in_file("io_threads = 3\nbulk_queue = 100\nrules_threads = 4\n");
        let setting = |key| Setting::named(key).unwrap();
        let effective = Layers::default()
            .file(&path)
            .environment([
                variable("TABIYA_BULK_QUEUE", "200"),
                variable("TABIYA_RULES_THREADS", "5"),
                variable("HOME", "/"),
            ])
            .flag(setting("rules_threads"), "--rules-threads", &["6".to_owned()])
            .load()
            .unwrap();
        let config = &effective.config;
        assert_eq!(
            (config.io_threads, config.bulk_queue, config.rules_threads),
            (3, 200, 6)
        );
        let sources =
            ["io_threads", "bulk_queue", "rules_threads", "gpu"].map(|key| effective.source(setting(key)));
        assert_eq!(
            sources,
            [
                Source::File(path, 1),
                Source::Environment("TABIYA_BULK_QUEUE".to_owned()),
                Source::Flag("--rules-threads".to_owned()),
                Source::Default,
            ]
        );
    }

    #[test]
    fn every_fault_names_key_value_and_source() {
        let (_folder, path) = in_file(
            "# comment\nbulk_queu = 100\n\nio_threads = \"many\"\nlongest_call = 1979-05-27\nbulk_queue = 3\ngpu = \"yes\"\n",
        );
        let at = |line: usize, text: &str| format!("{}:{line}: {text}", path.display());
        let told = faults(Layers::default().file(&path));
        assert_eq!(
            told,
            [
                at(2, "no setting is called `bulk_queu`; `bulk_queue` is meant?"),
                at(5, "longest_call cannot be a date"),
            ]
        );
        let (_folder, path) = in_file("io_threads = \"many\"\nbulk_queue = 3\ngpu = \"yes\"\n");
        let at = |line: usize, text: &str| format!("{}:{line}: {text}", path.display());
        let mut told = faults(Layers::default().file(&path).environment([
            variable("TABIYA_INTERACTIVE_QUEUE", "0"),
            variable("TABIYA_STREAM_INFLIGHT", "5"),
        ]));
        told.sort();
        let mut expected = [
            at(1, "io_threads is `many`: a whole number is expected"),
            at(2, "bulk_queue is 3, outside 64..=1048576"),
            at(3, "gpu is `yes`: one of off, hardware, software is expected"),
            "environment TABIYA_INTERACTIVE_QUEUE: interactive_queue is 0, outside 1..=1048576".to_owned(),
            "environment TABIYA_STREAM_INFLIGHT: no setting has this variable; TABIYA_STREAM_IN_FLIGHT is meant?"
                .to_owned(),
        ];
        expected.sort();
        assert_eq!(told, expected);
    }

    #[test]
    fn a_file_that_is_no_toml_is_named_with_its_line() {
        let (_folder, path) = in_file("io_threads = 1\n\nbulk_queue = = 3\n");
        let told = faults(Layers::default().file(&path));
        assert!(
            told[0].starts_with(&format!("{}:3: ", path.display())),
            "{told:?}"
        );
        let told = faults(Layers::default().file(Path::new("no/such.toml")));
        assert!(told[0].starts_with("no/such.toml: "), "{told:?}");
    }

    #[test]
    fn defaults_follow_the_cores_that_are_given() {
        let cores = [variable("TABIYA_CORES", "7"), variable("TABIYA_GPU", "")];
        let config = Layers::default().environment(cores).load().unwrap().config;
        assert_eq!((config.bulk_threads, config.interactive_threads), (7, 56));
        let told = faults(Layers::default().environment([variable("TABIYA_CORES", "0")]));
        assert_eq!(told, ["environment TABIYA_CORES: cores is 0, outside 1..=1024"]);
    }

    #[test]
    fn what_kubernetes_and_others_set_is_no_fault() {
        let variables = [
            "TABIYA_PORT",
            "TABIYA_SERVICE_HOST",
            "TABIYA_SERVICE_PORT_GRPC",
            "TABIYA_PORT_50051_TCP_ADDR",
            "TABIYA_WORKER_SERVICE_HOST",
            "TABIYA_LOG",
            "TABIYA_SOMETHING_ELSE",
        ];
        let variables = variables.map(|name| variable(name, "tcp://10.0.0.1:50051"));
        let effective = Layers::default().environment(variables).load().unwrap();
        assert_eq!(effective.ignored, ["TABIYA_SOMETHING_ELSE"]);
    }

    #[test]
    fn every_setting_is_reached_by_every_layer() {
        for setting in SETTINGS {
            // What it is by default, or something where that is nothing.
            let value = setting.value(&Config::for_cores(4));
            let value = value
                .filter(|value| value != "[]")
                .unwrap_or_else(|| if setting.is_list { "[\"x\"]" } else { "\"x\"" }.to_owned());
            let (_folder, path) = in_file(&format!("{} = {value}\n", setting.key));
            let text = value.trim_matches(['"', '[', ']']).to_owned();
            let by_file = Layers::default().file(&path);
            let by_variable = Layers::default().environment([(setting.variable(), text.clone())]);
            let by_flag = Layers::default().flag(setting, &setting.flag(), &[text]);
            for layers in [by_file, by_variable, by_flag] {
                assert_eq!(layers.given.len(), 1, "{setting:?}: {:?}", layers.faults);
                let given = &layers.given[0];
                assert_eq!(given.setting.key, setting.key);
                let mut config = Config::for_cores(1);
                assert_eq!((setting.read)(&mut config, &given.texts), Ok(()), "{setting:?}");
                let shown = if setting.is_secret {
                    crate::config::HIDDEN
                } else {
                    value.as_str()
                };
                assert_eq!((setting.show)(&config).as_deref(), Some(shown), "{setting:?}");
            }
        }
    }
}
