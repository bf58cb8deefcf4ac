//! The input of a search, and how it is laid out for counting.

use super::column::{Column, Requirement};
use super::leaves::Leaves;
use super::measures::Models;
use super::model_partition::ModelPartition;
use super::population::{Population, TableWithPopulation};
use super::state::State;
use super::withheld::Withheld;
use crate::partition::{Partition, Records, Tally, SCANS_PER_LOOKUP};
use crate::privacy::PrivacyModel;
use crate::progress::{check_memory, filled};
use crate::refine::interval::SplitRule;
use crate::refine::Hierarchy;
use crate::table::{compress, fold, CodedColumn, Codes, Histogram, Store};
use crate::trace::Cut;
use crate::utility::{Score, Utility};
use crate::{pace, Error};

/// A masked column.
#[derive(Debug)]
pub struct Attribute<'a> {
    /// Code of each record.
    pub codes: &'a Store,
    /// The nodes that codes may be released as.
    pub hierarchy: Hierarchy,
    /// Factor of the column's gains in the score.
    pub weight: f64,
    /// Whether readers group by the column. Such columns are refined first, and have one cut under every recoding.
    pub shown: bool,
}

/// The groups that a refinement is performed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recoding {
    /// All groups that hold the node: a value is released alike wherever it occurs.
    Global,
    /// One group. The models may then count the persons of one column at most.
    Local,
    /// One group. The records of each final group are then clustered; every record must be one row.
    Clustered,
}

/// A table, the models that its release must keep, and how refinements are chosen.
#[derive(Debug)]
pub struct Problem<'a> {
    /// Number of records.
    pub records: usize,
    /// Number of rows that each record stands for, at least one; None: one each.
    pub weights: Option<&'a Codes>,
    /// The masked columns. If there are models, each column is in one of them.
    pub attributes: Vec<Attribute<'a>>,
    /// The sensitive columns.
    pub sensitive: Vec<CodedColumn<'a>>,
    /// Columns that identify the persons that models count. A person may have any number of rows.
    pub persons: Vec<CodedColumn<'a>>,
    /// The populations that models count beside the table.
    pub populations: Vec<Population<'a>>,
    /// The class that the release should stay useful for predicting; None: the release is for general use.
    pub class: Option<CodedColumn<'a>>,
    /// The privacy models; none in order to perform steps again without a test.
    pub models: Vec<PrivacyModel>,
    /// How a refinement is scored.
    pub score: Score,
    /// Where intervals are split. By local recoding only valid splits are chosen.
    pub split: SplitRule,
    /// The groups that a refinement is performed on.
    pub recoding: Recoding,
    /// Largest number of rows that may be withheld; None: none. Requires global recoding, and that all models are over
    /// the same columns. A union of rows whose groups keep a model must keep it, as for k-anonymity and distinct
    /// l-diversity.
    pub withhold: Option<u64>,
    /// By local recoding, factor of the smallest valid group size, at least 1. If it is larger, groups are less
    /// specific, but rows can later come and leave in parts that keep the models by themselves. Above 1, clusters also
    /// keep equal rows together, because a row is identified by its values.
    pub min_size_factor: u64,
    /// Largest number of refinements; None: no limit.
    pub max_steps: Option<usize>,
}

impl Problem<'_> {
    fn rows(&self) -> Result<usize, Error> {
        self.weights.map_or(Ok(self.records), |weights| weights.sum())
    }
}

impl State {
    /// Makes the state of the most general table, not measured yet.
    pub(super) fn new(problem: Problem) -> Result<State, Error> {
        State::lay_out(problem, false)
    }

    /// Does the same as `new`, but with one partition over all masked columns, for local recoding.
    pub(super) fn with_single_partition(problem: Problem) -> Result<State, Error> {
        State::lay_out(problem, true)
    }

