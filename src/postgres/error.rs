//! Errors are values until the edge, where [`SqlError::raise`] makes each an ERROR with its
//! SQLSTATE, message, DETAIL and HINT. One constructor a kind of fault (docs/reference/errors.md).

use super::allocator;
use super::context::Entry;
use super::settings::RAISE_MEMORY;
pub use super::text::{clipped, clipped_to, number, percent, some_of};

use pgrx::pg_sys::panic::{ErrorReport, ErrorReportWithLevel};
use pgrx::prelude::*;
use std::any::Any;
use std::ffi::{c_int, CStr};

/// What a verb can fail with.
#[derive(Debug, Clone)]
pub struct SqlError {
    code: PgSqlErrorCode,
    message: String,
    detail: Option<String>,
    hint: Option<String>,
    /// Whether the message is not ours.
    is_foreign: bool,
}

/// A value or an SQL error.
pub type Result<T> = std::result::Result<T, SqlError>;

/// A value, if it is no text, or one of UTF-8. PostgreSQL does not check the options of a connection, nor what is made of them, and so
/// names and values may hold other bytes: Rust would read such a text past its end.
pub fn utf8<T: Any>(value: T) -> Result<T> {
    let any = &value as &dyn Any;
    let text = any.downcast_ref::<String>().or_else(|| any.downcast_ref::<Option<String>>()?.as_ref());
    match text.map(|text| std::str::from_utf8(text.as_bytes())) {
        Some(Err(_)) => Err(SqlError::not_utf8()),
        _ => Ok(value),
    }
}

