//! The extension installs, leaves nothing behind, and the loaders load what they say.

use client_tests::{connect, load_adult, load_crx, load_taxonomies, run, server, Database};
use postgres::error::SqlState;
use postgres::{Client, NoTls};

#[test]
fn installs() {
    let mut db = connect();
    let version: String = db
        .query_one("SELECT extversion::text FROM pg_extension WHERE extname = 'pg_topdown'", &[])
        .unwrap()
        .get(0);
    assert_eq!(version, env!("CARGO_PKG_VERSION"));
}

#[test]
fn drop_extension_leaves_nothing() {
    let mut db = Database::empty();
    assert_eq!(objects(&mut db), []);
    db.batch_execute("CREATE EXTENSION pg_topdown").unwrap();
    assert_ne!(objects(&mut db), []);
    db.batch_execute("DROP EXTENSION pg_topdown").unwrap();
    assert_eq!(objects(&mut db), []);
}

/// What is in a database beyond a fresh one, wherever it is catalogued: it has an oid from 16384 on.
fn objects(db: &mut Client) -> Vec<(String, u32)> {
    let catalogs = "SELECT relname::text FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attname = 'oid' \
        WHERE relnamespace = 'pg_catalog'::regnamespace AND relkind = 'r' AND NOT relisshared";
    let catalogs: Vec<String> = db.query(catalogs, &[]).unwrap().iter().map(|row| row.get(0)).collect();
    assert!(catalogs.len() > 30, "{catalogs:?}");
    let each =
        catalogs.iter().map(|name| format!("SELECT '{name}', oid FROM pg_catalog.{name} WHERE oid >= 16384"));
    let found = db.query(&each.collect::<Vec<_>>().join(" UNION ALL "), &[]).unwrap();
    found.iter().map(|row| (row.get(0), row.get(1))).collect()
}

/// In a database of another encoding there are not even constructors.
#[test]
fn other_encodings_are_refused() {
    let mut db = Database::empty();
    run(&mut db, "CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0");
    let mut latin = server().dbname("latin").connect(NoTls).unwrap();
    let error = latin.batch_execute("CREATE EXTENSION pg_topdown").unwrap_err();
    assert_eq!(error.code().map(SqlState::code), Some("0A000"), "{error}");
    assert_eq!(objects(&mut latin), []);
    drop(latin);
    run(&mut db, "DROP DATABASE latin");
}

#[test]
fn loads_adult() {
    let mut db = connect();
    let Some(rows) = load_adult(&mut db) else { return };
    assert_eq!(rows, 45_222);
    let classes = db.query("SELECT income, count(*) FROM adult GROUP BY 1 ORDER BY 1", &[]).unwrap();
    let classes: Vec<(&str, i64)> = classes.iter().map(|row| (row.get(0), row.get(1))).collect();
    assert_eq!(classes, [("<=50K", 34_014), (">50K", 11_208)]);
}

#[test]
fn loads_crx() {
    let mut db = connect();
    let Some(rows) = load_crx(&mut db) else { return };
    assert_eq!(rows, 653);
}

/// Every value of the data is a leaf of its column's taxonomy, and each taxonomy has one root.
#[test]
fn loads_taxonomies() {
    let mut db = connect();
    let Some(tables) = load_taxonomies(&mut db) else { return };
    let Some(_) = load_adult(&mut db) else { return };
    assert_eq!(tables.len(), 8);
    for table in tables {
        let column = table.trim_start_matches("tax_");
        let strangers = format!(
            "SELECT DISTINCT {column} FROM adult WHERE {column} NOT IN \
               (SELECT child FROM {table} t WHERE NOT EXISTS (SELECT FROM {table} u WHERE u.parent = t.child))"
        );
        assert!(db.query(&strangers, &[]).unwrap().is_empty(), "{table}");
        let roots =
            format!("SELECT DISTINCT parent FROM {table} WHERE parent NOT IN (SELECT child FROM {table})");
        assert_eq!(db.query(&roots, &[]).unwrap().len(), 1, "{table}");
    }
}
