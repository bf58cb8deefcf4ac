//! A generator of hostile environments: every function of the extension is called in each of them, as
//! mallory, to whom everything belongs, as another plain role and as a superuser; alone, in a
//! transaction that goes on and in a block that catches errors. Whatever comes of the call, afterwards
//! roles, session user and settings are what they were, no lock, snapshot, cursor or temporary object is
//! left, the server has not crashed, nothing lies in the database that the call was not for, and what
//! mallory laid out has run with nobody's rights but hers.
//!
//! Kept apart is what PostgreSQL itself runs with the rights of whoever selects: the functions below a
//! view that is named as the source, and whatever the planner evaluates for it. There mallory's functions
//! only try to leave something behind.

mod environments;
mod extremes;
mod run;
mod state;
mod swaps;
mod world;

use run::{run, Hostile, Report};
use std::panic::{catch_unwind, AssertUnwindSafe};
use world::World;

/// Runs environments in a world of their own.
fn all(number: usize, environments: Vec<Hostile>) {
    let world = World::new(number);
    let mut report = Report::default();
    for hostile in environments {
        let start = std::time::Instant::now();
        // A server that crashes under it all is a failure of this environment, and the next is tried.
        let part = catch_unwind(AssertUnwindSafe(|| run(&world, &hostile))).unwrap_or_else(|_| Report {
            failures: vec![format!("({}) the server went away", hostile.name)],
            ..Report::default()
        });
        println!(
            "{}: {} cases, {} succeeded, {} faults, {:?}",
            hostile.name,
            part.cases,
            part.succeeded,
            part.failures.len(),
            start.elapsed()
        );
        report.add(part);
    }
    report.conclude();
}

#[test]
fn nothing_hostile() {
    all(0, environments::harmless());
}

/// Two halves, which run side by side.
fn half(number: usize) -> Vec<Hostile> {
    let all = [
        environments::event_triggers(),
        environments::privileges(),
        environments::types(),
        environments::shadows(),
        environments::sources(),
        environments::releases(),
    ];
    let only = std::env::var("HOSTILE").unwrap_or_default();
    let all = all.into_iter().flatten().filter(|hostile| hostile.name.contains(&only));
    all.enumerate().filter(|(i, _)| i % 2 == number).map(|(_, hostile)| hostile).collect()
}

#[test]
fn one_half() {
    all(1, half(0));
}

#[test]
fn other_half() {
    all(2, half(1));
}

/// Manifests are forged in every field.
#[test]
fn forged_manifests() {
    run::run_in_turn(&World::new(5), &environments::forged()).conclude();
}

/// Arguments are anything at all.
#[test]
fn extreme_arguments() {
    extremes::run(&World::new(4)).conclude();
}

/// What a call waits for is something else when it gets it.
#[test]
fn swapped_while_waiting() {
    swaps::run(&World::new(3)).conclude();
}

/// A function that is added comes with its calls.
#[test]
fn every_function_is_called() {
    let mut db = client_tests::connect();
    let functions = "SELECT DISTINCT p.proname::text FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid
           AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e' AND d.refclassid = 'pg_extension'::regclass
         JOIN pg_extension e ON e.oid = d.refobjid WHERE extname = 'pg_topdown' ORDER BY 1";
    let there: Vec<String> = db.query(functions, &[]).unwrap().iter().map(|row| row.get(0)).collect();
    assert_eq!(
        there,
        client_tests::calls::called(),
        "the calls of this test are not those of the extension's functions"
    );
}
