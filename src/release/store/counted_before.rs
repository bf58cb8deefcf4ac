//! How the version before counted the values of a column: by its counts, where it had any, else as its view showed them.

use crate::postgres::datum::Type;
use crate::postgres::error::Result;
use crate::postgres::progress::{polled, polled_by_length, polling};
use crate::postgres::sql::Values;
use crate::read::plan::look_at;
use crate::read::source::Source;
use crate::release::store::manifest::ExistingRelease;
use crate::release::store::shown::MaskedAs;
use crate::release::store::tables::TREES;
use crate::search::result::GeneralizedColumn;
use crate::terms::labels::{is_closed, IntervalLabels, LabelAndEnds, Labels, TextEnds, NULL, OR};
use crate::terms::masking::{masking, BySuppression};
use hashbrown::HashMap;
use pgrx::pg_sys::Datum;
use std::cmp::Ordering;
use topdown::progress::check_memory;
use topdown::Code;

/// How the version before counted the values of a column.
pub enum CountedBefore {
    /// It showed nothing of it by which rows can be counted one column at a time.
    Not,
    /// In these parts, by the codes of now.
    Parts(Vec<Code>),
    /// Otherwise than can be told of the codes of now.
    Otherwise,
}

/// A node of a column's tree, as the version before wrote it.
struct NodeBefore {
    label: Option<String>,
    above: Option<String>,
    ends: TextEnds,
    depth: i32,
    in_cut: bool,
}

impl CountedBefore {
    /// The part of each code.
    pub fn parts(&self) -> Option<&[Code]> {
        match self {
            CountedBefore::Parts(parts) => Some(parts),
            _ => None,
        }
    }

    /// Of a column of a release that has these counts.
    pub fn of(
        existing: &ExistingRelease,
        by: &masking,
        counts: Vec<LabelAndEnds>,
        column: &GeneralizedColumn,
    ) -> Result<CountedBefore> {
        let (parameters, name) = (existing.parameters()?, by.column_name());
        let Some(mask) = parameters.columns.iter().find(|mask| mask.name == name) else {
            return Ok(CountedBefore::Not);
        };
        // Groups show nodes that overlap.
        let shows_cut = !parameters.arguments.recoding.is_by_group() && !parameters.arguments.clusters();
        if counts.is_empty() && !shows_cut {
            return Ok(CountedBefore::Not);
        }
        let mut nodes = nodes(existing, name)?;
        if !shows_cut {
            nodes.iter_mut().for_each(|node| node.in_cut = false);
        }
        match (mask.masked, &column.bound.labels) {
            (MaskedAs::Intervals, Labels::Intervals(intervals)) => {
                in_intervals(column, intervals, &counts, &nodes)
            }
            (MaskedAs::Intervals, _) | (_, Labels::Intervals(_)) => Ok(CountedBefore::Otherwise),
            _ => {
                let masking = &parameters.arguments.masking;
                let before = masking.iter().find(|before| before.column_name() == name).cloned();
                let before = before.unwrap_or_else(|| BySuppression { column_name: name.to_string() }.into());
                match by.has_leaves_of(&before) {
                    true => in_tree(column, *by == before, &counts, &nodes),
                    false => Ok(CountedBefore::Otherwise),
                }
            }
        }
    }
}

/// The nodes of the column's tree, in no order.
fn nodes(existing: &ExistingRelease, name: &str) -> Result<Vec<NodeBefore>> {
    let trees = Source::in_schema(existing.private, TREES.name)?;
    let query = format!(
        "SELECT n.node, n.parent, n.lower, n.upper, n.depth, n.in_cut
         FROM ONLY {} t, ROWS FROM (pg_catalog.unnest(t.nodes), pg_catalog.unnest(t.parents), pg_catalog.unnest(t.lowers),
              pg_catalog.unnest(t.uppers), pg_catalog.unnest(t.depths), pg_catalog.unnest(t.in_cut)) AS n (node, parent, lower, upper, depth, in_cut)
         WHERE t.attribute = $1 AND t.version = $2",
        trees.qualified()
    );
    look_at(&trees, &query, &[name.into(), existing.version.into()], |row| {
        Ok(NodeBefore {
            label: row.nullable(1)?,
            above: row.nullable(2)?,
            ends: (row.nullable(3)?, row.nullable(4)?),
            depth: row.written(5)?,
            in_cut: row.written(6)?,
        })
    })
}

