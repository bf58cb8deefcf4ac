//! The SQL functions, a file a family. Each takes its arguments, calls one thing, and turns an
//! error into an ERROR; what a function promises is in its comment in sql/finalize.sql and in the
//! README. (The constructors of models and maskings stand with what they make, in terms/.)

mod check;
mod columns;
mod keys;
mod kmember;
mod labels;
mod measures;
mod pda;
mod release;
mod suggest;
mod taxonomy;
mod tds;

use crate::postgres::arguments::{needed, Word};
use crate::postgres::error::{Faults, Result, SqlError};

/// An argument that is one of a few words; another word is a fault among others.
fn word<W: Word + Default>(word: &str, faults: &mut Faults) -> W {
    faults.ok(W::from_word(word)).unwrap_or_default()
}

/// An argument that counts something, of which there is at least one.
fn at_least_1(argument: &str, value: Option<i32>) -> Result<u64> {
    match needed(argument, value)? {
        value if value < 1 => Err(SqlError::parameter(format!("{argument} must be at least 1, not {value}"))),
        value => Ok(value as u64),
    }
}
