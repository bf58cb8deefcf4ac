//! The steps of a version, read back from where its release keeps them.

use super::manifest::Existing;
use crate::postgres::error::Result;
use crate::read::plan::look_at;
use crate::read::source::Source;
use crate::search::replay::TraceStep;
use crate::search::{StepRow, Trace};
use hashbrown::{HashMap, HashSet};
use topdown::progress::Reservation;

/// The trace of a version, held under `memory`.
pub fn of(existing: &Existing, version: i32, memory: &mut Reservation) -> Result<Trace> {
    let lower = lower_ends(existing, version, memory)?;
    let mut trace = Trace { steps: Vec::new(), over_null: HashSet::new() };
    for ((attribute, label), _) in &lower {
        if label.is_none() {
            trace.over_null.insert(attribute.clone());
        }
    }
    for step in steps(existing, version, memory)? {
        let key = (step.attribute, step.children.get(1).cloned().flatten());
        let split = lower.get(&key).cloned().flatten();
        let (attribute, node) = (key.0, step.node.unwrap_or_default());
        trace.steps.push(TraceStep { attribute, node, children: step.children, split });
    }
    Ok(trace)
}

/// A column and the label of one of its nodes.
type Node = (String, Option<String>);

/// The lower ends of all nodes of a version.
fn lower_ends(
    existing: &Existing,
    version: i32,
    memory: &mut Reservation,
) -> Result<HashMap<Node, Option<String>>> {
    let taxonomy = Source::in_schema(existing.schema, "taxonomy")?;
    let query = format!("SELECT attribute, node, lower FROM {} WHERE version = $1", taxonomy.qualified());
    let rows = look_at(&taxonomy, &query, &[version.into()], |row| {
        let node: (Node, Option<String>) =
            ((row.get(1)?.unwrap_or_default(), row.get(2)?), row.get::<String>(3)?);
        memory.grow_by::<(Node, Option<String>)>(1)?;
        memory.grow(
            node.0 .0.len() + [&node.0 .1, &node.1].into_iter().flatten().map(String::len).sum::<usize>(),
        )?;
        Ok(node)
    })?;
    Ok(rows.into_iter().collect())
}

/// The steps of a version, in their order.
pub fn steps(existing: &Existing, version: i32, memory: &mut Reservation) -> Result<Vec<StepRow>> {
    let steps = Source::in_schema(existing.schema, "steps")?;
    let query = format!(
        "SELECT step, attribute, node, children, records, info_gain, privacy_loss, score, achieved
         FROM {} WHERE version = $1 ORDER BY step",
        steps.qualified()
    );
    look_at(&steps, &query, &[version.into()], |row| {
        let step = StepRow {
            number: row.get(1)?.unwrap_or_default(),
            attribute: row.get(2)?.unwrap_or_default(),
            node: row.get(3)?,
            children: row.get(4)?.unwrap_or_default(),
            records: row.get(5)?.unwrap_or_default(),
            info_gain: row.get(6)?.unwrap_or_default(),
            privacy_loss: row.get(7)?.unwrap_or_default(),
            score: row.get(8)?.unwrap_or_default(),
            achieved: row.get(9)?.unwrap_or_default(),
        };
        let labels = step.children.iter().chain([&step.node]).flatten().map(String::len).sum::<usize>();
        memory.grow_by::<StepRow>(1)?;
        memory.grow(step.attribute.len() + labels + 8 * step.achieved.len())?;
        Ok(step)
    })
}
