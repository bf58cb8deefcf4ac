//! Datums of any type: their identity as bytes, text form, order and place on a line.
//!
//! A source has columns of any type, known at run time only: so Datums are handled without pgrx's types. What
//! one points to is read here, in line.rs and endpoint.rs, by the scan and by the heap; elsewhere it is handed on.

use super::error::{utf8, Result, SqlError};
use super::progress::{poll, polled};
use super::sql;
use super::subtransaction::answer;
use hashbrown::HashSet;
use pgrx::datum::{DatumWithOid, FromDatum, IntoDatum};
use pgrx::pg_sys::{self, Datum, Oid};
use std::cell::Cell;
use std::cmp::Ordering;
use std::ffi::{CStr, CString};

/// How Datums of a type are handled; a domain is its base type.
#[derive(Debug, Clone, Copy)]
pub struct Type {
    /// The base type.
    pub oid: Oid,
    /// Bytes of a value; -1 for a varlena, -2 for a terminated string.
    pub length: i16,
    /// Whether the Datum is the value.
    pub by_value: bool,
    collation: Oid,
    output: Oid,
    /// The function behind the cast to text, where it and the type are PostgreSQL's own and it takes the
    /// value alone; else a value's text is what the output function gives. A cast that somebody made for a
    /// type of theirs would run with the rights of whoever has the type's values labelled.
    to_text: Option<Oid>,
}

/// A type whose values hold several others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Composed {
    Json,
    Xml,
    Hstore,
    Array,
    /// A composite type.
    Row,
    /// A tsvector: the words of a text.
    Words,
}

/// A value of up to as many bytes, its header included, stays in its row as it is: MAXALIGN(TOAST_POINTER_SIZE).
const STAYS: usize = 24;

/// No compressed value takes less.
const COMPRESSED: usize = 12;

/// Objects below this OID are PostgreSQL's own, made by initdb (FirstUnpinnedObjectId).
const BUILT_IN: u32 = 12000;

/// Whether an object came with PostgreSQL.
pub fn is_built_in(oid: Oid) -> bool {
    oid.to_u32() < BUILT_IN
}

/// The base type of a type that may be a domain, and how DDL writes it with its modifier.
pub fn base_type(oid: Oid, modifier: i32) -> (Oid, String) {
    let mut modifier = modifier;
    // SAFETY: catalog lookups on the type of an existing column; returns a palloc'd string for any type.
    unsafe {
        let base = pg_sys::getBaseTypeAndTypmod(oid, &mut modifier);
        let name = CStr::from_ptr(pg_sys::format_type_with_typemod(base, modifier));
        (base, name.to_string_lossy().into_owned())
    }
}

impl Type {
    /// The type `oid`; comparisons use `collation`.
    pub fn new(oid: Oid, collation: Oid) -> Type {
        let (mut length, mut by_value, mut align) = (0, false, 0);
        let (mut output, mut is_varlena) = (pg_sys::InvalidOid, false);
        let mut cast = pg_sys::InvalidOid;
        // SAFETY: catalog lookups on the type of an existing column, into locals.
        unsafe {
            let base = pg_sys::getBaseType(oid);
            pg_sys::get_typlenbyvalalign(base, &mut length, &mut by_value, &mut align);
            pg_sys::getTypeOutputInfo(base, &mut output, &mut is_varlena);
            let explicit = pg_sys::CoercionContext::COERCION_EXPLICIT;
            let path = pg_sys::find_coercion_pathway(pg_sys::TEXTOID, base, explicit, &mut cast);
            let to_text = path == pg_sys::CoercionPathType::COERCION_PATH_FUNC
                && is_built_in(base)
                && is_built_in(cast)
                && pg_sys::get_func_nargs(cast) == 1;
            Type { oid: base, length, by_value, collation, output, to_text: to_text.then_some(cast) }
        }
    }

    /// The same type, its texts compared byte by byte.
    pub fn with_c_collation(self) -> Type {
        let collated = self.collation != pg_sys::InvalidOid;
        Type { collation: if collated { pg_sys::C_COLLATION_OID } else { self.collation }, ..self }
    }