impl SqlError {
    fn new(code: PgSqlErrorCode, message: impl Into<String>) -> SqlError {
        SqlError { code, message: message.into(), detail: None, hint: None, is_foreign: false }
    }
    /// 22023: a parameter that cannot be.
    pub fn parameter(message: impl Into<String>) -> SqlError {
        SqlError::new(PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE, message)
    }
    /// 22004: NULL where a value is needed.
    pub fn null(argument: &str) -> SqlError {
        let message = format!("argument \"{argument}\" must not be null");
        SqlError::new(PgSqlErrorCode::ERRCODE_NULL_VALUE_NOT_ALLOWED, message)
    }
    /// 22003: a value beyond its type.
    pub fn out_of_range(message: impl Into<String>) -> SqlError {
        SqlError::new(PgSqlErrorCode::ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE, message)
    }
    /// 22000: data that has no place.
    pub fn data(message: impl Into<String>) -> SqlError {
        SqlError::new(PgSqlErrorCode::ERRCODE_DATA_EXCEPTION, message)
    }
    /// 22P02: a text that is no value of the type.
    pub fn text_representation(message: impl Into<String>) -> SqlError {
        SqlError::new(PgSqlErrorCode::ERRCODE_INVALID_TEXT_REPRESENTATION, message)
    }
    /// 22P03: bytes that are no value of the type.
    pub fn binary_representation(message: impl Into<String>) -> SqlError {
        SqlError::new(PgSqlErrorCode::ERRCODE_INVALID_BINARY_REPRESENTATION, message)
    }
    /// 42704: no such role.
    pub fn no_role(role: &str) -> SqlError {
        let message = format!("role \"{role}\" does not exist");
        SqlError::new(PgSqlErrorCode::ERRCODE_UNDEFINED_OBJECT, message)
    }
    /// 42703: no such column.
    pub fn no_column(relation: &str, column: &str, near: Option<&str>) -> SqlError {
        let message = format!("column \"{column}\" of relation \"{relation}\" does not exist");
        let error = SqlError::new(PgSqlErrorCode::ERRCODE_UNDEFINED_COLUMN, message);
        match near {
            Some(near) => error.hint(format!("Perhaps '{near}' is meant.")),
            None => error,
        }
    }
    /// 42804: another type than it should be.
    pub fn other_type(message: impl Into<String>) -> SqlError {
        SqlError::new(PgSqlErrorCode::ERRCODE_DATATYPE_MISMATCH, message)
    }
    /// 42P01: no such relation.
    pub fn no_relation(message: impl Into<String>) -> SqlError {
        SqlError::new(PgSqlErrorCode::ERRCODE_UNDEFINED_TABLE, message)
    }
    /// 42P01: no relation has an OID.
    pub fn no_oid(oid: pgrx::pg_sys::Oid) -> SqlError {
        SqlError::no_relation("the relation does not exist")
            .detail(format!("There is none with OID {}.", oid.to_u32()))
    }
    /// 42809: a relation of the wrong kind.
    pub fn wrong_relation(message: impl Into<String>) -> SqlError {
        SqlError::new(PgSqlErrorCode::ERRCODE_WRONG_OBJECT_TYPE, message)
    }
    /// 42P07: the name of a relation is taken.
    pub fn relation_name(message: impl Into<String>) -> SqlError {
        SqlError::new(PgSqlErrorCode::ERRCODE_DUPLICATE_TABLE, message)
    }
    /// 42701: the name of a column is taken.
    pub fn column_name(message: impl Into<String>) -> SqlError {
        SqlError::new(PgSqlErrorCode::ERRCODE_DUPLICATE_COLUMN, message)
    }
    /// 42602: no name.
    pub fn name(message: impl Into<String>) -> SqlError {
        SqlError::new(PgSqlErrorCode::ERRCODE_INVALID_NAME, message)
    }
    /// 42622: a name that is too long.
    pub fn long_name(message: impl Into<String>) -> SqlError {
        SqlError::new(PgSqlErrorCode::ERRCODE_NAME_TOO_LONG, message)
    }
    /// 42P17: a taxonomy that is no tree.
    pub fn taxonomy(message: impl Into<String>) -> SqlError {
        SqlError::new(PgSqlErrorCode::ERRCODE_INVALID_OBJECT_DEFINITION, message)
    }
    /// 42710: the name is taken by something else.
    pub fn taken(message: impl Into<String>) -> SqlError {
        SqlError::new(PgSqlErrorCode::ERRCODE_DUPLICATE_OBJECT, message)
    }
    /// 3F000: no such release.
    pub fn no_release(release: &str) -> SqlError {
        let message = format!("release \"{release}\" does not exist");
        SqlError::new(PgSqlErrorCode::ERRCODE_INVALID_SCHEMA_NAME, message)
            .hint("releases() lists the releases of this database.")
    }
    /// 55000: things are not such that this can be done.
    pub fn state(message: impl Into<String>) -> SqlError {
        SqlError::new(PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, message)
    }
    /// 22021: a text that is none.
    pub fn not_utf8() -> SqlError {
        SqlError::new(PgSqlErrorCode::ERRCODE_CHARACTER_NOT_IN_REPERTOIRE, "a name or a text is not UTF8")
            .hint("Rename it, or mend the value.")
    }
    /// 55006: somebody uses it.
    pub fn in_use(message: impl Into<String>) -> SqlError {
        SqlError::new(PgSqlErrorCode::ERRCODE_OBJECT_IN_USE, message)
    }
    /// 42501: not allowed.
    pub fn privilege(message: impl Into<String>) -> SqlError {
        SqlError::new(PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE, message)
    }
    /// 0A000: not supported.
    pub fn unsupported(message: impl Into<String>) -> SqlError {
        SqlError::new(PgSqlErrorCode::ERRCODE_FEATURE_NOT_SUPPORTED, message)
    }
    /// 54000: beyond a limit.
    pub fn limit(message: impl Into<String>) -> SqlError {
        SqlError::new(PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED, message)
    }
    /// 2D000: the caller's transaction cannot end here.
    pub fn transaction_termination(message: impl Into<String>) -> SqlError {
        SqlError::new(PgSqlErrorCode::ERRCODE_INVALID_TRANSACTION_TERMINATION, message)
    }
    /// 40001: somebody else was quicker.
    pub fn serialization(message: impl Into<String>) -> SqlError {
        SqlError::new(PgSqlErrorCode::ERRCODE_T_R_SERIALIZATION_FAILURE, message)
    }
    /// 55P03: a lock could not be had in time.
    pub fn not_available(message: impl Into<String>) -> SqlError {
        SqlError::new(PgSqlErrorCode::ERRCODE_LOCK_NOT_AVAILABLE, message)
    }
    /// 08006: another server cannot be reached.
    pub fn connection(message: impl Into<String>) -> SqlError {
        SqlError::new(PgSqlErrorCode::ERRCODE_CONNECTION_FAILURE, message)
    }
    /// What another server says.
    pub fn of_server(code: PgSqlErrorCode, message: String) -> SqlError {
        SqlError::new(code, message)
    }
    /// XX000: a fault of ours.
    pub fn internal(message: impl Into<String>) -> SqlError {
        SqlError::new(PgSqlErrorCode::ERRCODE_INTERNAL_ERROR, message)
    }

