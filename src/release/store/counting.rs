//! What counts a version gets: for each node that the view shows, or for the whole column where rows are recoded a group at a time,
//! the finest nodes that enough rows and persons hold; none of a column that would tell of few rows.

use crate::postgres::error::{tell, warn_with_hint, Result, SqlError};
use crate::postgres::progress::polled;
use crate::postgres::text::clipped;
use crate::release::store::counts::{is_uncounted, Count, Counts, Division};
use crate::release::store::kept::KeptColumns;
use crate::release::store::manifest::ExistingRelease;
use crate::release::store::nodes::Nodes;
use crate::release::store::version_before::VersionBefore;
use crate::search::result::GeneralizedColumn;
use crate::search::{sensitive_models, SearchResult};
use crate::terms::labels::OR;
use crate::terms::request::Request;
use hashbrown::HashSet;
use std::cmp::Reverse;
use std::ops::Range;
use topdown::cluster::Extent;
use topdown::measure::{
    reveals_small_cell, CodeModel, CountedNode, CountedNodes, HolderCounter, RecordClasses, Released,
    RequiredSize, SmallParts,
};
use topdown::progress::check_memory;
use topdown::refine::{NodeId, TOP};
use topdown::{Code, CodedColumn};

/// Of what was found for a request, column by column. Without those that tell of few rows beside what is
/// shown of another column.
pub fn counts_of(
    request: &Request,
    found: &SearchResult,
    nodes: &[Nodes],
    kept: &KeptColumns,
    existing: Option<&ExistingRelease>,
) -> Result<Vec<Counts>> {
    let arguments = &request.arguments;
    let counted_before = match existing {
        Some(existing) => existing.parameters()?.arguments.counts,
        None => false,
    };
    if !arguments.counts && !counted_before {
        return Ok(Vec::new());
    }
    let shown = shown(request, found, kept)?;
    let least = found.least(request)?;
    let before = existing.map(|existing| VersionBefore::of(existing, request, found)).transpose()?;
    let mut all: Vec<(Counts, Division)> = Vec::new();
    for (a, nodes) in nodes.iter().enumerate() {
        let name = request.name(a);
        if !arguments.counts || is_uncounted(arguments, name) {
            continue;
        }
        let itself = &shown[a].1;
        let parts = before.as_ref().and_then(|before| before.parts(a));
        let (counts, division) = match found.clusters {
            None => below_the_cut(request, found, (a, itself), nodes, parts)?,
            Some(_) => of_groups(request, found, a, parts)?,
        };
        if let Some(label) =
            counts.called_alike().or_else(|| counts.called_as_a_value(&found.columns[a], request.any()))
        {
            tell_of_alike(name, label);
            continue;
        }
        if let Some(before) = before.as_ref().filter(|_| counts.rows.len() > 1) {
            if before.tells_beside(a, &division, &least)? {
                continue;
            }
        }
        match beside((name, &division), itself, &shown, &all, found, &least)? {
            Some(other) => leave_out(name, other),
            None => all.push((counts, division)),
        }
    }
    if let Some(before) = &before {
        before.look_beside(&shown, &mut all, &least)?;
    }
    Ok(all.into_iter().map(|(counts, _)| counts).collect())
}

/// The column beside which the counts of another one tell of few rows, or of itself, where nodes that are shown overlap. Of one that is
/// shown everybody knows how many rows each value has together with each one that is shown of the counted column; of one that has
/// counts, their numbers.
fn beside<'a>(
    (name, division): (&'a str, &Division),
    itself: &Division,
    shown: &[(&'a str, Division)],
    counted: &'a [(Counts, Division)],
    found: &SearchResult,
    least: &[RequiredSize],
) -> Result<Option<&'a str>> {
    let (division, itself) = (division.classes()?, itself.classes()?);
    let tell = |beside: &[&RecordClasses]| {
        reveals_small_cell(&division, beside, found.table.weights(), least, SmallParts::Neither)
    };
    if found.clusters.is_some() && tell(&[&itself])? {
        return Ok(Some(name));
    }
    for (other, shown) in shown.iter().filter(|(other, shown)| *other != name && shown.parts > 1) {
        let shown = shown.classes()?;
        // Where one value is shown in several ways, these together are one more.
        if tell(&[&itself, &shown])? || found.clusters.is_some() && tell(&[&shown])? {
            return Ok(Some(other));
        }
    }
    for (other, counts) in counted {
        if tell(&[&counts.classes()?])? {
            return Ok(Some(&other.attribute));
        }
    }
    Ok(None)
}

/// How what is shown of each column divides the rows.
fn shown<'a>(
    request: &'a Request,
    found: &'a SearchResult,
    kept: &'a KeptColumns,
) -> Result<Vec<(&'a str, Division<'a>)>> {
    let mut all = Vec::new();
    for a in 0..request.masked.len() {
        let (part_of, parts) = (found.numbers(request, a), found.columns[a].cut.len());
        all.push((request.name(a), Division { codes: found.keys(a)?, part_of, parts }));
    }
    for column in request.as_they_are() {
        let CodedColumn { codes, cardinality } = kept.released(column, found.table.column(column)?);
        check_memory::<Code>(cardinality)?;
        let part_of = polled(0..cardinality as Code).collect();
        all.push((&request.source.columns[column].name, Division { codes, part_of, parts: cardinality + 1 }));
    }
    Ok(all)
}

