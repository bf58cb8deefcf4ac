//! A `jsonb` by its text. That may be longer than the value: a number of ten bytes may have a hundred thousand digits.

use super::arguments::{too_large, MOST_BYTES};
use super::error::{or_raise, Result};
use super::progress::Ticker;
use super::stored::{from_json, room_for};
use pgrx::datum::{DatumWithOid, FromDatum};
use pgrx::pg_sys::{self, Datum, Oid};
use pgrx::{IntoDatum, JsonB};
use std::ffi::CStr;

/// A `jsonb` by its text: a number keeps its digits, and how deep it may nest is for whoever reads
/// it to say.
#[derive(Debug, Clone)]
pub struct JsonText(pub String);

impl JsonText {
    /// Whether there is room for the value.
    pub fn has_room(&self) -> bool {
        room_for(self.0.as_bytes()).is_ok()
    }

    /// The value, or what keeps it from being read.
    pub fn parse(&self) -> std::result::Result<serde_json::Value, String> {
        from_json(self.0.as_bytes())
    }

    /// Returns whether a `jsonb`, and the digits of the numbers in it, take at most so many bytes.
    ///
    /// # Safety
    ///
    /// The Datum is a `jsonb`.
    pub unsafe fn is_within(datum: Datum, most: usize) -> bool {
        // SAFETY: a varlena, stored elsewhere or not.
        unsafe {
            pg_sys::toast_raw_datum_size(datum) <= most
                && digits(pg_sys::pg_detoast_datum(datum.cast_mut_ptr()).cast(), most) <= most
        }
    }

    /// That of a `jsonb`; none, if it or the numbers in it take more than so many bytes.
    ///
    /// # Safety
    ///
    /// The Datum is a `jsonb`.
    pub unsafe fn within(datum: Datum, most: usize) -> Option<JsonText> {
        // SAFETY: a varlena, stored elsewhere or not. jsonb_out takes it detoasted, and returns a terminated string.
        unsafe {
            if pg_sys::toast_raw_datum_size(datum) > most {
                return None;
            }
            let json = Datum::from(pg_sys::pg_detoast_datum(datum.cast_mut_ptr()));
            if !JsonText::is_within(json, most) {
                return None;
            }
            let text: &CStr = pgrx::direct_function_call(pg_sys::jsonb_out, &[Some(json)])?;
            Some(JsonText(text.to_string_lossy().into_owned()))
        }
    }
}

/// Makes a `jsonb`, or fails if the digits of its numbers take more bytes than `longest` returns for its size, so that nobody
/// would read it again.
pub fn readable_jsonb(
    value: serde_json::Value,
    longest: impl Fn(usize) -> usize,
) -> Result<DatumWithOid<'static>> {
    let datum = JsonB(value).into_datum();
    // SAFETY: a jsonb, made here.
    unsafe {
        let is_readable =
            |&datum: &Datum| JsonText::is_within(datum, longest(pg_sys::toast_raw_datum_size(datum)));
        match datum.as_ref().is_none_or(is_readable) {
            true => Ok(DatumWithOid::new(datum, pg_sys::JSONBOID)),
            false => Err(too_large()),
        }
    }
}

impl FromDatum for JsonText {
    unsafe fn from_polymorphic_datum(datum: Datum, is_null: bool, _: Oid) -> Option<Self> {
        if is_null {
            return None;
        }
        // Arguments are read before anything else is done: an error where the reserves of memory cannot be had.
        or_raise(Ok(()));
        // SAFETY: as the caller promises; a varlena, stored elsewhere or not.
        unsafe {
            let text = JsonText::within(datum, MOST_BYTES);
            text.or_else(|| or_raise(Err(too_large())))
        }
    }
}

/// How many characters the numbers of a `jsonb` print; beyond so many no more are looked at.
///
/// # Safety
///
/// The value is detoasted.
unsafe fn digits(json: *mut pg_sys::Jsonb, most: usize) -> usize {
    let (ticker, mut digits) = (Ticker::default(), 0);
    // SAFETY: the iterator goes through a value that stays as it is; the numbers that it gives lie within that.
    unsafe {
        let mut iterator = pg_sys::JsonbIteratorInit(&raw mut (*json).root);
        let mut value = pg_sys::JsonbValue::default();
        while digits <= most {
            let token = pg_sys::JsonbIteratorNext(&mut iterator, &mut value, false);
            if token == pg_sys::JsonbIteratorToken::WJB_DONE {
                break;
            }
            ticker.tick(1);
            if value.type_ == pg_sys::jbvType::jbvNumeric {
                digits += printed(value.val.numeric);
            }
        }
    }
    digits
}

/// How many characters a number prints at most, by how it is stored: its head says how many groups of four digits lie before the point,
/// and how many digits behind it (PostgreSQL's numeric.c).
///
/// # Safety
///
/// The number is detoasted.
unsafe fn printed(number: pg_sys::Numeric) -> usize {
    // SAFETY: behind the length of a varlena lie two bytes, and two more in a long head.
    let (head, long_weight) = unsafe {
        let head = number.cast::<u8>().add(pg_sys::VARHDRSZ);
        let long = || head.add(2).cast::<i16>().read_unaligned();
        let head = head.cast::<u16>().read_unaligned();
        (head, if head & 0x8000 == 0 { long() } else { 0 })
    };
    let (groups, scale) = match head & 0xc000 {
        // NaN and the infinities.
        0xc000 => (1, 0),
        0x8000 if head & 0x40 > 0 => (1, head >> 7 & 0x3f),
        0x8000 => ((head & 0x3f) as usize + 1, head >> 7 & 0x3f),
        _ => ((i32::from(long_weight) + 1).max(1) as usize, head & 0x3fff),
    };
    4 * groups + usize::from(scale) + 2
}
