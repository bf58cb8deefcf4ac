//! Privacy models in plain SQL, over any relation: so that what is published, or about to be, is
//! counted by something that shares no fault with the engine.
//!
//! Each model becomes one query that gives every group's rows and measure; verifying a release
//! and checking a table are two ways of summing it up.

use crate::api::privacy_model::{privacy_model, DistanceKind, DiversityKind};
use crate::datum::Type;
use crate::error::{Result, SqlError};
use crate::source::Source;
use crate::sql::{self, quote};

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

/// Counts a model on a relation, qualified and quoted, whose sensitive column may have another
/// name there.
pub fn count(relation: &str, model: &privacy_model, sensitive: Option<&str>) -> Result<Count> {
    let worst = if model.wants_more() { "min" } else { "max" };
    let good = model.condition("g.measure");
    let query = format!(
        "SELECT pg_catalog.{worst}(g.measure)::float8, pg_catalog.count(*),
                pg_catalog.count(*) FILTER (WHERE NOT {good}),
                COALESCE(pg_catalog.sum(g.n) FILTER (WHERE NOT {good}), 0)::bigint
         FROM ({}) g",
        groups(relation, model, sensitive)?
    );
    let args = match model {
        privacy_model::ConfidenceBound { sensitive_values: Some(values), .. } => vec![values.clone().into()],
        _ => vec![],
    };
    let found = sql::look(&query, &args, |row| {
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

/// A query for the rows n and the measure of every group; sensitive values are bound as $1.
fn groups(relation: &str, model: &privacy_model, sensitive: Option<&str>) -> Result<String> {
    let source = Source::named(relation)?;
    let columns = keys(&source, model.attributes())?;
    let Some(sensitive) = sensitive.or(model.sensitive()) else {
        return Ok(format!(
            "SELECT pg_catalog.count(*) AS n, pg_catalog.count(*)::float8 AS measure
             FROM {relation} GROUP BY {columns}"
        ));
    };
    let s = key(&source, sensitive)?;
    // Each group's counts m of the sensitive values s, groups being told apart by their columns.
    let names: Vec<String> = (1..=model.attributes().len()).map(|i| format!("k{i}")).collect();
    let keyed: Vec<String> = model
        .attributes()
        .iter()
        .zip(&names)
        .map(|(column, name)| Ok(format!("{} AS {name}", key(&source, column)?)))
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
        privacy_model::ConfidenceBound { sensitive_values, .. } => {
            let chosen = chosen(&source, sensitive, "$1", sensitive_values.as_deref())?;
            format!(
                "SELECT pg_catalog.sum(c.m) AS n,
                        COALESCE(pg_catalog.max(c.m) FILTER (WHERE {chosen}), 0)::float8
                            / pg_catalog.sum(c.m)::float8 AS measure
                 FROM ({counts}) c GROUP BY {by_group}"
            )
        }
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
            whole = whole(relation, &s)
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
            whole = whole(relation, &s)
        ),
    })
}

/// The type of a column.
fn kind(source: &Source, column: &str) -> Result<Type> {
    let column = &source.columns[source.column(column)?];
    Ok(Type::new(column.type_oid, column.collation))
}

/// What a column is grouped and ordered by: itself, or its text where its type has no order.
fn key(source: &Source, column: &str) -> Result<String> {
    let ordered = kind(source, column)?.comparator().is_some();
    Ok(if ordered { quote(column) } else { format!("({}::text)", quote(column)) })
}

/// What several columns are grouped and ordered by.
fn keys(source: &Source, columns: &[String]) -> Result<String> {
    Ok(columns.iter().map(|column| key(source, column)).collect::<Result<Vec<String>>>()?.join(", "))
}

/// An SQL condition: the value s of a cell c is one of those bound as a parameter; none: any. They
/// are compared in the column's own type, in which 1.0 is 1.00.
fn chosen(
    source: &Source,
    sensitive: &str,
    parameter: &str,
    values: Option<&[Option<String>]>,
) -> Result<String> {
    let Some(values) = values else { return Ok("true".into()) };
    let kind = kind(source, sensitive)?;
    let equal = match kind.equality()?.filter(|_| kind.comparator().is_some()) {
        Some(operator) => {
            let named = format!("SELECT v::{} FROM pg_catalog.unnest({parameter}::text[]) v", kind.name());
            format!("c.s {operator} ANY ({named})")
        }
        None => format!("c.s::text = ANY ({parameter}::text[])"),
    };
    let or_null = if values.iter().any(Option::is_none) { " OR c.s IS NULL" } else { "" };
    Ok(format!("({equal}{or_null})"))
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
pub type Inference = (pgrx::JsonB, Option<String>, i64, i64, f64);

/// The inferences of a template on a relation with a confidence above a bound.
pub fn inferences(
    relation: &str,
    channel: &[String],
    sensitive: &str,
    values: Option<Vec<Option<String>>>,
    above: f64,
) -> Result<Vec<Inference>> {
    let source = Source::named(relation)?;
    let (columns, s) = (keys(&source, channel)?, key(&source, sensitive)?);
    // jsonb_build_object takes a hundred arguments at most.
    let pair = |name: &String| {
        let value = key(&source, name)?;
        Ok(format!("pg_catalog.jsonb_build_object({}, {value})", pgrx::spi::quote_literal(name)))
    };
    let pairs = channel.iter().map(pair).collect::<Result<Vec<String>>>()?;
    let chosen = chosen(&source, sensitive, "$2", values.as_deref())?;
    let query = format!(
        "SELECT c.channel, c.s::text, c.support::bigint, c.matches, c.matches::float8 / c.support::float8
         FROM (SELECT {} AS channel, {s} AS s, pg_catalog.count(*) AS matches,
                      pg_catalog.sum(pg_catalog.count(*)) OVER (PARTITION BY {columns}) AS support
               FROM {relation} GROUP BY {columns}, {s}) c
         WHERE {chosen} AND c.matches::float8 / c.support::float8 > $1
         ORDER BY 5 DESC, 3 DESC, c.channel, c.s",
        pairs.join(" || ")
    );
    let mut args = vec![above.into()];
    args.extend(values.map(pgrx::datum::DatumWithOid::from));
    sql::look(&query, &args, |row| {
        Ok((
            row.get::<pgrx::JsonB>(1)?.unwrap_or(pgrx::JsonB(serde_json::Value::Null)),
            row.get::<String>(2)?,
            row.get::<i64>(3)?.unwrap_or_default(),
            row.get::<i64>(4)?.unwrap_or_default(),
            row.get::<f64>(5)?.unwrap_or_default(),
        ))
    })
}
