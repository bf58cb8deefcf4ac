//! SQL statements of our own: text built from quoted identifiers, values as bound parameters.

use super::error::{utf8, Result, SqlError};
use super::operation::Operation;
use super::progress::{polled, Ticker};
use super::rows;

use super::text;
use hashbrown::HashMap;
use pgrx::datum::DatumWithOid;
use pgrx::pg_sys::{self, Oid};
use pgrx::prelude::*;
use pgrx::spi::{quote_identifier, SpiHeapTupleData};
use std::borrow::Cow;
use std::cell::RefCell;
use std::ffi::{c_int, CString};

/// An array as an argument. It may have millions of elements, so it is made with polls.
pub fn array<T: IntoDatum>(elements: impl IntoIterator<Item = Option<T>>) -> DatumWithOid<'static> {
    let ty = T::type_oid();
    // SAFETY: elements are of the type that is told; all lies in the current memory context, as other arguments do.
    unsafe {
        let context = pg_sys::CurrentMemoryContext;
        let mut state = pg_sys::initArrayResult(ty, context, false);
        let (ticker, is_varlena) = (Ticker::default(), pg_sys::get_typlen(ty) == -1);
        for element in elements {
            let (element, is_null) = match element.and_then(IntoDatum::into_datum) {
                Some(datum) => (datum, false),
                None => (pg_sys::Datum::null(), true),
            };
            let bytes = if is_varlena && !is_null { pgrx::varsize_any(element.cast_mut_ptr()) } else { 0 };
            ticker.tick_bytes(bytes);
            state = pg_sys::accumArrayResult(state, element, is_null, ty, context);
        }
        DatumWithOid::new(pg_sys::makeArrayResult(state, context), pg_sys::get_array_type(ty))
    }
}

/// Runs a statement; the rows it touched.
pub fn run(sql: &str, args: &[DatumWithOid]) -> Result<usize> {
    Spi::connect_mut(|client| Ok(client.update(sql, None, args)?.len()))
}

/// Where the text of a statement lies, and the types of its arguments.
type Place = (usize, usize, Vec<Oid>);

thread_local! {
    /// The plans of statements that are the same in every call.
    static PLANS: RefCell<HashMap<Place, pg_sys::SPIPlanPtr>> = RefCell::default();
}

/// A plan for a query on the catalogs. A statement whose text is the program's is planned once in a session.
fn planned(sql: Cow<'static, str>, types: Vec<Oid>) -> Result<pg_sys::SPIPlanPtr> {
    let Cow::Borrowed(text) = sql else { return prepare(&sql, &types) };
    let key = (text.as_ptr() as usize, text.len(), types);
    if let Some(plan) = PLANS.with_borrow(|plans| plans.get(&key).copied()) {
        return Ok(plan);
    }
    let plan = prepare_with(text, &key.2, pg_sys::CURSOR_OPT_GENERIC_PLAN)?;
    // SAFETY: prepared above, within this SPI connection, beyond whose end it is kept then.
    if unsafe { pg_sys::SPI_keepplan(plan) } != 0 {
        return Err(SqlError::internal("a plan cannot be kept"));
    }
    PLANS.with_borrow_mut(|plans| plans.insert(key, plan));
    Ok(plan)
}

/// The rows of a query on the catalogs as they are now, whatever the transaction's isolation: names are
/// resolved by what is now, too. No transaction id is taken for it.
pub fn rows<T>(
    sql: impl Into<Cow<'static, str>>,
    args: &[DatumWithOid],
    row: impl FnMut(&SpiHeapTupleData) -> Result<T>,
) -> Result<Vec<T>> {
    let _snapshot = Snapshot::latest();
    Spi::connect(|_| fetch(planned(sql.into(), types(args))?, args, row))
}

/// The value of such a query that has one column and one row at most.
pub fn value<T: FromDatum + IntoDatum + 'static>(
    sql: impl Into<Cow<'static, str>>,
    args: &[DatumWithOid],
) -> Result<Option<T>> {
    Ok(rows(sql, args, first)?.into_iter().next().flatten())
}

/// The values of a query's only column, none of which is NULL.
pub fn values<T: FromDatum + IntoDatum + 'static>(
    sql: impl Into<Cow<'static, str>>,
    args: &[DatumWithOid],
) -> Result<Vec<T>> {
    Ok(rows(sql, args, first)?.into_iter().flatten().collect())
}

/// The values of a row. A text is one of UTF-8.
pub trait Values {
    /// A column's value.
    fn nullable<T: FromDatum + IntoDatum + 'static>(&self, column: usize) -> Result<Option<T>>;
    /// The value of a column that is never NULL, whatever the rows of its query are; that it is NULL is an internal error.
    fn not_null<T: FromDatum + IntoDatum + 'static>(&self, column: usize) -> Result<T>;
    /// The value of a column that a release was written with; whoever owns it may have made it NULL.
    fn written<T: FromDatum + IntoDatum + 'static>(&self, column: usize) -> Result<T>;
}

