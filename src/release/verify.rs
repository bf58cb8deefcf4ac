//! Recounting: every model's measure by plain SQL over rows that were written, so that the engine
//! and the recount do not share a fault.

use super::schema::must_exist;
use crate::api::privacy_model::privacy_model;
use crate::error::{Result, SqlError};
use crate::guc::FixedSettings;
use crate::sql::{self, qualified, quoted_list};
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
    /// As the returned object shows it.
    pub fn to_json(&self) -> serde_json::Value {
        json!({
            "model": self.model.to_json(),
            "required": self.required,
            "achieved": self.achieved,
            "holds": self.holds,
        })
    }

    /// What was found, in words.
    pub fn shown(&self) -> String {
        self.achieved.map_or("no rows".into(), |a| a.to_string())
    }
}

/// A model's measure on a relation, qualified; none if it has no rows.
pub fn measure(relation: &str, model: &privacy_model) -> Result<Option<f64>> {
    let columns = quoted_list(model.attributes().iter().map(String::as_str));
    let query = match model {
        privacy_model::KAnonymity { .. } => format!(
            "SELECT pg_catalog.min(g.n)::float8
             FROM (SELECT pg_catalog.count(*) AS n FROM {relation} GROUP BY {columns}) g"
        ),
    };
    Ok(sql::rows(&query, &[], |row| row.get::<f64>(1))?.into_iter().next().flatten())
}

/// Recounts a model on a relation.
pub fn recount(relation: &str, model: &privacy_model) -> Result<Verdict> {
    let achieved = measure(relation, model)?;
    let holds = achieved.is_none_or(|achieved| model.holds(achieved));
    Ok(Verdict { model: model.clone(), required: model.required(), achieved, holds })
}

/// Recounts every model of a release on what is published.
pub fn verify_published(release: &str) -> Result<Vec<Verdict>> {
    let _settings = FixedSettings::enter();
    let existing = must_exist(release)?;
    let models: Vec<privacy_model> = serde_json::from_value(existing.parameters["privacy"].clone())
        .map_err(|error| SqlError::internal("the manifest cannot be read").detail(error.to_string()))?;
    let view = qualified(release, &existing.view);
    models.iter().map(|model| recount(&view, model)).collect()
}
