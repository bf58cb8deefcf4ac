//! Rewinding: a new version as the search stood after one of its steps. The rows of the current version are made
//! coarser, each value becomes the node above it in the earlier cut; the source is not read.

use crate::postgres::activity::{self, Phase};
use crate::postgres::error::{Result, SqlError};
use crate::postgres::locks::Mode;
use crate::postgres::operation::Operation;
use crate::postgres::subtransaction::attempt_with_files;
use crate::read::order::Counted;
use crate::read::scan;
use crate::read::source::Source;
use crate::read::table::Table;
use crate::release::measure::changes::VersionChanges;
use crate::release::measure::kept::KeptSummary;
use crate::release::store::columns::{self, pseudonyms, Fill, Output};
use crate::release::store::content::{Content, Steps};
use crate::release::store::counts::Counts;
use crate::release::store::destination;
use crate::release::store::manifest::must_exist;
use crate::release::store::means::{mean_column, Means};
use crate::release::store::nodes::Nodes;
use crate::release::store::parameters::{Holds, Parameters};
use crate::release::store::shown::{End, NodeForm};
use crate::release::store::tables::{version_table, VERSIONS};
use crate::release::trace::groups::{no_tree, Groups};
use crate::release::trace::load;
use crate::release::trace::regroup::regroup;
use crate::release::trace::rewound::Rewound;
use crate::release::trace::tree::{self, Tree};
use crate::release::trace::Version;
use crate::release::verbs::changes;
use crate::release::verbs::floor;
use crate::release::verbs::version::publish_version;
use crate::release::verbs::version::Layout;
use crate::search::StepRow;
use crate::terms::words::{Changes, Recoding};
use hashbrown::HashSet;
use pgrx::pg_sys;
use std::time::Instant;
use topdown::measure::{self, RecordClasses, Released};