/// Says that a column has no counts because of two that are called alike.
fn tell_of_alike(column: &str, label: &str) {
    tell(
        format!("no counts are shown of \"{column}\": two of them would be called \"{}\"", clipped(label)),
        "A value reads like a network, a prefix or several values counted together: read the column through a view that writes it differently.",
    );
}

/// Says that a column has no counts.
fn leave_out(column: &str, beside: &str) {
    if column == beside {
        return warn_with_hint(
            format!("no counts of column \"{column}\" are shown: beside what the view shows of it they would tell of few rows"),
            "Whoever knows which nodes the rows may be of that show a value can subtract, and what is left is fewer rows or persons than a count has to be of.",
            "Set counts to false, or use tds_anonymize with recoding => 'global'.",
        );
    }
    warn_with_hint(
        format!("no counts of column \"{column}\" are shown: beside column \"{beside}\" they would tell of few rows"),
        "The two columns divide the rows at different places. Whoever knows how they depend on each other can subtract, and what is left is fewer rows or persons than a count has to be of.",
        "Leave out one of the two columns, or set counts to false.",
    );
}

/// The counts of a column as they are shown, and how they divide the rows. Of what has no count everybody knows how many rows each
/// thing has that the view shows: `part_of` numbers these, by code.
fn counted<'a>(
    (request, found, attribute): (&Request, &'a SearchResult, usize),
    nodes: Vec<(Option<String>, CountedNode)>,
    mut part_of: Vec<Code>,
) -> Result<(Counts, Division<'a>)> {
    let column = &found.columns[attribute];
    let shown = polled(&part_of).max().map_or(0, |&most| most as usize + 1);
    polled(&mut part_of).for_each(|part| *part += nodes.len() as Code);
    for (part, (_, count)) in (0..).zip(&nodes) {
        polled(count.codes.iter().cloned().flatten()).for_each(|code| part_of[code as usize] = part);
    }
    let codes = &found.table.column(column.column)?.codes;
    let division = Division { codes, part_of, parts: nodes.len() + shown };
    let rows = polled(nodes).map(|(within, count)| called(request, column, &count, within)).collect();
    Ok((Counts { attribute: request.name(attribute).to_string(), rows }, division))
}

/// Who holds the codes of a column.
fn holders(request: &Request, found: &SearchResult, attribute: usize) -> Result<HolderCounter> {
    let GeneralizedColumn { column, bound, .. } = &found.columns[attribute];
    let least = found.least(request)?;
    let codes = &found.table.column(*column)?.codes;
    Ok(HolderCounter::new(codes, bound.hierarchy.codes(), found.table.weights(), &least)?)
}

/// Where a value is shown as one node wherever it occurs: below each of these.
fn below_the_cut<'a>(
    request: &Request,
    found: &'a SearchResult,
    (attribute, shown): (usize, &Division),
    nodes: &Nodes,
    before: Option<&[Code]>,
) -> Result<(Counts, Division<'a>)> {
    let column = &found.columns[attribute];
    let mut holders = holders(request, found, attribute)?;
    let models = code_models(request, found, attribute)?;
    let cut: HashSet<NodeId> = nodes.cut().into_iter().map(|node| node as NodeId).collect();
    let mut counts = Vec::new();
    for node in polled(nodes.cut()) {
        let is_disclosed = |child: NodeId| cut.contains(&child);
        let hierarchy = &column.bound.hierarchy;
        let mut below =
            CountedNodes::count_below(hierarchy, node as NodeId, is_disclosed, before, &mut holders)?;
        below.merge_until_models_hold(&models, &mut holders)?;
        let within = nodes.shown(node).map(String::from);
        counts.extend(polled(below.counts).map(|count| (within.clone(), count)));
    }
    check_memory::<[Code; 2]>(shown.part_of.len())?;
    counted((request, found, attribute), counts, shown.part_of.clone())
}

