//! Rows as they lie in the heap: no statement is planned, no index, rule, policy or function of the
//! table's owner is used, whoever reads it.

use super::error::{Result, SqlError};
use super::json::JsonText;
use super::progress::polled;
use pgrx::datum::FromDatum;
use pgrx::itemptr::{item_pointer_to_u64, u64_to_item_pointer};
use pgrx::pg_sys::{self, Datum, Oid};
use std::ffi::CStr;

/// A column: its name and its type.
pub type Column<'a> = (&'a str, Oid);

/// One that a table is expected to have.
pub type Declared = Column<'static>;

/// A row, as a copy.
pub struct Row {
    values: Vec<Datum>,
    nulls: Vec<bool>,
}

impl Row {
    /// A column's value.
    pub fn get<T: FromDatum>(&self, column: usize) -> Option<T> {
        // SAFETY: the table has the columns that were declared, of whose types T is one; large values
        // are fetched from their table now.
        unsafe { T::from_datum(self.values[column], self.nulls[column]) }
    }

    /// The text of a column. Of somebody's table it may be other bytes than UTF8, of which marks are left.
    pub fn text(&self, column: usize) -> Option<String> {
        self.get::<Vec<u8>>(column).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The text of a column's `jsonb`, if that takes no more than so many bytes.
    pub fn json(&self, column: usize, most: usize) -> Option<JsonText> {
        // SAFETY: as for get().
        (!self.nulls[column]).then(|| unsafe { JsonText::within(self.values[column], most) }).flatten()
    }

    /// How large a varlena is, before it is fetched.
    pub fn size(&self, column: usize) -> usize {
        if self.nulls[column] {
            return 0;
        }
        // SAFETY: a varlena, stored elsewhere or not.
        unsafe { pg_sys::toast_raw_datum_size(self.values[column]) as usize }
    }
}

/// Of the rows that have no NULL in their first `complete` columns, of which the first is an integer and the
/// one at `flag` a boolean: the one with the flag that has the greatest number, and the greatest number of
/// all. The others are passed by without a look at what they hold: somebody's table may hold anything. An
/// error if the table is not of the heap or has other columns.
///
/// The relation has to be locked; what is seen is what the snapshot in force sees.
pub fn greatest(
    relation: Oid,
    columns: &[Declared],
    complete: usize,
    flag: usize,
) -> Result<Option<(Row, i32)>> {
    // SAFETY: the relation is locked, and a table of the heap with these columns; scan and relation are
    // closed, after an error by the end of the transaction.
    unsafe {
        let relation = pg_sys::table_open(relation, pg_sys::NoLock as pg_sys::LOCKMODE);
        let found = is_as_declared(relation, columns).then(|| {
            let snapshot = pg_sys::GetActiveSnapshot();
            let no_index = pg_sys::InvalidOid;
            let scan =
                pg_sys::systable_beginscan(relation, no_index, false, snapshot, 0, std::ptr::null_mut());
            let (mut greatest, mut last): (Option<(i32, pg_sys::HeapTuple)>, Option<i32>) = (None, None);
            let next = || {
                let tuple = pg_sys::systable_getnext(scan);
                (!tuple.is_null()).then_some(tuple)
            };
            for tuple in polled(std::iter::from_fn(next)) {
                let row = deform(relation, tuple, columns.len());
                if row.nulls[..complete].contains(&true) {
                    continue;
                }
                let Some(number) = row.get::<i32>(0) else { continue };
                last = last.max(Some(number));
                if row.get::<bool>(flag) != Some(true) {
                    continue;
                }
                match greatest {
                    Some((most, _)) if most >= number => continue,
                    Some((_, lesser)) => pg_sys::heap_freetuple(lesser),
                    None => {}
                }
                greatest = Some((number, pg_sys::heap_copytuple(tuple)));
            }
            let row = greatest.map(|(_, tuple)| deform(relation, tuple, columns.len()));
            pg_sys::systable_endscan(scan);
            row.zip(last)
        });
        pg_sys::table_close(relation, pg_sys::NoLock as pg_sys::LOCKMODE);
        found.ok_or_else(|| {
            SqlError::serialization("a manifest was altered while it was read").hint("Call again.")
        })
    }
}

/// The first row of a table of the heap with just these columns; None if it has no row, or is another one.
///
/// The relation has to be locked; what is seen is what the snapshot in force sees.
pub fn first(relation: Oid, columns: &[Declared]) -> Option<Row> {
    // SAFETY: as for `greatest`.
    unsafe {
        let relation = pg_sys::table_open(relation, pg_sys::NoLock as pg_sys::LOCKMODE);
        let row = is_as_declared(relation, columns).then(|| {
            let (no_index, snapshot) = (pg_sys::InvalidOid, pg_sys::GetActiveSnapshot());
            let scan =
                pg_sys::systable_beginscan(relation, no_index, false, snapshot, 0, std::ptr::null_mut());
            let tuple = pg_sys::systable_getnext(scan);
            let row =
                (!tuple.is_null()).then(|| deform(relation, pg_sys::heap_copytuple(tuple), columns.len()));
            pg_sys::systable_endscan(scan);
            row
        });
        pg_sys::table_close(relation, pg_sys::NoLock as pg_sys::LOCKMODE);
        row.flatten()
    }
}

/// Writes a row without NULLs into a table of the heap with just these columns, which has no index. No statement holds the
/// values, so that no log does.
pub fn append(relation: Oid, columns: &[Declared], values: &mut [Datum]) -> Result<()> {
    // SAFETY: the table has these columns, of whose types the values are, and as many; the relation is closed, after an error
    // by the end of the transaction.
    unsafe {
        let relation = pg_sys::table_open(relation, pg_sys::RowExclusiveLock as pg_sys::LOCKMODE);
        let is_plain = is_as_declared(relation, columns)
            && values.len() == columns.len()
            && !(*(*relation).rd_rel).relhasindex;
        if is_plain {
            let mut nulls = vec![false; values.len()];
            let tuple = pg_sys::heap_form_tuple((*relation).rd_att, values.as_mut_ptr(), nulls.as_mut_ptr());
            pg_sys::simple_heap_insert(relation, tuple);
            pg_sys::CommandCounterIncrement();
        }
        pg_sys::table_close(relation, pg_sys::NoLock as pg_sys::LOCKMODE);
        match is_plain {
            true => Ok(()),
            false => Err(SqlError::state("a table of the release is not as it was made")
                .detail("An event trigger has altered it while it was made.")
                .hint("Have the event trigger leave the schemas of releases alone.")),
        }
    }
}

/// Shows a column of whole numbers of all rows of a table (none: NULL), and where each row lies. An error if the relation is no table
/// with that column.
///
/// The relation has to be locked; what is seen is what the snapshot in force sees.
pub fn numbers(
    relation: Oid,
    column: Column,
    mut show: impl FnMut(Option<i64>, u64) -> Result<()>,
) -> Result<()> {
    // SAFETY: as `with_slot` has it; the scan is ended, after an error of PostgreSQL's by the end of the transaction.
    unsafe {
        with_slot(relation, &[column], |relation, slot, numbers| {
            let scan =
                pg_sys::table_beginscan(relation, pg_sys::GetActiveSnapshot(), 0, std::ptr::null_mut());
            let forward = pg_sys::ScanDirection::ForwardScanDirection;
            let next = || pg_sys::table_scan_getnextslot(scan, forward, slot).then_some(());
            let shown = polled(std::iter::from_fn(next)).try_for_each(|()| {
                let (value, is_null) = value(slot, numbers[0]);
                show((!is_null).then_some(value.value() as i64), item_pointer_to_u64((*slot).tts_tid))
            });
            pg_sys::table_endscan(scan);
            shown
        })
    }
}

/// Has some columns taken of the rows that lie at some places: their values, which are there until `take` returns, and which of
/// them are NULL. An error if the relation is no table with these columns.
///
/// As for [`numbers`].
pub fn rows(
    relation: Oid,
    columns: &[Column],
    places: &[u64],
    mut take: impl FnMut(&[Datum], &[bool]) -> Result<()>,
) -> Result<()> {
    let (mut values, mut nulls) = (vec![Datum::null(); columns.len()], vec![true; columns.len()]);
    // SAFETY: as `with_slot` has it.
    unsafe {
        with_slot(relation, columns, |relation, slot, numbers| {
            let snapshot = pg_sys::GetActiveSnapshot();
            polled(places).try_for_each(|&place| {
                let mut at = pg_sys::ItemPointerData::default();
                u64_to_item_pointer(place, &mut at);
                if !pg_sys::table_tuple_fetch_row_version(relation, &mut at, snapshot, slot) {
                    return Ok(());
                }
                for ((held, null), &number) in values.iter_mut().zip(&mut nulls).zip(numbers) {
                    (*held, *null) = value(slot, number);
                }
                take(&values, &nulls)
            })
        })
    }
}

/// Opens a table for a look at some columns, which are told by their numbers.
///
/// # Safety
/// The relation is locked. `look` asks for values of the columns alone, and raises nothing with what it has begun: slot and relation
/// are closed behind it, after an error of PostgreSQL's by the end of the transaction.
unsafe fn with_slot(
    relation: Oid,
    columns: &[Column],
    look: impl FnOnce(pg_sys::Relation, *mut pg_sys::TupleTableSlot, &[i32]) -> Result<()>,
) -> Result<()> {
    // SAFETY: as the caller promises.
    unsafe {
        let relation = pg_sys::table_open(relation, pg_sys::NoLock as pg_sys::LOCKMODE);
        let is_table = (*(*relation).rd_rel).relkind as u8 == pg_sys::RELKIND_RELATION;
        let numbers: Option<Vec<i32>> = columns.iter().map(|column| number(relation, *column)).collect();
        let looked = match numbers {
            _ if !is_table => Err(SqlError::wrong_relation("a version is no table any more")
                .detail("Somebody has put something else in its place.")
                .hint("Put its table back.")),
            Some(numbers) => {
                let slot = pg_sys::table_slot_create(relation, std::ptr::null_mut());
                let looked = look(relation, slot, &numbers);
                pg_sys::ExecDropSingleTupleTableSlot(slot);
                looked
            }
            None => {
                Err(SqlError::serialization("a version was altered while it was read").hint("Call again."))
            }
        };
        pg_sys::table_close(relation, pg_sys::NoLock as pg_sys::LOCKMODE);
        looked
    }
}

/// A value of the row in a slot, and whether it is NULL.
///
/// # Safety
/// The slot has a row, with a column of that number.
#[inline]
unsafe fn value(slot: *mut pg_sys::TupleTableSlot, number: i32) -> (Datum, bool) {
    // SAFETY: as the caller promises; as many values as were asked for.
    unsafe {
        if i32::from((*slot).tts_nvalid) < number {
            pg_sys::slot_getsomeattrs(slot, number);
        }
        let at = number as usize - 1;
        (*(*slot).tts_values.add(at), *(*slot).tts_isnull.add(at))
    }
}

/// The number of a column of a relation, if that has it.
///
/// # Safety
/// The relation is open and locked.
unsafe fn number(relation: pg_sys::Relation, column: Column) -> Option<i32> {
    // SAFETY: as the caller promises; as many attributes as the description says.
    let held = unsafe { pgrx::PgTupleDesc::from_pg_unchecked((*relation).rd_att) };
    held.iter().find(|held| is(held, column)).map(|held| i32::from(held.attnum))
}

/// Whether an attribute is a column.
fn is(held: &pg_sys::FormData_pg_attribute, (name, ty): Column) -> bool {
    // SAFETY: a name ends within it.
    let called = unsafe { CStr::from_ptr(held.attname.data.as_ptr()) };
    !held.attisdropped && held.atttypid == ty && called.to_bytes() == name.as_bytes()
}

/// Whether a relation is a table of the heap with just these columns: memory relies on it.
///
/// # Safety
/// The relation is open and locked.
unsafe fn is_as_declared(relation: pg_sys::Relation, columns: &[Declared]) -> bool {
    // SAFETY: as the caller promises; as many attributes as the description says.
    unsafe {
        let kind = &*(*relation).rd_rel;
        let held = pgrx::PgTupleDesc::from_pg_unchecked((*relation).rd_att);
        kind.relkind as u8 == pg_sys::RELKIND_RELATION
            && kind.relam == pg_sys::HEAP_TABLE_AM_OID
            && held.len() == columns.len()
            && held.iter().zip(columns).all(|(held, column)| is(held, *column))
    }
}

/// The columns of a tuple, large ones where they are stored.
///
/// # Safety
/// A tuple of the relation, which has so many columns.
unsafe fn deform(relation: pg_sys::Relation, tuple: pg_sys::HeapTuple, columns: usize) -> Row {
    let mut row = Row { values: vec![Datum::null(); columns], nulls: vec![true; columns] };
    // SAFETY: as the caller promises: as many columns as there is room for.
    unsafe {
        let described = (*relation).rd_att;
        pg_sys::heap_deform_tuple(tuple, described, row.values.as_mut_ptr(), row.nulls.as_mut_ptr());
    }
    row
}
