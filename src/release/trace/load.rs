//! The steps of a version, read back from where its release keeps them, and its trace.

use super::groups::no_tree;
use super::tree::{self, Tree};
use super::{unknown, Version};
use crate::postgres::arrays::Stored;
use crate::postgres::error::{Result, SqlError};
use crate::postgres::names::Regclass;
use crate::postgres::progress::{polled, Ticker};
use crate::postgres::sql::{self, Values};
use crate::postgres::subtransaction::attempt;
use crate::read::plan::look_at;
use crate::read::source::Source;
use crate::release::store::manifest::ExistingRelease;
use crate::release::store::parameters::Parameters;
use crate::release::store::shown::MaskedAs;
use crate::release::store::tables::{version_table, REFINED, TRACES};
use crate::search::regrouped;
use crate::search::trace::{StepRef, TraceStep, TraceTree};
use crate::search::{Previous, Published, StepRow, Trace};
use crate::terms::labels::told_apart;
use crate::terms::request::{Call, Request};
use hashbrown::{HashMap, HashSet};
use std::sync::Arc;
use topdown::progress::check_memory;

/// The trace of a version.
pub fn of(existing: &ExistingRelease, version: i32) -> Result<Trace> {
    trace(existing, version, tree::of(existing, version)?)
}

/// The trace that a release's next version performs again, and which values nobody held. Of a version that has left steps out that is told of
/// the version of the trace: where its successor puts the rows that came since is counted against it ([`may_regroup`]).
pub fn to_replay(existing: &ExistingRelease) -> Result<Trace> {
    let parameters = existing.parameters()?;
    let trees = tree::of(existing, parameters.trace)?;
    let held = |trees: &HashMap<String, Tree>| -> Result<HashMap<String, HashSet<Option<String>>>> {
        trees.iter().map(|(name, tree)| Ok((name.clone(), tree.held()?))).collect()
    };
    let held = match parameters.steps_dropped > 0 || parameters.trace == existing.version {
        true => held(&trees)?,
        false => {
            let mut now = held(&tree::of(existing, existing.version)?)?;
            for name in null_came(existing, &trees)? {
                now.insert(name.clone(), trees[&name].held()?);
            }
            now
        }
    };
    Ok(Trace { held, ..trace(existing, parameters.trace, trees)? })
}

/// The columns whose NULLs the current version shows as nothing but `*`, and that had none when its steps were searched for.
fn null_came(existing: &ExistingRelease, of_trace: &HashMap<String, Tree>) -> Result<Vec<String>> {
    let mut columns = Vec::new();
    for (name, tree) in tree::of(existing, existing.version)? {
        let is_beside = tree.null().is_some_and(|null| !tree.in_cut[null]);
        if is_beside && of_trace.get(&name).is_some_and(|before| !before.has_null()) {
            columns.push(name);
        }
    }
    Ok(columns)
}

/// The same of a version whose trees are given.
fn trace(existing: &ExistingRelease, version: i32, mut trees: HashMap<String, Tree>) -> Result<Trace> {
    let parameters = existing.parameters()?;
    // A column that has come since, or is masked no more, is none of the version's.
    let names = parameters.columns.iter().map(|mask| &mask.name);
    let columns: Vec<String> = names.filter(|name| trees.contains_key(*name)).cloned().collect();
    let steps = steps(&Version::of(existing, version)?, &trees, &columns)?;
    let mut traced: HashMap<String, TraceTree> = HashMap::new();
    for mask in &parameters.columns {
        if let Some(tree) = trees.remove(&mask.name) {
            traced.insert(mask.name.clone(), tree.traced(mask.masked));
        }
    }
    let steps = steps.into_iter().map(|step| TraceStep { attribute: step.attribute, refined: step.refined });
    Ok(Trace { steps: steps.collect(), columns, trees: traced, held: HashMap::new() })
}

