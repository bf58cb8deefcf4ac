//! Citus: whether the rows of a relation lie on the shards of a distributed table, and what keeps its writers out. All SQL that
//! is asked of Citus' own is here; which of its settings keep a release on this server, [`Operation`] knows.
//!
//! Citus gives a database's tables shards on other nodes and leaves what it shards behind as an empty table of the same OID, so
//! that nothing in pg_class tells. Its catalogs do: `pg_dist_partition` has a row for each of its tables, which everybody may read
//! and only a superuser can forge, as the rest of pg_catalog. Queries on such a table are planned by Citus, whoever sends
//! them; so there is no SQL of Citus' for reading one. What it has to be asked for is a lock: LOCK TABLE is passed on to the
//! nodes that may be written through, but as DDL is, and a verb's DDL is not passed on at all ([`Operation`]).
//!
//! A lock that a node refuses, or a node that is gone when it is asked for one, dooms the transaction: Citus takes these connections
//! for essential. So nodes are asked first by something that may fail ([`ask`]).

use super::context::Warned;
use super::error::{Result, SqlError};
use super::hint::Hint;
use super::operation::{self, Operation};
use super::sql::Values;
use super::{sql, subtransaction};
use pgrx::pg_sys::Oid;
use pgrx::spi::quote_literal;
use pgrx::PgSqlErrorCode;
use std::cell::Cell;
use std::time::Instant;

/// Whether this database has Citus.
pub fn is_there() -> Result<bool> {
    Ok(sql::relation("pg_catalog.pg_dist_partition")?.is_some())
}

/// Where the rows of a distributed table are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Distributed {
    /// How many shards have them.
    pub shards: i64,
    /// The column by whose values they are distributed; none where there is one shard.
    pub column: Option<String>,
}

impl Distributed {
    /// A relation as a distributed table; none for all others. A reference table is none: each node has all of it, and so
    /// is a table that Citus only knows of.
    pub fn of(relation: Oid) -> Result<Option<Distributed>> {
        Ok(distributed(&[relation])?.into_iter().next().map(|(_, table)| table))
    }

    /// What it is, in words.
    pub fn shown(&self) -> String {
        let shards = if self.shards == 1 { "one shard".into() } else { format!("{} shards", self.shards) };
        let by = self.column.as_ref().map(|column| format!(" by \"{column}\"")).unwrap_or_default();
        format!("a distributed table of Citus in {shards}{by}")
    }
}

/// How many shards each distributed table has, and by which column: those by hash (h), by range (r) and as rows come (a), and
/// those of one shard, which have no column (n), but are colocated with others. (A reference table's model of replication is t.)
const DISTRIBUTED: &str =
    "SELECT p.logicalrelid::oid, (SELECT pg_catalog.count(*) FROM pg_catalog.pg_dist_shard s WHERE s.logicalrelid = p.logicalrelid),
            pg_catalog.column_to_column_name(p.logicalrelid, p.partkey)
     FROM pg_catalog.pg_dist_partition p
     WHERE p.logicalrelid = ANY ($1::oid[])
       AND (p.partmethod IN ('h', 'r', 'a') OR p.partmethod = 'n' AND p.repmodel <> 't' AND p.colocationid <> 0)";

/// Whether something in a schema is a table of Citus'.
pub fn has_tables_in(schema: Oid) -> Result<bool> {
    let query =
        "SELECT FROM pg_catalog.pg_dist_partition p JOIN pg_catalog.pg_class c ON c.oid = p.logicalrelid
                 WHERE c.relnamespace = $1 LIMIT 1";
    Ok(is_there()? && !sql::rows(query, &[schema.into()], |_| Ok(()))?.is_empty())
}

/// Whether policies hide rows of one of Citus' tables from whoever acts. Below a view PostgreSQL asks whose the view is, but Citus
/// reads the shards with the rights of the caller.
pub fn hides_rows(relations: &[Oid]) -> Result<bool> {
    if !is_there()? {
        return Ok(false);
    }
    let query = "SELECT FROM pg_catalog.pg_dist_partition p
                 WHERE p.logicalrelid = ANY ($1) AND pg_catalog.row_security_active(p.logicalrelid::oid)";
    Ok(!sql::rows(query, &[relations.to_vec().into()], |_| Ok(()))?.is_empty())
}

/// Which of some relations are distributed tables, and how.
pub fn distributed(relations: &[Oid]) -> Result<Vec<(Oid, Distributed)>> {
    if !is_there()? {
        return Ok(Vec::new());
    }
    sql::rows(DISTRIBUTED, &[relations.to_vec().into()], |row| {
        Ok((row.not_null(1)?, Distributed { shards: row.not_null::<i64>(2)?, column: row.nullable(3)? }))
    })
}