/// Makes the next version of a release as the search for its current one stood after a step.
pub fn rewind(release: &str, step: i32) -> Result<serde_json::Value> {
    let _operation = Operation::writing()?;
    let (existing, _rights) = must_exist(release, Mode::Change)?;
    let mut parameters = existing.parameters()?.clone();
    floor::must_be_kept(release, &parameters)?;
    if let Some(kind) = parameters.arguments.clustering() {
        return Err(SqlError::unsupported(format!("a {kind} release has no steps to go back to")).hint(
            "release_refresh() makes its next version, and release_alter() one that was asked for otherwise.",
        ));
    }
    let mut trees = tree::of(&existing, existing.version)?;
    let mut steps = load::steps(&Version::of(&existing, existing.version)?, &trees, &parameters.names())?;
    let last = steps.len();
    if usize::try_from(step).map_or(true, |step| step > last) {
        let there = if last == 0 { "none".into() } else { format!("1 to {last}") };
        return Err(SqlError::parameter(format!("release \"{release}\" has no step {step}"))
            .detail(format!("The steps of its current version are {there}; 0 is the most general table.")));
    }
    // The first steps are those of intervals that have to be split.
    let must = |step: &&StepRow| {
        let least = parameters.least_splits(&step.attribute);
        let is_above = |tree: &Tree| tree.depths[step.refined.node] - i32::from(tree.has_null()) < least;
        let of_all_groups = step.refined.root.is_empty() && step.refined.from.is_none();
        of_all_groups && least > 0 && trees.get(&step.attribute).is_some_and(is_above)
    };
    let least = steps.iter().take_while(must).count();
    if (step as usize) < least {
        return Err(SqlError::parameter(format!("release \"{release}\" has {least} steps at least"))
            .detail("coarsest() asks for so many splits of intervals, which come first.")
            .hint("Rewind it to a later step, or change the masking with release_alter()."));
    }
    let is_local = parameters.arguments.recoding == Recoding::Local;
    let start = Instant::now();
    let groups = match is_local {
        true => Groups::of(&parameters, &trees, &steps)?,
        false => Groups::default(),
    };
    steps.truncate(step as usize);
    let destination = destination::next(release, existing.clone(), existing.source.clone())?;
    // Only a refresh knows what a view that its owner has dropped showed.
    Source::in_schema(existing.schema, &existing.view)?;
    let versions = Source::in_schema(existing.private, VERSIONS)?;
    let (columns, _) = columns::fit(Vec::new(), &versions)?;
    let source = Source::in_schema(existing.private, &version_table(existing.version))?;
    let places: Vec<usize> =
        columns.iter().map(|column| source.column(&column.name)).collect::<Result<_>>()?;
    as_written(&columns, &places, &source, &parameters)?;
    activity::enter(Phase::Reading);
    let table = match attempt_with_files(|| scan::read(&source, &places)) {
        // What each row is takes the most memory, and is what can be done without.
        Err(fault) if fault.is_of_memory() && parameters.row.is_some() => {
            let row = parameters.row.take();
            let is_other = |place: &usize| Some(&source.columns[*place].name) != row.as_ref();
            scan::read(&source, &places.iter().copied().filter(is_other).collect::<Vec<_>>())?
        }
        table => table?,
    };
    activity::enter(Phase::Binding);

    let (mut masked, mut nodes): (Vec<Rewound>, Vec<Nodes>) = (Vec::new(), Vec::new());
    for mask in &parameters.columns {
        let tree = trees.remove(&mask.name).ok_or_else(|| no_tree(&mask.name))?;
        let of_column = steps.iter().filter(|step| step.attribute == mask.name);
        let by_group = is_local && !parameters.arguments.show.contains(&mask.name);
        let cut = if by_group { tree.released() } else { tree.follow(mask.masked, of_column) };
        let column = table.column(source.column(&mask.name)?)?;
        let (rewound, mut of_column) = Rewound::new(mask, &parameters, tree, cut, column)?;
        if parameters.grows_by_values(mask) {
            // A value that no row holds is not shown.
            of_column.leave_out_unused();
        }
        masked.push(rewound);
        nodes.push(of_column);
    }
    if is_local {
        nodes = regroup(&mut masked, &groups, step, &parameters, table.rows)?;
    }
    // Which rows show what is new by local recoding, and only the source tells what else they are.
    let counts = match is_local {
        true => Vec::new(),
        false => {
            let above = |column: usize, within: Option<&str>| {
                let node = masked[column].node_of(within)?;
                Some(nodes[column].shown(node).map(String::from))
            };
            Counts::rewound(&existing, &parameters.names(), above, &nodes)?
        }
    };
    let means = means(&parameters, (&masked, &nodes), &table, |name| source.column(name))?;
    let shown = (&masked[..], &nodes[..], &means);
    let fills = fills(&columns, &places, shown, &parameters, &table, destination.version)?;
    for (mask, rewound) in parameters.columns.iter_mut().zip(&masked) {
        // A group's value stands for whatever the source has within it, and the source is not read.
        mask.non_uniform_entropy =
            mask.non_uniform_entropy.filter(|_| !is_local).map(|now| rewound.entropy(now));
    }
    if let Some(class) = &parameters.arguments.class {
        let class = Counted::new(table.column(source.column(class)?)?)?.codes;
        let released: Vec<Vec<u32>> = masked.iter().map(Rewound::as_numbers).collect();
        let columns = masked.iter().zip(&released);
        let columns: Vec<Released> = columns.map(|(m, numbers)| m.as_released(numbers)).collect();
        let classes = RecordClasses::build(&columns, table.records)?;
        parameters.class_information = Some(measure::class_information(&classes, &class, None)?);
    }
    parameters.trace = destination.version;
    parameters.steps_dropped = 0;
    // A refresh over the same rows makes what a rewind cannot: counts, and means of the source's values.
    parameters.fingerprint = None;
    parameters.scan = None;
    parameters.weaker = Vec::new();
    // It is measured on the source, which is not read.
    parameters.query_error = None;
    let place = |name: &str| source.column(name);
    let kept = KeptSummary::rewound(&parameters, (&masked, &table), place)?;
    kept.say(release)?;
    activity::enter(Phase::Writing);
    let mut content = Content {
        held: None,
        rows: table.rows,
        weights: None,
        counts,
        nodes,
        fills,
        steps: Steps::OfVersion(steps),
        withheld: Vec::new(),
        parameters,
        scan: start.elapsed().as_secs_f64(),
        search: 0.0,
    };
    let is_batched = content.parameters.arguments.changes == Changes::Batched;
    let outcome = publish_version(
        &destination,
        &Layout { columns, more: 0 },
        &mut content,
        (&VersionChanges::default(), &kept),
        None,
    )?;
    if is_batched {
        changes::must_be_batched(release, existing.version, step)?;
    }
    Ok(outcome)
}

