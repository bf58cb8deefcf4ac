//! Keeping writers out of a source while a version is read from it, by the lock that LOCK TABLE ... IN SHARE MODE takes: others read
//! on, and wait before they write.
//!
//! On one server a statement sees one moment, lock or no lock. Where Citus distributes a table each of its shards is read under a
//! snapshot of its own, so there the lock is taken unless that is turned off: on the table, or on the view that it lies below. What
//! keeps it from being had (a right, a node that is down) is a WARNING, or an error where the lock was asked for.
//!
//! Who waits for a lock has others wait behind. So it is asked for for a moment, then writers go on, and it is asked for again, as long as
//! `lock_timeout` lets the caller wait. And it is free again as soon as all has been read.

use super::source::Source;
use crate::postgres::citus::{self, Node, NotHad};
use crate::postgres::error::{Result, SqlError};
use crate::postgres::operation;
use crate::postgres::progress::pause;
use crate::postgres::settings::{self, LockSource};
use crate::postgres::sql::{self, Values};
use pgrx::pg_sys::Oid;
use pgrx::spi::quote_literal;
use std::time::{Duration, Instant};

/// What writers of a source do while it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writers {
    /// They write.
    GoOn,
    /// They wait, if that is set.
    AsIsSet,
}

impl Writers {
    /// A source that is to be read so; what keeps writers from being kept out is told now.
    pub fn of(self, source: &Source) -> Result<Readable<'_>> {
        let lock = match self {
            Writers::GoOn => None,
            Writers::AsIsSet => Lock::as_set(source)?,
        };
        Ok(Readable { source, lock })
    }
}

/// A source that is to be read.
pub struct Readable<'a> {
    source: &'a Source,
    lock: Option<Lock<'a>>,
}

impl Readable<'_> {
    /// What `f` reads of it; and whether writers were kept out meanwhile.
    pub fn read<T>(self, f: impl FnOnce() -> Result<T>) -> Result<(T, bool)> {
        match self.lock {
            Some(lock) => lock.read(f),
            None => citus::read(self.source.oid, f).map(|read| (read, false)),
        }
    }
}

/// A lock that is to be had.
struct Lock<'a> {
    source: &'a Source,
    wish: LockSource,
    /// What LOCK TABLE is asked for, by their qualified names.
    names: Vec<String>,
    /// The source, and all that it is made of.
    parts: Vec<Oid>,
    /// The distributed tables among these.
    tables: Vec<Oid>,
    nodes: Vec<Node>,
}

/// How long the others go on before the lock is asked for again.
const PAUSE: Duration = Duration::from_secs(1);

/// By how many milliseconds it is waited for longer than it takes to see that all wait for each other.
const BEYOND_DEADLOCK: i32 = 200;

