//! Rows bound to hierarchies, which is what a search is given. What it withholds, and what has no place in a hierarchy, is
//! taken out of the rows as they were before, and the rest is bound anew.

use super::penalty::losses_of_nodes;
use super::rows::{Rows, WithoutPlace};
use super::withheld::Withheld;
use super::{run_engine, SearchMode};
use crate::postgres::activity::{self, Phase};
use crate::postgres::error::{Result, SqlError};
use crate::postgres::progress::{polled, stretches};
use crate::postgres::text::counted;
use crate::read::counted::Reading;
use crate::read::order::{told_apart, Counted};
use crate::read::table::{in_memory, Joined, Table};
use crate::terms::label_size;
use crate::terms::labels::{Bound, Labels};
use crate::terms::masking::{Binding, Demands};
use crate::terms::privacy_model::privacy_model;
use crate::terms::request::{Masked, Request};
use crate::terms::words::{Changes, Intervals};
use std::collections::BTreeMap;
use std::time::Instant;
use topdown::privacy::PrivacyModel;
use topdown::progress::check_memory;
use topdown::refine::{Hierarchy, Node, NodeId, TOP};
use topdown::table::{Codes, Store, NONE};
use topdown::{Attribute, CodedColumn, Population, Problem};

/// Rows that are bound to hierarchies: what is searched.
pub(super) struct Input {
    pub(super) table: Table,
    pub(super) reading: Reading,
    pub(super) class: Option<Counted>,
    pub(super) sensitive: Vec<Counted>,
    pub(super) persons: Vec<(Store, usize)>,
    /// The records of each population that have a place everywhere, in the codes of the masked columns.
    pub(super) populations: Vec<Matched>,
    /// Where rows may be withheld, the populations as they were joined before anything was bound.
    pub(super) joined: Vec<Joined>,
    /// Of each masked column, to be taken by a search.
    pub(super) hierarchies: Vec<Hierarchy>,
    /// And what its nodes are called.
    pub(super) labels: Vec<Labels>,
    pub(super) withheld: Withheld,
    /// How many rows a search may withhold still.
    pub(super) left: Option<usize>,
    /// Where rows may be withheld, the codes of each masked column before it was bound.
    pub(super) unbound: Vec<(Store, BTreeMap<usize, Store>)>,
    /// For each column masked by a rule that merges values, the codes before binding; None for others.
    pub(super) originals: Vec<Option<Store>>,
    /// Of each masked column whose means are shown, and of all where changes are batched, the codes before binding; None for others.
    pub(super) as_read: Vec<Option<Store>>,
    /// Seconds.
    pub(super) scan: f64,
}

impl Input {
    /// Binds rows; those that have no place go, if they may.
    pub(super) fn new(request: &Request, rows: Rows) -> Result<Input> {
        activity::enter(Phase::Binding);
        let how = rows.without_place;
        let input = Input::bound(request, rows, how != WithoutPlace::Refused)?;
        if how == WithoutPlace::Refused {
            return Ok(input);
        }
        let (goes, columns) = input.without_place(request)?;
        if columns.is_empty() {
            return Ok(input);
        }
        let rows = input.unbound(request)?;
        let rows = match how {
            WithoutPlace::Withheld(most) => {
                let (goes, without_place) = rows.with_equals(request, goes)?;
                if without_place > most {
                    let columns = columns.join(", ");
                    let before = match rows.withheld.rows {
                        0 => String::new(),
                        withheld => format!(", and {withheld} withheld already"),
                    };
                    return Err(SqlError::data(format!(
                        "{} without a place in {columns}{before}",
                        counted(without_place as u64, "row")
                    )));
                }
                let mut rows = rows.without(request, &goes)?;
                rows.withheld.without_place = Some((without_place, columns));
                rows
            }
            _ => rows.without(request, &goes)?,
        };
        // What has no place in a population is left out still.
        Input::bound(request, rows, true)
    }