/// The current version's table may not be what we wrote, and a manifest may say anything: what is read must be
/// of the types of what will be written, and where labels are written those are texts.
fn as_written(columns: &[Output], places: &[usize], source: &Source, parameters: &Parameters) -> Result<()> {
    let arguments = &parameters.arguments;
    let as_it_is = arguments.keep.iter().chain(&arguments.class).map(String::as_str);
    let as_it_is: HashSet<&str> =
        as_it_is.chain(arguments.privacy.iter().filter_map(|model| model.sensitive())).collect();
    let ends =
        parameters.columns.iter().flat_map(|mask| [End::Lower, End::Upper].map(|end| end.column(&mask.name)));
    let ends: HashSet<String> = ends.filter(|name| !as_it_is.contains(name.as_str())).collect();
    for (output, &place) in columns.iter().zip(places) {
        if ends.contains(&output.name) && parameters.end(&output.name).is_none() {
            return Err(SqlError::state("the release's current version is not as it was made")
                .detail(format!("Nothing tells what column \"{}\" shows.", output.name))
                .hint("Make a new version with release_refresh(..., mode => 'search')."));
        }
        let mask = parameters.mask(&output.name);
        let as_label = mask.is_some_and(|mask| !matches!(parameters.form(mask), NodeForm::Range(_)));
        let same = source.columns[place].type_oid == output.type_oid;
        if !same || as_label && output.type_oid != pg_sys::TEXTOID {
            return Err(SqlError::state("the release's current version is not as it was made")
                .detail(format!("Column \"{}\" is of another type than it should.", output.name))
                .hint("Make a new version with release_refresh(..., mode => 'search')."));
        }
    }
    Ok(())
}

/// The means of the new version: the source is not read, so a mean of the means of the rows.
fn means(
    parameters: &Parameters,
    (masked, nodes): (&[Rewound], &[Nodes]),
    table: &Table,
    place: impl Fn(&str) -> Result<usize>,
) -> Result<Means> {
    let names = parameters.arguments.means.iter().map(|name| mean_column(name));
    let columns = names.map(|name| place(&name).map(|place| (name, place))).collect::<Result<Vec<_>>>()?;
    let as_shown = masked.iter().zip(nodes).map(|(column, nodes)| column.as_shown(nodes));
    let numbers: Vec<(Vec<u32>, usize)> = as_shown.collect();
    let released = masked.iter().zip(&numbers).map(|(column, (as_number, numbers))| Released {
        codes: &column.keys,
        number_of_code: as_number,
        number_count: *numbers,
    });
    Means::of_means(&released.collect::<Vec<_>>(), table, columns)
}

/// How the columns of the new version are filled from the current one's.
fn fills<'a>(
    columns: &[Output],
    places: &[usize],
    (masked, nodes, means): (&'a [Rewound], &[Nodes], &'a Means),
    parameters: &Parameters,
    table: &'a Table,
    version: i32,
) -> Result<Vec<Fill<'a>>> {
    let persons = parameters.arguments.privacy.iter().filter_map(|model| model.person());
    let persons = persons.map(|name| parameters.hidden(Holds::Person, name));
    let persons: HashSet<&str> = persons.collect::<Result<_>>()?;
    let fill = |(output, &place): (&Output, &usize)| {
        if let Some(fill) = output.of_version(version) {
            return Ok(fill);
        }
        let Ok(column) = table.column(place) else {
            return Ok(Fill::Same(None));
        };
        if persons.contains(output.name.as_str()) {
            return Ok(Fill::ByKey(&column.codes, pseudonyms(column.distinct())));
        }
        if let Some(fill) = Fill::of_means(means, &output.name) {
            return Ok(fill);
        }
        let end_of = parameters.end(&output.name);
        for ((mask, rewound), nodes) in parameters.columns.iter().zip(masked).zip(nodes) {
            let keys = &*rewound.keys;
            if output.name == mask.name {
                let values = rewound.values(|node| column.ty.value_of(nodes.shown(node)))?;
                return Ok(Fill::ByKey(keys, values));
            }
            if let Some((_, end)) = end_of.filter(|(of, _)| of.name == mask.name) {
                let ends = match end {
                    End::Lower => &rewound.tree.lower,
                    End::Upper => &rewound.tree.upper,
                };
                let end = |node: usize| rewound.tree.end(ends[node].as_ref(), column.ty);
                return Ok(Fill::ByKey(keys, rewound.values(end)?));
            }
        }
        Ok(Fill::ByKey(&column.codes, column.datums().into_iter().map(Some).collect()))
    };
    columns.iter().zip(places).map(fill).collect()
}
