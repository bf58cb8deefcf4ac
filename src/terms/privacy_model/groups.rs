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

    /// The groups by some of the columns, or by each of some `sets` of them, their values of a `sensitive` column, and whose they
    /// are by that of a `person`, where there are such.
    pub fn groups(
        &self,
        columns: &[String],
        sets: Option<&[Vec<String>]>,
        (sensitive, person): (Option<&str>, Option<&str>),
        chosen: String,
    ) -> Groups {
        let names = |columns: &[String]| columns.iter().map(|column| self.name(column)).collect();
        let mut asked: Vec<&str> =
            columns.iter().map(String::as_str).chain(sensitive).chain(person).collect();
        asked.sort_unstable();
        asked.dedup();
        Groups {
            is_all: sets.is_none() && asked.len() == self.columns.len(),
            chosen,
            keys: names(columns),
            sets: sets.map(|sets| sets.iter().map(|set| names(set)).collect()),
            s: sensitive.map(|column| self.name(column)),
            p: person.map(|column| self.name(column)),
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
    /// The column that tells persons apart.
    p: Option<String>,
    /// Whether rows are folded by just these columns: each combination is a cell.
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

    /// Each group's counts of the sensitive values s: the rows n, and m, of how many persons who hold it, where persons are
    /// counted, and else of how many rows. The `persons` of a group add up to all that it has.
    pub fn counts(&self) -> String {
        let Some(p) = &self.p else {
            let rows = self.rows();
            return self.folded(&[], &format!("{rows} AS m, {rows} AS n, {rows} AS persons"));
        };
        let by_person = self.folded(&[p], &format!("{p} AS p, {} AS n", self.rows()));
        let names = self.names("o");
        if self.s.is_none() {
            return format!(
                "SELECT {names}, pg_catalog.count(*) AS m, pg_catalog.sum(o.n)::bigint AS n, pg_catalog.count(*) AS persons
                 FROM ({by_person}) o GROUP BY {names}"
            );
        }
        let numbered = numbered_by_person(&by_person, &format!("{}, ", self.names("i")));
        format!(
            "SELECT {names}, o.s, pg_catalog.count(*) AS m, pg_catalog.sum(o.n)::bigint AS n,
                    pg_catalog.count(*) FILTER (WHERE o.is_first) AS persons
             FROM ({numbered}) o GROUP BY {names}, o.s"
        )
    }

    /// The rows of a cell.
    fn rows(&self) -> &'static str {
        if self.is_all {
            "n"
        } else {
            "pg_catalog.sum(n)::bigint"
        }
    }

    /// What is `counted` of the folded rows by keys, sensitive values and `others`.
    fn folded(&self, others: &[&String], counted: &str) -> String {
        let mut named: Vec<String> =
            self.keys.iter().zip(1..).map(|(key, i)| format!("{key} AS k{i}")).collect();
        named.extend(self.s.iter().map(|s| format!("{s} AS s")));
        let set = |keys: &[String]| {
            let keys: Vec<&str> =
                keys.iter().chain(&self.s).chain(others.iter().copied()).map(String::as_str).collect();
            keys.join(", ")
        };
        let Some(sets) = &self.sets else {
            let (named, columns) = (named.join(", "), set(&self.keys));
            let by = if self.is_all { String::new() } else { format!(" GROUP BY {columns}") };
            return format!("SELECT {named}, {counted} FROM folded{by}");
        };
        let masks = self.masks();
        named.extend(masks.iter().zip(1..).map(|(mask, i)| format!("{mask} AS b{i}")));
        // Of several statements each has to have all keys in some set: in one that is left out again.
        let (mut more, mut having) = (String::new(), String::new());
        if sets.len() > SETS {
            let some: Vec<String> = masks.iter().map(|mask| format!("{mask} > 0")).collect();
            (more, having) = (format!(", ({})", set(&self.keys)), format!(" HAVING {}", some.join(" OR ")));
        }
        let named = named.join(", ");
        let some = |sets: &[Vec<String>]| {
            let sets: Vec<String> = sets.iter().map(|keys| format!("({})", set(keys))).collect();
            let sets = sets.join(", ");
            format!("SELECT {named}, {counted} FROM folded GROUP BY GROUPING SETS ({sets}{more}){having}")
        };
        sets.chunks(SETS).map(some).collect::<Vec<String>>().join(" UNION ALL ")
    }

    /// The same with groups and values numbered, g and v, in their types' own order, where they are
    /// joined: columns may hold NULL, and a type's equality may not be called =.
    pub fn cells(&self) -> String {
        format!(
            "SELECT pg_catalog.dense_rank() OVER (ORDER BY {}) AS g, o.s,
                    pg_catalog.dense_rank() OVER (ORDER BY o.s) AS v, o.m, o.n, o.persons
             FROM ({}) o",
            self.names("o"),
            self.counts()
        )
    }

    /// The same with what each group has: its rows and persons, and of how many the counts m are.
    pub fn shares(&self) -> String {
        format!(
            "SELECT c.g, c.s, c.v, c.m, pg_catalog.sum(c.m) OVER w AS held, pg_catalog.sum(c.n) OVER w AS rows,
                    pg_catalog.sum(c.persons) OVER w AS persons
             FROM ({}) c WINDOW w AS (PARTITION BY c.g)",
            self.cells()
        )
    }

    /// The largest share of each sensitive value s in any group.
    pub fn largest_shares(&self) -> String {
        format!(
            "SELECT c.s, pg_catalog.max(c.m::float8 / c.all_persons::float8) AS share
             FROM (SELECT o.s, o.m, pg_catalog.sum(o.persons) OVER (PARTITION BY {}) AS all_persons FROM ({}) o) c GROUP BY c.s",
            self.names("o"),
            self.counts()
        )
    }

    /// The rows n of each group, and how many `others` match it: rows of a `population` that is counted by the same keys.
    pub fn matched(&self) -> String {
        let (keys, counts) = (self.names("o"), self.counts());
        format!(
            "SELECT {keys}, pg_catalog.sum(o.n)::bigint AS n, pg_catalog.sum(o.others)::bigint AS others
             FROM (SELECT {keys}, o.n, 0::bigint AS others FROM ({counts}) o
                   UNION ALL SELECT {keys}, 0::bigint, o.n FROM population o) o
             GROUP BY {keys} HAVING pg_catalog.sum(o.n) > 0"
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

    /// The share q and the rank r of every sensitive value in the whole table: of its rows, or of persons, of all of them
    /// (`persons`), or of them as often as they hold a value (`m`).
    pub fn whole(&self, of: &str) -> String {
        let s = self.s.as_deref().unwrap_or("NULL::text");
        let counts = match &self.p {
            None => format!(
                "SELECT {s} AS s, pg_catalog.sum(n) AS m, pg_catalog.sum(n) AS persons FROM folded GROUP BY {s}"
            ),
            Some(p) => format!(
                "SELECT o.s, pg_catalog.count(*) AS m, pg_catalog.count(*) FILTER (WHERE o.is_first) AS persons
                 FROM ({}) o GROUP BY o.s",
                numbered_by_person(&format!("SELECT {s} AS s, {p} AS p FROM folded GROUP BY {s}, {p}"), "")
            ),
        };
        format!(
            "SELECT w.s, w.m::float8 / pg_catalog.sum(w.{of}) OVER ()::float8 AS q,
                    pg_catalog.dense_rank() OVER (ORDER BY w.s) AS r, pg_catalog.count(*) OVER () AS distinct_values
             FROM ({counts}) w"
        )
    }
}

/// Tells of each person's rows of one group, which differ in their value s, which is the first: so that persons who hold several
/// values are counted once.
fn numbered_by_person(rows: &str, group: &str) -> String {
    format!(
        "SELECT i.*, pg_catalog.row_number() OVER (PARTITION BY {group}i.p ORDER BY i.s) = 1 AS is_first FROM ({rows}) i"
    )
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
