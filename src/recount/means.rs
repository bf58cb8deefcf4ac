//! The means of a release in plain SQL, over what was written: whether each class shows one, within what it shows of the
//! column. Whether it is the right one only the source tells.

use super::are_few_of_many;
use crate::postgres::error::{Result, SqlError};
use crate::postgres::line::Line;
use crate::postgres::operation::Operation;
use crate::postgres::progress::polled;
use crate::postgres::sql::{self, quote, Values};
use crate::read::plan::look_at;
use crate::read::source::Source;
use crate::terms::labels::end_as_written;
use crate::terms::privacy_model::groups::keys;
use pgrx::datum::DatumWithOid;
use pgrx::pg_sys::Oid;

/// What the intervals of a masked column are shown as, and their lower and upper ends.
#[derive(Debug, Default)]
pub struct ShownNodes {
    pub shown: Vec<Option<String>>,
    pub lower: Vec<Option<String>>,
    pub upper: Vec<Option<String>>,
}

/// Whether the cut of a release is there, and may be read.
pub fn may_be_read(schema: Oid) -> Result<bool> {
    sql::relation_in(schema, "cut").map_or(Ok(false), sql::may_read)
}

/// Those of a column of a release, from its cut.
pub fn nodes_of(schema: Oid, column: &str) -> Result<ShownNodes> {
    let cut = Source::in_schema(schema, "cut")?;
    let query = format!("SELECT node, lower, upper FROM {} WHERE attribute = $1", cut.qualified());
    let mut nodes = ShownNodes::default();
    look_at(&cut, &query, &[column.into()], |row| {
        nodes.shown.push(row.nullable(1)?);
        nodes.lower.push(row.nullable(2)?);
        nodes.upper.push(row.nullable(3)?);
        Ok(())
    })?;
    Ok(nodes)
}

/// A column whose means are shown: what it is called, what its means are, and what its intervals are shown as.
pub struct WithMeans<'a> {
    pub name: &'a str,
    pub mean: String,
    pub nodes: ShownNodes,
}

/// How many classes by the masked columns show two means of a column, one that does not lie in what they show of it, or one of fewer
/// rows than the `smallest` class has, for each of some columns; none without rows.
pub fn wrong(
    relation: &Source,
    masked: &[String],
    smallest: i32,
    columns: Vec<WithMeans>,
) -> Result<Option<Vec<i64>>> {
    let (mut of_class, mut wrong, mut joins) = (Vec::new(), Vec::new(), Vec::new());
    let mut args: Vec<DatumWithOid> = Vec::new();
    for (c, WithMeans { name, mean, nodes }) in columns.into_iter().enumerate() {
        let shown = relation.type_of(relation.column(name)?).sql_text(&quote(name));
        let ty = relation.type_of(relation.column(&mean)?);
        let type_name = ty.name();
        // What is rounded to the second may lie a second beyond what is not. A time of day is no moment of it in arithmetic.
        let (value, end, [more, less]) = match ty.line() {
            Some(Line::Timestamp | Line::TimestampTz) => ("", format!("::{type_name}"), SECOND),
            Some(Line::Time) => ("::interval", format!("::{type_name}::interval"), SECOND),
            Some(_) => ("", format!("::{type_name}"), ["", ""]),
            None => return Err(SqlError::state(format!("column \"{mean}\" of the release holds no means"))),
        };
        for end in polled(nodes.lower.iter().chain(&nodes.upper)).flatten() {
            end_as_written(name, end, ty)?;
        }
        let mean = quote(&mean);
        of_class.push(format!(
            "{shown} AS shown{c}, pg_catalog.min({mean}) AS least{c}, pg_catalog.max({mean}) AS most{c}, pg_catalog.count({mean}) AS means{c}"
        ));
        wrong.push(format!(
            "pg_catalog.count(*) FILTER (WHERE g.least{c} IS DISTINCT FROM g.most{c} OR g.means{c} NOT IN (0, g.n)
                OR g.means{c} > 0 AND g.n < {smallest}
                OR g.least{c}{value}{more} < c{c}.lower{end} OR g.most{c}{value}{less} > c{c}.upper{end})"
        ));
        let first = args.len() + 1;
        joins.push(format!(
            "LEFT JOIN ROWS FROM (pg_catalog.unnest(${}), pg_catalog.unnest(${}), pg_catalog.unnest(${})) AS c{c} (shown, lower, upper)
                 ON c{c}.shown = g.shown{c}",
            first,
            first + 1,
            first + 2
        ));
        args.extend([nodes.shown.into(), nodes.lower.into(), nodes.upper.into()]);
    }
    let query = format!(
        "SELECT ARRAY[{}], pg_catalog.count(*) FROM (SELECT {}, pg_catalog.count(*) AS n FROM {} GROUP BY {}) g {}",
        wrong.join(", "),
        of_class.join(", "),
        relation.qualified(),
        keys(relation, masked)?.join(", "),
        joins.join(" ")
    );
    let _gathering = are_few_of_many(relation, masked)?.then(Operation::gathering);
    let counted =
        look_at(relation, &query, &args, |row| Ok((row.written::<Vec<i64>>(1)?, row.written::<i64>(2)?)))?;
    Ok(counted.into_iter().next().filter(|(_, classes)| *classes > 0).map(|(wrong, _)| wrong))
}

const SECOND: [&str; 2] = [" + '1 second'::interval", " - '1 second'::interval"];
