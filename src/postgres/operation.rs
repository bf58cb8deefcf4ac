//! What every verb runs in: a security-restricted operation with fixed settings, all of which is
//! rolled back at its end.
//!
//! Restricted, as REFRESH MATERIALIZED VIEW is: what a view, a trigger or a type calls while a verb
//! runs cannot change roles, leave a trigger or a cursor for later or make temporary objects. With a GUC nest
//! level of its own that is rolled back: no setting that anything changes meanwhile outlives it
//! (PRIVACY: borrowed rights). Fixed, so that labels and counts do not depend on the session: psql
//! and a scheduler publish the same (PRIVACY: session settings; search_path and operator shadowing).
//!
//! What is in a release is its owner's: triggers on its tables, what its view calls. A superuser or
//! a member who works on somebody else's release must not run it with rights of their own, so
//! whatever touches an existing release runs [`Operation::as_role`] its owner.

use super::allocator;
use super::context::Entry;
use super::cursors::Cursors;
use super::error::{Result, SqlError};
use super::progress::Watch;
use super::settings;
use pgrx::pg_sys;
use std::cell::RefCell;
use std::ffi::{CStr, CString};

/// Settings that values are converted by, from text or to text.
const CONVERTING: [(&str, &str); 8] = [
    ("DateStyle", "ISO, MDY"),
    ("IntervalStyle", "postgres"),
    ("TimeZone", "UTC"),
    ("timezone_abbreviations", "Default"),
    ("extra_float_digits", "1"),
    ("bytea_output", "hex"),
    ("lc_monetary", "C"),
    ("xmloption", "content"),
];

/// Settings by which objects are found, queries read, and plans made.
const OTHERWISE_FIXED: [(&str, &str); 6] = [
    // Temporary objects last: a temporary type named text must not be found before PostgreSQL's.
    ("search_path", "pg_catalog, pg_temp"),
    ("array_nulls", "on"),
    ("quote_all_identifiers", "off"),
    ("transform_null_equals", "off"),
    // Literals of ours have backslashes.
    ("standard_conforming_strings", "on"),
    // Compiling takes longer than the statements a verb runs.
    ("jit", "off"),
];

/// All settings that a verb fixes.
fn fixed() -> impl Iterator<Item = (&'static str, &'static str)> {
    CONVERTING.into_iter().chain(OTHERWISE_FIXED)
}

/// Settings of Citus', where it is loaded: what a release is made of is local, whatever the session has set. Else its schema would be
/// made on every node, or be one whose tables are distributed, and its tables be Citus'. A plan shows one task of all.
const LOCAL: [(&CStr, &str); 5] = [
    (PROPAGATION, "off"),
    (c"citus.enable_schema_based_sharding", "off"),
    (c"citus.use_citus_managed_tables", "off"),
    (c"citus.explain_distributed_queries", "on"),
    (c"citus.explain_all_tasks", "off"),
];

/// Whether Citus passes on to other nodes what changes or locks something.
const PROPAGATION: &CStr = c"citus.enable_ddl_propagation";

/// Which SET commands Citus passes on to other nodes.
const SETTINGS_PROPAGATION: &CStr = c"citus.propagate_set_commands";

/// What a statement of a verb may use at least, in kB.
const RECOUNT_MEMORY: i32 = 64 * 1024;

/// A setting that is fixed, and that the session has set otherwise.
#[derive(Debug, Clone)]
pub struct OtherSetting {
    /// Its name.
    pub name: &'static str,
    /// What it is fixed to.
    pub fixed: &'static str,
    /// What the session has.
    pub value: String,
}

thread_local! {
    /// The settings of conversions that the session of the last operation had otherwise, and the views that were asked for.
    static OTHERS: RefCell<(Vec<OtherSetting>, Vec<pg_sys::Oid>)> = const { RefCell::new((Vec::new(), Vec::new())) };
}

/// An operation, until it is dropped.
#[derive(Debug)]
pub struct Operation {
    user: pg_sys::Oid,
    context: i32,
    level: i32,
    /// Where errors come by, of a verb's.
    entry: Option<Entry>,
    /// Of a verb's, and where the role is another: what was opened meanwhile is closed with the rights that it was opened with.
    cursors: Option<Cursors>,
    /// Of a verb's.
    watch: Option<Watch>,
}

