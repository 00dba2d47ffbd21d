//! Tag pairs of a game.

/// The seven tags that every exported game has, in their order.
pub const SEVEN_TAG_ROSTER: [&str; 7] = ["Event", "Site", "Date", "Round", "White", "Black", "Result"];

/// Tag pairs in the order of their first appearance, each name once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tags(Vec<(String, String)>);

impl Tags {
    /// The value of a tag.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    /// Sets a tag and gives back its former value. Line ends in the value become spaces: no tag can hold them.
    pub fn set(&mut self, name: &str, value: &str) -> Option<String> {
        let value = value.replace(['\n', '\r'], " ");
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some((_, former)) => Some(std::mem::replace(former, value)),
            None => {
                self.0.push((name.to_owned(), value));
                None
            }
        }
    }

    /// Removes a tag and gives back its value.
    pub fn remove(&mut self, name: &str) -> Option<String> {
        let at = self.0.iter().position(|(known, _)| known == name)?;
        Some(self.0.remove(at).1)
    }

    /// Names and values in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
