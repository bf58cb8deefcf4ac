//! What the counts of a column tell beside another column of the same fact, as an age does beside a year of birth.
//!
//! Both columns divide the rows into parts, and everybody knows how many rows each part has. Whoever also knows which parts have rows in
//! common can subtract: if a part of one column is all of a part of the other one and a few rows more, the sizes of the two tell
//! how many.
//!
//! The parts are the nodes of a graph; an edge connects two that have rows in common. How many these are follows from the sizes alone
//! where the graph falls apart without the edge (a bridge). In a cycle, rows may be exchanged for others; what the sizes tell of several
//! edges of cycles together is not looked at. Columns that have nothing to do with each other have rows in most pairs of parts, and so no
//! bridge.

use super::{Holders, Least};
use crate::measure::Classes;
use crate::progress::room;
use crate::table::{compress, Codes, Compressed, Store};
use crate::{pace, Code, Error};

/// So many records are looked at first. If they connect all parts, and without a bridge, further ones make none.
const FIRST: [usize; 2] = [1 << 12, 1 << 16];

/// Whether the sizes of the parts of two columns tell that some rows are of a part of each, but not enough of them. Parts without
/// rows only take time.
pub fn tell_of_few(columns: [&Classes; 2], weights: Option<&Codes>, least: &[Least]) -> Result<bool, Error> {
    let [one, other] = columns;
    // All of a part lies in the only one of the other column.
    if one.count < 2 || other.count < 2 {
        return Ok(false);
    }
    let common =
        |records| compress(&[&one.of_records, &other.of_records], &[one.count, other.count], records, None);
    let records = one.of_records.len();
    for first in FIRST.into_iter().filter(|&first| first < records) {
        let parts = Parts::of(&common(first)?, columns)?;
        if parts.are_connected && parts.bridges.is_empty() {
            return Ok(false);
        }
    }
    let mut common = common(records)?;
    let Parts { mut bridges, edges_of, .. } = Parts::of(&common, columns)?;
    // If a part has no rows elsewhere, what it has in common with the other one is all that it has.
    bridges.retain(|&edge| ends(&common, columns, edge).iter().all(|&part| edges_of[part] > 1));
    if bridges.is_empty() {
        return Ok(false);
    }
    let ids = Store::Memory(Codes::from(std::mem::take(&mut common.ids)));
    let mut holders = Holders::new(&ids, common.weights.len(), weights, least)?;
    for edge in bridges {
        let common = edge as Code..edge as Code + 1;
        if !holders.hold(std::slice::from_ref(&common), 1)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The two parts that an edge connects, those of the second column numbered after those of the first.
fn ends(common: &Compressed, [one, _]: [&Classes; 2], edge: usize) -> [usize; 2] {
    let part = |column: usize| common.columns[column].get(edge) as usize;
    [part(0), one.count + part(1)]
}

/// The parts of two columns as a graph.
struct Parts {
    /// Without which edges it falls apart.
    bridges: Vec<usize>,
    /// How many edges each part has.
    edges_of: Vec<usize>,
    /// Whether a path leads from each part to each other.
    are_connected: bool,
}

impl Parts {
    fn of(common: &Compressed, columns: [&Classes; 2]) -> Result<Parts, Error> {
        let (parts, edges) = (columns[0].count + columns[1].count, common.weights.len());
        room::<[usize; 8]>(parts)?;
        room::<[Code; 2]>(edges)?;
        let ends = |edge: usize| ends(common, columns, edge);
        // The edges of each part side by side, those of a part from where it begins to where the next one does.
        let mut begins = vec![0; parts + 1];
        pace::each(0..edges, |edge| ends(edge).iter().for_each(|&part| begins[part + 1] += 1))?;
        let edges_of = begins[1..].to_vec();
        pace::each(0..parts, |part| begins[part + 1] += begins[part])?;
        let (mut all, mut next) = (vec![0; 2 * edges], begins.clone());
        pace::each(0..edges, |edge| {
            for part in ends(edge) {
                all[next[part]] = edge as Code;
                next[part] += 1;
            }
        })?;
        let mut forest = Forest::new(parts);
        let mut roots = 0;
        for root in 0..parts {
            pace::tick(1)?;
            if forest.is_new(root) {
                roots += 1;
                forest.grow(root, |part| {
                    all[begins[part]..begins[part + 1]]
                        .iter()
                        .map(|&edge| (edge as usize, ends(edge as usize)))
                })?;
            }
        }
        for edge in 0..edges {
            forest.close(edge, ends(edge))?;
        }
        Ok(Parts { bridges: forest.bridges(), edges_of, are_connected: roots == 1 })
    }
}

/// Trees that reach all parts of a graph. Each edge that is not of a tree closes a cycle with some that are.
struct Forest {
    /// Of each part, how far below a root it lies; none where no tree has reached it.
    depth: Vec<Option<usize>>,
    /// The part above, and the edge to it; of a root itself.
    above: Vec<(usize, usize)>,
    /// A part above, or itself, with which it lies in a cycle: the highest by way of others.
    highest: Vec<usize>,
}

const NO_EDGE: usize = usize::MAX;

impl Forest {
    fn new(parts: usize) -> Forest {
        Forest {
            depth: vec![None; parts],
            above: (0..parts).map(|part| (part, NO_EDGE)).collect(),
            highest: (0..parts).collect(),
        }
    }

    fn is_new(&self, part: usize) -> bool {
        self.depth[part].is_none()
    }

    /// Has a tree reach all that can be reached from a part.
    fn grow<E: Iterator<Item = (usize, [usize; 2])>>(
        &mut self,
        root: usize,
        edges: impl Fn(usize) -> E,
    ) -> Result<(), Error> {
        self.depth[root] = Some(0);
        let mut open = vec![root];
        while let Some(part) = open.pop() {
            let depth = self.depth[part].map(|depth| depth + 1);
            for (edge, [one, other]) in edges(part) {
                pace::tick(1)?;
                let other = if one == part { other } else { one };
                if self.is_new(other) {
                    (self.depth[other], self.above[other]) = (depth, (part, edge));
                    open.push(other);
                }
            }
        }
        Ok(())
    }

    /// The highest part with which a part lies in a cycle.
    fn highest(&mut self, mut part: usize) -> Result<usize, Error> {
        while self.highest[part] != part {
            pace::tick(1)?;
            self.highest[part] = self.highest[self.highest[part]];
            part = self.highest[part];
        }
        Ok(part)
    }

    /// Closes the cycle that an edge makes, if it is not of a tree.
    fn close(&mut self, edge: usize, [one, other]: [usize; 2]) -> Result<(), Error> {
        if [one, other].iter().any(|&part| self.above[part].1 == edge) {
            return Ok(());
        }
        let (mut lower, mut other) = (self.highest(one)?, self.highest(other)?);
        while lower != other {
            if self.depth[lower] < self.depth[other] {
                std::mem::swap(&mut lower, &mut other);
            }
            self.highest[lower] = self.highest(self.above[lower].0)?;
            lower = self.highest[lower];
        }
        Ok(())
    }

    /// The edges that lie in no cycle.
    fn bridges(&self) -> Vec<usize> {
        let ways = self.above.iter().enumerate();
        let in_no_cycle = ways.filter(|&(part, &(_, edge))| edge != NO_EDGE && self.highest[part] == part);
        in_no_cycle.map(|(_, &(_, edge))| edge).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARTS: usize = 3;

    type Rows = [[u64; PARTS]; PARTS];

    fn tell(rows: &Rows, k: u64) -> bool {
        let cells = || (0..PARTS).flat_map(|one| (0..PARTS).map(move |other| (one, other)));
        let records = || cells().flat_map(|(one, other)| (0..rows[one][other]).map(move |_| (one, other)));
        let one = Classes { of_records: records().map(|(one, _)| one as Code).collect(), count: PARTS };
        let other = Classes { of_records: records().map(|(_, other)| other as Code).collect(), count: PARTS };
        tell_of_few([&one, &other], None, &[Least { k, persons: None }]).unwrap()
    }

    fn sizes(rows: &Rows) -> ([u64; PARTS], [u64; PARTS]) {
        (
            rows.map(|row| row.iter().sum()),
            std::array::from_fn(|other| rows.iter().map(|row| row[other]).sum()),
        )
    }

    /// All that rows of these sizes may have in common, where they have any.
    fn possible(rows: &Rows, (one, other): (usize, usize), so_far: &mut Rows, all: &mut Vec<Rows>) {
        if one == PARTS {
            if sizes(so_far) == sizes(rows) {
                all.push(*so_far);
            }
            return;
        }
        let next = if other + 1 == PARTS { (one + 1, 0) } else { (one, other + 1) };
        let most = if rows[one][other] == 0 { 0 } else { sizes(rows).0[one].min(sizes(rows).1[other]) };
        for common in 0..=most {
            so_far[one][other] = common;
            possible(rows, next, so_far, all);
        }
        so_far[one][other] = 0;
    }

    /// What follows from the sizes is what all tables of these sizes have in common.
    #[test]
    fn what_the_sizes_settle() {
        let (mut told, mut tables) = (0, 0);
        for number in 0..4usize.pow(9) {
            if number % 31 != 0 {
                continue;
            }
            let rows: Rows = std::array::from_fn(|one| {
                std::array::from_fn(|other| (number / 4usize.pow((one * PARTS + other) as u32) % 4) as u64)
            });
            if sizes(&rows).0.iter().sum::<u64>() > 9 {
                continue;
            }
            let mut all = Vec::new();
            possible(&rows, (0, 0), &mut Rows::default(), &mut all);
            let (of_one, of_other) = sizes(&rows);
            let is_told = |one: usize, other: usize| {
                let common = rows[one][other];
                let is_settled = all.iter().all(|rows| rows[one][other] == common);
                (1..2).contains(&common) && is_settled && common < of_one[one] && common < of_other[other]
            };
            let expected = (0..PARTS).any(|one| (0..PARTS).any(|other| is_told(one, other)));
            assert_eq!(tell(&rows, 2), expected, "{rows:?}");
            (told, tables) = (told + usize::from(expected), tables + 1);
        }
        assert!(told > tables / 10 && told < tables * 9 / 10, "{told} of {tables}");
    }

    /// A part that has one row more than one of the other column.
    #[test]
    fn of_one_fact() {
        let rows = [[5, 0, 0], [1, 4, 0], [0, 1, 5]];
        assert!(tell(&rows, 2) && !tell(&rows, 1));
        assert!(!tell(&[[5, 0, 0], [0, 5, 0], [0, 0, 5]], 5));
        assert!(!tell(&[[5, 1, 1], [1, 5, 1], [1, 1, 5]], 5));
    }
}
