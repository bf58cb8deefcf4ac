//! Writing a version: the rows as they were read, generalized, in random order and frozen.
//!
//! Random order, because two releases of the same rows in the same order could be joined row by
//! row. Frozen, because the table is new in this transaction (what COPY FREEZE does): nothing is written
//! again when it is first read, and no row tells when it came.
//! ([`Shuffle`] draws the order, whether or not the rows fit in memory.)
//! Tuples are formed in another thread, if there may be one, while the backend inserts those before.

use crate::postgres::activity;
use crate::postgres::datum::Type;
use crate::postgres::error::{Result, SqlError};
use crate::postgres::hint::Hint;
use crate::postgres::insert::Insert;
use crate::postgres::operation::Operation;
use crate::postgres::progress::{poll, polled};
use crate::postgres::sql;
use crate::postgres::tuples::{Tuples, Values};
use crate::read::scan;
use crate::read::source::Source;
use crate::read::table::Table;
use crate::release::store::columns::{Fill, Filled, Output};
use crate::release::store::content::Content;
use crate::release::store::destination::Destination;
use crate::release::store::shuffle::{Fetched, Shuffle};
use pgrx::pg_sys::{self, Datum};
use topdown::progress::check_memory;
use topdown::table::Codes;
use topdown::threads::offload;

/// Batches that are formed in another thread before the first of them is inserted, where there are this many rows and each batch takes no
/// more bytes than these.
const AHEAD: usize = 4;
const MANY: usize = 1 << 14;
const WIDE: usize = 1 << 22;

/// Fills the new version's table.
pub fn rows(destination: &Destination, columns: &[Output], content: &Content) -> Result<()> {
    let fills = &content.fills;
    let shuffle = Shuffle::new(fills, content.rows, content.weights)?;
    let gone = || SqlError::internal("the version table is gone");
    let table = sql::relation(&destination.version_table())?.ok_or_else(gone)?;
    let types: Vec<pg_sys::Oid> = columns.iter().map(|column| column.type_oid).collect();
    let widest = types.iter().zip(fills).map(|(&ty, fill)| widest(ty, fill)).sum();
    let mut insert = Insert::new(table, &types, widest)?;
    let layout = insert.layout;
    // SAFETY: values of the columns' types (Insert::new() has seen to it), which live as long as the fills.
    let values = fills.iter().map(|fill| unsafe {
        match fill {
            Fill::Same(value) => Values::new(std::slice::from_ref(value)),
            Fill::ByKey(_, values) => Values::new(values),
            Fill::Numbers(_) => Values::numbers(),
        }
    });
    let columns: Vec<_> =
        (0..).zip(values).map(|(column, values)| (column, values, shuffle.place(column))).collect();
    let mut written = 0;
    let _hint = Hint::of_too_large();
    for number in 0..shuffle.piles() {
        let records = shuffle.pile(number)?;
        let is_worth_it = records.order.len() >= MANY && layout.bytes() <= WIDE;
        let batches = if is_worth_it { AHEAD } else { 1 };
        check_memory::<u8>(batches * layout.bytes())?;
        let batch = || (Tuples::new(&layout), &[][..]);
        let spare = (1..batches).map(|_| batch()).collect();
        let mut fetched = Fetched::default();
        let form = |(tuples, rows): &mut (Tuples, &[u32])| {
            records.fetch(rows, &mut fetched);
            // Column by column, so that what is looked up is at hand.
            for &(column, values, place) in &columns {
                tuples.set(column, values, fetched.keys(place));
            }
            tuples.form(&layout, rows.len());
        };
        let mut insert_formed = |tuples: &mut Tuples| {
            poll();
            // A spare batch has no rows.
            if tuples.len() > 0 {
                insert.rows(tuples);
            }
            written += tuples.len();
            activity::rows(written);
        };
        offload(spare, form, |mut forming| {
            let (mut tuples, _) = batch();
            for rows in records.order.chunks(layout.rows) {
                (tuples, _) = forming.submit((tuples, rows))?;
                insert_formed(&mut tuples);
            }
            forming.finish_all(|(mut tuples, _)| {
                insert_formed(&mut tuples);
                Ok::<(), SqlError>(())
            })
        })?;
    }
    insert.finish();
    if written != content.rows {
        return Err(SqlError::internal("rows were lost, and the release is not published")
            .detail(format!("{} were to be written, {written} were.", content.rows)));
    }
    Ok(())
}

/// Some columns of some records, which ascend, as they are written to a version's table.
pub fn records(version: &Source, places: &[usize], filled: Filled, records: &[usize]) -> Result<Table> {
    let pick = |&place: &usize| {
        let column = &version.columns[place];
        let fill = filled.column(&column.name, column.type_oid);
        let fill = fill.ok_or_else(|| SqlError::internal("a column that was not filled"))?;
        let keys = match fill {
            Fill::ByKey(keys, _) => {
                check_memory::<u8>(records.len() * keys.width())?;
                keys.pick(records.iter().copied())?
            }
            Fill::Same(_) | Fill::Numbers(_) => Codes::default(),
        };
        Ok((fill, keys))
    };
    let columns = places.iter().map(pick).collect::<Result<Vec<(&Fill, Codes)>>>()?;
    let value = |row: usize, column: usize| match &columns[column] {
        (Fill::Same(value), _) => *value,
        (Fill::ByKey(_, values), keys) => values.get(keys.get(row) as usize).copied().flatten(),
        (Fill::Numbers(numbers), _) => Some(Datum::from(numbers[records[row]])),
    };
    // SAFETY: what a column is filled with is of its type, and lives as long as the fills.
    unsafe { scan::of_rows(version, places, records.len(), value) }
}

/// How many bytes the widest value of a column takes.
fn widest(ty: pg_sys::Oid, fill: &Fill) -> usize {
    let ty = Type::new(ty, pg_sys::InvalidOid);
    let values = match fill {
        Fill::Same(value) => std::slice::from_ref(value),
        Fill::ByKey(_, values) => values,
        Fill::Numbers(_) => return size_of::<i64>(),
    };
    polled(values).flatten().map(|&value| ty.size(value)).max().unwrap_or(0)
}

/// Statistics for the planner, of what the view shows and of the version's number, the first column: from a sample that takes no
/// longer to look at than a small table does to write; autovacuum refines them. Those of a range type may need a function of the
/// type's owner's, which nobody else runs, now or when autovacuum comes by. Of the table of all versions it has to know that a
/// version has one number, with which every column of the view is compared; what else it held would stay when its version goes.
pub fn statistics(destination: &Destination, columns: &[Output]) -> Result<()> {
    let (versions, table) = (destination.versions(), destination.version_table());
    let mut analyzed = Vec::new();
    for column in columns {
        let name = sql::quote(&column.name);
        if Type::new(column.type_oid, pg_sys::InvalidOid).has_own_statistics()? {
            sql::run(&format!("ALTER TABLE ONLY {table} ALTER COLUMN {name} SET STATISTICS 0"), &[])?;
        } else if column.public || analyzed.is_empty() {
            analyzed.push(name);
        }
    }
    if destination.existing.is_none() {
        // Each row has the one number, so that the smallest sample tells it.
        let _sampling = Operation::sampling(1);
        sql::run(&format!("ANALYZE {versions} ({})", sql::quote(&columns[0].name)), &[])?;
    }
    let _sampling = Operation::sampling(STATISTICS);
    sql::run(&format!("ANALYZE {table} ({})", analyzed.join(", ")), &[])?;
    Ok(())
}

/// The statistics target of a version that has just been written: a quarter of PostgreSQL's own.
const STATISTICS: i32 = 25;
