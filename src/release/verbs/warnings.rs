//! What a caller is warned of: that a release may tell more than was meant.

use crate::postgres::error::{percent, some_of, tell, warn, warn_with_hint, Result};
use crate::postgres::progress::{polled, stretches};
use crate::postgres::sql::quote;
use crate::postgres::subtransaction::attempt;
use crate::postgres::text::counted as counted_of;
use crate::read::table::Column;
use crate::release::store::counts::{is_uncounted, Count, Counts};
use crate::release::store::kept::{rows_of_codes, KeptColumns, TellingTop};
use crate::release::store::manifest::ExistingRelease;
use crate::release::store::means::{Dominance, Means, TellingMeans, DOMINANT, LEFT};
use crate::search::columns::{Guesses, TellsWho};
use crate::search::{room_of_groups, SearchResult};
use crate::terms::arguments::Arguments;
use crate::terms::labels::{Labels, TreeEnds, TreeLabels};
use crate::terms::looks::{looks, spread, Looks, FEWEST};
use crate::terms::masking::masking;
use crate::terms::names;
use crate::terms::privacy_model::k_anonymity::{call as k_anonymity, largest, smallest_class};
use crate::terms::privacy_model::{privacy_model, LkcPrivacy};
use crate::terms::request::Request;
use crate::terms::several::Several;
use crate::terms::words::{Changes, Endpoints, Recoding};
use pgrx::notice;
use pgrx::spi::quote_literal;
use topdown::progress::check_memory;
use topdown::table::{Store, NONE};
use topdown::{Code, CodedColumn};

/// A release that is made for somebody else.
pub fn of_another_owner(release: &str, existing: &ExistingRelease) {
    warn(
        format!("release \"{release}\" belongs to \"{}\"", existing.owner),
        "Its next version is made with that role's rights, and is that role's to read in full.",
    );
}

/// What shows in what was found, and follows from what was asked for: a refresh does not say it again.
pub fn of_what_was_asked(request: &Request, found: &SearchResult) -> Result<()> {
    of_ends(request, found);
    of_texts(request, found);
    of_redundant(request, found);
    of_unbounded_groups(request);
    of_smallest_groups(request);
    of_class(request, found);
    of_uncounted(request);
    of_batches(request);
    of_several_facts(request, found)?;
    of_persons(request, found)
}

/// Groups of local recoding have room for changes, which costs detail.
fn of_batches(request: &Request) {
    let arguments = &request.arguments;
    if arguments.changes == Changes::Batched && arguments.is_by_group() {
        tell(
            format!(
                "changes are batched: groups have at least {} times the rows that the models ask for",
                room_of_groups(arguments)
            ),
            "Of smaller groups hardly a part could come or leave. Look at waiting and lingering after some refreshes: by recoding => 'global' they are fewer, and the release is coarser.",
        );
    }
}

/// A value that is missing leaves its class without a mean, and mostly a few leave many.
const LACKING: f64 = 0.01;

/// Columns of means that many rows have none in, or that tell how many rows of a class hold which value.
pub fn of_means(means: &Means, kept: &KeptColumns, found: &SearchResult) -> Result<()> {
    let rows = found.table.rows.max(1) as f64;
    for (name, lacking) in means.lacking(found.table.weights())? {
        let share = lacking as f64 / rows;
        if share > LACKING {
            tell(
                format!("\"{name}\" is NULL in {} of the rows", percent(share)),
                "Where one value of a class is missing there is no mean. Release a view that has values there, coalesce(...), or no such rows.",
            );
        }
    }
    let way_out = "Leave the column out of means, or ask for larger groups: by a greater k, or, but in kmember_anonymize, by finest().";
    let of_classes = (("class", "classes"), ("row or person", "rows or persons"));
    of_telling_means(&means.telling, of_classes, "than the models ask for in a group", way_out);
    let way_out = "Leave the column out of keep, or mask it.";
    of_telling_means(&kept.telling, (("run", "runs"), ("row", "rows")), "than a run has at least", way_out);
    kept.telling_tops.iter().for_each(of_telling_top);
    Ok(())
}

