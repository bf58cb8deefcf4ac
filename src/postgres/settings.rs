//! The extension's settings. Those that every verb runs under are operation.rs's.

use pgrx::{GucContext, GucFlags, GucRegistry, GucSetting};

static MAX_MEMORY: GucSetting<i32> = GucSetting::<i32>::new(2 * 1024 * 1024);
static KEEP_VERSIONS: GucSetting<i32> = GucSetting::<i32>::new(2);
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
    GucRegistry::define_int_guc(
        c"pg_topdown.keep_versions",
        c"Versions of a release whose rows are kept, the current one included.",
        c"Older ones go with the next version, once nobody reads them.",
        &KEEP_VERSIONS,
        1,
        10_000,
        GucContext::Userset,
        GucFlags::empty(),
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

/// How many versions of a release are kept.
pub fn keep_versions() -> usize {
    KEEP_VERSIONS.get() as usize
}

/// Whether sources under row-level security are accepted.
pub fn allow_row_security() -> bool {
    ALLOW_ROW_SECURITY.get()
}
