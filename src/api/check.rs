//! Looking before releasing: privacy_check and privacy_inferences, on any table or view, in plain
//! SQL underneath.

use crate::postgres::arguments::needed;
use crate::postgres::arrays::Elements;
use crate::postgres::error::{number, or_raise, Result, SqlError};
use crate::postgres::json::JsonText;
use crate::postgres::names::Regclass;
use crate::postgres::operation::Operation;
use crate::postgres::progress::poll;
use crate::postgres::sql::Snapshot;
use crate::read::source::Source;
use crate::recount::{self, Asked, Count, Others};
use crate::terms::privacy_model::{models, privacy_model, ConfidenceBound};
use crate::terms::request::{has_order, of_same_type, population};
use pgrx::prelude::*;

/// How a relation stands to privacy models as it is.
#[pg_extern(volatile, parallel_unsafe)]
#[allow(clippy::type_complexity)]
fn privacy_check(
    source: Option<Regclass>,
    privacy: Option<Elements<privacy_model>>,
) -> TableIterator<
    'static,
    (
        name!(model, privacy_model),
        name!(required, f64),
        name!(achieved, Option<f64>),
        name!(holds, bool),
        name!(groups, i64),
        name!(violating_groups, i64),
        name!(violating_rows, i64),
    ),
> {
    let rows = or_raise((|| {
        let _operation = Operation::begin()?;
        let source = Source::open(needed("source", source)?)?;
        let asked = models("privacy", privacy)?;
        if asked.is_empty() {
            return Err(SqlError::parameter("no privacy model is given"));
        }
        for model in &asked {
            poll();
            model.is_asked_for()?;
            columns_exist(&source, model)?;
        }
        // All models on the rows of one moment.
        let _snapshot = Snapshot::fresh();
        let others = asked.iter().map(|model| others(&source, model)).collect::<Result<Vec<_>>>()?;
        let counted: Vec<Asked> = (asked.iter().zip(&others))
            .map(|(model, others)| Asked { others: others.as_ref(), ..Asked::by_own_names(model) })
            .collect();
        let counts = recount::count(&source, &counted)?;
        let row = |(model, c): (privacy_model, Count)| {
            let required = model.required();
            (model, required, c.achieved, c.holds, c.groups, c.violating_groups, c.violating_rows)
        };
        Ok(asked.into_iter().zip(counts).map(row).collect::<Vec<_>>())
    })());
    TableIterator::new(rows)
}

/// The inferences of a template that have a confidence above a bound.
#[pg_extern(volatile, parallel_unsafe)]
#[allow(clippy::type_complexity)]
fn privacy_inferences(
    source: Option<Regclass>,
    template: Option<privacy_model>,
    min_confidence: default!(Option<f64>, "0"),
) -> TableIterator<
    'static,
    (
        name!(channel, JsonText),
        name!(sensitive_value, Option<String>),
        name!(support, i64),
        name!(matches, i64),
        name!(confidence, f64),
    ),
> {
    let rows = or_raise((|| {
        let _operation = Operation::begin()?;
        let source = Source::open(needed("source", source)?)?;
        let template = needed("template", template)?;
        let above = needed("min_confidence", min_confidence)?;
        if !(0.0..=1.0).contains(&above) {
            return Err(SqlError::parameter(format!(
                "min_confidence must be between 0 and 1, not {}",
                number(above)
            )));
        }
        columns_exist(&source, &template)?;
        let bound = match &template {
            privacy_model::ConfidenceBound(ConfidenceBound { person: Some(_), .. }) => {
                return Err(SqlError::unsupported("inferences are counted in rows, and not in persons")
                    .detail(format!("The template is {}.", template.shown()))
                    .hint("Leave person out; privacy_check() counts persons."));
            }
            privacy_model::ConfidenceBound(bound @ ConfidenceBound { l: None, .. }) => bound,
            _ => {
                return Err(SqlError::parameter(format!("{} is no template", template.shown())).hint(
                    "Inferences are those of a confidence_bound(), over one set of columns: without l.",
                ));
            }
        };
        let _snapshot = Snapshot::fresh();
        let values = bound.sensitive_values.as_deref();
        recount::inferences(&source, &bound.inference_channel, &bound.sensitive, values, above)
    })());
    TableIterator::new(rows)
}

/// The rows of a model's population, as they are.
fn others(source: &Source, model: &privacy_model) -> Result<Option<Others>> {
    let Some(name) = model.population() else { return Ok(None) };
    let population = population(name)?;
    for name in model.attributes() {
        of_same_type(source, source.column(name)?, &population)?;
    }
    Others::as_they_are(population, model.attributes()).map(Some)
}

fn columns_exist(source: &Source, model: &privacy_model) -> Result<()> {
    model
        .attributes()
        .iter()
        .map(String::as_str)
        .chain(model.sensitive())
        .chain(model.person())
        .try_for_each(|name| source.column(name).map(|_| ()))?;
    model.sensitive().map_or(Ok(()), |name| has_order(source, source.column(name)?, &**model))
}
