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

/// The SQL on the page, by the order it is there: the table of runs, the job, a line of outcome, pg_cron's runs.
fn page() -> [String; 4] {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/guide/scheduling.md");
    let page = fs::read_to_string(page).expect("docs/guide/scheduling.md");
    let blocks =
        page.split("```sql\n").skip(1).map(|rest| rest.split("```").next().unwrap_or_default().into());
    blocks.collect::<Vec<String>>().try_into().expect("four pieces of SQL")
}

/// Two releases of the owner's, made by tables of which one can lose a column, and the table of runs.
fn two_releases(db: &mut Client) {
    people(db, 1000);
    run(db, "SET ROLE owner; CREATE VIEW other AS SELECT * FROM people");
    run(db, &release_of_people("r", 10));
    run(db, &release_of_people("s", 10).replace("public.people", "public.other"));
    run(db, &page()[0]);
    more_people(db, 1001, 1500);
}

/// The second release cannot be made again.
fn break_one(db: &mut Client) {
    more_people(db, 1501, 1600);
    run(db, "ALTER VIEW other RENAME COLUMN illness TO disease");
}

/// The newest version, and the line of outcome, of each release.
fn outcome(db: &mut Client) -> Vec<String> {
    let line = format!("SELECT release, line FROM ({}) l ORDER BY at DESC, release LIMIT 2", page()[2]);
    rows(db, &line)
}

fn versions(db: &mut Client) -> Vec<String> {
    rows(db, "SELECT release, version FROM releases() ORDER BY 1")
}

fn one_failed(db: &mut Client) {
    assert_eq!(versions(db), ["(r,3)", "(s,2)"]);
    let lines = outcome(db);
    assert!(
        lines[0].starts_with("(r,\"version 3, 1600 rows, achieved [") && lines[0].ends_with("]\")"),
        "{lines:?}"
    );
    assert!(lines[1].contains("illness") && !lines[1].contains("version 3"), "{lines:?}");
}

#[test]
fn with_psql() {
    let Some(cluster) = Cluster::start("") else { return };
    let mut db = cluster.session();
    two_releases(&mut db);
    let [_, job, line, _] = page();
    let file = cluster.path("refresh.sql");
    fs::write(&file, format!("\\set ON_ERROR_STOP on\n{job};\n{line};\n")).unwrap();
    let file = file.display().to_string();
    let said = cluster.succeeds("psql", &["-qXAt", "-U", "owner", "-f", &file, "postgres"]);
    assert!(
        said.contains("|r|version 2, 1500 rows, achieved [") && said.contains("|s|version 2, "),
        "{said}"
    );
    break_one(&mut db);
    let output = cluster.run("psql", &["-qXAt", "-U", "owner", "-f", &file, "postgres"]);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("ERROR:  s: ") && said.contains("illness"), "{said}");
    one_failed(&mut db);
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

fn pg_cron(workers: &str, one_row: &str) {
    let Some(mut cluster) = with_cron(workers) else { return };
    let mut db = cluster.session();
    two_releases(&mut db);
    run(&mut db, "RESET ROLE; CREATE EXTENSION pg_cron; GRANT USAGE ON SCHEMA cron TO owner; SET ROLE owner");
    drop(db);
    let [_, job, _, runs] = page();
    let job = job.trim();
    let details = "SELECT status, trim(return_message) FROM cron.job_run_details ORDER BY command";
    let mut db = run_jobs(&mut cluster, &[job]);
    assert_eq!(rows(&mut db, details), ["(succeeded,DO)"]);
    assert_eq!(versions(&mut db), ["(r,2)", "(s,2)"]);
    let line =
        "SELECT status, return_message, release, version, rows, smallest_group::float8 >= 10, error IS NULL";
    let lines = rows(&mut db, &format!("{line} FROM ({runs}) q ORDER BY release"));
    assert_eq!(lines, ["(succeeded,DO,r,2,1500,t,t)", "(succeeded,DO,s,2,1500,t,t)"]);

    break_one(&mut db);
    drop(db);
    let mut db = run_jobs(&mut cluster, &[job]);
    let said = rows(&mut db, details);
    assert!(said[0].starts_with("(failed,\"ERROR:") && said[0].contains("illness"), "{said:?}");
    one_failed(&mut db);
    drop(db);

    let asserts =
        ["SELECT release_assert('r')", "SELECT release_assert('t')", "SELECT release_refresh_all()"];
    let said = rows(&mut run_jobs(&mut cluster, &asserts), details);
    assert_eq!(said[0], format!("(succeeded,\"{one_row}\")"));
    assert!(said[1].starts_with("(failed,\"ERROR:") && said[1].contains("does not exist"), "{said:?}");
    let rows_of_all = one_row.replace('1', "2").replace("2 row", "2 rows");
    assert_eq!(said[2], format!("(succeeded,\"{rows_of_all}\")"), "although one has failed");
}

#[test]
fn with_pg_cron() {
    pg_cron("off", "1 row");
}

#[test]
fn with_pg_cron_in_workers() {
    pg_cron("on", "SELECT 1");
}
