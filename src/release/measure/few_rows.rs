//! Columns that stay as they are for the sake of few rows: one NULL, or a handful of rare values, may keep a whole column at
//! its top. Which rows those are is counted of what was found: the groups that there would be if the top were refined.

use crate::postgres::error::{tell, Result};
use crate::postgres::progress::poll;
use crate::search::result::GeneralizedColumn;
use crate::search::SearchResult;
use crate::terms::privacy_model::privacy_model;
use crate::terms::request::Request;
use crate::terms::words::Recoding;
use pgrx::spi::quote_literal;
use topdown::cluster::Extent;
use topdown::measure::{RecordClasses, Released};
use topdown::refine::{Meaning, NodeId};

/// Of so small a share of the rows it is told that they may be withheld.
const FEW: f64 = 0.01;

/// The shares to withhold that are proposed.
const SHARES: [f64; 5] = [0.001, 0.002, 0.005, 0.01, 0.02];

/// The call by which a release withholds a share.
pub fn alter(release: &str, share: f64) -> String {
    format!("release_alter({}, withhold => {share})", quote_literal(release))
}

/// Says which columns of some stay at their top because of few rows; `way_out` says how a share is withheld.
pub fn say(
    request: &Request,
    found: &SearchResult,
    is_one: impl Fn(&str) -> bool,
    way_out: impl Fn(f64) -> String,
) -> Result<()> {
    let arguments = &request.arguments;
    let is_one_cut = arguments.recoding == Recoding::Global && found.clusters.is_none();
    let is_stopped = arguments.max_steps.is_some_and(|most| found.steps.len() >= most as usize);
    if !is_one_cut || is_stopped {
        return Ok(());
    }
    let withheld = found.withheld.rows as f64;
    let all = found.table.rows as f64 + withheld;
    for attribute in (0..request.masked.len()).filter(|&a| is_one(request.name(a))) {
        let hierarchy = &found.columns[attribute].bound.hierarchy;
        let Some(top) = top(&found.columns[attribute]).filter(|&top| hierarchy.may_refine(top)) else {
            continue;
        };
        let rows = keep_it(request, found, attribute, top)? as f64;
        let share = SHARES.into_iter().find(|share| withheld + rows <= share * all);
        let Some(share) = share.filter(|_| rows > 0.0 && rows <= FEW * all) else { continue };
        if !arguments.may_withhold() {
            return Ok(());
        }
        let is_null = |&child: &NodeId| hierarchy.node(child).meaning == Meaning::Null;
        let null = hierarchy.node(top).children.iter().any(is_null);
        tell(
            format!(
                "column \"{}\" stayed at its top because of {rows} of {all} rows{}",
                request.name(attribute),
                if null { ": NULL would have to be told apart" } else { "" }
            ),
            format!("Where rows may be left out it may become more specific, unless other columns take the share: {}.", way_out(share)),
        );
    }
    Ok(())
}

/// The node at which a column stayed: its top, or its own beside NULL. None where it is more specific.
fn top(column: &GeneralizedColumn) -> Option<NodeId> {
    let nodes = column.cut.iter().map(|extent| match extent {
        Extent::Node(node) => Some(*node),
        _ => None,
    });
    let nodes = nodes.collect::<Option<Vec<NodeId>>>()?;
    let is_null = |node: &NodeId| column.bound.hierarchy.node(*node).meaning == Meaning::Null;
    match &nodes[..] {
        [top] => Some(*top),
        [one, other] if is_null(one) => Some(*other),
        [one, other] if is_null(other) => Some(*one),
        _ => None,
    }
}

/// How many rows a model would not hold for if a node were refined: of several models, the most.
fn keep_it(request: &Request, found: &SearchResult, attribute: usize, node: NodeId) -> Result<u64> {
    let hierarchy = &found.columns[attribute].bound.hierarchy;
    // Which part each code would fall to, 0 being what the node does not hold.
    let mut parts = vec![0; hierarchy.codes()];
    let children = &hierarchy.node(node).children;
    if hierarchy.is_suppression() {
        // The most frequent value would be disclosed, the rest stays.
        let rows = found.rows_by_code(attribute)?;
        let most = (0..rows.len()).rev().max_by_key(|&code| rows[code]);
        most.into_iter().for_each(|code| parts[code] = 1);
    } else {
        for (part, &child) in (1..).zip(children) {
            parts[hierarchy.node(child).codes.start as usize..hierarchy.node(child).codes.end as usize]
                .fill(part);
        }
    }
    if parts.iter().all(|part| *part == 0) {
        return Ok(0);
    }
    let numbers: Vec<Vec<u32>> = found.columns.iter().map(GeneralizedColumn::numbers).collect();
    let mut most = 0;
    for model in request.arguments.privacy.iter().inspect(|_| poll()) {
        let Some(least) = least(model) else { continue };
        let columns = model.attributes().iter().filter_map(|name| request.attribute(name));
        let columns: Vec<usize> = columns.collect();
        if !columns.contains(&attribute) {
            continue;
        }
        let released = columns.into_iter().map(|a| {
            let (as_number, count) = match a == attribute {
                true => (&parts, children.len().max(1) + 1),
                false => (&numbers[a], found.columns[a].cut.len()),
            };
            Ok(Released { codes: found.keys(a)?, number_of_code: as_number, number_count: count })
        });
        let released = released.collect::<Result<Vec<Released>>>()?;
        let counted = model.sensitive().and_then(|name| request.sensitive(name));
        let counted = counted.map(|sensitive| &found.sensitive[sensitive].codes);
        let table = &found.table;
        let classes = RecordClasses::build(&released, table.records)?;
        let rows = classes.rows_in_small(table.weights(), counted, least)?;
        most = most.max(rows);
    }
    Ok(most)
}

/// How many rows, or sensitive values, a group needs by a model for which rows can be withheld.
fn least(model: &privacy_model) -> Option<u64> {
    model.may_withhold().then(|| model.required().ceil() as u64)
}
