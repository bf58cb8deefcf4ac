//! The floor under every release: `pg_topdown.min_k`, which a superuser sets, for a database or for all.
//!
//! Above 1 every version keeps a k-anonymity of that k over all masked columns together. Where no model asked for implies
//! it, it is added to them and is from then on a model like any other: a bound over a column that does not matter, or over
//! each of several sets of columns, says nothing of what all of them tell together.
//!
//! It is looked at whenever a version is about to be made, by whatever verb, and before anything is read: so a
//! release that was made before the floor was raised stays as it is, and has no further version while a model of its own
//! asks for less. Nobody else can set it, by SET, for a role, a database or a function, or as they connect: PostgreSQL
//! sees to that once the library is loaded, and where somebody tried before and may have hidden it, no version is made.

use crate::postgres::error::{tell, Result, SqlError};
use crate::postgres::{settings, sql};
use crate::release::store::parameters::Parameters;
use crate::terms::privacy_model::{privacy_model, KAnonymity};
use crate::terms::request::Request;
use std::collections::BTreeSet;

/// Has a request keep it; the models asked for must not ask for less.
pub fn keep(release: &str, request: &mut Request, exists: bool) -> Result<()> {
    let columns = (0..request.masked.len()).map(|attribute| request.name(attribute).to_string()).collect();
    let models = &mut request.arguments.privacy;
    let Some(model) = missing(release, models, columns, exists)? else { return Ok(()) };
    tell(
        format!("release \"{release}\" keeps {}, too", model.shown()),
        "pg_topdown.min_k asks for it: none of the models bounds groups by all masked columns together.",
    );
    models.push(model);
    Ok(())
}

/// A release that is rewound has to keep it already: which steps keep it is known of searches only.
pub fn must_be_kept(release: &str, parameters: &Parameters) -> Result<()> {
    let columns = parameters.names();
    match missing(release, &parameters.arguments.privacy, columns, true)? {
        None => Ok(()),
        Some(model) => Err(SqlError::state(format!(
            "release \"{release}\" would protect less than pg_topdown.min_k asks for"
        ))
        .detail(format!("None of its models is {}, or implies it.", model.shown()))
        .hint("release_refresh() adds it; rewind what that makes.")),
    }
}

/// The model that has to be added; none where another implies it, or nothing is asked for.
fn missing(
    release: &str,
    models: &[privacy_model],
    columns: Vec<String>,
    exists: bool,
) -> Result<Option<privacy_model>> {
    must_be_known()?;
    let floor = settings::min_k();
    if floor <= 1 {
        return Ok(None);
    }
    let below: Vec<String> = (models.iter())
        .filter(|model| model.k_anonymity().is_some_and(|bound| bound.k < floor))
        .map(|model| format!("{} asks for less than {floor}", model.shown()))
        .collect();
    if !below.is_empty() {
        let way_out = if exists {
            "release_alter(..., privacy => ...) gives the release other models; where changes are batched with changes => 'any', allow_weaker => true"
        } else {
            "Ask for a greater k"
        };
        return Err(SqlError::parameter(format!(
            "release \"{release}\" would protect less than pg_topdown.min_k asks for"
        ))
        .detail(format!("{}.", below.join("; ")))
        .hint(format!("{way_out}. Only a superuser may lower pg_topdown.min_k.")));
    }
    // Of persons where models tell these apart by one column.
    let persons: BTreeSet<&str> = models.iter().filter_map(|model| model.person()).collect();
    let person = persons.first().filter(|_| persons.len() == 1).map(|person| person.to_string());
    let model = privacy_model::from(KAnonymity { quasi_identifier: columns, k: floor, person });
    Ok(Some(model.clone()).filter(|_| !models.iter().any(|other| other.protects_as(&model))))
}

/// Refuses to make a version if this session has hidden the value of a setting.
fn must_be_known() -> Result<()> {
    for name in settings::lost() {
        let is_default = "SELECT s.source = 'default' FROM pg_catalog.pg_settings s WHERE s.name = $1";
        if sql::value(is_default, &[name.into()])? == Some(false) {
            continue;
        }
        return Err(SqlError::parameter(format!("{name} is not known in this session"))
            .detail("It was set before the library was loaded, to what it cannot be or by somebody who may not set it, and that hides what a superuser has set.")
            .hint("Connect without setting it, or have a superuser set it to what it can be."));
    }
    Ok(())
}