    /// An error of PostgreSQL's that was caught and rolled back.
    pub fn caught(error: &ErrorReportWithLevel) -> SqlError {
        SqlError {
            code: error.sql_error_code(),
            message: error.message().to_string(),
            detail: error.detail().map(String::from),
            hint: error.hint().map(String::from),
            is_foreign: true,
        }
    }

    /// Whether memory has run out, or the budget for it.
    pub fn is_of_memory(&self) -> bool {
        self.code == PgSqlErrorCode::ERRCODE_OUT_OF_MEMORY || self.message == OVER_BUDGET
    }

    /// Whether there was not enough of something: memory, files or what the administrator allows (classes 53 and 54).
    pub fn is_of_resources(&self) -> bool {
        self.is_of_class("53") || self.is_of_class("54")
    }

    fn is_of_class(&self, class: &str) -> bool {
        self.sqlstate().starts_with(class)
    }

    /// Its SQLSTATE, as five characters.
    fn sqlstate(&self) -> String {
        // SAFETY: writes five characters and a zero into a buffer of its own.
        let state = unsafe { CStr::from_ptr(pg_sys::unpack_sql_state(self.code as c_int)) };
        state.to_string_lossy().into_owned()
    }

    /// What may be kept of it: the SQLSTATE and our own message. A message of somebody else's code may hold values of a source.
    pub fn without_values(&self) -> String {
        let state = self.sqlstate();
        match self.is_foreign {
            true => format!("SQLSTATE {state}"),
            false => format!("{} (SQLSTATE {state})", self.message),
        }
    }

    /// Its SQLSTATE.
    pub fn code(&self) -> PgSqlErrorCode {
        self.code
    }
    /// Its message.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// All that it says, on one line.
    pub fn in_full(&self) -> String {
        let more = self.detail.iter().map(|detail| format!(" DETAIL: {detail}"));
        let more = more.chain(self.hint.iter().map(|hint| format!(" HINT: {hint}"))).collect::<String>();
        clipped_to(&format!("{}{more}", self.message).replace('\n', " "), LONGEST_MESSAGE).into_owned()
    }

    /// With a DETAIL.
    pub fn detail(mut self, detail: impl Into<String>) -> SqlError {
        self.detail = Some(detail.into());
        self
    }
    /// Whether there is a DETAIL.
    pub fn has_detail(&self) -> bool {
        self.detail.is_some()
    }
    /// With a HINT.
    pub fn hint(mut self, hint: impl Into<String>) -> SqlError {
        self.hint = Some(hint.into());
        self
    }

    /// With a sentence more in the HINT.
    pub fn also(mut self, hint: &str) -> SqlError {
        self.hint = Some(self.hint.map_or(hint.into(), |first| format!("{first} {hint}")));
        self
    }

    /// Tells it, and goes on.
    pub fn warn(self) {
        warn_with_hint(self.message, self.detail.unwrap_or_default(), self.hint.unwrap_or_default());
    }

    /// Tells what comes of it, and goes on.
    pub fn warn_that(self, message: String, consequence: &str) {
        let cause = self.detail.unwrap_or(self.message);
        let detail = format!("{cause} {consequence}");
        warn_with_hint(message, detail, self.hint.unwrap_or_default());
    }

    /// Ends the statement.
    pub fn raise(self) -> ! {
        // Whatever an argument or a value brought into it.
        let clipped = |text: &str| clipped_to(text, LONGEST_MESSAGE).into_owned();
        let mut report = ErrorReport::new(self.code, clipped(&self.message), function_name!());
        if let Some(detail) = self.detail {
            report = report.set_detail(clipped(&detail));
        }
        if let Some(hint) = self.hint {
            report = report.set_hint(clipped(&hint));
        }
        // What it was caught of has its CONTEXT.
        Entry::for_good();
        report.report(PgLogLevel::ERROR);
        unreachable!("an ERROR does not return")
    }
}

/// Tells the caller something, and goes on.
pub fn warn(message: impl Into<String>, detail: impl Into<String>) {
    ErrorReport::new(PgSqlErrorCode::ERRCODE_WARNING, message.into(), function_name!())
        .set_detail(detail)
        .report(PgLogLevel::WARNING);
}

