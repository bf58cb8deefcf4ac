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