impl Operation {
    /// Begins a verb, with the caller's rights. Texts are handled as UTF-8, so other databases are
    /// refused.
    pub fn begin() -> Result<Operation> {
        // SAFETY: returns a number.
        if unsafe { pg_sys::GetDatabaseEncoding() } != pg_sys::pg_enc::PG_UTF8 as i32 {
            return Err(SqlError::unsupported("pg_topdown works in databases with encoding UTF8 only"));
        }
        allocator::prepare()?;
        let mut operation = Operation::contained();
        operation.entry = Some(Entry::new());
        operation.cursors = Some(Cursors::keep());
        operation.watch = Some(Watch::new());
        let others = CONVERTING.into_iter().filter_map(|(name, fixed)| other_setting(name, fixed)).collect();
        OTHERS.set((others, Vec::new()));
        for (name, value) in fixed() {
            set(name, value);
        }
        for (name, value) in LOCAL {
            set_known(name, value);
        }
        allocator::room(0)?;
        // Whatever row-level security would hide is an error then, however deep below a view or
        // in which function it lies, and never a part taken for the whole.
        if !settings::allow_row_security() {
            set("row_security", "off");
        }
        // SAFETY: a plain variable. The recount groups in memory, even where sessions get little.
        if unsafe { pg_sys::work_mem } < RECOUNT_MEMORY {
            set("work_mem", &format!("{RECOUNT_MEMORY}kB"));
        }
        Ok(operation)
    }

    /// The same for a verb that writes, which no standby can.
    pub fn writing() -> Result<Operation> {
        // SAFETY: the name is a terminated string.
        unsafe { pg_sys::PreventCommandDuringRecovery(c"this function".as_ptr()) };
        let operation = Operation::begin()?;
        name_no_tablespace();
        Ok(operation)
    }

    /// Goes on with the rights of a role, and no more.
    pub fn as_role(role: pg_sys::Oid) -> Operation {
        let (mut user, mut context) = (pg_sys::InvalidOid, 0);
        let restricted =
            (pg_sys::SECURITY_LOCAL_USERID_CHANGE | pg_sys::SECURITY_RESTRICTED_OPERATION) as i32;
        // SAFETY: the role exists. Identity and nest level are put back by drop, or by the end of
        // the (sub)transaction after an error.
        let level = unsafe {
            pg_sys::GetUserIdAndSecContext(&mut user, &mut context);
            pg_sys::SetUserIdAndSecContext(role, context | restricted);
            pg_sys::NewGUCNestLevel()
        };
        let cursors = (role != user).then(Cursors::keep);
        Operation { user, context, level, entry: None, cursors, watch: None }
    }

    /// Goes on with the same rights: what is set meanwhile is undone when the guard is dropped.
    pub fn contained() -> Operation {
        Operation::as_role(acting())
    }

    /// Goes on with a statistics target of no more than that, for as long as the guard lives.
    pub fn sampling(target: i32) -> Operation {
        let operation = Operation::contained();
        // SAFETY: a plain variable.
        if unsafe { pg_sys::default_statistics_target } > target {
            set("default_statistics_target", &target.to_string());
        }
        operation
    }

    /// Has the planner know, for as long as the guard lives, that few rows come back from parallel workers.
    pub fn gathering() -> Operation {
        let operation = Operation::contained();
        set("parallel_tuple_cost", "0.01");
        operation
    }

    /// Lets Citus, where it is loaded, pass on to other nodes what is locked, and how long that is waited for, as long as the guard
    /// lives. What it warns of then is in the error.
    pub fn locking() -> Operation {
        let operation = Operation::propagating_settings();
        set_known(PROPAGATION, "on");
        set("client_min_messages", "error");
        operation
    }

    /// Lets Citus, where it is loaded, pass on to other nodes what SET LOCAL sets, for as long as the guard lives.
    pub fn propagating_settings() -> Operation {
        let operation = Operation::contained();
        set_known(SETTINGS_PROPAGATION, "local");
        operation
    }

    /// Lets row-level security hide rows again, for as long as the guard lives: so that it can be
    /// seen where it would.
    pub fn with_row_security() -> Operation {
        let operation = Operation::contained();
        set("row_security", "on");
        operation
    }
}

impl Drop for Operation {
    fn drop(&mut self) {
        drop(self.cursors.take());
        drop(self.watch.take());
        if !std::thread::panicking() {
            // SAFETY: the level and the identity that as_role() found, in this (sub)transaction;
            // after an error, when that could not be said, the abort puts both back instead. Not a
            // commit of the level: everything set within is undone, by whatever means it was set.
            unsafe {
                pg_sys::AtEOXact_GUC(false, self.level);
                pg_sys::SetUserIdAndSecContext(self.user, self.context);
            }
        }
    }
}

