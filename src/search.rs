//! From a checked request to an outcome: scan, bind, search.

mod models;

use crate::api::privacy_model::privacy_model;
use crate::bind::{self, Bound, Counted, Labels};
use crate::error::{number, Result, SqlError};
use crate::progress::Watch;
use crate::request::Request;
use crate::scan::{self, Table};
use std::time::Instant;
use topdown::refine::{Hierarchy, NodeId};
use topdown::{Attribute, Class, Code, Outcome, Problem, Progress, Sensitive, Step};

/// What was read and what the search made of it.
#[derive(Debug)]
pub struct Found {
    /// The rows that were read; masked columns and the class with their codes in order.
    pub table: Table,
    /// The masked columns, by their place in the source.
    pub attributes: Vec<usize>,
    /// The sensitive columns' original values, as in the request.
    pub sensitive: Vec<Counted>,
    /// What the nodes of each masked column are called.
    pub labels: Vec<Labels>,
    /// Steps and cuts.
    pub outcome: Outcome,
    /// Seconds for reading the source.
    pub scan: f64,
    /// Seconds for the search.
    pub search: f64,
}

/// Reads the source and searches. In a release's first call a sensitive value that the source
/// does not hold is an error; later it may have become rare.
pub fn run(request: &Request, first: bool, watch: &Watch) -> Result<Found> {
    let start = Instant::now();
    let mut table = scan::read(&request.source, &request.columns(), watch)?;
    // The class and sensitive columns are counted in copies of their codes.
    let copies = request.sensitive.len() + usize::from(request.class.is_some());
    watch.allocate(copies * table.rows * size_of::<Code>())?;
    let count = |column: usize| table.column(column).map(bind::count);
    let class = request.class.map(count).transpose()?;
    let sensitive = request.sensitive.iter().map(|&c| count(c)).collect::<Result<Vec<Counted>>>()?;
    let models = models::engine_models(request, &sensitive, first)?;
    let bound = bind::bind(request, &mut table, watch)?;
    let scan = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let (hierarchies, labels): (Vec<Hierarchy>, Vec<Labels>) =
        bound.into_iter().map(|Bound { hierarchy, labels }| (hierarchy, labels)).unzip();
    let attributes = request
        .masked
        .iter()
        .zip(hierarchies)
        .map(|(masked, hierarchy)| Ok(Attribute { codes: &table.column(masked.column)?.codes, hierarchy }))
        .collect::<Result<_>>()?;
    let problem = Problem {
        rows: table.rows,
        attributes,
        sensitive: sensitive
            .iter()
            .map(|s| Sensitive { codes: &s.codes, cardinality: s.cardinality })
            .collect(),
        class: class.as_ref().map(|c| Class { codes: &c.codes, cardinality: c.cardinality }),
        models,
        score: request.score,
        max_steps: request.max_steps,
    };
    let outcome =
        topdown::search(problem, watch).map_err(|error| explain(request, table.rows, &sensitive, error))?;
    let search = start.elapsed().as_secs_f64();
    let attributes = request.masked.iter().map(|m| m.column).collect();
    Ok(Found { table, attributes, sensitive, labels, outcome, scan, search })
}

/// An engine's error in the terms of the request.
fn explain(request: &Request, rows: usize, sensitive: &[Counted], error: topdown::Error) -> SqlError {
    let topdown::Error::Unsatisfiable { model, requirement, achieved } = error else { return error.into() };
    let model = &request.models[model];
    let (source, asked) = (&request.source.name, number(model.required()));
    let achieved = number(achieved);
    let whole = format!("with every masked column at its most general value \"{source}\" ({rows} rows)");
    let (detail, hint) = match models::sensitive_value(request, model, requirement, sensitive) {
        Some(value) => (
            format!(
                "{} bounds the confidence of {value} by {asked}, but {whole} it is {achieved}.",
                model.shown()
            ),
            "Raise max_confidence, or leave the value out: it is that frequent in the whole table.",
        ),
        None => (
            format!("{} asks for {asked}, but {whole} achieves {achieved}.", model.shown()),
            match model {
                privacy_model::KAnonymity { .. } => "Ask for a smaller k, or release a table with more rows.",
                _ => {
                    "Ask for less: no table is closer to the whole or more diverse than the most general one."
                }
            },
        ),
    };
    SqlError::state("a privacy model does not hold even for the most general table").detail(detail).hint(hint)
}

impl Found {
    /// The codes of a masked column.
    pub fn codes(&self, attribute: usize) -> Result<&[Code]> {
        Ok(&self.table.column(self.attributes[attribute])?.codes)
    }

    /// A node's label, `any` for anything; none for NULL.
    pub fn label(&self, attribute: usize, node: NodeId, any: &str) -> Option<String> {
        self.labels[attribute].label(&self.outcome.hierarchies[attribute], node, any)
    }

    /// The steps as they are shown: nodes by their labels, `*` for anything.
    pub fn step_rows(&self, request: &Request) -> Vec<StepRow> {
        let row = |(number, step): (i32, &Step)| {
            let label = |&node: &NodeId| self.label(step.attribute, node, "*");
            StepRow {
                number,
                attribute: request.name(step.attribute).to_string(),
                node: label(&step.node),
                children: step.children.iter().map(label).collect(),
                records: step.records as i64,
                info_gain: step.info_gain,
                privacy_loss: step.privacy_loss,
                score: step.score,
                achieved: step.achieved.clone(),
            }
        };
        (1..).zip(&self.outcome.steps).map(row).collect()
    }
}

/// A row of a release's steps.
#[derive(Debug)]
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
}
