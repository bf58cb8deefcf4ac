//! What was read, and what each row is released as: the one thing that a search and a clustering find.
//!
//! Every record has a *key* on a masked column, and every key is released as some [`Extent`]. A search
//! decides for each value of a column what it is released as wherever it occurs (global recoding), so
//! that a row's key is its code; or, as a clustering does, for each group of rows (local recoding), and a row's key is
//! the number of its group, on all columns alike.

use super::trace::{LeftOut, StepRef};
use super::withheld::Withheld;
use crate::postgres::error::{Result, SqlError};
use crate::postgres::progress::{polled, polling};
use crate::read::counted::Reading;
use crate::read::order::{histogram, Counted};
use crate::read::table::Table;
use crate::terms::labels::Bound;
use crate::terms::privacy_model::k_anonymity::enough_of_counts;
use crate::terms::request::Request;
use crate::terms::words::Intervals;
use hashbrown::HashMap;
use serde_json::json;
use std::collections::BTreeMap;
use topdown::cluster::Extent;
use topdown::measure::{self, RecordClasses, Released, RequiredSize};
use topdown::progress::check_memory;
use topdown::refine::NodeId;
use topdown::search::RegionId;
use topdown::table::Store;
use topdown::{CodedColumn, Explained, Regions, Step};

/// What was found for a request.
pub struct SearchResult {
    /// The rows that were read; masked columns and the class with their codes in order.
    pub table: Table,
    /// How they were read.
    pub reading: Reading,
    /// The masked columns, as in the request.
    pub columns: Vec<GeneralizedColumn>,
    /// The sensitive columns' original values, as in the request.
    pub sensitive: Vec<Counted>,
    /// Whose each row is, and how many persons there are, for each column that tells them apart.
    pub persons: Vec<(Store, usize)>,
    /// Of each masked column by a rule that does not tell all its values apart, the codes of these; none of others.
    pub originals: Vec<Option<Store>>,
    /// Of each masked column whose means are shown, and of all where changes are batched, the codes of the values as they were read;
    /// none of others.
    pub as_read: Vec<Option<Store>>,
    /// Each row's cluster, where rows were clustered; its group, where groups were refined one at a time.
    pub clusters: Option<Store>,
    /// The steps of the search.
    pub steps: Vec<Step>,
    /// Where groups were refined one at a time, the one that each step refined.
    pub groups: Vec<RefinedGroup>,
    /// For each model, one that makes it redundant.
    pub redundant: Vec<Option<usize>>,
    /// The rows that were left out, and are not in the table any more.
    pub withheld: Withheld,
    /// Where steps were to be performed again, those that were not.
    pub left_out: Option<LeftOut>,
    /// Where that was asked for, why each node of the cut was not refined further; where groups are refined one at a
    /// time, of how many that is so, and for each reason that there is.
    pub explained: Vec<Explained>,
    /// Seconds for reading the source.
    pub scan: f64,
    /// Seconds for the search, or the clustering.
    pub search: f64,
}

/// A masked column, generalized.
pub struct GeneralizedColumn {
    /// Its place in the source.
    pub column: usize,
    /// Its hierarchy, as far as it was grown, and its labels.
    pub bound: Bound,
    /// What values are released as, each once.
    pub cut: Vec<Extent>,
    /// What each key is released as.
    pub released: Vec<Extent>,
}

impl GeneralizedColumn {
    /// What each key is released as, by its number in the cut.
    pub fn numbers(&self) -> Vec<u32> {
        let at: HashMap<&Extent, u32> = self.cut.iter().zip(0..).collect();
        polled(&self.released).map(|extent| at[extent]).collect()
    }

    /// The same, but one number for those that are shown alike: the first.
    pub fn numbers_as_shown(&self, request: &Request) -> Vec<u32> {
        let as_range = request.arguments.intervals == Intervals::Range;
        let shown = |extent| self.bound.rendered(extent, request.any(), as_range);
        let mut first = HashMap::new();
        let alike: Vec<u32> = (0..)
            .zip(polled(&self.cut))
            .map(|(number, extent)| *first.entry(shown(extent)).or_insert(number))
            .collect();
        self.numbers().into_iter().map(|number| alike[number as usize]).collect()
    }
}

