//! Privacy models in plain SQL, over any relation: so that what is published, or about to be, is
//! counted by something that shares no fault with the engine.
//!
//! Each model says its measure as one query that gives every group's rows and measure
//! ([`Model::measure`]); verifying a release and checking a table are two ways of summing it up.
//!
//! [`Model::measure`]: crate::terms::privacy_model::Model::measure

pub mod kept;
pub mod means;
pub mod numbers;
mod population;

pub use population::Others;

use crate::postgres::datum::is_built_in;
use crate::postgres::error::{Result, SqlError};
use crate::postgres::json::JsonText;
use crate::postgres::operation::Operation;
use crate::postgres::progress::polled_by;
use crate::postgres::sql::{self, quote, quoted_list, Values};
use crate::read::plan::{look_at, look_at_all};
use crate::read::source::Source;
use crate::terms::days::must_be_one_day;
use crate::terms::privacy_model::groups::{key, keys, Folded, Groups};
use crate::terms::privacy_model::privacy_model;
use crate::terms::privacy_model::sensitive::unreadable;
use hashbrown::HashMap;
use pgrx::datum::DatumWithOid;
use pgrx::spi::quote_literal;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash;
use topdown::privacy::{subsets, Direction};

/// What a recount found.
#[derive(Debug)]
pub struct Count {
    /// The worst group's measure; none without rows.
    pub achieved: Option<f64>,
    /// Whether every group's is good enough.
    pub holds: bool,
    /// How many groups there are.
    pub groups: i64,
    /// How many of them break the model.
    pub violating_groups: i64,
    /// How many rows are in those.
    pub violating_rows: i64,
}

impl Count {
    /// What was found of these groups and of others.
    fn and(self, others: Count, direction: Direction) -> Count {
        let worse = |one: f64, other: f64| direction.worse(one, other);
        Count {
            achieved: match (self.achieved, others.achieved) {
                (Some(one), Some(other)) => Some(worse(one, other)),
                (one, other) => one.or(other),
            },
            holds: self.holds && others.holds,
            groups: self.groups + others.groups,
            violating_groups: self.violating_groups + others.violating_groups,
            violating_rows: self.violating_rows + others.violating_rows,
        }
    }
}

/// A model, and what the columns that it counts in the groups are called in the relation that they are of.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// The model.
    pub model: &'a privacy_model,
    /// Its sensitive column.
    pub sensitive: Option<&'a str>,
    /// The column that tells persons apart.
    pub person: Option<&'a str>,
    /// The rows of its population.
    pub others: Option<&'a Others>,
}

impl Asked<'_> {
    /// A model over a relation that has its columns.
    pub fn by_own_names(model: &privacy_model) -> Asked<'_> {
        Asked { model, sensitive: model.sensitive(), person: model.person(), others: None }
    }
}

/// A model, or a part of one, that is counted on rows folded by some columns.
#[derive(Clone)]
struct Part<'a> {
    /// Which of those that are asked for.
    number: usize,
    asked: Asked<'a>,
    columns: Cow<'a, [String]>,
    /// The sets of these that make groups, if not all of them together.
    sets: Option<Vec<Vec<String>>>,
}

impl<'a> Part<'a> {
    /// A model as a whole.
    fn whole((number, asked): (usize, Asked<'a>)) -> Part<'a> {
        let columns = Cow::Borrowed(asked.model.attributes());
        Part { number, asked, columns, sets: asked.model.sets() }
    }

    /// A model of sets of columns as several, each of which asks of fewer: rows that are folded by few columns are few. The columns
    /// are put into pairs, and what a set needs is in as many pairs as it has columns.
    fn by_pairs(self) -> Vec<Part<'a>> {
        let Part { number, asked, columns, sets: Some(mut left) } = self else { return vec![self] };
        let pairs: Vec<&[String]> = columns.chunks(2).collect();
        let known = left.iter().map(Vec::len).max().unwrap_or(0);
        let part = |pairs: Vec<&[String]>| {
            let columns = pairs.concat();
            let sets: Vec<Vec<String>> =
                left.extract_if(.., |set| set.iter().all(|name| columns.contains(name))).collect();
            Part { number, asked, columns: Cow::Owned(columns), sets: Some(sets) }
        };
        subsets(&pairs, known).map(part).filter(|part| part.sets != Some(Vec::new())).collect()
    }

    /// What rows are folded by.
    fn folded_by(&self) -> Vec<&str> {
        let columns = self.columns.iter().map(String::as_str);
        let mut columns: Vec<&str> = columns.chain(self.asked.sensitive).chain(self.asked.person).collect();
        columns.sort_unstable();
        columns.dedup();
        columns
    }

    /// How often it names a column.
    fn names(&self) -> usize {
        self.sets.as_ref().map_or(self.columns.len(), |sets| sets.iter().map(Vec::len).sum())
    }

    /// What is counted alike by the values of a sensitive column.
    fn counted_of(&self) -> impl Eq + Hash + '_ {
        (self.asked.sensitive, self.asked.person, &self.columns, &self.sets)
    }
}

