//! The attack: all tables with one release, and their common properties.

use super::release::{Group, Release, Shown};
use super::world::{orders, possible, Masking, Row, World};
use std::collections::{BTreeMap, BTreeSet};

/// The tables with one release: for each, the rows of every group and the withheld rows.
#[derive(Default)]
pub struct Consistent {
    tables: Vec<BTreeMap<Option<Group>, Vec<Row>>>,
    /// Sum of their numbers of row orders, a measure of their probability.
    pub orders: u64,
}

impl Consistent {
    pub fn tables(&self) -> usize {
        self.tables.len()
    }
}

pub fn releases(world: &World) -> BTreeMap<Release, Consistent> {
    let mut all: BTreeMap<Release, Consistent> = BTreeMap::new();
    for table in world.tables() {
        let Some(made) = world.release(&table) else { continue };
        let mut rows: BTreeMap<Option<Group>, Vec<Row>> = BTreeMap::new();
        made.shown.into_iter().zip(&table).for_each(|(group, row)| rows.entry(group).or_default().push(*row));
        let consistent = all.entry(made.release).or_default();
        consistent.tables.push(rows);
        consistent.orders += orders(&table);
    }
    all
}

/// Inferences from a release by an attacker with knowledge of the search, beyond the released values.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Inferences {
    /// Exactly one row is known to have some combination of masked values.
    pub one: bool,
    /// Some row is known, with all its values: every table has one like it.
    pub known: bool,
    /// All rows of some group are known.
    pub whole: bool,
    /// Some group is known to have a row with a value more specific than the shown one.
    pub closer: bool,
    /// An attacker with the masked values of a person can rule out all but fewer than k rows of the person's group.
    pub below_k: bool,
    /// The rows of some group are known not to have one child of the shown node in common, on some column.
    pub differ: bool,
    /// The same holds for all groups and all columns by taxonomy or suppression that show less than the value.
    pub all_differ: bool,
    /// Some withheld row is known, or some value of one.
    pub withheld_known: bool,
    pub withheld_value: bool,
    /// Number of tables with the release, divided by that of the tables possible by its groups.
    pub left: f64,
}

/// Infers from a release the common properties of its tables.
pub fn infer(world: &World, release: &Release, consistent: &Consistent) -> Inferences {
    let mut told = Inferences { all_differ: true, ..Inferences::default() };
    let mut shows = possible(world.kinds(), release.withheld);
    let alike: BTreeSet<&Vec<Shown>> = release.groups.keys().map(|(nodes, _)| nodes).collect();
    for nodes in alike {
        let shown = nodes.iter().enumerate();
        let under: Vec<Vec<usize>> =
            shown.map(|(column, node)| world.values_below(column, node, release)).collect();
        let combinations: usize = under.iter().map(Vec::len).product();
        let parts: Vec<(Group, usize)> = (0..world.unmasked_values())
            .map(|beside| (nodes.clone(), beside))
            .filter_map(|group| release.groups.get(&group).map(|&rows| (group.clone(), rows)))
            .collect();
        shows *= parts.iter().map(|(_, rows)| possible(combinations, *rows)).product::<f64>();
        if combinations > 1 {
            let rows_of = |table: &BTreeMap<Option<Group>, Vec<Row>>| -> Vec<Row> {
                parts.iter().flat_map(|(group, _)| table[&Some(group.clone())].iter().copied()).collect()
            };
            let tables: Vec<Vec<Row>> = consistent.tables.iter().map(rows_of).collect();
            let parts: Vec<(usize, usize)> =
                parts.iter().map(|((_, beside), rows)| (*beside, *rows)).collect();
            GroupRows { world, nodes, under, parts, tables }.add_inferences(&mut told);
        }
    }
    if release.withheld > 0 {
        let tables: Vec<&Vec<Row>> = consistent.tables.iter().map(|table| &table[&None]).collect();
        let all_hold = |is: &dyn Fn(Row) -> bool| tables.iter().all(|rows| rows.iter().any(|&row| is(row)));
        let values = |column: usize| (0..world.columns[column].values()).map(move |value| (column, value));
        told.withheld_known = (0..world.kinds()).any(|kind| all_hold(&|row| row as usize == kind));
        told.withheld_value = (0..world.columns.len())
            .flat_map(values)
            .any(|(column, value)| all_hold(&|row| world.value(row, column) == value));
    }
    told.left = consistent.tables.len() as f64 / shows;
    told
}