    /// Binds rows; what has no place gets no code where it may be left out.
    pub(super) fn bound(request: &Request, rows: Rows, leave_out: bool) -> Result<Input> {
        let start = Instant::now();
        let Rows { mut table, reading, withheld, left, without_place, scan } = rows;
        let is_unbound = without_place != WithoutPlace::Refused || left.is_some_and(|left| left > 0);
        let count = |column: usize| Counted::new(table.column(column)?);
        let class = request.class.map(count).transpose()?;
        let sensitive = request.sensitive.iter().map(|&c| count(c)).collect::<Result<Vec<Counted>>>()?;
        let persons = (request.persons.iter())
            .map(|&column| match is_unbound || request.arguments.changes == Changes::Batched {
                false => told_apart(table.column_mut(column)?),
                // They are needed as they were read, too.
                true => told_apart(&mut table.column(column)?.clone()),
            })
            .collect::<Result<_>>()?;
        let mut unbound = Vec::new();
        for masked in request.masked.iter().filter(|_| is_unbound) {
            unbound.push((copy(masked, &table)?, table.column(masked.column)?.others.clone()));
        }
        let as_read = as_read(request, &table)?;
        let originals = Originals::of(request, &table)?;
        let bound = bind(request, &mut table, leave_out)?;
        // Where nothing is released nothing is kept.
        if request.arguments.suppressed.is_some() {
            label_size::must_fit((0..).zip(&bound).map(|(a, bound)| (request.name(a), &bound.labels)))?;
            let by_labels = bound.iter().filter(|bound| !matches!(bound.labels, Labels::Intervals(_)));
            let tops = by_labels.map(|bound| bound.node_label(TOP, request.any()));
            let as_they_are: Vec<usize> = request.as_they_are().collect();
            label_size::row_must_fit(tops, &table, &as_they_are)?;
        }
        let originals = originals.of_truncated(&bound);
        let (hierarchies, labels): (Vec<Hierarchy>, Vec<Labels>) =
            (bound.into_iter()).map(|Bound { hierarchy, labels }| (hierarchy, labels)).unzip();
        let joined = if is_unbound { table.populations.clone() } else { Vec::new() };
        let populations = Matched::all(request, &mut table, &hierarchies)?;
        let scan = scan + start.elapsed().as_secs_f64();
        Ok(Input {
            table,
            reading,
            class,
            sensitive,
            persons,
            populations,
            joined,
            hierarchies,
            labels,
            withheld,
            left,
            unbound,
            originals,
            as_read,
            scan,
        })
    }

    /// Which records hold a value without a place, and in which columns.
    fn without_place(&self, request: &Request) -> Result<(Vec<bool>, Vec<String>)> {
        let (mut goes, mut columns) = (vec![false; self.table.records], Vec::new());
        for (a, masked) in request.masked.iter().enumerate() {
            let codes = in_memory(&self.table.column(masked.column)?.codes)?;
            let mut any = false;
            for record in polled(0..self.table.records).filter(|&record| codes.get(record) == NONE) {
                (goes[record], any) = (true, true);
            }
            if any {
                columns.push(format!("\"{}\"", request.name(a)));
            }
        }
        Ok((goes, columns))
    }

    /// Searches once to find the rows to withhold, takes these out, and binds the rest anew. Nothing else of
    /// this search is kept, because its splits, taxonomy nodes and step order depend on the withheld rows: the
    /// release is what a second search makes of the rest alone. Rows that equal a withheld one go too; if that
    /// makes too many, the search is repeated with a smaller limit. Models that are not over all masked columns
    /// are ignored here: others imply them.
    pub(super) fn withhold(
        mut self,
        request: &Request,
        models: &[privacy_model],
        how: &SearchMode,
    ) -> Result<Input> {
        let Some(left) = self.left.filter(|&left| left > 0) else { return Ok(self) };
        let how = if let SearchMode::Explain(trace) = how { &SearchMode::Replay(trace) } else { how };
        let is_over_all = |model: &&privacy_model| {
            request
                .masked
                .iter()
                .all(|masked| model.attributes().contains(&request.source.columns[masked.column].name))
        };
        let models: Vec<privacy_model> = models.iter().filter(is_over_all).cloned().collect();
        let mut most = left;
        loop {
            let goes = {
                let hierarchies = copies(&self.hierarchies)?;
                run_engine(request, &models, how, &self, hierarchies, Some(most as u64))?.outcome.withheld
            };
            if !goes.contains(&true) {
                return Ok(self);
            }
            let rows = self.unbound(request)?;
            let (goes, newly) = rows.with_equals(request, goes)?;
            if newly <= left {
                return Input::bound(request, rows.without(request, &goes)?, false);
            }
            most = most.saturating_sub(newly - left);
            self = Input::bound(request, rows, false)?;
        }
    }

