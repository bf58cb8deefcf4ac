//! What a version is made of, whichever algorithm made it: how its rows are filled, the nodes of
//! its masked columns, its steps, and what the manifest says.

use crate::postgres::error::Result;
use crate::read::excluded::Combination;
use crate::release::store::columns::{fills, row_column, Fill, Output};
use crate::release::store::counting::counts_of;
use crate::release::store::counts::Counts;
use crate::release::store::destination::Destination;
use crate::release::store::kept::KeptColumns;
use crate::release::store::means::Means;
use crate::release::store::nodes::Nodes;
use crate::release::store::parameters::{HiddenColumn, Parameters};
use crate::search::{Held, SearchResult, StepRow};
use crate::terms::request::Request;
use crate::terms::words::Changes;
use pgrx::pg_sys::Datum;
use std::borrow::Cow;
use topdown::cluster::Extent;
use topdown::progress::check_memory;
use topdown::table::Codes;

/// A version that is ready to be written.
pub struct Content<'a> {
    /// How many rows.
    pub rows: usize,
    /// For how many rows each record of the fills stands; none: one each.
    pub weights: Option<&'a Codes>,
    /// How each column is filled.
    pub fills: Vec<Fill<'a>>,
    /// The nodes of each masked column.
    pub nodes: Vec<Nodes>,
    /// The counts of single columns, where they are shown.
    pub counts: Vec<Counts>,
    /// The steps that it tells of.
    pub steps: Steps<'a>,
    /// The combinations of source values that it is the first version to withhold.
    pub withheld: Vec<Combination>,
    /// What it holds back, where changes are batched.
    pub held: Option<&'a Held>,
    /// How it was made: the models it has to keep among them.
    pub parameters: Parameters,
    /// Seconds for reading the source.
    pub scan: f64,
    /// Seconds for the search.
    pub search: f64,
}

impl<'a> Content<'a> {
    /// What was found for a request.
    pub fn new(
        request: &'a Request,
        found: &'a SearchResult,
        (nodes, means, kept): (Vec<Nodes>, &'a Means, &'a KeptColumns),
        destination: &Destination,
        columns: &[Output],
    ) -> Result<Content<'a>> {
        for (_, persons) in &found.persons {
            check_memory::<(Option<Datum>, u32)>(*persons)?;
        }
        let mut parameters = Parameters::new(request, found, &destination.view, destination.version)?;
        parameters.hidden = (columns.iter())
            .filter_map(|output| {
                let column = request.source.columns[output.column].name.clone();
                Some(HiddenColumn { name: output.name.clone(), holds: output.holds()?, column })
            })
            .collect();
        if let Some(identities) = &found.table.identities {
            parameters.row = row_column(columns).map(String::from);
            parameters.fingerprint = Some(identities.of_source);
        }
        Ok(Content {
            rows: found.table.rows,
            weights: found.table.weights(),
            fills: fills(columns, request, found, (&nodes, means, kept), destination.version)?,
            counts: counts_of(request, found, &nodes, kept, destination.existing.as_ref())?,
            nodes,
            steps: Steps::Searched(request, found),
            withheld: found.withheld.combinations.clone(),
            held: (request.arguments.changes == Changes::Batched).then_some(&found.withheld.held),
            parameters,
            scan: found.scan,
            search: found.search,
        })
    }
}

/// The nodes of each masked column of what was found for a request.
pub fn nodes(request: &Request, found: &SearchResult) -> Result<Vec<Nodes>> {
    for column in &found.columns {
        // A value a key, and of each node some numbers and four texts, the label twice.
        check_memory::<Option<Datum>>(column.released.len())?;
        let nodes = column.cut.len().max(column.bound.hierarchy.nodes().len());
        check_memory::<(Extent, [Option<String>; 4], [u64; 4])>(nodes)?;
    }
    (0..request.masked.len()).map(|a| Nodes::new(request, found, a)).collect()
}

/// Steps, before they are written.
pub enum Steps<'a> {
    /// Those of a search. They are made rows where they are written, when the rows' order is gone.
    Searched(&'a Request, &'a SearchResult),
    /// Those of an earlier version.
    OfVersion(Vec<StepRow>),
}

impl Steps<'_> {
    /// How many.
    pub fn count(&self) -> usize {
        match self {
            Steps::Searched(_, found) => found.steps.len(),
            Steps::OfVersion(steps) => steps.len(),
        }
    }

    /// As rows.
    pub fn rows(&self) -> Cow<'_, [StepRow]> {
        match self {
            Steps::Searched(request, found) => found.step_rows(request).into(),
            Steps::OfVersion(steps) => steps.into(),
        }
    }
}
