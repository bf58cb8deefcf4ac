//! The install script that is committed is the one that the installed library's code makes.

use client_tests::connect;
use client_tests::schema::script;
use std::path::{Path, PathBuf};

#[test]
fn the_install_script_is_what_the_code_makes() {
    let mut db = connect();
    let directory: String =
        db.query_one("SELECT setting FROM pg_config WHERE name = 'PKGLIBDIR'", &[]).unwrap().get(0);
    let library = PathBuf::from(directory).join("pg_topdown.so");
    let version = env!("CARGO_PKG_VERSION");
    let name = format!("sql/pg_topdown--{version}.sql");
    let committed = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(&name));
    let (committed, made) = (committed.unwrap(), script(&library));
    let other = committed.lines().zip(made.lines()).find(|(committed, made)| committed != made);
    assert!(committed == made, "{name} is not what the code makes, from {other:?} on: make schema");
}

/// The script may run with the rights of a superuser, in a schema in which others make functions meanwhile. What it calls it has made, and
/// names by all arguments, each of its own type.
#[test]
fn the_install_script_calls_nothing_of_anybody_else_s() {
    let finalize = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sql/finalize.sql");
    let script = std::fs::read_to_string(finalize).unwrap();
    let statements = script.lines().filter(|line| !line.starts_with("--")).collect::<Vec<_>>().join("\n");
    let is_call =
        |statement: &str| ["SELECT", "DO", "CALL", "WITH"].iter().any(|verb| statement.starts_with(verb));
    let calls: Vec<&str> =
        statements.split(';').map(str::trim).filter(|statement| is_call(statement)).collect();
    let [call] = calls[..] else { panic!("{calls:?}") };
    let (_, arguments) = call.split_once("privacy_keys(").expect("the call that looks at the encoding");
    let arguments: Vec<&str> = arguments.trim_end_matches(')').split(", ").collect();
    let types = connect()
        .query(
            "SELECT unnest(proargtypes)::oid::regtype::text FROM pg_proc WHERE proname = 'privacy_keys'",
            &[],
        )
        .unwrap();
    assert_eq!(arguments.len(), types.len(), "{arguments:?}");
    assert!(arguments.iter().all(|argument| argument.contains("::pg_catalog.")), "{arguments:?}");
}
