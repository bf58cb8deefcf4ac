//! Datums of any type: their identity as bytes, text form, order and place on a line.
//!
//! With scan.rs and release/write.rs the only code that handles Datums without pgrx's types: a
//! source has columns of any type, known at run time only.

use crate::error::{Result, SqlError};
use crate::progress::{poll, polled};
use crate::subtransaction::attempt;
use hashbrown::HashSet;
use pgrx::datum::{FromDatum, IntoDatum};
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

/// Objects below this OID are PostgreSQL's own, made by initdb (FirstUnpinnedObjectId).
const BUILT_IN: u32 = 12000;

/// Whether an object came with PostgreSQL.
pub fn is_built_in(oid: Oid) -> bool {
    oid.to_u32() < BUILT_IN
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

    /// One of the types whose values lie on a line, by its name as DDL writes it; none for any other
    /// name. What a manifest says is no reason to call a function of a type of somebody's.
    pub fn on_a_line(name: &str) -> Option<Type> {
        CONTINUOUS.into_iter().map(|oid| Type::new(oid, pg_sys::InvalidOid)).find(|kind| kind.name() == name)
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

    /// The value's text form, its label: what a cast to text gives, unless the cast is somebody's.
    pub fn text(&self, value: Datum) -> String {
        let Some(to_text) = self.to_text else { return self.output(value) };
        poll();
        // SAFETY: to_text is the cast function from this type to text, and takes one argument.
        unsafe {
            let text = pg_sys::OidFunctionCall1Coll(to_text, self.collation, value);
            String::from_datum(text, false).unwrap_or_default()
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
        let read = attempt(|| {
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

    /// The type of arrays of this one; none for an array.
    pub fn array(&self) -> Option<Oid> {
        // SAFETY: a catalog look-up.
        Some(unsafe { pg_sys::get_array_type(self.oid) }).filter(|&oid| oid != pg_sys::InvalidOid)
    }

    /// An array of values of this type.
    pub fn array_datum(&self, values: &[Datum]) -> Datum {
        let (mut length, mut by_value, mut align) = (0, false, 0);
        let mut values = values.to_vec();
        // SAFETY: Datums of the type, and how it is stored; the array is a copy.
        unsafe {
            pg_sys::get_typlenbyvalalign(self.oid, &mut length, &mut by_value, &mut align);
            let count = values.len() as i32;
            let array =
                pg_sys::construct_array(values.as_mut_ptr(), count, self.oid, length.into(), by_value, align);
            Datum::from(array)
        }
    }

    /// The type's own equality as SQL writes an operator; none if it has none.
    pub fn equality(&self) -> Result<Option<String>> {
        // SAFETY: the type cache entry lives as long as the backend.
        let operator =
            unsafe { (*pg_sys::lookup_type_cache(self.oid, pg_sys::TYPECACHE_EQ_OPR as i32)).eq_opr };
        let found = crate::sql::rows(
            "SELECT pg_catalog.format('OPERATOR(%I.%s)', n.nspname, o.oprname)
             FROM pg_catalog.pg_operator o JOIN pg_catalog.pg_namespace n ON n.oid = o.oprnamespace
             WHERE o.oid = $1",
            &[operator.into()],
            |row| row.get::<String>(1),
        )?;
        Ok(found.into_iter().next().flatten())
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

    /// Where a value lies on a line, for types that measure something: numbers as they are, dates
    /// in days, times in microseconds; what is infinite lies at an infinity.
    pub fn position(&self, value: Datum) -> Option<f64> {
        Some(match self.oid {
            pg_sys::INT2OID => f64::from(value.value() as i16),
            pg_sys::INT4OID => f64::from(value.value() as i32),
            pg_sys::DATEOID => match value.value() as i32 {
                i32::MIN => f64::NEG_INFINITY,
                i32::MAX => f64::INFINITY,
                days => f64::from(days),
            },
            pg_sys::TIMESTAMPOID | pg_sys::TIMESTAMPTZOID => match value.value() as i64 {
                i64::MIN => f64::NEG_INFINITY,
                i64::MAX => f64::INFINITY,
                microseconds => microseconds as f64,
            },
            pg_sys::INT8OID | pg_sys::TIMEOID | pg_sys::MONEYOID => value.value() as i64 as f64,
            pg_sys::FLOAT4OID => f64::from(f32::from_bits(value.value() as u32)),
            pg_sys::FLOAT8OID => f64::from_bits(value.value() as u64),
            pg_sys::NUMERICOID => self.output(value).parse().ok()?,
            pg_sys::INTERVALOID => {
                // SAFETY: an interval Datum points to an Interval.
                let interval = unsafe { &*value.cast_mut_ptr::<pg_sys::Interval>() };
                let days = f64::from(interval.month) * 30.0 + f64::from(interval.day);
                days * 86_400e6 + interval.time as f64
            }
            _ => return None,
        })
    }

    /// Whether values have a [`Type::position`].
    pub fn is_measurable(&self) -> bool {
        self.is_continuous() && self.oid != pg_sys::TIMETZOID
    }

    /// Whether values are continuous: numbers, dates and times are masked by intervals unless
    /// told otherwise.
    pub fn is_continuous(&self) -> bool {
        CONTINUOUS.contains(&self.oid)
    }

    /// The range type that intervals of this type are released as.
    pub fn range(&self) -> Option<Type> {
        let range = match self.oid {
            pg_sys::INT2OID | pg_sys::INT4OID => pg_sys::INT4RANGEOID,
            pg_sys::INT8OID => pg_sys::INT8RANGEOID,
            pg_sys::NUMERICOID | pg_sys::FLOAT4OID | pg_sys::FLOAT8OID => pg_sys::NUMRANGEOID,
            pg_sys::DATEOID => pg_sys::DATERANGEOID,
            pg_sys::TIMESTAMPOID => pg_sys::TSRANGEOID,
            pg_sys::TIMESTAMPTZOID => pg_sys::TSTZRANGEOID,
            _ => return None,
        };
        Some(Type::new(range, pg_sys::InvalidOid))
    }

    /// The type of the bounds of [`Type::range`].
    pub fn range_bound(&self) -> Option<Type> {
        let bound = match self.oid {
            pg_sys::INT2OID => pg_sys::INT4OID,
            pg_sys::FLOAT4OID | pg_sys::FLOAT8OID => pg_sys::NUMERICOID,
            other => other,
        };
        self.range().map(|_| Type::new(bound, pg_sys::InvalidOid))
    }

    /// Whether ANALYZE would call a function that somebody made: a range type's own difference.
    pub fn has_own_statistics(&self) -> Result<bool> {
        let found = crate::sql::rows(
            "SELECT r.rngsubdiff::oid FROM pg_catalog.pg_range r WHERE $1 IN (r.rngtypid, r.rngmultitypid)",
            &[self.oid.into()],
            |row| row.get::<Oid>(1),
        )?;
        Ok(found.into_iter().flatten().any(|function| !is_built_in(function)))
    }

    /// The type as DDL writes it.
    pub fn name(&self) -> String {
        // SAFETY: returns a palloc'd string for any type. Without a length: char is not char(1).
        unsafe {
            CStr::from_ptr(pg_sys::format_type_with_typemod(self.oid, -1)).to_string_lossy().into_owned()
        }
    }
}

/// Numbers, dates and times.
const CONTINUOUS: [Oid; 13] = [
    pg_sys::INT2OID,
    pg_sys::INT4OID,
    pg_sys::INT8OID,
    pg_sys::FLOAT4OID,
    pg_sys::FLOAT8OID,
    pg_sys::NUMERICOID,
    pg_sys::MONEYOID,
    pg_sys::DATEOID,
    pg_sys::TIMEOID,
    pg_sys::TIMETZOID,
    pg_sys::TIMESTAMPOID,
    pg_sys::TIMESTAMPTZOID,
    pg_sys::INTERVALOID,
];

/// A text Datum in the current memory context.
pub fn text_datum(text: &str) -> Result<Datum> {
    text.into_datum().ok_or_else(|| SqlError::internal("no text Datum"))
}