/// Parts that are counted on the same folded rows, by the columns of these.
type Fold<'a> = (Vec<String>, Vec<Part<'a>>);

fn folds(parts: Vec<Part>) -> Vec<Fold> {
    let mut folds: BTreeMap<Vec<String>, Vec<Part>> = BTreeMap::new();
    for part in polled_by(parts, |part| part.columns.len()) {
        folds.entry(owned(part.folded_by())).or_default().push(part);
    }
    folds.into_iter().collect()
}

/// Parts that are counted by one statement each, from rows that are folded by so many columns.
fn statements<'p, 'a>(mut parts: &'p [Part<'a>], columns: usize) -> Vec<&'p [Part<'a>]> {
    let mut statements = Vec::new();
    while !parts.is_empty() {
        let mut looked_at = 0;
        let fits = |part: &&Part| {
            looked_at += part.names() * columns;
            looked_at <= LOOKED_AT
        };
        let (now, later) = parts.split_at(parts.iter().take(STATEMENT).take_while(fits).count().max(1));
        statements.push(now);
        parts = later;
    }
    statements
}

fn owned(columns: impl IntoIterator<Item = impl Into<String>>) -> Vec<String> {
    columns.into_iter().map(Into::into).collect()
}

/// Counts models on a relation: those of the same columns on the same folded rows, and all on the same
/// where their columns together have few combinations.
pub fn count(relation: &Source, asked: &[Asked]) -> Result<Vec<Count>> {
    let mut counts: Vec<Option<Count>> = asked.iter().map(|_| None).collect();
    let (of_others, parts): (Vec<Part>, Vec<Part>) =
        asked.iter().copied().enumerate().map(Part::whole).partition(|part| part.asked.others.is_some());
    for part in &of_others {
        counts[part.number] = Some(matched(relation, part)?);
    }
    if !parts.is_empty() {
        count_parts(relation, parts, &mut counts)?;
    }
    let counts: Option<Vec<Count>> = counts.into_iter().collect();
    counts.ok_or_else(|| SqlError::internal("a model was not counted"))
}

/// Counts a model whose groups rows of a population match.
fn matched(relation: &Source, part: &Part) -> Result<Count> {
    let folded = Folded::new(relation, owned(part.folded_by()))?;
    let mut statement = Statement::new(relation, &folded);
    statement.by_group(0, part)?;
    let counted = statement.run()?.pop();
    counted.map(|(_, count)| count).ok_or_else(|| SqlError::internal("a model was not counted"))
}

/// Counts models of the relation alone.
fn count_parts(relation: &Source, mut parts: Vec<Part>, counts: &mut [Option<Count>]) -> Result<()> {
    let all: BTreeSet<&str> =
        polled_by(&parts, |part| part.columns.len()).flat_map(Part::folded_by).collect();
    let all = owned(all);
    let is_other = |part: &Part| part.folded_by() != parts[0].folded_by() || part.sets.is_some();
    let are_several = polled_by(&parts, |part| part.columns.len()).any(is_other);
    let folds = if are_several && are_few(relation, &all)? {
        vec![(all, parts)]
    } else {
        parts = parts.into_iter().flat_map(Part::by_pairs).collect();
        folds(parts)
    };
    for (columns, members) in folds {
        let _gathering = are_few_of_many(relation, &columns)?.then(Operation::gathering);
        for members in statements(&members, columns.len()) {
            for (member, count) in folded(relation, columns.clone(), members)? {
                let (number, direction) = (members[member].number, members[member].asked.model.direction());
                counts[number] = Some(match counts[number].take() {
                    Some(others) => count.and(others, direction),
                    None => count,
                });
            }
        }
    }
    Ok(())
}

/// Whether rows folded by some columns are few, judged by the first ones (in a release, which are any).
fn are_few(relation: &Source, columns: &[String]) -> Result<bool> {
    Ok(folded_share(relation, columns, SAMPLE)?.is_some_and(|share| share <= 0.25))
}

