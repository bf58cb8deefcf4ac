//! Verifying a release: every model is recounted with plain SQL on what was written.

use crate::postgres::error::{number, Result, SqlError};
use crate::postgres::operation::Operation;
use crate::postgres::sql::{self, Values};
use crate::read::plan::look_at;
use crate::read::scan;
use crate::read::source::Source;
use crate::recount::means::{self, ShownNodes, WithMeans};
use crate::recount::numbers::{self, Enough, ShownNumber};
use crate::recount::{self, kept, Asked, Count, Others};
use crate::release::store::counts as store;
use crate::release::store::manifest::must_be_readable;
use crate::release::store::means::mean_column;
use crate::release::store::parameters::{fingerprint, Holds, Mask, Parameters, SourceColumn};
use crate::release::store::shown::MaskedAs;
use crate::release::store::tables::{version_table, COUNTS};
use crate::release::trace::masked::{MaskedRows, ShownPart, TargetColumn, Unknown};
use crate::release::trace::Version;
use crate::terms::labels::CHANGED_BY_HAND;
use crate::terms::masking::masking;
use crate::terms::privacy_model::k_anonymity::{enough_of_counts, largest, smallest_class};
use crate::terms::privacy_model::{privacy_model, Counts, Kept, Means};
use crate::terms::request::population;
use crate::terms::words::Recoding;
use hashbrown::HashSet;
use pgrx::datum::DatumWithOid;
use pgrx::notice;
use pgrx::pg_sys::Oid;
use serde_json::json;

/// What a recount found.
#[derive(Debug)]
pub struct Verdict {
    /// The model.
    pub model: privacy_model,
    /// What it asks for.
    pub required: f64,
    /// What was found; none in a relation without rows.
    pub achieved: Option<f64>,
    /// Whether that is good enough.
    pub holds: bool,
}

/// What a model achieves, as JSON, which has no infinity.
pub fn achieved_in_json(achieved: f64) -> serde_json::Value {
    if achieved.is_infinite() {
        json!("Infinity")
    } else {
        json!(achieved)
    }
}

impl Verdict {
    /// As the returned object shows it.
    pub fn to_json(&self) -> serde_json::Value {
        json!({
            "model": self.model.to_json(),
            "required": self.required,
            "achieved": self.achieved.map(achieved_in_json),
            "holds": self.holds,
        })
    }

    /// What was found, in words.
    pub fn shown(&self) -> String {
        self.achieved.map_or("no rows".into(), number)
    }
}

/// Recounts models: on the view, or, where a sensitive column is also masked or persons are counted, on the
/// version table, which keeps the original values, and pseudonyms, beside what is released. Both under the
/// snapshot in force.
/// What a population is matched by only the owner may read: it is asked where a `version` is given.
pub fn recount(
    view: &Source,
    table: Option<&Source>,
    version: Option<&Version>,
    parameters: &Parameters,
) -> Result<Vec<Verdict>> {
    let models = &parameters.arguments.privacy[..];
    let masked: HashSet<&str> = models.iter().flat_map(|m| m.attributes()).map(String::as_str).collect();
    let copies: Vec<[Option<&str>; 2]> = (models.iter())
        .map(|model| {
            let sensitive = model.sensitive().filter(|s| masked.contains(s));
            let sensitive = sensitive.map(|name| parameters.hidden(Holds::Sensitive, name));
            let person = model.person().map(|name| parameters.hidden(Holds::Person, name));
            Ok([sensitive.transpose()?, person.transpose()?])
        })
        .collect::<Result<_>>()?;
    let mut counts: Vec<Option<Count>> = models.iter().map(|_| None).collect();
    let others = version.map(|version| models.iter().map(|model| others(view, version, model)).collect());
    let others: Vec<Option<Others>> = others.transpose()?.unwrap_or_default();
    for (relation, copied) in [(Some(view), false), (table, true)] {
        // What a population is matched by is the same there.
        let is_copied = |m: usize| copies[m].iter().any(Option::is_some) || models[m].population().is_some();
        let members: Vec<usize> = (0..models.len()).filter(|&m| is_copied(m) == copied).collect();
        let asked = |&m: &usize| {
            let [sensitive, person] = copies[m];
            let sensitive = sensitive.or(models[m].sensitive());
            let others = others.get(m).and_then(Option::as_ref);
            Asked { model: &models[m], sensitive, person, others }
        };
        let asked: Vec<Asked> = members.iter().map(asked).collect();
        let Some(relation) = relation else {
            for Asked { model, .. } in asked {
                notice!("{} needs what only the owner may read, and is not recounted", model.shown());
            }
            continue;
        };
        for (member, count) in members.into_iter().zip(recount::count(relation, &asked)?) {
            counts[member] = Some(count);
        }
    }
    let verdict = |(model, count): (&privacy_model, Option<Count>)| {
        let Count { achieved, holds, .. } = count?;
        Some(Verdict { model: model.clone(), required: model.required(), achieved, holds })
    };
    Ok(models.iter().zip(counts).filter_map(verdict).collect())
}

