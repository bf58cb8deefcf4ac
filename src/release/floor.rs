//! The floor under every release: `pg_topdown.min_k`, which a superuser sets, for a database or for all.
//!
//! It is looked at whenever a version is about to be made, by whatever verb, and before anything is read: so a
//! release that was made before the floor was raised stays as it is, and has no further version until its models
//! are changed. Nobody else can set it, by SET, for a role, a database or a function, or as they connect: PostgreSQL
//! sees to that once the library is loaded, and where somebody tried before and may have hidden it, no version is made.

use crate::postgres::error::{Result, SqlError};
use crate::postgres::{settings, sql};
use crate::terms::privacy_model::privacy_model;

/// The models of a release must not ask for less; of one that there is, they can be changed.
pub fn keep(release: &str, models: &[privacy_model], exists: bool) -> Result<()> {
    must_be_known()?;
    let floor = settings::min_k();
    if floor <= 1 {
        return Ok(());
    }
    let all = models.iter().filter(|model| matches!(model, privacy_model::KAnonymity(_)));
    let below: Vec<String> = (all.clone())
        .filter(|model| model.required() < f64::from(floor))
        .map(|model| format!("{} asks for less than {floor}", model.shown()))
        .collect();
    let fault = if all.count() == 0 {
        format!("None of its models is a k_anonymity, of {floor} or more")
    } else if below.is_empty() {
        return Ok(());
    } else {
        below.join("; ")
    };
    let way_out = if exists {
        "release_alter(..., privacy => ...) gives the release other models"
    } else {
        "Ask for a greater k"
    };
    Err(SqlError::parameter(format!(
        "release \"{release}\" would protect less than pg_topdown.min_k asks for"
    ))
    .detail(format!("{fault}."))
    .hint(format!("{way_out}. Only a superuser may lower pg_topdown.min_k.")))
}

/// A floor that a session has hidden from itself is not taken for none.
fn must_be_known() -> Result<()> {
    let is_default =
        "SELECT s.source = 'default' FROM pg_catalog.pg_settings s WHERE s.name = 'pg_topdown.min_k'";
    if !settings::floor_is_lost() || sql::value(is_default, &[])? == Some(false) {
        return Ok(());
    }
    Err(SqlError::parameter("pg_topdown.min_k is not known in this session")
        .detail("It was set before the library was loaded, to what it cannot be or by somebody who may not set it, and that hides what a superuser has set.")
        .hint("Connect without setting it, or have a superuser set it to what it can be."))
}
