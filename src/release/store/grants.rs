//! Who may see a release: nobody, until release_grant says so, and then the view, the cut and what the release
//! says of itself.

use crate::postgres::error::{some_of, warn, Result, SqlError};
use crate::postgres::locks::Mode;
use crate::postgres::operation::Operation;
use crate::postgres::sql::{self, qualified, quote, Values};
use crate::release::store::alone::{must_be_alone, Droppable};
use crate::release::store::manifest::must_exist;
use crate::release::store::tables::{
    private_schema, relations, shown, version_tables, TABLES, UNFOLDED, VERSIONS,
};
use pgrx::pg_sys::Oid;

/// `PUBLIC`, or a role, quoted. SQL has no way to write an empty name.
pub fn grantee(name: &str) -> Result<String> {
    match name {
        "" => Err(SqlError::no_role(name)),
        "public" => Ok("PUBLIC".into()),
        _ => Ok(quote(name)),
    }
}

/// Lets somebody read the view, the cut and `about`.
pub fn grant(release: &str, to: &str) -> Result<()> {
    let _operation = Operation::writing()?;
    let (existing, _owner) = must_exist(release, Mode::Change)?;
    if existing.owner == to {
        return Ok(());
    }
    let to = grantee(to)?;
    sql::run(&format!("GRANT USAGE ON SCHEMA {} TO {to}", quote(release)), &[])?;
    for object in shown(existing.schema, &existing.view) {
        sql::run(&format!("GRANT SELECT ON TABLE {} TO {to}", qualified(release, object)), &[])?;
    }
    Ok(())
}

/// Takes it back, with whatever else the owner gave on what is in the release, and what was passed on
/// of that; and says what others gave.
pub fn revoke(release: &str, from: &str) -> Result<()> {
    let _operation = Operation::writing()?;
    let (existing, _owner) = must_exist(release, Mode::Change)?;
    // The owner's own rights were not given by release_grant.
    if existing.owner == from {
        return Ok(());
    }
    let who = grantee(from)?;
    let owners = "c.relkind IN ('r', 'v', 'm', 'p', 'f', 'S') AND c.relowner = n.nspowner";
    for schema in [release, &private_schema(release)] {
        for (object, _) in relations(schema, owners, vec![])? {
            sql::run(&format!("REVOKE ALL ON TABLE {} FROM {who} CASCADE", qualified(schema, &object)), &[])?;
        }
        sql::run(&format!("REVOKE ALL ON SCHEMA {} FROM {who} CASCADE", quote(schema)), &[])?;
    }
    [release, &private_schema(release)]
        .into_iter()
        .try_for_each(|schema| warn_of_what_is_left(release, schema, from))
}

/// Nobody can take back what somebody else gave; and a role may still read by way of others.
fn warn_of_what_is_left(release: &str, schema: &str, from: &str) -> Result<()> {
    let role = "CASE WHEN $2 = 'public' THEN 0::pg_catalog.oid
                     ELSE (SELECT r.oid FROM pg_catalog.pg_roles r WHERE r.rolname = $2) END";
    let given = sql::rows(
        format!(
            "SELECT DISTINCT o.what, pg_catalog.pg_get_userbyid(a.grantor)::text
             FROM (SELECT 'schema ' || pg_catalog.quote_ident(n.nspname) AS what, n.nspacl AS acl
                   FROM pg_catalog.pg_namespace n WHERE n.nspname = $1
                   UNION ALL
                   SELECT pg_catalog.quote_ident(n.nspname) || '.' || pg_catalog.quote_ident(c.relname), acls.acl
                   FROM pg_catalog.pg_namespace n JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid
                   CROSS JOIN LATERAL (SELECT c.relacl AS acl UNION ALL
                                       SELECT t.attacl FROM pg_catalog.pg_attribute t WHERE t.attrelid = c.oid) acls
                   WHERE n.nspname = $1) o, pg_catalog.aclexplode(o.acl) a
             WHERE a.grantee = {role} ORDER BY 1, 2"
        ),
        &[schema.into(), from.into()],
        |row| Ok((row.not_null::<String>(1)?, row.not_null::<String>(2)?)),
    )?;
    for (object, grantor) in &given {
        warn(
            format!("\"{from}\" keeps rights on {object}"),
            format!("They were granted by \"{grantor}\", who alone can take them back."),
        );
    }
    if from == "public" || !given.is_empty() {
        return Ok(());
    }
    let readable = relations(
        schema,
        "c.relkind IN ('r', 'v', 'm', 'p', 'f')
         AND EXISTS (SELECT FROM pg_catalog.pg_roles r WHERE r.rolname = $2)
         AND pg_catalog.has_schema_privilege($2::name, n.oid, 'USAGE')
         AND pg_catalog.has_any_column_privilege($2::name, c.oid, 'SELECT')",
        vec![from.into()],
    )?;
    if !readable.is_empty() {
        warn(
            format!("\"{from}\" can still read of release \"{release}\": {}", names(&readable)),
            "As a superuser, a member of a role that may, or because everybody may.",
        );
    }
    Ok(())
}