impl Values for SpiHeapTupleData<'_> {
    fn nullable<T: FromDatum + IntoDatum + 'static>(&self, column: usize) -> Result<Option<T>> {
        utf8(self.get(column)?)
    }

    fn not_null<T: FromDatum + IntoDatum + 'static>(&self, column: usize) -> Result<T> {
        self.nullable(column)?
            .ok_or_else(|| SqlError::internal(format!("column {column} of a query is NULL")))
    }

    fn written<T: FromDatum + IntoDatum + 'static>(&self, column: usize) -> Result<T> {
        self.nullable(column)?.ok_or_else(|| {
            SqlError::state("the release is not as it was made")
                .detail("Something that it keeps of a version is NULL.")
                .hint("Make a new version with release_refresh(..., mode => 'search').")
        })
    }
}

/// A row's first column.
pub fn first<T: FromDatum + IntoDatum + 'static>(row: &SpiHeapTupleData) -> Result<Option<T>> {
    row.nullable(1)
}

/// The types of some arguments.
pub fn types(args: &[DatumWithOid]) -> Vec<Oid> {
    args.iter().map(|arg| arg.oid()).collect()
}

/// Prepares a statement, within an SPI connection whose end frees it.
pub fn prepare(statement: &str, types: &[Oid]) -> Result<pg_sys::SPIPlanPtr> {
    prepare_with(statement, types, pg_sys::CURSOR_OPT_PARALLEL_OK)
}

fn prepare_with(statement: &str, types: &[Oid], options: u32) -> Result<pg_sys::SPIPlanPtr> {
    let statement = CString::new(statement).map_err(|_| SqlError::internal("a zero byte in a name"))?;
    let mut types = types.to_vec();
    // SAFETY: within an SPI connection, as the caller promises; as many types as the count says.
    let plan = unsafe {
        let count = types.len() as c_int;
        pg_sys::SPI_prepare_cursor(statement.as_ptr(), count, types.as_mut_ptr(), options as c_int)
    };
    if plan.is_null() {
        return Err(SqlError::internal("a statement cannot be prepared"));
    }
    Ok(plan)
}

/// Runs a plan that only reads, under the snapshot in force, within an SPI connection. Whatever it
/// sets is undone: what a view calls shall not change how the next statement is read.
pub fn fetch<T>(
    plan: pg_sys::SPIPlanPtr,
    args: &[DatumWithOid],
    mut row: impl FnMut(&SpiHeapTupleData) -> Result<T>,
) -> Result<Vec<T>> {
    let _contained = Operation::contained();
    let mut all = Vec::new();
    rows::each(plan, args, &mut |shown| {
        all.push(row(shown)?);
        Ok(())
    })?;
    Ok(all)
}

/// The lines of a prepared EXPLAIN, which is no query to PostgreSQL and writes nothing.
pub fn explained(plan: pg_sys::SPIPlanPtr) -> Result<Vec<String>> {
    let _contained = Operation::contained();
    execute(plan, &[])?;
    // SAFETY: the result of the statement above, alive until the connection ends.
    let (table, count) = unsafe { (pg_sys::SPI_tuptable, pg_sys::SPI_processed as usize) };
    let line = |i: usize| {
        // SAFETY: one of the `count` tuples of the result, with its description.
        let tuple = unsafe { SpiHeapTupleData::new((*table).tupdesc, *(*table).vals.add(i)) };
        tuple?.ok_or_else(|| SqlError::internal("a row without columns"))?.not_null::<String>(1)
    };
    polled(0..count).map(line).collect()
}

/// Runs a plan that writes, within an SPI connection; the rows it touched.
pub fn perform(plan: pg_sys::SPIPlanPtr, args: &[DatumWithOid]) -> Result<u64> {
    let _contained = Operation::contained();
    execute(plan, args)?;
    // SAFETY: of the statement above.
    Ok(unsafe { pg_sys::SPI_processed })
}

/// Executes a plan, within an SPI connection.
fn execute(plan: pg_sys::SPIPlanPtr, args: &[DatumWithOid]) -> Result<()> {
    let datums: Vec<_> = args.iter().map(|arg| arg.datum().map(|d| d.sans_lifetime())).collect();
    let nulls: Vec<u8> = datums.iter().map(|d| if d.is_none() { b'n' } else { b' ' }).collect();
    let mut values: Vec<_> = datums.into_iter().map(|d| d.unwrap_or(pg_sys::Datum::null())).collect();
    // SAFETY: within an SPI connection; as many values and nulls as the plan has parameters.
    let status =
        unsafe { pg_sys::SPI_execute_plan(plan, values.as_mut_ptr(), nulls.as_ptr().cast(), false, 0) };
    Spi::check_status(status)?;
    Ok(())
}

/// A snapshot of now, in which this transaction's own changes are seen, until it is dropped: what is
/// looked at meanwhile is of one moment.
#[derive(Debug)]
pub struct Snapshot(());

