//! What the objects of a release say of themselves where tools show it, as COMMENTs: by which kinds of models it is
//! released, and how each column is masked. Everybody may read comments: they do not name the source, and there is
//! no cut point in them, no count and no threshold.

use crate::postgres::datum::Type;
use crate::postgres::error::Result;
use crate::postgres::sql::{self, quote};
use crate::release::store::destination::Destination;
use crate::release::store::means::mean_column;
use crate::release::store::parameters::Parameters;
use crate::release::store::shown::{End, MaskedAs};
use crate::release::store::tables::{ShownView, COUNTS, SHOWN, TABLES, UNFOLDED};
use crate::terms::arguments::Arguments;
use crate::terms::masking::{masking, UpperEnd};
use crate::terms::words::Changes;
use pgrx::spi::quote_literal;

/// Comments on the release, its view and the view's columns, in the first version and where it changes; and on the
/// views that were `made` for a version.
pub fn write(destination: &Destination, parameters: &Parameters, made: &[&str]) -> Result<()> {
    let before = destination.existing.as_ref();
    let same = match before {
        Some(before) => says(before.parameters()?) == says(parameters),
        None => false,
    };
    if !same || made.contains(&destination.view.as_str()) {
        of_view(destination, parameters)?;
    }
    let of_release = |shown: &&ShownView| made.contains(&shown.name) && shown.name != destination.view;
    for shown in SHOWN.iter().filter(of_release) {
        let view = destination.shown(shown.name);
        comment(&format!("VIEW {view}"), shown.text)?;
        for (column, text) in shown.columns {
            comment(&format!("COLUMN {view}.{}", quote(column)), text)?;
        }
    }
    if before.is_some() {
        return Ok(());
    }
    comment(
        &format!("SCHEMA {}", quote(&destination.private())),
        &format!("what the owner of the release {} keeps; grant it to nobody", quote(&destination.release)),
    )?;
    for view in UNFOLDED {
        comment(&format!("VIEW {}", destination.object(view.name)), view.text)?;
    }
    for table in TABLES {
        comment(
            &format!("TABLE {}", destination.object(table.name)),
            "what the release knows of its versions; the owner's",
        )?;
    }
    comment(
        &format!("TABLE {}", destination.versions()),
        "the rows of all versions, which are its partitions; the owner's",
    )
}

/// On the release, its view and the view's columns.
fn of_view(destination: &Destination, parameters: &Parameters) -> Result<()> {
    let (view, (models, columns)) = (destination.shown(&destination.view), says(parameters));
    comment(
        &format!("SCHEMA {}", quote(&destination.release)),
        &format!("released by pg_topdown: {models}"),
    )?;
    comment(&format!("VIEW {view}"), &format!("released by pg_topdown: {models}"))?;
    for (name, masked) in columns {
        comment(&format!("COLUMN {view}.{}", quote(&name)), &masked)?;
    }
    Ok(())
}

fn comment(object: &str, text: &str) -> Result<()> {
    sql::run(&statement(object, text), &[]).map(|_| ())
}

/// The statement that comments on an object.
pub fn statement(object: &str, text: &str) -> String {
    format!("COMMENT ON {object} IS {}", quote_literal(text))
}

/// What the comments of a version depend on: the models' kinds, and what is said of each column of the view.
fn says(parameters: &Parameters) -> (String, Vec<(String, String)>) {
    let arguments = &parameters.arguments;
    let mut columns: Vec<(String, String)> = Vec::new();
    for mask in &parameters.columns {
        let how = match mask.masked {
            MaskedAs::Taxonomy => "generalized along a taxonomy",
            MaskedAs::Intervals => "generalized to intervals",
            MaskedAs::Suppression => "suppressed, or disclosed",
        };
        let upper_end = parameters.upper_end(mask);
        columns.push((
            mask.name.clone(),
            format!("{how}{}", overlap(arguments, &mask.name, upper_end.is_some())),
        ));
        let is_clustered = arguments.clustering().is_some();
        let is_whole = Type::on_a_line(&mask.type_name).is_some_and(|ty| ty.is_whole());
        let texts = match upper_end {
            _ if mask.masked == MaskedAs::Intervals && !is_clustered => [LOWER, UPPER],
            _ if mask.masked == MaskedAs::Intervals && is_whole => [LEAST, AFTER],
            Some(_) if mask.masked == MaskedAs::Intervals => [LEAST, GREATEST],
            Some(UpperEnd::Excluded) => [BEGIN, END],
            _ => [LEAST, GREATEST],
        };
        if upper_end.is_some() {
            let ends = [End::Lower, End::Upper].into_iter().zip(texts);
            columns.extend(ends.map(|(end, text)| (end.column(&mask.name), text.into())));
        }
    }
    let is_by_group = arguments.is_by_group();
    let mean = match &arguments.show[..] {
        _ if !is_by_group => MEAN.to_string(),
        [] => format!("{MEAN}; {PART}"),
        shown => format!("{MEAN}; {PART}: group by {}", shown.join(", ")),
    };
    columns.extend(arguments.means.iter().map(|name| (mean_column(name), mean.clone())));
    let sensitive = arguments.privacy.iter().filter_map(|model| model.sensitive());
    let sensitive = sensitive.map(|name| (name, "sensitive, as it is in the source"));
    let others = arguments
        .class
        .iter()
        .chain(&arguments.keep)
        .map(|name| (name, kept_as(parameters, name).unwrap_or("as it is in the source")));
    let as_they_are: Vec<(String, String)> = (sensitive.map(|(name, text)| (name.to_string(), text.into())))
        .chain(others.map(|(name, text)| (name.clone(), text.into())))
        .collect();
    for (name, text) in as_they_are {
        if parameters.mask(&name).is_none() && !columns.iter().any(|(column, _)| *column == name) {
            columns.push((name, text));
        }
    }
    let lag = match arguments.changes {
        Changes::Batched => LAG,
        Changes::Any => "",
    };
    (format!("{}{lag}", models(parameters)), columns)
}