/// By the ends between which a value lies.
fn in_intervals(
    column: &GeneralizedColumn,
    intervals: &IntervalLabels,
    counts: &[LabelAndEnds],
    nodes: &[NodeBefore],
) -> Result<CountedBefore> {
    let ty: Type = intervals.ty;
    let Some(compare) = ty.comparator() else { return Ok(CountedBefore::Otherwise) };
    // Whether a value is beyond an end where it is that value: beyond a lower one, or one that belongs to what it ends.
    let is_beyond = |value: Datum, end: Datum, is_before: bool| match compare(value, end) {
        Ordering::Less => false,
        Ordering::Equal => is_before,
        Ordering::Greater => true,
    };
    // At which values something begins and ends; none, where the column is of another type now.
    let place = |end: &Option<String>, is_before: bool| match end.as_ref().map(|end| ty.parse(end)) {
        Some(Ok(end)) => {
            Some(Some(intervals.values.partition_point(|&value| !is_beyond(value, end, is_before))))
        }
        Some(Err(_)) => None,
        None => Some(None),
    };
    let ends = |(label, (lower, upper)): (&Option<String>, &TextEnds)| {
        let closed = is_closed(label.as_deref().unwrap_or_default(), lower.as_deref(), upper.as_deref());
        Some([place(lower, true)?, place(upper, !closed)?])
    };
    let of_counts = polled(counts).map(|(label, texts)| ends((label, texts)));
    let Some(of_counts) = of_counts.collect::<Option<Vec<_>>>() else { return Ok(CountedBefore::Otherwise) };
    let of_nodes = polled(nodes).filter(|node| node.in_cut).map(|node| ends((&node.label, &node.ends)));
    let Some(of_nodes) = of_nodes.collect::<Option<Vec<_>>>() else { return Ok(CountedBefore::Otherwise) };
    let mut places: Vec<usize> = of_counts.iter().chain(&of_nodes).flatten().flatten().copied().collect();
    places.sort_unstable_by(polling(Ord::cmp));
    places.dedup();
    let hierarchy = &column.bound.hierarchy;
    check_memory::<Code>(hierarchy.codes())?;
    let part = |code: usize| match code < intervals.values.len() {
        true => places.partition_point(|&place| place <= code) as Code,
        // NULL.
        false => places.len() as Code + 1,
    };
    let mut parts: Vec<Code> = polled(0..hierarchy.codes()).map(part).collect();
    // NULLs that were counted with others, or shown as all else. Where none was there, those of now are a part of their own.
    let is_null = |node: &&NodeBefore| node.label.is_none();
    let null_apart = counts.iter().any(|(label, _)| label.is_none())
        || polled(nodes).filter(is_null).all(|node| node.in_cut);
    // What is left beside counts that have ends is one count.
    let is_rest = |(label, ends): &LabelAndEnds| label.is_some() && *ends == (None, None);
    let rest = (polled(counts).any(is_rest) && counts.len() > 1).then_some(places.len() as Code + 2);
    if let Some(rest) = rest {
        let mut is_counted = vec![false; intervals.values.len()];
        let counted = polled(counts.iter().zip(&of_counts));
        for (_, [first, end]) in counted.filter(|(count, _)| !is_rest(count) && count.0.is_some()) {
            let within = first.unwrap_or(0)..end.unwrap_or(is_counted.len());
            polled(is_counted.get_mut(within).into_iter().flatten()).for_each(|is| *is = true);
        }
        polled(parts.iter_mut().zip(is_counted)).filter(|(_, is)| !is).for_each(|(part, _)| *part = rest);
    }
    if hierarchy.null().is_some() && !null_apart {
        let with_null = format!("{OR}{NULL}");
        let is_with_null = |label: &Option<String>| label.as_deref().is_some_and(|l| l.ends_with(&with_null));
        let mut with = polled(counts.iter().zip(&of_counts)).filter(|((label, _), _)| is_with_null(label));
        let with = with
            .find(|(count, _)| !is_rest(count))
            .map(|(_, [first, _])| places.partition_point(|&place| place <= first.unwrap_or(0)) as Code);
        let Some(with) = with.or(rest) else { return Ok(CountedBefore::Parts(vec![0; hierarchy.codes()])) };
        parts[intervals.values.len()..].fill(with);
    }
    Ok(CountedBefore::Parts(parts))
}

