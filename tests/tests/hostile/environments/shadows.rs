//! Objects that bear the names of ours and of PostgreSQL's, in front of them on the caller's search
//! path: temporary ones of the caller's own, and operators, functions, types and tables of mallory's.

use super::{hostile, Hostile};

/// Functions of PostgreSQL's that statements of the extension may call, by their argument types.
const FUNCTIONS: &[(&str, &str, &str)] = &[
    ("count", "anyelement", "bigint"),
    ("sum", "bigint", "numeric"),
    ("unnest", "anyarray", "text"),
    ("unnest", "text[]", "text"),
    ("array_agg", "text", "text[]"),
    ("format", "text, VARIADIC text[]", "text"),
    ("parse_ident", "text", "text[]"),
    ("quote_ident", "text", "text"),
    ("num_nulls", "text", "int"),
    ("format_type", "oid, int", "text"),
    ("pg_get_userbyid", "oid", "name"),
    ("has_schema_privilege", "oid, text", "boolean"),
    ("has_table_privilege", "oid, text", "boolean"),
    ("has_column_privilege", "oid, oid, text, text", "boolean"),
    ("jsonb_build_object", "text, text", "jsonb"),
    ("ln", "float8", "float8"),
    ("lower", "int4range", "int"),
    ("text", "evil.e", "text"),
    ("k_anonymity", "text[], int", "text"),
    ("by_taxonomy", "text, regclass", "text"),
    ("tds_anonymize", "text, name, text", "text"),
];

/// Operators, by their sides.
const OPERATORS: &[(&str, &str, &str)] = &[
    ("=", "text", "text"),
    ("=", "name", "text"),
    ("=", "name", "name"),
    ("=", "oid", "oid"),
    ("=", "int", "int"),
    ("=", "\"char\"", "\"char\""),
    ("=", "text[]", "text[]"),
    ("=", "evil.e", "evil.e"),
    ("<>", "text", "text"),
    ("<", "text", "text"),
    ("<", "evil.e", "evil.e"),
    (">", "float8", "float8"),
    ("/", "float8", "float8"),
    ("~", "text", "text"),
    ("~", "name", "text"),
    ("||", "text", "text"),
    ("||", "name", "text"),
    ("||", "jsonb", "jsonb"),
];

fn in_schema(schema: &str) -> String {
    let mut sql = String::new();
    for (i, (name, left, right)) in OPERATORS.iter().enumerate() {
        let result = if *name == "||" {
            "text"
        } else if *name == "/" {
            "float8"
        } else {
            "boolean"
        };
        sql += &format!(
            "CREATE FUNCTION {schema}.operator_{i}({left}, {right}) RETURNS {result} LANGUAGE plpgsql AS
             $$BEGIN PERFORM evil.bait('operator {name} ({left}, {right})'); RETURN NULL; END$$;
             CREATE OPERATOR {schema}.{name} (LEFTARG = {left}, RIGHTARG = {right}, FUNCTION = {schema}.operator_{i});"
        );
    }
    sql
}

fn functions() -> String {
    let function = |(name, arguments, result): &(&str, &str, &str)| {
        format!(
            "CREATE FUNCTION evil.{name}({arguments}) RETURNS {result} LANGUAGE plpgsql AS
             $$BEGIN PERFORM evil.bait('function {name}'); RETURN NULL; END$$;"
        )
    };
    FUNCTIONS.iter().map(function).collect()
}

