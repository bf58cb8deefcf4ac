//! The counted scan: a source is read as the distinct combinations of the columns that are needed, each with the number of its
//! rows, where that is less work than to read all rows. A search asks for nothing else, and the rows of a version follow
//! from it.
//!
//! Where rows lie on other servers it is these that count, and combinations that cross the wire. A GROUP BY over a partitioned
//! table is not sent to them; one over each leaf is, so a source that has foreign leaves is read by one grouped query for each
//! leaf, under UNION ALL. Combinations that come from several leaves are not summed up here: the search folds them.
//!
//! A table that Citus distributes is counted by a plain GROUP BY, which Citus sends to its shards, and of which it sums up what they send.
//!
//! It must not show. Combinations that SQL takes for equal are one, so columns whose equal values need not be the same bytes are
//! grouped by how these look, too. And a leaf's own rights and policies are not those of the table that it is a part of, so both have to allow it.
//! What was chosen is told ([`Reading`]), with the plan of what was sent.

use super::plan::{self, Leaf};
use super::scan::{self, Statement};
use super::source::Source;
use super::table::Table;
use super::writers::{self, Writers};
use crate::postgres::citus::{self, Distributed, Node};
use crate::postgres::datum::Type;
use crate::postgres::error::{self, Result, SqlError};
use crate::postgres::hint::Hint;
use crate::postgres::settings::{self, Scan};
use crate::postgres::sql::{self, Values};
use crate::postgres::{activity, subtransaction};
use pgrx::pg_sys::Oid;
use pgrx::{PgSqlErrorCode, Spi};
use serde::{Deserialize, Serialize};

/// How a source was read.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Reading {
    /// As rows or as counts.
    pub how: ScanMode,
    /// Why.
    pub reason: String,
    /// What was sent to other servers, or counted: the lines of EXPLAIN.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plan: Vec<String>,
    /// Whether its writers were kept out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub locked: bool,
}

/// What a record is that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScanMode {
    Rows,
    Counts,
}

impl Reading {
    /// Row by row.
    pub fn of_rows(reason: impl Into<String>) -> Reading {
        Reading { how: ScanMode::Rows, reason: reason.into(), plan: Vec::new(), locked: false }
    }
}

/// So many rows are looked at to see how many combinations they have.
const SAMPLE: usize = 10_000;

/// So many rows of each shard of a distributed table are, but no more than that of all.
const MOST: usize = 320_000;

/// So many of a view over such tables.
const FIRST: usize = 1_000;

/// Fewer rows of this server's own are read as soon as they are counted.
const FEW: f64 = 100_000.0;

/// Counted is what has no more combinations than this share of its rows: on other servers, and here (docs/operations/servers.md).
const WORTH_SENDING: f64 = 0.5;
const WORTH_COUNTING: f64 = 0.01;

/// Reads some columns of a source row by row.
pub fn every(source: &Source, places: &[usize], writers: Writers, reason: &str) -> Result<(Table, Reading)> {
    let _told = Hint::of_not_found();
    let statement = Statement::of_rows(source, places);
    let (table, locked) = writers.of(source)?.read(|| scan::receive_all(source, places, &statement))?;
    Ok((table, Reading { locked, ..Reading::of_rows(reason) }))
}

