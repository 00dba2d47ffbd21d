//! Settings of a server from a file, the environment and flags.

use std::{marker::PhantomData, path::PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use tabiya_server::config::{Effective, Layers, SETTINGS, Setting};

use crate::failure::Failure;

/// The variable that names the file.
const FILE_VARIABLE: &str = "TABIYA_CONFIG";

/// Other names of flags.
const ALIASES: &[(&str, &str)] = &[
    ("bulk_threads", "threads"),
    ("jobs_slots", "slots"),
    ("rulesets", "ruleset"),
];

/// Flags that stand for a flag with a value: name, setting, value, help.
const SHORTHANDS: &[(&str, &str, &str, &str)] = &[
    ("no-gpu", "gpu", "off", "Do not look for a GPU; as --gpu off"),
    (
        "allow-software-gpu",
        "gpu",
        "software",
        "Take a software renderer, such as lavapipe, for a GPU (for tests); as --gpu software",
    ),
];

/// Which settings have flags. Files and the environment may have all of them: what starts several programs is written once.
pub(crate) trait Scope {
    /// Whether this one has.
    fn has(key: &str) -> bool;
}

/// All of them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Everything;

impl Scope for Everything {
    fn has(_: &str) -> bool {
        true
    }
}

/// A flag for each setting, and one for a file.
#[derive(Clone, Debug, Default)]
pub(crate) struct SettingArgs<S = Everything> {
    /// The file that was named by a flag.
    file: Option<PathBuf>,
    /// What was given by flags: setting, flag and values.
    flags: Vec<(&'static Setting, String, Vec<String>)>,
    scope: PhantomData<S>,
}

impl<S> SettingArgs<S> {
    /// The configuration from the file, the environment and the flags. `file` is used where no flag names one.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub(crate) fn load(&self, file: Option<PathBuf>) -> Result<Effective, Failure> {
        let from_environment = || std::env::var_os(FILE_VARIABLE).filter(|path| !path.is_empty());
        let file = self.file.clone().or(file);
        let mut layers = Layers::default();
        if let Some(path) = file.or_else(|| from_environment().map(Into::into)) {
            layers = layers.file(&path);
        }
        let lossy = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
        let variables = std::env::vars_os().map(|(name, value)| (lossy(name), lossy(value)));
        layers = layers.environment(variables);
        for (setting, flag, values) in &self.flags {
            layers = layers.flag(setting, flag, values);
        }
        layers
            .load()
            .map_err(|faults| Failure::Settings(faults.to_string()))
    }
}

impl<S: Scope> Args for SettingArgs<S> {
    fn augment_args(command: Command) -> Command {
        let file = Arg::new("config")
            .long("config")
            .value_name("FILE")
            .value_parser(clap::value_parser!(PathBuf))
            .help(format!("File of settings (TOML) [env: {FILE_VARIABLE}]"));
        let mut command = command.arg(file);
        for setting in SETTINGS.iter().filter(|setting| S::has(setting.key)) {
            command = command.arg(flag(setting));
        }
        if !SHORTHANDS.iter().all(|(_, setting, ..)| S::has(setting)) {
            return command;
        }
        for (name, setting, _, help) in SHORTHANDS {
            let section = Setting::named(setting).map(|setting| setting.section);
            let arg = Arg::new(*name).long(*name).help(*help);
            let arg = arg.action(ArgAction::SetTrue).help_heading(section);
            command = command.arg(arg.conflicts_with(*setting));
        }
        // Two of them about one setting contradict each other.
        command.mut_arg("allow-software-gpu", |arg| arg.conflicts_with("no-gpu"))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<S: Scope> FromArgMatches for SettingArgs<S> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let file = matches.get_one("config").cloned();
        let mut flags = Vec::new();
        for setting in SETTINGS.iter().filter(|setting| S::has(setting.key)) {
            if let Some(values) = matches.get_many::<String>(setting.key) {
                let flag = format!("--{}", setting.flag());
                flags.push((setting, flag, values.cloned().collect()));
            }
        }
        for (name, setting, value, _) in SHORTHANDS {
            if S::has(setting) && matches.get_flag(name) {
                let setting = Setting::named(setting).expect("a shorthand is for a setting");
                flags.push((setting, format!("--{name}"), vec![(*value).to_owned()]));
            }
        }
        Ok(Self {
            file,
            flags,
            scope: PhantomData,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn flag(setting: &'static Setting) -> Arg {
    let mut notes = vec![format!("[env: {}]", setting.variable())];
    let config = tabiya_server::Config::default();
    if let Some(value) = setting.value(&config).filter(|value| value != "[]") {
        notes.push(format!("[default: {}]", value.trim_matches('"')));
    }
    if let Some(range) = setting.range() {
        notes.push(format!("[range: {range}]"));
    }
    let description = setting.description();
    let first = description.split_inclusive(". ").next().unwrap_or_default();
    let arg = Arg::new(setting.key)
        .long(setting.flag())
        .value_name(setting.placeholder)
        .help_heading(setting.section)
        .help(format!("{} {}", first.trim_end(), notes.join(" ")))
        .long_help(format!("{description} {}", notes.join(" ")));
    let arg = match ALIASES.iter().find(|(key, _)| *key == setting.key) {
        Some((_, alias)) => arg.visible_alias(*alias),
        None => arg,
    };
    if setting.is_switch {
        arg.num_args(0..=1)
            .require_equals(true)
            .default_missing_value("true")
    } else if setting.is_list {
        arg.action(ArgAction::Append)
    } else {
        arg
    }
}
