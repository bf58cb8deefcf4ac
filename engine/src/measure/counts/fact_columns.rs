//! Disclosure by the counts of a column beside another column of the same fact, such as an age beside a year of birth.
//!
//! Both columns divide the rows into parts, whose sizes everybody knows: the counts of a column, or the rows of each
//! value that the view shows of it, perhaps together with the counted column. A reader who also knows which parts have
//! rows in common can subtract. If a part of one column is a part of the other one and a few rows more, both sizes
//! reveal how many.
//!
//! The parts are the nodes of a graph, and an edge connects two parts with common rows. Rows may be exchanged along a
//! cycle, so the sizes do not settle the rows of its single edges. A block is a single edge, or all edges that lie in
//! common cycles with each other. If the edges of a part lie in several blocks, the sizes settle how many rows its
//! edges have in each: without the part the graph falls apart there, and the sizes of a piece can be subtracted. Edges
//! of several parts together are not examined. Unrelated columns share rows in most pairs of parts, and so form one
//! block.

use super::{HolderCounter, RequiredSize};
use crate::buckets::Buckets;
use crate::measure::RecordClasses;
use crate::progress::check_memory;
use crate::table::{compress, distinct_records, Codes, Store};
use crate::{pace, Code, Error};

/// Column whose parts may have too few rows. These are small cells even within a part of the other column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SmallParts {
    /// None, or everybody knows where the part lies.
    Neither,
    /// The counted column: the sizes of the other parts reveal where the part lies.
    Counted,
}

