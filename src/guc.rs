//! Settings: the extension's own, and those that every verb runs under.

use crate::error::{Result, SqlError};
use pgrx::{pg_sys, GucContext, GucFlags, GucRegistry, GucSetting};
use std::ffi::CString;

static MAX_MEMORY: GucSetting<i32> = GucSetting::<i32>::new(2 * 1024 * 1024);
static ALLOW_ROW_SECURITY: GucSetting<bool> = GucSetting::<bool>::new(false);

/// Registers the extension's settings.
pub fn define() {
    GucRegistry::define_int_guc(
        c"pg_topdown.max_memory",
        c"Memory that one call may hold outside PostgreSQL's own.",
        c"Past it the call ends with an error.",
        &MAX_MEMORY,
        1024,
        i32::MAX,
        GucContext::Userset,
        GucFlags::UNIT_KB,
    );
    GucRegistry::define_bool_guc(
        c"pg_topdown.allow_row_security",
        c"Allow releases of sources whose row-level security hides rows from the caller.",
        c"Without it such a source is refused: the release would silently be of a part of the table.",
        &ALLOW_ROW_SECURITY,
        GucContext::Userset,
        GucFlags::empty(),
    );
}

/// The memory budget, in bytes.
pub fn max_memory() -> usize {
    MAX_MEMORY.get() as usize * 1024
}

/// Whether sources under row-level security are accepted.
pub fn allow_row_security() -> bool {
    ALLOW_ROW_SECURITY.get()
}

/// What every verb runs under, so that labels and counts do not depend on the session: psql and a
/// scheduler publish the same (PRIVACY: session settings; search_path and operator shadowing).
const FIXED: [(&str, &str); 8] = [
    ("search_path", "pg_catalog, pg_temp"),
    ("DateStyle", "ISO, MDY"),
    ("IntervalStyle", "postgres"),
    ("TimeZone", "UTC"),
    ("extra_float_digits", "1"),
    ("bytea_output", "hex"),
    ("quote_all_identifiers", "off"),
    // Compiling takes longer than the statements a verb runs.
    ("jit", "off"),
];

/// What a statement of a verb may use at least, in kB.
const RECOUNT_MEMORY: i32 = 64 * 1024;

/// The fixed settings, until it is dropped.
pub struct FixedSettings {
    level: i32,
}

impl FixedSettings {
    /// Puts the fixed settings in place. Texts are handled as UTF-8, so other databases are refused.
    pub fn enter() -> Result<FixedSettings> {
        // SAFETY: returns a number.
        if unsafe { pg_sys::GetDatabaseEncoding() } != pg_sys::pg_enc::PG_UTF8 as i32 {
            return Err(SqlError::unsupported("pg_topdown works in databases with encoding UTF8 only"));
        }
        // SAFETY: a new nest level has no precondition; it is closed by drop, or by the end of
        // the (sub)transaction after an error.
        let level = unsafe { pg_sys::NewGUCNestLevel() };
        for (name, value) in FIXED {
            set(name, value);
        }
        // SAFETY: a plain variable. The recount groups in memory, even where sessions get little.
        if unsafe { pg_sys::work_mem } < RECOUNT_MEMORY {
            set("work_mem", &format!("{RECOUNT_MEMORY}kB"));
        }
        Ok(FixedSettings { level })
    }
}

impl Drop for FixedSettings {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            // SAFETY: the level was opened by enter() in this (sub)transaction; after an error,
            // when this could not be said, the transaction's end closes it instead.
            unsafe { pg_sys::AtEOXact_GUC(true, self.level) }
        }
    }
}

fn set(name: &str, value: &str) {
    let (name, value) = (CString::new(name).unwrap_or_default(), CString::new(value).unwrap_or_default());
    // SAFETY: both strings live through the call; GUC_ACTION_SAVE restores the old value when the
    // nest level ends.
    unsafe {
        pg_sys::set_config_option(
            name.as_ptr(),
            value.as_ptr(),
            pg_sys::GucContext::PGC_USERSET,
            pg_sys::GucSource::PGC_S_SESSION,
            pg_sys::GucAction::GUC_ACTION_SAVE,
            true,
            0,
            false,
        );
    }
}
