//! Kept columns that have a masking in plain SQL, over what was written: whether each value is a multiple of the step, how many
//! rows the top value has, how many the rarest value of a class.

use super::are_few_of_many;
use crate::postgres::error::{Result, SqlError};
use crate::postgres::line::Line;
use crate::postgres::operation::Operation;
use crate::postgres::sql::quote;
use crate::postgres::sql::Values;
use crate::read::plan::look_at;
use crate::read::source::Source;
use crate::terms::masking::{masking, Step};
use crate::terms::privacy_model::groups::{key, keys};
use pgrx::datum::DatumWithOid;
use pgrx::spi::quote_literal;
use topdown::numbers::Bin;

/// What was counted of a column.
#[derive(Debug)]
pub struct Count {
    /// What is asked for: of rows that are no multiple none, else so many rows at least.
    pub required: f64,
    /// What was found; none where nothing is to be counted.
    pub achieved: Option<f64>,
    /// Whether that is good enough.
    pub holds: bool,
}

/// Counts a column that is kept and masked. A top value has to stand on `k` rows.
pub fn count(relation: &Source, masked: &[String], by: &masking, k: u64) -> Result<Count> {
    let column = relation.column(by.column_name())?;
    let (ty, value, from) = (relation.type_of(column), quote(by.column_name()), relation.qualified());
    let line = ty.line().ok_or_else(|| SqlError::state("a masked column of the release holds no numbers"))?;
    // How many were counted, and whether they are of one value.
    let run = |query: &str, args: &[DatumWithOid]| {
        let counted =
            look_at(relation, query, args, |row| Ok((row.nullable::<i64>(1)?, row.nullable::<bool>(2)?)))?;
        Ok::<_, SqlError>(counted.into_iter().next().unwrap_or((None, None)))
    };
    let (required, (counted, is_one)) = match by {
        masking::Rounded(by) => {
            let step = by.step(ty, &relation.columns[column].declaration)?;
            let is_multiple = is_multiple(&step, line, &value, &ty.name());
            let query =
                format!("SELECT pg_catalog.count(*) FILTER (WHERE NOT ({is_multiple})), true FROM {from}");
            (0, run(&query, &[])?)
        }
        masking::TopCoded(by) => {
            // NaN is above all others, and no number. Infinity is shown beside the top, if as many have it.
            let (is_finite, is_infinity) = match line {
                Line::Int2 | Line::Int4 | Line::Int8 | Line::Time => ("true".into(), "false".into()),
                _ => (format!("{value} < 'infinity'"), format!("{value} = 'infinity'")),
            };
            let upper = by.upper(ty)?;
            let is_top = match upper {
                Some(_) => format!("{value} > $1"),
                None => format!("{value} = (SELECT pg_catalog.max({value}) FROM {from} WHERE {is_finite})"),
            };
            let query = format!(
                "SELECT pg_catalog.min(g.n), pg_catalog.count(*) FILTER (WHERE g.is_finite) <= 1
                 FROM (SELECT pg_catalog.count(*) AS n, {is_finite} AS is_finite FROM {from}
                       WHERE {is_top} AND {is_finite} OR {is_infinity} GROUP BY {value}) g"
            );
            (k as i64, run(&query, &ty.bound(upper))?)
        }
        masking::Microaggregated(by) => {
            let mut columns = keys(relation, masked)?;
            columns.push(key(relation, &by.column_name)?);
            let named: Vec<String> = masked.iter().chain([&by.column_name]).cloned().collect();
            let _gathering = are_few_of_many(relation, &named)?.then(Operation::gathering);
            let query = format!(
                "SELECT pg_catalog.min(g.n), true FROM (SELECT pg_catalog.count(*) AS n FROM {from} GROUP BY {}) g",
                columns.join(", ")
            );
            (by.m.into(), run(&query, &[])?)
        }
        _ => return Err(SqlError::state("a kept column is masked by what is for others")),
    };
    let is_enough = |counted: i64| if required == 0 { counted == 0 } else { counted >= required };
    Ok(Count {
        required: required as f64,
        achieved: counted.map(|counted| counted as f64),
        holds: counted.is_none_or(is_enough) && is_one.unwrap_or(true),
    })
}

/// An SQL condition: a value is a multiple of the step, or the begin of a bin, or no number.
fn is_multiple(step: &Step, line: Line, value: &str, type_name: &str) -> String {
    let bin = match step {
        Step::Multiples(step) => {
            let step = format!("{}::numeric", quote_literal(step));
            let number = format!("{value}::pg_catalog.text::numeric");
            let is = match line {
                // A binary number is the one next to a multiple.
                Line::Float4 | Line::Float8 => {
                    format!("(pg_catalog.round({number} / {step}) * {step})::{type_name} = {value}")
                }
                _ => format!("{number} % {step} = 0"),
            };
            let other = "('NaN', 'Infinity', '-Infinity')";
            return format!(
                "CASE WHEN pg_catalog.num_nulls({value}) = 1 OR {value}::pg_catalog.text IN {other} THEN true ELSE {is} END"
            );
        }
        Step::Bins(bin) => bin,
    };
    // As a reader in UTC has it. (Dates go farther than timestamps, and are not made such.)
    let moment = match line {
        Line::TimestampTz => format!("({value} AT TIME ZONE 'UTC')"),
        _ => value.to_string(),
    };
    let is = match (bin, line) {
        (Bin::Months(months), _) => {
            let year = format!("EXTRACT(year FROM {moment})");
            // There is no year 0.
            let year = format!("({year} + CASE WHEN {year} < 0 THEN 1 ELSE 0 END - 2000)");
            let month = format!("(12 * {year} + EXTRACT(month FROM {moment}) - 1)");
            let at_midnight = match line {
                Line::Date => String::new(),
                _ => format!(" AND {moment}::time = '00:00'::time"),
            };
            format!("{month} % {months} = 0 AND EXTRACT(day FROM {moment}) = 1{at_midnight}")
        }
        (Bin::Length(length), Line::Date) => {
            format!("({value} - '2000-01-01'::date) % {} = 0", length / 86_400_000_000)
        }
        (Bin::Length(length), _) => {
            format!("(EXTRACT(epoch FROM {moment} - '2000-01-01'::timestamp) * 1000000) % {length} = 0")
        }
    };
    format!(
        "CASE WHEN pg_catalog.num_nulls({value}) = 1 OR NOT pg_catalog.isfinite({value}) THEN true ELSE {is} END"
    )
}