    fn lay_out(mut problem: Problem, single: bool) -> Result<State, Error> {
        problem.check()?;
        let (rows, limit) = (problem.rows()?, u32::MAX as usize);
        if rows > limit {
            return Err(Error::TooManyRows { rows, limit });
        }
        let Partitions { partitions, tallies, leaves, of_rows } = build_partitions(&problem, single)?;
        let withheld = match (of_rows, problem.withhold.take()) {
            (Some(of_rows), Some(most)) => {
                let distinct = partitions[0].size(0);
                Some(Withheld::new(of_rows, distinct, most)?)
            }
            _ => None,
        };
        let models = Models::new(problem.models)?;
        let class = problem.class.map(|c| (c.codes, c.cardinality));
        let suppressions = problem.attributes.iter().filter(|a| a.hierarchy.is_suppression()).count();
        // Class counts: three sets of records at a time, one set for each `*`, and the n log n of one `*`.
        let classes = class.map_or(1, |(_, n)| n);
        check_memory::<u64>(classes.saturating_mul(3 + suppressions + suppressions.min(1)))?;
        let codes: Vec<(&Store, usize)> =
            problem.attributes.iter().map(|a| (a.codes, a.hierarchy.codes())).collect();
        let histograms = Histogram::all(&codes, class, problem.weights)?;
        let attributes = problem.attributes.into_iter().zip(histograms).enumerate();
        let columns =
            attributes.map(|(a, (attribute, histogram))| Column::new(a, attribute, histogram, &models));
        let columns = columns.collect::<Result<_, _>>()?;
        Ok(State {
            rows,
            score: problem.score,
            split: match problem.split {
                SplitRule::Optimal if single => SplitRule::Valid,
                split => split,
            },
            min_size_factor: problem.min_size_factor,
            utility: if class.is_some() { Utility::Classification } else { Utility::General },
            current: models.best().to_vec(),
            models,
            columns,
            partitions,
            tallies,
            leaves,
            withheld,
            steps: Vec::new(),
        })
    }
}

impl Column {
    /// Makes the column number `a` of the most general table.
    fn new(a: usize, attribute: Attribute, histogram: Histogram, models: &Models) -> Result<Column, Error> {
        let Attribute { hierarchy, weight, shown, .. } = attribute;
        pace::tick(models.len())?;
        let on_column =
            models.iter().enumerate().filter(|(_, m)| m.model.attributes().binary_search(&a).is_ok());
        let requirements = on_column.flat_map(|(model, m)| {
            let direction = m.model.direction();
            m.requirements.clone().map(move |number| Requirement { number, model, direction })
        });
        Ok(Column {
            histogram,
            part_of_code: filled(0, hierarchy.codes())?,
            cut: Cut::coarsest(&hierarchy)?,
            weight,
            shown,
            suppressed: None,
            requirements: pace::collect(requirements)?,
            hierarchy,
        })
    }
}

/// Partitions with their tallies.
struct Partitions {
    partitions: Vec<ModelPartition>,
    tallies: Vec<Tally>,
    leaves: Option<Leaves>,
    /// If rows may be withheld: the distinct record of each record.
    of_rows: Option<Vec<u32>>,
}

/// Models that share a partition: over the same columns, with the same population or none, and with at most one column
/// of persons among them.
struct PartitionPlan {
    attributes: Vec<usize>,
    person: Option<usize>,
    population: Option<usize>,
    models: Vec<usize>,
}

impl PartitionPlan {
    fn can_include(&self, attributes: &[usize], model: &PrivacyModel) -> bool {
        let persons = self.person.zip(model.person());
        self.attributes == attributes
            && self.population == model.population()
            && persons.is_none_or(|(ours, other)| ours == other)
    }
}

/// Plans a partition for each distinct set of columns and persons that models group by; with `single`, one over all
/// columns.
fn plan_partitions(problem: &Problem, single: bool) -> Result<Vec<PartitionPlan>, Error> {
    let models = &problem.models;
    if single {
        return Ok(vec![PartitionPlan {
            attributes: (0..problem.attributes.len()).collect(),
            person: models.iter().find_map(|model| model.person()),
            population: models.iter().find_map(|model| model.population()),
            models: (0..models.len()).collect(),
        }]);
    }
    let mut plans: Vec<PartitionPlan> = Vec::new();
    for (m, model) in models.iter().enumerate() {
        let (person, population) = (model.person(), model.population());
        for attributes in model.column_sets() {
            pace::tick(1 + plans.len())?;
            match plans.iter_mut().find(|plan| plan.can_include(&attributes, model)) {
                Some(plan) => {
                    plan.person = plan.person.or(person);
                    plan.models.push(m);
                }
                None => plans.push(PartitionPlan { attributes, person, population, models: vec![m] }),
            }
        }
    }
    Ok(plans)
}

