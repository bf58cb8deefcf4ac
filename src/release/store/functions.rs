//! Who may make releases: whoever may call the functions that PUBLIC may not. Which these are the catalogs say, not a
//! list: those of the extension, in its library, that PUBLIC may not execute. So a right that an administrator took
//! from PUBLIC is given by the same call, and what somebody else has made a member of the extension is not.
//!
//! Rights are given with those of the caller. PostgreSQL only warns where a caller may execute a function and may not
//! hand that on; here it is an error, before anything is given.

use crate::postgres::error::{some_of, tell, Result, SqlError};
use crate::postgres::operation::{self, Operation};
use crate::postgres::sql::{self, quote, Values};
use crate::release::store::grants::grantee;

/// Lets somebody call every function that makes, changes, grants or drops releases.
pub fn grant_functions(to: &str) -> Result<()> {
    let _operation = Operation::writing()?;
    let who = grantee(to)?;
    let functions = sql::rows(
        "SELECT p.oid::pg_catalog.regprocedure::text, p.proname::text,
                pg_catalog.has_function_privilege(p.oid, 'EXECUTE WITH GRANT OPTION')
         FROM pg_catalog.pg_extension e
         JOIN pg_catalog.pg_depend d ON d.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass AND d.refobjid = e.oid
          AND d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.deptype = 'e'
         JOIN pg_catalog.pg_proc p ON p.oid = d.objid AND p.prosrc = p.proname || '_wrapper' AND p.probin = '$libdir/pg_topdown'
         JOIN pg_catalog.pg_language l ON l.oid = p.prolang AND l.lanname = 'c'
         WHERE e.extname = 'pg_topdown' AND NOT pg_catalog.has_function_privilege('public', p.oid, 'EXECUTE')
         ORDER BY p.proname",
        &[],
        |row| Ok((row.not_null::<String>(1)?, row.not_null::<String>(2)?, row.not_null::<bool>(3)?)),
    )?;
    let not_ours = || functions.iter().filter(|(.., may)| !may).map(|(_, name, _)| name);
    if not_ours().next().is_some() {
        let me = operation::acting_role();
        return Err(SqlError::privilege(format!(
            "role \"{me}\" may not hand on EXECUTE on the functions of pg_topdown"
        ))
        .detail(format!("These are {}.", some_of(not_ours())))
        .hint("Have a superuser or the owner of the database call release_functions()."));
    }
    let all: Vec<&str> = functions.iter().map(|(signature, ..)| signature.as_str()).collect();
    if !all.is_empty() {
        sql::run(&format!("GRANT EXECUTE ON ROUTINE {} TO {}", all.join(", "), who), &[])?;
    }
    tell_of_the_database(to, &who)
}

/// A release is a schema, which not everybody may make.
fn tell_of_the_database(to: &str, who: &str) -> Result<()> {
    let query = "SELECT pg_catalog.current_database()::text
                 WHERE NOT pg_catalog.has_database_privilege($1::name, pg_catalog.current_database(), 'CREATE')";
    if let Some(database) = sql::value::<String>(query, &[to.into()])? {
        tell(
            format!("\"{to}\" may refresh and change releases, but not make a new one: that is a schema"),
            format!("GRANT CREATE ON DATABASE {} TO {who};", quote(&database)),
        );
    }
    Ok(())
}