impl Snapshot {
    /// Takes one.
    pub fn fresh() -> Snapshot {
        // SAFETY: as before a statement of SPI's; popped by drop, or by the end of the
        // (sub)transaction after an error.
        unsafe {
            pg_sys::CommandCounterIncrement();
            pg_sys::PushActiveSnapshot(pg_sys::GetTransactionSnapshot());
        }
        Snapshot(())
    }

    /// Goes on with the one in force.
    pub fn same() -> Snapshot {
        // SAFETY: there is one, as the caller promises; popped as in fresh().
        unsafe { pg_sys::PushActiveSnapshot(pg_sys::GetActiveSnapshot()) }
        Snapshot(())
    }

    /// Takes one of the newest state of the database, also where the transaction has a frozen one.
    pub fn latest() -> Snapshot {
        // SAFETY: as in fresh().
        unsafe {
            pg_sys::CommandCounterIncrement();
            pg_sys::PushActiveSnapshot(pg_sys::GetLatestSnapshot());
        }
        Snapshot(())
    }
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            // SAFETY: the snapshot that fresh() pushed; what was pushed after it has been popped.
            unsafe { pg_sys::PopActiveSnapshot() }
        }
    }
}

/// The relation of a name in a schema of a release. What does not belong to the schema's owner is none: whoever may create there could
/// have it run what he likes.
pub fn relation_in(schema: Oid, name: &str) -> Option<Oid> {
    let name = CString::new(name).ok()?;
    // SAFETY: a look-up in the system cache.
    let relation = unsafe { pg_sys::get_relname_relid(name.as_ptr(), schema) };
    let [of_relation, of_schema] = [
        (pg_sys::SysCacheIdentifier::RELOID, relation, pg_sys::Anum_pg_class_relowner),
        (pg_sys::SysCacheIdentifier::NAMESPACEOID, schema, pg_sys::Anum_pg_namespace_nspowner),
    ]
    .map(|(cache, object, column)| owner(cache as i32, object, column));
    of_relation.filter(|_| of_relation == of_schema).map(|_| relation)
}

/// Who owns an object of a catalog that is cached by OID, by the catalog's column for that.
fn owner(cache: i32, object: Oid, column: u32) -> Option<Oid> {
    let no_key = pg_sys::Datum::null();
    let mut is_null = false;
    // SAFETY: a row of the system cache is held until its column was read.
    unsafe {
        let row = pg_sys::SearchSysCache(cache, pg_sys::Datum::from(object), no_key, no_key, no_key);
        if row.is_null() {
            return None;
        }
        let owner = pg_sys::SysCacheGetAttr(cache, row, column as i16, &mut is_null);
        pg_sys::ReleaseSysCache(row);
        Oid::from_datum(owner, is_null)
    }
}

/// Whether whoever acts may read a relation.
pub fn may_read(relation: Oid) -> Result<bool> {
    let may = value("SELECT pg_catalog.has_table_privilege($1::oid, 'SELECT')", &[relation.into()])?;
    Ok(may == Some(true))
}

/// The relation of a name as SQL writes it, qualified or not; what is no name is PostgreSQL's error. Not by to_regclass: from
/// version 16 on it finds nothing where there is no name, and takes a number for an OID.
pub fn relation(name: &str) -> Result<Option<Oid>> {
    let text = name.into_datum().ok_or_else(|| SqlError::internal("a name cannot be passed on"))?;
    // SAFETY: a text of our own is parsed, and what it names looked up as it is now; a relation that is missing is no error.
    let oid = unsafe {
        pg_sys::CommandCounterIncrement();
        let parsed = pg_sys::makeRangeVarFromNameList(pg_sys::textToQualifiedNameList(text.cast_mut_ptr()));
        let missing = pg_sys::RVROption::RVR_MISSING_OK;
        pg_sys::RangeVarGetRelidExtended(parsed, pg_sys::NoLock as i32, missing, None, std::ptr::null_mut())
    };
    Ok(Some(oid).filter(|&oid| oid != pg_sys::InvalidOid))
}

/// An identifier, quoted where it must be.
pub fn quote(name: &str) -> String {
    quote_identifier(name)
}

/// The longest name PostgreSQL keeps, in bytes.
const NAME_BYTES: usize = pg_sys::NAMEDATALEN as usize - 1;

/// A name with a suffix; a long name is clipped so that its suffix fits.
pub fn suffixed(name: &str, suffix: &str) -> String {
    text::suffixed(name, suffix, NAME_BYTES)
}

/// A qualified name, quoted where it must be.
pub fn qualified(schema: &str, name: &str) -> String {
    format!("{}.{}", quote(schema), quote(name))
}

/// Identifiers, quoted, with commas between.
pub fn quoted_list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names.into_iter().map(quote).collect::<Vec<_>>().join(", ")
}

/// Queries under UNION ALL, in pairs of pairs: PostgreSQL goes a level deeper with each that follows another.
pub fn union_all(queries: &[String]) -> String {
    match queries {
        [] | [_] => queries.concat(),
        _ => {
            let (first, others) = queries.split_at(queries.len() / 2);
            format!("({}) UNION ALL ({})", union_all(first), union_all(others))
        }
    }
}
