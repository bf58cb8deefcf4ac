//! Values of our own types, as PostgreSQL shows and as it stores them: JSON. A value may be a taxonomy of a million leaves, so it is
//! read and written with a poll now and then.

use super::allocator::{self, Budget};
use super::error::{or_raise, Result, SqlError};
use super::progress::Ticker;
use super::settings;
use pgrx::pg_sys::{self, Datum, Oid};
use pgrx::{set_varsize_4b, varlena_to_byte_slice, StringInfo};
use serde::de::DeserializeOwned;
use serde::Serialize;
use std::ffi::CString;
use std::io::{Read, Write};

/// A function in C, as PostgreSQL calls it.
pub type Function = unsafe extern "C-unwind" fn(pg_sys::FunctionCallInfo) -> Datum;

/// Bytes that are read or written, with polls.
struct Polled<T>(T, Ticker);

impl<T> Polled<T> {
    fn new(bytes: T) -> Polled<T> {
        Polled(bytes, Ticker::default())
    }
}

impl<T: Read> Read for Polled<T> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.1.tick(1);
        self.0.read(buffer)
    }
}

impl<T: Write> Write for Polled<T> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.1.tick(1);
        self.0.write(bytes)
    }
    fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush()
    }
}

/// A value from JSON, or what keeps it from being read. That there is no room for it is an error of its own.
pub fn from_json<T: DeserializeOwned>(text: &[u8]) -> std::result::Result<T, String> {
    let _budget = budget(text);
    or_raise(room_for(text));
    read(text)
}

fn read<T: DeserializeOwned>(text: &[u8]) -> std::result::Result<T, String> {
    serde_json::from_reader(Polled::new(text)).map_err(|fault| fault.to_string())
}

/// Whether there is room for what a JSON text says.
pub fn room_for(text: &[u8]) -> Result<()> {
    let _budget = budget(text);
    Ok(allocator::room(read_takes(text))?)
}

/// Values are made and read outside of any verb, too.
fn budget(text: &[u8]) -> Option<Budget> {
    (text.len() > LARGE).then(|| Budget::begin(settings::max_memory()))
}

/// A text of so many bytes may say what takes more than `pg_topdown.max_memory`.
const LARGE: usize = 1 << 16;

/// How many bytes what a JSON text says takes when it is read, at most: an object of one key is larger than its text by far.
fn read_takes(text: &[u8]) -> usize {
    let ticker = Ticker::default();
    let stretches = text.chunks(LARGE).inspect(|stretch| ticker.tick_bytes(stretch.len()));
    let of_byte = |byte: &u8| match byte {
        b'{' => 650,
        b':' => 200,
        b',' | b'[' => 64,
        _ => 1,
    };
    stretches.flatten().map(of_byte).sum()
}

/// Appends a value as JSON.
pub fn push_json(value: &impl Serialize, buffer: &mut StringInfo) -> Result<()> {
    serde_json::to_writer(Polled::new(buffer), value).map_err(|fault| SqlError::internal(fault.to_string()))
}

/// A value as it is stored.
pub fn to_datum(value: &impl Serialize) -> Result<Datum> {
    let mut buffer = StringInfo::new();
    buffer.push_bytes(&[0; pg_sys::VARHDRSZ]);
    push_json(value, &mut buffer)?;
    let size = buffer.len();
    let stored: *mut pg_sys::varlena = buffer.into_char_ptr().cast_mut().cast();
    // SAFETY: a buffer of so many bytes that begins with room for the header; PostgreSQL allocates no larger one.
    unsafe { set_varsize_4b(stored, size as i32) };
    Ok(stored.into())
}

/// A value that is stored.
///
/// # Safety
///
/// The Datum points to a varlena.
pub unsafe fn of_datum<T: DeserializeOwned>(datum: Datum, name: &str) -> Result<T> {
    // Arguments are read before anything else is done.
    allocator::prepare()?;
    // SAFETY: as promised; what is detoasted lives as long as the memory context that it was made in.
    let bytes = unsafe { varlena_to_byte_slice(pg_sys::pg_detoast_datum_packed(datum.cast_mut_ptr())) };
    let _budget = budget(bytes);
    read(bytes).map_err(|fault| {
        SqlError::binary_representation(format!("a value of type {name} cannot be read"))
            .detail(fault)
            .hint("What a newer version of pg_topdown wrote, that version can read.")
    })
}

