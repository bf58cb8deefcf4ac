//! SQL statements of our own: text built from quoted identifiers, values as bound parameters.

use crate::error::{Result, SqlError};
use pgrx::datum::DatumWithOid;
use pgrx::prelude::*;
use pgrx::spi::{quote_identifier, SpiHeapTupleData};

/// Runs a statement; the rows it touched.
pub fn run(sql: &str, args: &[DatumWithOid]) -> Result<usize> {
    Spi::connect_mut(|client| Ok(client.update(sql, None, args)?.len()))
}

/// The rows of a query, under a fresh snapshot.
pub fn rows<T>(
    sql: &str,
    args: &[DatumWithOid],
    mut row: impl FnMut(&SpiHeapTupleData) -> pgrx::spi::Result<T>,
) -> Result<Vec<T>> {
    Spi::connect_mut(|client| {
        client.update(sql, None, args)?.map(|tuple| row(&tuple).map_err(SqlError::from)).collect()
    })
}

/// The rows of a query, by a verb that writes nothing and may run where nothing can be written.
pub fn look<T>(
    sql: &str,
    args: &[DatumWithOid],
    mut row: impl FnMut(&SpiHeapTupleData) -> pgrx::spi::Result<T>,
) -> Result<Vec<T>> {
    Spi::connect(|client| {
        client.select(sql, None, args)?.map(|tuple| row(&tuple).map_err(SqlError::from)).collect()
    })
}

/// An identifier, quoted where it must be.
pub fn quote(name: &str) -> String {
    quote_identifier(name)
}

/// The longest name PostgreSQL keeps, in bytes.
const NAME_BYTES: usize = 63;

/// A name with a suffix; a long name is clipped so that its suffix fits.
pub fn suffixed(name: &str, suffix: &str) -> String {
    let mut end = name.len().min(NAME_BYTES - suffix.len());
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}{suffix}", &name[..end])
}

/// A qualified name, quoted where it must be.
pub fn qualified(schema: &str, name: &str) -> String {
    format!("{}.{}", quote(schema), quote(name))
}

/// Identifiers, quoted, with commas between.
pub fn quoted_list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names.into_iter().map(quote).collect::<Vec<_>>().join(", ")
}
