//! What the counts of a column tell beside another column of the same fact, as an age does beside a year of birth.
//!
//! Both columns divide the rows into parts, and everybody knows how many rows each part has: of the other column its counts, or what the
//! view shows of it and of the column itself together. Whoever also knows which parts have rows in
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
use crate::table::{compress, distinct, Codes, Store};
use crate::{pace, Code, Error};

/// Whether the sizes of the parts of a column, and those of what other columns show together, tell that some rows are of a part of each,
/// but not enough of them.
pub fn tell_of_few(
    counted: &Classes,
    beside: &[&Classes],
    weights: Option<&Codes>,
    least: &[Least],
) -> Result<bool, Error> {
    let columns = || std::iter::once(counted).chain(beside.iter().copied());
    let stores: Vec<&Store> = columns().map(|classes| &classes.of_records).collect();
    let counts: Vec<usize> = columns().map(|classes| classes.count).collect();
    let records = counted.of_records.len();
    if bridges(distinct(&stores, &counts, records)?, &counts)?.is_empty() {
        return Ok(false);
    }
    let common = compress(&stores, &counts, records, None)?;
    let (edges, ids) = (common.weights.len(), Store::Memory(Codes::from(common.ids)));
    let mut holders = Holders::new(&ids, edges, weights, least)?;
    for edge in bridges(common.columns, &counts)? {
        let common = edge as Code..edge as Code + 1;
        if !holders.hold(std::slice::from_ref(&common), 1)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The edges without which the graph falls apart, and two parts of it each of which has other edges: if a part has no rows elsewhere,
/// what it has in common with the other one is all that it has. Each edge is the codes of a combination that has rows, those of the
/// part first.
fn bridges(mut combinations: Vec<Codes>, counts: &[usize]) -> Result<Vec<usize>, Error> {
    let others: Vec<Store> = combinations.split_off(1).into_iter().map(Store::Memory).collect();
    let others: Vec<&Store> = others.iter().collect();
    let edges = combinations[0].len();
    let others = compress(&others, &counts[1..], edges, None)?;
    let (first, parts) = (counts[0], counts[0] + others.weights.len());
    room::<[usize; 8]>(parts)?;
    room::<[Code; 2]>(edges)?;
    let ends = |edge: usize| [combinations[0].get(edge) as usize, first + others.ids[edge] as usize];
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
    for root in 0..parts {
        pace::tick(1)?;
        if forest.is_new(root) {
            forest.grow(root, |part| {
                let edges = &all[begins[part]..begins[part + 1]];
                edges.iter().map(|&edge| (edge as usize, ends(edge as usize)))
            })?;
        }
    }
    for edge in 0..edges {
        forest.close(edge, ends(edge))?;
    }
    let mut bridges = forest.bridges();
    bridges.retain(|&edge| ends(edge).iter().all(|&part| edges_of[part] > 1));
    Ok(bridges)
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
        tell_of_few(&one, &[&other], None, &[Least { k, persons: None }]).unwrap()
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

    /// Within 0 of the first, 3 rows are of 0 by the counted column and of 1 by the other one; by the other one alone these are in a cycle.
    #[test]
    fn together_with_what_is_shown() {
        let rows = [(0, 0, 0, 40), (0, 0, 1, 3), (0, 1, 1, 40), (1, 2, 0, 30), (1, 2, 1, 60)];
        let column = |of: fn(&(Code, Code, Code, usize)) -> Code, count| {
            let codes = rows.iter().flat_map(|row| std::iter::repeat_n(of(row), row.3));
            Classes { of_records: codes.collect(), count }
        };
        let (itself, counted, other) =
            (column(|row| row.0, 2), column(|row| row.1, 3), column(|row| row.2, 2));
        let tell = |beside: &[&Classes], k| {
            tell_of_few(&counted, beside, None, &[Least { k, persons: None }]).unwrap()
        };
        assert!(tell(&[&itself, &other], 4) && !tell(&[&itself, &other], 3));
        assert!(!tell(&[&other], 4));
    }
}
