//! Keeping writers out of a source while a release is made of it, by the lock that LOCK TABLE ... IN SHARE MODE takes until the end
//! of the transaction: others read on, and wait before they write.
//!
//! On one server a statement sees one moment, lock or no lock. Where Citus distributes a table each of its shards is read under a
//! snapshot of its own, so there the lock is taken unless that is turned off. It needs a right to write, which whoever makes
//! releases may not have: then there is a WARNING, or an error where the lock was asked for.

use super::source::Source;
use crate::postgres::citus::{self, Distributed};
use crate::postgres::error::{self, Result, SqlError};
use crate::postgres::operation;
use crate::postgres::settings::{self, LockSource};
use crate::postgres::sql::{self, NotNull};

/// Keeps the writers of a source out, with the rights in force, if that is set; whether it did.
pub fn keep_out(source: &Source) -> Result<bool> {
    let wish = settings::lock_source();
    let shards = Distributed::of(source.oid)?.map_or(1, |table| table.shards);
    if wish == LockSource::Off || wish == LockSource::Auto && shards < 2 {
        return Ok(false);
    }
    let (can_be, may_write) = lockable(source)?;
    if !can_be {
        return Err(SqlError::unsupported(format!("writers cannot be kept out of \"{}\"", source.name))
            .detail("LOCK TABLE locks tables and views, no materialized views, and no rows of other servers.")
            .hint("Set pg_topdown.lock_source to auto or off."));
    }
    if !may_write {
        let detail = format!(
            "LOCK TABLE ... IN SHARE MODE needs UPDATE, DELETE or TRUNCATE on it, and \"{}\" has none of these.",
            operation::acting_role()
        );
        if wish == LockSource::On {
            return Err(SqlError::privilege(format!("permission denied to lock table {}", source.name))
                .detail(detail)
                .hint("Grant one of these, or set pg_topdown.lock_source to off."));
        }
        error::warn(
            format!("writers of \"{}\" are not kept out while it is read", source.name),
            format!("{detail} Each shard is read as of a moment of its own."),
        );
        return Ok(false);
    }
    let name = source.qualified();
    citus::lock_writers_out(&name)?;
    // What has come to it meanwhile may not be locked.
    if sql::relation(&name)? != Some(source.oid) || !lockable(source)?.0 {
        return Err(
            SqlError::serialization("the source was replaced while it was waited for").hint("Call again.")
        );
    }
    Ok(true)
}

/// Whether a source can be locked so at all, with all that it is made of (what functions of a view read is not known), and whether the acting role may. (MAINTAIN, from version 17 on, is not enough for Citus.)
fn lockable(source: &Source) -> Result<(bool, bool)> {
    let found = sql::rows(
        "WITH RECURSIVE part(oid) AS (
           SELECT $1::oid UNION SELECT below.oid FROM part p, LATERAL (
             SELECT i.inhrelid AS oid FROM pg_catalog.pg_inherits i WHERE i.inhparent = p.oid UNION ALL
             SELECT d.refobjid FROM pg_catalog.pg_rewrite r
             JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass AND d.objid = r.oid
             WHERE r.ev_class = p.oid AND r.ev_type = '1' AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass) below)
         SELECT c.relkind IN ('r', 'p', 'v')
                AND NOT EXISTS (SELECT FROM part JOIN pg_catalog.pg_class b ON b.oid = part.oid WHERE b.relkind IN ('f', 'm')),
                pg_catalog.has_table_privilege(c.oid, 'UPDATE, DELETE, TRUNCATE')
         FROM pg_catalog.pg_class c WHERE c.oid = $1",
        &[source.oid.into()],
        |row| Ok((row.not_null::<bool>(1)?, row.not_null::<bool>(2)?)),
    )?;
    found.into_iter().next().ok_or_else(|| SqlError::no_oid(source.oid))
}
