//! Arguments and results that pgrx has no types for: `regclass`, `name`, a text that is checked, and jsonb by its text.

use super::error::{or_raise, utf8, SqlError};
use super::json::JsonText;
use super::sql;
use pgrx::callconv::{Arg, ArgAbi, BoxRet, FcInfo};
use pgrx::datum::{FromDatum, IntoDatum};
use pgrx::impl_sql_translatable;
use pgrx::pg_sys::{self, Datum, Oid};
use std::ffi::{CStr, CString};

/// A `regclass` argument: the relation is not opened.
#[derive(Debug, Clone, Copy, Default)]
pub struct Regclass(pub Oid);

/// A `name`.
#[derive(Debug, Clone)]
pub struct Name(pub String);

impl FromDatum for Regclass {
    unsafe fn from_polymorphic_datum(datum: Datum, is_null: bool, _: Oid) -> Option<Self> {
        (!is_null).then(|| Regclass(Oid::from(datum.value() as u32)))
    }
}

impl FromDatum for Name {
    unsafe fn from_polymorphic_datum(datum: Datum, is_null: bool, _: Oid) -> Option<Self> {
        if is_null {
            return None;
        }
        // SAFETY: a name Datum points to NAMEDATALEN bytes that hold a terminated string.
        let name = unsafe { CStr::from_ptr(datum.cast_mut_ptr()) };
        Some(Name(or_raise(name.to_str().map_err(|_| SqlError::not_utf8())).to_string()))
    }
}

/// A `name` in a catalog, which may be anybody's. Of bytes that are not UTF8 marks are left.
#[derive(Debug, Clone)]
pub struct AnyName(pub String);

impl FromDatum for AnyName {
    unsafe fn from_polymorphic_datum(datum: Datum, is_null: bool, _: Oid) -> Option<Self> {
        // SAFETY: as for a name.
        (!is_null)
            .then(|| AnyName(unsafe { CStr::from_ptr(datum.cast_mut_ptr()) }.to_string_lossy().into_owned()))
    }
}

/// A text of UTF-8; what else PostgreSQL passes as one is an error.
#[derive(Debug, Clone)]
pub struct Text(pub String);

impl FromDatum for Text {
    unsafe fn from_polymorphic_datum(datum: Datum, is_null: bool, oid: Oid) -> Option<Self> {
        // SAFETY: as the caller promises, a text.
        let text = unsafe { String::from_polymorphic_datum(datum, is_null, oid) };
        or_raise(utf8(text)).map(Text)
    }
}

/// What an argument says, if it says anything.
pub fn text(argument: Option<Text>) -> Option<String> {
    argument.map(|text| text.0)
}

/// A type of ours as an argument that is declared as a type of PostgreSQL's.
macro_rules! argument {
    ($ours:ty, $sql:literal, $of_null:expr) => {
        impl_sql_translatable!($ours, $sql);

        // SAFETY: as declared in SQL, the argument is of the type that from_datum reads.
        unsafe impl<'fcx> ArgAbi<'fcx> for $ours {
            unsafe fn unbox_arg_unchecked(arg: Arg<'_, 'fcx>) -> Self {
                // SAFETY: as above; Option<Self> handles NULL.
                unsafe { arg.unbox_arg_using_from_datum().unwrap_or($of_null) }
            }
        }
    };
}

argument!(Regclass, "regclass", Regclass(pg_sys::InvalidOid));
argument!(Name, "name", Name(String::new()));
argument!(Text, "TEXT", Text(String::new()));
argument!(JsonText, "jsonb", JsonText("null".into()));

/// A type of ours as a result: a value that the input function of PostgreSQL's type makes of its text.
macro_rules! result {
    ($ours:ty, $oid:expr, $input:path) => {
        impl IntoDatum for $ours {
            fn into_datum(self) -> Option<Datum> {
                let text = CString::new(self.0).ok()?;
                // SAFETY: the input function copies what the terminated string says into a new value.
                unsafe { pgrx::direct_function_call_as_datum($input, &[Some(Datum::from(text.as_ptr()))]) }
            }
            fn type_oid() -> Oid {
                $oid
            }
        }

        // SAFETY: into_datum returns a Datum of the declared type.
        unsafe impl BoxRet for $ours {
            unsafe fn box_into<'fcx>(self, fcinfo: &mut FcInfo<'fcx>) -> pgrx::datum::Datum<'fcx> {
                match self.into_datum() {
                    // SAFETY: the Datum is in the current memory context, the caller's.
                    Some(datum) => unsafe { fcinfo.return_raw_datum(datum) },
                    None => fcinfo.return_null(),
                }
            }
        }
    };
}

result!(Name, pg_sys::NAMEOID, pg_sys::namein);
result!(AnyName, pg_sys::NAMEOID, pg_sys::namein);
result!(JsonText, pg_sys::JSONBOID, pg_sys::jsonb_in);

/// The qualified, quoted name of a relation.
pub fn relation_name(relation: Regclass) -> Option<String> {
    // SAFETY: the lookups return NULL or a palloc'd string for any Oid.
    unsafe {
        let name = pg_sys::get_rel_name(relation.0);
        if name.is_null() {
            return None;
        }
        let schema = pg_sys::get_namespace_name(pg_sys::get_rel_namespace(relation.0));
        if schema.is_null() {
            return None;
        }
        let text = |s: *mut std::ffi::c_char| CStr::from_ptr(s).to_string_lossy().into_owned();
        Some(sql::qualified(&text(schema), &text(name)))
    }
}