/// Reads some columns of a source as it seems best, or as is set.
pub fn read(source: &Source, places: &[usize], writers: Writers) -> Result<(Table, Reading)> {
    let readable = writers.of(source)?;
    let parts = Parts::of(source)?;
    // Errors of other servers are passed on as they come.
    let _told = (parts.are_here() || parts.whole.kind == "v").then(Hint::of_not_found);
    let rows = Statement::of_rows(source, places);
    let mut reading = parts.choose(source, places)?;
    let counts = parts.counts(source, places);
    if reading.how == ScanMode::Counts {
        reading.plan = explain(source, &counts)?;
        if let Some(raw) = reading.plan.iter().find(|line| is_sent(line) && !line.contains(" GROUP BY ")) {
            let raw = raw.trim().to_string();
            error::warn(
                format!(
                    "all rows of \"{}\" cross the wire: they are not counted where they lie",
                    source.name
                ),
                raw,
            );
            if settings::scan() == Scan::Auto {
                reading = Reading::of_rows("their server would not count the rows");
            }
        }
    }
    let statement = if reading.how == ScanMode::Counts { counts } else { rows };
    if let Some(table) = &parts.shards {
        reading.reason = format!("{}; {}", reading.reason, table.shown());
    }
    if reading.how == ScanMode::Rows && !parts.are_here() {
        reading.plan = explain(source, &statement)?;
    }
    let (table, locked) = readable.read(|| match scan::receive_all(source, places, &statement) {
        Err(fault) if parts.by_leaf() && fault.code() == PgSqlErrorCode::ERRCODE_UNDEFINED_FUNCTION => {
            let fault = parts.refused(source, places, fault)?;
            if settings::scan() == Scan::Counts {
                return Err(fault);
            }
            reading = Reading::of_rows(fault.message());
            fault.warn_that(
                format!("all rows of \"{}\" cross the wire: {}", source.name, reading.reason),
                "They are read row by row.",
            );
            let rows = Statement::of_rows(source, places);
            reading.plan = explain(source, &rows)?;
            activity::rows(0);
            scan::receive_all(source, places, &rows)
        }
        read => read,
    })?;
    reading.locked = locked;
    if !statement.leaves.is_empty() && Parts::of(source)?.leaves() != statement.leaves {
        return Err(SqlError::serialization("the source got or lost a partition while it was read")
            .hint("Call again."));
    }
    Ok((table, reading))
}

/// Whether a line of a plan says what is sent to another server: postgres_fdw's, or a task of Citus'.
fn is_sent(line: &str) -> bool {
    ["Remote SQL: ", "Query: "].iter().any(|says| line.trim_start().starts_with(says))
}

/// Whether a plan has shards count all by themselves: nothing is planned by itself, whose rows would come here first.
fn is_counted_on_shards(plan: &[String]) -> bool {
    let mut sent = plan.iter().filter(|line| is_sent(line)).peekable();
    sent.peek().is_some()
        && sent.all(|line| line.contains(" GROUP BY "))
        && !plan.iter().any(|line| line.contains("Distributed Subplan"))
}

/// Whether a declaration leaves equal values one form: as many digits behind the point, or as many blanks.
fn is_of_one_form(declaration: &str, ty: &Type) -> bool {
    declaration.starts_with("numeric(") || declaration.starts_with("character(") && ty.is_deterministic()
}

/// How the values of a column are grouped, so that those of one group are the same.
enum Grouped {
    /// Equal ones are.
    ByValue,
    /// By something else, too.
    ByLook(String),
    /// Nobody can.
    Not,
}

impl Grouped {
    fn of(source: &Source, place: usize) -> Grouped {
        let (column, ty) = (&source.columns[place], source.type_of(place));
        if ty.is_equal_by_bytes() || is_of_one_form(&column.declaration, &ty) {
            return Grouped::ByValue;
        }
        ty.look(&sql::quote(&column.name)).map_or(Grouped::Not, Grouped::ByLook)
    }
}

/// What some columns are grouped by, as a list.
fn grouping(source: &Source, places: &[usize]) -> Vec<String> {
    let looks = places.iter().filter_map(|&place| match Grouped::of(source, place) {
        Grouped::ByLook(look) => Some(look),
        Grouped::ByValue | Grouped::Not => None,
    });
    places.iter().map(|&place| sql::quote(&source.columns[place].name)).chain(looks).collect()
}

/// The plan of a statement.
fn explain(source: &Source, statement: &Statement) -> Result<Vec<String>> {
    let explain = format!("EXPLAIN (VERBOSE, COSTS OFF) {}", statement.text);
    let of = |text: &str| plan::on_relations(source, &statement.leaves, text, &[]);
    let explained = || {
        // Whether policies hide rows is seen of the statement, not of its EXPLAIN.
        of(&statement.text)?;
        sql::explained(of(&explain)?)
    };
    // A node that refuses it is no error to Citus, which leaves the transaction there aborted: the end of a reading mends that.
    citus::read(source.oid, || Spi::connect(|_| explained()))
}