    /// The Datum whose identity is `bytes`; what it points to is allocated in the current memory
    /// context.
    pub fn datum(&self, bytes: &[u8]) -> Datum {
        if self.by_value {
            let mut value = [0; 8];
            value.copy_from_slice(bytes);
            return Datum::from(u64::from_ne_bytes(value));
        }
        // Of the other lengths, the bytes are the whole value.
        let header = if self.length == -1 { pg_sys::VARHDRSZ } else { 0 };
        let size = header + bytes.len();
        // SAFETY: palloc returns `size` writable, maximally aligned bytes; a varlena's header is
        // set before its payload is copied behind it.
        unsafe {
            let start = pg_sys::palloc(size).cast::<u8>();
            if self.length == -1 {
                pgrx::set_varsize_4b(start.cast(), size as i32);
            }
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), start.add(header), bytes.len());
            Datum::from(start)
        }
    }

    /// How many bytes a value takes.
    pub fn size(&self, value: Datum) -> usize {
        // SAFETY: a Datum of the type, whose length says how its size is found.
        unsafe {
            match self.length {
                -1 => pgrx::varsize_any(value.cast_mut_ptr()),
                -2 => CStr::from_ptr(value.cast_mut_ptr()).count_bytes() + 1,
                length => length as usize,
            }
        }
    }

    /// The least that a value of so many bytes takes in a row that is short of room.
    pub fn least_on_page(&self, bytes: usize) -> usize {
        match usize::try_from(self.length) {
            Ok(length) => length,
            // With a header of a byte; from here on it may be compressed, or lie elsewhere.
            Err(_) if bytes < STAYS => bytes + 1,
            Err(_) => COMPRESSED,
        }
    }

    /// The most that [`Type::least_on_page`] is.
    pub fn most_on_page(&self) -> usize {
        usize::try_from(self.length).unwrap_or(STAYS)
    }

    /// The value's text form, its label: what a cast to text gives, unless the cast is somebody's.
    pub fn text(&self, value: Datum) -> String {
        let Some(to_text) = self.to_text else { return self.output(value) };
        poll();
        // SAFETY: to_text is the cast function from this type to text, and takes one argument.
        unsafe {
            let text = pg_sys::OidFunctionCall1Coll(to_text, self.collation, value);
            let text = String::from_datum(text, false).expect("a cast to text gives a text");
            utf8(text).unwrap_or_else(|fault| fault.raise())
        }
    }

    /// An SQL expression for what [`Type::text`] gives of another's value; no cast of somebody's is
    /// called by it either.
    pub fn sql_text(&self, expression: &str) -> String {
        if self.to_text.is_some() || is_built_in(self.oid) {
            format!("({expression})::pg_catalog.text")
        } else {
            // Not IS NULL, which is also true of a row of NULLs.
            format!(
                "CASE WHEN pg_catalog.num_nulls({expression}) = 0 THEN pg_catalog.format('%s', {expression}) END"
            )
        }
    }

    /// The value that is shown by a text; none for NULL.
    pub fn value_of(&self, text: Option<&str>) -> Result<Option<Datum>> {
        let value = |text| {
            self.parse(text).map_err(|fault| SqlError::internal("a value cannot be shown").detail(fault))
        };
        text.map(value).transpose()
    }

    /// Whether values are texts.
    pub fn is_text(&self) -> bool {
        [pg_sys::TEXTOID, pg_sys::VARCHAROID, pg_sys::BPCHAROID].contains(&self.oid)
    }

    /// What the type's output function gives; differs from [`Type::text`] for bool, inet and char(n).
    pub fn output(&self, value: Datum) -> String {
        poll();
        // SAFETY: output is the type's output function and value a Datum of the type; the result
        // is a palloc'd string.
        unsafe {
            let text = pg_sys::OidOutputFunctionCall(self.output, value);
            let owned = CStr::from_ptr(text).to_string_lossy().into_owned();
            pg_sys::pfree(text.cast());
            owned
        }
    }

    /// A value from its text form, or the type's own complaint.
    pub fn parse(&self, text: &str) -> std::result::Result<Datum, String> {
        self.parse_all([text]).map(|values| values[0]).map_err(|(_, complaint)| complaint)
    }

    /// Values from their text forms, or which of them the type complains of, and how.
    pub fn parse_all<'t>(
        &self,
        texts: impl IntoIterator<Item = &'t str>,
    ) -> std::result::Result<Vec<Datum>, (usize, String)> {
        if !self.is_readable() {
            return Err((
                0,
                format!("reading a value of type {} would run a check of somebody's", self.name()),
            ));
        }
        let at = Cell::new(0);
        let (mut input, mut io_param) = (pg_sys::InvalidOid, pg_sys::InvalidOid);
        let read = answer(|| {
            // SAFETY: a catalog look-up on the type, into locals.
            unsafe { pg_sys::getTypeInputInfo(self.oid, &mut input, &mut io_param) };
            let value = |(i, text): (usize, &str)| {
                at.set(i);
                let text = CString::new(text).map_err(|_| SqlError::text_representation("a zero byte"))?;
                // SAFETY: the type's own input function on a terminated string that outlives the call.
                Ok(unsafe { pg_sys::OidInputFunctionCall(input, text.as_ptr().cast_mut(), io_param, -1) })
            };
            polled(texts).enumerate().map(value).collect()
        });
        read.map_err(|error| (at.get(), error.message().to_string()))
    }

    /// Whether the input function runs no code but that of types that superusers made: not where a
    /// domain lies within, whose checks are anybody's.
    pub fn is_readable(&self) -> bool {
        // Each type once, however often and however deep it is used.
        let (mut seen, mut open) = (HashSet::<Oid>::new(), vec![self.oid]);
        while let Some(oid) = open.pop() {
            poll();
            // SAFETY: catalog look-ups on an existing type; the row type's description is released.
            let within = unsafe {
                let element = pg_sys::get_element_type(oid);
                match pg_sys::get_typtype(oid) as u8 {
                    _ if element != pg_sys::InvalidOid => vec![element],
                    _ if is_built_in(oid) => vec![],
                    pg_sys::TYPTYPE_ENUM | pg_sys::TYPTYPE_BASE => vec![],
                    pg_sys::TYPTYPE_RANGE => vec![pg_sys::get_range_subtype(oid)],
                    pg_sys::TYPTYPE_MULTIRANGE => vec![pg_sys::get_multirange_range(oid)],
                    pg_sys::TYPTYPE_COMPOSITE => {
                        let Some(row) = pgrx::PgTupleDesc::for_composite_type_by_oid(oid) else {
                            return false;
                        };
                        row.iter().filter(|a| !a.attisdropped).map(|a| a.atttypid).collect()
                    }
                    _ => return false,
                }
            };
            open.extend(within.into_iter().filter(|&oid| seen.insert(oid)));
        }
        true
    }

    /// Returns how values of the type are composed of others; none if they are not.
    pub fn composed(&self) -> Option<Composed> {
        match self.oid {
            pg_sys::JSONOID | pg_sys::JSONBOID => return Some(Composed::Json),
            pg_sys::XMLOID => return Some(Composed::Xml),
            pg_sys::TSVECTOROID => return Some(Composed::Words),
            _ => {}
        }
        // SAFETY: catalog look-ups on an existing type.
        let (element, kind) =
            unsafe { (pg_sys::get_element_type(self.oid), pg_sys::get_typtype(self.oid) as u8) };
        if element != pg_sys::InvalidOid {
            Some(Composed::Array)
        } else if kind == pg_sys::TYPTYPE_COMPOSITE {
            Some(Composed::Row)
        } else {
            self.is_called("hstore").then_some(Composed::Hstore)
        }
    }

    /// Whether the type has this name, in whatever schema. Anybody may give it to a type: only advice may rest on it.
    pub fn is_called(&self, name: &str) -> bool {
        !is_built_in(self.oid) && self.name().rsplit('.').next() == Some(name)
    }

    /// Whether OIDs that another database has otherwise lie in its values: enums and rows that somebody defined, and arrays and
    /// ranges of somebody's types.
    pub fn holds_oids(&self) -> bool {
        // SAFETY: catalog look-ups on an existing type.
        let (element, kind) =
            unsafe { (pg_sys::get_element_type(self.oid), pg_sys::get_typtype(self.oid) as u8) };
        !is_built_in(self.oid) && (element != pg_sys::InvalidOid || kind != pg_sys::TYPTYPE_BASE)
    }

    /// The type of arrays of this one; none for an array.
    pub fn array(&self) -> Option<Oid> {
        // SAFETY: a catalog look-up.
        Some(unsafe { pg_sys::get_array_type(self.oid) }).filter(|&oid| oid != pg_sys::InvalidOid)
    }

    /// Parameters of a statement that hold some values of this type: an array of them, or each alone where
    /// there are no such arrays.
    pub fn parameters(&self, values: &[Datum]) -> Vec<DatumWithOid<'static>> {
        let (mut length, mut by_value, mut align) = (0, false, 0);
        let (mut values, count) = (values.to_vec(), values.len() as i32);
        // SAFETY: Datums of the type they are said to be, and how it is stored; the array is a copy, and
        // all live in the current memory context, which outlives the statement.
        unsafe {
            let Some(array) = self.array() else {
                return values.into_iter().map(|value| DatumWithOid::new(value, self.oid)).collect();
            };
            pg_sys::get_typlenbyvalalign(self.oid, &mut length, &mut by_value, &mut align);
            let made =
                pg_sys::construct_array(values.as_mut_ptr(), count, self.oid, length.into(), by_value, align);
            vec![DatumWithOid::new(Datum::from(made), array)]
        }
    }

    /// The parameter of a statement that holds a value of this type, if there is one.
    pub fn bound(&self, value: Option<Datum>) -> Vec<DatumWithOid<'static>> {
        // SAFETY: a Datum of the type, in the current memory context, which outlives the statement.
        value.map(|value| unsafe { DatumWithOid::new(value, self.oid) }).into_iter().collect()
    }

    /// The type's own equality as SQL writes an operator; none if it has none.
    pub fn equality(&self) -> Result<Option<String>> {
        // SAFETY: the type cache entry lives as long as the backend.
        let operator =
            unsafe { (*pg_sys::lookup_type_cache(self.oid, pg_sys::TYPECACHE_EQ_OPR as i32)).eq_opr };
        sql::value(
            "SELECT pg_catalog.format('OPERATOR(%I.%s)', n.nspname, o.oprname)
             FROM pg_catalog.pg_operator o JOIN pg_catalog.pg_namespace n ON n.oid = o.oprnamespace
             WHERE o.oid = $1",
            &[operator.into()],
        )
    }

    /// Whether values are equal where their bytes are, and nowhere else: types of PostgreSQL's whose values have one
    /// form each (texts with a collation that tells different ones apart).
    pub fn is_equal_by_bytes(&self) -> bool {
        let texts = [pg_sys::TEXTOID, pg_sys::VARCHAROID];
        let others = [
            pg_sys::BOOLOID,
            pg_sys::INT2OID,
            pg_sys::INT4OID,
            pg_sys::INT8OID,
            pg_sys::OIDOID,
            pg_sys::DATEOID,
            pg_sys::TIMEOID,
            pg_sys::TIMESTAMPOID,
            pg_sys::TIMESTAMPTZOID,
            pg_sys::UUIDOID,
            pg_sys::BYTEAOID,
            pg_sys::TIMETZOID,
            pg_sys::INETOID,
            pg_sys::CIDROID,
            pg_sys::MACADDROID,
            pg_sys::MACADDR8OID,
            pg_sys::BITOID,
            pg_sys::VARBITOID,
        ];
        others.contains(&self.oid)
            || texts.contains(&self.oid) && self.is_deterministic()
            || self.is_plain_enum()
    }

    /// Whether it is an enum whose values are equal where their OIDs are, as they are if nobody made it an equality of its own.
    fn is_plain_enum(&self) -> bool {
        // SAFETY: catalog look-ups on an existing type; its cache entry lives as long as the backend.
        unsafe {
            pg_sys::get_typtype(self.oid) as u8 == pg_sys::TYPTYPE_ENUM
                && is_built_in((*pg_sys::lookup_type_cache(self.oid, pg_sys::TYPECACHE_EQ_OPR as i32)).eq_opr)
        }
    }

    /// Something in SQL that differs where values of an expression are equal and do not look alike; none where values cannot be
    /// compared. It is short where a type of PostgreSQL's allows that, and such that postgres_fdw sends it; else the text.
    pub fn look(&self, value: &str) -> Option<String> {
        let of = |function: &str| Some(format!("pg_catalog.{function}({value})"));
        match self.oid {
            pg_sys::NUMERICOID => of("scale"),
            pg_sys::FLOAT4OID => of("float4send"),
            pg_sys::FLOAT8OID => of("float8send"),
            pg_sys::INTERVALOID => of("interval_send"),
            pg_sys::BPCHAROID if self.is_deterministic() => of("octet_length"),
            // As the output function writes it: a cast may be anybody's.
            _ => self
                .comparator()
                .map(|_| format!("pg_catalog.format('%s', {value}) COLLATE pg_catalog.\"C\"")),
        }
    }

    /// Whether its collation, which it has, takes no two texts for equal.
    pub fn is_deterministic(&self) -> bool {
        // SAFETY: a catalog look-up on the collation of an existing column.
        unsafe { pg_sys::get_collation_isdeterministic(self.collation) }
    }

    /// A number for values that is the same where they are equal; none if the type has no such.
    pub fn hasher(&self) -> Option<impl Fn(Datum) -> u64 + use<>> {
        // SAFETY: the type cache entry and its function info live as long as the backend.
        let function = unsafe {
            let flags = pg_sys::TYPECACHE_HASH_EXTENDED_PROC | pg_sys::TYPECACHE_HASH_EXTENDED_PROC_FINFO;
            let entry = pg_sys::lookup_type_cache(self.oid, flags as i32);
            if (*entry).hash_extended_proc == pg_sys::InvalidOid {
                return None;
            }
            &raw mut (*entry).hash_extended_proc_finfo
        };
        let collation = self.collation;
        Some(move |value: Datum| {
            poll();
            // SAFETY: a hash function on a Datum of its type and a seed.
            unsafe { pg_sys::FunctionCall2Coll(function, collation, value, Datum::from(0u64)).value() as u64 }
        })
    }

    /// How values compare in the type's own order; none if it has no order.
    pub fn comparator(&self) -> Option<impl Fn(Datum, Datum) -> Ordering + use<>> {
        // SAFETY: the type cache entry and its function info live as long as the backend.
        let function = unsafe {
            let entry = pg_sys::lookup_type_cache(self.oid, pg_sys::TYPECACHE_CMP_PROC_FINFO as i32);
            if (*entry).cmp_proc == pg_sys::InvalidOid {
                return None;
            }
            &raw mut (*entry).cmp_proc_finfo
        };
        let collation = self.collation;
        Some(move |a: Datum, b: Datum| {
            // Values may be as large as they like.
            poll();
            // SAFETY: a btree comparison function on two Datums of its type.
            let order = unsafe { pg_sys::FunctionCall2Coll(function, collation, a, b) };
            (order.value() as i32).cmp(&0)
        })
    }

    /// Whether ANALYZE would call a function that somebody made: a range type's own difference.
    pub fn has_own_statistics(&self) -> Result<bool> {
        let functions = sql::values::<Oid>(
            "SELECT r.rngsubdiff::oid FROM pg_catalog.pg_range r WHERE $1 IN (r.rngtypid, r.rngmultitypid)",
            &[self.oid.into()],
        )?;
        Ok(functions.into_iter().any(|function| !is_built_in(function)))
    }

    /// The type as DDL writes it.
    pub fn name(&self) -> String {
        // SAFETY: returns a palloc'd string for any type. Without a length: char is not char(1).
        unsafe {
            CStr::from_ptr(pg_sys::format_type_with_typemod(self.oid, -1)).to_string_lossy().into_owned()
        }
    }
}

/// A text Datum in the current memory context.
pub fn text_datum(text: &str) -> Result<Datum> {
    text.into_datum().ok_or_else(|| SqlError::internal("no text Datum"))
}
