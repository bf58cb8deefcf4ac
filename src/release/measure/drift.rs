//! How a release has changed from version to version: what its manifest, its steps and its cuts tell.

use crate::postgres::error::Result;
use crate::postgres::json::JsonText;
use crate::postgres::locks::Mode;
use crate::postgres::operation::Operation;
use crate::postgres::sql::{self, Values};
use crate::postgres::subtransaction::attempt;
use crate::read::plan::look_at;
use crate::read::source::Source;
use crate::release::store::manifest::{must_exist, parsed, unreadable, ExistingRelease};
use crate::release::store::parameters::{HeldSummary, Parameters};
use crate::release::store::tables::{MANIFEST, TRACES};
use crate::release::trace::Version;
use pgrx::datum::TimestampWithTimeZone;
use pgrx::spi::SpiHeapTupleData;

/// A version, as the drift shows it.
#[derive(Debug)]
pub struct Drift {
    pub version: i32,
    pub created_at: TimestampWithTimeZone,
    pub rows: i64,
    /// Rows of the source that were left out.
    pub withheld: i64,
    /// The steps that led to it.
    pub steps_kept: i32,
    /// The steps of the last search or rewind that a replay left out.
    pub steps_dropped: i32,
    /// The recounted models.
    pub achieved: JsonText,
    pub certainty_loss: f64,
    /// The share of the class's entropy that the masked columns tell.
    pub class_information: Option<f64>,
    /// What is held back, where changes are batched, and since when the oldest of it is.
    pub held: Option<HeldSummary>,
    pub oldest_waiting: Option<TimestampWithTimeZone>,
    pub oldest_lingering: Option<TimestampWithTimeZone>,
}

/// The versions of a release, the oldest first.
pub fn drift(release: &str) -> Result<Vec<Drift>> {
    let _operation = Operation::begin()?;
    let (existing, _rights) = must_exist(release, Mode::Read)?;
    of(&existing)
}

/// Those of a release that is open, each read by itself: together their trees would be large.
pub fn of(existing: &ExistingRelease) -> Result<Vec<Drift>> {
    let manifest = Source::in_schema(existing.private, MANIFEST.name)?;
    let traces = Source::in_schema(existing.private, TRACES.name)?;
    let versions = format!("SELECT version FROM ONLY {} ORDER BY version", manifest.qualified());
    let versions: Vec<i32> = look_at(&manifest, &versions, &[], |row| row.written(1))?;
    let query = format!(
        "SELECT m.created_at, m.rows, m.achieved, m.parameters,
                (SELECT COALESCE(pg_catalog.sum(pg_catalog.cardinality(t.steps)), 0)::int4 FROM ONLY {} t WHERE t.version = m.version)
         FROM ONLY {} m WHERE m.version = $1",
        traces.qualified(),
        manifest.qualified()
    );
    let mut drifts = Vec::new();
    for version in versions {
        let rows = look_at(&manifest, &query, &[version.into()], |row| from_row(version, row))?;
        for (drift, parameters) in rows {
            let version = Version { private: existing.private, number: version, parameters: &parameters };
            drifts.push(Drift { certainty_loss: version.certainty_loss()?, ..drift });
        }
    }
    Ok(drifts)
}

/// Reads the manifest's row of a version. The loss is not computed yet.
fn from_row(version: i32, row: &SpiHeapTupleData) -> Result<(Drift, Parameters)> {
    let parameters: JsonText = row.nullable(4)?.ok_or_else(|| unreadable("A version has no parameters."))?;
    let parameters = parsed(&parameters.parse().map_err(unreadable)?)?;
    let created_at = row.nullable(1)?.ok_or_else(|| unreadable("A version has no date."))?;
    let drift = Drift {
        version,
        created_at,
        rows: row.written(2)?,
        withheld: parameters.withheld,
        steps_kept: row.written(5)?,
        steps_dropped: parameters.steps_dropped,
        achieved: row.nullable(3)?.ok_or_else(|| unreadable("A version has no measures."))?,
        certainty_loss: 0.0,
        class_information: parameters.class_information,
        oldest_waiting: since(parameters.held.as_ref().and_then(|held| held.oldest_waiting.as_ref()))?,
        oldest_lingering: since(parameters.held.as_ref().and_then(|held| held.oldest_lingering.as_ref()))?,
        held: parameters.held.clone(),
    };
    Ok((drift, parameters))
}

/// A time that a manifest tells of.
fn since(text: Option<&String>) -> Result<Option<TimestampWithTimeZone>> {
    let Some(text) = text else { return Ok(None) };
    let time = attempt(|| sql::value("SELECT $1::pg_catalog.timestamptz", &[text.as_str().into()]));
    time.map_err(|fault| unreadable(fault.message()))
}