const TABLES: &str = "
    CREATE VIEW evil.pg_class AS SELECT evil.bait('pg_class') AS oid, 'x'::name AS relname;
    CREATE VIEW evil.pg_namespace AS SELECT evil.bait('pg_namespace') AS oid, 'x'::name AS nspname;
    CREATE VIEW evil.pg_attribute AS SELECT evil.bait('pg_attribute') AS attrelid;
    CREATE VIEW evil.manifest AS SELECT evil.bait('manifest') AS version;
    CREATE VIEW evil.cut AS SELECT evil.bait('cut') AS version;
    CREATE DOMAIN evil.bigint AS pg_catalog.int8 CHECK (evil.bait('bigint'));
    CREATE DOMAIN evil.int4 AS pg_catalog.int4 CHECK (evil.bait('int4'));
    CREATE DOMAIN evil.jsonb AS pg_catalog.jsonb CHECK (evil.bait('jsonb'));
    CREATE DOMAIN evil.float8 AS pg_catalog.float8 CHECK (evil.bait('float8'));
    CREATE DOMAIN evil.text AS pg_catalog.text CHECK (evil.bait('text'));
    CREATE DOMAIN evil.regclass AS pg_catalog.regclass CHECK (evil.bait('regclass'));
    CREATE TYPE evil.privacy_model AS (a int);
    CREATE TYPE evil.masking AS (a int);
    GRANT SELECT ON ALL TABLES IN SCHEMA evil TO PUBLIC";

const TEMPORARY: &str = "
    CREATE TEMP TABLE pg_class (oid oid, relname name);
    CREATE TEMP TABLE pg_namespace (oid oid, nspname name);
    CREATE TEMP TABLE pg_attribute (attrelid oid);
    CREATE TEMP TABLE pg_type (oid oid);
    CREATE TEMP TABLE manifest (version int);
    CREATE TEMP TABLE people (city int);
    CREATE TEMP TABLE cut (version int);
    CREATE DOMAIN pg_temp.text AS pg_catalog.int4;
    CREATE DOMAIN pg_temp.float8 AS pg_catalog.int4;
    CREATE DOMAIN pg_temp.int8 AS pg_catalog.text;
    CREATE TYPE pg_temp.privacy_model AS (a pg_catalog.int4);
    CREATE TYPE pg_temp.masking AS (a pg_catalog.int4);
    CREATE TYPE pg_temp.k_anonymity AS (a pg_catalog.int4);
    SET search_path = pg_temp, evil, public, pg_catalog";

pub fn shadows() -> Vec<Hostile> {
    // The caller names what is public's or PostgreSQL's in full, so a bait that is taken was taken by
    // the extension.
    let path = "SET search_path = evil, pg_temp, public, pg_catalog";
    let everything = |_: &super::Call| true;
    vec![
        Hostile { session: TEMPORARY, matters: everything, ..hostile("temporary objects called as PostgreSQL's", &[]) },
        Hostile { session: path, matters: everything, ..hostile("operators in front of PostgreSQL's", &[("mallory", &in_schema("evil"))]) },
        Hostile { session: path, matters: everything, ..hostile("functions in front of PostgreSQL's", &[("mallory", &functions())]) },
        Hostile { session: path, matters: everything, ..hostile("tables and types in front of PostgreSQL's", &[("mallory", TABLES)]) },
        Hostile {
            session: "SET search_path = public; SET DateStyle = 'SQL, DMY'; SET IntervalStyle = sql_standard; SET extra_float_digits = -15; SET bytea_output = escape;
                SET quote_all_identifiers = on; SET transform_null_equals = on; SET standard_conforming_strings = off; SET backslash_quote = on; SET array_nulls = off;
                SET row_security = off; SET default_transaction_isolation = serializable; SET check_function_bodies = off; SET default_table_access_method = heap;
                SET enable_hashagg = off; SET enable_sort = off; SET work_mem = '64kB'; SET temp_tablespaces = ''; SET default_tablespace = ''",
            matters: everything,
            ..hostile("operators in public, and hostile settings", &[("mallory", &in_schema("public"))])
        },
        Hostile {
            // It is called so from version 16 on, and otherwise before.
            session: "SELECT set_config(name, 'on', false) FROM pg_settings WHERE name IN ('debug_parallel_query', 'force_parallel_mode');
                SET parallel_setup_cost = 0; SET min_parallel_table_scan_size = 0; SET search_path = pg_catalog",
            matters: |call| ["privacy_check", "tds_steps"].contains(&call.function),
            ..hostile("everything is run in parallel", &[])
        },
    ]
}
