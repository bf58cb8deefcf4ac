//! Texts one behind the other: what is made of a million labels is also freed, and that without a poll.

/// Texts, by number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Texts {
    all: String,
    ends: Vec<usize>,
}

impl Texts {
    /// Adds one; its number.
    pub fn push(&mut self, text: &str) -> usize {
        self.all.push_str(text);
        self.ends.push(self.all.len());
        self.ends.len() - 1
    }

    /// The text with a number.
    pub fn get(&self, number: usize) -> &str {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.all[start..self.ends[number]]
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// All, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|number| self.get(number))
    }
}
