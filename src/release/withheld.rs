//! What the versions of a release have withheld: the combinations of source values on the masked columns, which the
//! owner alone may read. They are kept for good, because a row that was withheld once stays withheld.

use super::home::Home;
use super::manifest::{unreadable, Existing};
use super::tables::WITHHELD;
use crate::postgres::error::{Result, SqlError};
use crate::postgres::sql;
use crate::read::plan::look_at;
use crate::read::source::Source;
use crate::search::withheld::Combination;
use topdown::progress::Reservation;

/// The combinations that the versions so far have withheld, held under `memory`.
pub fn of(existing: &Existing, memory: &mut Reservation) -> Result<Vec<Combination>> {
    let table = Source::in_schema(existing.schema, WITHHELD.name)?;
    let query = format!("SELECT w.combinations FROM ONLY {} w ORDER BY w.version", table.qualified());
    let texts: Vec<Vec<String>> = look_at(&table, &query, &[], |row| {
        let texts = row.get::<Vec<String>>(1)?.unwrap_or_default();
        memory.grow(texts.iter().map(|text| size_of::<Combination>() + 2 * text.len()).sum())?;
        Ok(texts)
    })?;
    let parse = |text: &String| {
        serde_json::from_str(text).map_err(|fault| unreadable(format!("What was withheld: {fault}.")))
    };
    texts.iter().flatten().map(parse).collect()
}

/// Keeps the combinations that a version withholds and none before it did.
pub fn remember(home: &Home, combinations: &[Combination]) -> Result<()> {
    if combinations.is_empty() {
        return Ok(());
    }
    let text = |combination: &Combination| {
        serde_json::to_string(combination).map_err(|fault| SqlError::internal(fault.to_string()))
    };
    let texts = combinations.iter().map(text).collect::<Result<Vec<String>>>()?;
    let statement = format!("INSERT INTO {} VALUES ($1, $2)", home.object(WITHHELD.name));
    sql::run(&statement, &[home.version.into(), texts.into()]).map(drop)
}
