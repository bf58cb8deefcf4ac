//! A release that nobody else uses: for who drops it.
//!
//! Who reads a view of a release locks that view, the tables below it and the manifest, keeps them to the end of its transaction, and may
//! read the other views then, in whatever order; what works on a release locks the manifest first. So whatever a drop had locked
//! while it waits for the rest, somebody may come from the other side, and both wait in a circle. It waits only while it has
//! nothing: for one relation. The others it asks for as long as whoever ends just then takes to let go of them, without standing in
//! a queue. What cannot be had then is what it waits for next, once it has given back all that it has, by rolling a subtransaction back
//! (a standby, too, lets go of it then).

use crate::postgres::error::{Result, SqlError};
use crate::postgres::locks::{self, Mode};
use crate::postgres::progress::poll;
use crate::postgres::subtransaction::attempt;
use crate::release::store::manifest::{self, ExistingRelease, Rights};
use crate::release::store::tables::relations;
use pgrx::pg_sys::Oid;
use std::cell::Cell;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A release, which must exist, with all that is in it locked alone, and the rights to work on it: its owner's.
pub fn must_be_alone(release: &str) -> Result<(ExistingRelease, Rights)> {
    let (missing, is_used) = (Cell::new(None), Cell::new(false));
    loop {
        poll();
        manifest::may_change(release)?;
        let all = lockable(release)?;
        let awaited: Option<Oid> = missing.take().filter(|relation| all.contains(relation));
        let had = attempt(|| {
            awaited.into_iter().for_each(|relation| locks::relation(relation, Mode::Alone));
            let until = Instant::now() + if awaited.is_some() { PATIENCE } else { Duration::ZERO };
            missing.set(all.iter().copied().find(|&one| !had_by(one, until)));
            // What was waited for may have brought something new, or another release of this name.
            manifest::may_change(release)?;
            is_used.set(missing.get().is_some() || lockable(release)? != all);
            if is_used.get() {
                return Err(SqlError::in_use(format!("release \"{release}\" is being used")));
            }
            Ok(())
        });
        match had {
            Ok(()) => return manifest::must_exist(release, Mode::Alone),
            Err(fault) if !is_used.take() => return Err(fault),
            Err(_) => {}
        }
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

/// What a reader may lock of a release: its owner's relations, the views first. Who comes to read a view waits there, and has
/// nothing yet.
fn lockable(release: &str) -> Result<Vec<Oid>> {
    let of_kinds = |kinds: &str| {
        relations(release, &format!("c.relowner = n.nspowner AND c.relkind IN ({kinds})"), vec![])
    };
    let (views, tables) = (of_kinds("'v'")?, of_kinds("'r', 'p'")?);
    Ok(views.into_iter().chain(tables).map(|(_, relation)| relation).collect())
}
