//! Small worlds: what is public of a table before it is released. A world has a few masked columns of few possible values,
//! perhaps a column that is released as it is, and so many rows; all tables that are possible in it can be gone through.

use super::chance::Chance;
use topdown::taxonomy::Taxonomy;
use topdown::utility::Score;

/// A row, as the number of a combination of values on all columns; what is released as it is counts fastest.
pub type Row = u8;

/// How a column is masked, and which values are possible.
#[derive(Debug, Clone)]
pub enum Masking {
    /// Along a tree, whose leaves are the values.
    Taxonomy(Taxonomy),
    /// The values are these numbers, ascending; the domain's bounds may be known.
    Intervals { grid: Vec<i64>, bounds: Option<(i64, i64)> },
    /// So many values.
    Suppression(usize),
}

/// The maskings of a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Masked {
    Taxonomy,
    Suppression,
    Intervals,
    Bounded,
    Mixed,
}

/// What is released as it is, beside the masked columns: two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beside {
    Nothing,
    /// The class that the search is made for.
    Class,
    /// A sensitive value; every group has to hold both.
    Sensitive,
}

/// How a release is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Global,
    Valid,
    Local,
    /// The same, then clusters inside the groups.
    Clustered,
    /// Globally, with rows withheld, and the cut of the search that has withheld them.
    Withheld,
    /// Globally, with rows withheld, and the rest searched again as if these rows had never been.
    Again,
}

/// Everything that is public but the release itself.
#[derive(Debug, Clone)]
pub struct World {
    pub columns: Vec<Masking>,
    pub beside: Beside,
    pub rows: usize,
    pub k: u64,
    pub score: Score,
    pub way: Way,
}

impl Masking {
    /// How many values are possible.
    pub fn values(&self) -> usize {
        match self {
            Masking::Taxonomy(tree) => tree.leaves(),
            Masking::Intervals { grid, .. } => grid.len(),
            Masking::Suppression(values) => *values,
        }
    }
}

impl World {
    /// How many values of what is released as it is are possible.
    pub fn released(&self) -> usize {
        match self.beside {
            Beside::Nothing => 1,
            _ => 2,
        }
    }

    /// How many combinations of values on the masked columns are possible.
    pub fn combinations(&self) -> usize {
        self.columns.iter().map(Masking::values).product()
    }

    /// How many different rows are possible.
    pub fn kinds(&self) -> usize {
        self.combinations() * self.released()
    }

    /// A row's combination of values on the masked columns.
    pub fn combination(&self, row: Row) -> usize {
        row as usize / self.released()
    }

    /// A row's value on a masked column.
    pub fn value(&self, row: Row, column: usize) -> usize {
        let below: usize = self.columns[column + 1..].iter().map(Masking::values).product();
        self.combination(row) / below % self.columns[column].values()
    }

    /// What is released of a row as it is.
    pub fn beside(&self, row: Row) -> usize {
        row as usize % self.released()
    }

    /// How many rows may be withheld.
    pub fn most_withheld(&self) -> usize {
        match self.way {
            Way::Withheld | Way::Again => 1 + self.rows / 6,
            _ => 0,
        }
    }

    /// All tables that are possible, each with its rows in ascending order.
    pub fn tables(&self) -> Vec<Vec<Row>> {
        let last = (self.kinds() - 1) as Row;
        let mut table = vec![0; self.rows];
        let mut all = vec![table.clone()];
        while let Some(at) = table.iter().rposition(|&row| row < last) {
            let next = table[at] + 1;
            table[at..].fill(next);
            all.push(table.clone());
        }
        all
    }
}

/// In how many orders the rows of a table can come: so much the more likely it is, where every row is drawn by itself.
pub fn orders(table: &[Row]) -> u64 {
    let factorial = |n: usize| (1..=n as u64).product::<u64>();
    table
        .chunk_by(|a, b| a == b)
        .fold(factorial(table.len()), |orders, alike| orders / factorial(alike.len()))
}

/// How many tables there are of some size, where so many different rows are possible.
pub fn possible(kinds: usize, size: usize) -> f64 {
    (1..=size).fold(1.0, |all, n| all * (kinds + n - 1) as f64 / n as f64)
}

/// The most tables that may be possible in a world, and the fewest combinations of masked values.
const MOST_TABLES: f64 = 7000.0;
const FEWEST_COMBINATIONS: usize = 4;

impl Chance {
    fn is(&mut self) -> bool {
        self.below(2) == 0
    }

    /// A world of one to three columns. The columns, rows and score do not depend on the way.
    pub fn world(&mut self, masked: Masked, way: Way, beside: Beside, k: u64) -> World {
        loop {
            let width = 1 + self.below(3);
            for _ in 0..50 {
                let columns = (0..width).map(|_| self.masking(masked)).collect();
                let rows = 2 * k as usize + self.below(4);
                let score = [Score::Tdr, Score::Tds, Score::Conditional][self.below(3)];
                let world = World { columns, beside, rows, k, score, way };
                let kinds = world.kinds();
                let fits = kinds <= Row::MAX as usize && possible(kinds, rows) <= MOST_TABLES;
                if fits && world.combinations() >= FEWEST_COMBINATIONS {
                    return world;
                }
            }
        }
    }

    fn masking(&mut self, masked: Masked) -> Masking {
        match masked {
            Masked::Taxonomy => Masking::Taxonomy(self.taxonomy()),
            Masked::Suppression => Masking::Suppression(2 + self.below(4)),
            Masked::Intervals => Masking::Intervals { grid: self.grid(), bounds: None },
            Masked::Bounded => Masking::Intervals { grid: self.grid(), bounds: Some((0, 100)) },
            Masked::Mixed => {
                let any = [Masked::Taxonomy, Masked::Suppression, Masked::Intervals, Masked::Bounded];
                let one = any[self.below(any.len())];
                self.masking(one)
            }
        }
    }

    /// Two to five numbers of two digits.
    fn grid(&mut self) -> Vec<i64> {
        let mut grid: Vec<i64> = vec![10 + self.below(80) as i64];
        for _ in 0..1 + self.below(4) {
            let next = 10 + self.below(80) as i64;
            grid.push(if grid.contains(&next) { grid.iter().max().unwrap_or(&next) + 1 } else { next });
        }
        grid.sort_unstable();
        grid
    }

    /// A tree of two to six leaves: from two on, a leaf gets a sister, or two children.
    fn taxonomy(&mut self) -> Taxonomy {
        let mut parents: Vec<Option<usize>> = vec![None, Some(0), Some(0)];
        for _ in 0..self.below(5) {
            let node = 1 + self.below(parents.len() - 1);
            match self.is() || parents.contains(&Some(node)) {
                true => parents.push(parents[node]),
                false => parents.extend([Some(node), Some(node)]),
            }
        }
        let label = |node: usize| format!("n{node:02}");
        let edge = |(node, parent): (usize, &Option<usize>)| (label(node), parent.map(label));
        let edges = parents.iter().enumerate().map(edge).collect();
        Taxonomy::from_edges(&edges).unwrap().expect("a tree")
    }
}
