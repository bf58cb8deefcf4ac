//! What a report tells of one masked column: what it is released as, with the rows and classes of each value, as far as the
//! audience may know the tree above it. A report stays a page that can be sent, whatever a release holds: of many values those with
//! the most rows are told, and above them where ways part.

use crate::postgres::error::{Result, SqlError};
use crate::postgres::progress::{polled, polling};
use crate::postgres::sql::{quote, Values};
use crate::postgres::subtransaction::answer;
use crate::postgres::text::{clipped, clipped_to};
use crate::read::plan::look_at;
use crate::read::source::Source;
use crate::release::measure::measures::{information, Release};
use crate::release::store::parameters::Mask;
use crate::release::store::shown::MaskedAs;
use crate::release::trace::tree::Tree;
use crate::terms::masking::masking;
use crate::terms::words::Audience;
use hashbrown::HashMap;
use serde_json::Value;
use std::ops::RangeInclusive;

/// Of a column no more of what it is released as is told one by one, nor of all columns together.
const NODES: RangeInclusive<usize> = 10..=40;
const ALL_NODES: usize = 600;

/// How much of each of some columns is told one by one.
pub fn told_of_each(columns: usize) -> usize {
    (ALL_NODES / columns.max(1)).clamp(*NODES.start(), *NODES.end())
}

/// A masked column.
pub struct Column {
    pub name: String,
    /// How it is masked, as it was asked for.
    pub masked: String,
    pub nodes: Vec<Node>,
    /// What is not told one by one: how many values, in how many rows.
    pub more: (usize, i64),
    /// How many intervals of numbers with both ends there are.
    pub intervals: usize,
    /// Their ends and rows; where they are many, of some neighbours together.
    pub axis: Vec<(f64, f64, i64)>,
    /// The bits that the column tells of the class: in the source, and here.
    pub information: Option<(Option<f64>, f64)>,
}

/// A node of a column: one that is released, or above such.
pub struct Node {
    pub label: Option<String>,
    pub depth: usize,
    pub in_cut: bool,
    pub rows: i64,
    /// Of these, how many are of each class that is told apart; what is left are the others.
    pub classes: Vec<i64>,
}

