//! What needs a real server and a client: helpers for the tests in `tests/`.
//!
//! `make test` starts a private cluster and runs them on it. To run them on another server, where the
//! extension is installed, say which: `PG_TOPDOWN_TEST_URL="host=/tmp user=postgres" cargo test -p
//! client-tests`, or `PGHOST`, `PGPORT` and `PGUSER`. The role must be allowed to create databases and
//! extensions.
//!
//! ```no_run
//! let mut db = client_tests::connect();
//! let Some(rows) = client_tests::load_adult(&mut db) else { return };
//! assert_eq!(rows, 45_222);
//! ```

use std::env;
use std::fs;
use std::io::Write;
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

use postgres::{Client, Config, NoTls};

pub mod book;
pub mod bouncer;
pub mod calls;
pub mod citus;
pub mod cluster;
pub mod licences;
pub mod page;
pub mod people;
pub mod reference;
pub mod releases;
pub mod schema;
pub mod wire;
pub mod withheld;
pub mod work;

/// Whether random and large cases are as many as `make test-long` tries (LONG=1), not as few as every run does.
pub fn is_long() -> bool {
    env::var_os("LONG").is_some_and(|value| !value.is_empty())
}

/// A database of the test's own with the extension in it, and a session of the server's superuser there.
/// Use it as a [`Client`]; it is dropped with everything in it, other sessions included, at the end.
pub struct Database {
    client: Client,
    name: String,
}

impl Database {
    /// A new database without the extension.
    pub fn empty() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let name = format!("client_test_{}_{}", process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        admin(&format!("CREATE DATABASE {name} TEMPLATE template0"));
        Database { client: open(server().dbname(&name)), name }
    }

    /// Another session in the same database.
    pub fn session(&self) -> Client {
        open(server().dbname(&self.name))
    }

    /// Another session in the same database, as another role.
    pub fn session_as(&self, role: &str) -> Client {
        open(server().dbname(&self.name).user(role))
    }
}

impl Deref for Database {
    type Target = Client;
    fn deref(&self) -> &Client {
        &self.client
    }
}

impl DerefMut for Database {
    fn deref_mut(&mut self) -> &mut Client {
        &mut self.client
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        admin(&format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name));
    }
}

/// A new database with the extension.
pub fn connect() -> Database {
    let mut db = Database::empty();
    db.batch_execute("CREATE EXTENSION pg_topdown").expect("CREATE EXTENSION pg_topdown");
    db
}

/// The server under test, without a database.
pub fn server() -> Config {
    if let Ok(url) = env::var("PG_TOPDOWN_TEST_URL") {
        return url.parse().expect("PG_TOPDOWN_TEST_URL is no connection string");
    }
    let Ok(host) = env::var("PGHOST") else {
        panic!("no server to test on: run `make test`, or set PG_TOPDOWN_TEST_URL or PGHOST")
    };
    let mut config = Config::new();
    config.host(&host).user(&env::var("PGUSER").unwrap_or_else(|_| "postgres".into()));
    if let Ok(port) = env::var("PGPORT") {
        config.port(port.parse().expect("PGPORT is no port number"));
    }
    config
}

fn open(config: &Config) -> Client {
    config.connect(NoTls).unwrap_or_else(|error| panic!("{config:?}: {error}"))
}

fn admin(command: &str) {
    open(server().dbname("postgres"))
        .batch_execute(command)
        .unwrap_or_else(|error| panic!("{command}: {error}"));
}

/// Says something on standard error, past the test harness, which hides the output of what passes.
pub fn say(line: &str) {
    std::io::stderr().write_all(line.as_bytes()).expect("standard error is closed");
}

/// Runs statements that have to succeed.
pub fn run(db: &mut Client, statements: &str) {
    db.batch_execute(statements).unwrap_or_else(|error| panic!("{statements}: {error:?}"));
}

/// The rows that a query gives, each as one text.
pub fn rows(db: &mut Client, query: &str) -> Vec<String> {
    let query = format!("SELECT q::text FROM ({query}) q");
    let found = db.query(&query, &[]).unwrap_or_else(|error| panic!("{query}: {error:?}"));
    found.iter().map(|row| row.get(0)).collect()
}

/// The one number that a query gives.
pub fn number(db: &mut Client, query: &str) -> i64 {
    let found = rows(db, query);
    let number = found.first().and_then(|row| row.trim_matches(['(', ')']).parse().ok());
    number.unwrap_or_else(|| panic!("{query}: {found:?}"))
}

