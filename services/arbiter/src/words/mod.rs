//! What rulings say, in English and Chinese: the effects that follow from an event, and the facts that nobody
//! reported. The sentences of reasons stand beside them, in [`Reason`](crate::replay::Reason).

mod effect;
mod fact;
mod span;

pub use effect::effect;
pub use fact::fact;

/// A language for sentences.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// Simplified Chinese.
    Chinese,
}

impl Language {
    /// The one of two texts that is in this language.
    pub fn pick<T>(self, english: T, chinese: T) -> T {
        match self {
            Self::English => english,
            Self::Chinese => chinese,
        }
    }
}
