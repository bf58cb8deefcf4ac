//! What the measures of models in plain SQL are made of: a relation's rows folded by some columns, the groups
//! of those, and the counts of sensitive values in them. (The one place that knows how columns are grouped and
//! compared in SQL.)
//!
//! Rows are folded once for all models that ask of the same columns: a table of combinations with how many
//! rows each has, which in a release are few. A model's groups are counted from there.

use crate::postgres::error::Result;
use crate::postgres::sql::quote;
use crate::read::source::Source;

/// The rows of a relation, folded: its combinations of some columns c1, c2, ..., and the rows n of each.
#[derive(Debug)]
pub struct Folded {
    columns: Vec<String>,
    keys: Vec<String>,
}

impl Folded {
    /// A relation's rows, folded by some of its columns.
    pub fn new(source: &Source, columns: Vec<String>) -> Result<Folded> {
        Ok(Folded { keys: keys(source, &columns)?, columns })
    }

    /// Folds the relation, or some rows of it. What groups are counted from is this, called `folded`.
    pub fn query(&self, rows: &str) -> String {
        let named: Vec<String> = self.keys.iter().zip(1..).map(|(key, i)| format!("{key} AS c{i}")).collect();
        let (named, keys) = (named.join(", "), self.keys.join(", "));
        format!("SELECT {named}, pg_catalog.count(*) AS n FROM {rows} GROUP BY {keys}")
    }

    /// What a column is called.
    fn name(&self, column: &str) -> String {
        let place = self.columns.iter().position(|name| name == column);
        format!("c{}", place.map_or(0, |place| place + 1))
    }

    /// The groups by some of the columns, or by each of some `sets` of them, and their values of a `sensitive` one, where there
    /// is one.
    pub fn groups(
        &self,
        columns: &[String],
        sets: Option<&[Vec<String>]>,
        sensitive: Option<&str>,
        chosen: String,
    ) -> Groups {
        let mut asked: Vec<&str> = columns.iter().map(String::as_str).chain(sensitive).collect();
        asked.sort_unstable();
        asked.dedup();
        let names = |columns: &[String]| columns.iter().map(|column| self.name(column)).collect();
        Groups {
            chosen,
            keys: names(columns),
            sets: sets.map(|sets| sets.iter().map(|set| names(set)).collect()),
            s: sensitive.map(|column| self.name(column)),
            is_all: sets.is_none() && asked.len() == self.columns.len(),
        }
    }
}

/// So many columns `GROUPING` tells of.
const BITS: usize = 31;

/// PostgreSQL takes at most 4,096 grouping sets, and compares each with all others.
const SETS: usize = 500;

/// The groups of the folded rows, as SQL.
#[derive(Debug)]
pub struct Groups {
    /// A condition on a cell c of [`Groups::counts`]: its value is one of those that are meant.
    pub chosen: String,
    keys: Vec<String>,
    /// The sets of keys that make groups, if not all of them together.
    sets: Option<Vec<Vec<String>>>,
    /// The sensitive column.
    s: Option<String>,
    /// Whether what is folded is just that: each combination is a cell.
    is_all: bool,
}

impl Groups {
    /// The columns k1, k2, ... that tell the groups of [`Groups::counts`] apart, of an alias.
    pub fn names(&self, alias: &str) -> String {
        let keys = (1..=self.keys.len()).map(|i| format!("{alias}.k{i}"));
        keys.chain((1..=self.masks().len()).map(|i| format!("{alias}.b{i}")))
            .collect::<Vec<String>>()
            .join(", ")
    }

    /// Where groups are of some keys: which of them these are, as numbers that have a bit for each other key.
    fn masks(&self) -> Vec<String> {
        let keys = if self.sets.is_some() { &self.keys[..] } else { &[] };
        keys.chunks(BITS).map(|keys| format!("GROUPING({})", keys.join(", "))).collect()
    }

