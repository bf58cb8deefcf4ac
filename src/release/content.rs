//! What a version is made of, whichever algorithm made it: how its rows are filled, the nodes of
//! its masked columns, its steps, and what the manifest says.

use super::columns::{fills, Fill, Output};
use super::home::Home;
use super::parameters::Parameters;
use crate::postgres::error::Result;
use crate::postgres::progress::polled;
use crate::search::found::Generalized;
use crate::search::withheld::Combination;
use crate::search::{Found, StepRow};
use crate::terms::labels::Bound;
use crate::terms::request::Request;
use hashbrown::HashSet;
use pgrx::pg_sys::Datum;
use topdown::cluster::Extent;
use topdown::progress::Reservation;
use topdown::refine::TOP;

/// A version that is ready to be written.
pub struct Content<'a> {
    /// How many rows.
    pub rows: usize,
    /// How each column is filled.
    pub fills: Vec<Fill<'a>>,
    /// The nodes of each masked column.
    pub nodes: Vec<Nodes>,
    /// The steps of the search.
    pub steps: Vec<StepRow>,
    /// The combinations of source values that it is the first version to withhold.
    pub withheld: Vec<Combination>,
    /// How it was made: the models it has to keep among them.
    pub parameters: Parameters,
    /// Seconds for reading the source.
    pub scan: f64,
    /// Seconds for the search.
    pub search: f64,
    /// The memory of fills and nodes.
    pub _held: Reservation<'a>,
}

impl<'a> Content<'a> {
    /// What was found for a request.
    pub fn new(request: &Request, found: &'a Found, home: &Home, columns: &[Output]) -> Result<Content<'a>> {
        let masked = 0..request.masked.len();
        let mut held = Reservation::empty(found.watch());
        for column in &found.columns {
            // A value a key, and of each node some numbers and four texts, the label twice.
            held.grow_by::<Option<Datum>>(column.released.len())?;
            let nodes = column.cut.len().max(column.bound.hierarchy.nodes().len());
            held.grow_by::<(Extent, [Option<String>; 4], [u64; 4])>(nodes)?;
        }
        Ok(Content {
            rows: found.table.rows,
            fills: fills(columns, request, found, home.version)?,
            nodes: masked.map(|a| Nodes::new(request, found, a)).collect::<Result<_>>()?,
            steps: found.step_rows(request),
            withheld: found.withheld.combinations.clone(),
            parameters: Parameters::new(request, found, &home.view, home.version)?,
            scan: found.scan,
            search: found.search,
            _held: held,
        })
    }
}

/// The nodes of a masked column, as the tables show them.
#[derive(Debug)]
pub struct Nodes {
    /// The column.
    pub attribute: String,
    /// Labels; none for NULL.
    pub labels: Vec<Option<String>>,
    /// The labels above.
    pub parents: Vec<Option<String>>,
    /// The lower ends of intervals.
    pub lower: Vec<Option<String>>,
    /// The upper ends of intervals.
    pub upper: Vec<Option<String>>,
    /// How far below the top.
    pub depths: Vec<i32>,
    /// Which are released.
    pub in_cut: Vec<bool>,
    /// Where each stands among the others, from the left.
    pub order: Vec<usize>,
    /// Rows released as the node.
    pub records: Vec<i64>,
}

impl Nodes {
    /// How many of those released hold rows.
    pub fn populated(&self) -> usize {
        self.in_cut.iter().zip(&self.records).filter(|(in_cut, records)| **in_cut && **records > 0).count()
    }

    /// The nodes of a column: its whole hierarchy, if values are released as nodes of one; else what
    /// they are released as.
    fn new(request: &Request, found: &Found, attribute: usize) -> Result<Nodes> {
        let any = request.any();
        let Generalized { bound, cut, .. } = &found.columns[attribute];
        let records = found.records(attribute)?;
        let listed = listed(&found.columns[attribute], any);
        let label = |extent: &Extent| bound.label(extent, any);
        let labels: Vec<Option<String>> = polled(&listed).map(|(extent, ..)| label(extent)).collect();
        let (lower, upper) = polled(&listed).map(|(extent, ..)| bound.ends(extent)).unzip();
        let in_cut: HashSet<&Extent> = cut.iter().collect();
        let rows = |extent| records.get(extent).map_or(0, |&rows| rows as i64);
        Ok(Nodes {
            attribute: request.name(attribute).to_string(),
            parents: listed.iter().map(|(_, above, _)| above.and_then(|node| labels[node].clone())).collect(),
            depths: listed.iter().map(|(.., depth)| *depth).collect(),
            in_cut: listed.iter().map(|(extent, ..)| in_cut.contains(extent)).collect(),
            order: from_the_left(bound, &listed),
            records: listed.iter().map(|(extent, ..)| rows(extent)).collect(),
            labels,
            lower,
            upper,
        })
    }
}

/// Where each of what is listed stands, from the left: by its codes; what holds none, between values, before
/// what begins there; and else in the order of the tree, in which intervals are not when they are split.
fn from_the_left(bound: &Bound, listed: &[Listed]) -> Vec<usize> {
    let nodes = bound.hierarchy.nodes();
    let (mut visited, mut stack) = (vec![0; nodes.len()], vec![TOP]);
    let mut next = 0..;
    while let Some(node) = stack.pop() {
        visited[node as usize] = next.next().unwrap_or_default();
        stack.extend(nodes[node as usize].children.iter().rev());
    }
    let key = |extent: &Extent| match extent {
        Extent::Node(id) => {
            (bound.first_code(extent), !nodes[*id as usize].codes.is_empty(), visited[*id as usize])
        }
        _ => (bound.first_code(extent), true, 0),
    };
    let mut order: Vec<usize> = (0..listed.len()).collect();
    order.sort_by_cached_key(|&n| key(&listed[n].0));
    let mut place = vec![0; listed.len()];
    order.iter().enumerate().for_each(|(at, &n)| place[n] = at);
    place
}

/// An extent, which of the list is above it, and how far below the top it is.
type Listed = (Extent, Option<usize>, i32);

/// What is listed of a column: each node, which of the list is above it, and how far below the top it is.
fn listed(column: &Generalized, any: &str) -> Vec<Listed> {
    let Generalized { bound, cut, .. } = column;
    if cut.iter().all(|extent| matches!(extent, Extent::Node(_))) {
        let mut listed: Vec<Listed> = Vec::new();
        for (id, node) in polled((0..).zip(bound.hierarchy.nodes())) {
            // A node comes after the one above it.
            let above = node.parent.map(|parent| parent as usize);
            let depth = above.map_or(0, |above| listed[above].2 + 1);
            listed.push((Extent::Node(id), above, depth));
        }
        return listed;
    }
    let mut listed: Vec<_> = cut.iter().map(|extent| (extent.clone(), None, 0)).collect();
    listed.sort_by_cached_key(|(extent, ..)| (bound.first_code(extent), bound.label(extent, any)));
    listed
}