/// Whether nodes know a relation, so that LOCK TABLE is passed on to them: one of Citus' tables, or a view that it has made there, too.
pub fn is_known_to_nodes(relation: Oid) -> Result<bool> {
    let query = "SELECT FROM pg_catalog.pg_dist_partition p WHERE p.logicalrelid = $1 UNION ALL
                 SELECT FROM pg_catalog.pg_dist_object o
                 WHERE o.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND o.objid = $1";
    Ok(is_there()? && !sql::rows(query, &[relation.into()], |_| Ok(()))?.is_empty())
}

/// What `f` reads of a relation, on every node with the settings that are in force here. Citus passes on what SET LOCAL sets, to connections on which it
/// begins a transaction, which it does for a subtransaction that reads; as that is undone, so is what was set on the nodes.
pub fn read<T>(relation: Oid, f: impl FnOnce() -> Result<T>) -> Result<T> {
    if !is_there()? || !may_be_elsewhere(relation)? {
        return f();
    }
    subtransaction::read(|| as_here(f))
}

/// With nodes set as it is here.
fn as_here<T>(f: impl FnOnce() -> Result<T>) -> Result<T> {
    set_on_nodes(&|value| value)?;
    let _told = Hint::of_unreachable();
    f()
}

/// The same of what is written here of what is read: it stays, and nodes get their own settings back.
pub fn read_to_write<T>(relation: Oid, f: impl FnOnce() -> Result<T>) -> Result<T> {
    if !is_there()? || !may_be_elsewhere(relation)? {
        return f();
    }
    subtransaction::attempt(|| {
        let written = as_here(f)?;
        set_on_nodes(&|_| "DEFAULT".to_string())?;
        Ok(written)
    })
}

/// Why a lock was not had.
pub enum NotHad {
    /// It could not be had in time: where.
    InTime(String),
    /// A node refuses it.
    AtAll(SqlError),
}

/// The same while others are kept from writing to some relations, on every node. As the subtransaction is undone, they go on: the lock
/// is held for no longer than the reading takes. It is waited for for so many milliseconds.
pub fn read_locked<T>(
    relations: &[String],
    wait: i32,
    f: impl FnOnce() -> Result<T>,
) -> Result<std::result::Result<T, NotHad>> {
    let (warned, asked, had) = (Warned::new(), Instant::now(), Cell::new(false));
    let read = subtransaction::read(|| {
        lock_writers_out(relations, wait)?;
        had.set(true);
        as_here(f)
    });
    match read {
        Err(fault) if !had.get() => {
            let (_, to_see_deadlocks) = operation::lock_timeout();
            let waited = asked.elapsed().as_millis() >= wait.min(to_see_deadlocks) as u128;
            not_had(fault, warned.said(), waited).map(Err)
        }
        read => read.map(Ok),
    }
}

/// Keeps others from writing to some relations until the end of the subtransaction.
fn lock_writers_out(relations: &[String], wait: i32) -> Result<()> {
    let _propagating = Operation::locking();
    sql::run(&format!("SET LOCAL lock_timeout = {wait}"), &[])?;
    for relation in relations {
        sql::run(&format!("LOCK TABLE {relation} IN SHARE MODE"), &[])?;
    }
    Ok(())
}

/// What an error says of why a lock was not had; one of another kind is passed on. What a node says comes as a warning, and then as
/// an error that does not say why. Where nobody was to hear the warning, it tells that there was no time to wait.
fn not_had(fault: SqlError, warned: Option<(PgSqlErrorCode, String)>, waited: bool) -> Result<NotHad> {
    const OF_WAITING: [PgSqlErrorCode; 2] =
        [PgSqlErrorCode::ERRCODE_LOCK_NOT_AVAILABLE, PgSqlErrorCode::ERRCODE_T_R_DEADLOCK_DETECTED];
    let Some(node) = fault.message().strip_prefix("failure on connection marked as essential: ") else {
        let in_time = fault.code() == PgSqlErrorCode::ERRCODE_LOCK_NOT_AVAILABLE;
        return if in_time { Ok(NotHad::InTime("this server".into())) } else { Err(fault) };
    };
    let node = format!("node {node}");
    let (refusal, why) = match warned {
        Some((code, why)) if !OF_WAITING.contains(&code) => (SqlError::of_server(code, why.clone()), why),
        None if !waited => (fault, "its log says why".to_string()),
        _ => return Ok(NotHad::InTime(node)),
    };
    Ok(NotHad::AtAll(
        refusal
            .detail(format!("LOCK TABLE is refused on {node}: {why}."))
            .hint("Mend that there, or set pg_topdown.lock_source to off."),
    ))
}

