//! Privacy models in plain SQL, over any relation: so that what is published, or about to be, is
//! counted by something that shares no fault with the engine.
//!
//! Each model becomes one query that gives every group's rows and measure; verifying a release
//! and checking a table are two ways of summing it up.

use crate::api::privacy_model::{privacy_model, DistanceKind, DiversityKind};
use crate::datum::is_built_in;
use crate::error::{clipped, clipped_to, Result, SqlError};
use crate::names::JsonText;
use crate::source::Source;
use crate::sql::{self, quote};
use pgrx::datum::DatumWithOid;
use pgrx::spi::quote_literal;

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

/// Counts a model on a relation whose sensitive column may have another name there.
pub fn count(relation: &Source, model: &privacy_model, sensitive: Option<&str>) -> Result<Count> {
    let worst = if model.wants_more() { "min" } else { "max" };
    let good = model.condition("g.measure");
    let chosen = match model {
        privacy_model::ConfidenceBound { sensitive: name, sensitive_values, .. } => {
            Chosen::new(relation, sensitive.unwrap_or(name), sensitive_values.as_deref(), 1)?
        }
        _ => Chosen::all(),
    };
    let query = format!(
        "SELECT pg_catalog.{worst}(g.measure)::float8, pg_catalog.count(*),
                pg_catalog.count(*) FILTER (WHERE NOT {good}),
                COALESCE(pg_catalog.sum(g.n) FILTER (WHERE NOT {good}), 0)::bigint
         FROM ({}) g",
        groups(relation, model, sensitive, &chosen.condition)?
    );
    let found = sql::look_at(relation, &query, &chosen.args, |row| {
        let violating_groups = row.get::<i64>(3)?.unwrap_or_default();
        Ok(Count {
            achieved: row.get(1)?,
            holds: violating_groups == 0,
            groups: row.get::<i64>(2)?.unwrap_or_default(),
            violating_groups,
            violating_rows: row.get::<i64>(4)?.unwrap_or_default(),
        })
    })?;
    found.into_iter().next().ok_or_else(|| SqlError::internal("an aggregate without a row"))
}

