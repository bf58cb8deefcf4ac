//! The steps of a version, read back from where its release keeps them.

use crate::postgres::error::{Result, SqlError};
use crate::postgres::names::Regclass;
use crate::postgres::sql::NotNull;
use crate::read::plan::look_at;
use crate::read::source::Source;
use crate::release::store::manifest::Existing;
use crate::release::store::parameters::Parameters;
use crate::release::store::tables::TRACES;
use crate::release::trace::tree;
use crate::search::found::Called;
use crate::search::trace::TraceStep;
use crate::search::{regrouped, Previous, StepRow, Trace};
use crate::terms::request::{Call, Request};
use crate::terms::words::{Recoding, Verb};
use hashbrown::HashMap;

/// The trace of a version.
pub fn of(existing: &Existing, version: i32) -> Result<Trace> {
    let trees = tree::of(existing, version)?;
    let parameters = existing.parameters()?;
    let mut steps = steps(existing, version)?;
    let is_local = parameters.arguments.recoding == Recoding::Local;
    if is_local {
        groups(existing, version, &mut steps)?;
    }
    // Where each step split an interval: two intervals of texts may be called alike, if these hold commas.
    let mut splits: HashMap<i32, &str> = HashMap::new();
    for mask in parameters.columns.iter().filter(|_| !is_local) {
        let Some(tree) = trees.get(&mask.name) else { continue };
        let of_column = steps.iter().filter(|step| step.attribute == mask.name);
        tree.follow(mask.masked, of_column, |step, made| {
            let split = made.get(1).and_then(|&second| tree.lower[second].as_deref());
            splits.extend(split.map(|split| (step.number, split)));
        })?;
    }
    let over_null = trees.values().filter(|tree| tree.labels.iter().any(Option::is_none));
    let over_null = over_null.map(|tree| tree.attribute.clone()).collect();
    let steps = steps.iter().map(|step| {
        Ok(TraceStep {
            attribute: step.attribute.clone(),
            node: step.node.clone().unwrap_or_default(),
            children: step.children.clone(),
            split: splits.get(&step.number).map(|split| split.to_string()).or_else(|| step.split.clone()),
            group: called(parameters, step)?.unwrap_or_default(),
        })
    });
    Ok(Trace { steps: steps.collect::<Result<_>>()?, over_null })
}

/// The steps of a version, in their order.
pub fn steps(existing: &Existing, version: i32) -> Result<Vec<StepRow>> {
    let steps = Source::in_schema(existing.schema, "steps")?;
    let query = format!(
        "SELECT step, attribute, node, children, records, info_gain, privacy_loss, score, achieved
         FROM {} WHERE version = $1 ORDER BY step",
        steps.qualified()
    );
    look_at(&steps, &query, &[version.into()], |row| {
        let step = StepRow {
            number: row.not_null(1)?,
            attribute: row.not_null(2)?,
            node: row.get(3)?,
            children: row.not_null(4)?,
            records: row.not_null(5)?,
            info_gain: row.not_null(6)?,
            privacy_loss: row.not_null(7)?,
            score: row.not_null(8)?,
            achieved: row.not_null(9)?,
            group: None,
            split: None,
        };
        Ok(step)
    })
}

/// What the group of a step is called, in the order of the masked columns; none, where the step is of no group.
pub fn called(parameters: &Parameters, step: &StepRow) -> Result<Option<Vec<Option<String>>>> {
    let Some(group) = &step.group else { return Ok(None) };
    let group: Called = serde_json::from_str(group).map_err(|_| unknown(step))?;
    Ok(Some(parameters.columns.iter().map(|mask| group.get(&mask.name).cloned().flatten()).collect()))
}

/// The error of a step that says too little, or what cannot be.
pub fn unknown(step: &StepRow) -> SqlError {
    SqlError::state(format!("step {} of the release cannot be followed", step.number))
}

/// Fills in of which group each step is, by local recoding, and where it split an interval.
pub fn groups(existing: &Existing, version: i32, steps: &mut [StepRow]) -> Result<()> {
    let traces = Source::in_schema(existing.schema, TRACES.name)?;
    let query = format!(
        "SELECT s.step, s.grp, s.split FROM ONLY {} t, ROWS FROM (pg_catalog.unnest(t.steps), pg_catalog.unnest(t.groups),
             pg_catalog.unnest(t.splits)) AS s (step, grp, split) WHERE t.version = $1 ORDER BY s.step",
        traces.qualified()
    );
    let mut rows = look_at(&traces, &query, &[version.into()], |row| {
        let (number, group, split) = (row.get::<i32>(1)?, row.get::<String>(2)?, row.get::<String>(3)?);
        Ok((number, group, split))
    })?
    .into_iter();
    for step in steps {
        let found = rows.find(|(number, ..)| *number == Some(step.number));
        let (_, group, split) = found.filter(|(_, group, _)| group.is_some()).ok_or_else(|| unknown(step))?;
        (step.group, step.split) = (group, split);
    }
    Ok(())
}

/// The current version, if it was searched for and the same can be asked for again, of a source.
pub fn previous(existing: &Existing, source: &Source) -> Option<Previous> {
    let made = existing.parameters().ok().filter(|made| made.arguments.verb != Verb::KMember)?;
    let call = Call {
        source: Regclass(source.oid),
        arguments: made.arguments.clone(),
        again: true,
        ..Call::default()
    };
    let trace = regrouped::known(of(existing, existing.version))?;
    Some(Previous { request: Request::new(call).ok()?, trace })
}