/// A relation whose rows are a source's.
struct Part {
    oid: Oid,
    qualified: String,
    kind: String,
    /// Whether policies may hide rows of it.
    policies: bool,
    readable: bool,
    /// About how many, by the statistics; none or less, if there are none.
    rows: f64,
    /// Whether they lie on another server.
    foreign: bool,
    /// Whether they lie in blocks, of which some can be looked at.
    has_blocks: bool,
}

/// A source, and its leaves where it is partitioned.
struct Parts {
    whole: Part,
    leaves: Vec<Part>,
    /// How Citus has distributed it, if it has.
    shards: Option<Distributed>,
    /// In how many shards the tables below it lie, if it is a view.
    shards_below: i64,
}

impl Parts {
    fn of(source: &Source) -> Result<Parts> {
        // Locks the leaves. What they are is looked at by another statement, which sees what was waited for.
        sql::rows(
            "SELECT FROM pg_catalog.pg_partition_tree($1::oid::pg_catalog.regclass)",
            &[source.oid.into()],
            |_| Ok(()),
        )?;
        let query = "SELECT c.oid, pg_catalog.quote_ident(n.nspname) || '.' || pg_catalog.quote_ident(c.relname), c.relkind::text,
                            c.relrowsecurity, pg_catalog.has_table_privilege(c.oid, 'SELECT'), c.reltuples::float8,
                            c.relkind = 'f',
                            c.relkind = 'p' OR c.relam = (SELECT a.oid FROM pg_catalog.pg_am a WHERE a.amname = 'heap')
                     FROM (SELECT $1::oid AS oid UNION
                           SELECT t.relid FROM pg_catalog.pg_partition_tree($1::oid::pg_catalog.regclass) t WHERE t.isleaf) p
                     JOIN pg_catalog.pg_class c ON c.oid = p.oid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
                     ORDER BY c.oid <> $1::oid, c.oid";
        let mut parts = sql::rows(query, &[source.oid.into()], |row| {
            Ok(Part {
                oid: row.not_null(1)?,
                qualified: row.not_null(2)?,
                kind: row.not_null(3)?,
                policies: row.not_null(4)?,
                readable: row.not_null(5)?,
                rows: row.not_null(6)?,
                foreign: row.not_null(7)?,
                has_blocks: row.not_null(8)?,
            })
        })?;
        if parts.is_empty() {
            return Err(SqlError::no_oid(source.oid));
        }
        let whole = parts.remove(0);
        let shards_below = if whole.kind == "v" { writers::shards_of(source)? } else { 0 };
        Ok(Parts { whole, leaves: parts, shards: Distributed::of(source.oid)?, shards_below })
    }

    /// The relations that have the rows.
    fn all(&self) -> &[Part] {
        if self.leaves.is_empty() {
            std::slice::from_ref(&self.whole)
        } else {
            &self.leaves
        }
    }

    /// Whether this server has all rows.
    fn are_here(&self) -> bool {
        self.shards.is_none() && self.shards_below == 0 && !self.all().iter().any(|part| part.foreign)
    }

    /// Whether the rows of each leaf have to be counted by themselves.
    fn by_leaf(&self) -> bool {
        self.leaves.iter().any(|leaf| leaf.foreign)
    }

    /// The leaves that are read by their own names.
    fn leaves(&self) -> Vec<Leaf> {
        let leaf = |part: &Part| Leaf { oid: part.oid, qualified: part.qualified.clone() };
        self.leaves.iter().filter(|_| self.by_leaf()).map(leaf).collect()
    }

