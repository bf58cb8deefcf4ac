//! A release, or what is left of one, that nobody else uses: for dropping it.
//!
//! Readers of a view lock the view, the tables below it and the manifest, keep these locks to the end of their transaction, and
//! may then read the other views in any order. A drop that waited for one relation while it held another could meet them in a
//! circle. So it first takes the release's lock, for which other drops and verbs wait in line, and readers do not. Then it waits
//! for one relation at a time while it holds nothing that a reader could wait for, and tries the others without waiting in a
//! queue. What it cannot have it waits for next, after a subtransaction is rolled back. `lock_timeout` bounds all of it together.

use crate::postgres::error::{Result, SqlError};
use crate::postgres::locks::{self, Mode};
use crate::postgres::operation::{self, Operation};
use crate::postgres::progress::poll;
use crate::postgres::sql::{self, Snapshot, Values};
use crate::postgres::subtransaction::attempt;
use crate::release::store::manifest::{self, PrivateHalf};
use crate::release::store::tables::{relations, SHOWN, VERSIONS};
use pgrx::pg_sys::Oid;
use std::cell::Cell;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A release that is to be dropped: its private half, and what is proven to belong to it of the other.
pub struct Droppable {
    pub half: PrivateHalf,
    /// The views that recipients read.
    pub views: Vec<ShownView>,
    _snapshot: Snapshot,
    _owner: Operation,
}

/// A view that recipients read, wherever it is.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownView {
    relation: Oid,
    pub schema: String,
    pub name: String,
}

/// A release with all that belongs to it locked alone, and the rights to work on it: its owner's.
pub fn must_be_alone(release: &str) -> Result<Droppable> {
    let half = locked(release)?;
    let began = Instant::now();
    let (missing, is_used) = (Cell::new(None), Cell::new(false));
    loop {
        poll();
        let (most, _) = operation::lock_timeout();
        if most > 0 && began.elapsed() > Duration::from_millis(most as u64) {
            return Err(SqlError::not_available(format!("release \"{release}\" is being used"))
                .detail("Its readers were waited for as long as lock_timeout allows.")
                .hint("Drop it again when fewer transactions that have read it are open."));
        }
        let (views, all) = lockable(release, &half)?;
        let awaited: Option<Oid> = missing.take().filter(|relation| all.contains(relation));
        let had = attempt(|| {
            awaited.into_iter().for_each(|relation| locks::relation(relation, Mode::Alone));
            let until = Instant::now() + if awaited.is_some() { PATIENCE } else { Duration::ZERO };
            missing.set(all.iter().copied().find(|&one| !had_by(one, until)));
            // Somebody may have made something new meanwhile.
            is_used.set(missing.get().is_some() || lockable(release, &half)?.1 != all);
            if is_used.get() {
                return Err(SqlError::in_use(format!("release \"{release}\" is being used")));
            }
            Ok(())
        });
        match had {
            Ok(()) => {
                let _owner = Operation::as_role(half.owner);
                return Ok(Droppable { half, views, _snapshot: Snapshot::fresh(), _owner });
            }
            Err(fault) if !is_used.take() => return Err(fault),
            Err(_) => {}
        }
    }
}

/// The private half of a release that the caller may change, with the release's lock.
fn locked(release: &str) -> Result<PrivateHalf> {
    loop {
        let Some(half) = manifest::find_private(release)? else {
            manifest::may_change(release)?;
            return Err(SqlError::no_release(release));
        };
        if !half.mine {
            return Err(manifest::denied(release, &half.owner_name)?);
        }
        locks::relation(half.manifest, Mode::Change);
        let others = sql::values::<Oid>(
            "SELECT n.oid FROM pg_catalog.pg_namespace n WHERE n.nspname = $1",
            &[release.into()],
        )?;
        let is_kept =
            others.iter().chain([&half.private]).all(|&schema| locks::keep_name(schema, Mode::Change));
        if is_kept && manifest::find_private(release)?.as_ref() == Some(&half) {
            manifest::is_here(release, half.private)?;
            return Ok(half);
        }
        locks::unlock(half.manifest, Mode::Change);
    }
}

/// How long what is missing is asked for while others wait: somebody who ends lets go of one lock after the other.
const PATIENCE: Duration = Duration::from_millis(100);

/// Whether a relation could be had alone by some time.
fn had_by(relation: Oid, until: Instant) -> bool {
    while !locks::relation_at_once(relation, Mode::Alone) {
        if Instant::now() >= until {
            return false;
        }
        sleep(Duration::from_millis(1));
        poll();
    }
    true
}

/// What a reader may lock of a release, the views first. Someone who comes to read a view waits there, and has nothing yet.
fn lockable(release: &str, half: &PrivateHalf) -> Result<(Vec<ShownView>, Vec<Oid>)> {
    let views = shown(release, half)?;
    let private = sql::value::<String>(
        "SELECT p.nspname::text FROM pg_catalog.pg_namespace p WHERE p.oid = $1",
        &[half.private.into()],
    )?;
    let private = private.unwrap_or_default();
    let of_kinds = |kinds: &str| {
        relations(&private, &format!("c.relowner = n.nspowner AND c.relkind IN ({kinds})"), vec![])
    };
    let (unfolded, tables) = (of_kinds("'v'")?, of_kinds("'r', 'p'")?);
    let own = unfolded.into_iter().chain(tables).map(|(_, relation)| relation);
    let all = views.iter().map(|view| view.relation).chain(own).collect();
    Ok((views, all))
}

/// The views that show a release: they are of its owner, have the names of such views, and read its private tables. In the
/// schema of the release's name, or, if that has none, wherever they are. If the manifest does not name the view, it is any
/// in that schema that reads the table of all versions.
fn shown(release: &str, half: &PrivateHalf) -> Result<Vec<ShownView>> {
    let mut names: Vec<String> = SHOWN.iter().map(|shown| shown.name.to_string()).collect();
    let named = manifest::view_name(half.manifest)?;
    let is_unnamed = named.is_none();
    names.extend(named);
    let mut views = sql::rows(
        "SELECT DISTINCT v.oid, n.nspname::text, v.relname::text
         FROM pg_catalog.pg_class v JOIN pg_catalog.pg_namespace n ON n.oid = v.relnamespace
         JOIN pg_catalog.pg_rewrite r ON r.ev_class = v.oid
         JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass AND d.objid = r.oid
          AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass
         JOIN pg_catalog.pg_class t ON t.oid = d.refobjid AND t.relnamespace = $1
         WHERE v.relkind = 'v' AND v.relowner = $2 AND v.relnamespace <> $1
           AND (v.relname = ANY ($3) OR $4 AND n.nspname = $5 AND t.relname = $6)
         ORDER BY 2, 3",
        &[
            half.private.into(),
            half.owner.into(),
            names.into(),
            is_unnamed.into(),
            release.into(),
            VERSIONS.into(),
        ],
        |row| Ok(ShownView { relation: row.not_null(1)?, schema: row.not_null(2)?, name: row.not_null(3)? }),
    )?;
    if views.iter().any(|view| view.schema == release) {
        views.retain(|view| view.schema == release);
    }
    Ok(views)
}
