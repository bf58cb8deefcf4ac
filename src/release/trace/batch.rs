//! The current version as a batch begins from it: its rows, as they were in the source, and its steps.

use crate::postgres::error::{clipped, Result, SqlError};
use crate::postgres::progress::polled;
use crate::postgres::settings::RAISE_MEMORY;
use crate::postgres::sql::{self, Values};
use crate::read::plan::look_at;
use crate::read::version_table::VersionTable;
use crate::release::store::manifest::ExistingRelease;
use crate::release::store::parameters::{Holds, Parameters};
use crate::release::store::version_table;
use crate::release::trace::groups::no_tree;
use crate::release::trace::load;
use crate::release::trace::tree::{self, Tree};
use crate::search::{Assigned, Batch, GroupsOfBefore};
use crate::terms::masking::taxonomy;
use crate::terms::request::Request;
use hashbrown::HashMap;
use topdown::taxonomy::Edge;

/// Of a release whose changes are batched; whether what left it goes at once.
pub fn of(existing: &ExistingRelease, request: &Request, erase: bool) -> Result<Batch> {
    let parameters = existing.parameters()?;
    let Some(row) = &parameters.row else {
        return Err(SqlError::state(format!("version {} does not tell what its rows are", existing.version))
            .detail("There was too little memory for that when it was made.")
            .hint(format!("{RAISE_MEMORY} Then make the release again under another name.")));
    };
    let version = version_table::open(existing, existing.version, row)?;
    let trees = tree::of(existing, existing.version)?;
    must_be_the_same_trees(existing, request, (&version, &trees), erase)?;
    let groups = match request.arguments.clusters() {
        true => GroupsOfBefore::Clusters(assigned(parameters, request, &version, trees)?),
        false => GroupsOfBefore::BySteps(Box::new(load::to_go_on_from(existing, &request.source)?)),
    };
    let mut at = HashMap::new();
    for place in request.columns() {
        at.insert(copy(parameters, &version, &request.source.columns[place].name)?, place);
    }
    Ok(Batch { groups, version, at, erase })
}

/// What the rows of a version of clusters are, and what it shows of each.
fn assigned(
    parameters: &Parameters,
    request: &Request,
    version: &VersionTable,
    mut trees: HashMap<String, Tree>,
) -> Result<Assigned> {
    let places = (0..request.masked.len()).map(|a| version.source.column(request.name(a)));
    let places = places.collect::<Result<Vec<usize>>>()?;
    let mut table = version.read(&places, None)?;
    let (mut traced, mut shown) = (Vec::new(), Vec::new());
    for (a, place) in places.into_iter().enumerate() {
        let name = request.name(a);
        let mask = parameters.mask(name).ok_or_else(|| no_tree(name))?;
        let tree = trees.remove(name).ok_or_else(|| no_tree(name))?;
        let nodes = tree.nodes(&tree.released(), &HashMap::new()).in_form(parameters.form(mask))?;
        let mut by_text = HashMap::new();
        for node in polled(0..tree.labels.len()).filter(|&node| tree.in_cut[node]) {
            by_text.entry(nodes.shown(node)).or_insert(node as u32);
        }
        let column = table.column_mut(place)?;
        let other = || SqlError::state("the version shows what its cut does not have");
        let node = |text: Option<&str>| by_text.get(&text).copied().ok_or_else(other);
        let texts = column.texts();
        let of_codes = polled(&texts).map(|text| node(Some(text))).collect::<Result<Vec<u32>>>()?;
        let of_null = if column.nulls { node(None)? } else { 0 };
        let mut codes = std::mem::take(&mut column.codes);
        codes.renumber(&of_codes, of_null)?;
        shown.push(codes);
        traced.push(tree.traced(mask.masked));
    }
    let rows = table.identities.take().map(|identities| identities.of_records).unwrap_or_default();
    Ok(Assigned { trees: traced.into(), rows, shown })
}

/// Where a version's table has the values of a column of the source. What is shown as it is has no copy.
fn copy(parameters: &Parameters, version: &VersionTable, name: &str) -> Result<usize> {
    version.source.column(parameters.hidden(Holds::Source, name).unwrap_or(name))
}

/// What stands below a node stays below it: rows that are shown otherwise than before are told apart from those beside them. And
/// rows hold leaves, those that linger, too; what is erased goes before that is asked.
fn must_be_the_same_trees(
    existing: &ExistingRelease,
    request: &Request,
    (version, trees): (&VersionTable, &HashMap<String, Tree>),
    erase: bool,
) -> Result<()> {
    for masked in &request.masked {
        let name = masked.by.column_name();
        let mut by = masked.by.clone();
        let (Some(by), Some(tree)) = (by.by_taxonomy(), trees.get(name)) else { continue };
        let now = by.edges()?;
        let has_changed = |detail: String, hint: &str| {
            Err(SqlError::state(format!("the taxonomy of column \"{name}\" has changed"))
                .detail(detail)
                .hint(hint))
        };
        let before = tree.edges();
        if let Some((Edge { child, parent, .. }, above)) = taxonomy::moved(&before, &now)? {
            let how = match (parent, above) {
                (None, Some(above)) => format!("is below \"{}\" now", clipped(above)),
                (parent, _) => format!("is not below \"{}\" any more", clipped(parent.unwrap_or_default())),
            };
            return has_changed(
                format!(
                    "\"{}\" {how}. Where changes are batched, what a row is shown as does not change.",
                    clipped(child.unwrap_or_default())
                ),
                "Put it back; new leaves may be added. Or release_alter(..., changes => 'any', allow_weaker => true).",
            );
        }
        let leaves = tree.leaves();
        let inner =
            polled(now.iter()).filter_map(|edge| edge.parent).filter(|parent| leaves.contains_key(parent));
        let inner: Vec<String> = inner.map(String::from).collect();
        if let (false, Some(held)) =
            (erase, held(version, copy(existing.parameters()?, version, name)?, inner)?)
        {
            return has_changed(
                format!("Rows of version {} hold \"{}\", which is no leaf any more.", existing.version, clipped(&held)),
                "Take out what was added below it; new leaves may stand beside it. Or release_refresh(..., erase => true), if only rows that linger hold it.",
            );
        }
    }
    Ok(())
}

/// One of some values that a version holds in a column.
fn held(version: &VersionTable, place: usize, values: Vec<String>) -> Result<Option<String>> {
    if values.is_empty() {
        return Ok(None);
    }
    let table = &version.source;
    let text = table.type_of(place).sql_text(&sql::quote(&table.columns[place].name));
    let query = format!(
        "SELECT {text} FROM ONLY {} WHERE {text} COLLATE pg_catalog.\"C\" = ANY ($1) LIMIT 1",
        table.qualified()
    );
    let found = look_at(table, &query, &[values.into()], |row| row.written::<String>(1))?;
    Ok(found.into_iter().next())
}