/// Relations as a message names them.
fn names(relations: &[(String, Oid)]) -> String {
    some_of(relations.iter().map(|(name, _)| name))
}

/// What is no part of a release keeps it from being dropped.
fn nothing_else(schema: &str) -> Result<()> {
    let others = relations(schema, "true", vec![])?;
    if others.is_empty() {
        return Ok(());
    }
    Err(SqlError::state(format!("schema \"{schema}\" holds objects that are no part of the release"))
        .detail(format!("They are {}.", names(&others)))
        .hint("Move them to another schema first: ALTER ... SET SCHEMA."))
}

/// What others have made a partition of its rows keeps it, too.
fn nothing_attached(release: &str, others: &[(String, Oid)]) -> Result<()> {
    if others.is_empty() {
        return Ok(());
    }
    Err(SqlError::state(format!("the rows of release \"{release}\" have partitions that are no part of it"))
        .detail(format!("They are {}.", names(others)))
        .hint("Take them out first: ALTER TABLE ... DETACH PARTITION ..."))
}

/// Drops a release: its own objects and its schemas. What others built on it, or put into its
/// schemas, is left to them: then nothing is dropped. Of half a release it drops the private schema, and what is proven to
/// belong to it of the other.
pub fn drop_release(release: &str) -> Result<()> {
    let _operation = Operation::writing()?;
    // All of it alone from the start: whoever has a part of it may be waiting for another.
    let Droppable { half, views, .. } = &must_be_alone(release)?;
    let private = &private_schema(release);
    for view in views {
        sql::run(&format!("DROP VIEW {}", qualified(&view.schema, &view.name)), &[])?;
    }
    for view in UNFOLDED.iter().filter(|view| sql::relation_in(half.private, view.name).is_some()) {
        sql::run(&format!("DROP VIEW {}", qualified(private, view.name)), &[])?;
    }
    let drop = |table: &str| sql::run(&format!("DROP TABLE IF EXISTS {}", qualified(private, table)), &[]);
    for (_, table, _) in version_tables(private, i32::MAX)? {
        drop(&table)?;
    }
    if let Some(all) = sql::relation_in(half.private, VERSIONS) {
        // They would go with the table that they are partitions of, wherever they are.
        let query = "SELECT c.oid::pg_catalog.regclass::text, c.oid FROM pg_catalog.pg_inherits i
                     JOIN pg_catalog.pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = $1 ORDER BY 1";
        let attached = sql::rows(query, &[all.into()], |row| Ok((row.not_null(1)?, row.not_null(2)?)))?;
        nothing_attached(release, &attached)?;
    }
    drop(VERSIONS)?;
    TABLES.iter().try_for_each(|table| drop(table.name).map(|_| ()))?;
    nothing_else(private)?;
    sql::run(&format!("DROP SCHEMA {}", quote(private)), &[])?;
    let mut schemas: Vec<&str> = views.iter().map(|view| view.schema.as_str()).collect();
    schemas.push(release);
    schemas.dedup();
    for schema in schemas {
        let owner = sql::value::<Oid>(
            "SELECT n.nspowner FROM pg_catalog.pg_namespace n WHERE n.nspname = $1",
            &[schema.into()],
        )?;
        if owner != Some(half.owner) {
            continue;
        }
        let is_its_own = schema == release;
        if is_its_own {
            nothing_else(schema)?;
        }
        if is_its_own || relations(schema, "true", vec![])?.is_empty() {
            sql::run(&format!("DROP SCHEMA {}", quote(schema)), &[])?;
        }
    }
    Ok(())
}