/// Columns whose means are made anew in each version, and columns that have means and counts.
pub fn of_means_together(
    before: Option<&ExistingRelease>,
    request: &Request,
    counts: &[Counts],
) -> Result<()> {
    let has_means = |arguments: &Arguments, name: &String| {
        arguments.means.contains(name) || arguments.masking_of(name).is_some_and(masking::shows_means)
    };
    let all = request.source.columns.iter().map(|column| &column.name);
    let now: Vec<&String> = all.filter(|name| has_means(&request.arguments, name)).collect();
    if let Some(before) = before {
        let then = &before.parameters()?.arguments;
        let both: Vec<&String> = now.iter().copied().filter(|name| has_means(then, name)).collect();
        if !both.is_empty() {
            warn_with_hint(
                format!(
                    "the means of {} are made anew: with those of version {} they may tell values of single rows",
                    some_of(both),
                    before.version
                ),
                "A mean times its rows is a sum. Where a few rows came or left, or groups, runs or tops begin elsewhere, whoever has read both versions can subtract.",
                "Make new versions seldom; or round the column, rounded(...), or mask it.",
            );
        }
    }
    let counted: Vec<&String> = counts
        .iter()
        .map(|counts| &counts.attribute)
        .filter(|name| request.arguments.means.contains(name))
        .collect();
    if !counted.is_empty() {
        warn_with_hint(
            format!("{} shows means and counts: together they may tell values of few rows", some_of(counted)),
            "The sum of all rows, less that of the values that have a count of their own, is the sum of those that are counted together.",
            "Leave the column out of means, or set counts to false.",
        );
    }
    Ok(())
}

/// The mean of a top tells its sum, of which most may be one row's.
fn of_telling_top(top: &TellingTop) {
    let TellingTop { column, rows, of_two_values, dominance } = top;
    let dominance = match dominance {
        Dominance::One => Some((
            "nearly tells the value of one row",
            format!("It is over {} of what the {rows} rows of the top have above the least of them.", percent(DOMINANT)),
        )),
        Dominance::Two => Some((
            "nearly tells the value of one row to whoever knows another one",
            format!("Without the two greatest, what the {rows} rows of the top have above the least of them is below {} of the greatest.", percent(LEFT)),
        )),
        Dominance::None => None,
    };
    let two_values = of_two_values.then(|| {
        (
            "tells how many of its rows have which of two values",
            format!(
                "Its {rows} rows have no others, and fewer have one of the two than a group has at least."
            ),
        )
    });
    for (what, detail) in two_values.into_iter().chain(dominance) {
        warn_with_hint(
            format!("the top of column \"{column}\" {what}"),
            format!("{detail} The mean times the rows is their sum."),
            format!(
                "Name a lower bound, so that more rows are above it: top_coded({}, ...). Or limit the column in a view: least({}, ...). Or mask it.",
                quote_literal(column),
                quote(column)
            ),
        );
    }
}

/// Means of two values are counts, and one of little but one value is nearly that.
fn of_telling_means(
    telling: &[TellingMeans],
    ((one, several), (unit, units)): ((&str, &str), (&str, &str)),
    least: &str,
    way_out: &str,
) {
    for TellingMeans { column, counts, dominated, dominated_by_two, all } in telling {
        if *counts > 0 {
            warn_with_hint(
                format!(
                    "the means of column \"{column}\" tell how many rows of a {one} have which of two values"
                ),
                format!("In {counts} of {all} {several} one of the two has fewer {units} {least}."),
                way_out,
            );
        }
        if *dominated > 0 {
            warn_with_hint(
                format!("the means of column \"{column}\" nearly tell the value of one {unit} of a {one}"),
                format!(
                    "In {dominated} of {all} {several} it is over {} of the sum, which is the mean times the rows.",
                    percent(DOMINANT)
                ),
                way_out,
            );
        }
        if *dominated_by_two > 0 {
            warn_with_hint(
                format!("the means of column \"{column}\" nearly tell the value of one {unit} of a {one} to whoever knows another one"),
                format!(
                    "In {dominated_by_two} of {all} {several} the sum, which is the mean times the rows, is that of two {units}, but for less than {} of the greatest.",
                    percent(LEFT)
                ),
                way_out,
            );
        }
    }
}