/// Builds the planned partitions, and one more if leaves are counted and no partition is over all columns.
fn build_partitions(problem: &Problem, single: bool) -> Result<Partitions, Error> {
    let masked = problem.attributes.len();
    let mut plans = plan_partitions(problem, single)?;
    // The class is counted in the leaves, as a further sensitive column.
    let class = problem.class.as_ref().filter(|_| single || problem.score.is_conditional());
    let leaves = class.map(|_| {
        let attributes: Vec<usize> = (0..masked).collect();
        let is_over_all =
            |plan: &PartitionPlan| plan.attributes == attributes && (single || plan.population.is_none());
        plans.iter().position(is_over_all).unwrap_or_else(|| {
            plans.push(PartitionPlan { attributes, person: None, population: None, models: Vec::new() });
            plans.len() - 1
        })
    });
    let raw = Records {
        columns: (problem.attributes.iter().map(|a| a.codes))
            .chain(problem.sensitive.iter().map(|s| s.codes))
            .chain(class.map(|class| class.codes))
            .chain(problem.persons.iter().map(|p| p.codes))
            .collect(),
        cardinalities: (problem.attributes.iter().map(|a| a.hierarchy.codes()))
            .chain(problem.sensitive.iter().map(|s| s.cardinality))
            .chain(class.map(|class| class.cardinality))
            .chain(problem.persons.iter().map(|p| p.cardinality))
            .collect(),
        masked,
        rows: problem.records,
        weights: problem.weights,
        numbered: false,
    };
    let withholds = problem.withhold.is_some();
    if withholds && plans.len() > 1 {
        return Err(Error::Unsound("rows are withheld where leaves are counted by other columns"));
    }
    // Several partitions are folded from the distinct records, not each of them from all rows.
    let distinct = match withholds || plans.len() > 1 {
        true => Some(DistinctRecords::new(&raw, withholds)?),
        false => None,
    };
    let records = distinct.as_ref().map_or_else(|| raw.clone(), |distinct| distinct.as_records(&raw));
    let children = problem.attributes.iter().map(|attribute| most_children(&attribute.hierarchy));
    let children = children.collect::<Result<Vec<usize>, Error>>()?;
    let (mut partitions, mut tallies) = (Vec::with_capacity(plans.len()), Vec::with_capacity(plans.len()));
    for (number, plan) in plans.into_iter().enumerate() {
        let most = plan.attributes.iter().map(|&a| children[a]).max().unwrap_or(1);
        // If the values are fewer, many records hold each, and a scan finds them as fast.
        let is_indexed = |a: usize| {
            let hierarchy = &problem.attributes[a].hierarchy;
            let indexed = hierarchy.is_suppression() && hierarchy.codes() > SCANS_PER_LOOKUP;
            indexed && !records.numbered && !single
        };
        let counts_class = leaves == Some(number);
        let (partition, cardinalities) = build_partition(problem, plan, &records, counts_class, is_indexed)?;
        tallies.push(Tally::new(&partition, most, &cardinalities)?);
        partitions.push(partition);
    }
    let leaves = leaves.zip(class).map(|(index, class)| {
        let class_index = tallies[index].cardinalities().count() - 1;
        Leaves::new(index, class_index, class.cardinality)
    });
    let of_rows = distinct.and_then(|distinct| distinct.of_rows);
    Ok(Partitions { partitions, tallies, leaves, of_rows })
}

/// The distinct records of a table.
struct DistinctRecords {
    columns: Vec<Store>,
    rows: usize,
    weights: Option<Codes>,
    /// The distinct record of each record, if rows may be withheld.
    of_rows: Option<Vec<u32>>,
}

impl DistinctRecords {
    fn new(raw: &Records, withholds: bool) -> Result<DistinctRecords, Error> {
        let (columns, rows, weights, of_rows);
        if withholds {
            let compressed = compress(&raw.columns, &raw.cardinalities, raw.rows, raw.weights)?;
            rows = compressed.weights.len();
            check_memory::<u32>(rows)?;
            weights = Some(Codes::from(compressed.weights));
            (columns, of_rows) = (compressed.columns, Some(compressed.ids));
        } else {
            let folded = fold(&raw.columns, &raw.cardinalities, raw.rows, raw.weights)?;
            (columns, rows, weights, of_rows) = (folded.columns, folded.rows, folded.weights, None);
        }
        let columns = columns.into_iter().map(Store::Memory).collect();
        Ok(DistinctRecords { columns, rows, weights, of_rows })
    }

