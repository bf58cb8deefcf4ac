//! A relation that a release knows by its name. The next version reads whatever has the name by then, and what a view calls runs with
//! the rights of the release's owner: so it must still belong to somebody whom the release was given to read from.

use crate::postgres::error::{Result, SqlError};
use crate::postgres::names::Regclass;
use crate::postgres::operation;
use crate::postgres::sql::{self, Values};
use crate::read::source::Source;
use pgrx::pg_sys::Oid;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, OnceLock};

/// A qualified, quoted name, as JSON no more than that; and the role that owned the relation when the release was given it. Where it is
/// given now, that is who owns what is opened first. Clones share what they know.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct NamedRelation {
    name: String,
    owner: Arc<OnceLock<String>>,
}

impl NamedRelation {
    /// One that a release was given when a role owned it.
    pub fn owned(name: &str, owner: Option<&String>) -> NamedRelation {
        let owner = owner.cloned().map_or_else(OnceLock::new, OnceLock::from);
        NamedRelation { name: name.into(), owner: Arc::new(owner) }
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Looks the relation up and locks it, as [`Source::open`] does; none if nothing has the name. If it belongs to another role now,
    /// that is 55000, and an argument of release_alter() can name it again.
    pub fn open(&self, argument: &str) -> Result<Option<Source>> {
        let Some(oid) = sql::relation(&self.name)? else { return Ok(None) };
        let check = |before: &String| {
            may_stand_for(before, &self.name, oid).map_err(|fault| {
                fault.hint(format!(
                    "If whoever owns it now is to be trusted, name it again: release_alter(..., {argument} => ...)."
                ))
            })
        };
        // Another role's is not waited for. Who owns what is locked stays its owner.
        self.owner.get().map_or(Ok(()), check)?;
        let source = Source::open(Regclass(oid))?;
        match self.owner.get() {
            Some(before) => check(before)?,
            None => _ = self.owner.set(owner_of(oid)?),
        }
        Ok(Some(source))
    }

    /// The role that owned the relation when the release was given it.
    pub fn owner(&self) -> Option<&String> {
        self.owner.get()
    }
}

/// The role that owns a relation.
pub fn owner_of(relation: Oid) -> Result<String> {
    let query =
        "SELECT pg_catalog.pg_get_userbyid(c.relowner)::text FROM pg_catalog.pg_class c WHERE c.oid = $1";
    sql::value(query, &[relation.into()])?.ok_or_else(|| SqlError::no_oid(relation))
}

/// A relation must belong to the role that owned it before, or to one that has that role's rights anyway, or to whoever acts.
fn may_stand_for(before: &str, name: &str, relation: Oid) -> Result<()> {
    let query = "SELECT o.rolname::text,
                        o.rolname = $2 OR o.rolsuper OR o.oid = $3
                        OR EXISTS (SELECT FROM pg_catalog.pg_roles b
                                   WHERE b.rolname = $2 AND pg_catalog.pg_has_role(o.oid, b.oid, 'USAGE'))
                 FROM pg_catalog.pg_class c JOIN pg_catalog.pg_roles o ON o.oid = c.relowner WHERE c.oid = $1";
    let of = [relation.into(), before.into(), operation::acting().into()];
    let owner = |row: &pgrx::spi::SpiHeapTupleData<'_>| -> Result<(String, bool)> {
        Ok((row.not_null(1)?, row.not_null(2)?))
    };
    match sql::rows(query, &of, |row| owner(row))?.into_iter().next() {
        Some((_, true)) => Ok(()),
        Some((now, false)) => {
            Err(SqlError::state(format!("{name} belongs to another role than when the release was made"))
                .detail(format!("It belonged to \"{before}\", and belongs to \"{now}\".")))
        }
        None => Err(SqlError::no_oid(relation)),
    }
}

impl From<String> for NamedRelation {
    fn from(name: String) -> NamedRelation {
        NamedRelation { name, owner: Arc::default() }
    }
}

impl From<NamedRelation> for String {
    fn from(relation: NamedRelation) -> String {
        relation.name
    }
}

// Two are the same relation if they have the same name.
impl PartialEq for NamedRelation {
    fn eq(&self, other: &NamedRelation) -> bool {
        self.name == other.name
    }
}
