//! Arguments and results that pgrx has no types for: `regclass`, `name`, and jsonb by its text.

use pgrx::callconv::{Arg, ArgAbi, BoxRet, FcInfo};
use pgrx::datum::{FromDatum, IntoDatum};
use pgrx::impl_sql_translatable;
use pgrx::pg_sys::{self, Datum, Oid};
use std::ffi::{CStr, CString};

/// A `regclass` argument: the relation is not opened.
#[derive(Debug, Clone, Copy)]
pub struct Regclass(pub Oid);
impl_sql_translatable!(Regclass, "regclass");

/// A `name`.
#[derive(Debug, Clone)]
pub struct Name(pub String);
impl_sql_translatable!(Name, "name");

impl FromDatum for Regclass {
    unsafe fn from_polymorphic_datum(datum: Datum, is_null: bool, _: Oid) -> Option<Self> {
        (!is_null).then(|| Regclass(Oid::from(datum.value() as u32)))
    }
}

// SAFETY: a regclass Datum is an Oid by value, which from_datum reads.
unsafe impl<'fcx> ArgAbi<'fcx> for Regclass {
    unsafe fn unbox_arg_unchecked(arg: Arg<'_, 'fcx>) -> Self {
        // SAFETY: as declared in SQL, the argument is a regclass; Option<Self> handles NULL.
        unsafe { arg.unbox_arg_using_from_datum().unwrap_or(Regclass(pg_sys::InvalidOid)) }
    }
}

impl FromDatum for Name {
    unsafe fn from_polymorphic_datum(datum: Datum, is_null: bool, _: Oid) -> Option<Self> {
        if is_null {
            return None;
        }
        // SAFETY: a name Datum points to NAMEDATALEN bytes that hold a terminated string.
        let name = unsafe { CStr::from_ptr(datum.cast_mut_ptr()) };
        Some(Name(name.to_string_lossy().into_owned()))
    }
}

// SAFETY: a name Datum is a pointer to a name, which from_datum reads.
unsafe impl<'fcx> ArgAbi<'fcx> for Name {
    unsafe fn unbox_arg_unchecked(arg: Arg<'_, 'fcx>) -> Self {
        // SAFETY: as declared in SQL, the argument is a name; Option<Self> handles NULL.
        unsafe { arg.unbox_arg_using_from_datum().unwrap_or(Name(String::new())) }
    }
}

impl IntoDatum for Name {
    fn into_datum(self) -> Option<Datum> {
        let text = CString::new(self.0).ok()?;
        // SAFETY: namein copies the string into a new name of NAMEDATALEN bytes.
        unsafe { pgrx::direct_function_call_as_datum(pg_sys::namein, &[Some(Datum::from(text.as_ptr()))]) }
    }
    fn type_oid() -> Oid {
        pg_sys::NAMEOID
    }
}

// SAFETY: into_datum returns a Datum of the declared type.
unsafe impl BoxRet for Name {
    unsafe fn box_into<'fcx>(self, fcinfo: &mut FcInfo<'fcx>) -> pgrx::datum::Datum<'fcx> {
        match self.into_datum() {
            // SAFETY: the Datum is a name in the current memory context, the caller's.
            Some(datum) => unsafe { fcinfo.return_raw_datum(datum) },
            None => fcinfo.return_null(),
        }
    }
}

/// A `jsonb` by its text: a number keeps its digits, and how deep it may nest is for whoever reads
/// it to say.
#[derive(Debug, Clone)]
pub struct JsonText(pub String);
impl_sql_translatable!(JsonText, "jsonb");

impl JsonText {
    /// The value, or what keeps it from being read.
    pub fn parse(&self) -> Result<serde_json::Value, String> {
        serde_json::from_str(&self.0).map_err(|fault| fault.to_string())
    }
}

impl FromDatum for JsonText {
    unsafe fn from_polymorphic_datum(datum: Datum, is_null: bool, _: Oid) -> Option<Self> {
        if is_null {
            return None;
        }
        // SAFETY: jsonb_out takes a jsonb, detoasted, and returns a terminated string.
        unsafe {
            let json = pg_sys::pg_detoast_datum(datum.cast_mut_ptr());
            let text: &CStr = pgrx::direct_function_call(pg_sys::jsonb_out, &[Some(Datum::from(json))])?;
            Some(JsonText(text.to_string_lossy().into_owned()))
        }
    }
}

// SAFETY: a jsonb Datum is a varlena, which from_datum reads.
unsafe impl<'fcx> ArgAbi<'fcx> for JsonText {
    unsafe fn unbox_arg_unchecked(arg: Arg<'_, 'fcx>) -> Self {
        // SAFETY: as declared in SQL, the argument is a jsonb; Option<Self> handles NULL.
        unsafe { arg.unbox_arg_using_from_datum().unwrap_or(JsonText("null".into())) }
    }
}

impl IntoDatum for JsonText {
    fn into_datum(self) -> Option<Datum> {
        let text = CString::new(self.0).ok()?;
        // SAFETY: jsonb_in copies what the string says into a new jsonb.
        unsafe { pgrx::direct_function_call_as_datum(pg_sys::jsonb_in, &[Some(Datum::from(text.as_ptr()))]) }
    }
    fn type_oid() -> Oid {
        pg_sys::JSONBOID
    }
}

// SAFETY: into_datum returns a Datum of the declared type.
unsafe impl BoxRet for JsonText {
    unsafe fn box_into<'fcx>(self, fcinfo: &mut FcInfo<'fcx>) -> pgrx::datum::Datum<'fcx> {
        match self.into_datum() {
            // SAFETY: the Datum is a jsonb in the current memory context, the caller's.
            Some(datum) => unsafe { fcinfo.return_raw_datum(datum) },
            None => fcinfo.return_null(),
        }
    }
}

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
        Some(crate::sql::qualified(&text(schema), &text(name)))
    }
}
