//! What a backend works. Work is counted, not time: the processor's ticks of the backend, threads included. A busy machine makes
//! no difference: a backend has no more ticks than time.

use postgres::Client;
use std::fs;

/// A hundredth of a second of one processor (Linux, USER_HZ).
pub type Ticks = u64;

/// What the backend of a session has worked so far.
pub fn ticks(pid: i32) -> Ticks {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).expect("the server runs on this machine");
    // After the name, which is in parentheses: utime and stime are the 12th and 13th.
    let fields: Vec<&str> = stat.rsplit(')').next().expect("a line").split_whitespace().collect();
    fields[11..13].iter().map(|field| field.parse::<Ticks>().expect("a number")).sum()
}

/// Runs a statement; its work, and its SQLSTATE if it failed.
pub fn work(db: &mut Client, statement: &str) -> (Ticks, Option<String>) {
    let pid: i32 = db.query_one("SELECT pg_backend_pid()", &[]).unwrap().get(0);
    let before = ticks(pid);
    let result = db.batch_execute(statement);
    let work = ticks(pid) - before;
    (work, result.err().map(|error| error.code().map_or(error.to_string(), |code| code.code().to_string())))
}