/// Warns the caller where there is a way out.
pub fn warn_with_hint(message: impl Into<String>, detail: impl Into<String>, hint: impl Into<String>) {
    ErrorReport::new(PgSqlErrorCode::ERRCODE_WARNING, message.into(), function_name!())
        .set_detail(detail)
        .set_hint(hint)
        .report(PgLogLevel::WARNING);
}

/// Tells the caller that there is another way.
pub fn tell(message: impl Into<String>, hint: impl Into<String>) {
    ErrorReport::new(PgSqlErrorCode::ERRCODE_SUCCESSFUL_COMPLETION, message.into(), function_name!())
        .set_hint(hint)
        .report(PgLogLevel::NOTICE);
}

/// The value, or the end of the statement; that, too, if there is too little memory to go on.
pub fn or_raise<T>(result: Result<T>) -> T {
    let room = allocator::prepare().map_err(SqlError::from);
    result.and_then(|value| room.map(|()| value)).unwrap_or_else(|error| error.raise())
}

impl From<pgrx::spi::Error> for SqlError {
    fn from(error: pgrx::spi::Error) -> SqlError {
        match error {
            // A release's tables and views are found by name; their owner may have put others there.
            pgrx::spi::Error::DatumError(error) => {
                SqlError::state("a relation has columns of other types than it should")
                    .detail(error.to_string())
            }
            error => SqlError::internal(format!("SPI: {error}")),
        }
    }
}

impl From<topdown::Error> for SqlError {
    fn from(error: topdown::Error) -> SqlError {
        match error {
            topdown::Error::Cancelled => SqlError::new(PgSqlErrorCode::ERRCODE_QUERY_CANCELED, "cancelled"),
            topdown::Error::Memory { needed, budget } => SqlError::limit(OVER_BUDGET)
                .detail(format!("{needed} bytes or more are needed, {budget} are allowed."))
                .hint(format!(
                    "{RAISE_MEMORY} Columns of many distinct values take most, those that are only kept too."
                )),
            topdown::Error::OutOfMemory { bytes } => {
                SqlError::new(PgSqlErrorCode::ERRCODE_OUT_OF_MEMORY, "out of memory")
                    .detail(format!(
                "{bytes} bytes could not be had beside {} that the call holds outside PostgreSQL's memory.",
                allocator::held()
            ))
                    .hint(allocator::HINT.to_string_lossy())
            }
            topdown::Error::TooManyRows { .. } => SqlError::limit(error.to_string()),
            // What can be asked for is refused before, with what can be asked for instead.
            topdown::Error::Unsound(what) | topdown::Error::Internal(what) => SqlError::internal(what),
            // Whoever knows what was asked for makes a better message of it.
            topdown::Error::Unsatisfiable { .. } => SqlError::state(error.to_string()),
        }
    }
}

const OVER_BUDGET: &str = "memory budget exceeded";

/// How many faults beside the first a message names.
const SHOWN_FAULTS: usize = 20;

/// Collects faults, so that a caller hears of all of them at once.
#[derive(Debug, Clone, Default)]
pub struct Faults(Vec<SqlError>);

impl Faults {
    /// Takes a fault in.
    pub fn add(&mut self, fault: SqlError) {
        self.0.push(fault);
    }
    /// Takes others in.
    pub fn extend(&mut self, others: Faults) {
        self.0.extend(others.0);
    }
    /// The value; a fault is taken in.
    pub fn ok<T>(&mut self, result: Result<T>) -> Option<T> {
        result.map_err(|fault| self.add(fault)).ok()
    }
    /// The first fault, the others in its DETAIL.
    pub fn finish(self) -> Result<()> {
        let mut faults = self.0.into_iter();
        let Some(mut first) = faults.next() else { return Ok(()) };
        let mut others: Vec<String> = Vec::new();
        others.extend(first.detail.take());
        for other in faults.by_ref().take(SHOWN_FAULTS) {
            let more = other.detail.map(|more| format!(" ({more})")).unwrap_or_default();
            others.push(format!("Also: {}{more}", other.message));
        }
        let more = faults.count();
        if more > 0 {
            others.push(format!("And {more} more."));
        }
        first.detail = (!others.is_empty()).then(|| others.join("\n"));
        Err(first)
    }
}

/// How long a message, a DETAIL or a HINT is at most.
pub const LONGEST_MESSAGE: usize = 4000;
