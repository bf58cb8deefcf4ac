//! What docs/guide/scheduling.md says of schedules, with psql and, where it is installed, with pg_cron: a run leaves a line
//! for each release, and one that failed is seen to have failed, without undoing the others.
//!
//! `make test` gets pg_cron for this run, where Debian has it (PG_TOPDOWN_CRON=0: not).

use client_tests::cluster::{wait_until, Cluster, Stop};
use client_tests::people::{more_people, people, release_of_people};
use client_tests::{rows, run, skip};
use postgres::Client;
use std::fs;
use std::path::Path;

/// The SQL on the page, by the order it is there: the job, what a run did, pg_cron's failed runs.
fn page() -> [String; 3] {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/guide/scheduling.md");
    let page = fs::read_to_string(page).expect("docs/guide/scheduling.md");
    let blocks =
        page.split("```sql\n").skip(1).map(|rest| rest.split("```").next().unwrap_or_default().trim().into());
    blocks.collect::<Vec<String>>().try_into().expect("three pieces of SQL")
}

/// Two releases of the owner's, made by tables of which one can lose a column.
fn two_releases(db: &mut Client) {
    people(db, 1000);
    run(db, "GRANT EXECUTE ON PROCEDURE release_refresh_all TO owner");
    run(db, "SET ROLE owner; CREATE VIEW other AS SELECT * FROM people");
    // The one that is to fail comes first.
    run(db, &release_of_people("q", 10).replace("public.people", "public.other"));
    run(db, &release_of_people("r", 10));
    more_people(db, 1001, 1500);
}

/// One release cannot be made again.
fn break_one(db: &mut Client) {
    more_people(db, 1501, 1600);
    run(db, "ALTER VIEW other RENAME COLUMN illness TO disease");
}

/// And it can.
fn mend_it(db: &mut Client) {
    run(db, "ALTER VIEW other RENAME COLUMN disease TO illness");
}

/// What the page's query tells of the last run: which release is as of when, and which has failed.
fn outcome(db: &mut Client) -> Vec<String> {
    let line = format!(
        "SELECT release, version, rows, refreshed_at IS NOT NULL, failed_at > refreshed_at, error FROM ({}) l",
        page()[1]
    );
    rows(db, &line)
}

fn none_failed(db: &mut Client, version: i32, number: i32) {
    assert_eq!(outcome(db), ["q", "r"].map(|release| format!("({release},{version},{number},t,,)")));
}

fn one_failed(db: &mut Client) {
    let lines = outcome(db);
    // What the DETAIL named is in the WARNING alone.
    let error = "are not those that the release was made of (SQLSTATE 55000)";
    assert!(lines[0].starts_with("(q,2,1500,t,t,") && lines[0].contains(error), "{lines:?}");
    assert_eq!(lines[1], "(r,3,1600,t,,)", "{lines:?}");
}

const FAILED: &str = "1 of 2 releases were not refreshed";

#[test]
fn with_psql() {
    let Some(cluster) = Cluster::start("") else { return };
    let mut db = cluster.session();
    two_releases(&mut db);
    let [job, ..] = page();
    let call = |job: &str| cluster.run("psql", &["-qX", "-U", "owner", "-c", job, "postgres"]);
    let output = call(&job);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    none_failed(&mut db, 2, 1500);
    break_one(&mut db);
    let output = call(&job);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr);
    let warning = said.find("WARNING:  release \"q\" was not refreshed").expect("a warning");
    let error = said.find(&format!("ERROR:  {FAILED}")).expect("an error");
    assert!(warning < error && said[warning..error].contains("illness"), "{said}");
    one_failed(&mut db);

    // With another statement nothing is done.
    mend_it(&mut db);
    let output = call(&format!("SELECT 1; {job}"));
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("commits after each release"), "{output:?}");
    one_failed(&mut db);
    assert_eq!(call(&job).status.code(), Some(0));
    assert_eq!(outcome(&mut db)[0], "(q,3,1600,t,,)");
}

/// A cluster with pg_cron, if there is one; else it has been said.
fn with_cron(workers: &str) -> Option<Cluster> {
    let mut cluster = Cluster::start("")?;
    let share = cluster.succeeds("pg_config", &["--sharedir"]);
    if !Path::new(share.trim()).join("extension/pg_cron.control").exists() {
        skip("no pg_cron in this installation: make test unpacks it where Debian has it");
        return None;
    }
    let settings = format!("shared_preload_libraries = pg_cron\ncron.use_background_workers = {workers}");
    cluster.configure(&format!("{settings}\ncron.host = '{}'", cluster.socket()));
    cluster.stop(Stop::Fast);
    cluster.restart();
    Some(cluster)
}

/// Runs jobs once, as pg_cron does when the server has started: it knows no shorter times than a minute.
fn run_jobs(cluster: &mut Cluster, jobs: &[&str]) -> Client {
    let mut db = cluster.session_in("postgres", "owner");
    run(&mut db, "SELECT cron.unschedule(jobid) FROM cron.job");
    for job in jobs {
        db.execute("SELECT cron.schedule($1, '@reboot', $1)", &[job]).expect("cron.schedule");
    }
    run(&mut cluster.session(), "TRUNCATE cron.job_run_details");
    cluster.stop(Stop::Fast);
    cluster.restart();
    let mut db = cluster.session_in("postgres", "owner");
    wait_until("the jobs have run", || {
        rows(&mut db, "SELECT FROM cron.job_run_details WHERE end_time IS NOT NULL").len() == jobs.len()
    });
    db
}

fn pg_cron(workers: &str) {
    let Some(mut cluster) = with_cron(workers) else { return };
    let mut db = cluster.session();
    two_releases(&mut db);
    run(&mut db, "RESET ROLE; CREATE EXTENSION pg_cron; GRANT USAGE ON SCHEMA cron TO owner; SET ROLE owner");
    drop(db);
    let [job, _, runs] = page();
    let details = "SELECT status, trim(return_message) FROM cron.job_run_details ORDER BY command";
    let mut db = run_jobs(&mut cluster, &[&job]);
    assert_eq!(rows(&mut db, details), ["(succeeded,CALL)"]);
    none_failed(&mut db, 2, 1500);
    assert!(rows(&mut db, &runs).is_empty());

    break_one(&mut db);
    drop(db);
    let mut db = run_jobs(&mut cluster, &[&job]);
    let said = rows(&mut db, &format!("SELECT status, return_message FROM ({runs}) r"));
    assert!(said[0].starts_with("(failed,\"ERROR:") && said[0].contains(FAILED), "{said:?}");
    one_failed(&mut db);
    drop(db);

    let asserts = ["SELECT release_assert('r')", "SELECT release_assert('t')"];
    let said = rows(&mut run_jobs(&mut cluster, &asserts), details);
    assert!(said[0].starts_with("(succeeded,"), "{said:?}");
    assert!(said[1].starts_with("(failed,\"ERROR:") && said[1].contains("does not exist"), "{said:?}");
}

#[test]
fn with_pg_cron() {
    pg_cron("off");
}

#[test]
fn with_pg_cron_in_workers() {
    pg_cron("on");
}