/// Whether workers that each fold a part of the rows by some columns would have few left. No statistics tell the planner
/// how many combinations of columns there are: it expects a tenth of the rows, and has one process fold them all.
fn are_few_of_many(relation: &Source, columns: &[String]) -> Result<bool> {
    let query = "SELECT c.reltuples::float8 FROM pg_catalog.pg_class c WHERE c.oid = $1";
    let rows = sql::rows(query, &[relation.oid.into()], |row| row.not_null::<f64>(1))?;
    let Some(&rows) = rows.first().filter(|&&rows| rows >= MANY) else { return Ok(false) };
    let sample = SAMPLE.max((rows / 100.0) as i64);
    Ok(folded_share(relation, columns, sample)?.is_some_and(|share| share <= 0.75))
}

/// How many rows are left of the first ones when these are folded by some columns, for each of them; none without rows.
fn folded_share(relation: &Source, columns: &[String], sample: i64) -> Result<Option<f64>> {
    // Of columns that nobody named the caller may have no rights, and a view may call functions for them.
    let list = quoted_list(columns.iter().map(String::as_str));
    let sample = format!("(SELECT {list} FROM {} LIMIT {sample}) first_rows", relation.qualified());
    let sample = Folded::new(relation, columns.to_vec())?.query(&sample);
    let query = format!("SELECT pg_catalog.count(*)::float8 / pg_catalog.sum(d.n)::float8 FROM ({sample}) d");
    Ok(look_at(relation, &query, &[], |row| row.nullable::<f64>(1))?.into_iter().flatten().next())
}

/// How many models one statement counts: PostgreSQL goes a level deeper with each, and plans it without looking whether it is
/// cancelled.
const STATEMENT: usize = 200;

/// How many columns PostgreSQL looks at for those that one statement names: for each at all that there are. Meanwhile nothing can
/// cancel it. So many take less than a tenth of a second.
const LOOKED_AT: usize = 2_000_000;

/// How many rows say whether folding is worth it.
const SAMPLE: i64 = 10_000;

/// Of fewer rows one process is as fast as several.
const MANY: f64 = 100_000.0;

/// Counts models whose columns are among those that the rows are folded by: which, and what. Many that ask of
/// the values of one column are counted by these first, and those that do not hold once more, by groups.
fn folded(relation: &Source, mut columns: Vec<String>, parts: &[Part]) -> Result<Vec<(usize, Count)>> {
    // Persons first: what is sorted by them is mostly told apart by the first column, a number.
    let is_person = |name: &String| parts.iter().any(|part| part.asked.person == Some(name));
    columns.sort_by_key(|name| !is_person(name));
    let folded = Folded::new(relation, columns)?;
    let mut statement = Statement::new(relation, &folded);
    let mut alike = HashMap::new();
    polled_by(parts, |part| part.columns.len())
        .for_each(|part| *alike.entry(part.counted_of()).or_insert(0) += 1);
    let of_one_column = |&number: &usize| {
        let part = &parts[number];
        part.asked.model.measure_by_value("true").is_some() && alike[&part.counted_of()] > 1
    };
    let (by_value, by_group): (Vec<usize>, Vec<usize>) =
        polled_by(0..parts.len(), |&number| parts[number].columns.len()).partition(of_one_column);
    by_group.iter().try_for_each(|&number| statement.by_group(number, &parts[number]))?;
    by_value.iter().try_for_each(|&number| statement.by_value(number, &parts[number]))?;
    let mut counts = statement.run()?;
    let broken = counts.extract_if(.., |(number, count)| !count.holds && by_value.contains(number));
    let mut again = Statement::new(relation, &folded);
    let broken: Vec<usize> = broken.map(|(number, _)| number).collect();
    broken.iter().try_for_each(|&number| again.by_group(number, &parts[number]))?;
    if !broken.is_empty() {
        counts.extend(again.run()?);
    }
    Ok(counts)
}

/// A statement that counts several models on folded rows.
struct Statement<'a> {
    relation: &'a Source,
    folded: &'a Folded,
    /// What the models are counted from.
    tables: Vec<String>,
    queries: Vec<String>,
    args: Vec<DatumWithOid<'a>>,
    /// The rows of a population, of the one model that is counted then.
    others: Option<&'a Others>,
}

impl<'a> Statement<'a> {
    fn new(relation: &'a Source, folded: &'a Folded) -> Self {
        let rows = folded.query(&relation.qualified());
        let tables = vec![format!("folded AS MATERIALIZED ({rows})")];
        Statement { relation, folded, tables, queries: Vec::new(), args: Vec::new(), others: None }
    }

