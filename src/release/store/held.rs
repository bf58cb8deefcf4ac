//! What is held back where changes are batched: rows of the source that wait, and rows of the release that have left the source and
//! stay. Of each the owner's table has what it is, and since which version.

use crate::postgres::error::Result;
use crate::postgres::progress::polled;
use crate::postgres::sql::{self, Values};
use crate::read::plan::look_at;
use crate::read::source::Source;
use crate::release::store::destination::Destination;
use crate::release::store::manifest::ExistingRelease;
use crate::release::store::parameters::HeldSummary;
use crate::release::store::tables::{HELD, MANIFEST};
use crate::search::Held;
use hashbrown::HashMap;
use topdown::progress::check_memory;

const WAITING: &str = "waiting";
const LINGERING: &str = "lingering";

/// Remembers what a version holds back, and sums it up.
pub fn remember(destination: &Destination, held: &Held) -> Result<HeldSummary> {
    let mut oldest = [None, None];
    for (part, (name, rows)) in
        [(WAITING, &held.waiting), (LINGERING, &held.lingering)].into_iter().enumerate()
    {
        let before = match &destination.existing {
            Some(existing) => since(existing, name)?,
            None => HashMap::new(),
        };
        let since = carried(before, rows, destination.version)?;
        oldest[part] = since.iter().min().map(|&version| created(destination, version)).transpose()?;
        forget(destination, name)?;
        sql::run(
            &format!("INSERT INTO {} VALUES ($1, $2, $3, $4)", destination.object(HELD.name)),
            &[name.into(), destination.version.into(), since.into(), rows.clone().into()],
        )?;
    }
    let [oldest_waiting, oldest_lingering] = oldest;
    Ok(HeldSummary {
        waiting: held.waiting.len() as i64,
        lingering: held.lingering.len() as i64,
        oldest_waiting,
        oldest_lingering,
    })
}

/// Forgets what a version before has held back, where changes are not batched any more.
pub fn forget_all(destination: &Destination) -> Result<()> {
    [WAITING, LINGERING].into_iter().try_for_each(|part| forget(destination, part))
}

/// Forgets one part.
fn forget(destination: &Destination, part: &str) -> Result<()> {
    let held = destination.object(HELD.name);
    sql::run(&format!("DELETE FROM ONLY {held} WHERE part = $1"), &[part.into()]).map(|_| ())
}

/// Since which version each row is held: the oldest of equal ones first, and what was not held before since now.
fn carried(mut before: HashMap<i64, Vec<i32>>, rows: &[i64], now: i32) -> Result<Vec<i32>> {
    check_memory::<i32>(rows.len())?;
    let since = |row: &i64| before.get_mut(row).and_then(Vec::pop).unwrap_or(now);
    Ok(polled(rows).map(since).collect())
}

/// Since which versions the rows of a part are held, the oldest last.
fn since(existing: &ExistingRelease, part: &str) -> Result<HashMap<i64, Vec<i32>>> {
    let mut since: HashMap<i64, Vec<i32>> = HashMap::new();
    if sql::relation_in(existing.private, HELD.name).is_none() {
        return Ok(since);
    }
    let table = Source::in_schema(existing.private, HELD.name)?;
    let query = format!(
        "SELECT u.row, u.since FROM ONLY {} h, ROWS FROM (pg_catalog.unnest(h.rows), pg_catalog.unnest(h.since)) u (row, since)
         WHERE h.part = $1 AND u.row IS NOT NULL AND u.since IS NOT NULL",
        table.qualified()
    );
    let held =
        look_at(&table, &query, &[part.into()], |row| Ok((row.written::<i64>(1)?, row.written::<i32>(2)?)))?;
    check_memory::<(i64, Vec<i32>, i32)>(2 * held.len())?;
    for (row, version) in polled(held) {
        since.entry(row).or_default().push(version);
    }
    since.values_mut().for_each(|versions| versions.sort_unstable_by(|a, b| b.cmp(a)));
    Ok(since)
}

/// When a version was made; the one that is being made, now.
fn created(destination: &Destination, version: i32) -> Result<String> {
    let query = format!(
        "SELECT pg_catalog.to_json(COALESCE((SELECT m.created_at FROM ONLY {} m WHERE m.version = $1), pg_catalog.now())) #>> '{{}}'",
        destination.object(MANIFEST.name)
    );
    Ok(sql::value::<String>(query, &[version.into()])?.unwrap_or_default())
}