    /// How to read it.
    fn choose(&self, source: &Source, places: &[usize]) -> Result<Reading> {
        let wish = settings::scan();
        if wish == Scan::Rows {
            return Ok(Reading::of_rows("pg_topdown.scan is rows"));
        }
        let counts = |reason| Reading { how: ScanMode::Counts, ..Reading::of_rows(reason) };
        if let Some(obstacle) = self.obstacle(source, places) {
            if !self.are_here() {
                error::tell(
                    format!("all rows of \"{}\" cross the wire: {obstacle}", source.name),
                    "Set pg_topdown.scan to rows if that is as it should be.",
                );
            }
            return Ok(Reading::of_rows(obstacle));
        }
        if wish == Scan::Counts {
            return Ok(counts("pg_topdown.scan is counts".to_string()));
        }
        if self.whole.kind == "v" && self.shards_below == 0 {
            return Ok(Reading::of_rows("it is a view"));
        }
        if self.shards_below > 0 && !is_counted_on_shards(&explain(source, &self.counts(source, places))?) {
            error::tell(
                format!("all rows of \"{}\" cross the wire: shards cannot count them by themselves", source.name),
                "A view is counted on the shards where a GROUP BY, DISTINCT or window in it has the column of distribution, and joins are by it.",
            );
            return Ok(Reading::of_rows("it is a view that shards cannot count by themselves"));
        }
        let here = self.are_here();
        if here && self.rows() < FEW {
            return Ok(Reading::of_rows("it is small, or was never analyzed"));
        }
        let samples = self.samples(source, places)?;
        let samples = match samples {
            Ok(samples) => samples,
            Err(why) => return Ok(Reading::of_rows(format!("its shards cannot be looked at: {why}"))),
        };
        let share = Sample::combinations_of(&samples) / Sample::rows_of(&samples).max(1.0);
        let reason = format!("about {share:.2} combinations a row, by a sample");
        let worth = share <= if here { WORTH_COUNTING } else { WORTH_SENDING };
        Ok(if worth { counts(reason) } else { Reading::of_rows(reason) })
    }

    /// Why rows cannot be counted where they lie.
    fn obstacle(&self, source: &Source, places: &[usize]) -> Option<String> {
        let cannot = |&&place: &&usize| matches!(Grouped::of(source, place), Grouped::Not);
        if let Some(&place) = places.iter().find(cannot) {
            return Some(format!(
                "values of column \"{}\" (type {}) cannot be compared",
                source.columns[place].name,
                source.type_of(place).name()
            ));
        }
        if !self.by_leaf() {
            return None;
        }
        let policies = self.leaves.iter().chain([&self.whole]).find(|part| part.policies);
        let unreadable = self.leaves.iter().find(|leaf| !leaf.readable);
        policies
            .map(|part| format!("row-level security is enabled on {}", part.qualified))
            .or_else(|| unreadable.map(|leaf| format!("{} may not be read by itself", leaf.qualified)))
    }

    /// The error of a server that lacks a function for what it should count, as it does where a column has another type there: which
    /// server, leaf and column it is. Each column is asked for by itself, and a row will do.
    fn refused(&self, source: &Source, places: &[usize], fault: SqlError) -> Result<SqlError> {
        for leaf in self.leaves.iter().filter(|leaf| leaf.foreign) {
            for &place in places {
                let alike: Vec<String> = grouping(source, &[place])
                    .into_iter()
                    .map(|by| format!("NOT ({by} IS DISTINCT FROM {by})"))
                    .collect();
                let query = format!(
                    "SELECT 1 FROM {} WHERE false UNION ALL (SELECT 1 FROM {} WHERE {} LIMIT 1)",
                    source.qualified(),
                    leaf.qualified,
                    alike.join(" AND ")
                );
                let asked = [Leaf { oid: leaf.oid, qualified: leaf.qualified.clone() }];
                let look = || plan::look_at_all(source, &asked, &query, &[], |_| Ok(()));
                let Err(said) = subtransaction::answer(look) else { continue };
                let server = "SELECT s.srvname::text FROM pg_catalog.pg_foreign_table t
                              JOIN pg_catalog.pg_foreign_server s ON s.oid = t.ftserver WHERE t.ftrelid = $1";
                let server = sql::value::<String>(server, &[leaf.oid.into()])?.unwrap_or_default();
                let column = &source.columns[place];
                return Ok(SqlError::other_type(format!(
                    "server \"{server}\" cannot count column \"{}\" of {}",
                    column.name, leaf.qualified
                ))
                .detail(format!(
                    "It says: {}. Here the column is of type {}.",
                    said.message(),
                    source.type_of(place).name()
                ))
                .hint("Declare the column of the foreign table as the table there has it, or set pg_topdown.scan to rows."));
            }
        }
        Ok(fault)
    }