impl SearchResult {
    /// How many rows, and persons, a number that is released has to be of.
    pub fn least(&self, request: &Request) -> Result<Vec<RequiredSize<'_>>> {
        let least = enough_of_counts(&request.arguments.privacy).into_iter().map(|(k, person)| {
            let not_counted =
                || SqlError::internal("persons are not counted by the column that tells them apart");
            let persons = person.map(|name| {
                let of_column = request.person(name).and_then(|place| self.persons.get(place));
                of_column
                    .map(|(codes, count)| CodedColumn { codes, cardinality: *count })
                    .ok_or_else(not_counted)
            });
            Ok(RequiredSize { k, persons: persons.transpose()? })
        });
        least.collect()
    }

    /// Each record's key on a masked column.
    pub fn keys(&self, attribute: usize) -> Result<&Store> {
        match &self.clusters {
            Some(clusters) => Ok(clusters),
            None => Ok(&self.table.column(self.columns[attribute].column)?.codes),
        }
    }

    /// For each key, the number of its released value on a masked column. Of groups and clusters, values that
    /// are shown alike get the same number even if their extents differ: for example NULLs and all values.
    pub fn numbers(&self, request: &Request, attribute: usize) -> Vec<u32> {
        let column = &self.columns[attribute];
        match self.clusters {
            Some(_) => column.numbers_as_shown(request),
            None => column.numbers(),
        }
    }

    /// How many rows are released as what, on a masked column.
    pub fn rows_by_extent(&self, attribute: usize) -> Result<HashMap<&Extent, u64>> {
        let released = &self.columns[attribute].released;
        let mut records = HashMap::new();
        for (extent, rows) in polled(released.iter().zip(histogram(
            self.keys(attribute)?,
            self.table.weights(),
            released.len(),
        )?)) {
            *records.entry(extent).or_default() += rows;
        }
        Ok(records)
    }

    /// How many rows hold each code of a masked column.
    pub fn rows_by_code(&self, attribute: usize) -> Result<Vec<u64>> {
        let GeneralizedColumn { column, bound, .. } = &self.columns[attribute];
        let codes = &self.table.column(*column)?.codes;
        histogram(codes, self.table.weights(), bound.hierarchy.codes())
    }

    /// How many bits of what the source tells of a masked column are lost, from 0 to 1 (Gionis, Tassa
    /// 2009). It follows from counts of codes.
    pub fn non_uniform_entropy(&self, attribute: usize) -> Result<f64> {
        let bound = &self.columns[attribute].bound;
        let held = self.rows_by_code(attribute)?;
        let records = self.rows_by_extent(attribute)?;
        // What is recoded locally may stand for any row whose value lies within; what is recoded
        // globally only for those that are released alike: a disclosed value is none of those in `*`.
        let mut before = vec![0u64];
        before.extend(held.iter().scan(0, |sum, rows| {
            *sum += rows;
            Some(*sum)
        }));
        let within = |extent: &Extent, rows: u64| match (extent, &self.clusters) {
            (_, None) => rows,
            (Extent::Node(node), _) => {
                let codes = &bound.hierarchy.node(*node).codes;
                before[codes.end as usize] - before[codes.start as usize]
            }
            (Extent::Ranks(ranks), _) => before[*ranks.end() as usize + 1] - before[*ranks.start() as usize],
            (Extent::Any, _) => before[held.len()],
        };
        let mut released: Vec<(u64, u64)> =
            polled(&records).map(|(extent, &rows)| (rows, within(extent, rows))).collect();
        // In one order always: the last digit of a sum depends on it.
        released.sort_unstable_by(polling(Ord::cmp));
        Ok(measure::non_uniform_entropy(&held, &released)?)
    }

    /// The share of the class's entropy that the released columns tell; none without a class.
    pub fn class_information(&self, request: &Request) -> Result<Option<f64>> {
        let Some(class) = request.class else { return Ok(None) };
        let numbers: Vec<Vec<u32>> = (0..self.columns.len()).map(|a| self.numbers(request, a)).collect();
        let columns: Vec<Released> = (self.columns.iter().enumerate())
            .map(|(a, column)| {
                Ok(Released {
                    codes: self.keys(a)?,
                    number_of_code: &numbers[a],
                    number_count: column.cut.len(),
                })
            })
            .collect::<Result<_>>()?;
        let class = Counted::new(self.table.column(class)?)?.codes;
        let classes = RecordClasses::build(&columns, self.table.records)?;
        Ok(Some(measure::class_information(&classes, &class, self.table.weights())?))
    }

    /// The steps as they are shown: nodes by their labels, `*` for anything.
    pub fn step_rows(&self, request: &Request) -> Vec<StepRow> {
        // Many steps are of the same nodes.
        let mut labels = vec![HashMap::new(); self.columns.len()];
        let mut label = |a: usize, node: NodeId| -> Option<String> {
            let made = || self.columns[a].bound.node_label(node, "*");
            labels[a].entry(node).or_insert_with(made).clone()
        };
        let row = |(number, step): (i32, &Step)| {
            let group = self.groups.get(number as usize - 1);
            StepRow {
                number,
                attribute: request.name(step.attribute).to_string(),
                node: label(step.attribute, step.node),
                children: step.children.iter().map(|&child| label(step.attribute, child)).collect(),
                records: step.records as i64,
                info_gain: step.info_gain,
                privacy_loss: step.privacy_loss,
                score: step.score,
                achieved: step.achieved.clone(),
                group: group.filter(|group| !group.nodes.is_empty()).map(|group| {
                    let called = |(a, &node): (usize, &NodeId)| (request.name(a).to_string(), label(a, node));
                    json!(group.nodes.iter().enumerate().map(called).collect::<Called>()).to_string()
                }),
                refined: StepRef {
                    node: step.node as usize,
                    children: step.children.iter().map(|&child| child as usize).collect(),
                    from: group.and_then(|group| group.from).map(|(step, node)| (step, node as usize)),
                    root: (group.filter(|group| group.from.is_none()))
                        .map_or(Vec::new(), |group| group.nodes.iter().map(|&node| node as usize).collect()),
                },
            }
        };
        polled((1..).zip(&self.steps)).map(row).collect()
    }
}

