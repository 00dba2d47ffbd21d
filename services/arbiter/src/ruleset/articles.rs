//! The articles of a ruleset, in the order in which its file has them.

use std::collections::BTreeMap;

/// An article of a ruleset.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArticleText {
    /// What it says, in our own English words.
    pub en: String,
    /// What it says, in our own Chinese words.
    pub zh: String,
}

/// Articles by number, in the order of the laws.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Articles {
    list: Vec<(String, ArticleText)>,
    places: BTreeMap<String, usize>,
}

impl Articles {
    /// The article with a number.
    pub fn get(&self, number: &str) -> Option<&ArticleText> {
        self.places.get(number).map(|&place| &self.list[place].1)
    }

    /// Whether there is an article with a number.
    pub fn contains_key(&self, number: &str) -> bool {
        self.places.contains_key(number)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Every article with its number, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&String, &ArticleText)> {
        self.list.iter().map(|(number, text)| (number, text))
    }

    /// Puts an article in: in place of the one with its number, or last.
    pub(super) fn insert(&mut self, number: String, text: ArticleText) {
        match self.places.get(&number) {
            Some(&place) => self.list[place].1 = text,
            None => {
                self.places.insert(number.clone(), self.list.len());
                self.list.push((number, text));
            }
        }
    }
}

impl<'a> IntoIterator for &'a Articles {
    type Item = (&'a String, &'a ArticleText);
    type IntoIter = Box<dyn ExactSizeIterator<Item = Self::Item> + 'a>;

    fn into_iter(self) -> Self::IntoIter {
        Box::new(self.iter())
    }
}