/// A table that is none of Citus' is read here; what is below a view is not looked at.
fn may_be_elsewhere(relation: Oid) -> Result<bool> {
    let query = "SELECT FROM pg_catalog.pg_class c WHERE c.oid = $1 AND
                 (c.relkind = 'v' OR EXISTS (SELECT FROM pg_catalog.pg_dist_partition p WHERE p.logicalrelid = c.oid))";
    Ok(!sql::rows(query, &[relation.into()], |_| Ok(()))?.is_empty())
}

/// Sets on nodes what decides what is read, to something made of what it is here. Each by a statement of its own: Citus sends the whole text.
fn set_on_nodes(made_of: &dyn Fn(String) -> String) -> Result<()> {
    if !is_there()? {
        return Ok(());
    }
    let _propagating = Operation::propagating_settings();
    for name in operation::settings_of_reading() {
        let value = sql::value::<String>("SELECT pg_catalog.current_setting($1)", &[name.into()])?;
        let value = value.ok_or_else(|| SqlError::internal(format!("{name} has no value")))?;
        // That one is a list, not a text.
        let value = made_of(if name == "search_path" { value } else { quote_literal(&value) });
        sql::run(&format!("SET LOCAL {name} = {value}"), &[])?;
    }
    Ok(())
}

/// A node.
#[derive(Debug, Clone)]
pub struct Node {
    name: String,
    port: i32,
    /// Whether it is this one.
    here: bool,
    /// Whether tables may be written through it, so that what is locked is locked there, too.
    pub is_written_through: bool,
    /// Its shards of some tables, by their names.
    pub shards: Vec<String>,
}

impl Node {
    /// How Citus calls it.
    pub fn shown(&self) -> String {
        format!("{}:{}", self.name, self.port)
    }
}

/// The nodes, with their shards of some tables.
pub fn nodes(tables: &[Oid]) -> Result<Vec<Node>> {
    // shard_name() leaves out one schema, which is not in the search_path here.
    let query = "SELECT n.nodename, n.nodeport, n.groupid = (SELECT l.groupid FROM pg_catalog.pg_dist_local_group l), n.hasmetadata,
                        ARRAY(SELECT CASE WHEN c.relnamespace = pg_catalog.to_regnamespace('public') THEN 'public.' ELSE '' END ||
                                     pg_catalog.shard_name(s.logicalrelid, s.shardid)
                              FROM pg_catalog.pg_dist_placement p JOIN pg_catalog.pg_dist_shard s ON s.shardid = p.shardid
                              JOIN pg_catalog.pg_class c ON c.oid = s.logicalrelid
                              WHERE p.groupid = n.groupid AND s.logicalrelid = ANY ($1) ORDER BY s.shardid)
                 FROM pg_catalog.pg_dist_node n WHERE n.isactive AND n.noderole::text = 'primary' ORDER BY n.groupid";
    sql::rows(query, &[tables.to_vec().into()], |row| {
        Ok(Node {
            name: row.not_null(1)?,
            port: row.not_null(2)?,
            here: row.not_null(3)?,
            is_written_through: row.not_null(4)?,
            shards: row.not_null(5)?,
        })
    })
}

/// What each of some nodes answers to a query of one text, or why it does not. They are asked beside the transaction, at the same time and
/// by connections of their own, with the rights in force: so that one that does not answer breaks nothing.
pub fn ask(
    nodes: &[&Node],
    query: impl Fn(&Node) -> String,
) -> Result<Vec<std::result::Result<String, String>>> {
    let others = || nodes.iter().filter(|node| !node.here);
    let names: Vec<&str> = others().map(|node| node.name.as_str()).collect();
    let ports: Vec<i32> = others().map(|node| node.port).collect();
    let queries: Vec<String> = others().map(|node| query(node)).collect();
    let mut answers = Vec::new().into_iter();
    if !names.is_empty() {
        let asked = "SELECT a.success, a.result FROM pg_catalog.master_run_on_worker($1, $2, $3, true) a";
        let told = sql::rows(asked, &[names.into(), ports.into(), queries.into()], |row| {
            let text = row.nullable::<String>(2)?.unwrap_or_default();
            Ok(if row.not_null(1)? { Ok(text) } else { Err(text) })
        })?;
        answers = told.into_iter();
    }
    let answer = |node: &&Node| {
        if node.here {
            return Ok(Ok(sql::value(query(node), &[])?.unwrap_or_default()));
        }
        answers.next().ok_or_else(|| SqlError::internal("a node is missing among those that were asked"))
    };
    nodes.iter().map(answer).collect()
}