/// Returns true if the sizes of a column's parts, and of the parts by other columns together, reveal a small cell:
/// common rows of a part of each that are fewer than required.
pub fn reveals_small_cell(
    counted: &RecordClasses,
    beside: &[&RecordClasses],
    weights: Option<&Codes>,
    required: &[RequiredSize],
    small_parts: SmallParts,
) -> Result<bool, Error> {
    let columns = || std::iter::once(counted).chain(beside.iter().copied());
    let stores: Vec<&Store> = columns().map(|classes| &classes.of_records).collect();
    let part_counts: Vec<usize> = columns().map(|classes| classes.count).collect();
    let records = counted.of_records.len();
    // Most tables have no settled edges. The numbers of rows are only needed if there are any.
    let combinations = distinct_records(&stores, &part_counts, records)?;
    if find_settled_edges(combinations, &part_counts, small_parts)?.is_empty() {
        return Ok(false);
    }
    let common = compress(&stores, &part_counts, records, None)?;
    let (edge_count, edge_of_records) = (common.weights.len(), Store::Memory(Codes::from(common.ids)));
    let mut holders = HolderCounter::new(&edge_of_records, edge_count, weights, required)?;
    for edges in find_settled_edges(common.columns, &part_counts, small_parts)? {
        if !holders.suffices(edges.into_iter().map(|edge| edge as Code), 1)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the groups of edges whose common rows the sizes settle: those of a part in each block, if they are in
/// several. Leaves out an edge to a part that lies within the other one, unless `small_parts` demands it.
///
/// `combinations` has the parts of each combination that has rows, by column, the counted column first. An edge is the
/// index of a combination.
fn find_settled_edges(
    mut combinations: Vec<Codes>,
    part_counts: &[usize],
    small_parts: SmallParts,
) -> Result<Vec<Vec<usize>>, Error> {
    let beside: Vec<Store> = combinations.split_off(1).into_iter().map(Store::Memory).collect();
    let beside: Vec<&Store> = beside.iter().collect();
    let edges = combinations[0].len();
    let beside = compress(&beside, &part_counts[1..], edges, None)?;
    // The parts of the counted column come first.
    let counted_parts = part_counts[0];
    let ends = |edge: usize| [combinations[0].get(edge) as usize, counted_parts + beside.ids[edge] as usize];
    let graph = Graph::new(counted_parts + beside.weights.len(), edges, ends)?;
    let blocks = graph.find_blocks()?;
    check_memory::<[usize; 5]>(2 * edges)?;
    let mut settled = Vec::new();
    for part in 0..graph.parts() {
        let mut edges = pace::collect(graph.edges_at(part))?;
        pace::sort_by(&mut edges, |&one, &other| blocks[one].cmp(&blocks[other]))?;
        let is_within = |other: usize| graph.edges_at(other).len() == 1;
        let is_known = |other: usize| small_parts == SmallParts::Neither || other >= counted_parts;
        let is_left_out = |group: &[usize]| match group {
            &[edge] => {
                let other = graph.other_end(edge, part);
                is_within(other) && is_known(other)
            }
            _ => false,
        };
        let groups = edges.chunk_by(|&one, &other| blocks[one] == blocks[other]);
        let groups = groups.filter(|group| group.len() < edges.len() && !is_left_out(group));
        settled.extend(groups.map(<[usize]>::to_vec));
    }
    Ok(settled)
}

/// Parts, and edges between them.
struct Graph<F> {
    /// Ends of the edges, by part. End e is one of edge e / 2.
    ends_by_part: Buckets,
    ends: F,
}

impl<F: Fn(usize) -> [usize; 2]> Graph<F> {
    fn new(parts: usize, edges: usize, ends: F) -> Result<Graph<F>, Error> {
        let ends_by_part = Buckets::sort(2 * edges, parts, |end| ends(end / 2)[end % 2] as u32)?;
        Ok(Graph { ends_by_part, ends })
    }

    fn parts(&self) -> usize {
        self.ends_by_part.starts.len() - 1
    }

    fn edges_at(&self, part: usize) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.ends_by_part.items(part).iter().map(|&end| end as usize / 2)
    }

    fn other_end(&self, edge: usize, part: usize) -> usize {
        let [one, other] = (self.ends)(edge);
        if one == part {
            other
        } else {
            one
        }
    }

    /// Returns the block of each edge (Hopcroft and Tarjan 1973). A depth-first search enters each part once. The edges
    /// searched from there are a block of their own if none leads back beyond the part from which it was entered.
    fn find_blocks(&self) -> Result<Vec<usize>, Error> {
        let edges = self.ends_by_part.items.len() / 2;
        check_memory::<[usize; 8]>(self.parts())?;
        check_memory::<[usize; 2]>(edges)?;
        let mut search = BlockSearch {
            entered_at: vec![NONE; self.parts()],
            lowpoints: vec![NONE; self.parts()],
            block_of_edge: vec![NONE; edges],
            ..BlockSearch::default()
        };
        for root in 0..self.parts() {
            pace::tick(1)?;
            if search.entered_at[root] == NONE {
                search.enter(root, NONE);
            }
            while let Some(visit) = search.path.last_mut() {
                pace::tick(1)?;
                let Visit { part, entered_by, followed } = *visit;
                visit.followed += 1;
                match self.edges_at(part).nth(followed) {
                    Some(edge) if edge == entered_by => {}
                    Some(edge) => search.follow(part, edge, self.other_end(edge, part)),
                    None => search.leave(part, entered_by),
                }
            }
        }
        Ok(search.block_of_edge)
    }
}

/// No time, block or edge.
const NONE: usize = usize::MAX;

/// Depth-first search for blocks. Entering a part takes one unit of time.
#[derive(Default)]
struct BlockSearch {
    /// Time when each part was entered.
    entered_at: Vec<usize>,
    /// Lowpoint of each part: the earliest entry time of a part that is connected with it, or with a part that was
    /// entered from it, by an edge.
    lowpoints: Vec<usize>,
    block_of_edge: Vec<usize>,
    blocks: usize,
    time: usize,
    /// Edges without a block yet.
    open_edges: Vec<usize>,
    /// Parts from the root to the current one.
    path: Vec<Visit>,
}

/// A part on the search path, the edge by which it was entered, and the number of its edges followed.
#[derive(Clone, Copy)]
struct Visit {
    part: usize,
    entered_by: usize,
    followed: usize,
}

impl BlockSearch {
    fn enter(&mut self, part: usize, entered_by: usize) {
        (self.entered_at[part], self.lowpoints[part]) = (self.time, self.time);
        self.time += 1;
        self.path.push(Visit { part, entered_by, followed: 0 });
    }

    /// Follows an edge from a part to another one. An edge to a part entered later was followed from there.
    fn follow(&mut self, part: usize, edge: usize, other: usize) {
        if self.entered_at[other] == NONE {
            self.open_edges.push(edge);
            self.enter(other, edge);
        } else if self.entered_at[other] < self.entered_at[part] {
            self.open_edges.push(edge);
            self.lowpoints[part] = self.lowpoints[part].min(self.entered_at[other]);
        }
    }

    /// Leaves a part whose edges were all followed.
    fn leave(&mut self, part: usize, entered_by: usize) {
        self.path.pop();
        let Some(&Visit { part: above, .. }) = self.path.last() else { return };
        self.lowpoints[above] = self.lowpoints[above].min(self.lowpoints[part]);
        if self.lowpoints[part] >= self.entered_at[above] {
            while let Some(edge) = self.open_edges.pop() {
                self.block_of_edge[edge] = self.blocks;
                if edge == entered_by {
                    break;
                }
            }
            self.blocks += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARTS: usize = 3;

    type Rows = [[u64; PARTS]; PARTS];

    fn reveals(rows: &Rows, k: u64) -> bool {
        let cells = || (0..PARTS).flat_map(|one| (0..PARTS).map(move |other| (one, other)));
        let records = || cells().flat_map(|(one, other)| (0..rows[one][other]).map(move |_| (one, other)));
        let one = RecordClasses { of_records: records().map(|(one, _)| one as Code).collect(), count: PARTS };
        let other =
            RecordClasses { of_records: records().map(|(_, other)| other as Code).collect(), count: PARTS };
        reveals_small_cell(&one, &[&other], None, &[RequiredSize { k, persons: None }], SmallParts::Neither)
            .unwrap()
    }

    fn sizes(rows: &Rows) -> ([u64; PARTS], [u64; PARTS]) {
        (
            rows.map(|row| row.iter().sum()),
            std::array::from_fn(|other| rows.iter().map(|row| row[other]).sum()),
        )
    }

    /// Collects all tables with the sizes of `rows` in both columns, and without rows wherever it has none.
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

    const K: u64 = 3;

    /// Returns true if the rows of a part that lie in some, but not all, of the other column's parts are the same few
    /// in all tables. Parts that lie within it are left out.
    fn part_is_settled(rows: &Rows, all: &[Rows]) -> bool {
        let of_other = sizes(rows).1;
        (0..PARTS).any(|one| {
            (1..1 << PARTS).any(|some| {
                let is_one_of = |other: &usize| some & (1 << other) > 0;
                let others = || (0..PARTS).filter(is_one_of);
                let sum = |rows: &Rows| others().map(|other| rows[one][other]).sum::<u64>();
                let is_all = (0..PARTS).all(|other| is_one_of(&other) || rows[one][other] == 0);
                let is_within = others().any(|other| rows[one][other] == of_other[other]);
                !is_all
                    && !is_within
                    && (1..K).contains(&sum(rows))
                    && all.iter().all(|r| sum(r) == sum(rows))
            })
        })
    }

    /// Compares with the small cells that are the same in all tables of the same sizes.
    #[test]
    fn sizes_settle_small_cells() {
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
            let turned =
                |rows: &Rows| std::array::from_fn(|one| std::array::from_fn(|other| rows[other][one]));
            let expected = part_is_settled(&rows, &all)
                || part_is_settled(&turned(&rows), &all.iter().map(turned).collect::<Vec<Rows>>());
            assert_eq!(reveals(&rows, K), expected, "{rows:?}");
            (told, tables) = (told + usize::from(expected), tables + 1);
        }
        assert!(told > tables / 10 && told < tables * 9 / 10, "{told} of {tables}");
    }

    /// Within part 0 of the first column, 3 rows are in part 0 of the counted and part 1 of the other column. Without
    /// the first column they are in a cycle.
    #[test]
    fn beside_shown_columns() {
        let rows = [(0, 0, 0, 40), (0, 0, 1, 3), (0, 1, 1, 40), (1, 2, 0, 30), (1, 2, 1, 60)];
        let column = |of: fn(&(Code, Code, Code, usize)) -> Code, count| {
            let codes = rows.iter().flat_map(|row| std::iter::repeat_n(of(row), row.3));
            RecordClasses { of_records: codes.collect(), count }
        };
        let (itself, counted, other) =
            (column(|row| row.0, 2), column(|row| row.1, 3), column(|row| row.2, 2));
        let tell = |beside: &[&RecordClasses], k| {
            reveals_small_cell(
                &counted,
                beside,
                None,
                &[RequiredSize { k, persons: None }],
                SmallParts::Neither,
            )
            .unwrap()
        };
        assert!(tell(&[&itself, &other], 4) && !tell(&[&itself, &other], 3));
        assert!(!tell(&[&other], 4));
    }
}