/// The role whose rights are in force.
pub fn acting() -> pg_sys::Oid {
    // SAFETY: returns an Oid.
    unsafe { pg_sys::GetUserId() }
}

/// Its name.
pub fn acting_role() -> String {
    // SAFETY: a palloc'd string, or NULL for a role that is no more.
    unsafe {
        let name = pg_sys::GetUserNameFromId(acting(), true);
        if name.is_null() {
            return String::new();
        }
        CStr::from_ptr(name).to_string_lossy().into_owned()
    }
}

/// The settings that decide what is read, and how long is waited for it.
pub fn settings_of_reading() -> impl Iterator<Item = &'static str> {
    let fixed = fixed().map(|(name, _)| name);
    fixed.chain(["row_security", "lock_timeout", "statement_timeout"])
}

/// The settings of conversions that the session had set otherwise; none for a view that was asked of before.
pub fn other_settings_of(view: pg_sys::Oid) -> Vec<OtherSetting> {
    OTHERS.with_borrow_mut(|(others, views)| match views.contains(&view) {
        true => Vec::new(),
        false => {
            views.push(view);
            others.clone()
        }
    })
}

/// Names of the time zone without an offset.
const UTC: [&str; 7] = ["UTC", "UCT", "GMT", "GMT0", "Zulu", "Universal", "Greenwich"];

fn other_setting(name: &'static str, fixed: &'static str) -> Option<OtherSetting> {
    let c_name = CString::new(name).ok()?;
    // SAFETY: a setting's value, which is copied before it is changed, or NULL where there is none of that name.
    let value = unsafe {
        let value = pg_sys::GetConfigOption(c_name.as_ptr(), true, false);
        (!value.is_null()).then(|| CStr::from_ptr(value).to_string_lossy().into_owned())
    }?;
    let is_utc = |zone: &str| {
        let zone = zone.strip_prefix("Etc/").unwrap_or(zone);
        UTC.iter().any(|utc| utc.eq_ignore_ascii_case(zone))
    };
    let is_same = value.eq_ignore_ascii_case(fixed) || name == "TimeZone" && is_utc(&value);
    (!is_same).then_some(OtherSetting { name, fixed, value })
}

/// Tables go where `default_tablespace` says, also where it names the database's own: PostgreSQL refuses that of a partitioned
/// table, and puts one there if none is named.
fn name_no_tablespace() {
    let name = c"default_tablespace";
    // SAFETY: a setting's value, which lives until it is set; an Oid is returned, and a plain variable is another.
    let is_the_databases = unsafe {
        let value = pg_sys::GetConfigOption(name.as_ptr(), true, false);
        !value.is_null()
            && *value != 0
            && pg_sys::get_tablespace_oid(value, true) == pg_sys::MyDatabaseTableSpace
    };
    if is_the_databases {
        set(&name.to_string_lossy(), "");
    }
}

/// For how long a lock is waited for, and when somebody who waits looks whether all wait for each other, in milliseconds.
pub fn lock_timeout() -> (i32, i32) {
    // SAFETY: plain variables.
    unsafe { (pg_sys::LockTimeout, pg_sys::DeadlockTimeout) }
}

/// Sets what an extension has defined; what is not there would only be a name.
fn set_known(name: &CStr, value: &str) {
    // SAFETY: a setting's value, or NULL where there is none of that name.
    if !unsafe { pg_sys::GetConfigOption(name.as_ptr(), true, false) }.is_null() {
        set(&name.to_string_lossy(), value);
    }
}

/// Sets something until the operation ends, or until what it is set within does.
fn set(name: &str, value: &str) {
    set_by(pg_sys::GucAction::GUC_ACTION_SAVE, name, value);
}

fn set_by(action: pg_sys::GucAction::Type, name: &str, value: &str) {
    let [name, value] = [name, value].map(|text| CString::new(text).expect("settings have no zero byte"));
    // SAFETY: both strings live through the call; whatever the action, the old value is back when the
    // nest level ends.
    let set = |level| unsafe {
        pg_sys::set_config_option(
            name.as_ptr(),
            value.as_ptr(),
            pg_sys::GucContext::PGC_USERSET,
            pg_sys::GucSource::PGC_S_SESSION,
            action,
            true,
            level,
            false,
        )
    };
    // Without memory to look at a value PostgreSQL takes it for an invalid one.
    if set(pg_sys::DEBUG5 as i32) == 0 {
        allocator::give_up();
        // As an error.
        set(0);
    }
}