/// The models of sensitive values over a masked column, as they hold for the rows of its codes.
fn code_models(request: &Request, found: &SearchResult, attribute: usize) -> Result<Vec<CodeModel>> {
    let mut models = Vec::new();
    let codes = &found.table.column(found.columns[attribute].column)?.codes;
    for model in sensitive_models(request, found, request.name(attribute))? {
        let missing = || SqlError::internal("a model counts what was not read");
        let sensitive = model.sensitive().and_then(|place| found.sensitive.get(place)).ok_or_else(missing)?;
        let persons = model.person().and_then(|place| found.persons.get(place)).map(|(persons, _)| persons);
        let values = CodedColumn { codes: &sensitive.codes, cardinality: sensitive.cardinality };
        models.push(CodeModel::new(model, codes, found.table.weights(), values, persons)?);
    }
    Ok(models)
}

/// Where groups show nodes that overlap: of the whole column, as far as these do not tell of few rows of what is shown.
fn of_groups<'a>(
    request: &Request,
    found: &'a SearchResult,
    attribute: usize,
    before: Option<&[Code]>,
) -> Result<(Counts, Division<'a>)> {
    let column = &found.columns[attribute];
    let hierarchy = &column.bound.hierarchy;
    let mut holders = holders(request, found, attribute)?;
    let mut below = CountedNodes::count_below(hierarchy, TOP, |_| false, before, &mut holders)?;
    let numbers = found.numbers(request, attribute);
    check_memory::<Vec<Range<Code>>>(column.cut.len())?;
    let mut stands_for = vec![Vec::new(); column.cut.len()];
    let mut seen = HashSet::new();
    for (extent, &number) in polled(column.released.iter().zip(&numbers)) {
        if seen.insert((extent, number)) {
            stands_for[number as usize].push(match extent {
                Extent::Node(node) => hierarchy.node(*node).codes.clone(),
                Extent::Ranks(ranks) => *ranks.start()..*ranks.end() + 1,
                Extent::Any => 0..hierarchy.codes() as Code,
            });
        }
    }
    let shown =
        Released { codes: found.keys(attribute)?, number_of_code: &numbers, number_count: column.cut.len() };
    let codes = &found.table.column(column.column)?.codes;
    below.merge_until_safe(shown, &stands_for, codes, found.table.weights(), &mut holders)?;
    check_memory::<[Code; 2]>(hierarchy.codes())?;
    let nodes = polled(below.counts).map(|count| (None, count)).collect();
    counted((request, found, attribute), nodes, vec![0; hierarchy.codes()])
}

fn called(
    request: &Request,
    column: &GeneralizedColumn,
    count: &CountedNode,
    within: Option<String>,
) -> Count {
    let (bound, any) = (&column.bound, request.any());
    let hierarchy = &bound.hierarchy;
    let whole = &hierarchy.node(count.node).codes;
    let codes = match count.codes.first().filter(|_| hierarchy.is_interval(count.node)) {
        // From the first to the last of the interval's own: NULLs that are counted with it come after these.
        Some(first) => first.start..first.end.min(whole.end),
        None => whole.clone(),
    };
    let (label, ends) = bound.part(count.node, &codes, any);
    if count.merged_nodes.is_empty() {
        return Count { within, node: (label, ends), records: count.rows as i64, of_several: false };
    }
    // In their order, which tells nothing of how many rows each has; their ends are those of all that lies between.
    let mut parts = vec![(codes, label, ends)];
    for &other in &count.merged_nodes {
        let codes = &hierarchy.node(other).codes;
        let (label, ends) = bound.part(other, codes, any);
        parts.push((codes.clone(), label, ends));
    }
    parts.sort_by_key(|(codes, ..)| (codes.start, Reverse(codes.end)));
    let mut labels: Vec<&str> =
        parts.iter().map(|(_, label, _)| label.as_deref().unwrap_or("NULL")).collect();
    labels.dedup();
    let (label, of_several) = (Some(labels.join(OR)), labels.len() > 1);
    let known = || parts.iter().filter(|(_, label, _)| label.is_some());
    let lower = known().min_by_key(|(codes, ..)| codes.start).and_then(|(.., ends)| ends.0.clone());
    let upper = known().max_by_key(|(codes, ..)| codes.end).and_then(|(.., ends)| ends.1.clone());
    Count { within, node: (label, (lower, upper)), records: count.rows as i64, of_several }
}
