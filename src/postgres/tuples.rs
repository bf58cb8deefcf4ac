//! Tuples formed by PostgreSQL's own functions, in any thread.
//!
//! Forming a tuple takes as long as putting it into the table. The two functions that do it read a table's description and a
//! row's values, and write where they are told to: they allocate nothing, raise no error and know of no transaction. So they
//! are called as they are, not through pgrx, which lets the backend's thread alone call PostgreSQL.
//!
//! A backend that ends amid it (FATAL) unwinds nothing and frees what tuples are formed of: before it does, it waits for those
//! that are being formed, and none is any more.

use pgrx::pg_sys::{self, Datum};
use std::mem::offset_of;
use std::sync::{Mutex, Once, PoisonError};
use topdown::table::NONE;

unsafe extern "C" {
    fn heap_compute_data_size(
        description: pg_sys::TupleDesc,
        values: *const Datum,
        is_null: *const bool,
    ) -> usize;
    fn heap_fill_tuple(
        description: pg_sys::TupleDesc,
        values: *const Datum,
        is_null: *const bool,
        data: *mut std::ffi::c_char,
        size: usize,
        flags: *mut u16,
        bits: *mut u8,
    );
}

/// Whether tuples may be formed; whoever forms some holds it meanwhile.
static MAY_FORM: Mutex<bool> = Mutex::new(true);

/// Sees to it that no tuple is formed any more when this backend has begun to end.
fn stop_at_exit() {
    extern "C-unwind" fn stop(_code: i32, _nothing: Datum) {
        *MAY_FORM.lock().unwrap_or_else(PoisonError::into_inner) = false;
    }
    static ONCE: Once = Once::new();
    // SAFETY: called in the backend's thread; the callback is there as long as the library, which is never unloaded. It is asked
    // before the one that ends the transaction, as that was there first.
    ONCE.call_once(|| unsafe { pg_sys::before_shmem_exit(Some(stop), Datum::null()) });
}

/// How the rows of a table are formed, which may be done in another thread.
#[derive(Debug, Clone, Copy)]
pub struct Layout {
    description: pg_sys::TupleDesc,
    columns: usize,
    /// How many words a row takes at most.
    widest: usize,
    /// How many rows are formed together.
    pub rows: usize,
}

// SAFETY: the description of a table that stays open and locked is only read.
unsafe impl Sync for Layout {}
// SAFETY: as above.
unsafe impl Send for Layout {}

/// No more rows are formed together, and no more bytes, but for those of one row: few, so that they are at hand in the
/// processor's cache.
const ROWS: usize = 256;
const BYTES: usize = 1 << 20;

/// Where a tuple, and what is in it, begins.
const WORD: usize = size_of::<u64>();

impl Layout {
    /// That of a table whose rows have values of no more bytes than `widest` together.
    ///
    /// # Safety
    /// The table stays open as long as this lives.
    pub unsafe fn new(description: pg_sys::TupleDesc, columns: usize, widest: usize) -> Layout {
        stop_at_exit();
        let bytes = Layout::header(columns, true) + widest + columns * WORD;
        Layout { description, columns, widest: bytes.div_ceil(WORD), rows: (BYTES / bytes).clamp(1, ROWS) }
    }

    /// How many bytes come before a row's values.
    fn header(columns: usize, has_nulls: bool) -> usize {
        let bitmap = if has_nulls { columns.div_ceil(8) } else { 0 };
        (offset_of!(pg_sys::HeapTupleHeaderData, t_bits) + bitmap).next_multiple_of(WORD)
    }

    /// How many bytes some tuples take that are formed together.
    pub fn bytes(&self) -> usize {
        self.rows
            * (self.widest * WORD + self.columns * (size_of::<Datum>() + 1) + size_of::<(usize, usize)>())
    }
}

/// The values of a column, by their keys; none: whole numbers, which are their own keys.
#[derive(Debug, Clone, Copy)]
pub struct Values<'v>(Option<&'v [Option<Datum>]>);

// SAFETY: a Datum of these is a value, or points to one that nobody changes, as whoever makes them promises.
unsafe impl Sync for Values<'_> {}
// SAFETY: as above.
unsafe impl Send for Values<'_> {}

