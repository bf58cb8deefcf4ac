//! Making and checking taxonomies.

use crate::postgres::arguments::needed;
use crate::postgres::error::{or_raise, Result, SqlError};
use crate::postgres::names::{JsonText, Regclass};
use crate::postgres::operation::Operation;
use crate::postgres::progress::Watch;
use crate::postgres::sql;
use crate::read::plan::look_at;
use crate::read::scan;
use crate::read::source::Source;
use crate::search::numeric::{self, Method};
use crate::terms::masking::taxonomy::{edges, place_values, tree};
use pgrx::prelude::*;
use topdown::progress::Reservation;
use topdown::taxonomy::{edges_from_levels, Defect, Edge, Taxonomy};

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
        let watch = Watch::new();
        let (mut memory, mut held) = (Reservation::empty(&watch), Reservation::empty(&watch));
        let _snapshot = sql::Snapshot::fresh();
        let rows = look_at(&levels, &query, &[], |row| {
            let labels =
                (1..=columns.len()).map(|i| Ok(row.get::<String>(i)?)).collect::<Result<Vec<_>>>()?;
            held.grow_by::<Option<String>>(labels.len() + 1)?;
            held.grow(labels.iter().flatten().map(String::capacity).sum())?;
            Ok(labels)
        })?;
        let edges = edges_from_levels(&rows, &mut memory)?;
        tree(&levels.qualified(), &edges, &mut memory)?;
        Ok(edges)
    })());
    TableIterator::new(edges.into_iter().filter_map(|edge| Some((edge.child?, edge.parent))))
}

/// A taxonomy over the distinct values of a numerical column (Campan, Cooper, Truta 2011).
#[pg_extern(volatile, parallel_unsafe)]
#[allow(clippy::type_complexity)]
fn taxonomy_build(
    source: Option<Regclass>,
    column_name: Option<String>,
    method: Option<String>,
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
        let column = source.column(&needed("column_name", column_name)?)?;
        let method = Method::new(&needed("method", method)?, needed("options", options)?)?;
        numeric::build(&source, column, &method)
    })());
    TableIterator::new(
        edges
            .into_iter()
            .filter_map(|Edge { child, parent, lower, upper }| Some((child?, parent, lower, upper))),
    )
}

/// What keeps a relation from being a taxonomy for a column of a source; no rows if nothing does.
#[pg_extern(volatile, parallel_unsafe)]
fn taxonomy_check(
    taxonomy: Option<Regclass>,
    source: Option<Regclass>,
    column_name: Option<String>,
) -> TableIterator<'static, (name!(problem, String), name!(value, Option<String>))> {
    let problems = or_raise((|| {
        let _operation = Operation::begin()?;
        let (taxonomy, source) = (needed("taxonomy", taxonomy)?, needed("source", source)?);
        check(taxonomy, source, &needed("column_name", column_name)?)
    })());
    TableIterator::new(problems)
}

fn check(taxonomy: Regclass, source: Regclass, column: &str) -> Result<Vec<(String, Option<String>)>> {
    let source = Source::open(source)?;
    let column = source.column(column)?;
    let watch = Watch::new();
    let mut memory = Reservation::empty(&watch);
    let edges = edges(&Source::open(taxonomy)?, &watch)?;
    let tree = match Taxonomy::from_edges(&edges.rows, &mut memory)? {
        Ok(tree) => tree,
        Err(problems) => {
            let row = |p: Defect| (p.describe().to_string(), p.label().map(String::from));
            return Ok(problems.into_iter().map(row).collect());
        }
    };
    let table = scan::read(&source, &[column], &watch)?;
    let placed = place_values(&tree, table.column(column)?);
    let missing = placed.missing.into_iter().map(|v| ("value is not in the taxonomy".to_string(), Some(v)));
    let inner = placed.inner.into_iter().map(|v| ("value is an inner node".to_string(), Some(v)));
    Ok(missing.chain(inner).collect())
}
