//! Rows of a taxonomy.

use super::Texts;

/// Row of a taxonomy: a label and the label above it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Edge<'a> {
    /// Label; a row without one is a [`Defect::NoChild`](super::Defect::NoChild).
    pub child: Option<&'a str>,
    /// Label above; None for the root.
    pub parent: Option<&'a str>,
    /// Least value under the node, if nodes are intervals.
    pub lower: Option<&'a str>,
    /// Greatest value under the node, if nodes are intervals.
    pub upper: Option<&'a str>,
}

impl<'a> Edge<'a> {
    /// Makes an edge without ends.
    pub fn new(child: &'a str, parent: Option<&'a str>) -> Edge<'a> {
        Edge { child: Some(child), parent, ..Edge::default() }
    }
}

/// All rows of a taxonomy, with their texts in one piece of memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Edges {
    texts: Texts,
    /// Numbers of the texts of each row: child, parent, lower and upper end.
    rows: Vec<[Option<u32>; 4]>,
}

impl Edges {
    /// Adds a row.
    pub fn push(&mut self, edge: Edge) {
        let Edge { child, parent, lower, upper } = edge;
        let before = self.rows.last().copied().unwrap_or_default();
        let mut row = [None; 4];
        for (number, text) in row.iter_mut().zip([child, parent, lower, upper]) {
            let Some(text) = text else { continue };
            // Reuses the texts of the row before: neighbouring rows often are siblings, or a node and its parent.
            let known =
                before.into_iter().take(2).flatten().find(|&known| self.texts.get(known as usize) == text);
            *number = Some(known.unwrap_or_else(|| self.texts.push(text) as u32));
        }
        self.rows.push(row);
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns a row.
    pub fn get(&self, row: usize) -> Edge<'_> {
        let text = |number: Option<u32>| number.map(|number| self.texts.get(number as usize));
        let [child, parent, lower, upper] = self.rows[row].map(text);
        Edge { child, parent, lower, upper }
    }

    /// Iterates over the rows, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Edge<'_>> {
        (0..self.len()).map(|row| self.get(row))
    }
}

/// Collects labels, each with the label above it.
impl<C: AsRef<str>, P: AsRef<str>> FromIterator<(C, Option<P>)> for Edges {
    fn from_iter<T: IntoIterator<Item = (C, Option<P>)>>(rows: T) -> Edges {
        let mut edges = Edges::default();
        for (child, parent) in rows {
            edges.push(Edge::new(child.as_ref(), parent.as_ref().map(AsRef::as_ref)));
        }
        edges
    }
}