    /// The rows as they were before they were bound.
    fn unbound(self, request: &Request) -> Result<Rows> {
        let Input { mut table, reading, withheld, left, unbound, joined, scan, .. } = self;
        table.populations = joined;
        for (masked, (codes, others)) in request.masked.iter().zip(unbound) {
            let column = table.column_mut(masked.column)?;
            (column.codes, column.others) = (codes, others);
        }
        Ok(Rows { table, reading, withheld, left, without_place: WithoutPlace::Refused, scan })
    }

    /// The sensitive columns, and the table whose they are.
    pub(super) fn counted(&self) -> (&[Counted], &Table) {
        (&self.sensitive, &self.table)
    }

    /// What the engine is given.
    pub(super) fn problem(
        &self,
        request: &Request,
        hierarchies: Vec<Hierarchy>,
        models: Vec<PrivacyModel>,
        withhold: Option<u64>,
    ) -> Result<Problem<'_>> {
        let attribute = |(a, (masked, hierarchy)): (usize, (&Masked, Hierarchy))| {
            let weight = masked.by.demands().weight.unwrap_or(1.0);
            let codes = &self.table.column(masked.column)?.codes;
            Ok(Attribute { codes, hierarchy, weight, shown: request.shows(a) })
        };
        Ok(Problem {
            records: self.table.records,
            weights: self.table.weights(),
            attributes: (request.masked.iter().zip(hierarchies).enumerate())
                .map(attribute)
                .collect::<Result<_>>()?,
            sensitive: (self.sensitive.iter())
                .map(|s| CodedColumn { codes: &s.codes, cardinality: s.cardinality })
                .collect(),
            persons: (self.persons.iter())
                .map(|(codes, cardinality)| CodedColumn { codes, cardinality: *cardinality })
                .collect(),
            populations: (self.populations.iter())
                .map(|Matched { records, weights, columns }| Population {
                    records: *records,
                    weights: weights.as_ref(),
                    columns: columns.iter().map(Option::as_ref).collect(),
                })
                .collect(),
            class: self.class.as_ref().map(|c| CodedColumn { codes: &c.codes, cardinality: c.cardinality }),
            models,
            score: request.arguments.score.engine(),
            split: request.arguments.split.engine(),
            withhold,
            recoding: request.arguments.recoding.engine(),
            min_size_factor: 1,
            max_steps: request.arguments.max_steps.map(|steps| steps as usize),
        })
    }
}

/// The records of a population that may be released as some value on every column that is asked of. Others match no record of
/// the source: they hold what its hierarchies do not know, or NULL where no row of it does.
pub(super) struct Matched {
    records: usize,
    weights: Option<Codes>,
    /// The codes on each masked column; none where nobody asks.
    columns: Vec<Option<Store>>,
}

impl Matched {
    /// Of all populations, whose codes go with the columns of the table.
    fn all(request: &Request, table: &mut Table, hierarchies: &[Hierarchy]) -> Result<Vec<Matched>> {
        let joined = std::mem::take(&mut table.populations).into_iter().enumerate();
        let one = |(number, Joined { records, weights }): (usize, Joined)| {
            let codes = |masked: &Masked| Ok(table.column_mut(masked.column)?.others.remove(&number));
            let columns = request.masked.iter().map(codes).collect::<Result<Vec<Option<Store>>>>()?;
            Matched { records, weights, columns }.with_place(hierarchies)
        };
        joined.map(one).collect()
    }

    /// Leaves out the records that have a value without a place.
    fn with_place(self, hierarchies: &[Hierarchy]) -> Result<Matched> {
        check_memory::<bool>(self.records)?;
        let mut stays = vec![true; self.records];
        let mut buffer = Vec::new();
        for (codes, hierarchy) in self.columns.iter().zip(hierarchies) {
            let Some(codes) = codes else { continue };
            for records in stretches(self.records) {
                let codes = codes.fetch(records.clone(), &mut buffer)?;
                let has_place = codes.iter().map(|&code| (code as usize) < hierarchy.codes());
                stays[records].iter_mut().zip(has_place).for_each(|(stays, has_place)| *stays &= has_place);
            }
        }
        if !stays.contains(&false) {
            return Ok(self);
        }
        let places: Vec<usize> = polled(0..self.records).filter(|&record| stays[record]).collect();
        let pick = |codes: Codes| Codes::from_iter(polled(&places).map(|&record| codes.get(record)));
        let columns = self.columns.into_iter().map(|codes| {
            let picked = |codes: Store| Ok(Store::Memory(pick(codes.load()?.into_owned())));
            codes.map(picked).transpose()
        });
        Ok(Matched {
            records: places.len(),
            weights: self.weights.map(pick),
            columns: columns.collect::<Result<_>>()?,
        })
    }
}