/// Our type of a name: the base type that `input`, a function of this library, reads. Only a superuser makes base types and
/// functions in C. A name and a place in the extension prove nothing: the owner of the extension, who need not be a superuser,
/// adds types to it, and the values of another type lie in memory in another way.
pub fn own_type(name: &str, input: Function) -> Oid {
    let key = CString::new(name).expect("names have no zero byte");
    let none = Datum::from(0);
    // SAFETY: the name lives through the call. The list is PostgreSQL's own, of rows of pg_type, and is released before
    // anything else is done; an error releases it, too.
    let base_types: Vec<(Oid, Oid)> = unsafe {
        let cache = pg_sys::SysCacheIdentifier::TYPENAMENSP as i32;
        let list = pg_sys::SearchSysCacheList(cache, 1, Datum::from(key.as_ptr()), none, none);
        let members = (*list).members.as_slice((*list).n_members as usize);
        let row = |&member: &*mut pg_sys::catctup| {
            let row: *mut pg_sys::FormData_pg_type = pg_sys::GETSTRUCT(&mut (*member).tuple).cast();
            &*row
        };
        let is_base = |row: &&pg_sys::FormData_pg_type| row.typtype as u8 == pg_sys::TYPTYPE_BASE;
        let found = members.iter().map(row).filter(is_base).map(|row| (row.oid, row.typinput)).collect();
        pg_sys::ReleaseCatCacheList(list);
        found
    };
    let is_read_by_us = |read_by: Oid| {
        let mut function = pg_sys::FmgrInfo::default();
        // SAFETY: the input function of a type, looked up in the current memory context.
        unsafe { pg_sys::fmgr_info(read_by, &mut function) };
        function.fn_addr.is_some_and(|address| address as usize == input as usize)
    };
    let found = base_types.into_iter().find(|&(_, read_by)| is_read_by_us(read_by));
    found
        .map(|(oid, _)| oid)
        .unwrap_or_else(|| SqlError::internal(format!("the extension has no type {name}")).raise())
}

/// Has PostgreSQL store a type of ours, which a function of this library reads.
macro_rules! stored {
    ($ours:ident, $input:ident) => {
        impl pgrx::IntoDatum for $ours {
            fn into_datum(self) -> Option<pgrx::pg_sys::Datum> {
                Some($crate::postgres::error::or_raise($crate::postgres::stored::to_datum(&self)))
            }
            fn type_oid() -> pgrx::pg_sys::Oid {
                $crate::postgres::stored::own_type(stringify!($ours), $input)
            }
        }

        impl pgrx::FromDatum for $ours {
            unsafe fn from_polymorphic_datum(
                datum: pgrx::pg_sys::Datum,
                is_null: bool,
                _: pgrx::pg_sys::Oid,
            ) -> Option<Self> {
                // SAFETY: a value of the type, which is a varlena.
                let value = || unsafe { $crate::postgres::stored::of_datum(datum, stringify!($ours)) };
                (!is_null).then(|| $crate::postgres::error::or_raise(value()))
            }
        }

        // SAFETY: a value of the type, which is not NULL.
        unsafe impl pgrx::datum::UnboxDatum for $ours {
            type As<'dat> = Self;
            unsafe fn unbox<'dat>(datum: pgrx::datum::Datum<'dat>) -> Self
            where
                Self: 'dat,
            {
                let value = $crate::postgres::stored::of_datum(datum.sans_lifetime(), stringify!($ours));
                $crate::postgres::error::or_raise(value)
            }
        }

        // SAFETY: as declared in SQL, the argument is of the type that from_datum reads.
        unsafe impl<'fcx> pgrx::callconv::ArgAbi<'fcx> for $ours {
            unsafe fn unbox_arg_unchecked(arg: pgrx::callconv::Arg<'_, 'fcx>) -> Self {
                let index = arg.index();
                // SAFETY: as above; NULL is an Option's to take.
                unsafe { arg.unbox_arg_using_from_datum() }
                    .unwrap_or_else(|| panic!("argument {index} must not be null"))
            }
        }

        // SAFETY: into_datum returns a Datum of the declared type.
        unsafe impl pgrx::callconv::BoxRet for $ours {
            unsafe fn box_into<'fcx>(
                self,
                fcinfo: &mut pgrx::callconv::FcInfo<'fcx>,
            ) -> pgrx::datum::Datum<'fcx> {
                match pgrx::IntoDatum::into_datum(self) {
                    // SAFETY: as above.
                    Some(datum) => unsafe { fcinfo.return_raw_datum(datum) },
                    None => fcinfo.return_null(),
                }
            }
        }
    };
}
pub(crate) use stored;
