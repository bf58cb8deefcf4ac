//! Writing a version: the rows as they were read, generalized, in random order and frozen.
//!
//! Random order, because two releases of the same rows in the same order could be joined row by
//! row. Frozen, because the table is new in this transaction (what COPY FREEZE does): nothing is written
//! again when it is first read, and no row tells when it came.
//! ([`Shuffle`] draws the order, whether or not the rows fit in memory.)
//! Tuples are formed in a thread of their own, if there may be one, while the backend inserts those before.

use crate::postgres::activity;
use crate::postgres::datum::Type;
use crate::postgres::error::{Result, SqlError};
use crate::postgres::insert::Insert;
use crate::postgres::operation::Operation;
use crate::postgres::progress::poll;
use crate::postgres::tuple::{Layout, Stored, Tuples};
use crate::postgres::{settings, sql, threads};
use crate::release::store::columns::{Fill, Output};
use crate::release::store::content::Content;
use crate::release::store::home::Home;
use crate::release::store::shuffle::{Places, Records, Shuffle};
use pgrx::pg_sys;
use std::sync::mpsc::{channel, sync_channel, RecvTimeoutError};
use std::time::Duration;
use topdown::progress::room;
use topdown::table::Codes;

/// Rows that are formed before they are inserted together; fewer, where they are wide: no more bytes than these, but
/// for the last row's.
const BATCH: usize = 1000;
const BATCH_BYTES: usize = 1 << 20;

/// How many batches may be formed before the first of them is inserted.
const AHEAD: usize = 4;

/// How long it is between two polls while nothing is formed.
const WHILE: Duration = Duration::from_millis(10);

/// Fills the new version's table.
pub fn rows(home: &Home, columns: &[Output], content: &Content) -> Result<()> {
    let fills = &content.fills;
    let distinct: usize = fills.iter().map(|fill| fill.values.len() + 1).sum();
    room::<u8>(distinct * size_of::<Stored>())?;
    let shuffle = Shuffle::new(fills, content.rows, content.weights)?;
    let gone = || SqlError::internal("the version table is gone");
    let table = sql::relation(&home.version_table())?.ok_or_else(gone)?;
    let types: Vec<pg_sys::Oid> = columns.iter().map(|column| column.type_oid).collect();
    let mut insert = Insert::new(table, &types)?;
    let layout = insert.layout();
    let values = stored(fills, &layout);
    let mut written = 0;
    let mut batch = |tuples: &mut Tuples| -> Result<()> {
        poll();
        insert.batch(tuples);
        written += tuples.len();
        activity::rows(written);
        Ok(())
    };
    for number in 0..shuffle.heaps() {
        let records = &shuffle.heap(number)?;
        let former = Former { records, places: &shuffle.places, values: &values, layout: &layout };
        each_batch(&former, &mut batch)?;
    }
    insert.finish();
    if written != content.rows {
        return Err(SqlError::internal("rows were lost, and the release is not published")
            .detail(format!("{} were to be written, {written} were.", content.rows)));
    }
    Ok(())
}

/// Forms the tuples of a heap, a batch at a time.
fn each_batch(former: &Former, mut batch: impl FnMut(&mut Tuples) -> Result<()>) -> Result<()> {
    let all = &former.records.order[..];
    if settings::threads() > 1 && all.len() > BATCH && ahead(former, all, &mut batch)? {
        return Ok(());
    }
    let (mut rest, mut tuples) = (all, Tuples::default());
    while !rest.is_empty() {
        rest = former.form(rest, &mut tuples);
        batch(&mut tuples)?;
    }
    Ok(())
}

