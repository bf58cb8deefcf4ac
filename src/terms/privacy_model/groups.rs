//! What the measures of models in plain SQL are made of: a relation's groups, and the counts of sensitive
//! values in them. (The one place that knows how columns are grouped and compared in SQL.)

use crate::postgres::error::Result;
use crate::postgres::sql::quote;
use crate::read::source::Source;

/// The groups of a relation, as SQL.
#[derive(Debug)]
pub struct Groups {
    /// The relation, qualified.
    pub relation: String,
    /// What rows are grouped by.
    pub columns: String,
    /// A condition on a cell c of [`Groups::counts`]: its value is one of those that are meant.
    pub chosen: String,
    keys: Vec<String>,
    /// The sensitive column.
    s: String,
}

impl Groups {
    /// The groups of a relation by some columns, and their values of a `sensitive` one, where there is one.
    pub fn new(
        source: &Source,
        columns: &[String],
        sensitive: Option<&str>,
        chosen: String,
    ) -> Result<Groups> {
        let keys = keys(source, columns)?;
        let s = sensitive.map_or(Ok("NULL".into()), |name| key(source, name))?;
        Ok(Groups { relation: source.qualified(), columns: keys.join(", "), chosen, keys, s })
    }

    /// The columns k1, k2, ... that tell the groups of [`Groups::counts`] apart, of an alias.
    pub fn names(&self, alias: &str) -> String {
        (1..=self.keys.len()).map(|i| format!("{alias}.k{i}")).collect::<Vec<String>>().join(", ")
    }

    /// Each group's counts m of the sensitive values s.
    pub fn counts(&self) -> String {
        let named = self.keys.iter().zip(1..).map(|(key, i)| format!("{key} AS k{i}"));
        let (named, Groups { relation, columns, s, .. }) = (named.collect::<Vec<String>>().join(", "), self);
        format!("SELECT {named}, {s} AS s, pg_catalog.count(*) AS m FROM {relation} GROUP BY {columns}, {s}")
    }

    /// The same with groups and values numbered, g and v, in their types' own order, where they are
    /// joined: columns may hold NULL, and a type's equality may not be called =.
    pub fn cells(&self) -> String {
        let Groups { relation, columns, s, .. } = self;
        format!(
            "SELECT pg_catalog.dense_rank() OVER (ORDER BY {columns}) AS g, {s} AS s,
                    pg_catalog.dense_rank() OVER (ORDER BY {s}) AS v, pg_catalog.count(*) AS m
             FROM {relation} GROUP BY {columns}, {s}"
        )
    }

    /// The same with each group's rows n.
    pub fn shares(&self) -> String {
        format!("SELECT c.*, pg_catalog.sum(c.m) OVER (PARTITION BY c.g) AS n FROM ({}) c", self.cells())
    }

    /// The share q and the rank r of every sensitive value in the whole table.
    pub fn whole(&self) -> String {
        let Groups { relation, s, .. } = self;
        format!(
            "SELECT {s} AS s, pg_catalog.count(*)::float8 / pg_catalog.sum(pg_catalog.count(*)) OVER ()::float8 AS q,
                    pg_catalog.dense_rank() OVER (ORDER BY {s}) AS r, pg_catalog.count(*) OVER () AS distinct_values
             FROM {relation} GROUP BY {s}"
        )
    }
}

/// What a column is grouped and ordered by: itself, or its text where its type has no order.
pub fn key(source: &Source, name: &str) -> Result<String> {
    let ty = source.type_of(source.column(name)?);
    Ok(if ty.comparator().is_some() { quote(name) } else { format!("({})", ty.sql_text(&quote(name))) })
}

/// What several columns are grouped and ordered by.
pub fn keys(source: &Source, columns: &[String]) -> Result<Vec<String>> {
    columns.iter().map(|column| key(source, column)).collect()
}
