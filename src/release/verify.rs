//! Verifying a release: every model is recounted with plain SQL on what was written.

use super::columns::sensitive_copy;
use super::manifest::{must_exist, Existing};
use super::tables::version_table;
use crate::postgres::error::{number, Result, SqlError};
use crate::postgres::locks::Mode;
use crate::postgres::operation::Operation;
use crate::postgres::sql::Snapshot;
use crate::read::source::Source;
use crate::recount;
use crate::terms::privacy_model::privacy_model;
use hashbrown::HashSet;
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
/// table, which keeps its original values beside the released ones.
pub fn recount(view: &Source, table: &Source, models: &[privacy_model]) -> Result<Vec<Verdict>> {
    let _snapshot = Snapshot::fresh();
    let masked: HashSet<&str> = models.iter().flat_map(|m| m.attributes()).map(String::as_str).collect();
    models
        .iter()
        .map(|model| {
            let copy = model.sensitive().filter(|s| masked.contains(s)).map(sensitive_copy);
            let relation = if copy.is_some() { table } else { view };
            let count = recount::count(relation, model, copy.as_deref())?;
            Ok(Verdict {
                model: model.clone(),
                required: model.required(),
                achieved: count.achieved,
                holds: count.holds,
            })
        })
        .collect()
}

/// The models that a release was made for, as its manifest says.
pub fn models_of(existing: &Existing) -> Result<Vec<privacy_model>> {
    let unreadable =
        |fault: String| SqlError::state("the models in a release's manifest cannot be read").detail(fault);
    let models: Vec<privacy_model> = serde_json::from_value(existing.parameters["privacy"].clone())
        .map_err(|fault| unreadable(fault.to_string()))?;
    let checked = models.into_iter().map(privacy_model::checked).collect::<Result<_>>();
    checked.map_err(|fault| unreadable(fault.message().to_string()))
}

/// Recounts every model of a release on what is published.
pub fn verify_published(release: &str) -> Result<Vec<Verdict>> {
    let _operation = Operation::begin()?;
    let (existing, _owner) = must_exist(release, Mode::Read)?;
    let view = Source::in_schema(existing.schema, &existing.view)?;
    let table = Source::in_schema(existing.schema, &version_table(&existing.view, existing.version))?;
    recount(&view, &table, &models_of(&existing)?)
}