/// A query for the rows n and the measure of every group; `chosen` says which cells c are of the
/// sensitive values that are asked for.
fn groups(source: &Source, model: &privacy_model, sensitive: Option<&str>, chosen: &str) -> Result<String> {
    let relation = source.qualified();
    let columns = keys(source, model.attributes())?;
    let Some(sensitive) = sensitive.or(model.sensitive()) else {
        return Ok(format!(
            "SELECT pg_catalog.count(*) AS n, pg_catalog.count(*)::float8 AS measure
             FROM {relation} GROUP BY {columns}"
        ));
    };
    let s = key(source, sensitive)?;
    // Each group's counts m of the sensitive values s, groups being told apart by their columns.
    let names: Vec<String> = (1..=model.attributes().len()).map(|i| format!("k{i}")).collect();
    let keyed: Vec<String> = model
        .attributes()
        .iter()
        .zip(&names)
        .map(|(column, name)| Ok(format!("{} AS {name}", key(source, column)?)))
        .collect::<Result<_>>()?;
    let counts = format!(
        "SELECT {}, {s} AS s, pg_catalog.count(*) AS m FROM {relation} GROUP BY {columns}, {s}",
        keyed.join(", ")
    );
    let by_group = names.iter().map(|name| format!("c.{name}")).collect::<Vec<String>>().join(", ");
    // The same with groups and values numbered, g and v, in their types' own order, where they are
    // joined: columns may hold NULL, and a type's equality may not be called =.
    let cells = format!(
        "SELECT pg_catalog.dense_rank() OVER (ORDER BY {columns}) AS g, {s} AS s,
                pg_catalog.dense_rank() OVER (ORDER BY {s}) AS v, pg_catalog.count(*) AS m
         FROM {relation} GROUP BY {columns}, {s}"
    );
    let shares = format!("SELECT c.*, pg_catalog.sum(c.m) OVER (PARTITION BY c.g) AS n FROM ({cells}) c");
    Ok(match model {
        privacy_model::KAnonymity { .. } => unreachable!("a model without a sensitive column"),
        privacy_model::ConfidenceBound { .. } => format!(
            "SELECT pg_catalog.sum(c.m) AS n,
                    COALESCE(pg_catalog.max(c.m) FILTER (WHERE {chosen}), 0)::float8
                        / pg_catalog.sum(c.m)::float8 AS measure
             FROM ({counts}) c GROUP BY {by_group}"
        ),
        privacy_model::LDiversity { kind: DiversityKind::Distinct, .. } => format!(
            "SELECT pg_catalog.sum(c.m) AS n, pg_catalog.count(*)::float8 AS measure
             FROM ({counts}) c GROUP BY {by_group}"
        ),
        privacy_model::LDiversity { kind: DiversityKind::Entropy, .. } => format!(
            "SELECT pg_catalog.sum(c.m) AS n,
                    pg_catalog.exp(pg_catalog.ln(pg_catalog.sum(c.m)::float8)
                                   - pg_catalog.sum(c.m::float8 * pg_catalog.ln(c.m::float8))
                                     / pg_catalog.sum(c.m)::float8) AS measure
             FROM ({counts}) c GROUP BY {by_group}"
        ),
        privacy_model::LDiversity { l, kind: DiversityKind::Recursive, .. } => format!(
            "SELECT pg_catalog.sum(c.m) AS n,
                    COALESCE(pg_catalog.max(c.m)::float8 / pg_catalog.sum(c.m) FILTER (WHERE c.r >= {l})::float8,
                             'Infinity') AS measure
             FROM (SELECT d.g, d.m, pg_catalog.row_number() OVER (PARTITION BY d.g ORDER BY d.m DESC) AS r
                   FROM ({cells}) d) c GROUP BY c.g"
        ),
        privacy_model::TCloseness { distance: DistanceKind::Equal, .. } => format!(
            "SELECT pg_catalog.max(c.n) AS n,
                    (pg_catalog.sum(pg_catalog.abs(c.m::float8 / c.n::float8 - w.q)) + 1 - pg_catalog.sum(w.q)) / 2 AS measure
             FROM ({shares}) c
             JOIN ({whole}) w ON c.v = w.r GROUP BY c.g",
            whole = whole(&relation, &s)
        ),
        privacy_model::TCloseness { distance: DistanceKind::Ordered, .. } => format!(
            "SELECT pg_catalog.max(e.n) AS n,
                    pg_catalog.sum(pg_catalog.abs(e.moved)) / GREATEST(pg_catalog.max(e.distinct_values) - 1, 1) AS measure
             FROM (SELECT k.g, k.n, w.distinct_values,
                          pg_catalog.sum(COALESCE(c.m, 0)::float8 / k.n::float8 - w.q)
                              OVER (PARTITION BY k.g ORDER BY w.r) AS moved
                   FROM (SELECT d.g, pg_catalog.sum(d.m) AS n FROM ({cells}) d GROUP BY d.g) k
                   CROSS JOIN ({whole}) w
                   LEFT JOIN ({cells}) c ON c.g = k.g AND c.v = w.r) e
             GROUP BY e.g",
            whole = whole(&relation, &s)
        ),
    })
}

/// What a column is grouped and ordered by: itself, or its text where its type has no order.
pub fn key(source: &Source, name: &str) -> Result<String> {
    let kind = source.kind(source.column(name)?);
    Ok(if kind.comparator().is_some() { quote(name) } else { format!("({})", kind.sql_text(&quote(name))) })
}

