//! Who may see a release: nobody, until release_grant says so, and then the view and the cut.

use super::schema::{must_exist, version_tables, TABLES};
use crate::error::{Result, SqlError};
use crate::guc::FixedSettings;
use crate::sql::{self, qualified, quote};

/// Takes away what ALTER DEFAULT PRIVILEGES gave to others on a new schema.
pub fn strip_schema(schema: &str) -> Result<()> {
    let grantees = grantees(
        "SELECT n.nspacl AS acl, n.nspowner AS owner FROM pg_catalog.pg_namespace n WHERE n.nspname = $1",
        &[schema.into()],
    )?;
    for grantee in grantees {
        sql::run(&format!("REVOKE ALL ON SCHEMA {} FROM {grantee}", quote(schema)), &[])?;
    }
    Ok(())
}

/// Takes away what ALTER DEFAULT PRIVILEGES gave to others on a new table or view.
pub fn strip_table(schema: &str, table: &str) -> Result<()> {
    let grantees = grantees(
        "SELECT c.relacl AS acl, c.relowner AS owner FROM pg_catalog.pg_class c
         JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = $2",
        &[schema.into(), table.into()],
    )?;
    for grantee in grantees {
        sql::run(&format!("REVOKE ALL ON TABLE {} FROM {grantee}", qualified(schema, table)), &[])?;
    }
    Ok(())
}

/// Everybody but the owner who has a privilege on an object, quoted.
fn grantees(object: &str, args: &[pgrx::datum::DatumWithOid]) -> Result<Vec<String>> {
    let query = format!(
        "SELECT DISTINCT CASE WHEN a.grantee = 0 THEN 'PUBLIC'
                              ELSE pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(a.grantee)) END
         FROM ({object}) o, pg_catalog.aclexplode(o.acl) a WHERE a.grantee <> o.owner"
    );
    sql::rows(&query, args, |row| Ok(row.get::<String>(1)?.unwrap_or_default()))
}

/// `PUBLIC`, or a role, quoted.
fn grantee(name: &str) -> String {
    if name == "public" {
        "PUBLIC".into()
    } else {
        quote(name)
    }
}

/// Lets somebody read the view and the cut.
pub fn grant(release: &str, to: &str) -> Result<()> {
    let _settings = FixedSettings::enter()?;
    let (existing, _owner) = must_exist(release)?;
    if existing.owner == to {
        return Ok(());
    }
    let to = grantee(to);
    sql::run(&format!("GRANT USAGE ON SCHEMA {} TO {to}", quote(release)), &[])?;
    for object in [existing.view.as_str(), "cut"] {
        sql::run(&format!("GRANT SELECT ON TABLE {} TO {to}", qualified(release, object)), &[])?;
    }
    Ok(())
}

/// Takes it back.
pub fn revoke(release: &str, from: &str) -> Result<()> {
    let _settings = FixedSettings::enter()?;
    let (existing, _owner) = must_exist(release)?;
    // The owner's own rights were not given by release_grant.
    if existing.owner == from {
        return Ok(());
    }
    let from = grantee(from);
    for object in [existing.view.as_str(), "cut"] {
        sql::run(&format!("REVOKE ALL ON TABLE {} FROM {from}", qualified(release, object)), &[])?;
    }
    sql::run(&format!("REVOKE USAGE ON SCHEMA {} FROM {from}", quote(release)), &[])?;
    Ok(())
}

/// Drops a release: its own objects and its schema. What others built on it, or put into its
/// schema, is left to them: then nothing is dropped.
pub fn drop_release(release: &str) -> Result<()> {
    let _settings = FixedSettings::enter()?;
    super::schema::lock(release)?;
    let (existing, _owner) = must_exist(release)?;
    let present = sql::rows(
        "SELECT c.relname::text FROM pg_catalog.pg_class c
         JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
         WHERE n.nspname = $1 AND c.relkind = 'v' AND c.relname = $2",
        &[release.into(), existing.view.as_str().into()],
        |row| Ok(row.get::<String>(1)?.unwrap_or_default()),
    )?;
    for view in present {
        sql::run(&format!("DROP VIEW {}", qualified(release, &view)), &[])?;
    }
    let versions = version_tables(release, &existing.view, existing.version)?;
    for table in versions.iter().map(|(name, _)| name.as_str()).chain(TABLES) {
        sql::run(&format!("DROP TABLE IF EXISTS {}", qualified(release, table)), &[])?;
    }
    let others = sql::rows(
        "SELECT c.relname::text FROM pg_catalog.pg_class c
         JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 ORDER BY 1",
        &[release.into()],
        |row| Ok(row.get::<String>(1)?.unwrap_or_default()),
    )?;
    if !others.is_empty() {
        return Err(SqlError::state(format!(
            "schema \"{release}\" holds objects that are no part of the release"
        ))
        .detail(format!("They are {}.", crate::error::some_of(&others)))
        .hint("Move or drop them first, or use DROP SCHEMA ... CASCADE."));
    }
    sql::run(&format!("DROP SCHEMA {}", quote(release)), &[])?;
    Ok(())
}
