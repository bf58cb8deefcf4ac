//! A release is a schema: a view with a stable name, the version table behind it, and the tables
//! cut, taxonomy, steps and manifest (API section 4). Nothing outside the schema remembers it.
//!
//! [`anonymize`] makes the next version in one transaction: whatever fails, the previous version
//! stays in place and nothing else is left behind. The view is swapped last.

mod columns;
mod content;
mod grants;
mod publish;
mod schema;
mod verify;
mod write;

pub use content::{Mask, MaskedAs};
pub use grants::{drop_release, grant, revoke};
pub use schema::{is_release_sql, must_exist, Existing};
pub use verify::{verify_published, Verdict};

use columns::Output;
use content::Content;
use schema::Home;

use crate::api::masking::masking;
use crate::cluster;
use crate::error::{warn, Result, SqlError};
use crate::guc::FixedSettings;
use crate::owner::AsOwner;
use crate::progress::Watch;
use crate::request::{Arguments, Request};
use crate::scan::Table;
use crate::search::{self, Found};
use crate::sql;
use pgrx::notice;
use serde_json::json;
use std::time::Instant;

/// Makes the next version of a release, and says what it is.
pub fn anonymize(release: &str, arguments: Arguments) -> Result<serde_json::Value> {
    let _settings = FixedSettings::enter()?;
    let watch = Watch::new();
    let (request, home, columns) = prepare(release, arguments)?;
    let found = search::run(&request, home.existing.is_none(), &watch)?;
    warn_of_kept(&request, &found.table, &found.columns);
    warn_of_redundant(&request, &found);
    publish_version(&home, &columns, Content::of_search(&request, &found, &columns)?, &watch)
}

/// Makes the next version of a release by greedy k-member clustering.
pub fn cluster(release: &str, arguments: Arguments, k: u32) -> Result<serde_json::Value> {
    let _settings = FixedSettings::enter()?;
    let watch = Watch::new();
    let (request, home, columns) = prepare(release, arguments)?;
    let clustered = cluster::run(&request, k, &watch)?;
    warn_of_kept(&request, &clustered.table, &clustered.columns);
    let ends = |m: &&crate::request::Masked| matches!(m.by, masking::ByIntervals { .. });
    if let Some(masked) = request.masked.iter().find(ends) {
        let name = &request.source.columns[masked.column].name;
        warn(
            format!("the intervals of column \"{name}\" end at values of the data"),
            "A cluster is released from its least to its greatest value; tds_anonymize() has no such ends.",
        );
    }
    publish_version(&home, &columns, Content::of_clusters(&request, &clustered, &columns)?, &watch)
}

/// What comes before anything is read: names, lock, arguments, and whether the columns may be.
fn prepare(release: &str, arguments: Arguments) -> Result<(Request, Home, Vec<Output>)> {
    schema::check_name(release)?;
    schema::lock(release)?;
    let request = Request::new(arguments)?;
    let home = schema::prepare(release, &request.source)?;
    let columns = columns::plan(&request)?;
    if let Some(existing) = &home.existing {
        columns::compare(existing, &columns, release)?;
        warn_of_unmasked(&request, existing);
    }
    Ok((request, home, columns))
}

/// Writes a version, recounts its models, and only then shows it.
fn publish_version(
    home: &Home,
    columns: &[Output],
    content: Content,
    watch: &Watch,
) -> Result<serde_json::Value> {
    let _owner = home.existing.as_ref().map(|existing| AsOwner::enter(existing.owner_oid));
    let start = Instant::now();
    schema::create(home, columns)?;
    write::rows(home, &content, watch)?;
    let materialize = start.elapsed().as_secs_f64();

    let start = Instant::now();
    let table = home.version_table();
    let verdicts = verify::recount(&table, &table, &content.models)?;
    if let Some(broken) = verdicts.iter().find(|v| !v.holds) {
        let (model, required) = (broken.model.to_json(), broken.required);
        return Err(SqlError::internal("the release does not keep its models and is not published")
            .detail(format!("{model} asks for {required}, recounted are {}.", broken.shown())));
    }
    let verify = start.elapsed().as_secs_f64();

    let privacy: Vec<serde_json::Value> = verdicts.iter().map(Verdict::to_json).collect();
    publish::tables(home, &content, &privacy)?;
    publish::view(home, columns)?;
    Ok(json!({
        "release": home.release,
        "relation": sql::qualified(&home.release, &home.view),
        "version": home.version,
        "rows": content.rows,
        "withheld": 0,
        "steps": content.steps.len(),
        "privacy": privacy,
        "seconds": {
            "scan": content.scan,
            "search": content.search,
            "materialize": materialize,
            "verify": verify,
        },
    }))
}

/// A column that the newest version shows masked, and the next one as it is, perhaps by mistake.
fn warn_of_unmasked(request: &Request, existing: &Existing) {
    let masks = existing.parameters["columns"].as_array().into_iter().flatten();
    for name in masks.filter_map(|mask| mask["name"].as_str()) {
        if request.attribute(name).is_none() {
            warn(
                format!("column \"{name}\" was masked so far and is now released as it is"),
                "No privacy model names it any more.",
            );
        }
    }
}

/// A kept column that is nearly unique is a direct identifier, perhaps kept by mistake.
fn warn_of_kept(request: &Request, table: &Table, columns: &[usize]) {
    for (&column, read) in columns.iter().zip(&table.columns) {
        let distinct = read.distinct();
        if request.keep.contains(&column) && table.rows > 1 && distinct * 10 > table.rows * 9 {
            let name = &request.source.columns[column].name;
            warn(
                format!("column \"{name}\" is kept, but nearly unique: it identifies rows"),
                format!("{distinct} distinct values in {} rows are released as they are.", table.rows),
            );
        }
    }
}

/// A model that another implies is recounted, but never decides.
fn warn_of_redundant(request: &Request, found: &Found) {
    for (model, redundant) in request.models.iter().zip(&found.outcome.redundant) {
        if let Some(by) = redundant {
            notice!("{} is implied by {}", model.to_json(), request.models[*by].to_json());
        }
    }
}