/// The steps of a version, whose trees are given, in their order; groups have the nodes of some columns, in theirs.
pub fn steps(version: &Version, trees: &HashMap<String, Tree>, columns: &[String]) -> Result<Vec<StepRow>> {
    let traces = Source::in_schema(version.private, TRACES.name)?;
    let query = format!(
        "SELECT s.step, s.attribute, s.node, s.children::text[], s.records, s.info_gain, s.privacy_loss, s.score,
                s.achieved::float8[], s.grp
         FROM ONLY {} t, ROWS FROM (pg_catalog.unnest(t.steps), pg_catalog.unnest(t.attributes), pg_catalog.unnest(t.nodes),
              pg_catalog.unnest(t.children), pg_catalog.unnest(t.records), pg_catalog.unnest(t.info_gains),
              pg_catalog.unnest(t.privacy_losses), pg_catalog.unnest(t.scores), pg_catalog.unnest(t.achieved), pg_catalog.unnest(t.groups))
              AS s (step, attribute, node, children, records, info_gain, privacy_loss, score, achieved, grp)
         WHERE t.version = $1 ORDER BY s.step",
        traces.qualified()
    );
    let mut steps = look_at(&traces, &query, &[version.number.into()], |row| {
        let step = StepRow {
            number: row.written(1)?,
            attribute: row.written(2)?,
            node: row.nullable(3)?,
            children: row.written(4)?,
            records: row.written(5)?,
            info_gain: row.written(6)?,
            privacy_loss: row.written(7)?,
            score: row.written(8)?,
            achieved: row.written(9)?,
            group: row.nullable(10)?,
            refined: StepRef::default(),
        };
        Ok(step)
    })?;
    let in_order = steps.iter().zip(1..).find(|(step, number)| step.number != *number);
    if let Some((step, _)) = in_order {
        return Err(unknown(step));
    }
    let refined = refined(version)?;
    if refined.len() != steps.len() {
        return Err(SqlError::state("the steps of the release cannot be followed"));
    }
    let mut names: Vec<&String> = trees.keys().collect();
    names.sort_unstable();
    // What steps have made so far.
    let mut made = HashSet::new();
    for (place, (step, (number, refined))) in polled(steps.iter_mut().zip(refined).enumerate()) {
        step.refined = refined;
        if number != place {
            return Err(unknown(step));
        }
        is_within(step, &made, &names, trees)?;
        made.extend(step.refined.children.iter().map(|&child| (place, child)));
        let root = std::mem::take(&mut step.refined.root);
        if !root.is_empty() {
            let node = |column| names.binary_search(&column).map(|place| root[place]);
            let nodes = columns.iter().map(node).collect::<std::result::Result<_, _>>();
            step.refined.root = nodes.map_err(|_| unknown(step))?;
        }
    }
    Ok(steps)
}

/// What each step of a version refined, by its number from 0. The nodes that a group begins with are in the order of the
/// columns' names.
fn refined(version: &Version) -> Result<Vec<(usize, StepRef)>> {
    let table = Source::in_schema(version.private, REFINED.name)?;
    let query = format!(
        "SELECT s.step, s.node, s.children::int4[], s.from_step, s.from_node, s.root::int4[]
         FROM ONLY {} t, ROWS FROM (pg_catalog.unnest(t.steps), pg_catalog.unnest(t.nodes),
              pg_catalog.unnest(t.children), pg_catalog.unnest(t.from_steps), pg_catalog.unnest(t.from_nodes), pg_catalog.unnest(t.roots))
              AS s (step, node, children, from_step, from_node, root)
         WHERE t.version = $1 ORDER BY s.step",
        table.qualified()
    );
    // What is below 0, or NULL, is no place of anything.
    let place = |number: i32| usize::try_from(number).unwrap_or(usize::MAX);
    let places = |numbers: Vec<Option<i32>>| numbers.into_iter().map(|number| place(number.unwrap_or(-1)));
    look_at(&table, &query, &[version.number.into()], |row| {
        let from = row.nullable::<i32>(4)?.zip(row.nullable::<i32>(5)?);
        let refined = StepRef {
            node: place(row.written(2)?),
            children: places(row.written(3)?).collect(),
            from: from.map(|(step, node)| (place(step), place(node))),
            root: row.nullable(6)?.map_or(Vec::new(), |root| places(root).collect()),
        };
        Ok((place(row.written(1)?), refined))
    })
}

/// What a step says must be there: whoever owns the release may have changed it.
fn is_within(
    step: &StepRow,
    made: &HashSet<(usize, usize)>,
    names: &[&String],
    trees: &HashMap<String, Tree>,
) -> Result<()> {
    let nodes = |column: &str| trees.get(column).map_or(0, |tree| tree.labels.len());
    let StepRef { node, children, from, root } = &step.refined;
    let of_column = nodes(&step.attribute);
    let from_is_there = from.is_none_or(|from| made.contains(&from));
    let root_is_there = root.is_empty()
        || root.len() == names.len() && root.iter().zip(names).all(|(&node, name)| node < nodes(name));
    let is_there = *node < of_column
        && !children.is_empty()
        && children.len() == step.children.len()
        && children.iter().all(|&child| child < of_column);
    if is_there && from_is_there && root_is_there {
        return Ok(());
    }
    Err(unknown(step))
}

/// The current version, if it was searched for, to be compared with what is made of a source: by the taxonomies that it had, whatever
/// their relations hold by now, and under no model, so that every step is performed that was published.
pub fn previous(existing: &ExistingRelease, source: &Source) -> Option<Previous> {
    let made = existing.parameters().ok()?;
    if made.arguments.clusters() || made.columns.is_empty() {
        return None;
    }
    regrouped::or_warn(attempt(|| previous_of(existing, made, source, true)))
}

/// The same of one whose steps have to be performed again; its groups are not compared.
pub fn to_go_on_from(existing: &ExistingRelease, source: &Source) -> Result<Previous> {
    previous_of(existing, existing.parameters()?, source, false)
}