/// The directory of the shared data: `PG_TOPDOWN_DATA`, else `../shared/data` beside the repository.
///
/// `None` means that it is not there and that the caller has to return: the test has then been announced
/// as skipped (see [`skip`]).
pub fn data_dir() -> Option<PathBuf> {
    let dir = match env::var_os("PG_TOPDOWN_DATA") {
        Some(dir) => PathBuf::from(dir),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data"),
    };
    if dir.is_dir() {
        return Some(dir);
    }
    skip(&format!("no data at {}", dir.display()));
    None
}

/// Says that the test that runs is skipped, and why, on standard error (past the test harness, which hides the
/// output of what passes) and in the file `PG_TOPDOWN_SKIPS`, so that `make test` does not count it as passed.
pub fn skip(why: &str) {
    let thread = std::thread::current();
    let line = format!("SKIPPED: {}: {why}\n", thread.name().unwrap_or("a test"));
    say(&line);
    if let Some(file) = env::var_os("PG_TOPDOWN_SKIPS") {
        let mut skips =
            fs::OpenOptions::new().append(true).create(true).open(file).expect("PG_TOPDOWN_SKIPS");
        skips.write_all(line.as_bytes()).expect("PG_TOPDOWN_SKIPS");
    }
}

/// Table `adult`: training and test rows of UCI Adult without unknown values; returns how many.
/// `None`: no data, return (see [`data_dir`]).
#[must_use]
pub fn load_adult(client: &mut Client) -> Option<u64> {
    let dir = data_dir()?.join("adult");
    let rows = read(&dir.join("adult.data")) + &read(&dir.join("adult.test"));
    let rows = rows
        .lines()
        .filter(|line| line.contains(',') && !line.contains('?'))
        .map(|line| line.trim_end_matches('.').replace(", ", "\t") + "\n");
    let table = "adult (age int, workclass text, fnlwgt int, education text, education_num int, \
        marital_status text, occupation text, relationship text, race text, sex text, capital_gain int, \
        capital_loss int, hours_per_week int, native_country text, income text)";
    create(client, table);
    Some(copy(client, "COPY adult FROM STDIN", &rows.collect::<String>()))
}

/// Tables `tax_<column>` (child, parent), one for each of Adult's eight categorical columns; returns their
/// names. `None`: no data, return (see [`data_dir`]).
#[must_use]
pub fn load_taxonomies(client: &mut Client) -> Option<Vec<String>> {
    let mut tables = Vec::new();
    for entry in fs::read_dir(data_dir()?.join("taxonomy/own")).expect("taxonomy/own") {
        let path = entry.expect("taxonomy/own").path();
        if path.extension().is_some_and(|ending| ending == "csv") {
            let column = path.file_stem().expect("a file has a name").to_string_lossy().replace('-', "_");
            let table = format!("tax_{column}");
            create(client, &format!("{table} (child text, parent text)"));
            copy(client, &format!("COPY {table} FROM STDIN (FORMAT csv, HEADER)"), &read(&path));
            tables.push(table);
        }
    }
    tables.sort();
    Some(tables)
}

/// Table `crx`: the complete rows of UCI Credit Approval; returns how many. `None`: no data, return (see
/// [`data_dir`]).
#[must_use]
pub fn load_crx(client: &mut Client) -> Option<u64> {
    let rows = read(&data_dir()?.join("crx/crx.data"));
    let rows = rows.lines().filter(|line| !line.contains('?')).map(|line| format!("{line}\n"));
    let table = "crx (a1 text, a2 numeric, a3 numeric, a4 text, a5 text, a6 text, a7 text, a8 numeric, \
        a9 text, a10 text, a11 int, a12 text, a13 text, a14 int, a15 int, class text)";
    create(client, table);
    Some(copy(client, "COPY crx FROM STDIN (FORMAT csv)", &rows.collect::<String>()))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn create(client: &mut Client, table: &str) {
    client.batch_execute(&format!("CREATE TABLE {table}")).unwrap_or_else(|error| panic!("{table}: {error}"));
}

fn copy(client: &mut Client, command: &str, rows: &str) -> u64 {
    let mut writer = client.copy_in(command).expect(command);
    writer.write_all(rows.as_bytes()).expect(command);
    writer.finish().expect(command)
}