    /// The groups that a model asks of.
    fn groups(&mut self, part: &Part<'a>) -> Result<Groups> {
        let Asked { model, sensitive, person, others } = part.asked;
        if let Some(others) = others {
            self.tables.push(format!("population AS MATERIALIZED ({})", others.query));
            self.others = Some(others);
        }
        let chosen = match sensitive {
            Some(name) => Chosen::new(self.relation, name, model.sensitive_values(), self.args.len() + 1)?,
            None => Chosen::all(),
        };
        self.args.extend(chosen.args);
        Ok(self.folded.groups(&part.columns, part.sets.as_deref(), (sensitive, person), chosen.condition))
    }

    /// Counts a model in every group.
    fn by_group(&mut self, number: usize, part: &Part<'a>) -> Result<()> {
        let model = part.asked.model;
        let worst = match model.direction() {
            Direction::Falling => "min",
            Direction::Rising => "max",
        };
        let good = model.condition("g.measure");
        let measure = model.measure(&self.groups(part)?);
        self.queries.push(format!(
            "SELECT {number}::int4, pg_catalog.{worst}(g.measure)::float8, pg_catalog.count(*),
                    pg_catalog.count(*) FILTER (WHERE NOT {good}),
                    COALESCE(pg_catalog.sum(g.n) FILTER (WHERE NOT {good}), 0)::bigint
             FROM ({measure}) g"
        ));
        Ok(())
    }

    /// Counts a model by the sensitive values that it asks of. How many groups break it is not known so.
    fn by_value(&mut self, number: usize, part: &Part<'a>) -> Result<()> {
        let model = part.asked.model;
        let groups = self.groups(part)?;
        let Some(measure) = model.measure_by_value(&groups.chosen) else { return Ok(()) };
        let mut table = |name: &str, query: String| {
            let query = format!("({query})");
            let place = self.tables.iter().position(|table| table.ends_with(&query)).unwrap_or_else(|| {
                self.tables.push(format!("{name}{} AS MATERIALIZED {query}", self.tables.len()));
                self.tables.len() - 1
            });
            format!("{name}{place}")
        };
        let (shares, size) = (table("shares", groups.largest_shares()), table("size", groups.size()));
        let good = model.condition("g.measure");
        self.queries.push(format!(
            "SELECT {number}::int4, CASE WHEN {size}.groups > 0 THEN g.measure END, {size}.groups,
                    CASE WHEN {good} THEN 0 ELSE 1 END::bigint, 0::bigint
             FROM (SELECT ({measure})::float8 AS measure FROM {shares} c) g, {size}"
        ));
        Ok(())
    }

    /// Which model, and what was counted.
    fn run(self) -> Result<Vec<(usize, Count)>> {
        let query = format!("WITH {} {}", self.tables.join(", "), self.queries.join(" UNION ALL "));
        let (leaves, args) = match self.others {
            Some(others) => (&[others.relation()][..], &others.args),
            None => (&[][..], &self.args),
        };
        look_at_all(self.relation, leaves, &query, args, |row| {
            let violating_groups = row.not_null::<i64>(4)?;
            let count = Count {
                achieved: row.nullable(2)?,
                holds: violating_groups == 0,
                groups: row.not_null::<i64>(3)?,
                violating_groups,
                violating_rows: row.not_null::<i64>(5)?,
            };
            Ok((row.not_null::<i32>(1)? as usize, count))
        })
    }
}

/// The sensitive values that are asked for.
struct Chosen<'a> {
    /// An SQL condition: the value s of a cell c is one of them.
    condition: String,
    /// The parameters that it is bound to.
    args: Vec<DatumWithOid<'a>>,
}