    /// Returns them as the records of the table. They keep their numbers if rows may be withheld.
    fn as_records<'r>(&'r self, raw: &Records<'r>) -> Records<'r> {
        Records {
            columns: self.columns.iter().collect(),
            cardinalities: raw.cardinalities.clone(),
            masked: raw.masked,
            rows: self.rows,
            weights: self.weights.as_ref(),
            numbered: self.of_rows.is_some(),
        }
    }
}

/// Returns the largest number of parts that a refinement makes of a node.
fn most_children(hierarchy: &Hierarchy) -> Result<usize, Error> {
    if hierarchy.is_suppression() {
        // A search counts by code, a replay by two parts: the disclosed value and the rest.
        return Ok(hierarchy.codes().max(2));
    }
    let mut most = hierarchy.coarsest().len().max(2);
    pace::each(hierarchy.nodes(), |node| most = most.max(node.children.len()))?;
    Ok(most)
}

/// Builds a partition, and returns the cardinalities of the sensitive columns that it counts. The class comes last.
fn build_partition(
    problem: &Problem,
    PartitionPlan { attributes, person, population, models }: PartitionPlan,
    records: &Records,
    counts_class: bool,
    is_indexed: impl Fn(usize) -> bool,
) -> Result<(ModelPartition, Vec<usize>), Error> {
    let masked = records.masked;
    // If the table has no rows, no group counts a population.
    let population = population.filter(|_| records.rows > 0);
    let of_population = records.columns.len() - masked;
    // The sensitive column that a model counts, and whether by persons. A column may be counted both ways.
    let counts = |m: usize| {
        let model = &problem.models[m];
        let of_population = population.and(model.population()).map(|_| of_population);
        of_population.or(model.sensitive()).map(|s| (s, model.counts_persons_per_value()))
    };
    let mut columns: Vec<(usize, bool)> = models.iter().filter_map(|&m| counts(m)).collect();
    columns.sort_unstable();
    columns.dedup();
    let class = counts_class.then_some(problem.sensitive.len());
    let sensitive: Vec<usize> = columns.iter().map(|&(s, _)| s).chain(class).collect();
    let joined = match population {
        Some(population) => {
            let beside = sensitive.iter().filter(|&&s| s != of_population).map(|&s| masked + s);
            let places = attributes.iter().copied().chain(beside).collect();
            let population = problem.populations.get(population);
            let population = population.ok_or(Error::Internal("a population is not there"))?;
            Some(TableWithPopulation::fold_both(places, records, population)?)
        }
        None => None,
    };
    // Persons are the last columns.
    let person = person.map(|person| of_population - problem.persons.len() + person);
    let with_population = joined.as_ref().map(|joined| joined.as_records(records));
    let records = with_population.as_ref().unwrap_or(records);
    let cardinalities: Vec<usize> = sensitive.iter().map(|&s| records.cardinalities[masked + s]).collect();
    // The counts of a whole group, and of the rest that a disclosure leaves.
    cardinalities.iter().try_for_each(|&n| check_memory::<[u32; 2]>(n))?;
    let mut partition = Partition::new(attributes.clone(), sensitive.clone(), person, records)?;
    for (place, &a) in attributes.iter().enumerate().filter(|(_, &a)| is_indexed(a)) {
        partition.index(place, problem.attributes[a].hierarchy.codes())?;
    }
    if let Some(TableWithPopulation { of_population: weights, .. }) = joined {
        let s = sensitive.iter().position(|&s| s == of_population);
        partition.set_population(s.ok_or(Error::Internal("nobody asks"))?, weights);
    }
    let of_persons = columns.iter().enumerate().filter(|(_, (_, persons))| *persons);
    of_persons.for_each(|(s, _)| partition.enable_persons_per_value(s));
    let index_of = |&m: &usize| counts(m).and_then(|column| columns.binary_search(&column).ok());
    let sensitive = models.iter().map(index_of).collect();
    Ok((ModelPartition { partition, models, sensitive }, cardinalities))
}