/// Rows that are left out because they have no place.
pub fn of_rows_without_place(release: &str, found: &SearchResult) {
    let Some((rows, columns)) = &found.withheld.without_place else { return };
    let what =
        if *rows == 1 { "row is withheld: it has a value" } else { "rows are withheld: they have values" };
    warn_with_hint(
        format!("{rows} {what} without a place in {}", columns.join(", ")),
        format!("What release \"{release}\" has withheld stays withheld, also when such values have a place."),
        "Give the values a place in the taxonomy, or widen the bounds, so that other rows that hold them are released.",
    );
}

/// Rows that have no place, and come to no version while they have none.
pub fn of_rows_that_wait(release: &str, found: &SearchResult) {
    let rows = found.withheld.held.without_place;
    if rows == 0 {
        return;
    }
    let what = if rows == 1 { "row waits: it has a value" } else { "rows wait: they have values" };
    warn_with_hint(
        format!("{rows} {what} without a place in release \"{release}\""),
        "The values are in no taxonomy, or outside the bounds, or no group takes them in.",
        "Add them to the taxonomy, or mend them in the source. Bounds are widened by release_alter(..., masking => ..., changes => 'any', allow_weaker => true).",
    );
}

/// Columns of which no counts are shown.
fn of_uncounted(request: &Request) {
    let arguments = &request.arguments;
    let names = (0..request.masked.len()).map(|a| request.name(a));
    let uncounted: Vec<&str> = names.filter(|name| is_uncounted(arguments, name)).collect();
    if arguments.counts && !uncounted.is_empty() {
        tell(
            format!("no counts are shown of {}", some_of(uncounted)),
            "A model keeps values suppressed that have rows enough: counts would name them.",
        );
    }
}

/// Counts that tell of all rows together, and so nothing.
pub fn of_joined_counts(counts: &[Counts], any: &str) {
    let is_of_all = |rows: &[Count]| matches!(rows, [all] if all.node.0.as_deref() == Some(any));
    let joined: Vec<&str> =
        counts.iter().filter(|of| is_of_all(&of.rows)).map(|of| of.attribute.as_str()).collect();
    if !joined.is_empty() {
        tell(
            format!("the counts of {} tell of all rows together", some_of(joined)),
            "Finer ones would tell of few rows or break a model of a sensitive value, or finest() does not allow them.",
        );
    }
}

/// How a column is released that somebody asked to keep.
const KEPT: &str = "kept";

/// Columns that are released as they are, and identify persons: perhaps by mistake.
pub fn of_identifiers(
    release: &str,
    request: &Request,
    found: &SearchResult,
    shown: &KeptColumns,
) -> Result<()> {
    let rows = found.table.rows;
    let open = request.sensitive.iter().filter(|&&column| request.masked.iter().all(|m| m.column != column));
    let sensitive = |column: &&usize| request.sensitive.contains(column);
    let kept = request.keep.iter().filter(|column| !sensitive(column) && request.class != Some(**column));
    let released = kept.map(|column| (column, KEPT));
    let class = (request.class.iter())
        .filter(|class| !sensitive(class))
        .map(|class| (class, "the class, and released as it is"));
    let open = open.map(|column| (column, "sensitive, and released as it is"));
    let guesses = Guesses::new(&request.source, largest(&request.arguments.privacy))?;
    for (&column, how) in released.chain(class).chain(open) {
        let read = found.table.column(column)?;
        let (distinct, name) = (read.distinct(), &request.source.columns[column].name);
        // What kept columns single out is counted (kept.rs).
        if how != KEPT && rows > 1 && distinct * 2 > rows {
            warn(
                format!("column \"{name}\" is {how}, but nearly unique: it identifies rows"),
                format!("In release \"{release}\" {distinct} distinct values in {rows} rows are released as they are."),
            );
        } else if let Some(what) = contact(read) {
            warn(
                format!("column \"{name}\" is {how}, but looks like {what}: it identifies persons"),
                format!("In release \"{release}\" its values are released as they are."),
            );
        } else if let Some(joined) =
            joined_by(shown.released(column, read), found)?.filter(|joined| joined * 2 > rows)
        {
            warn(
                format!("column \"{name}\" is {how}, but tells whose a row is: rows of one person can be joined by it"),
                format!("In release \"{release}\" {joined} of {rows} rows hold a value that others hold, too, but only the same person's."),
            );
        } else if shown.get(column).is_none() {
            let guess = attempt(|| {
                let counts = rows_of_codes(read, found.table.weights())?;
                let nulls = (rows as u64).saturating_sub(polled(&counts).sum());
                guesses.guess(column, read, (&counts, nulls))
            });
            // So many values that memory does not suffice for a guess single rows out, which is counted.
            let guess = match guess {
                Err(fault) if fault.is_of_memory() => None,
                guess => guess?,
            };
            let (what, why) = match guess {
                Some(TellsWho::Identity(why)) => ("it seems to say who somebody is", why),
                Some(TellsWho::Key(why)) => {
                    ("it looks like a key: rows of one person can be joined by it", why)
                }
                None => continue,
            };
            warn(format!("column \"{name}\" is {how}, but {what}"), format!("{why} (Release \"{release}\")"));
        }
    }
    Ok(())
}