/// A row of a release's steps.
#[derive(Debug, Clone)]
pub struct StepRow {
    pub number: i32,
    pub attribute: String,
    pub node: Option<String>,
    pub children: Vec<Option<String>>,
    pub records: i64,
    pub info_gain: f64,
    pub privacy_loss: f64,
    pub score: f64,
    pub achieved: Vec<f64>,
    /// By local recoding, what the refined group was called on each masked column ([`Called`], as JSON: of many steps it is
    /// what takes most).
    pub group: Option<String>,
    /// What was refined, and into what.
    pub refined: StepRef,
}

impl StepRow {
    /// About how much it takes where it is kept, as texts.
    pub fn bytes(&self) -> usize {
        let texts = [&self.node, &self.group].into_iter().chain(&self.children);
        texts.flatten().map(String::len).sum::<usize>() + 24 * self.achieved.len()
    }
}

/// A group that a step refined; of a step that refined a shown column, in all groups at once, there is none.
pub struct RefinedGroup {
    /// Its node on each masked column; empty where there is none.
    pub nodes: Vec<NodeId>,
    /// The step that made it, from 0, and which node it gave it; none, where the search began with it.
    pub from: Option<(usize, NodeId)>,
}

impl RefinedGroup {
    /// The groups that steps refined.
    pub fn refined(regions: &Regions, steps: &[Step]) -> Result<Vec<RefinedGroup>> {
        check_memory::<(RegionId, (usize, NodeId))>(2 * steps.len())?;
        let first = regions.refined.iter().flatten().next();
        let columns = first.map_or(0, |&first| regions.region(first).nodes.len());
        check_memory::<RefinedGroup>(steps.len())?;
        check_memory::<NodeId>(steps.len() * columns)?;
        let mut made: HashMap<RegionId, (usize, NodeId)> = HashMap::new();
        let group = |(number, (step, &region)): (usize, (&Step, &Option<RegionId>))| {
            let Some(region) = region else { return RefinedGroup { nodes: Vec::new(), from: None } };
            for part in regions.parts(region) {
                made.insert(part, (number, regions.region(part).nodes[step.attribute]));
            }
            RefinedGroup { nodes: regions.region(region).nodes.to_vec(), from: made.remove(&region) }
        };
        Ok(polled(steps.iter().zip(&regions.refined).enumerate()).map(group).collect())
    }
}

/// What a group is called, by the masked columns; none for NULL.
pub type Called = BTreeMap<String, Option<String>>;