impl Chosen<'_> {
    /// Any value.
    fn all() -> Self {
        Chosen { condition: "true".into(), args: Vec::new() }
    }

    /// Some values, or any, bound to parameters from `first` on. They are compared in the column's
    /// own type, in which 1.0 is 1.00, and are read as that type here: a cast in SQL might be
    /// somebody's.
    fn new(source: &Source, name: &str, values: Option<&[Option<String>]>, first: usize) -> Result<Self> {
        let Some(values) = values else { return Ok(Chosen::all()) };
        let texts: Vec<&str> = values.iter().flatten().map(String::as_str).collect();
        if texts.is_empty() {
            return Ok(Chosen { condition: "c.s IS NULL".into(), args: Vec::new() });
        }
        let ty = source.type_of(source.column(name)?);
        // How values of a type are compared: by its operator, if the type is PostgreSQL's own. Among the
        // operators for a type of somebody's the parser may choose one that its owner's casts lead to;
        // a function that looks the type's equality up leaves no choice.
        let equality = match (ty.equality()?, is_built_in(ty.oid), ty.array()) {
            _ if ty.comparator().is_none() || !ty.is_readable() => None,
            (Some(operator), true, _) => Some(Some(operator)),
            (Some(_), false, Some(_)) => Some(None),
            _ => None,
        };
        let mut args: Vec<DatumWithOid> = Vec::new();
        let among = match equality {
            None => {
                args.push(texts.iter().map(|text| text.to_string()).collect::<Vec<String>>().into());
                let text = if ty.comparator().is_some() { ty.sql_text("c.s") } else { "c.s".into() };
                format!("{text} = ANY (${first}::text[])")
            }
            Some(operator) => {
                must_be_one_day(ty, &format!("column \"{name}\""), texts.iter().copied())?;
                let datums =
                    ty.parse_all(texts.iter().copied()).map_err(|fault| unreadable(name, &texts, fault))?;
                let value = format!("(c.s)::{}", ty.name());
                args.extend(ty.parameters(&datums));
                match (operator, ty.array()) {
                    (None, _) => format!("pg_catalog.array_position(${first}, {value}) IS NOT NULL"),
                    (Some(operator), Some(_)) => {
                        format!("{value} {operator} ANY (SELECT v FROM pg_catalog.unnest(${first}) v)")
                    }
                    (Some(operator), None) => {
                        let places: Vec<String> =
                            (first..first + datums.len()).map(|i| format!("(${i})")).collect();
                        format!("{value} {operator} ANY (VALUES {})", places.join(", "))
                    }
                }
            }
        };
        let or_null = if values.iter().any(Option::is_none) { " OR c.s IS NULL" } else { "" };
        Ok(Chosen { condition: format!("({among}{or_null})"), args })
    }
}

/// An inference ic -> p of a template: the channel's values, p, the rows with ic, those that also
/// hold p, and their share.
pub type Inference = (JsonText, Option<String>, i64, i64, f64);

/// The inferences of a template on a relation with a confidence above a bound.
pub fn inferences(
    source: &Source,
    channel: &[String],
    sensitive: &str,
    values: Option<&[Option<String>]>,
    above: f64,
) -> Result<Vec<Inference>> {
    let (columns, s) = (keys(source, channel)?.join(", "), key(source, sensitive)?);
    let pair = |name: &String| {
        let ty = source.type_of(source.column(name)?);
        // A number is a number in JSON, and so on; of other types somebody may have made a cast.
        let value = match (ty.comparator(), is_built_in(ty.oid)) {
            (Some(_), true) => quote(name),
            (Some(_), false) => ty.sql_text(&quote(name)),
            (None, _) => key(source, name)?,
        };
        Ok(format!("{}, {value}", quote_literal(name)))
    };
    let pairs = channel.iter().map(pair).collect::<Result<Vec<String>>>()?;
    // A function takes a hundred arguments at most. A chain of || goes a level deeper with each: one of as few as can be.
    let objects: Vec<String> = (pairs.chunks(50))
        .map(|pairs| format!("pg_catalog.jsonb_build_object({})", pairs.join(", ")))
        .collect();
    let chosen = Chosen::new(source, sensitive, values, 2)?;
    let ty = source.type_of(source.column(sensitive)?);
    let text = if ty.comparator().is_some() { ty.sql_text("c.s") } else { "c.s".into() };
    let query = format!(
        "SELECT c.channel, {text}, c.support::bigint, c.matches, c.matches::float8 / c.support::float8
         FROM (SELECT {} AS channel, {s} AS s, pg_catalog.count(*) AS matches,
                      pg_catalog.sum(pg_catalog.count(*)) OVER (PARTITION BY {columns}) AS support
               FROM {} GROUP BY {columns}, {s}) c
         WHERE {} AND c.matches::float8 / c.support::float8 > $1
         ORDER BY 5 DESC, 3 DESC, c.channel, c.s",
        objects.join(" || "),
        source.qualified(),
        chosen.condition
    );
    let mut args = vec![above.into()];
    args.extend(chosen.args);
    look_at(source, &query, &args, |row| {
        Ok((
            row.not_null::<JsonText>(1)?,
            row.nullable::<String>(2)?,
            row.not_null::<i64>(3)?,
            row.not_null::<i64>(4)?,
            row.not_null::<f64>(5)?,
        ))
    })
}
