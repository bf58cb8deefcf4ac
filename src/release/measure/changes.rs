//! What a further version changes for who reads it: columns that became coarser, and columns released as they
//! are that show values never released before. Both are said at the call, where somebody can still decide.
//!
//! What was ever released of a column is remembered by hashes, in a table of the owner's: the versions that
//! showed it are gone by then.

use crate::postgres::arrays::Stored;
use crate::postgres::error::{warn, Result};
use crate::postgres::sql::{self, Values};
use crate::read::identity::HashKey;
use crate::read::table::Column;
use crate::release::store::columns::Output;
use crate::release::store::destination::Destination;
use crate::release::store::nodes::Nodes;
use crate::release::store::tables::{CUTS, VALUES};
use crate::search::SearchResult;
use crate::terms::request::Request;
use hashbrown::{HashMap, HashSet};
use topdown::privacy::ROUNDING;
use topdown::progress::check_memory;

/// Columns with more distinct values than these are not followed: every refresh brings new ones.
const FOLLOWED: usize = 100_000;

/// What a version changes.
#[derive(Debug, Default)]
pub struct VersionChanges {
    /// The columns that became coarser.
    pub coarser: Vec<String>,
    /// Whether that is known of each step of an earlier search, or by counting what is released.
    by_replay: bool,
    /// The columns that show values never released before, and how many.
    pub new_values: Vec<(String, usize)>,
    /// Of each followed column, the hashes of what was never released before.
    unreleased: Vec<(String, Vec<i64>)>,
}

impl VersionChanges {
    /// Looks for them, before the version is written.
    pub fn of(
        destination: &Destination,
        request: &Request,
        found: &SearchResult,
        columns: &[Output],
        nodes: &[Nodes],
    ) -> Result<VersionChanges> {
        let mut changes = VersionChanges::default();
        for (name, column) in columns.iter().filter_map(Output::original) {
            let column = found.table.column(column)?;
            if column.distinct() > FOLLOWED {
                continue;
            }
            let released = released(destination, name)?;
            check_memory::<i64>(column.distinct() + 1)?;
            let new: Vec<i64> =
                hashes(destination.hash_key, column).filter(|hash| !released.contains(hash)).collect();
            if !released.is_empty() && !new.is_empty() {
                changes.new_values.push((name.to_string(), new.len()));
            }
            changes.unreleased.push((name.to_string(), new));
        }
        changes.by_replay = found.left_out.is_some();
        changes.coarser = match (&found.left_out, &destination.existing) {
            (_, None) => Vec::new(),
            (Some(left_out), _) => left_out.coarser.iter().map(|&a| request.name(a).to_string()).collect(),
            (None, Some(existing)) => {
                let before = populated(destination, existing.version)?;
                let is_coarser = |nodes: &&Nodes| {
                    before.get(&nodes.attribute).is_some_and(|&before| nodes.populated() < before)
                };
                nodes.iter().filter(is_coarser).map(|nodes| nodes.attribute.clone()).collect()
            }
        };
        Ok(changes)
    }

    /// Says them: that a column became coarser where the same was asked for as before.
    /// `lost` is what the version before lost, and what this one does.
    pub fn warn(&self, release: &str, asked_the_same: bool, lost: Option<(f64, f64)>) {
        let why = if self.by_replay {
            "what it or its groups were refined to before would break a privacy model by now, or a taxonomy has changed"
        } else {
            "fewer of its values hold rows than in the version before"
        };
        let cost = match lost {
            Some((before, now)) => {
                format!(" All columns together lose {} now, and lost {} before.", shown(now), shown(before))
            }
            None => String::new(),
        };
        for name in self.coarser.iter().filter(|_| asked_the_same) {
            warn(
                format!("column \"{name}\" became coarser"),
                format!("In release \"{release}\" {why}.{cost}"),
            );
        }
        for (name, values) in &self.new_values {
            let values = if *values == 1 { "one value was".into() } else { format!("{values} values were") };
            warn(
                format!("column \"{name}\" shows values that were never released before"),
                format!("In release \"{release}\" {values} not in any version so far."),
            );
        }
    }

    /// Remembers what is released now.
    pub fn remember(&self, destination: &Destination) -> Result<()> {
        for (name, hashes) in self.unreleased.iter().filter(|(_, hashes)| !hashes.is_empty()) {
            sql::run(
                &format!("INSERT INTO {} VALUES ($1, $2, $3)", destination.object(VALUES.name)),
                &[destination.version.into(), name.as_str().into(), hashes.clone().into()],
            )?;
        }
        Ok(())
    }
}

/// Whether a version loses more by so much that a search is made of a replay, or is advised.
pub fn grew(&(before, now): &(f64, f64)) -> bool {
    now > before * (1.0 + GROWTH) + ROUNDING
}

/// By how large a part of what the current version loses a replay may lose more.
const GROWTH: f64 = 0.1;

/// A certainty loss, as it is told.
pub fn shown(lost: f64) -> String {
    format!("{lost:.3}")
}

/// The hashes of what was ever released of a column.
fn released(destination: &Destination, column: &str) -> Result<HashSet<i64>> {
    let mut all = HashSet::new();
    if destination.existing.is_none() {
        return Ok(all);
    }
    let query =
        format!("SELECT v.hashes FROM ONLY {} v WHERE v.attribute = $1", destination.object(VALUES.name));
    let hashes = sql::rows(query, &[column.into()], |row| row.written::<Stored<i64>>(1))?;
    for Stored(hashes) in hashes {
        check_memory::<(i64, i64)>(2 * hashes.len())?;
        all.extend(hashes.into_iter().flatten());
    }
    Ok(all)
}

/// The hashes of a column's distinct values, NULL among them: they must be the same in ten years.
fn hashes(key: HashKey, column: &Column) -> impl Iterator<Item = i64> + '_ {
    let null = column.nulls.then_some(i64::MIN);
    column.lasting_bytes().map(move |bytes| key.hash(&bytes) as i64).chain(null)
}

/// How many nodes of the cut of a version hold rows, by column.
fn populated(destination: &Destination, version: i32) -> Result<HashMap<String, usize>> {
    let query = format!(
        "SELECT c.attribute, (SELECT pg_catalog.count(*) FROM pg_catalog.unnest(c.records) r WHERE r > 0)
         FROM ONLY {} c WHERE c.version = $1",
        destination.object(CUTS.name)
    );
    let rows = sql::rows(query, &[version.into()], |row| {
        Ok((row.written::<String>(1)?, row.written::<i64>(2)? as usize))
    })?;
    Ok(rows.into_iter().collect())
}