    /// About how many rows there are; 0 where nobody knows.
    fn rows(&self) -> f64 {
        self.all().iter().map(|part| part.rows.max(0.0)).sum()
    }

    /// The statement that counts.
    fn counts(&self, source: &Source, places: &[usize]) -> Statement {
        let list = source.list(places);
        let by = grouping(source, places).join(", ");
        let grouped = |from: &str| format!("SELECT {list}, pg_catalog.count(*) FROM {from} GROUP BY {by}");
        let leaves = self.leaves();
        let text = if leaves.is_empty() {
            grouped(&source.qualified())
        } else {
            // None of its own rows: so that it is the table that was asked for, and may be read.
            let mut queries =
                vec![format!("SELECT {list}, 0::bigint FROM {} WHERE false", source.qualified())];
            queries.extend(self.leaves.iter().map(|leaf| grouped(&leaf.qualified)));
            sql::union_all(&queries)
        };
        Statement { text, leaves, counts: true, as_seen: false }
    }

    /// How many combinations some rows have, of each part that counts by itself: it is these that cross. Of a table here any blocks are
    /// looked at, and of other servers' the first rows.
    fn samples(&self, source: &Source, places: &[usize]) -> Result<std::result::Result<Vec<Sample>, String>> {
        if self.shards.is_some() {
            return self.samples_of_shards(source, places);
        }
        let by = grouping(source, places);
        let list = by.join(", ");
        let parts: Vec<(String, f64)> = if self.shards_below > 0 {
            // The rows that come first are of a shard or two, and of each shard as many are sent.
            let first =
                format!("SELECT 0, v.* FROM (SELECT {list} FROM {} LIMIT {FIRST}) v", source.qualified());
            vec![(first, counted(source)? / self.shards_below as f64)]
        } else if self.are_here() {
            let percent = (100.0 * SAMPLE as f64 / self.rows()).min(100.0);
            let any = format!(
                "SELECT 0, {list} FROM {} TABLESAMPLE pg_catalog.system ({percent}) REPEATABLE (0)",
                source.qualified()
            );
            vec![(any, self.rows())]
        } else {
            let each = (SAMPLE / self.all().len().max(1)).max(1);
            let first = |(number, part): (usize, &Part)| {
                (format!("(SELECT {number}, {list} FROM {} LIMIT {each})", part.qualified), part.rows)
            };
            let none = (format!("(SELECT 0, {list} FROM {} WHERE false)", source.qualified()), 0.0);
            [none].into_iter().chain((1..).zip(self.all()).map(first)).collect()
        };
        let union = sql::union_all(&parts.iter().map(|(query, _)| query.clone()).collect::<Vec<_>>());
        let query =
            format!("SELECT s.part, s.rows, s.combinations, s.single FROM ({}) s", sampled(&union, by.len()));
        let plan = |source| plan::on_relations(source, &self.leaves(), &query, &[]);
        let sample = || {
            sql::fetch(plan(source)?, &[], |row| {
                let number = |place| row.not_null::<f64>(place);
                let all = parts.get(row.not_null::<i32>(1)? as usize).map_or(0.0, |(_, rows)| *rows);
                Ok(Sample { all, rows: number(2)?, combinations: number(3)?, single: number(4)? })
            })
        };
        Ok(Ok(citus::read(source.oid, || Spi::connect(|_| sample()))?))
    }