/// The rows of a model's population, as a version shows them in a relation of its own.
fn others(relation: &Source, version: &Version, model: &privacy_model) -> Result<Option<Others>> {
    let Some(name) = model.population() else { return Ok(None) };
    matching(relation, version, population(name)?, model.attributes()).map(Some)
}

/// The rows of a population as a version would show them on some columns of a relation of its own, which may be kept ones, too.
pub fn matching(relation: &Source, version: &Version, source: Source, asked: &[String]) -> Result<Others> {
    let parameters = version.parameters;
    if parameters.is_begun_for_all() {
        return Err(SqlError::unsupported(
            "a release by local recoding with show, or with coarsest() of intervals, is not looked for in a population",
        ));
    }
    // By local recoding what a row is shown as depends on all masked columns.
    let is_asked =
        |mask: &Mask| parameters.arguments.recoding == Recoding::Local || asked.contains(&mask.name);
    let masked = (parameters.columns.iter().enumerate())
        .filter(|(_, mask)| is_asked(mask))
        .map(|(number, mask)| Ok((number, source.column(&mask.name)?)))
        .collect::<Result<Vec<(usize, usize)>>>()?;
    let mut places: Vec<usize> = masked.iter().map(|&(_, place)| place).collect();
    for name in asked.iter().filter(|name| parameters.mask(name).is_none()) {
        if parameters.arguments.masking_of(name).is_some() || relation.column(name).is_err() {
            return Err(SqlError::unsupported(format!(
                "what is shown in column \"{name}\" cannot be looked for in a population"
            ))
            .detail("It is made of the rows of the release.")
            .hint("Name columns that are masked, or kept as they are."));
        }
        let place = source.column(name)?;
        if source.type_of(place).comparator().is_none() {
            return Err(SqlError::unsupported(format!("column \"{name}\" has no order to be compared by")));
        }
        places.push(place);
    }
    let is_of_type = |column: &SourceColumn| parameters.source_columns.contains(column);
    if let Some(other) = fingerprint(&source, &places).iter().find(|column| !is_of_type(column)) {
        return Err(SqlError::parameter(format!(
            "column \"{}\" of population \"{}\" is of another type",
            other.name, source.name
        ))
        .hint("Name a view of the population that casts it."));
    }
    let column = |name: &String| {
        let of_mask = |&(number, _): &(usize, usize)| parameters.columns[number].name == *name;
        let from_masked = masked.iter().position(of_mask).map(|number| (number, ShownPart::Node));
        let declaration = relation.columns[relation.column(name)?].declaration.clone();
        Ok(TargetColumn { name: name.clone(), declaration, from_masked })
    };
    let columns = asked.iter().map(column).collect::<Result<Vec<TargetColumn>>>()?;
    let table = scan::read(&source, &places)?;
    let shown = MaskedRows::of(version, (&source, &masked), &columns, table, Unknown::LeftOut)?;
    let MaskedRows { filled, joins, conditions, args } = shown;
    Ok(Others::as_shown(source, &places, (&filled, &joins, &conditions), args))
}

