//! A release is a schema: a view with a stable name, the version table behind it, and the tables
//! cut, taxonomy, steps and manifest (API section 4). Nothing outside the schema remembers it.
//!
//! [`anonymize`] makes the next version in one transaction: whatever fails, the previous version
//! stays in place and nothing else is left behind. The view is swapped last.

mod columns;
mod content;
mod grants;
mod manifest;
mod publish;
mod schema;
mod verify;
mod write;

pub use content::{Mask, MaskedAs};
pub use grants::{drop_release, grant, revoke};
pub use manifest::{all, must_exist, Existing, Row, Use};
pub use verify::{models_of, verify_published, Verdict};

use columns::Output;
use content::Content;
use schema::Home;

use crate::bind::Labels;
use crate::cluster;
use crate::endpoint::Endpoints;
use crate::error::{warn, Result, SqlError};
use crate::operation::Operation;
use crate::progress::Watch;
use crate::request::{Arguments, Request};
use crate::scan::Table;
use crate::search::{self, Found};
use crate::source::Source;
use crate::sql;
use pgrx::{notice, pg_sys};
use serde_json::json;
use std::time::Instant;

/// Makes the next version of a release, and says what it is.
pub fn anonymize(release: &str, arguments: Arguments) -> Result<serde_json::Value> {
    let _operation = Operation::begin()?;
    let watch = Watch::new();
    let Prepared { request, home, columns, .. } = &prepare(release, arguments)?;
    let found = search::run(request, home.existing.is_none(), &watch)?;
    warn_of_kept(request, &found.table)?;
    warn_of_ends(request, &found.labels.iter().collect::<Vec<_>>());
    warn_of_redundant(request, &found);
    publish_version(home, columns, Content::of_search(request, &found, columns)?, &watch)
}

/// Makes the next version of a release by greedy k-member clustering.
pub fn cluster(release: &str, arguments: Arguments, k: u32) -> Result<serde_json::Value> {
    let _operation = Operation::begin()?;
    let watch = Watch::new();
    let Prepared { request, home, columns, .. } = &prepare(release, arguments)?;
    let clustered = cluster::run(request, k, &watch)?;
    warn_of_kept(request, &clustered.table)?;
    warn_of_ends(request, &clustered.bound.iter().map(|bound| &bound.labels).collect::<Vec<_>>());
    publish_version(home, columns, Content::of_clusters(request, &clustered, columns)?, &watch)
}

/// A call that may go on: its request is in order, its release is locked or its own.
struct Prepared {
    request: Request,
    home: Home,
    columns: Vec<Output>,
    /// Everything on an existing release, reading the source included, is done with its owner's
    /// rights: it may hold nothing that its owner could not have put there.
    _owner: Option<Operation>,
}

/// What comes before anything is read: names, lock, arguments, and whether the columns may be.
fn prepare(release: &str, arguments: Arguments) -> Result<Prepared> {
    schema::check_name(release)?;
    // SAFETY: returns an Oid.
    let caller = unsafe { pg_sys::GetUserId() };
    let mut quicker: Option<SqlError> = None;
    loop {
        let existing = manifest::existing(release, Use::Change)?;
        let _owner = existing.as_ref().map(|existing| Operation::as_role(existing.owner_oid));
        let request = Request::new(arguments.clone()).map_err(|fault| match &existing {
            Some(existing) if existing.owner_oid != caller => {
                schema::as_owner_hears(release, existing, fault)
            }
            _ => fault,
        })?;
        let home = schema::home(release, &request, existing)?;
        let columns = columns::plan(&request)?;
        if let Some(existing) = &home.existing {
            columns::compare(existing, &columns, release)?;
            if existing.owner_oid != caller {
                warn(
                    format!("release \"{release}\" belongs to \"{}\"", existing.owner),
                    "Its next version is made with that role's rights, and is that role's to read in full.",
                );
            }
            warn_of_unmasked(&request, existing);
        } else if let Some(error) = quicker {
            // It is there, and not for this transaction to see.
            return Err(SqlError::serialization(format!("schema \"{release}\" was made by somebody else"))
                .detail(error.message())
                .hint("Call again in a new transaction."));
        } else if let Err(error) = schema::create_schema(release)? {
            // Somebody has just made it: it is an existing release, or something else.
            quicker = Some(error);
            continue;
        }
        return Ok(Prepared { request, home, columns, _owner });
    }
}

/// Writes a version, recounts its models, and only then shows it.
fn publish_version(
    home: &Home,
    columns: &[Output],
    content: Content,
    watch: &Watch,
) -> Result<serde_json::Value> {
    let start = Instant::now();
    schema::create(home, columns)?;
    write::rows(home, columns, &content, watch)?;
    let materialize = start.elapsed().as_secs_f64();

    let start = Instant::now();
    let table = Source::named(&home.version_table())?;
    let verdicts = verify::recount(&table, &table, &content.models)?;
    if let Some(broken) = verdicts.iter().find(|v| !v.holds) {
        let (model, required) = (broken.model.shown(), broken.required);
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
                "No privacy model groups by it any more.",
            );
        }
    }
}

/// A kept column that is nearly unique is a direct identifier, perhaps kept by mistake.
fn warn_of_kept(request: &Request, table: &Table) -> Result<()> {
    for &column in &request.keep {
        let distinct = table.column(column)?.distinct();
        if table.rows > 1 && distinct * 10 > table.rows * 9 {
            let name = &request.source.columns[column].name;
            warn(
                format!("column \"{name}\" is kept, but nearly unique: it identifies rows"),
                format!("{distinct} distinct values in {} rows are released as they are.", table.rows),
            );
        }
    }
    Ok(())
}

/// Ends of intervals that are values of the data, perhaps of one row alone: asked for, or of types
/// between whose values nothing is known to lie.
fn warn_of_ends(request: &Request, labels: &[&Labels]) {
    for (attribute, labels) in labels.iter().enumerate() {
        let Labels::Intervals { kind, endpoints, .. } = labels else { continue };
        if *endpoints == Endpoints::Values || !kind.is_continuous() {
            warn(
                format!("the intervals of column \"{}\" end at values of the data", request.name(attribute)),
                "An end may be the value of a single row; endpoints => 'rounded' shows rounded ends of numbers, dates and times.",
            );
        }
    }
}

/// A model that another implies is recounted, but never decides.
fn warn_of_redundant(request: &Request, found: &Found) {
    for (model, redundant) in request.models.iter().zip(&found.outcome.redundant) {
        if let Some(by) = redundant {
            notice!("{} is implied by {}", model.shown(), request.models[*by].shown());
        }
    }
}
