//! Texts in one piece of memory. Freeing a million single labels would take long without a poll.

/// Texts, by number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Texts {
    all: String,
    ends: Vec<usize>,
}

impl Texts {
    /// Adds a text and returns its number.
    pub fn push(&mut self, text: &str) -> usize {
        self.all.push_str(text);
        self.ends.push(self.all.len());
        self.ends.len() - 1
    }

    /// Returns the text with a number.
    pub fn get(&self, number: usize) -> &str {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.all[start..self.ends[number]]
    }

    /// Number of texts.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether there are no texts.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Iterates over the texts, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|number| self.get(number))
    }
}
