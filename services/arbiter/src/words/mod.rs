//! What rulings say, in English and Chinese: the effects that follow from an event, the facts that nobody reported, and
//! what could not be read of a record. The sentences of reasons stand beside them, in [`Reason`](crate::replay::Reason).

mod defect;
mod effect;
mod fact;
mod span;

pub use defect::defect;
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