/// Has the tuples formed by a thread of their own while those before go in; whether there could be one.
fn ahead(
    former: &Former,
    mut rest: &[u32],
    mut batch: impl FnMut(&mut Tuples) -> Result<()>,
) -> Result<bool> {
    std::thread::scope(|scope| {
        let (full, formed) = sync_channel::<Tuples>(AHEAD);
        let (back, empty) = channel::<Tuples>();
        let spawned = threads::spawn(scope, move || {
            while !rest.is_empty() {
                let mut tuples = empty.try_recv().unwrap_or_default();
                rest = former.form(rest, &mut tuples);
                // Nobody takes them any more: an error has ended the call.
                if full.send(tuples).is_err() {
                    return;
                }
            }
        });
        if spawned.is_err() {
            return Ok(false);
        }
        loop {
            match formed.recv_timeout(WHILE) {
                Ok(mut tuples) => {
                    batch(&mut tuples)?;
                    // The thread has formed the last ones, or takes them.
                    let _ = back.send(tuples);
                }
                Err(RecvTimeoutError::Timeout) => poll(),
                Err(RecvTimeoutError::Disconnected) => return Ok(true),
            }
        }
    })
}

/// What rows are formed of.
struct Former<'a> {
    records: &'a Records,
    places: &'a Places,
    /// Each column's values by their keys, and NULL behind them.
    values: &'a [Vec<Stored<'a>>],
    layout: &'a Layout,
}

impl Former<'_> {
    /// Forms the tuples of a batch of rows, the first ones; which are left.
    fn form<'r>(&self, rows: &'r [u32], tuples: &mut Tuples) -> &'r [u32] {
        let Former { records, places, values, layout } = self;
        tuples.clear();
        let mut row = vec![Stored::Null; values.len()];
        let fetched = records.fetch(&rows[..rows.len().min(BATCH)]);
        while tuples.len() < rows.len().min(BATCH) && tuples.bytes() < BATCH_BYTES {
            let number = tuples.len();
            let record = &fetched[number * places.width..][..places.width];
            for ((stored, values), &(at, bytes)) in row.iter_mut().zip(*values).zip(&places.keys) {
                // What is no key is beyond the end of the values, and so NULL. A column without keys has one value.
                let key = if bytes == 0 { 0 } else { Codes::read(record, at, bytes) as usize };
                *stored = values[key.min(values.len() - 1)];
            }
            tuples.push(layout, &row);
        }
        &rows[tuples.len()..]
    }
}

/// How the values of each column are stored, NULL behind them.
fn stored<'a>(fills: &'a [Fill], layout: &Layout) -> Vec<Vec<Stored<'a>>> {
    let column = |(column, fill): (usize, &'a Fill)| {
        // SAFETY: values of the columns' types (Insert::new() has seen to it), which live as long as the fills.
        let stored = fill.values.iter().map(|&value| unsafe { layout.stored(column, value) });
        stored.chain([Stored::Null]).collect()
    };
    fills.iter().enumerate().map(column).collect()
}

/// Statistics for the planner, from a sample that takes no longer to look at than a small table does to
/// write; autovacuum refines them. Those of a range type may need a function of the type's owner's, which
/// nobody else runs, now or when autovacuum comes by. Of the table of all versions it has to know that a version
/// has one number, with which every column of the view is compared; what else it held would stay when its version goes.
pub fn statistics(home: &Home, columns: &[Output]) -> Result<()> {
    let (versions, table) = (home.versions(), home.version_table());
    let mut analyzed = Vec::new();
    for column in columns {
        let name = sql::quote(&column.name);
        if Type::new(column.type_oid, pg_sys::InvalidOid).has_own_statistics()? {
            sql::run(&format!("ALTER TABLE ONLY {table} ALTER COLUMN {name} SET STATISTICS 0"), &[])?;
        } else {
            analyzed.push(name);
        }
    }
    let _sampling = Operation::sampling(STATISTICS);
    if home.existing.is_none() {
        sql::run(&format!("ANALYZE {versions} ({})", sql::quote(&columns[0].name)), &[])?;
    }
    sql::run(&format!("ANALYZE {table} ({})", analyzed.join(", ")), &[])?;
    Ok(())
}

/// The statistics target of a version that has just been written: a quarter of PostgreSQL's own.
const STATISTICS: i32 = 25;
