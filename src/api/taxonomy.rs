//! Making and checking taxonomies.

use crate::postgres::arguments::needed;
use crate::postgres::error::{or_raise, some_of, Result, SqlError};
use crate::postgres::json::JsonText;
use crate::postgres::names::{text, Regclass, Text};
use crate::postgres::operation::Operation;
use crate::postgres::progress::polled;
use crate::postgres::sql::{self, Values};
use crate::read::plan::look_at;
use crate::read::scan;
use crate::read::source::Source;
use crate::search::numeric::{self, Method};
use crate::terms::labels::Labels;
use crate::terms::masking::taxonomy::{edges, place_values, tree};
use crate::terms::masking::{masking, Binding};
use crate::terms::words::Endpoints;
use hashbrown::HashSet;
use pgrx::prelude::*;
use pgrx::spi::quote_literal;
use std::rc::Rc;
use topdown::taxonomy::{edges_from_levels, Defect, Edge, Edges, Taxonomy, WideHierarchy};

/// The rows of a taxonomy from a wide table: leaf, level 1, level 2, ..., root.
#[pg_extern(stable, parallel_unsafe)]
fn taxonomy_from_levels(
    levels: Option<Regclass>,
) -> TableIterator<'static, (name!(child, String), name!(parent, Option<String>))> {
    let edges = or_raise((|| {
        let _operation = Operation::begin()?;
        let levels = Source::open(needed("levels", levels)?)?;
        let columns: Vec<String> = (levels.columns.iter().enumerate())
            .map(|(place, column)| levels.type_of(place).sql_text(&sql::quote(&column.name)))
            .collect();
        if columns.is_empty() {
            return Err(SqlError::taxonomy(format!("\"{}\" has no columns", levels.name)));
        }
        let query = format!("SELECT {} FROM {}", columns.join(", "), levels.qualified());
        let _snapshot = sql::Snapshot::fresh();
        let rows = look_at(&levels, &query, &[], |row| {
            let labels = (1..=columns.len())
                .map(|i| -> Result<_> { row.nullable::<String>(i) })
                .collect::<Result<Vec<_>>>()?;
            Ok(labels)
        })?;
        let edges = edges_from_levels(&rows)?;
        tree(&levels.qualified(), &edges)?;
        Ok(edges)
    })());
    rows_of(edges, |Edge { child, parent, .. }| Some((child?.to_string(), parent.map(String::from))))
}

/// A taxonomy as a wide table, a row a leaf: leaf, level 1, level 2, ..., root.
#[pg_extern(stable, parallel_unsafe)]
fn taxonomy_to_levels(taxonomy: Option<Regclass>) -> TableIterator<'static, (name!(levels, Vec<String>),)> {
    let (levels, leaves) = or_raise((|| {
        let _operation = Operation::begin()?;
        let taxonomy = Source::open(needed("taxonomy", taxonomy)?)?;
        let edges = edges(&taxonomy)?;
        let tree = tree(&taxonomy.qualified(), &edges)?;
        let levels = WideHierarchy::new(Rc::new(tree))?;
        let leaves = levels.leaves()?;
        Ok((levels, leaves))
    })());
    TableIterator::new(leaves.into_iter().map(move |leaf| (levels.row(leaf).map(String::from).collect(),)))
}

/// The tree that a masking has over the values of a source.
#[pg_extern(volatile, parallel_unsafe)]
fn taxonomy_of(
    masking: Option<masking>,
    source: Option<Regclass>,
) -> TableIterator<'static, (name!(child, String), name!(parent, Option<String>))> {
    let tree = or_raise((|| {
        let _operation = Operation::begin()?;
        let (by, source) = (needed("masking", masking)?.checked()?, needed("source", source)?);
        let source = Source::open(source)?;
        let column = source.column(by.column_name())?;
        if !by.has_tree() {
            let name = by.column_name();
            let message = format!("column \"{name}\" has no tree before a search");
            return Err(SqlError::parameter(message).hint(
                "by_taxonomy, by_taxonomy_tree, by_prefix, by_calendar and by_network have one; taxonomy_build() makes one over numbers.",
            ));
        }
        tree_of(&by, &source, column)
    })());
    let nodes = tree.nodes().len();
    let edge = move |node: usize| {
        let label = |node: usize| tree.label(node).to_string();
        (label(node), tree.nodes()[node].parent.map(label))
    };
    TableIterator::new((0..nodes).map(edge))
}