/// Columns that are released as they are, and whose values hold several facts: a group may be as large as it should be by such a
/// value, and the value may name somebody.
fn of_several_facts(request: &Request, found: &SearchResult) -> Result<()> {
    for place in request.as_they_are() {
        let (column, name) = (found.table.column(place)?, &request.source.columns[place].name);
        let Some(several) = Several::find(column) else { continue };
        let what = match several {
            Several::Type(_) => format!("a value of type {} may hold several facts", column.ty.name()),
            Several::Texts(texts) => {
                let verb = if texts == 1 { "is a text" } else { "are texts" };
                format!(
                    "{texts} of its {} {verb} that may hold several facts",
                    counted_of(column.distinct() as u64, "value")
                )
            }
        };
        tell(
            format!("column \"{name}\" is released as it is, and {what}"),
            format!(
                "Whole values are counted, and no fact within them. Mask the column, leave it out, or {}.",
                several.way_out(name)
            ),
        );
    }
    Ok(())
}

/// If persons are counted: the number of rows with a value that occurs in several rows, all of the same person.
/// With several person columns, the largest number.
fn joined_by(column: CodedColumn, found: &SearchResult) -> Result<Option<usize>> {
    if column.cardinality < FEWEST {
        return Ok(None);
    }
    let joined = found.persons.iter().map(|(persons, _)| joined_of(column, persons, found));
    Ok(joined.collect::<Result<Vec<usize>>>()?.into_iter().max())
}

fn joined_of(column: CodedColumn, persons: &Store, found: &SearchResult) -> Result<usize> {
    check_memory::<(Code, Code, usize)>(column.cardinality)?;
    // Of each value one person, whether it is that one's alone, and in how many rows.
    let mut held = vec![(NONE, true, 0); column.cardinality];
    let (mut values, mut whose) = (Vec::new(), Vec::new());
    for records in stretches(found.table.records) {
        let (values, whose) =
            (column.codes.fetch(records.clone(), &mut values)?, persons.fetch(records.clone(), &mut whose)?);
        for (record, (&value, &person)) in records.zip(values.iter().zip(whose)) {
            let Some((first, alone, rows)) = held.get_mut(value as usize) else { continue };
            *alone &= *rows == 0 || *first == person;
            (*first, *rows) = (person, *rows + found.table.rows_of(record));
        }
    }
    let joined = polled(&held).filter(|(_, alone, rows)| *alone && *rows > 1);
    Ok(joined.map(|(.., rows)| rows).sum())
}

/// What ways to reach somebody the values of a column look like, judged by some of them.
fn contact(column: &Column) -> Option<&'static str> {
    looks(&column.texts_at(spread(column.distinct()))).and_then(Looks::contact)
}

