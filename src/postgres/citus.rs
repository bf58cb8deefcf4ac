//! Citus: whether the rows of a relation lie on the shards of a distributed table, and what keeps its writers out. All SQL that
//! is asked of Citus' own is here; which of its settings keep a release on this server, [`Operation`] knows.
//!
//! Citus gives a database's tables shards on other nodes and leaves what it shards behind as an empty table of the same OID, so
//! that nothing in pg_class tells. Its catalogs do: `pg_dist_partition` has a row for each of its tables, which everybody may read
//! and only a superuser can forge, as the rest of pg_catalog. Queries on such a table are planned by Citus, whoever sends
//! them; so there is no SQL of Citus' for reading one. What it has to be asked for is a lock: LOCK TABLE is passed on to the
//! nodes that may be written through, but as DDL is, and a verb's DDL is not passed on at all ([`Operation`]).

use super::error::{Result, SqlError};
use super::operation::{self, Operation};
use super::sql::NotNull;
use super::{sql, subtransaction};
use pgrx::pg_sys::Oid;
use pgrx::spi::quote_literal;

/// Whether this database has Citus.
fn is_there() -> Result<bool> {
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
        if !is_there()? {
            return Ok(None);
        }
        let found = sql::rows(DISTRIBUTED, &[relation.into()], |row| {
            Ok(Distributed { shards: row.not_null::<i64>(1)?, column: row.get(2)? })
        })?;
        Ok(found.into_iter().next())
    }

    /// What it is, in words.
    pub fn shown(&self) -> String {
        let shards = if self.shards == 1 { "one shard".into() } else { format!("{} shards", self.shards) };
        let by = self.column.as_ref().map(|column| format!(" by \"{column}\"")).unwrap_or_default();
        format!("a distributed table of Citus in {shards}{by}")
    }
}

/// How many shards a distributed table has, and by which column: those by hash (h), by range (r) and as rows come (a), and
/// those of one shard, which have no column (n), but are colocated with others. (A reference table's model of replication is t.)
const DISTRIBUTED: &str =
    "SELECT (SELECT pg_catalog.count(*) FROM pg_catalog.pg_dist_shard s WHERE s.logicalrelid = p.logicalrelid),
            pg_catalog.column_to_column_name(p.logicalrelid, p.partkey)
     FROM pg_catalog.pg_dist_partition p
     WHERE p.logicalrelid = $1::oid
       AND (p.partmethod IN ('h', 'r', 'a') OR p.partmethod = 'n' AND p.repmodel <> 't' AND p.colocationid <> 0)";

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

/// What `f` reads of a relation, on every node with the settings that are in force here. Citus passes on what SET LOCAL sets, to connections on which it
/// begins a transaction, which it does for a subtransaction that reads; as that is undone, so is what was set on the nodes.
pub fn read<T>(relation: Oid, f: impl FnOnce() -> Result<T>) -> Result<T> {
    if !is_there()? || !may_be_elsewhere(relation)? {
        return f();
    }
    subtransaction::read(|| {
        pass_settings_on()?;
        f()
    })
}

/// A table that is none of Citus' is read here; what is below a view is not looked at.
fn may_be_elsewhere(relation: Oid) -> Result<bool> {
    let query = "SELECT FROM pg_catalog.pg_class c WHERE c.oid = $1 AND
                 (c.relkind = 'v' OR EXISTS (SELECT FROM pg_catalog.pg_dist_partition p WHERE p.logicalrelid = c.oid))";
    Ok(!sql::rows(query, &[relation.into()], |_| Ok(()))?.is_empty())
}

/// Each by a statement of its own: Citus sends the whole text.
fn pass_settings_on() -> Result<()> {
    let _propagating = Operation::propagating_settings();
    for name in operation::settings_of_reading() {
        let value = sql::value::<String>("SELECT pg_catalog.current_setting($1)", &[name.into()])?;
        let value = value.ok_or_else(|| SqlError::internal(format!("{name} has no value")))?;
        // That one is a list, not a text.
        let value = if name == "search_path" { value } else { quote_literal(&value) };
        sql::run(&format!("SET LOCAL {name} = {value}"), &[])?;
    }
    Ok(())
}

/// Keeps others from writing to a relation until the end of the transaction, on every node.
pub fn lock_writers_out(qualified: &str) -> Result<()> {
    let _propagating = Operation::propagating();
    sql::run(&format!("LOCK TABLE {qualified} IN SHARE MODE"), &[])?;
    Ok(())
}