/// The rows of a group by the masked columns.
struct GroupRows<'r> {
    world: &'r World,
    nodes: &'r [Shown],
    /// Possible values of each column below the shown node.
    under: Vec<Vec<usize>>,
    /// Values of the column beside the masked ones, with their numbers of rows.
    parts: Vec<(usize, usize)>,
    tables: Vec<Vec<Row>>,
}

impl GroupRows<'_> {
    fn add_inferences(&self, told: &mut Inferences) {
        let GroupRows { world, nodes, under, parts, tables } = self;
        let combination = |row: &Row| world.combination(*row);
        let count = |rows: &[Row], of: usize| rows.iter().filter(|row| combination(row) == of).count();
        let once = |of: usize| tables.iter().all(|rows| count(rows, of) == 1);
        told.one |= (0..world.combinations()).any(once);
        let in_common = self.in_common();
        told.known |= in_common > 0;
        told.whole |= in_common == tables[0].len();
        for (column, under) in under.iter().enumerate().filter(|(_, under)| under.len() > 1) {
            let values = |row: Row| world.value(row, column);
            let closer = world.more_specific(column, &nodes[column], under);
            told.closer |= parts.iter().any(|(beside, _)| {
                let is = |row: &Row, child: &Vec<usize>| {
                    world.unmasked_value(*row) == *beside && child.contains(&values(*row))
                };
                closer.iter().any(|child| tables.iter().all(|rows| rows.iter().any(|row| is(row, child))))
            });
            let children = world.children(column, &nodes[column], under);
            let are_alike = |rows: &Vec<Row>| {
                children.iter().any(|child| rows.iter().all(|row| child.contains(&values(*row))))
            };
            let differ = !tables.iter().any(are_alike);
            told.differ |= differ;
            told.all_differ &= differ || matches!(nodes[column], Shown::Interval(..));
        }
        let possible: BTreeSet<Row> = tables.iter().flatten().copied().collect();
        let mut rows_of: BTreeMap<usize, usize> = BTreeMap::new();
        for row in possible {
            let part = parts.iter().find(|(beside, _)| *beside == world.unmasked_value(row));
            *rows_of.entry(combination(&row)).or_default() += part.map_or(0, |(_, rows)| *rows);
        }
        told.below_k |= rows_of.values().any(|&rows| (rows as u64) < world.k);
    }

    fn in_common(&self) -> usize {
        let count = |rows: &Vec<Row>, of: Row| rows.iter().filter(|row| **row == of).count();
        let least = |of: Row| self.tables.iter().map(|rows| count(rows, of)).min().unwrap_or(0);
        (0..self.world.kinds()).map(|kind| least(kind as Row)).sum()
    }
}

impl World {
    /// Returns the values below a shown node. If the release has a cut, `*` excludes the values disclosed in it.
    fn values_below(&self, column: usize, shown: &Shown, release: &Release) -> Vec<usize> {
        let masking = &self.columns[column];
        let is = |&value: &usize| match (shown, masking) {
            (Shown::Node(node), Masking::Taxonomy(tree)) => {
                tree.nodes()[*node].leaves.contains(&(value as u32))
            }
            (Shown::Interval(from, to), Masking::Intervals { grid, .. }) => {
                from.is_none_or(|from| from <= grid[value]) && to.is_none_or(|to| grid[value] < to)
            }
            (Shown::Value(disclosed), _) => *disclosed == value,
            _ => release.cut.get(column).is_none_or(|cut| !cut.contains(&Shown::Value(value))),
        };
        (0..masking.values()).filter(is).collect()
    }

    /// Returns the values of each child of a node; an interval has its single values as children.
    fn children(&self, column: usize, shown: &Shown, under: &[usize]) -> Vec<Vec<usize>> {
        match (shown, &self.columns[column]) {
            (Shown::Node(node), Masking::Taxonomy(tree)) => {
                let leaves = |child: &usize| tree.nodes()[*child].leaves.clone().map(|leaf| leaf as usize);
                tree.nodes()[*node].children.iter().map(|child| leaves(child).collect()).collect()
            }
            _ => under.iter().map(|&value| vec![value]).collect(),
        }
    }

    /// Returns the sets of values that are more specific than a node: its children, or both sides of every split of an
    /// interval.
    fn more_specific(&self, column: usize, shown: &Shown, under: &[usize]) -> Vec<Vec<usize>> {
        match shown {
            Shown::Interval(..) => {
                (1..under.len()).flat_map(|at| [under[..at].to_vec(), under[at..].to_vec()]).collect()
            }
            _ => self.children(column, shown, under),
        }
    }
}