fn previous_of(
    existing: &ExistingRelease,
    made: &Parameters,
    source: &Source,
    is_compared: bool,
) -> Result<Previous> {
    let trees = tree::of(existing, existing.version)?;
    let mut arguments = made.arguments.clone();
    arguments.means.clear();
    for by in &mut arguments.masking {
        let tree = trees.get(by.column_name());
        if let Some((by, tree)) = by.by_taxonomy().zip(tree) {
            by.before = Some(Arc::new(tree.edges()));
        }
    }
    let published = is_compared.then(|| published(existing, made, &trees)).transpose()?;
    let texts = texts(made, &trees, source)?;
    let trace = trace(existing, existing.version, trees)?;
    let call = Call { source: Regclass(source.oid), arguments, from_manifest: true, ..Call::default() };
    let mut request = Request::new(call)?;
    request.arguments.privacy.clear();
    Ok(Previous { request, trace, published, texts })
}

/// What the values of columns were called that are matched by their texts, where equal ones may have several.
fn texts(
    made: &Parameters,
    trees: &HashMap<String, Tree>,
    source: &Source,
) -> Result<HashMap<String, Vec<String>>> {
    let mut texts = HashMap::new();
    for mask in made.columns.iter().filter(|mask| mask.masked != MaskedAs::Intervals) {
        let ty = source.type_of(source.column(&mask.name)?);
        if ty.is_equal_by_bytes() || !ty.is_readable() {
            continue;
        }
        let tree = trees.get(&mask.name).ok_or_else(|| no_tree(&mask.name))?;
        let leaves = tree.leaves();
        check_memory::<(String, usize)>(leaves.len())?;
        texts.insert(mask.name.clone(), polled(leaves.into_keys()).map(String::from).collect());
    }
    Ok(texts)
}

/// The groups that the current version shows.
fn published(
    existing: &ExistingRelease,
    made: &Parameters,
    trees: &HashMap<String, Tree>,
) -> Result<Published> {
    let table = Source::in_schema(existing.private, &version_table(existing.version))?;
    let (mut published, mut shown, mut texts) = (Published::default(), Vec::new(), Vec::new());
    for mask in &made.columns {
        let tree = trees.get(&mask.name).ok_or_else(|| no_tree(&mask.name))?;
        let nodes = tree.nodes(&tree.released(), &HashMap::new()).in_form(made.form(mask))?;
        let (mut numbers, mut by_text) = (HashMap::new(), HashMap::new());
        let looks = |node: usize| {
            let ends = (mask.masked == MaskedAs::Intervals)
                .then(|| (tree.lower[node].clone(), tree.upper[node].clone()));
            told_apart(tree.labels[node].clone(), ends.unwrap_or_default())
        };
        for node in polled(0..tree.labels.len()).filter(|&node| tree.in_cut[node]) {
            let next = by_text.len() as u32;
            let number = *by_text.entry(nodes.shown(node).map(String::from)).or_insert(next);
            numbers.insert(looks(node), number);
        }
        // Where there are no NULLs any more the column's own top is what stood over both.
        if let (Some(&number), Some(own)) =
            (numbers.get(&looks(0)), tree.own_top().filter(|_| tree.has_null()))
        {
            numbers.entry(looks(own)).or_insert(number);
        }
        published.columns.insert(mask.name.clone(), (shown.len(), numbers));
        shown.push(by_text);
        texts.push(format!("{}::pg_catalog.text COLLATE \"C\"", sql::quote(&mask.name)));
    }
    // One array a row: to find a column of a row takes as long as the columns before it are many.
    let query = format!("SELECT DISTINCT ARRAY[{}] FROM {}", texts.join(", "), table.qualified());
    let ticker = Ticker::default();
    let groups = look_at(&table, &query, &[], |row| {
        ticker.tick(shown.len());
        let group = row.not_null::<Stored<String>>(1)?.0;
        let number = |(numbers, text): (&HashMap<Option<String>, u32>, &Option<String>)| {
            let other = || SqlError::state("the version shows what its cut does not have");
            numbers.get(text).copied().ok_or_else(other)
        };
        shown.iter().zip(&group).map(number).collect::<Result<Vec<u32>>>()
    })?;
    published.groups = groups.into_iter().collect();
    Ok(published)
}

/// Whether steps that are performed again may group rows in another way than the current version does: its taxonomies are not those of
/// now, or it left steps out itself, or groups hold NULLs that the steps do not know.
pub fn may_regroup(existing: &ExistingRelease) -> Result<bool> {
    let parameters = existing.parameters()?;
    if parameters.steps_dropped > 0 {
        return Ok(true);
    }
    if parameters.arguments.recoding.is_by_group() && parameters.trace != existing.version {
        let of_trace = tree::of(existing, parameters.trace)?;
        if !null_came(existing, &of_trace)?.is_empty() {
            return Ok(true);
        }
    }
    let mut masking = existing.parameters()?.arguments.masking.clone();
    if !masking.iter_mut().any(|by| by.by_taxonomy().is_some()) {
        return Ok(false);
    }
    let trees = tree::of(existing, existing.version)?;
    for by in &mut masking {
        let tree = trees.get(by.column_name());
        if let Some((by, tree)) = by.by_taxonomy().zip(tree) {
            if by.has_changed(&tree.edges())? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}