    /// Each group's counts m of the sensitive values s.
    pub fn counts(&self) -> String {
        let mut named: Vec<String> =
            self.keys.iter().zip(1..).map(|(key, i)| format!("{key} AS k{i}")).collect();
        let mut columns = self.keys.clone();
        if let Some(s) = &self.s {
            named.push(format!("{s} AS s"));
            columns.push(s.clone());
        }
        if let Some(sets) = &self.sets {
            let masks = self.masks();
            named.extend(masks.iter().zip(1..).map(|(mask, i)| format!("{mask} AS b{i}")));
            let set = |keys: &[String]| {
                let keys: Vec<&str> = keys.iter().chain(&self.s).map(String::as_str).collect();
                format!("({})", keys.join(", "))
            };
            // Of several statements each has to have all keys in some set: in one that is left out again.
            let (mut more, mut having) = (String::new(), String::new());
            if sets.len() > SETS {
                let some: Vec<String> = masks.iter().map(|mask| format!("{mask} > 0")).collect();
                (more, having) = (format!(", {}", set(&self.keys)), format!(" HAVING {}", some.join(" OR ")));
            }
            let named = named.join(", ");
            let some = |sets: &[Vec<String>]| {
                let sets: Vec<String> = sets.iter().map(|keys| set(keys)).collect();
                let sets = sets.join(", ");
                format!(
                    "SELECT {named}, pg_catalog.sum(n)::bigint AS m FROM folded GROUP BY GROUPING SETS ({sets}{more}){having}"
                )
            };
            return sets.chunks(SETS).map(some).collect::<Vec<String>>().join(" UNION ALL ");
        }
        let (named, columns) = (named.join(", "), columns.join(", "));
        match self.is_all {
            true => format!("SELECT {named}, n AS m FROM folded"),
            false => {
                format!("SELECT {named}, pg_catalog.sum(n)::bigint AS m FROM folded GROUP BY {columns}")
            }
        }
    }

    /// The same with groups and values numbered, g and v, in their types' own order, where they are
    /// joined: columns may hold NULL, and a type's equality may not be called =.
    pub fn cells(&self) -> String {
        format!(
            "SELECT pg_catalog.dense_rank() OVER (ORDER BY {}) AS g, o.s,
                    pg_catalog.dense_rank() OVER (ORDER BY o.s) AS v, o.m
             FROM ({}) o",
            self.names("o"),
            self.counts()
        )
    }

    /// The same with each group's rows n.
    pub fn shares(&self) -> String {
        format!("SELECT c.*, pg_catalog.sum(c.m) OVER (PARTITION BY c.g) AS n FROM ({}) c", self.cells())
    }

    /// The largest share of each sensitive value s in any group.
    pub fn largest_shares(&self) -> String {
        format!(
            "SELECT c.s, pg_catalog.max(c.m::float8 / c.n::float8) AS share
             FROM (SELECT o.s, o.m, pg_catalog.sum(o.m) OVER (PARTITION BY {}) AS n FROM ({}) o) c GROUP BY c.s",
            self.names("o"),
            self.counts()
        )
    }

    /// How many groups there are.
    pub fn size(&self) -> String {
        let names = self.names("o");
        format!(
            "SELECT pg_catalog.count(*) AS groups FROM (SELECT FROM ({}) o GROUP BY {names}) g",
            self.counts()
        )
    }

    /// The share q and the rank r of every sensitive value in the whole table.
    pub fn whole(&self) -> String {
        let s = self.s.as_deref().unwrap_or("NULL::text");
        format!(
            "SELECT {s} AS s, pg_catalog.sum(n)::float8 / pg_catalog.sum(pg_catalog.sum(n)) OVER ()::float8 AS q,
                    pg_catalog.dense_rank() OVER (ORDER BY {s}) AS r, pg_catalog.count(*) OVER () AS distinct_values
             FROM folded GROUP BY {s}"
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
