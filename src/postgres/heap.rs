//! Rows as they lie in the heap: no statement is planned, no index, rule, policy or function of the
//! table's owner is used, whoever reads it.

use super::error::{Result, SqlError};
use super::progress::polled;
use pgrx::datum::FromDatum;
use pgrx::pg_sys::{self, Datum, Oid};
use std::ffi::CStr;

/// A column that a table is expected to have: its name and its type.
pub type Declared = (&'static str, Oid);

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
            && held.iter().zip(columns).all(|(column, (name, ty))| {
                let called = CStr::from_ptr(column.attname.data.as_ptr());
                !column.attisdropped && column.atttypid == *ty && called.to_bytes() == name.as_bytes()
            })
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
