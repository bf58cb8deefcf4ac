//! Heap tuples as PostgreSQL lays them out, formed of values whose bytes are known beforehand.
//!
//! PostgreSQL forms a tuple of Datums: it goes over them twice, asks of each what its type is like, and allocates. A
//! release is made of few values, each in many rows: what a value is stored as is looked up once ([`Layout::stored`]),
//! and a row is a copy of some bytes. That is plain memory, which any thread may write; what belongs to the
//! transaction is filled in by whoever inserts the tuple.

use pgrx::pg_sys::{self, Datum};
use std::mem::{offset_of, size_of};

/// How the values of a column are laid out.
#[derive(Debug)]
struct Attribute {
    length: i16,
    by_value: bool,
    align: usize,
    /// Whether short values have a short header.
    packs: bool,
}

/// How the rows of a table are laid out.
#[derive(Debug)]
pub struct Layout(Vec<Attribute>);

/// A value as it is stored.
#[derive(Debug, Clone, Copy)]
pub enum Stored<'a> {
    Null,
    /// Passed by value: its bytes, and how many they are.
    Inline([u8; size_of::<u64>()], usize),
    /// With a header of one byte, which is not among the bytes.
    Short(&'a [u8]),
    /// These bytes.
    Whole(&'a [u8]),
}

impl Layout {
    /// The layout of a table's rows.
    pub fn new(description: &pgrx::PgTupleDesc) -> Layout {
        let attribute = |column: &pg_sys::FormData_pg_attribute| Attribute {
            length: column.attlen,
            by_value: column.attbyval,
            align: match column.attalign as u8 {
                pg_sys::TYPALIGN_SHORT => size_of::<i16>(),
                pg_sys::TYPALIGN_INT => size_of::<i32>(),
                pg_sys::TYPALIGN_DOUBLE => size_of::<f64>(),
                _ => 1,
            },
            packs: column.attstorage as u8 != pg_sys::TYPSTORAGE_PLAIN,
        };
        Layout(description.iter().map(attribute).collect())
    }

    /// How a value of a column is stored.
    ///
    /// # Safety
    /// The value is of the column's type, and is not changed as long as what is returned lives.
    pub unsafe fn stored<'a>(&self, column: usize, value: Option<Datum>) -> Stored<'a> {
        let Some(value) = value else { return Stored::Null };
        let Attribute { length, by_value, packs, .. } = self.0[column];
        if by_value {
            let mut bytes = [0; size_of::<u64>()];
            let length = length as usize;
            let all = value.value() as u64;
            match length {
                1 => bytes[..1].copy_from_slice(&(all as u8).to_ne_bytes()),
                2 => bytes[..2].copy_from_slice(&(all as u16).to_ne_bytes()),
                4 => bytes[..4].copy_from_slice(&(all as u32).to_ne_bytes()),
                _ => bytes = all.to_ne_bytes(),
            }
            return Stored::Inline(bytes, length);
        }
        // SAFETY: passed by reference; the type's length says how its size is found. A varlena that lies
        // elsewhere, or is compressed, is fetched into memory of the statement's.
        unsafe {
            let start: *const u8 = value.cast_mut_ptr();
            match length {
                -1 => {
                    let whole = pg_sys::pg_detoast_datum_packed(start as *mut pg_sys::varlena);
                    let size = pgrx::varsize_any(whole);
                    let data = pgrx::vardata_any(whole).cast::<u8>();
                    let data = std::slice::from_raw_parts(data, pgrx::varsize_any_exhdr(whole));
                    let is_short = data.len() + 1 == size;
                    match is_short || packs && data.len() < SHORT {
                        true => Stored::Short(data),
                        false => Stored::Whole(std::slice::from_raw_parts(whole.cast(), size)),
                    }
                }
                -2 => Stored::Whole(std::ffi::CStr::from_ptr(start.cast()).to_bytes_with_nul()),
                length => Stored::Whole(std::slice::from_raw_parts(start, length as usize)),
            }
        }
    }
}

/// A varlena with a header of one byte has fewer bytes than this beside it: its size is in seven bits.
const SHORT: usize = 0x7F;

/// The header of a varlena with so many bytes beside it.
const fn short_header(bytes: usize) -> u8 {
    match cfg!(target_endian = "little") {
        true => ((bytes as u8 + 1) << 1) | 1,
        false => (bytes as u8 + 1) | 0x80,
    }
}

/// Tuples, one behind the other.
#[derive(Debug, Default)]
pub struct Tuples {
    /// Zero but where there is a tuple. (Of words, because a tuple begins at a multiple of eight bytes.)
    words: Vec<u64>,
    /// Where each begins and ends, in bytes.
    places: Vec<(usize, usize)>,
}

/// Where a tuple, and what is in it, begins.
const ALIGN: usize = size_of::<u64>();

impl Tuples {
    /// Forgets them; the memory stays.
    pub fn clear(&mut self) {
        let used = self.bytes().div_ceil(ALIGN);
        self.words[..used].fill(0);
        self.places.clear();
    }

    /// Forms a row.
    pub fn push(&mut self, layout: &Layout, row: &[Stored]) {
        let start = self.bytes().next_multiple_of(ALIGN);
        let fixed = offset_of!(pg_sys::HeapTupleHeaderData, t_bits);
        let has_nulls = row.iter().any(|value| matches!(value, Stored::Null));
        let bitmap = if has_nulls { row.len().div_ceil(8) } else { 0 };
        let header = (fixed + bitmap).next_multiple_of(ALIGN);
        let most = |value: &Stored| ALIGN + value.bytes().len();
        let room = (start + header + row.iter().map(most).sum::<usize>()).div_ceil(ALIGN);
        if self.words.len() < room {
            self.words.resize(room.next_power_of_two(), 0);
        }
        let tuple = &mut bytes_of(&mut self.words)[start..];
        let mut flags = 0;
        let mut at = header;
        for (number, (value, column)) in row.iter().zip(&layout.0).enumerate() {
            if has_nulls && !matches!(value, Stored::Null) {
                tuple[fixed + number / 8] |= 1 << (number % 8);
            }
            match value {
                Stored::Null => {
                    flags |= pg_sys::HEAP_HASNULL;
                    continue;
                }
                Stored::Short(data) => {
                    tuple[at] = short_header(data.len());
                    at += 1;
                }
                Stored::Inline(..) | Stored::Whole(_) => at = at.next_multiple_of(column.align),
            }
            if column.length < 0 {
                flags |= pg_sys::HEAP_HASVARWIDTH;
            }
            let bytes = value.bytes();
            tuple[at..at + bytes.len()].copy_from_slice(bytes);
            at += bytes.len();
        }
        let mut put = |at: usize, bytes: &[u8]| tuple[at..at + bytes.len()].copy_from_slice(bytes);
        put(offset_of!(pg_sys::HeapTupleHeaderData, t_infomask), &(flags as u16).to_ne_bytes());
        put(offset_of!(pg_sys::HeapTupleHeaderData, t_infomask2), &(row.len() as u16).to_ne_bytes());
        put(offset_of!(pg_sys::HeapTupleHeaderData, t_hoff), &[header as u8]);
        self.places.push((start, start + at));
    }

    /// How many bytes they take.
    pub fn bytes(&self) -> usize {
        self.places.last().map_or(0, |&(_, end)| end)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Each tuple's bytes.
    pub fn each(&mut self) -> impl Iterator<Item = (*mut pg_sys::HeapTupleHeaderData, usize)> + '_ {
        let bytes = bytes_of(&mut self.words);
        self.places.iter().map(|&(start, end)| (bytes[start..end].as_mut_ptr().cast(), end - start))
    }
}

impl Stored<'_> {
    fn bytes(&self) -> &[u8] {
        match self {
            Stored::Null => &[],
            Stored::Inline(bytes, length) => &bytes[..*length],
            Stored::Short(bytes) | Stored::Whole(bytes) => bytes,
        }
    }
}

fn bytes_of(words: &mut [u64]) -> &mut [u8] {
    // SAFETY: any word is eight bytes, and any eight bytes are a word.
    unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), size_of_val(words)) }
}