/// Counts the classes whose means cannot be right: that show two of a column, or one beyond the interval that they show.
/// `nodes` gives what a column's intervals are shown as, and their ends.
pub fn recount_means(
    relation: &Source,
    parameters: &Parameters,
    nodes: impl Fn(&str) -> Result<ShownNodes>,
) -> Result<Vec<Verdict>> {
    let names = &parameters.arguments.means;
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let columns = names.iter().map(|name| {
        let is_by_intervals = parameters.mask(name).is_some_and(|mask| mask.masked == MaskedAs::Intervals);
        let nodes = is_by_intervals.then(|| nodes(name)).transpose()?.unwrap_or_default();
        Ok(WithMeans { name, mean: mean_column(name), nodes })
    });
    let columns = columns.collect::<Result<Vec<WithMeans>>>()?;
    let (masked, arguments) = (parameters.names(), &parameters.arguments);
    let smallest = smallest_class(&arguments.privacy, &masked, arguments.recoding.is_by_group());
    let wrong = means::wrong(relation, &masked, smallest, columns)?;
    let verdict = |(place, column): (usize, &String)| {
        let wrong = wrong.as_ref().and_then(|wrong| wrong.get(place)).copied();
        Verdict {
            model: Means { column: column.clone() }.into(),
            required: 0.0,
            achieved: wrong.map(|wrong| wrong as f64),
            holds: wrong.is_none_or(|wrong| wrong == 0),
        }
    };
    Ok(names.iter().enumerate().map(verdict).collect())
}

/// Counts what is shown of kept columns that have a masking.
pub fn recount_kept(relation: &Source, parameters: &Parameters) -> Result<Vec<Verdict>> {
    let (arguments, masked) = (&parameters.arguments, parameters.names());
    let verdict = |by: &masking| {
        let kept::Count { required, achieved, holds } =
            kept::count(relation, &masked, by, largest(&arguments.privacy))?;
        let model = Kept { column: by.column_name().into(), masking: Box::new(by.clone()) }.into();
        Ok(Verdict { model, required, achieved, holds })
    };
    arguments.masking.iter().filter(|by| by.is_of_kept()).map(verdict).collect()
}

/// The rows of a relation that says, for each masked column, how many rows show something.
fn read_numbers(
    schema: Oid,
    relation: &str,
    (shown, condition): (&str, &str),
    args: &[DatumWithOid],
) -> Result<Vec<ShownNumber>> {
    let table = Source::in_schema(schema, relation)?;
    let query = format!("SELECT {shown}, records FROM {} WHERE {condition}", table.qualified());
    look_at(&table, &query, args, |row| Ok(ShownNumber { shown: row.nullable(1)?, records: row.written(2)? }))
}

/// Recounts what the cut of a version that was just written says of its rows.
pub fn check_cut(relation: &Source, version: &Version) -> Result<()> {
    for name in version.parameters.names() {
        let args = [name.as_str().into(), version.number.into()];
        let of_version = ("node", "attribute = $1 AND version = $2");
        let cut = read_numbers(version.private, "cuts", of_version, &args)?;
        must_be_none(numbers::fault_of_cut(relation, &name, &cut)?)?;
    }
    Ok(())
}

/// Recounts the counts of a version that was just written.
pub fn check_counts(relation: &Source, version: &Version) -> Result<()> {
    if !version.parameters.arguments.counts {
        return Ok(());
    }
    for name in version.parameters.names() {
        let written = store::Counts::read(version.private, version.number, &name)?;
        let shown = |count: store::Count| ShownNumber { shown: count.within, records: count.records };
        let counts: Vec<ShownNumber> = written.into_iter().map(shown).collect();
        must_be_none(fault_of_counts(relation, version.parameters, &name, &counts, true)?)?;
    }
    Ok(())
}

fn must_be_none(fault: Option<String>) -> Result<()> {
    fault.map_or(Ok(()), |fault| {
        Err(SqlError::state("the numbers of the release are not those of its rows, and it is not published")
            .detail(format!("By a recount, {fault}."))
            .hint("Drop what has been put in place of the relations of the release or on them: views, rules, triggers. If there is nothing this is an error of pg_topdown: please report it."))
    })
}

