//! The extension's settings. Those that every verb runs under are operation.rs's.
//!
//! A setting of an extension that is not loaded yet is a placeholder, which anybody may set to anything. When the
//! library is loaded PostgreSQL looks at each again: a value that cannot be, or was set by somebody who may not, is
//! left out with a WARNING, and names that are none of ours are removed. But a placeholder keeps one value of
//! several: what a client sets as it connects (PGOPTIONS) hides what ALTER DATABASE or the server's files say, and once it
//! is left out there is none. For what administrators demand that is not good enough: [`lost`] remembers that it was set.

use pgrx::{pg_sys, GucContext, GucFlags, GucRegistry, GucSetting, PostgresGucEnum};
use std::cell::Cell;
use std::ffi::CStr;

static MAX_MEMORY: GucSetting<i32> = GucSetting::<i32>::new(2 * 1024 * 1024);
static KEEP_VERSIONS: GucSetting<i32> = GucSetting::<i32>::new(2);
static THREADS: GucSetting<i32> = GucSetting::<i32>::new(2);
static MIN_K: GucSetting<i32> = GucSetting::<i32>::new(1);
static KEPT: GucSetting<KeptPolicy> = GucSetting::<KeptPolicy>::new(KeptPolicy::Warn);
static PROGRESS: GucSetting<bool> = GucSetting::<bool>::new(false);
static SCAN: GucSetting<Scan> = GucSetting::<Scan>::new(Scan::Auto);
static LOCK_SOURCE: GucSetting<LockSource> = GucSetting::<LockSource>::new(LockSource::Auto);
static ALLOW_ROW_SECURITY: GucSetting<bool> = GucSetting::<bool>::new(false);

/// How a source is read for a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PostgresGucEnum)]
pub enum Scan {
    /// As it seems to be best.
    #[name = c"auto"]
    Auto,
    /// Row by row.
    #[name = c"rows"]
    Rows,
    /// As distinct combinations with counts, wherever that cannot show.
    #[name = c"counts"]
    Counts,
}

/// What happens where kept columns single rows out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PostgresGucEnum)]
pub enum KeptPolicy {
    /// That is said.
    #[name = c"warn"]
    Warn,
    /// No version is made.
    #[name = c"refuse"]
    Refuse,
}

/// Whether writers are kept out of a source while a release is made of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PostgresGucEnum)]
pub enum LockSource {
    /// Where they could show: it has several shards, each of which is read as of a moment of its own.
    #[name = c"auto"]
    Auto,
    /// Whatever it is.
    #[name = c"on"]
    On,
    /// Never.
    #[name = c"off"]
    Off,
}

thread_local! {
    static MIN_K_IS_LOST: Cell<bool> = const { Cell::new(false) };
    static KEPT_IS_LOST: Cell<bool> = const { Cell::new(false) };
}

/// Registers the extension's settings.
pub fn define() {
    // SAFETY: a setting's value, or NULL where there is none of that name.
    let was_set = |name: &CStr| unsafe { !pg_sys::GetConfigOption(name.as_ptr(), true, false).is_null() };
    let (min_k_was_set, kept_was_set) = (was_set(c"pg_topdown.min_k"), was_set(c"pg_topdown.kept"));
    GucRegistry::define_int_guc(
        c"pg_topdown.min_k",
        c"The least k of any release.",
        c"Above 1, every release keeps a k_anonymity with it over all masked columns together.",
        &MIN_K,
        1,
        i32::MAX,
        GucContext::Suset,
        GucFlags::empty(),
    );
    // SAFETY: a plain variable. As the server starts, its files are all that can have set anything.
    let by_files = unsafe { pg_sys::process_shared_preload_libraries_in_progress };
    MIN_K_IS_LOST.set(min_k_was_set && !by_files && MIN_K.get() == 1);
    GucRegistry::define_enum_guc(
        c"pg_topdown.kept",
        c"What happens where columns that are kept single rows out, beside the masked ones.",
        c"By default (warn) that is said; refuse: no version is made.",
        &KEPT,
        GucContext::Suset,
        GucFlags::empty(),
    );
    KEPT_IS_LOST.set(kept_was_set && !by_files && KEPT.get() == KeptPolicy::Warn);
    GucRegistry::define_bool_guc(
        c"pg_topdown.progress",
        c"Say where a call stands, by a NOTICE at most once a second.",
        c"pg_stat_activity shows it always.",
        &PROGRESS,
        GucContext::Userset,
        GucFlags::empty(),
    );
    GucRegistry::define_int_guc(
        c"pg_topdown.max_memory",
        c"Memory that one call may hold outside PostgreSQL's own.",
        c"Rows past a quarter of it go to temporary files; past it the call ends with an error.",
        &MAX_MEMORY,
        1024,
        i32::MAX,
        GucContext::Suset,
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
    GucRegistry::define_int_guc(
        c"pg_topdown.threads",
        c"Threads that one call may run, the backend's own included.",
        c"The result does not depend on it.",
        &THREADS,
        1,
        64,
        GucContext::Suset,
        GucFlags::empty(),
    );
    GucRegistry::define_enum_guc(
        c"pg_topdown.scan",
        c"How a source is read for a search: as rows, or as distinct combinations with their counts.",
        c"The result does not depend on it. By default (auto) what seems to be less work, and is kept in the manifest.",
        &SCAN,
        GucContext::Userset,
        GucFlags::empty(),
    );
    GucRegistry::define_enum_guc(
        c"pg_topdown.lock_source",
        c"Whether writers are kept out of a source while a release is made of it.",
        c"By default (auto) where it is distributed by Citus. Needs UPDATE, DELETE or TRUNCATE on the source.",
        &LOCK_SOURCE,
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
    // SAFETY: the name is a terminated string. Whatever else begins like this is misspelt.
    unsafe { pg_sys::MarkGUCPrefixReserved(c"pg_topdown".as_ptr()) };
}

/// What a HINT says where memory is short: who may raise the budget.
pub const RAISE_MEMORY: &str = "Raise pg_topdown.max_memory: superusers may, and roles that have SET on it.";

/// The least k of any release.
pub fn min_k() -> i32 {
    MIN_K.get()
}

/// What happens where kept columns single rows out.
pub fn kept() -> KeptPolicy {
    KEPT.get()
}

/// What only a superuser sets and may have been hidden by a value that was set before the library was loaded, and that was
/// not good: it is then what it is by default, unless somebody who may has set it since.
pub fn lost() -> impl Iterator<Item = &'static str> {
    let all = [("pg_topdown.min_k", MIN_K_IS_LOST.get()), ("pg_topdown.kept", KEPT_IS_LOST.get())];
    all.into_iter().filter(|(_, is_lost)| *is_lost).map(|(name, _)| name)
}

/// Whether NOTICEs say where a call stands.
pub fn progress() -> bool {
    PROGRESS.get()
}

/// The memory budget, in bytes.
pub fn max_memory() -> usize {
    MAX_MEMORY.get() as usize * 1024
}

/// How many versions of a release are kept.
pub fn keep_versions() -> usize {
    KEEP_VERSIONS.get() as usize
}

/// How many threads a call may run, the backend's own included.
pub fn threads() -> usize {
    THREADS.get() as usize
}

/// How a source is to be read for a search.
pub fn scan() -> Scan {
    SCAN.get()
}

/// Whether writers are to be kept out of a source.
pub fn lock_source() -> LockSource {
    LOCK_SOURCE.get()
}

/// Whether sources under row-level security are accepted.
pub fn allow_row_security() -> bool {
    ALLOW_ROW_SECURITY.get()
}