/// Nothing bounds the size of a group: it may be a single row, whose values are then shown.
fn of_unbounded_groups(request: &Request) {
    let models = &request.arguments.privacy;
    let bounds = |model: &privacy_model| {
        model.k_anonymity().is_some_and(|model| model.k > 1)
            || matches!(model, privacy_model::LDiversity(model) if model.l > 1.0)
    };
    let Some(first) = models.first().filter(|_| !models.iter().any(bounds)) else { return };
    tell(
        "no model bounds the size of groups: one may be a single row",
        format!("{} beside the others asks for groups of five.", k_anonymity(first.attributes(), 5, None)),
    );
}

/// Warns where groups of one or two rows are allowed. Their released values, and the fact that they were not
/// divided further, reveal what their rows hold (docs/inference.md). With global recoding such groups are rare.
fn of_smallest_groups(request: &Request) {
    let is_clustered = request.arguments.clusters();
    if !request.arguments.is_by_group() {
        return;
    }
    // Whatever columns a model names, its groups are those by all of them.
    let models = &request.arguments.privacy;
    let of_lkc = models.iter().filter_map(|model| match model {
        privacy_model::LkcPrivacy(LkcPrivacy { k, .. }) => Some(*k),
        _ => None,
    });
    let k = of_lkc.fold(smallest_class(models, &[], true), Ord::max);
    let least = match request.arguments.recoding {
        Recoding::Clustered => LEAST_K_OF_CLUSTERS,
        _ => LEAST_K,
    };
    if k >= least {
        return;
    }
    let (what, detail, way_out) = if is_clustered {
        ("clustering", "An interval ends at values of its cluster: of two rows one has its lower end and one its upper end.", "")
    } else {
        ("recoding => 'local'", "A group that was not divided further could not be, and whoever knows the algorithm knows that: of two rows that show a node of two values, one has the first and one the second.", ", or for recoding => 'global'")
    };
    warn_with_hint(
        format!("{what} with k = {k} over all masked columns: rows can be worked out that the release does not show"),
        detail,
        format!("Ask for a k_anonymity of {least} or more over all masked columns together{way_out}."),
    );
}

/// The least k at which an attacker who knows the algorithm reconstructs hardly any row.
const LEAST_K: i32 = 3;

/// The same of clusters, whose intervals end at values of their rows: at 4 it is still one group in a hundred.
const LEAST_K_OF_CLUSTERS: i32 = 5;

/// Rows may be of fewer persons than there are rows: the source has a column that looks like their key.
fn of_persons(request: &Request, found: &SearchResult) -> Result<()> {
    let models = &request.arguments.privacy;
    let is_of_rows = |model: &&privacy_model| model.k_anonymity().is_some() && model.person().is_none();
    let Some(model) = models.iter().find(is_of_rows).filter(|_| request.persons.is_empty()) else {
        return Ok(());
    };
    let rows = found.table.rows;
    for (place, column) in request.source.columns.iter().enumerate() {
        let masked = request.masked.iter().any(|m| m.column == place);
        if masked || !names::is_key_of_persons(&column.name) {
            continue;
        }
        let distinct = match found.table.column(place) {
            Ok(read) => Some(read.distinct()),
            // What nobody has named is not read.
            Err(_) => request.source.distinct(&column.name, rows)?,
        };
        // Of about as many persons as rows, or of so few that it is something else of theirs.
        let Some(distinct) = distinct.filter(|d| d * 20 < rows * 19 && d * 100 >= rows) else { continue };
        let k = model.required() as i32;
        tell(
            format!(
                "column \"{}\" has about {distinct} values in {rows} rows: groups of rows may be of fewer persons",
                column.name
            ),
            format!("{} counts persons.", k_anonymity(model.attributes(), k, Some(&column.name))),
        );
    }
    Ok(())
}

/// A class of one value is told by nothing: no refinement is of any use.
fn of_class(request: &Request, found: &SearchResult) {
    let Some(class) = request.class else { return };
    let read = found.table.column(class);
    let values = read.map_or(2, |class| class.distinct() + usize::from(class.nulls));
    if found.table.rows > 0 && values == 1 {
        let name = &request.source.columns[class].name;
        tell(
            format!("the class \"{name}\" has the same value in every row: nothing is refined for it"),
            "class => NULL makes a release for general use.",
        );
    }
}