/// What several columns are grouped and ordered by.
pub fn keys(source: &Source, columns: &[String]) -> Result<String> {
    Ok(columns.iter().map(|column| key(source, column)).collect::<Result<Vec<String>>>()?.join(", "))
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
        let kind = source.kind(source.column(name)?);
        // How values of a type are compared: by its operator, if the type is PostgreSQL's own. Among the
        // operators for a type of somebody's the parser may choose one that its owner's casts lead to;
        // a function that looks the type's equality up leaves no choice.
        let equality = match (kind.equality()?, is_built_in(kind.oid), kind.array()) {
            _ if kind.comparator().is_none() || !kind.is_readable() => None,
            (Some(operator), true, _) => Some(Some(operator)),
            (Some(_), false, Some(_)) => Some(None),
            _ => None,
        };
        let mut args: Vec<DatumWithOid> = Vec::new();
        let among = match equality {
            None => {
                args.push(texts.iter().map(|text| text.to_string()).collect::<Vec<String>>().into());
                let text = if kind.comparator().is_some() { kind.sql_text("c.s") } else { "c.s".into() };
                format!("{text} = ANY (${first}::text[])")
            }
            Some(operator) => {
                let datums = kind.parse_all(texts.iter().copied()).map_err(|(at, complaint)| {
                    let text = clipped(texts[at]);
                    SqlError::parameter(format!(
                        "sensitive value \"{text}\" of column \"{name}\" cannot be read"
                    ))
                    .detail(clipped_to(&complaint, 200))
                })?;
                let value = format!("(c.s)::{}", kind.name());
                if let Some(array) = kind.array() {
                    // SAFETY: a Datum of the type it is said to be, alive as long as the query.
                    args.push(unsafe { DatumWithOid::new(kind.array_datum(&datums), array) });
                } else {
                    // SAFETY: as above. There are no arrays of arrays.
                    args.extend(datums.iter().map(|&d| unsafe { DatumWithOid::new(d, kind.oid) }));
                }
                match (operator, kind.array()) {
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

/// A query for the share q and the rank r of every sensitive value in the whole table.
fn whole(relation: &str, s: &str) -> String {
    format!(
        "SELECT {s} AS s, pg_catalog.count(*)::float8 / pg_catalog.sum(pg_catalog.count(*)) OVER ()::float8 AS q,
                pg_catalog.dense_rank() OVER (ORDER BY {s}) AS r, pg_catalog.count(*) OVER () AS distinct_values
         FROM {relation} GROUP BY {s}"
    )
}

/// An inference ic -> p of a template: the channel's values, p, the rows with ic, those that also
/// hold p, and their share.
pub type Inference = (JsonText, Option<String>, i64, i64, f64);

/// The inferences of a template on a relation with a confidence above a bound.
pub fn inferences(
    source: &Source,
    channel: &[String],
    sensitive: &str,
    values: Option<Vec<Option<String>>>,
    above: f64,
) -> Result<Vec<Inference>> {
    let (columns, s) = (keys(source, channel)?, key(source, sensitive)?);
    // jsonb_build_object takes a hundred arguments at most.
    let pair = |name: &String| {
        let kind = source.kind(source.column(name)?);
        // A number is a number in JSON, and so on; of other types somebody may have made a cast.
        let value = match (kind.comparator(), is_built_in(kind.oid)) {
            (Some(_), true) => quote(name),
            (Some(_), false) => kind.sql_text(&quote(name)),
            (None, _) => key(source, name)?,
        };
        Ok(format!("pg_catalog.jsonb_build_object({}, {value})", quote_literal(name)))
    };
    let pairs = channel.iter().map(pair).collect::<Result<Vec<String>>>()?;
    let chosen = Chosen::new(source, sensitive, values.as_deref(), 2)?;
    let kind = source.kind(source.column(sensitive)?);
    let text = if kind.comparator().is_some() { kind.sql_text("c.s") } else { "c.s".into() };
    let query = format!(
        "SELECT c.channel, {text}, c.support::bigint, c.matches, c.matches::float8 / c.support::float8
         FROM (SELECT {} AS channel, {s} AS s, pg_catalog.count(*) AS matches,
                      pg_catalog.sum(pg_catalog.count(*)) OVER (PARTITION BY {columns}) AS support
               FROM {} GROUP BY {columns}, {s}) c
         WHERE {} AND c.matches::float8 / c.support::float8 > $1
         ORDER BY 5 DESC, 3 DESC, c.channel, c.s",
        pairs.join(" || "),
        source.qualified(),
        chosen.condition
    );
    let mut args = vec![above.into()];
    args.extend(chosen.args);
    sql::look_at(source, &query, &args, |row| {
        Ok((
            row.get::<JsonText>(1)?.unwrap_or(JsonText("null".into())),
            row.get::<String>(2)?,
            row.get::<i64>(3)?.unwrap_or_default(),
            row.get::<i64>(4)?.unwrap_or_default(),
            row.get::<f64>(5)?.unwrap_or_default(),
        ))
    })
}
