//! Old versions: how many are kept, and when the others go.
//!
//! A version that is no longer current is still read: by transactions that see an older state of the database,
//! and by statements that were planned before. So it is kept at least until the second version after it;
//! and it goes when every snapshot there is sees that it is not current any more, and its locks are free at
//! once. What cannot go now goes with a later version.
//!
//! On a standby nobody can be asked: the lock that a drop takes is replayed there, keeps replay waiting for
//! whoever has read the release in a transaction that is open, and after `max_standby_streaming_delay` ends that
//! session. So while there is a standby old versions go together, with every fourth version, and the three
//! between take no lock that anybody there could hold.

use crate::postgres::at_commit::{self, ObsoleteTable};
use crate::postgres::error::Result;
use crate::postgres::sql::Values;
use crate::postgres::{settings, sql};
use crate::release::store::destination::Destination;
use crate::release::store::tables::{version_tables, MANIFEST};
use hashbrown::HashMap;
use pgrx::pg_sys;

/// How many versions more than those to be kept there may be while there is a standby.
const TOGETHER: usize = 3;

/// Has the versions beyond those to be kept go when the transaction commits.
pub fn old_versions(destination: &Destination) -> Result<()> {
    let tables = version_tables(&destination.private(), destination.version)?;
    let since: HashMap<i32, pg_sys::TransactionId> = since(destination)?.into_iter().collect();
    let kept = settings::keep_versions();
    if tables.len() <= kept + TOGETHER && tables.len() > kept && has_standby()? {
        return Ok(());
    }
    let obsolete = tables.iter().skip(kept);
    let obsolete = obsolete
        .filter_map(|(version, _, table)| Some(ObsoleteTable { table: *table, since: *since.get(version)? }))
        .collect();
    let manifest = sql::relation(&destination.object(MANIFEST.name))?;
    let versions = sql::relation(&destination.versions())?;
    if let (Some((_, _, made)), Some(versions), Some(manifest)) = (tables.first(), versions, manifest) {
        at_commit::drop_obsolete(*made, versions, manifest, obsolete);
    }
    Ok(())
}

/// Whether somebody replays what is written here, or is expected to: a connection that streams of no database,
/// or a slot of such. (Who is told nothing else of other sessions is told this much.) A standby that is fed from
/// an archive alone is not known here.
fn has_standby() -> Result<bool> {
    let found = sql::value(
        "SELECT EXISTS (SELECT FROM pg_catalog.pg_stat_get_wal_senders() w, pg_catalog.pg_stat_get_activity(w.pid) a
                        WHERE a.datid IS NULL)
             OR EXISTS (SELECT FROM pg_catalog.pg_get_replication_slots() s WHERE s.slot_type = 'physical')",
        &[],
    )?;
    Ok(found == Some(true))
}

/// The versions that are not current, and the transaction that each became so in.
fn since(destination: &Destination) -> Result<Vec<(i32, pg_sys::TransactionId)>> {
    let query = format!(
        "SELECT m.version, m.xmin::text::bigint FROM ONLY {} m WHERE NOT m.current",
        destination.object(MANIFEST.name)
    );
    sql::rows(query, &[], |row| {
        let xid = pg_sys::TransactionId::from_inner(row.not_null::<i64>(2)? as u32);
        Ok((row.not_null::<i32>(1)?, xid))
    })
}