    /// The same of each shard, as nodes count it: what crosses is numbers. An error is theirs. (A columnar table has no TABLESAMPLE.)
    fn samples_of_shards(
        &self,
        source: &Source,
        places: &[usize],
    ) -> Result<std::result::Result<Vec<Sample>, String>> {
        let by = grouping(source, places);
        let list = by.join(", ");
        let nodes = citus::nodes(&[source.oid])?;
        let asked: Vec<&Node> = nodes.iter().filter(|node| !node.shards.is_empty()).collect();
        let shards: usize = asked.iter().map(|node| node.shards.len()).sum();
        let rows = counted(source)?;
        let wanted = (shards.max(1) * SAMPLE).min(MOST) as f64;
        let part = (wanted / rows.max(1.0)).min(1.0);
        let of_shard = |shard: &String| {
            let from = match self.whole.has_blocks {
                true => format!("{shard} TABLESAMPLE pg_catalog.system ({}) REPEATABLE (0)", 100.0 * part),
                false => format!("{shard} LIMIT {}", wanted as usize / shards.max(1)),
            };
            format!("({})", sampled(&format!("SELECT 1, {list} FROM {from}"), by.len()))
        };
        let query = |node: &Node| {
            format!(
                "SELECT pg_catalog.json_agg(pg_catalog.json_build_array(s.rows, s.combinations, s.single))::text FROM ({}) s",
                sql::union_all(&node.shards.iter().map(of_shard).collect::<Vec<_>>())
            )
        };
        let mut samples = Vec::new();
        for (node, answer) in asked.iter().zip(citus::ask(&asked, query)?) {
            let of_node = |why: String| format!("node {} says: {why}", node.shown());
            let answer = match answer {
                // None of its shards has rows.
                Ok(none) if none.is_empty() => continue,
                Ok(answer) => {
                    serde_json::from_str::<Vec<[f64; 3]>>(&answer).map_err(|error| of_node(error.to_string()))
                }
                Err(why) => Err(of_node(why)),
            };
            match answer {
                Ok(numbers) => samples.extend(numbers.into_iter().map(|[rows, combinations, single]| {
                    let all = if self.whole.has_blocks { rows / part } else { rows };
                    Sample { all, rows, combinations, single }
                })),
                Err(why) => return Ok(Err(why)),
            }
        }
        Ok(Ok(samples))
    }
}

/// A query that says of the parts of a sample how many rows there are, their combinations, and how many of these are of a single row.
fn sampled(rows: &str, columns: usize) -> String {
    // Called by numbers: whatever the columns are called.
    let columns: Vec<String> = (0..columns).map(|column| format!("c{column}")).collect();
    let columns = columns.join(", ");
    format!(
        "SELECT g.part, pg_catalog.sum(g.n)::float8 AS rows, pg_catalog.count(*)::float8 AS combinations,
                pg_catalog.count(*) FILTER (WHERE g.n = 1)::float8 AS single
         FROM (SELECT r.part, pg_catalog.count(*) AS n FROM ({rows}) r (part, {columns}) GROUP BY r.part, {columns}) g GROUP BY g.part"
    )
}

/// How many rows a distributed table has: of these the coordinator has no statistics, so that its shards are asked.
fn counted(source: &Source) -> Result<f64> {
    let query = format!("SELECT pg_catalog.count(*) FROM {}", source.qualified());
    let found = plan::look_at(source, &query, &[], |row| Ok(row.not_null::<i64>(1)? as f64))?;
    found.into_iter().next().ok_or_else(|| SqlError::internal("rows were not counted"))
}

/// Rows of a sample, their combinations, and how many of these are of a single row; of how many rows it is, by the statistics.
#[derive(Debug)]
struct Sample {
    all: f64,
    rows: f64,
    combinations: f64,
    single: f64,
}

impl Sample {
    /// How many rows there are, as far as is known.
    fn all(&self) -> f64 {
        self.all.max(self.rows)
    }

    /// About how many combinations they have (Haas, Stokes 1998: Duj1, as ANALYZE estimates them).
    fn distinct(&self) -> f64 {
        let part = self.rows / self.all().max(1.0);
        self.rows * self.combinations / (self.rows - self.single + self.single * part).max(1.0)
    }

    fn rows_of(samples: &[Sample]) -> f64 {
        samples.iter().map(Sample::all).sum()
    }

    fn combinations_of(samples: &[Sample]) -> f64 {
        samples.iter().map(Sample::distinct).sum()
    }
}