fn fault_of_counts(
    relation: &Source,
    parameters: &Parameters,
    name: &str,
    counts: &[ShownNumber],
    knows_persons: bool,
) -> Result<Option<String>> {
    let arguments = &parameters.arguments;
    let enough = enough(parameters, knows_persons)?;
    numbers::fault_of_counts(relation, name, counts, arguments.is_by_group(), &enough)
}

/// How many rows counts have to be of, and how many persons, if the relation has their pseudonyms.
fn enough(parameters: &Parameters, knows_persons: bool) -> Result<Enough> {
    let bounds = enough_of_counts(&parameters.arguments.privacy);
    let persons =
        bounds.iter().filter(|_| knows_persons).filter_map(|&(k, person)| Some((k as i64, person?)));
    let persons = persons.map(|(k, person)| Ok((k, parameters.hidden(Holds::Person, person)?.to_string())));
    Ok(Enough {
        rows: bounds.iter().map(|&(k, _)| k as i64).max().unwrap_or(1),
        persons: persons.collect::<Result<_>>()?,
    })
}

/// Recounts the counts that a release shows.
fn recount_counts(
    relation: &Source,
    schema: Oid,
    parameters: &Parameters,
    knows_persons: bool,
) -> Result<Vec<Verdict>> {
    let mut verdicts = Vec::new();
    for name in parameters.names() {
        let of_column = ("within", "attribute = $1");
        let counts = read_numbers(schema, COUNTS, of_column, &[name.as_str().into()])?;
        if counts.is_empty() {
            continue;
        }
        let fault = fault_of_counts(relation, parameters, &name, &counts, knows_persons)?;
        verdicts.push(Verdict {
            model: Counts { column: name }.into(),
            required: enough(parameters, false)?.rows as f64,
            achieved: counts.iter().map(|count| count.records).min().map(|least| least as f64),
            holds: fault.is_none(),
        });
    }
    Ok(verdicts)
}

/// Recounts every model of a release on what is published.
pub fn verify_published(release: &str) -> Result<Vec<Verdict>> {
    let _operation = Operation::begin()?;
    let (existing, _rights) = must_be_readable(release)?;
    let view = Source::in_schema(existing.schema, existing.view.as_str())?;
    let table = || Source::in_schema(existing.private, &version_table(existing.version));
    let table = if existing.mine { Some(table()?) } else { None };
    let parameters = existing.parameters()?;
    let version = Version::of(&existing, existing.version)?;
    let version = existing.mine.then_some(&version);
    let mut verdicts = recount(&view, table.as_ref(), version, parameters)?;
    verdicts.extend(recount_kept(&view, parameters)?);
    if means::may_be_read(existing.schema)? {
        verdicts.extend(recount_means(&view, parameters, |name| means::nodes_of(existing.schema, name))?);
    } else if !parameters.arguments.means.is_empty() {
        notice!("means need the view \"cut\", which you may not read, and are not recounted");
    }
    let shows_counts = parameters.arguments.counts;
    match sql::relation_in(existing.schema, COUNTS).filter(|_| shows_counts) {
        Some(counts) if sql::may_read(counts)? => {
            let (relation, knows_persons) = table.as_ref().map_or((&view, false), |table| (table, true));
            verdicts.extend(recount_counts(relation, existing.schema, parameters, knows_persons)?);
        }
        Some(_) => notice!("you may not read the view \"counts\", and it is not recounted"),
        None => {}
    }
    Ok(verdicts)
}

/// The same for a scheduler: an error if a model does not hold.
pub fn assert(release: &str) -> Result<()> {
    let verdicts = verify_published(release)?;
    let broken: Vec<String> = (verdicts.iter().filter(|verdict| !verdict.holds))
        .map(|v| format!("{} asks for {}, recounted are {}.", v.model.shown(), number(v.required), v.shown()))
        .collect();
    if broken.is_empty() {
        return Ok(());
    }
    let broken_by_others =
        verdicts.iter().filter(|verdict| !verdict.holds).all(|verdict| verdict.model.population().is_some());
    Err(SqlError::state(format!("release \"{release}\" does not keep its privacy models"))
        .detail(broken.join("\n"))
        .hint(match broken_by_others {
            true => "Its population has changed; make a new version with release_refresh().",
            false => CHANGED_BY_HAND,
        }))
}