impl<'a> Lock<'a> {
    /// The lock that is set for a source, if one is.
    fn as_set(source: &'a Source) -> Result<Option<Lock<'a>>> {
        let wish = settings::lock_source();
        if wish == LockSource::Off || wish == LockSource::Auto && !citus::is_there()? {
            return Ok(None);
        }
        let parts = parts(source)?;
        let oids: Vec<Oid> = parts.iter().map(|part| part.oid).collect();
        let distributed = citus::distributed(&oids)?;
        let shards: i64 = distributed.iter().map(|(_, table)| table.shards).sum();
        if wish == LockSource::Auto && shards < 2 {
            return Ok(None);
        }
        let tables: Vec<Oid> = distributed.into_iter().map(|(oid, _)| oid).collect();
        // Nodes that know a source are asked to lock it, also where none of its shards are on them.
        let are_asked = !tables.is_empty() || citus::is_known_to_nodes(source.oid)?;
        let nodes = if are_asked { citus::nodes(&tables)? } else { Vec::new() };
        let mut lock = Lock { source, wish, names: vec![source.qualified()], parts: oids, tables, nodes };
        match lock.obstacle(&parts)? {
            None => Ok(Some(lock)),
            Some(fault) => lock.go_without(fault).map(|()| None),
        }
    }

    /// What `f` reads once the lock is had.
    fn read<T>(self, f: impl FnOnce() -> Result<T>) -> Result<(T, bool)> {
        let start = Instant::now();
        let (most, to_see_deadlocks) = operation::lock_timeout();
        let a_moment = to_see_deadlocks.saturating_add(BEYOND_DEADLOCK);
        let mut f = Some(f);
        let mut once = || f.take().ok_or_else(|| SqlError::internal("a source is read twice"));
        let refused = loop {
            if let Some(fault) = self.obstacle_on_nodes()? {
                break fault;
            }
            let waited = start.elapsed().as_millis() as i32;
            let left = if most > 0 { most.saturating_sub(waited).max(1) } else { i32::MAX };
            let read = citus::read_locked(&self.names, left.min(a_moment), || {
                self.is_as_it_was()?;
                self.refuse_what_is_in_doubt()?;
                once()?()
            })?;
            match read {
                Ok(read) => return Ok((read, true)),
                Err(NotHad::AtAll(fault)) => break fault,
                Err(NotHad::InTime(place)) if left <= a_moment => return Err(self.too_late(&place)),
                Err(NotHad::InTime(_)) => pause(PAUSE),
            }
        };
        self.go_without(refused)?;
        citus::read(self.source.oid, once()?).map(|read| (read, false))
    }

    /// What has come to it meanwhile may not be locked.
    fn is_as_it_was(&self) -> Result<()> {
        let parts = parts(self.source)?;
        let same = sql::relation(&self.source.qualified())? == Some(self.source.oid)
            && parts.iter().map(|part| part.oid).eq(self.parts.iter().copied());
        if !same || !can_be_locked(&parts) {
            return Err(SqlError::serialization("the source was replaced while it was waited for")
                .hint("Call again."));
        }
        Ok(())
    }

    /// What keeps the lock from being had, as far as is known here.
    fn obstacle(&mut self, parts: &[Part]) -> Result<Option<SqlError>> {
        if !can_be_locked(parts) {
            let fault = SqlError::unsupported(format!(
                "writers cannot be kept out of \"{}\"",
                self.source.name
            ))
            .detail("LOCK TABLE locks tables and views, no materialized views, and no rows of other servers.")
            .hint("Set pg_topdown.lock_source to auto or off.");
            return Ok(Some(fault));
        }
        let mut may_not = parts.iter().find(|part| !part.may).map(|part| (part, part.role.clone()));
        if !self.tables.is_empty() && !citus::is_known_to_nodes(self.source.oid)? {
            // Citus passes on no lock on a view that nodes do not know: what lies below it is locked by its own name.
            let below = || parts.iter().filter(|part| self.tables.contains(&part.oid));
            self.names.extend(below().map(|part| part.qualified.clone()).collect::<Vec<_>>());
            may_not =
                may_not.or(below().find(|part| !part.i_may).map(|part| (part, operation::acting_role())));
        }
        Ok(may_not.map(|(part, role)| denied(&part.name, &role)))
    }

    /// The same, as nodes tell it.
    fn obstacle_on_nodes(&self) -> Result<Option<SqlError>> {
        let asked: Vec<&Node> = self.nodes.iter().filter(|node| node.is_written_through).collect();
        // A view that is not known there is not locked there.
        let names = if self.names.len() > 1 { &self.names[1..] } else { &self.names[..] };
        let may = |name: &String| {
            format!("pg_catalog.has_table_privilege({}, 'UPDATE, DELETE, TRUNCATE')", quote_literal(name))
        };
        let query = format!("SELECT ({})::text", names.iter().map(may).collect::<Vec<_>>().join(" AND "));
        let answers = citus::ask(&asked, |_| format!("{query}::text"))?;
        let refused = asked.iter().zip(answers).find(|(_, answer)| answer.as_deref() != Ok("true"));
        Ok(refused.map(|(node, answer)| match answer {
            Ok(_) => denied(&self.source.name, &operation::acting_role())
                .detail(format!("Node {} says so: rights differ there.", node.shown())),
            Err(why) => SqlError::connection(format!("node {} cannot be asked for a lock", node.shown()))
                .detail(format!("Citus says: {why}."))
                .hint("See citus_check_cluster_node_health(), and whether the role may log in there. Or set pg_topdown.lock_source to off."),
        }))
    }

    /// Whether to go on without it.
    fn go_without(&self, fault: SqlError) -> Result<()> {
        if self.wish == LockSource::On {
            return Err(fault);
        }
        let message = format!("writers of \"{}\" are not kept out while it is read", self.source.name);
        fault.warn_that(message, "Each shard is read as of a moment of its own.");
        Ok(())
    }

    /// Writes that were begun and neither came nor went, because a node died meanwhile, are on some shards and not on others. They
    /// hold their locks there without a session, and none on the table.
    fn refuse_what_is_in_doubt(&self) -> Result<()> {
        let asked: Vec<&Node> = self.nodes.iter().filter(|node| !node.shards.is_empty()).collect();
        let query = |node: &Node| {
            let shards =
                node.shards.iter().map(|shard| format!("pg_catalog.to_regclass({})", quote_literal(shard)));
            format!(
                "SELECT pg_catalog.count(DISTINCT l.virtualtransaction)::text FROM pg_catalog.pg_locks l
                 WHERE l.pid IS NULL AND l.mode = 'RowExclusiveLock' AND l.relation = ANY (ARRAY[{}]::oid[])
                   AND l.database = (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database())",
                shards.collect::<Vec<_>>().join(", ")
            )
        };
        // A node that cannot say so cannot be read either.
        let answers = citus::ask(&asked, query)?;
        let in_doubt = asked
            .iter()
            .zip(answers)
            .find(|(_, answer)| matches!(answer.as_deref(), Ok(count) if count != "0"));
        let Some((node, _)) = in_doubt else { return Ok(()) };
        let fault = SqlError::serialization(format!("a transaction that wrote to \"{}\" is in doubt", self.source.name))
            .detail(format!("It is prepared on node {}, and was neither committed nor rolled back there. Other nodes may show what it wrote.", node.shown()))
            .hint("Call again once Citus has ended it: it looks every minute, and recover_prepared_transactions() does at once.");
        if self.wish == LockSource::On {
            return Err(fault);
        }
        fault.warn();
        Ok(())
    }

    fn too_late(&self, place: &str) -> SqlError {
        SqlError::not_available(format!(
            "writers of \"{}\" could not be kept out within lock_timeout",
            self.source.name
        ))
        .detail(format!("Somebody writes to it, or changes it, through {place}."))
        .hint("Call again later, raise lock_timeout, or set pg_topdown.lock_source to off.")
    }
}

fn denied(relation: &str, role: &str) -> SqlError {
    SqlError::privilege(format!("permission denied to lock table {relation}"))
        .detail(format!(
            "LOCK TABLE ... IN SHARE MODE needs UPDATE, DELETE or TRUNCATE on \"{relation}\", and \"{role}\" has none of these."
        ))
        .hint("Grant UPDATE, DELETE or TRUNCATE there, or set pg_topdown.lock_source to off.")
}

/// A source, or something that LOCK TABLE locks with it.
struct Part {
    oid: Oid,
    name: String,
    qualified: String,
    kind: String,
    /// Whose rights are asked for, and whether they are there.
    role: String,
    may: bool,
    /// Whether the acting role has them.
    i_may: bool,
}

/// In how many shards the distributed tables lie that a source is made of: as many as of these the one has that has most.
pub fn shards_of(source: &Source) -> Result<i64> {
    if !citus::is_there()? {
        return Ok(0);
    }
    let parts: Vec<Oid> = parts(source)?.into_iter().map(|part| part.oid).collect();
    Ok(citus::distributed(&parts)?.into_iter().map(|(_, table)| table.shards).max().unwrap_or(0))
}

fn can_be_locked(parts: &[Part]) -> bool {
    parts.iter().all(|part| ["r", "p", "v"].contains(&part.kind.as_str()))
}

/// A source with all that it is made of. (What functions of a view read is not known.) Below a view its owner's rights are asked for, and
/// none for what inherits. (MAINTAIN, from version 17 on, is not enough for Citus.)
fn parts(source: &Source) -> Result<Vec<Part>> {
    let query = "WITH RECURSIVE part(oid, role, asked) AS (
           SELECT $1::oid, $2::oid, true UNION SELECT below.oid, below.role, below.asked FROM part p, LATERAL (
             SELECT i.inhrelid AS oid, p.role, false AS asked FROM pg_catalog.pg_inherits i WHERE i.inhparent = p.oid UNION ALL
             SELECT d.refobjid, CASE WHEN COALESCE((SELECT o.option_value::boolean FROM pg_catalog.pg_options_to_table(v.reloptions) o
                                                    WHERE o.option_name = 'security_invoker'), false) THEN p.role ELSE v.relowner END, true
             FROM pg_catalog.pg_class v JOIN pg_catalog.pg_rewrite r ON r.ev_class = v.oid AND r.ev_type = '1'
             JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass AND d.objid = r.oid
             WHERE v.oid = p.oid AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.refobjid <> v.oid) below)
         SELECT c.oid, c.relname::text, pg_catalog.quote_ident(n.nspname) || '.' || pg_catalog.quote_ident(c.relname), c.relkind::text,
                pg_catalog.pg_get_userbyid(part.role)::text,
                NOT part.asked OR pg_catalog.has_table_privilege(part.role, c.oid, 'UPDATE, DELETE, TRUNCATE'),
                pg_catalog.has_table_privilege($2::oid, c.oid, 'UPDATE, DELETE, TRUNCATE')
         FROM part JOIN pg_catalog.pg_class c ON c.oid = part.oid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
         WHERE c.relkind IN ('r', 'p', 'v', 'f', 'm') ORDER BY c.oid <> $1::oid, c.oid";
    let parts = sql::rows(query, &[source.oid.into(), operation::acting().into()], |row| {
        Ok(Part {
            oid: row.not_null(1)?,
            name: row.not_null(2)?,
            qualified: row.not_null(3)?,
            kind: row.not_null(4)?,
            role: row.not_null(5)?,
            may: row.not_null(6)?,
            i_may: row.not_null(7)?,
        })
    })?;
    if parts.is_empty() {
        return Err(SqlError::no_oid(source.oid));
    }
    Ok(parts)
}