impl<'v> Values<'v> {
    /// Some values; none: NULL.
    ///
    /// # Safety
    /// They are of the column's type, are not changed, and live until the last tuple is inserted that is formed of them.
    pub unsafe fn new(values: &'v [Option<Datum>]) -> Values<'v> {
        Values(Some(values))
    }

    /// Whole numbers.
    ///
    /// # Safety
    /// The column is a bigint.
    pub unsafe fn numbers() -> Values<'v> {
        Values(None)
    }

    /// The value of a key: NULL for the one behind them, and for none.
    fn of(self, key: i64) -> Option<Datum> {
        match self.0 {
            Some(values) if key == i64::from(NONE) || key as usize == values.len() => None,
            Some(values) => values[key as usize],
            None => Some(Datum::from(key)),
        }
    }
}

/// Rows: their values, and the tuples that are formed of them.
#[derive(Debug)]
pub struct Tuples {
    columns: usize,
    values: Vec<Datum>,
    is_null: Vec<bool>,
    words: Vec<u64>,
    /// Where each tuple begins, in words, and how many bytes it takes.
    places: Vec<(usize, usize)>,
}

// SAFETY: what its Datums point to nobody changes (Values).
unsafe impl Send for Tuples {}

impl Tuples {
    /// Room for as many as are formed together, all NULL.
    pub fn new(layout: &Layout) -> Tuples {
        let Layout { columns, widest, rows, .. } = *layout;
        Tuples {
            columns,
            values: vec![Datum::null(); rows * columns],
            is_null: vec![true; rows * columns],
            words: vec![0; rows * widest],
            places: Vec::with_capacity(rows),
        }
    }

    /// Sets a column of the first rows, one after the other, by the values' keys. So it stays, until it is set again.
    pub fn set(&mut self, column: usize, values: Values, keys: impl Iterator<Item = i64>) {
        let rows =
            self.values.chunks_exact_mut(self.columns).zip(self.is_null.chunks_exact_mut(self.columns));
        for ((row, is_null), key) in rows.zip(keys) {
            let value = values.of(key);
            row[column] = value.unwrap_or(Datum::null());
            is_null[column] = value.is_none();
        }
    }

    /// Forms the first rows.
    pub fn form(&mut self, layout: &Layout, rows: usize) {
        let Tuples { columns, values, is_null, words, places } = self;
        places.clear();
        let may_form = MAY_FORM.lock().unwrap_or_else(PoisonError::into_inner);
        if !*may_form {
            return;
        }
        let mut start = 0;
        for (values, is_null) in values.chunks_exact(*columns).zip(is_null.chunks_exact(*columns)).take(rows)
        {
            let has_nulls = is_null.contains(&true);
            let header = Layout::header(*columns, has_nulls);
            // SAFETY: as many values as the table has columns, each of its column's type.
            let size =
                unsafe { heap_compute_data_size(layout.description, values.as_ptr(), is_null.as_ptr()) };
            let tuple = &mut words[start..start + (header + size).div_ceil(WORD)];
            tuple.fill(0);
            places.push((start, header + size));
            start += tuple.len();
            let tuple: *mut pg_sys::HeapTupleHeaderData = tuple.as_mut_ptr().cast();
            // SAFETY: there is room for the header, NULLs' bits and the values, which begin at a multiple of eight bytes; the
            // number of columns is what the lowest bits of the second flags are.
            unsafe {
                (*tuple).t_hoff = header as u8;
                (*tuple).t_infomask2 = *columns as u16;
                let bits = if has_nulls { (&raw mut (*tuple).t_bits).cast() } else { std::ptr::null_mut() };
                let (data, flags) = (tuple.byte_add(header).cast(), &raw mut (*tuple).t_infomask);
                heap_fill_tuple(
                    layout.description,
                    values.as_ptr(),
                    is_null.as_ptr(),
                    data,
                    size,
                    flags,
                    bits,
                );
            }
        }
    }

    /// How many are formed.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// The tuples that are formed, as whoever inserts them has them.
    pub fn formed(&mut self) -> impl Iterator<Item = pg_sys::HeapTupleData> + '_ {
        let words = &mut self.words;
        self.places.iter().map(|&(start, bytes)| pg_sys::HeapTupleData {
            t_len: bytes as u32,
            t_data: words[start..].as_mut_ptr().cast(),
            ..Default::default()
        })
    }
}