/// By the nearest node that was counted or shown, at or above a value in the tree of then.
fn in_tree(
    column: &GeneralizedColumn,
    is_same_masking: bool,
    counts: &[LabelAndEnds],
    nodes: &[NodeBefore],
) -> Result<CountedBefore> {
    let hierarchy = &column.bound.hierarchy;
    // A leaf is the deepest of those that are called alike.
    let mut at: HashMap<(Option<&str>, i32), usize> = HashMap::new();
    let mut deepest: HashMap<Option<&str>, usize> = HashMap::new();
    for (place, node) in polled(nodes).enumerate() {
        at.insert((node.label.as_deref(), node.depth), place);
        let other = deepest.entry(node.label.as_deref()).or_insert(place);
        if nodes[*other].depth < node.depth {
            *other = place;
        }
    }
    let is_name = |name: &str| name == NULL || deepest.contains_key(&Some(name));
    let mut part_of: HashMap<Option<&str>, Code> = HashMap::new();
    for ((label, _), part) in polled(counts).zip(0..) {
        let several = label.as_deref().map(|label| names(label, &is_name));
        let several = several.unwrap_or_else(|| vec![NULL]);
        for name in several {
            let name = Some(name).filter(|&name| name != NULL || deepest.contains_key(&Some(name)));
            if part_of.insert(name, part).is_some_and(|other| other != part) {
                return Ok(CountedBefore::Otherwise);
            }
        }
    }
    let mut next = counts.len() as Code;
    for node in polled(nodes).filter(|node| node.in_cut) {
        part_of.entry(node.label.as_deref()).or_insert_with(|| {
            next += 1;
            next - 1
        });
    }
    // From the top down: a node is counted as it is itself, or with the node above it.
    check_memory::<(usize, Option<Code>)>(nodes.len())?;
    let mut down: Vec<usize> = (0..nodes.len()).collect();
    down.sort_by(polling(|&a: &usize, &b: &usize| nodes[a].depth.cmp(&nodes[b].depth)));
    let mut part_at: Vec<Option<Code>> = vec![None; nodes.len()];
    let mut has_below = vec![false; nodes.len()];
    for place in polled(down) {
        let NodeBefore { label, above, depth, .. } = &nodes[place];
        let above = at.get(&(above.as_deref(), depth.saturating_sub(1))).copied();
        if let Some(above) = above {
            has_below[above] = true;
        }
        let with_above = || part_at[above?];
        part_at[place] = part_of.get(&label.as_deref()).copied().or_else(with_above);
    }
    check_memory::<Code>(hierarchy.codes())?;
    // A value that was not there is counted with none.
    let mut parts: Vec<Code> = polled(0..hierarchy.codes() as Code).map(|code| next + code).collect();
    let (mut leaves, mut new) = (0, 0);
    let mut is_found = vec![false; nodes.len()];
    for (node, id) in polled(hierarchy.nodes()).zip(0..).filter(|&(_, id)| hierarchy.is_leaf(id)) {
        leaves += 1;
        let label = column.bound.node_label(id, "*");
        let place = deepest.get(&label.as_deref()).copied();
        new += usize::from(place.is_none());
        place.into_iter().for_each(|place| is_found[place] = true);
        if place.is_some_and(|place| has_below[place]) {
            // Its rows were of several nodes.
            return Ok(CountedBefore::Otherwise);
        }
        if let Some(part) = place.and_then(|place| part_at[place]) {
            polled(node.codes.clone()).for_each(|code| parts[code as usize] = part);
        }
    }
    // Values that are new beside others that are gone may be the same ones, called otherwise: where they are masked otherwise, or
    // where they are most.
    let is_gone = |(is_found, has_below): (&bool, &bool)| !is_found && !has_below;
    let is_called_otherwise = !is_same_masking && polled(is_found.iter().zip(&has_below)).any(is_gone);
    let is_otherwise = new > 0 && is_called_otherwise || 2 * new > leaves;
    Ok(if is_otherwise { CountedBefore::Otherwise } else { CountedBefore::Parts(parts) })
}

/// Longer texts are looked at as one name: each of their words would be looked up with all before it.
const LONG: usize = 10_000;

/// The names of nodes that are counted together, of which it is told what is one.
pub fn names<'a>(label: &'a str, is_name: &dyn Fn(&str) -> bool) -> Vec<&'a str> {
    let (mut names, mut left) = (Vec::new(), label);
    while left.len() < LONG && !is_name(left) {
        let beginnings = left.match_indices(OR).map(|(at, _)| &left[..at]);
        let Some(name) = polled_by_length(beginnings).find(|beginning| is_name(beginning)) else { break };
        names.push(name);
        left = &left[name.len() + OR.len()..];
    }
    names.push(left);
    names
}