/// What is said of a release whose changes are batched.
const LAG: &str =
    "; changes come in batches: rows may be gone from the source, and the newest may be missing";

/// What is said of a kept column that has a masking; none of others.
pub fn kept_as(parameters: &Parameters, name: &str) -> Option<&'static str> {
    match parameters.arguments.masking_of(name)? {
        masking::Rounded(_) => Some("rounded: each value is a multiple of a step, or the beginning of a stretch of time, which makes averages early by half of it"),
        masking::TopCoded(_) => Some("as it is in the source up to a bound; all greater values are shown as their mean; sums and averages are the source's over all rows, and by groups estimates"),
        masking::Microaggregated(_) => Some("means: each value is the mean of several rows that are alike on all masked columns and lie near each other; grouped by masked columns sums are the source's, but for rounding, and by others estimates; NULL where a value is missing, and in some rows beside it, which sums lack and averages are far off by"),
        _ => None,
    }
}

/// That the values that groups show of a column overlap, and what to use instead; nothing where a value is shown alike
/// wherever it occurs.
fn overlap(arguments: &Arguments, name: &str, has_ends: bool) -> String {
    let by_group = arguments.is_by_group();
    if !by_group || arguments.show.iter().any(|shown| shown == name) {
        return String::new();
    }
    let mut instead = Vec::new();
    if !arguments.show.is_empty() {
        instead.push(format!("group by {}", arguments.show.join(", ")));
    }
    if has_ends {
        let [lower, upper] = [End::Lower, End::Upper].map(|end| end.column(name));
        instead.push(format!("spread rows over {lower} to {upper}"));
    }
    if arguments.counts {
        instead.push(format!("take counts by this column alone from the view {COUNTS}, where it is finer"));
    }
    if instead.is_empty() {
        instead.push("spread rows over what a value stands for".into());
    }
    format!(
        "; values of different groups may overlap, and GROUP BY on them then is biased: {}",
        instead.join(", or ")
    )
}

/// What is said of the columns of ends.
const LOWER: &str =
    "the lower end of the interval, which belongs to it; NULL where it is open, or all or none is known";
const UPPER: &str = "the upper end of the interval, which belongs to the last one of a domain with an upper bound, and to no other; NULL where it is open, or all or none is known";

const BEGIN: &str = "the beginning of the stretch of time; NULL where it is open, or all or none is known";
const END: &str = "the end of the stretch of time, which does not belong to it; NULL where it is open, or all or none is known";
const LEAST: &str =
    "the lower end of the values that are shown so, which belongs to them; NULL where all or none is known";
const GREATEST: &str =
    "the upper end of the values that are shown so, which belongs to them; NULL where all or none is known";
const AFTER: &str = "the value after the greatest that is shown so; NULL where there is none";

/// What is said of a column of means.
const MEAN: &str = "the mean of the source's values in the rows that are alike on all masked columns, the same in each of them: averaged by masked columns it is these rows' mean, by others an estimate; NULL where a value is missing";

const PART: &str = "rows that show the same value of a masked column are a part of those that have it, and their mean may be another";

/// The kinds of models, each once.
fn models(parameters: &Parameters) -> String {
    let mut kinds: Vec<&'static str> = Vec::new();
    for kind in parameters.arguments.privacy.iter().map(|model| model.name()) {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    kinds.join(", ")
}
