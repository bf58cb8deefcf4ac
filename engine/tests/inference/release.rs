//! The release of a table as its recipient sees it: the shown values of the rows, the cut, the number of withheld rows.
//!
//! A node is identified by its shown value. An interval ends where the extension ends it: at the roundest number of the
//! gap between two neighboring values of the searched rows (`endpoint::integer`).

use super::world::{Masking, Row, Unmasked, Way, World};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use topdown::cluster::Extent;
use topdown::privacy::{Diversity, PrivacyModel};
use topdown::refine::endpoint::{self, Gap};
use topdown::refine::interval::Domain;
use topdown::refine::interval::SplitRule;
use topdown::refine::{Hierarchy, Meaning, NodeId};
use topdown::table::Store;
use topdown::trace::Cut;
use topdown::{search, Attribute, Code, CodedColumn, Problem, Recoding};

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shown {
    /// A node of a taxonomy, by its number.
    Node(usize),
    /// From the first end to before the second; None is open.
    Interval(Option<i64>, Option<i64>),
    Value(usize),
    Star,
}

/// The shown values of a row on the masked columns, and its value in the column beside them.
pub type Group = (Vec<Shown>, usize);

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Release {
    /// Number of rows of each group.
    pub groups: BTreeMap<Group, usize>,
    /// Cut of each column. Empty under local recoding, where it adds nothing to the groups.
    pub cut: Vec<BTreeSet<Shown>>,
    pub withheld: usize,
}

/// The release of a table, and the group of each row; None if the row is withheld.
pub struct TableRelease {
    pub release: Release,
    pub shown: Vec<Option<Group>>,
}

/// The shown values of each row on the masked columns, and the cut.
type ShownRows = (Vec<Option<Vec<Shown>>>, Vec<BTreeSet<Shown>>);

impl World {
    /// Releases a table; None if the most general table breaks a model.
    pub fn release(&self, table: &[Row]) -> Option<TableRelease> {
        let (nodes, cut) = match self.way {
            Way::Local => (Coded::new(self, table).search_locally()?, Vec::new()),
            Way::Clustered => (Coded::new(self, table).search_clustered()?, Vec::new()),
            Way::Again => self.search_rest_again(table)?,
            _ => Coded::new(self, table).search_globally(self.most_withheld())?,
        };
        let rows = nodes.into_iter().zip(table);
        let shown: Vec<Option<Group>> =
            rows.map(|(nodes, row)| Some((nodes?, self.unmasked_value(*row)))).collect();
        let mut groups = BTreeMap::new();
        shown.iter().flatten().for_each(|group| *groups.entry(group.clone()).or_default() += 1);
        let withheld = shown.iter().filter(|group| group.is_none()).count();
        Some(TableRelease { release: Release { groups, cut, withheld }, shown })
    }

    /// Searches again the rows that a first search does not withhold.
    fn search_rest_again(&self, table: &[Row]) -> Option<ShownRows> {
        let (first, cut) = Coded::new(self, table).search_globally(self.most_withheld())?;
        if first.iter().all(Option::is_some) {
            return Some((first, cut));
        }
        let stays = first.iter().zip(table).filter(|(shown, _)| shown.is_some());
        let rest: Vec<Row> = stays.map(|(_, row)| *row).collect();
        let (rest, cut) = Coded::new(self, &rest).search_globally(0)?;
        let mut rest = rest.into_iter();
        Some((first.into_iter().map(|shown| shown.and_then(|_| rest.next()?)).collect(), cut))
    }
}

struct Coded<'w> {
    world: &'w World,
    rows: usize,
    columns: Vec<Column>,
    beside: Store,
}

struct Column {
    codes: Store,
    /// The value of each code.
    values: Vec<usize>,
    hierarchy: Hierarchy,
}

impl<'w> Coded<'w> {
    fn new(world: &'w World, table: &[Row]) -> Coded<'w> {
        Coded {
            world,
            rows: table.len(),
            columns: (0..world.columns.len()).map(|column| Column::new(world, table, column)).collect(),
            beside: table.iter().map(|&row| world.unmasked_value(row) as Code).collect(),
        }
    }

    fn problem(&self, most_withheld: usize) -> Problem<'_> {
        let World { beside, k, score, way, .. } = *self.world;
        let all: Vec<usize> = (0..self.columns.len()).collect();
        let mut models: Vec<PrivacyModel> = vec![PrivacyModel::k_anonymity(all.clone(), k)];
        if beside == Unmasked::Sensitive {
            models.push(PrivacyModel::l_diversity(all, 0, Diversity::Distinct { l: 2.0 }));
        }
        let (codes, cardinality) = (&self.beside, self.world.unmasked_values());
        Problem {
            records: self.rows,
            weights: None,
            attributes: self.columns.iter().map(Column::attribute).collect(),
            sensitive: (beside == Unmasked::Sensitive)
                .then_some(CodedColumn { codes, cardinality })
                .into_iter()
                .collect(),
            persons: Vec::new(),
            populations: Vec::new(),
            class: (beside == Unmasked::Class).then_some(CodedColumn { codes, cardinality }),
            models,
            score,
            split: if way == Way::Valid { SplitRule::Valid } else { SplitRule::Optimal },
            recoding: Recoding::Global,
            withhold: (most_withheld > 0).then_some(most_withheld as u64),
            min_size_factor: 1,
            max_steps: None,
        }
    }

