//! Small worlds: the public facts about a table before its release. A world has a few masked columns of few possible
//! values, perhaps a column that is released as it is, and a number of rows. All its possible tables can be enumerated.

use super::chance::Chance;
use topdown::taxonomy::Taxonomy;
use topdown::utility::Score;

/// A row, as the number of its combination of values. The value beside the masked columns varies fastest.
pub type Row = u8;

/// The masking of a column, and its possible values.
#[derive(Debug, Clone)]
pub enum Masking {
    /// Along a tree, whose leaves are the values.
    Taxonomy(Taxonomy),
    /// The values are these numbers, ascending. The domain's bounds may be public.
    Intervals { grid: Vec<i64>, bounds: Option<(i64, i64)> },
    /// The number of values.
    Suppression(usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Masked {
    Taxonomy,
    Suppression,
    Intervals,
    Bounded,
    Mixed,
}

/// The column of two values that is released as it is, beside the masked columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unmasked {
    Nothing,
    Class,
    /// A sensitive column. Every group must have both values.
    Sensitive,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Global,
    Valid,
    Local,
    /// Local recoding, then clusters inside the groups.
    Clustered,
    /// Global recoding with rows withheld, released by the cut of that search.
    Withheld,
    /// Global recoding with rows withheld, then a new search of the remaining rows alone.
    Again,
}

/// The public facts about a table, except its release.
#[derive(Debug, Clone)]
pub struct World {
    pub columns: Vec<Masking>,
    pub beside: Unmasked,
    pub rows: usize,
    pub k: u64,
    pub score: Score,
    pub way: Way,
}

impl Masking {
    /// Returns the number of possible values.
    pub fn values(&self) -> usize {
        match self {
            Masking::Taxonomy(tree) => tree.leaves(),
            Masking::Intervals { grid, .. } => grid.len(),
            Masking::Suppression(values) => *values,
        }
    }
}

impl World {
    /// Returns the number of possible values of the column beside the masked ones.
    pub fn unmasked_values(&self) -> usize {
        match self.beside {
            Unmasked::Nothing => 1,
            _ => 2,
        }
    }

    /// Returns the number of possible combinations of masked values.
    pub fn combinations(&self) -> usize {
        self.columns.iter().map(Masking::values).product()
    }

    /// Returns the number of possible different rows.
    pub fn kinds(&self) -> usize {
        self.combinations() * self.unmasked_values()
    }

    /// Returns the number of a row's combination of masked values.
    pub fn combination(&self, row: Row) -> usize {
        row as usize / self.unmasked_values()
    }

    pub fn value(&self, row: Row, column: usize) -> usize {
        let below: usize = self.columns[column + 1..].iter().map(Masking::values).product();
        self.combination(row) / below % self.columns[column].values()
    }

    /// Returns a row's value in the column beside the masked ones.
    pub fn unmasked_value(&self, row: Row) -> usize {
        row as usize % self.unmasked_values()
    }

    pub fn most_withheld(&self) -> usize {
        match self.way {
            Way::Withheld | Way::Again => 1 + self.rows / 6,
            _ => 0,
        }
    }

    /// Returns all possible tables, each with its rows in ascending order.
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

/// Returns the number of orders of a table's rows, to which its probability is proportional if rows are independent.
pub fn orders(table: &[Row]) -> u64 {
    let factorial = |n: usize| (1..=n as u64).product::<u64>();
    table
        .chunk_by(|a, b| a == b)
        .fold(factorial(table.len()), |orders, alike| orders / factorial(alike.len()))
}

/// Returns the number of tables of `size` rows, with `kinds` possible different rows.
pub fn possible(kinds: usize, size: usize) -> f64 {
    (1..=size).fold(1.0, |all, n| all * (kinds + n - 1) as f64 / n as f64)
}

/// Largest number of possible tables of a world, and least number of combinations of masked values.
const MOST_TABLES: f64 = 7000.0;
const FEWEST_COMBINATIONS: usize = 4;

impl Chance {
    fn is(&mut self) -> bool {
        self.below(2) == 0
    }

    /// Draws a world of one to three columns. The columns, rows and score do not depend on the way.
    pub fn world(&mut self, masked: Masked, way: Way, beside: Unmasked, k: u64) -> World {
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

    /// Draws two to five numbers of two digits.
    fn grid(&mut self) -> Vec<i64> {
        let mut grid: Vec<i64> = vec![10 + self.below(80) as i64];
        for _ in 0..1 + self.below(4) {
            let next = 10 + self.below(80) as i64;
            grid.push(if grid.contains(&next) { grid.iter().max().unwrap_or(&next) + 1 } else { next });
        }
        grid.sort_unstable();
        grid
    }

    /// Draws a tree of two to six leaves. It begins with two; then some nodes get a sister, some leaves two children.
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
