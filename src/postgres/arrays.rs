//! Arrays, as arguments and as a release keeps them. How many elements one has is looked at before it is read: a few megabytes may hold a
//! hundred million NULLs.

use super::allocator::{room, Budget};
use super::arguments::{must_fit, needed};
use super::error::{or_raise, utf8, Result, SqlError};
use super::progress::Ticker;
use super::settings;
use pgrx::array::RawArray;
use pgrx::callconv::{Arg, ArgAbi};
use pgrx::datum::{Array, FromDatum, IntoDatum, UnboxDatum};
use pgrx::pg_sys::{self, Datum, Oid};
use pgrx::pgrx_sql_entity_graph::metadata::{
    ArgumentError, ReturnsError, ReturnsRef, SqlMappingRef, SqlTranslatable, TypeOrigin,
};
use std::result::Result as Either;

/// An array argument.
pub struct Elements<T>(pub Vec<Option<T>>);

/// The most elements that an argument may have.
const MOST_ELEMENTS: usize = 1_000_000;

/// An array that a release keeps, of any length for which there is memory.
pub struct Stored<T>(pub Vec<Option<T>>);

/// An element that can be read from an array.
pub trait Element: 'static + for<'a> UnboxDatum<As<'a> = Self> {}

impl<T> Element for T where for<'a> T: 'static + UnboxDatum<As<'a> = T> {}

/// The elements of an array, if there are no more than so many, and memory for them.
///
/// # Safety
///
/// The Datum is an array of that type.
unsafe fn read<T: Element>(datum: Datum, oid: Oid, most: usize) -> Result<Vec<Option<T>>> {
    let _budget = Budget::begin(settings::max_memory());
    // SAFETY: as promised.
    unsafe {
        let array = pg_sys::pg_detoast_datum(datum.cast_mut_ptr());
        let count = RawArray::from_ptr(std::ptr::NonNull::new_unchecked(array.cast())).len();
        if count > most {
            return Err(SqlError::limit(format!("an array has {count} elements, of {most} at most")));
        }
        let bytes = pg_sys::toast_raw_datum_size(Datum::from(array));
        room(bytes + count * size_of::<Option<T>>())?;
        let (ticker, each) = (Ticker::default(), bytes / count.max(1));
        let read = Array::<T>::from_polymorphic_datum(Datum::from(array), false, oid);
        let read = read
            .map(|read| read.iter().inspect(|_| ticker.tick_bytes(each)).map(utf8).collect::<Result<_>>());
        if !std::ptr::addr_eq(array, datum.cast_mut_ptr::<pg_sys::varlena>()) {
            pg_sys::pfree(array.cast());
        }
        read.unwrap_or_else(|| Ok(Vec::new()))
    }
}

impl<T: Element> FromDatum for Elements<T> {
    unsafe fn from_polymorphic_datum(datum: Datum, is_null: bool, oid: Oid) -> Option<Self> {
        if is_null {
            return None;
        }
        // Arguments are read before anything else is done: an error where the reserves of memory cannot be had.
        or_raise(Ok(()));
        // SAFETY: as the caller promises.
        unsafe {
            or_raise(must_fit(pg_sys::toast_raw_datum_size(datum)));
            Some(Elements(or_raise(read(datum, oid, MOST_ELEMENTS))))
        }
    }
}

impl<T: Element> FromDatum for Stored<T> {
    unsafe fn from_polymorphic_datum(datum: Datum, is_null: bool, oid: Oid) -> Option<Self> {
        // SAFETY: as the caller promises.
        (!is_null).then(|| Stored(or_raise(unsafe { read(datum, oid, usize::MAX) })))
    }
}

/// Rows are asked for by a type that could be written, too.
impl<T: IntoDatum> IntoDatum for Stored<T> {
    fn into_datum(self) -> Option<Datum> {
        self.0.into_datum()
    }
    fn type_oid() -> Oid {
        Vec::<Option<T>>::type_oid()
    }
}

// SAFETY: declared in SQL as the array that it is read from.
unsafe impl<T: SqlTranslatable> SqlTranslatable for Elements<T> {
    const TYPE_IDENT: &'static str = Vec::<T>::TYPE_IDENT;
    const TYPE_ORIGIN: TypeOrigin = Vec::<T>::TYPE_ORIGIN;
    const ARGUMENT_SQL: Either<SqlMappingRef, ArgumentError> = Vec::<T>::ARGUMENT_SQL;
    const RETURN_SQL: Either<ReturnsRef, ReturnsError> = Vec::<T>::RETURN_SQL;
}

// SAFETY: as declared in SQL, the argument is of the type that from_datum reads.
unsafe impl<'fcx, T: Element> ArgAbi<'fcx> for Elements<T> {
    unsafe fn unbox_arg_unchecked(arg: Arg<'_, 'fcx>) -> Self {
        // SAFETY: as above; Option<Self> handles NULL.
        unsafe { arg.unbox_arg_using_from_datum().unwrap_or(Elements(Vec::new())) }
    }
}

/// The elements of an array argument, none of which may be NULL.
pub fn elements<T: 'static>(argument: &str, array: Option<Elements<T>>) -> Result<Vec<T>> {
    needed(argument, array)?
        .0
        .into_iter()
        .collect::<Option<Vec<T>>>()
        .ok_or_else(|| SqlError::parameter(format!("argument \"{argument}\" must not contain nulls")))
}