    fn search_globally(&self, most_withheld: usize) -> Option<ShownRows> {
        let outcome = search(self.problem(most_withheld)).ok()?;
        let shown = |column: usize, node| {
            self.columns[column].shown(&outcome.hierarchies[column], node, self.masking(column))
        };
        let codes: Vec<Vec<Code>> = self.columns.iter().map(Column::codes).collect();
        let row = |row: usize| {
            let node = |(column, cut): (usize, &Cut)| shown(column, cut.node_for(codes[column][row]));
            let is_out = outcome.withheld.get(row).is_some_and(|out| *out);
            (!is_out).then(|| outcome.cuts.iter().enumerate().map(node).collect())
        };
        let cut = |(column, cut): (usize, &Cut)| cut.nodes().map(|node| shown(column, node)).collect();
        Some(((0..self.rows).map(row).collect(), outcome.cuts.iter().enumerate().map(cut).collect()))
    }

    fn search_locally(&self) -> Option<Vec<Option<Vec<Shown>>>> {
        let outcome = search(Problem { recoding: Recoding::Local, ..self.problem(0) }).ok()?;
        let regions = outcome.regions.as_ref()?;
        let leaves: Vec<_> = regions.leaves().collect();
        let columns: Vec<&Store> = self.columns.iter().map(|column| &column.codes).collect();
        let leaf_of_rows = regions.leaf_of_rows(&columns, self.rows).ok()?;
        let row = |row: usize| {
            let nodes = regions.region(leaves[leaf_of_rows.get(row) as usize]).nodes.iter();
            let shown = |(column, &node): (usize, _)| {
                self.columns[column].shown(&outcome.hierarchies[column], node, self.masking(column))
            };
            Some(nodes.enumerate().map(shown).collect())
        };
        Some((0..self.rows).map(row).collect())
    }

    fn search_clustered(&self) -> Option<Vec<Option<Vec<Shown>>>> {
        let outcome = search(Problem { recoding: Recoding::Clustered, ..self.problem(0) }).ok()?;
        let clusters = outcome.clusters.as_ref()?;
        let row = |row: usize| {
            let extents = clusters.extents[clusters.of_records.get(row) as usize].iter();
            let shown = |(column, extent): (usize, &Extent)| match extent {
                Extent::Ranks(ranks) => self.columns[column].range(ranks, self.masking(column)),
                Extent::Node(node) => {
                    self.columns[column].shown(&outcome.hierarchies[column], *node, self.masking(column))
                }
                Extent::Any => Shown::Star,
            };
            Some(extents.enumerate().map(shown).collect())
        };
        Some((0..self.rows).map(row).collect())
    }

    fn masking(&self, column: usize) -> &Masking {
        &self.world.columns[column]
    }
}

impl Column {
    fn new(world: &World, table: &[Row], number: usize) -> Column {
        let rows = table.iter().map(|&row| world.value(row, number));
        let present: Vec<usize> = rows.clone().collect::<BTreeSet<usize>>().into_iter().collect();
        let (values, hierarchy) = match &world.columns[number] {
            Masking::Taxonomy(tree) => {
                ((0..tree.leaves()).collect(), Hierarchy::by_taxonomy(tree, false).unwrap())
            }
            Masking::Intervals { grid, bounds } => {
                let positions = present.iter().map(|&value| grid[value] as f64).collect();
                let (lower, upper) = bounds.map(|(lower, upper)| (lower as f64, upper as f64)).unzip();
                let domain = Domain { positions, lower, upper, points: None, is_discrete: false };
                (present, Hierarchy::by_intervals(domain, false))
            }
            Masking::Suppression(_) => {
                let hierarchy = Hierarchy::by_suppression(present.len(), false).unwrap();
                (present, hierarchy)
            }
        };
        let code = |value: usize| values.binary_search(&value).expect("a value of a row") as Code;
        Column { codes: rows.map(code).collect(), values, hierarchy }
    }

    fn attribute(&self) -> Attribute<'_> {
        Attribute { codes: &self.codes, hierarchy: self.hierarchy.clone(), weight: 1.0, shown: false }
    }

    fn codes(&self) -> Vec<Code> {
        self.codes.fetch(0..self.codes.len(), &mut Vec::new()).unwrap().to_vec()
    }

    /// Returns the shown interval of the values from one rank to another, both included.
    fn range(&self, ranks: &RangeInclusive<Code>, masking: &Masking) -> Shown {
        let Masking::Intervals { grid, bounds } = masking else { return Shown::Star };
        let (first, last) = (*ranks.start() as usize, *ranks.end() as usize);
        if first == last {
            return Shown::Value(self.values[first]);
        }
        let at = |rank: usize| self.values.get(rank).map(|&value| grid[value]);
        let (least, greatest) = (grid[self.values[first]], grid[self.values[last]]);
        let end = |gap: Gap<i64>| endpoint::integer(&gap, &(i64::MIN..=i64::MAX));
        let from = end(Gap::below(first.checked_sub(1).and_then(at), least));
        let to = end(Gap::above(greatest, at(last + 1)));
        let (lower, upper) = bounds.unwrap_or((i64::MIN, i64::MAX - 1));
        Shown::Interval(Some(from.max(lower)), Some(to.min(upper) + 1))
    }

    fn shown(&self, hierarchy: &Hierarchy, node: NodeId, masking: &Masking) -> Shown {
        let node = hierarchy.node(node);
        match (&node.meaning, masking) {
            (Meaning::Taxonomy(id), _) => Shown::Node(*id),
            (Meaning::Value, _) => Shown::Value(self.values[node.codes.start as usize]),
            (Meaning::Interval, Masking::Intervals { grid, .. }) => {
                let number = |code: Code| self.values.get(code as usize).map(|&value| grid[value]);
                let end = |code: Code| {
                    let gap = Gap::below(number(code.checked_sub(1)?), number(code)?);
                    Some(endpoint::integer(&gap, &(i64::MIN..=i64::MAX)))
                };
                Shown::Interval(end(node.codes.start), end(node.codes.end))
            }
            _ => Shown::Star,
        }
    }
}
