//! Rows as they come, some at a time: their values, copied, on their way to codes. What is made of them may be made in another
//! thread, which knows nothing of PostgreSQL.

use pgrx::pg_sys::{self, Datum};
use std::ffi::CStr;
use topdown::progress::reserve;
use topdown::Code;

/// For how many rows there is room at most, and for how many values together: few, so that they stay in a processor's cache.
const ROWS: usize = 1 << 10;
const VALUES: usize = 1 << 14;

/// How many bytes a value takes that is small.
const BYTES_OF_VALUE: usize = size_of::<u64>() + size_of::<bool>() + size_of::<Code>() + 16;

/// With more bytes than these it is full, and gives its room back.
const BYTES: usize = 1 << 20;

/// Rows, a column at a time: their values, and then their codes.
pub struct Chunk {
    pub columns: Vec<Part>,
    /// For how many rows of the source each stands, where that is counted.
    pub counts: Vec<Code>,
    pub rows: usize,
    bytes: usize,
    /// Why there are no codes.
    pub fault: Option<topdown::Error>,
}

/// What it has of a column.
#[derive(Default)]
pub struct Part {
    /// The values as they are, or where their bytes end.
    values: Vec<u64>,
    bytes: Vec<u8>,
    nulls: Vec<bool>,
    pub has_null: bool,
    pub codes: Vec<Code>,
    /// The greatest code so far.
    pub most: Code,
}

impl Chunk {
    /// How many rows of so many columns there are in one.
    pub fn rows(columns: usize) -> usize {
        (VALUES / columns.max(1)).clamp(1, ROWS)
    }

    /// How many bytes these take.
    pub fn bytes(columns: usize) -> usize {
        columns * Chunk::rows(columns) * BYTES_OF_VALUE
    }

    /// Of so many columns, without rows.
    pub fn new(columns: usize) -> Chunk {
        let columns = (0..columns).map(|_| Part::default()).collect();
        Chunk { columns, counts: Vec::new(), rows: 0, bytes: 0, fault: None }
    }

    /// Takes the values of a row, without the count.
    ///
    /// # Safety
    /// They are as many Datums as columns, of the types of which that many lengths are (none: by value), alive during the call.
    #[inline(always)]
    pub unsafe fn take(
        &mut self,
        lengths: &[Option<i16>],
        values: *const Datum,
        nulls: *const bool,
    ) -> Result<(), topdown::Error> {
        for (at, (part, length)) in self.columns.iter_mut().zip(lengths).enumerate() {
            // SAFETY: as many values as columns, as the caller promises.
            let (value, null) = unsafe { (*values.add(at), *nulls.add(at)) };
            part.nulls.push(null);
            part.has_null |= null;
            match length {
                None => part.values.push(if null { 0 } else { value.value() as u64 }),
                Some(length) => {
                    let before = part.bytes.len();
                    if !null {
                        // SAFETY: one of the column's type, which is by reference.
                        unsafe { append(&mut part.bytes, *length, value) }?;
                    }
                    part.values.push(part.bytes.len() as u64);
                    self.bytes += part.bytes.len() - before;
                }
            }
        }
        self.rows += 1;
        Ok(())
    }

    /// Whether it is to be coded before more rows come.
    pub fn is_full(&self) -> bool {
        self.rows >= Chunk::rows(self.columns.len()) || self.bytes >= BYTES
    }

    /// Has it be without rows again.
    pub fn clear(&mut self) {
        let is_large = self.bytes >= BYTES;
        for Part { values, bytes, nulls, has_null, codes, .. } in &mut self.columns {
            values.clear();
            bytes.clear();
            nulls.clear();
            codes.clear();
            *has_null = false;
            if is_large {
                *bytes = Vec::new();
            }
        }
        self.counts.clear();
        (self.rows, self.bytes) = (0, 0);
    }
}

impl Part {
    /// The values that are by value; none: NULL.
    pub fn values(&self) -> impl Iterator<Item = Option<u64>> + '_ {
        self.values.iter().zip(&self.nulls).map(|(&value, null)| (!null).then_some(value))
    }

    /// The bytes of values that are by reference; none: NULL.
    pub fn bytes(&self) -> impl Iterator<Item = Option<&[u8]>> {
        let mut start = 0;
        self.values.iter().zip(&self.nulls).map(move |(&end, null)| {
            let value = &self.bytes[start..end as usize];
            start = end as usize;
            (!null).then_some(value)
        })
    }
}

/// Appends the bytes of a value, detoasting only what needs it.
///
/// # Safety
/// `value` is a Datum of a type by reference of that length, alive during the call.
#[inline(always)]
unsafe fn append(bytes: &mut Vec<u8>, length: i16, value: Datum) -> Result<(), topdown::Error> {
    if length == -1 {
        // SAFETY: a varlena, as the caller promises.
        return unsafe { append_varlena(bytes, value) };
    }
    // SAFETY: a fixed-length type by reference is `length` bytes at the pointer, one of length -2 a terminated string.
    let value = unsafe {
        match usize::try_from(length) {
            Ok(length) => std::slice::from_raw_parts(value.cast_mut_ptr::<u8>(), length),
            Err(_) => CStr::from_ptr(value.cast_mut_ptr()).to_bytes_with_nul(),
        }
    };
    reserve(bytes, value.len())?;
    bytes.extend_from_slice(value);
    Ok(())
}

/// The same of a varlena's payload.
///
/// # Safety
/// `value` points to a varlena.
#[inline(always)]
unsafe fn append_varlena(bytes: &mut Vec<u8>, value: Datum) -> Result<(), topdown::Error> {
    let start = value.cast_mut_ptr::<u8>();
    // SAFETY: the first byte tells how long the header is; a short one (odd, but not 1, which
    // marks a toast pointer) is followed by at most 126 bytes of payload. Everything else goes
    // through PostgreSQL's detoasting, whose copy is freed when it is one.
    unsafe {
        let first = *start;
        if first & 1 == 1 && first != 1 {
            let payload = std::slice::from_raw_parts(start.add(1), usize::from(first >> 1) - 1);
            reserve(bytes, payload.len())?;
            bytes.extend_from_slice(payload);
            return Ok(());
        }
        let varlena = start.cast::<pg_sys::varlena>();
        let plain = pg_sys::pg_detoast_datum_packed(varlena);
        let payload = std::slice::from_raw_parts(
            pgrx::varlena::vardata_any(plain).cast::<u8>(),
            pgrx::varlena::varsize_any_exhdr(plain),
        );
        let appended = reserve(bytes, payload.len());
        if appended.is_ok() {
            bytes.extend_from_slice(payload);
        }
        if plain != varlena {
            pg_sys::pfree(plain.cast());
        }
        appended
    }
}