impl Column {
    pub fn new(
        mask: &Mask,
        release: &Release,
        (classes, tree): (&[Option<String>], Option<Tree>),
        (audience, source): (Audience, Option<&Source>),
        most: usize,
    ) -> Result<Column> {
        let Release { existing, parameters, view, .. } = release;
        let arguments = &parameters.arguments;
        let cut = Source::in_schema(existing.schema, "cut")?;
        let query =
            format!("SELECT node, lower, upper, records FROM {} WHERE attribute = $1", cut.qualified());
        let released = look_at(&cut, &query, &[mask.name.as_str().into()], |row| {
            let label = row.nullable::<String>(1)?;
            Ok((label, row.nullable::<String>(2)?, row.nullable::<String>(3)?, row.written::<i64>(4)?))
        })?;
        let mixed = match &arguments.class {
            Some(class) if class != &mask.name => mixture(release, mask, class, classes)?,
            _ => HashMap::new(),
        };
        // Intervals of texts that hold commas may be called alike.
        let rows: HashMap<[Option<&str>; 3], i64> = (released.iter())
            .map(|(label, lower, upper, rows)| ([label, lower, upper].map(Option::as_deref), *rows))
            .collect();
        let node = |[label, lower, upper]: [Option<&str>; 3], depth: usize, in_cut: bool| Node {
            label: label.map(|label| clipped(label).into_owned()),
            depth,
            in_cut,
            rows: rows.get(&[label, lower, upper]).copied().unwrap_or_default(),
            classes: mixed.get(&label.map(String::from)).cloned().unwrap_or_else(|| vec![0; classes.len()]),
        };
        let in_form =
            |tree: &Tree| tree.nodes(&tree.released(), &HashMap::new()).in_form(parameters.form(mask));
        let shown = tree.as_ref().map(in_form).transpose()?;
        let mut nodes: Vec<Node> = match &tree {
            Some(tree) => polled(tree.down_to_cut())
                .map(|at| {
                    let depth = usize::try_from(tree.depths[at])
                        .map_err(|_| SqlError::internal("a node of the taxonomy is above its top"))?;
                    let released = shown.as_ref().filter(|_| tree.in_cut[at]);
                    let label = released.map_or(tree.labels[at].as_deref(), |nodes| nodes.shown(at));
                    let looks = [label, tree.lower[at].as_deref(), tree.upper[at].as_deref()];
                    Ok(node(looks, depth, tree.in_cut[at]))
                })
                .collect::<Result<_>>()?,
            None => polled(&released)
                .map(|(label, lower, upper, _)| node([label, lower, upper].map(Option::as_deref), 0, true))
                .collect(),
        };
        sum_up(&mut nodes);
        let more = leave_out(&mut nodes, most);
        let number = |end: &Option<String>| end.as_deref().and_then(|end| end.parse::<f64>().ok());
        // What trees release may be scattered.
        let intervals = released.iter().filter(|_| mask.masked == MaskedAs::Intervals);
        let axis = intervals.filter_map(|(_, lower, upper, rows)| {
            let (lower, upper) = (number(lower)?, number(upper)?);
            (lower.is_finite() && upper.is_finite() && lower < upper).then_some((lower, upper, *rows))
        });
        let axis: Vec<(f64, f64, i64)> = axis.collect();
        let asked = |by: &masking| in_words(&serde_json::to_value(by).expect("a masking is JSON"));
        // What was asked for may tell where values lie.
        let tells = audience == Audience::Owner;
        let by = arguments.masking.iter().filter(|_| tells).find(|by| by.column_name() == mask.name);
        let information = match &arguments.class {
            Some(class) if class != &mask.name => {
                let before = source.and_then(|source| {
                    answer(|| information(source, std::slice::from_ref(&mask.name), class)).ok()
                });
                Some((before, information(view, std::slice::from_ref(&mask.name), class)?))
            }
            _ => None,
        };
        Ok(Column {
            name: mask.name.clone(),
            masked: by.map_or_else(|| mask.masked.shown().to_string(), asked),
            nodes,
            more,
            intervals: axis.len(),
            axis: in_bars(&axis, 3 * most),
            information,
        })
    }
}

/// What each value of a masked column is released with: the rows of each class that is told apart.
fn mixture(
    release: &Release,
    mask: &Mask,
    class: &str,
    classes: &[Option<String>],
) -> Result<HashMap<Option<String>, Vec<i64>>> {
    let view = &release.view;
    let label = format!("{}::text", quote(&mask.name));
    let class_text = view.type_of(view.column(class)?).sql_text(&quote(class));
    let query = format!(
        "SELECT {label}, pg_catalog.array_position($1::pg_catalog.text[], {class_text}), pg_catalog.count(*)
         FROM {} GROUP BY 1, 2",
        view.qualified()
    );
    let classes_wanted: Vec<Option<String>> = classes.to_vec();
    let mut mixed: HashMap<Option<String>, Vec<i64>> = HashMap::new();
    let counted = look_at(view, &query, &[classes_wanted.into()], |row| {
        let label = row.nullable::<String>(1)?;
        Ok((label, row.nullable::<i32>(2)?, row.written::<i64>(3)?))
    })?;
    for (label, class, rows) in counted {
        let of_label = mixed.entry(label).or_insert_with(|| vec![0; classes.len()]);
        let at = class.and_then(|class| usize::try_from(class - 1).ok());
        if let Some(count) = at.and_then(|at| of_label.get_mut(at)) {
            *count += rows;
        }
    }
    Ok(mixed)
}

