//! What is made for a release is nobody's but its owner's, whatever ALTER DEFAULT PRIVILEGES gives away.

use crate::postgres::error::Result;
use crate::postgres::sql::{self, qualified, quote};

/// A query for everybody but the owner who has a privilege on an object, quoted.
macro_rules! grantees {
    ($object:literal) => {
        concat!(
            "SELECT DISTINCT CASE WHEN a.grantee = 0 THEN 'PUBLIC'
                                  ELSE pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(a.grantee)) END
             FROM (",
            $object,
            ") o, pg_catalog.aclexplode(o.acl) a WHERE a.grantee <> o.owner"
        )
    };
}

const OF_SCHEMA: &str = grantees!(
    "SELECT n.nspacl AS acl, n.nspowner AS owner FROM pg_catalog.pg_namespace n WHERE n.nspname = $1"
);
const OF_TABLE: &str = grantees!(
    "SELECT c.relacl AS acl, c.relowner AS owner FROM pg_catalog.pg_class c
     JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = $2"
);
const OF_ROW_TYPE: &str = grantees!(
    "SELECT COALESCE(t.typacl, pg_catalog.acldefault('T', t.typowner)) AS acl, t.typowner AS owner
     FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     JOIN pg_catalog.pg_type t ON t.oid = c.reltype WHERE n.nspname = $1 AND c.relname = $2"
);

/// Takes away what ALTER DEFAULT PRIVILEGES gave to others on a new schema.
pub fn schema(name: &str) -> Result<()> {
    for grantee in sql::values::<String>(OF_SCHEMA, &[name.into()])? {
        sql::run(&format!("REVOKE ALL ON SCHEMA {} FROM {grantee}", quote(name)), &[])?;
    }
    Ok(())
}

/// Takes away what ALTER DEFAULT PRIVILEGES gave to others on a new table or view.
pub fn table(schema: &str, name: &str) -> Result<()> {
    let object = [schema.into(), name.into()];
    for grantee in sql::values::<String>(OF_TABLE, &object)? {
        sql::run(&format!("REVOKE ALL ON TABLE {} FROM {grantee}", qualified(schema, name)), &[])?;
    }
    // What somebody builds on the type of its rows would keep it from being dropped.
    for grantee in sql::values::<String>(OF_ROW_TYPE, &object)? {
        sql::run(&format!("REVOKE ALL ON TYPE {} FROM {grantee}", qualified(schema, name)), &[])?;
    }
    Ok(())
}
