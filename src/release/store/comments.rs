//! What the objects of a release say of themselves where tools show it, as COMMENTs: which relation it is a
//! release of, by which kinds of models, and how each column is masked. Everybody may read comments: there is
//! no cut point in them, no count and no threshold.

use crate::postgres::error::Result;
use crate::postgres::sql::{self, quote};
use crate::release::store::destination::Destination;
use crate::release::store::means::mean_column;
use crate::release::store::parameters::Parameters;
use crate::release::store::shown::MaskedAs;
use crate::release::store::tables::{version_table, Table, SHOWN, TABLES, UNFOLDED};
use crate::terms::masking::masking;
use pgrx::spi::quote_literal;

/// Comments on the release, its view and the view's columns, in the first version and where it changes; and on the
/// views that were `made` for a version.
pub fn write(destination: &Destination, parameters: &Parameters, made: &[&str]) -> Result<()> {
    let before = destination.existing.as_ref();
    let same = match before {
        Some(before) => before.source == destination.source && says(before.parameters()?) == says(parameters),
        None => false,
    };
    if !same || made.contains(&destination.view.as_str()) {
        of_view(destination, parameters)?;
    }
    for (name, _, text) in SHOWN.iter().filter(|(name, ..)| made.contains(name)) {
        comment(&format!("VIEW {}", destination.object(name)), text)?;
    }
    if before.is_some() {
        return Ok(());
    }
    for (name, _, _, text) in UNFOLDED {
        comment(&format!("VIEW {}", destination.object(name)), text)?;
    }
    TABLES.iter().try_for_each(|table| of_table(destination, table))?;
    let versions = destination.object(&version_table(&destination.view, 0));
    comment(&format!("TABLE {versions}"), "the rows of all versions, which are its partitions; the owner's")
}

/// On a table that all versions share.
pub fn of_table(destination: &Destination, table: &Table) -> Result<()> {
    comment(
        &format!("TABLE {}", destination.object(table.name)),
        "what the release knows of its versions; the owner's",
    )
}

/// On the release, its view and the view's columns.
fn of_view(destination: &Destination, parameters: &Parameters) -> Result<()> {
    let (view, models) = (destination.object(&destination.view), models(parameters));
    comment(
        &format!("SCHEMA {}", quote(&destination.release)),
        &format!("release of {}: {models}", destination.source),
    )?;
    comment(&format!("VIEW {view}"), &format!("{}, released by pg_topdown: {models}", destination.source))?;
    for (name, masked) in says(parameters).1 {
        comment(&format!("COLUMN {view}.{}", quote(&name)), masked)?;
    }
    Ok(())
}

fn comment(object: &str, text: &str) -> Result<()> {
    sql::run(&statement(object, text), &[]).map(|_| ())
}

/// The statement that comments on an object.
pub fn statement(object: &str, text: &str) -> String {
    format!("COMMENT ON {object} IS {}", quote_literal(text))
}

/// What the comments of a version depend on: the models' kinds, and each column of the view that something
/// is said of.
fn says(parameters: &Parameters) -> (String, Vec<(String, &'static str)>) {
    let arguments = &parameters.arguments;
    let masked = parameters.columns.iter().map(|mask| {
        let how = match mask.masked {
            MaskedAs::Taxonomy => "generalized along a taxonomy",
            MaskedAs::Intervals => "generalized to intervals",
            MaskedAs::Suppression => "suppressed, or disclosed",
        };
        (mask.name.clone(), how)
    });
    let means = arguments.means.iter().map(|name| (mean_column(name), MEAN));
    let is_masked = |name: &str| parameters.mask(name).is_some();
    let open = |name: &String| !is_masked(name);
    let mut columns: Vec<(String, &'static str)> = masked.chain(means).collect();
    let sensitive = arguments.privacy.iter().filter_map(|model| model.sensitive().map(String::from));
    for name in sensitive.filter(open) {
        if !columns.iter().any(|(column, _)| *column == name) {
            columns.push((name, "sensitive, as it is in the source"));
        }
    }
    for name in arguments.class.iter().chain(&arguments.keep).filter(|name| open(name)) {
        if !columns.iter().any(|(column, _)| column == name) {
            columns.push((name.clone(), kept_as(parameters, name).unwrap_or("as it is in the source")));
        }
    }
    (models(parameters), columns)
}

/// What is said of a kept column that has a masking; none of others.
pub fn kept_as(parameters: &Parameters, name: &str) -> Option<&'static str> {
    let by = parameters.arguments.masking.iter().find(|by| by.column_name() == name)?;
    match by {
        masking::Rounded(_) => Some("rounded: each value is a multiple of a step, or the begin of a stretch of time"),
        masking::TopCoded(_) => Some("as it is in the source up to a bound; all greater values are shown as their mean"),
        masking::Microaggregated(_) => Some("means: each value is the mean of several rows that are alike on all masked columns and lie near each other; sums over rows that are alike are the source's, but for rounding"),
        _ => None,
    }
}

/// What is said of a column of means.
const MEAN: &str = "the mean of the source's values in the rows that are alike on all masked columns, the same in each of them: its average over rows is these rows' mean; NULL where a value is missing";

/// The kinds of models, each once.
fn models(parameters: &Parameters) -> String {
    let mut kinds: Vec<&'static str> = Vec::new();
    for kind in parameters.arguments.privacy.iter().map(|model| model.name()) {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    kinds.join(", ")
}