/// Gives each node above the cut the sum of the rows of the cut below it. A node of the cut keeps the rows that are released
/// as it is. `nodes` are in depth-first order, so one pass from the last to the first adds each node to the one above it.
fn sum_up(nodes: &mut [Node]) {
    // Sums below nodes whose parents are still to come, the leftmost node last.
    let mut open: Vec<(usize, i64, Vec<i64>)> = Vec::new();
    for node in polled(nodes.iter_mut().rev()) {
        let (mut rows, mut classes) = match node.in_cut {
            true => (node.rows, node.classes.clone()),
            false => (0, vec![0; node.classes.len()]),
        };
        while let Some((_, of_child, classes_of_child)) = open.pop_if(|(depth, ..)| *depth > node.depth) {
            rows += of_child;
            classes.iter_mut().zip(&classes_of_child).for_each(|(sum, n)| *sum += n);
        }
        if !node.in_cut {
            (node.rows, node.classes) = (rows, classes.clone());
        }
        open.push((node.depth, rows, classes));
    }
}

/// Neighbours together, so that there are at most so many.
fn in_bars(axis: &[(f64, f64, i64)], most: usize) -> Vec<(f64, f64, i64)> {
    let together = |some: &[(f64, f64, i64)]| {
        let all = some.iter().copied();
        all.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1), a.2 + b.2))
    };
    axis.chunks(axis.len().div_ceil(most).max(1)).filter_map(together).collect()
}

/// Leaves those with the fewest rows out where they are too many.
fn leave_out(nodes: &mut Vec<Node>, most: usize) -> (usize, i64) {
    let mut rows: Vec<i64> = nodes.iter().filter(|node| node.in_cut).map(|node| node.rows).collect();
    let (mut left, mut left_rows) = (0, 0);
    if rows.len() > most {
        rows.sort_unstable_by(polling(|a: &i64, b: &i64| b.cmp(a)));
        let least = rows[most - 1];
        let mut equal = rows[..most].iter().filter(|&&n| n == least).count();
        nodes.retain(|node| {
            let keeps = !node.in_cut || node.rows > least || {
                let is_one = node.rows == least && equal > 0;
                equal -= usize::from(is_one);
                is_one
            };
            if !keeps {
                left += 1;
                left_rows += node.rows;
            }
            keeps
        });
    }
    where_ways_part(nodes);
    (left, left_rows)
}

/// Leaves out what is above nothing any more, or below the top above a single one: so there are fewer above the cut than in it.
fn where_ways_part(nodes: &mut Vec<Node>) {
    let mut kept: Vec<Node> = Vec::new();
    // How deep what is to the right and has nothing above it yet begins, whether that is kept or not; the leftmost last.
    let mut right: Vec<usize> = Vec::new();
    for node in polled(std::mem::take(nodes).into_iter().rev()) {
        let others = right.iter().rposition(|&depth| depth <= node.depth).map_or(0, |at| at + 1);
        let below = right.len() - others;
        if node.in_cut || below > 0 {
            right.truncate(others);
            right.push(node.depth);
            if node.in_cut || below > 1 || node.depth == 0 {
                kept.push(node);
            }
        }
    }
    kept.reverse();
    *nodes = kept;
}

/// A model or a masking as people read it: its name, and what it asks for.
pub fn in_words(asked: &Value) -> String {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => {
            let texts =
                values.iter().map(|value| value.as_str().map_or_else(|| value.to_string(), String::from));
            texts.collect::<Vec<String>>().join(", ")
        }
        other => other.to_string(),
    };
    let named = |(name, given): (&String, &Value)| {
        let given = given.as_object().into_iter().flatten();
        let given = given.filter(|(what, value)| !value.is_null() && *what != "column_name");
        let given: Vec<String> = given.map(|(what, value)| format!("{what}: {}", text(value))).collect();
        format!("{name}({})", given.join("; "))
    };
    let words = asked.as_object().map_or_else(|| text(asked), |all| all.iter().map(named).collect());
    clipped_to(&words, 400).into_owned()
}
