//! The means of a release in plain SQL, over what was written: whether each class shows one, within what it shows of the
//! column. Whether it is the right one only the source tells.

use crate::postgres::error::{Result, SqlError};
use crate::postgres::line::Line;
use crate::postgres::sql::{quote, NotNull};
use crate::read::plan::look_at;
use crate::read::source::Source;
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

/// Those of a column of a release, from its cut.
pub fn nodes_of(schema: Oid, column: &str) -> Result<ShownNodes> {
    let cut = Source::in_schema(schema, "cut")?;
    let query = format!("SELECT node, lower, upper FROM {} WHERE attribute = $1", cut.qualified());
    let mut nodes = ShownNodes::default();
    look_at(&cut, &query, &[column.into()], |row| {
        nodes.shown.push(row.get(1)?);
        nodes.lower.push(row.get(2)?);
        nodes.upper.push(row.get(3)?);
        Ok(())
    })?;
    Ok(nodes)
}

/// How many classes by the masked columns show two means of a column, or one that does not lie in what they show of it;
/// none without rows.
pub fn wrong(
    relation: &Source,
    masked: &[String],
    (column, mean): (&str, &str),
    nodes: ShownNodes,
) -> Result<Option<i64>> {
    let shown = relation.type_of(relation.column(column)?).sql_text(&quote(column));
    let ty = relation.type_of(relation.column(mean)?);
    let name = ty.name();
    // What is rounded to the second may lie a second beyond what is not. A time of day is no moment of it in arithmetic.
    let (value, end, slack) = match ty.line() {
        Some(Line::Timestamp | Line::TimestampTz) => ("", format!("::{name}"), SECOND),
        Some(Line::Time) => ("::interval", format!("::{name}::interval"), SECOND),
        Some(_) => ("", format!("::{name}"), ["", ""]),
        None => return Err(SqlError::state(format!("column \"{mean}\" of the release holds no means"))),
    };
    let [more, less] = slack;
    let query = format!(
        "SELECT pg_catalog.count(*) FILTER (WHERE g.least IS DISTINCT FROM g.most OR g.means NOT IN (0, g.n)
                    OR g.least{value}{more} < c.lower{end} OR g.most{value}{less} > c.upper{end}),
                pg_catalog.count(*)
         FROM (SELECT {shown} AS shown, pg_catalog.min({mean}) AS least, pg_catalog.max({mean}) AS most,
                      pg_catalog.count({mean}) AS means, pg_catalog.count(*) AS n
               FROM {} GROUP BY {}) g
         LEFT JOIN ROWS FROM (pg_catalog.unnest($1), pg_catalog.unnest($2), pg_catalog.unnest($3)) AS c (shown, lower, upper)
              ON c.shown = g.shown",
        relation.qualified(),
        keys(relation, masked)?.join(", "),
        mean = quote(mean),
    );
    let args: [DatumWithOid; 3] = [nodes.shown.into(), nodes.lower.into(), nodes.upper.into()];
    let counted =
        look_at(relation, &query, &args, |row| Ok((row.written::<i64>(1)?, row.written::<i64>(2)?)))?;
    Ok(counted.first().filter(|(_, classes)| *classes > 0).map(|(wrong, _)| *wrong))
}

const SECOND: [&str; 2] = [" + '1 second'::interval", " - '1 second'::interval"];
