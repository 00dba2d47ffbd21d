//! What is known of each setting, and the macro that makes it and the struct from one list.

use super::Config;

/// A setting: the one place that files, environment, flags, help and documentation go by.
pub struct Setting {
    /// Name in a file, and of the field of [`Config`].
    pub key: &'static str,
    /// Heading that it is listed under.
    pub section: &'static str,
    /// Lines of its description.
    pub doc: &'static [&'static str],
    /// What stands for a value in help, such as `N` or `FILE`.
    pub placeholder: &'static str,
    /// Whether it takes a list.
    pub is_list: bool,
    /// Whether it is yes or no, so that its flag alone says yes.
    pub is_switch: bool,
    /// Whether its value must not be shown.
    pub is_secret: bool,
    /// The least and the greatest value, where there are such.
    pub(super) range: fn() -> Option<(String, String)>,
    /// The texts of a list that was given as one.
    pub(super) split: fn(&str) -> Vec<String>,
    /// Sets it to what it is elsewhere.
    pub(super) copy: fn(&Config, &mut Config),
    /// Sets it from text.
    pub(super) read: fn(&mut Config, &[String]) -> Result<(), String>,
    /// Its value as TOML; `None` if it is not set.
    pub(super) show: fn(&Config) -> Option<String>,
    /// Whether its value is out of range.
    pub(super) is_outside: fn(&Config) -> bool,
}

impl Setting {
    /// The setting of this name.
    pub fn named(key: &str) -> Option<&'static Self> {
        super::SETTINGS.iter().find(|setting| setting.key == key)
    }

    /// Its variable in the environment, such as `TABIYA_IO_THREADS`.
    pub fn variable(&self) -> String {
        format!("{}{}", super::PREFIX, self.key.to_ascii_uppercase())
    }

    /// Its flag without dashes in front, such as `io-threads`.
    pub fn flag(&self) -> String {
        self.key.replace('_', "-")
    }

    /// Its description in one piece.
    pub fn description(&self) -> String {
        self.doc
            .iter()
            .map(|line| line.trim())
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// The least and the greatest value, such as `1..=64`, where there are such.
    pub fn range(&self) -> Option<String> {
        let (least, most) = (self.range)()?;
        Some(format!(
            "{}..={}",
            least.trim_matches('"'),
            most.trim_matches('"')
        ))
    }

    /// Gives it in `to` the value that it has in `from`.
    pub fn copy(&self, from: &Config, to: &mut Config) {
        (self.copy)(from, to);
    }

    /// Its value in `config` as TOML; `None` if it is not set. A secret is not shown.
    pub fn value(&self, config: &Config) -> Option<String> {
        let value = (self.show)(config)?;
        Some(if self.is_secret {
            super::HIDDEN.to_owned()
        } else {
            value
        })
    }
}

impl std::fmt::Debug for Setting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.key)
    }
}

/// Makes [`Config`] and [`SETTINGS`](super::SETTINGS). An entry is its description, its name, type and
/// [form](super::form), its default and, where there is one, its range.
macro_rules! settings {
    (
        |$cores:ident|
        $($section:literal {
            $($(#[doc = $doc:literal])+ $key:ident: $type:ty as $form:ident = $default:expr $(, $range:expr)?;)+
        })+
    ) => {
        /// Everything that can be set about a server. The defaults suit one server on a machine of its own.
        #[derive(Clone, Debug)]
        pub struct Config {
            $($($(#[doc = $doc])+ pub $key: $type,)+)+
        }

        impl Config {
            /// The defaults for a server that has so many cores to itself.
            pub fn for_cores($cores: usize) -> Self {
                Self { $($($key: $default,)+)+ }
            }
        }

        /// Every setting, in the order in which they are listed.
        pub static SETTINGS: &[Setting] = &[
            $($(Setting {
                key: stringify!($key),
                section: $section,
                doc: &[$($doc),+],
                placeholder: <$form as Form<$type>>::PLACEHOLDER,
                is_list: <$form as Form<$type>>::IS_LIST,
                is_switch: <$form as Form<$type>>::IS_SWITCH,
                is_secret: <$form as Form<$type>>::IS_SECRET,
                range: || {
                    $(
                        let range = $range;
                        let shown = |bound: &$type| <$form as Form<$type>>::show(bound).unwrap_or_default();
                        return Some((shown(range.start()), shown(range.end())));
                    )?
                    #[allow(unreachable_code)]
                    None
                },
                split: <$form as Form<$type>>::split,
                copy: |from, to| to.$key.clone_from(&from.$key),
                read: |config, texts| {
                    config.$key = <$form as Form<$type>>::read(texts)?;
                    Ok(())
                },
                show: |config| <$form as Form<$type>>::show(&config.$key),
                is_outside: |_config| {
                    $(return !($range).contains(&_config.$key);)?
                    #[allow(unreachable_code)]
                    false
                },
            },)+)+
        ];
    };
}

pub(super) use settings;
