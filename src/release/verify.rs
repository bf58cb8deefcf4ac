//! Verifying a release: every model is recounted with plain SQL on what was written.

use super::columns::sensitive_copy;
use super::manifest::must_be_readable;
use super::tables::version_table;
use crate::postgres::error::{number, Result, SqlError};
use crate::postgres::operation::Operation;
use crate::read::source::Source;
use crate::recount;
use crate::terms::privacy_model::privacy_model;
use hashbrown::HashSet;
use pgrx::notice;
use serde_json::json;

/// What a recount found.
#[derive(Debug)]
pub struct Verdict {
    /// The model.
    pub model: privacy_model,
    /// What it asks for.
    pub required: f64,
    /// What was found; none in a relation without rows.
    pub achieved: Option<f64>,
    /// Whether that is good enough.
    pub holds: bool,
}

impl Verdict {
    /// As the returned object shows it; JSON has no infinity.
    pub fn to_json(&self) -> serde_json::Value {
        let achieved = match self.achieved {
            Some(achieved) if achieved.is_infinite() => json!("Infinity"),
            achieved => json!(achieved),
        };
        json!({
            "model": self.model.to_json(),
            "required": self.required,
            "achieved": achieved,
            "holds": self.holds,
        })
    }

    /// What was found, in words.
    pub fn shown(&self) -> String {
        self.achieved.map_or("no rows".into(), number)
    }
}

/// Recounts models: on the view, or, where a sensitive column is also masked, on the version
/// table, which keeps its original values beside the released ones. Both under the snapshot in force.
pub fn recount(view: &Source, table: Option<&Source>, models: &[privacy_model]) -> Result<Vec<Verdict>> {
    let masked: HashSet<&str> = models.iter().flat_map(|m| m.attributes()).map(String::as_str).collect();
    let mut verdicts = Vec::new();
    for model in models {
        let copy = model.sensitive().filter(|s| masked.contains(s)).map(sensitive_copy);
        let relation = match (&copy, table) {
            (None, _) => view,
            (Some(_), Some(table)) => table,
            (Some(_), None) => {
                notice!("{} needs what only the owner may read, and is not recounted", model.shown());
                continue;
            }
        };
        let count = recount::count(relation, model, copy.as_deref())?;
        verdicts.push(Verdict {
            model: model.clone(),
            required: model.required(),
            achieved: count.achieved,
            holds: count.holds,
        });
    }
    Ok(verdicts)
}

/// Recounts every model of a release on what is published.
pub fn verify_published(release: &str) -> Result<Vec<Verdict>> {
    let _operation = Operation::begin()?;
    let (existing, _rights) = must_be_readable(release)?;
    let view = Source::in_schema(existing.schema, existing.view.as_str())?;
    let table = || Source::in_schema(existing.schema, &version_table(&existing.view, existing.version));
    let table = if existing.mine { Some(table()?) } else { None };
    recount(&view, table.as_ref(), &existing.parameters()?.arguments.privacy)
}

/// The same for a scheduler: an error if a model does not hold.
pub fn assert(release: &str) -> Result<()> {
    let verdicts = verify_published(release)?;
    let broken: Vec<String> = (verdicts.iter().filter(|verdict| !verdict.holds))
        .map(|v| format!("{} asks for {}, recounted are {}.", v.model.shown(), number(v.required), v.shown()))
        .collect();
    if broken.is_empty() {
        return Ok(());
    }
    Err(SqlError::state(format!("release \"{release}\" does not keep its privacy models"))
        .detail(broken.join("\n"))
        .hint("Somebody has changed what was written; make a new version with release_refresh()."))
}