/// The nodes of a masking's tree over a column, each with the one above. By their labels alone: each has to be
/// called differently.
fn tree_of(by: &masking, source: &Source, column: usize) -> Result<Taxonomy> {
    let mut table = scan::read(source, &[column])?;
    let (endpoints, leave_out) = (Endpoints::default(), false);
    let how = Binding { suppressed: None, is_local: false, endpoints, ends: false, leave_out };
    let bound = by.bind(table.column_mut(column)?, &how)?;
    let Labels::Taxonomy(tree, _) = bound.labels else {
        return Err(SqlError::internal("a tree of no labels"));
    };
    let mut seen = HashSet::new();
    let twice: Vec<&str> = polled(tree.labels()).filter(|label| !seen.insert(*label)).collect();
    if !twice.is_empty() {
        let name = by.column_name();
        return Err(SqlError::data(format!("nodes of the tree of column \"{name}\" are called alike"))
            .detail(format!("These are {}.", some_of(&twice)))
            .hint("A value reads like what is left of others: read the column through a view that writes it differently."));
    }
    drop((twice, seen));
    Ok(tree)
}

/// A taxonomy over the distinct values of a numerical column (Campan, Cooper, Truta 2011).
#[pg_extern(volatile, parallel_unsafe)]
#[allow(clippy::type_complexity)]
fn taxonomy_build(
    source: Option<Regclass>,
    column_name: Option<Text>,
    method: Option<Text>,
    options: default!(Option<JsonText>, "'{}'"),
) -> TableIterator<
    'static,
    (
        name!(child, String),
        name!(parent, Option<String>),
        name!(lower, Option<String>),
        name!(upper, Option<String>),
    ),
> {
    let edges = or_raise((|| {
        let _operation = Operation::begin()?;
        let source = Source::open(needed("source", source)?)?;
        let column = source.column(&needed("column_name", text(column_name))?)?;
        let method = Method::new(&needed("method", text(method))?, needed("options", options)?)?;
        numeric::build(&source, column, &method)
    })());
    let owned = |text: Option<&str>| text.map(String::from);
    rows_of(edges, move |Edge { child, parent, lower, upper }| {
        Some((child?.to_string(), owned(parent), owned(lower), owned(upper)))
    })
}

/// A row of each edge, made when it is asked for: as rows they would be as many texts.
fn rows_of<T: 'static>(edges: Edges, row: impl Fn(Edge) -> Option<T> + 'static) -> TableIterator<'static, T> {
    TableIterator::new((0..edges.len()).filter_map(move |at| row(edges.get(at))))
}

/// What keeps a relation from being a taxonomy for a column of a source; no rows if nothing does.
#[pg_extern(volatile, parallel_unsafe)]
fn taxonomy_check(
    taxonomy: Option<Regclass>,
    source: Option<Regclass>,
    column_name: Option<Text>,
) -> TableIterator<'static, (name!(problem, String), name!(value, Option<String>))> {
    let problems = or_raise((|| {
        let _operation = Operation::begin()?;
        let (taxonomy, source) = (needed("taxonomy", taxonomy)?, needed("source", source)?);
        check(taxonomy, source, &needed("column_name", text(column_name))?)
    })());
    TableIterator::new(problems)
}

fn check(taxonomy: Regclass, source: Regclass, column: &str) -> Result<Vec<(String, Option<String>)>> {
    let (source, taxonomy) = (Source::open(source)?, Source::open(taxonomy)?);
    let is_taxonomy = |relation: &Source| relation.column("child").and(relation.column("parent")).is_ok();
    if is_taxonomy(&source) && !is_taxonomy(&taxonomy) {
        let (first, second) = (quote_literal(source.qualified()), quote_literal(taxonomy.qualified()));
        return Err(SqlError::parameter(format!(
            "\"{}\" is no taxonomy, but \"{}\" is",
            taxonomy.name, source.name
        ))
        .hint(format!(
            "The other way round: taxonomy_check({first}, {second}, {}).",
            quote_literal(column)
        )));
    }
    let column = source.column(column)?;
    let edges = edges(&taxonomy)?;
    let tree = match Taxonomy::from_edges(&edges)? {
        Ok(tree) => tree,
        Err(problems) => {
            let row = |p: Defect| (p.describe().to_string(), p.label().map(String::from));
            return Ok(problems.into_iter().map(row).collect());
        }
    };
    let table = scan::read(&source, &[column])?;
    let placed = place_values(&tree, table.column(column)?);
    let missing = placed.missing.into_iter().map(|v| ("value is not in the taxonomy".to_string(), Some(v)));
    let inner = placed.inner.into_iter().map(|v| ("value is an inner node".to_string(), Some(v)));
    Ok(missing.chain(inner).collect())
}