/// Hierarchies once more, for a search to grow.
pub(super) fn copies(hierarchies: &[Hierarchy]) -> Result<Vec<Hierarchy>> {
    for hierarchy in hierarchies {
        check_memory::<(Node, NodeId)>(hierarchy.nodes().len())?;
        check_memory::<f64>(hierarchy.domain().map_or(0, |domain| domain.positions.len()))?;
    }
    Ok(hierarchies.to_vec())
}

/// Lays its hierarchy over every masked column.
pub(super) fn bind(request: &Request, table: &mut Table, leave_out: bool) -> Result<Vec<Bound>> {
    let arguments = &request.arguments;
    let (suppressed, endpoints) = (arguments.suppressed.as_deref(), arguments.endpoints);
    let is_local = arguments.recoding.is_by_group();
    let ends = arguments.intervals == Intervals::Bounds;
    let how = Binding { suppressed, is_local, endpoints, ends, leave_out };
    let bind = |masked: &Masked| {
        let column = table.column_mut(masked.column)?;
        let has_population = !column.others.is_empty();
        let bound = masked.by.bind(column, &how).map_err(|fault| match has_population {
            true => fault.also("The values of a population need a place, too."),
            false => fault,
        })?;
        let losses = match bound.labels {
            Labels::Taxonomy(..) => Some(losses_of_nodes(&bound, column.ty)?),
            _ => None,
        };
        let Bound { hierarchy, labels } = bound;
        let hierarchy = match losses {
            Some(losses) => hierarchy.with_losses(losses),
            None => hierarchy,
        };
        let Demands { coarsest, finest, .. } = masked.by.demands();
        let finest = finest.map(|depth| depth as usize);
        let hierarchy = hierarchy.with_depth_limits(coarsest.unwrap_or(0) as usize, finest)?;
        Ok(Bound { hierarchy, labels })
    };
    request.masked.iter().map(bind).collect()
}

/// The codes of the masked columns whose means are shown, before they are bound.
pub(super) fn as_read(request: &Request, table: &Table) -> Result<Vec<Option<Store>>> {
    let is_batched = request.arguments.changes == Changes::Batched;
    let masked = request.masked.iter().enumerate();
    masked
        .map(|(a, masked)| (request.shows_means(a) || is_batched).then(|| copy(masked, table)).transpose())
        .collect()
}

/// The codes of a masked column as they are.
fn copy(masked: &Masked, table: &Table) -> Result<Store> {
    let codes = &table.column(masked.column)?.codes;
    check_memory::<u8>(codes.memory_bytes())?;
    Ok(codes.clone())
}

/// The codes of columns that are masked by a rule, before they are bound: what the rule's finest unit does not tell apart
/// is one afterwards.
pub(super) struct Originals(Vec<Option<(Store, usize)>>);

impl Originals {
    /// Takes them only if unmasked columns are kept, which may give the values away.
    pub(super) fn of(request: &Request, table: &Table) -> Result<Originals> {
        let original = |masked: &Masked| {
            if request.keep.is_empty() || !masked.by.is_by_rule() {
                return Ok(None);
            }
            let column = table.column(masked.column)?;
            Ok(Some((copy(masked, table)?, column.distinct() + usize::from(column.nulls))))
        };
        request.masked.iter().map(original).collect::<Result<_>>().map(Originals)
    }

    /// Of the columns of which a rule has made one of several values.
    pub(super) fn of_truncated(self, bound: &[Bound]) -> Vec<Option<Store>> {
        let originals = self.0.into_iter().zip(bound);
        let truncated = |(codes, values): (Store, usize), bound: &Bound| {
            Some(codes).filter(|_| bound.hierarchy.codes() < values)
        };
        originals.map(|(original, bound)| original.and_then(|original| truncated(original, bound))).collect()
    }
}