/// Ends of intervals that are values of the data, perhaps of one row alone: asked for, or of types
/// between whose values nothing is known to lie.
fn of_ends(request: &Request, found: &SearchResult) {
    for (attribute, column) in found.columns.iter().enumerate() {
        if let Labels::Taxonomy(_, TreeLabels { ends: TreeEnds::ByLeaves(_), .. }) = &column.bound.labels {
            warn(
                format!("the ends of column \"{}\" are leaves of its taxonomy", request.name(attribute)),
                "If that was made of the data, an end may be the value of a single row, also of one that is withheld. A taxonomy with columns lower and upper shows these.",
            );
        }
        let Labels::Intervals(intervals) = &column.bound.labels else { continue };
        let shown = intervals.endpoints == Endpoints::Values || !intervals.ty.is_continuous();
        if shown && intervals.points.is_none() {
            warn(
                format!("the intervals of column \"{}\" end at values of the data", request.name(attribute)),
                match intervals.ty.is_continuous() {
                    true => "An end may be the value of a single row; endpoints => 'rounded' shows rounded ends of numbers, dates and times.",
                    false => "An end may be the value of a single row. Only ends of numbers, dates and times can be rounded: give breakpoints or a taxonomy, or release a view that casts the column.",
                },
            );
        }
    }
}

/// Codes and addresses that are suppressed because nothing else was asked for could be shown by how they
/// begin; dates and numbers that are texts could be more, as what they are.
fn of_texts(request: &Request, found: &SearchResult) {
    for (attribute, column) in found.columns.iter().enumerate() {
        let name = request.name(attribute);
        let is_text = request.source.type_of(request.masked[attribute].column).is_text();
        match &column.bound.labels {
            Labels::Values(values) => {
                let asked = request.arguments.masking.iter().any(|by| by.column_name() == name);
                if let Some(hint) =
                    looks(values).filter(|_| !asked).and_then(|it| look_like(name, it, is_text))
                {
                    tell(
                        format!("column \"{name}\" is suppressed: its values are shown whole or not at all"),
                        hint,
                    );
                }
            }
            Labels::Intervals(intervals) if is_text => {
                let some = spread(intervals.values.len());
                let texts: Vec<String> = some.map(|at| intervals.ty.text(intervals.values[at])).collect();
                if let Some(hint) = looks(&texts).and_then(|it| better_cast(name, it)) {
                    tell(format!("the values of column \"{name}\" are compared as texts"), hint);
                }
            }
            _ => {}
        }
    }
}

/// How values that look like something would better be masked.
fn look_like(name: &str, looks: Looks, is_text: bool) -> Option<String> {
    let quoted = quote_literal(name);
    match looks {
        Looks::NetworkAddresses => Some(format!(
            "They look like addresses: by_network({quoted}) shows the networks that they are in, of type inet or cidr."
        )),
        Looks::Codes { characters } => Some(format!(
            "They look like codes of {characters} characters: by_prefix({quoted}) shows how they begin."
        )),
        _ if is_text => better_cast(name, looks),
        _ => None,
    }
}

/// How texts that look like values of another type would better be released.
fn better_cast(name: &str, looks: Looks) -> Option<String> {
    let column = quote(name);
    let (what, cast) = looks.better_cast(&column)?;
    let or = match looks {
        Looks::Dates { or: Some(or), .. } => format!(" If the parts stand for others: '{or}'."),
        _ => String::new(),
    };
    Some(format!("They look like {what}: release a view that casts them, as {cast} AS {column}.{or}"))
}

/// A model that another implies is recounted, but never decides.
fn of_redundant(request: &Request, found: &SearchResult) {
    let models = &request.arguments.privacy;
    for (model, redundant) in models.iter().zip(&found.redundant) {
        if let Some(by) = redundant {
            notice!("{} is implied by {}", model.shown(), models[*by].shown());
        }
    }
}
